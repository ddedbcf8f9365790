// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Calls the vendor's sparse library through its generic interface. cuSPARSE and hipSPARSE differ
// only in the prefix: base/binding.hpp of a backend defines SPRUCE_SPARSE(name) and
// SPRUCE_SPARSE_CONSTANT(NAME).

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "common/backend.hpp"
#include "common/gpu/base/runtime.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::sparselib {

inline void throw_on_sparse_error(SPRUCE_SPARSE(Status_t) status, const char* what)
{
    if (status != SPRUCE_SPARSE_CONSTANT(STATUS_SUCCESS)) {
        throw sparselib_error(__FILE__, __LINE__, what, static_cast<int64>(status));
    }
}

inline void* create_handle(void* stream)
{
    SPRUCE_SPARSE(Handle_t) handle{};
    throw_on_sparse_error(SPRUCE_SPARSE(Create)(&handle), "a handle of the sparse library");
    throw_on_sparse_error(SPRUCE_SPARSE(SetStream)(handle, static_cast<stream_type>(stream)), "the handle's stream");
    throw_on_sparse_error(SPRUCE_SPARSE(SetPointerMode)(handle, SPRUCE_SPARSE_CONSTANT(POINTER_MODE_DEVICE)),
                          "the handle's pointer mode");
    return handle;
}

inline void destroy_handle(void* handle)
{
    static_cast<void>(SPRUCE_SPARSE(Destroy)(static_cast<SPRUCE_SPARSE(Handle_t)>(handle)));
}

/// Owns a descriptor of the library.
template <typename Descriptor>
class scoped_descriptor {
public:
    template <typename Create, typename... Args>
    scoped_descriptor(SPRUCE_SPARSE(Status_t) (*destroy)(Descriptor), Create create, const char* what, Args... args)
        : destroy_{destroy}
    {
        throw_on_sparse_error(create(&handle_, args...), what);
    }
    scoped_descriptor(const scoped_descriptor&) = delete;
    ~scoped_descriptor() { static_cast<void>(destroy_(handle_)); }
    Descriptor get() const { return handle_; }

private:
    Descriptor handle_{};
    SPRUCE_SPARSE(Status_t) (*destroy_)(Descriptor);
};

/// Holds the scalars of a call. They are on the device, or alpha = 1 and beta = 0 on the host if
/// null pointers were passed.
template <typename V>
class scalars {
public:
    scalars(SPRUCE_SPARSE(Handle_t) handle, const V* alpha, const V* beta)
        : handle_{handle}, alpha_{alpha ? alpha : &one_}, beta_{alpha ? beta : &zero_}, are_on_host_{!alpha}
    {
        if (are_on_host_) {
            throw_on_sparse_error(SPRUCE_SPARSE(SetPointerMode)(handle_, SPRUCE_SPARSE_CONSTANT(POINTER_MODE_HOST)),
                                  "the handle's pointer mode");
        }
    }
    scalars(const scalars&) = delete;
    ~scalars()
    {
        if (are_on_host_) {
            static_cast<void>(SPRUCE_SPARSE(SetPointerMode)(handle_, SPRUCE_SPARSE_CONSTANT(POINTER_MODE_DEVICE)));
        }
    }
    const V* alpha() const { return alpha_; }
    const V* beta() const { return beta_; }

private:
    SPRUCE_SPARSE(Handle_t) handle_;
    // The library requires complex numbers that are aligned to their whole size.
    alignas(16) const V one_{spruce::one<V>()};
    alignas(16) const V zero_{};
    const V* alpha_;
    const V* beta_;
    bool are_on_host_;
};

/// Computes x = alpha a b + beta x. If both pointers are null, alpha = 1 and beta = 0.
/// @return false, with nothing done, for a matrix without entries and if the library requires a
///     workspace larger than the matrix
template <typename V, typename I>
bool spmv(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x,
          const V* alpha, const V* beta)
{
    const auto num_rows = static_cast<int64>(a.get_size()[0]);
    const auto num_cols = static_cast<int64>(a.get_size()[1]);
    const auto num_rhs = static_cast<int64>(b.get_size()[1]);
    // The length of the arrays is no measure: they may have unused capacity.
    auto num_entries = static_cast<int64>(a.get_strategy()->get_num_entries());
    if (num_entries < 0 && num_rows > 0) {  // row pointers were filled in by hand
        num_entries = exec.copy_val_to_host(a.get_const_row_ptrs() + num_rows);
    }
    if (num_entries <= 0 || num_rhs == 0) {
        return false;
    }
    constexpr size_type small_workspace = 1 << 20;  // allowed for every matrix
    const auto largest_workspace =
        std::max(small_workspace, static_cast<size_type>(num_entries) * (sizeof(V) + sizeof(I)));
    const auto handle = static_cast<SPRUCE_SPARSE(Handle_t)>(exec.get_raw_sparselib_handle());
    const scalars<V> factors{handle, alpha, beta};
    constexpr auto as_is = SPRUCE_SPARSE_CONSTANT(OPERATION_NON_TRANSPOSE);
    constexpr auto index_type = sizeof(I) == 4 ? SPRUCE_SPARSE_CONSTANT(INDEX_32I) : SPRUCE_SPARSE_CONSTANT(INDEX_64I);
    const scoped_descriptor<matrix_descriptor> matrix{destroy_matrix,
                                                      SPRUCE_SPARSE(CreateCsr),
                                                      "a matrix for the sparse library",
                                                      num_rows,
                                                      num_cols,
                                                      num_entries,
                                                      static_cast<void*>(const_cast<I*>(a.get_const_row_ptrs())),
                                                      static_cast<void*>(const_cast<I*>(a.get_const_col_idxs())),
                                                      static_cast<void*>(const_cast<V*>(a.get_const_values())),
                                                      index_type,
                                                      index_type,
                                                      SPRUCE_SPARSE_CONSTANT(INDEX_BASE_ZERO),
                                                      data_type<V>};
    const auto b_values = static_cast<void*>(const_cast<V*>(b.get_const_values()));
    const auto x_values = static_cast<void*>(x.get_values());
    std::size_t buffer_size{};
    if (b.get_stride() == 1 && x.get_stride() == 1) {
        const scoped_descriptor<vector_descriptor> input{
            destroy_vector, SPRUCE_SPARSE(CreateDnVec), "a vector for the sparse library", num_cols, b_values,
            data_type<V>};
        const scoped_descriptor<vector_descriptor> output{
            destroy_vector, SPRUCE_SPARSE(CreateDnVec), "a vector for the sparse library", num_rows, x_values,
            data_type<V>};
        throw_on_sparse_error(
            SPRUCE_SPARSE(SpMV_bufferSize)(handle, as_is, factors.alpha(), matrix.get(), input.get(), factors.beta(),
                                           output.get(), data_type<V>, spmv_default, &buffer_size),
            "the workspace of a product");
        if (buffer_size > largest_workspace) {
            return false;
        }
        const auto scratch = exec.acquire_scratch(buffer_size);
        throw_on_sparse_error(
            SPRUCE_SPARSE(SpMV)(handle, as_is, factors.alpha(), matrix.get(), input.get(), factors.beta(), output.get(),
                                data_type<V>, spmv_default, scratch.template as<void>()),
            "a product");
    } else {
        const scoped_descriptor<dense_descriptor> input{destroy_dense,
                                                        SPRUCE_SPARSE(CreateDnMat),
                                                        "vectors for the sparse library",
                                                        num_cols,
                                                        num_rhs,
                                                        static_cast<int64>(b.get_stride()),
                                                        b_values,
                                                        data_type<V>,
                                                        SPRUCE_SPARSE_CONSTANT(ORDER_ROW)};
        const scoped_descriptor<dense_descriptor> output{destroy_dense,
                                                         SPRUCE_SPARSE(CreateDnMat),
                                                         "vectors for the sparse library",
                                                         num_rows,
                                                         num_rhs,
                                                         static_cast<int64>(x.get_stride()),
                                                         x_values,
                                                         data_type<V>,
                                                         SPRUCE_SPARSE_CONSTANT(ORDER_ROW)};
        throw_on_sparse_error(
            SPRUCE_SPARSE(SpMM_bufferSize)(handle, as_is, as_is, factors.alpha(), matrix.get(), input.get(),
                                           factors.beta(), output.get(), data_type<V>, spmm_default, &buffer_size),
            "the workspace of a product");
        if (buffer_size > largest_workspace) {
            return false;
        }
        const auto scratch = exec.acquire_scratch(buffer_size);
        throw_on_sparse_error(
            SPRUCE_SPARSE(SpMM)(handle, as_is, as_is, factors.alpha(), matrix.get(), input.get(), factors.beta(),
                                output.get(), data_type<V>, spmm_default, scratch.template as<void>()),
            "a product");
    }
    exec.count_launch();
    return true;
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::sparselib
