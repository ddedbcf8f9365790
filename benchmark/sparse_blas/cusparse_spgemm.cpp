// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/sparse_blas/vendor_spgemm.hpp"

#include "core/base/build_config.hpp"

#if SPRUCE_WITH_CUDA

#include "benchmark/cusparse_library.hpp"

namespace spruce::bench {
namespace {

using csr_matrix = matrix::Csr<double, int32>;

#define SPRUCE_CUSPARSE_CALL(function, ...) library.check(library.function(__VA_ARGS__), "cuSPARSE " #function)

/// Destroys an object that was created by cuSPARSE.
template <typename T>
using handle = std::unique_ptr<std::remove_pointer_t<T>, cusparseStatus_t (*)(T)>;

handle<cusparseConstSpMatDescr_t> describe(const cusparse_library& library, const csr_matrix& a)
{
    cusparseConstSpMatDescr_t result{};
    SPRUCE_CUSPARSE_CALL(create_csr, &result, static_cast<int64>(a.get_size()[0]), static_cast<int64>(a.get_size()[1]),
                         static_cast<int64>(a.get_num_stored_elements()), a.get_const_row_ptrs(),
                         a.get_const_col_idxs(), a.get_const_values(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    return {result, library.destroy_matrix};
}

}  // namespace

std::unique_ptr<csr_matrix> multiply_by_vendor(const csr_matrix& a, const csr_matrix& b)
{
    const auto exec = std::dynamic_pointer_cast<const CudaExecutor>(a.get_executor());
    if (!exec) {
        return nullptr;
    }
    const auto guard = exec->get_scoped_device_id_guard();
    const auto& library = cusparse_library::get();
    cusparseHandle_t context{};
    SPRUCE_CUSPARSE_CALL(create, &context);
    const handle<cusparseHandle_t> context_owner{context, library.destroy};
    SPRUCE_CUSPARSE_CALL(set_stream, context, exec->get_stream());
    const auto a_description = describe(library, a);
    const auto b_description = describe(library, b);
    const dim<2> size{a.get_size()[0], b.get_size()[1]};
    array<int32> row_ptrs{exec, size[0] + 1};
    cusparseSpMatDescr_t c{};
    SPRUCE_CUSPARSE_CALL(create_result_csr, &c, static_cast<int64>(size[0]), static_cast<int64>(size[1]), 0,
                         row_ptrs.get_data(), nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const handle<cusparseConstSpMatDescr_t> c_owner{c, library.destroy_matrix};
    cusparseSpGEMMDescr_t plan{};
    SPRUCE_CUSPARSE_CALL(create_spgemm, &plan);
    const handle<cusparseSpGEMMDescr_t> plan_owner{plan, library.destroy_spgemm};
    const double one = 1;
    const double zero = 0;
    const auto as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto run = [&](auto function, array<char>& buffer) {
        // The first call returns the size of the buffer.
        std::size_t num_bytes{};
        library.check(function(context, as_is, as_is, &one, a_description.get(), b_description.get(), &zero, c,
                               CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, plan, &num_bytes, nullptr),
                      "cuSPARSE spgemm");
        buffer.resize_and_reset(num_bytes);
        library.check(function(context, as_is, as_is, &one, a_description.get(), b_description.get(), &zero, c,
                               CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, plan, &num_bytes, buffer.get_data()),
                      "cuSPARSE spgemm");
    };
    array<char> estimate{exec};
    array<char> work{exec};
    run(library.spgemm_estimate_work, estimate);
    run(library.spgemm_compute, work);
    int64 num_rows{};
    int64 num_cols{};
    int64 nnz{};
    SPRUCE_CUSPARSE_CALL(get_matrix_size, c, &num_rows, &num_cols, &nnz);
    auto result = csr_matrix::create(exec, size, static_cast<size_type>(nnz));
    SPRUCE_CUSPARSE_CALL(set_csr_pointers, c, result->get_row_ptrs(), result->get_col_idxs(), result->get_values());
    SPRUCE_CUSPARSE_CALL(spgemm_copy, context, as_is, as_is, &one, a_description.get(), b_description.get(), &zero, c,
                         CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, plan);
    return result;
}

}  // namespace spruce::bench

#else

namespace spruce::bench {

std::unique_ptr<matrix::Csr<double, int32>> multiply_by_vendor(const matrix::Csr<double, int32>&,
                                                               const matrix::Csr<double, int32>&)
{
    return nullptr;
}

}  // namespace spruce::bench

#endif
