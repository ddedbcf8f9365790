// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/benchmark_case.hpp"
#include "benchmark/spmv/comparisons.hpp"
#include "core/base/build_config.hpp"

#if SPRUCE_WITH_CUDA

#include <algorithm>
#include <complex>
#include <limits>
#include <type_traits>
#include <utility>

#include <spruce/matrix/coo.hpp>

#include "benchmark/cusparse_library.hpp"
#include "benchmark/storage_bytes.hpp"

namespace spruce::bench {
namespace {

#define SPRUCE_CUSPARSE_CALL(function, ...) library_.check(library_.function(__VA_ARGS__), "cuSPARSE " #function)

template <typename V>
constexpr cudaDataType cuda_type()
{
    if constexpr (std::is_same_v<V, float>) {
        return CUDA_R_32F;
    } else if constexpr (std::is_same_v<V, double>) {
        return CUDA_R_64F;
    } else if constexpr (std::is_same_v<V, std::complex<float>>) {
        return CUDA_C_32F;
    } else {
        return CUDA_C_64F;
    }
}

template <typename I>
constexpr cusparseIndexType_t cusparse_index_type = std::is_same_v<I, int32> ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;

cusparseSpMVAlg_t spmv_algorithm_of(cusparse_format format)
{
    switch (format) {
    case cusparse_format::csr_alg1:
        return CUSPARSE_SPMV_CSR_ALG1;
    case cusparse_format::csr_alg2:
        return CUSPARSE_SPMV_CSR_ALG2;
    case cusparse_format::coo:
        return CUSPARSE_SPMV_COO_ALG1;
    default:
        return CUSPARSE_SPMV_SELL_ALG1;
    }
}

cusparseSpMMAlg_t spmm_algorithm_of(cusparse_format format)
{
    switch (format) {
    case cusparse_format::csr_alg1:
        return CUSPARSE_SPMM_CSR_ALG1;
    case cusparse_format::csr_alg2:
        return CUSPARSE_SPMM_CSR_ALG2;
    default:
        return CUSPARSE_SPMM_COO_ALG4;  // the algorithm for dense operands stored by rows
    }
}

/// Stores slices of rows column by column. The rows are padded to the longest row of their slice.
template <typename V, typename I>
struct sliced_ell {
    static constexpr size_type slice_size = 32;

    explicit sliced_ell(const matrix::Csr<V, I>& a) : exec{a.get_executor()}
    {
        const auto host = clone(exec->get_master(), &a);
        const auto row_ptrs = host->get_const_row_ptrs();
        const auto num_rows = host->get_size()[0];
        const auto num_slices = (num_rows + slice_size - 1) / slice_size;
        array<I> host_offsets{exec->get_master(), num_slices + 1};
        size_type size{};
        for (size_type slice = 0; slice < num_slices; ++slice) {
            host_offsets.get_data()[slice] = static_cast<I>(size);
            I max_length{};
            for (auto row = slice * slice_size; row < std::min((slice + 1) * slice_size, num_rows); ++row) {
                max_length = std::max(max_length, row_ptrs[row + 1] - row_ptrs[row]);
            }
            size += static_cast<size_type>(max_length) * slice_size;
            if (size > static_cast<size_type>(std::numeric_limits<I>::max())) {
                throw case_skipped("padded, the matrix has more entries than the indices can count");
            }
        }
        host_offsets.get_data()[num_slices] = static_cast<I>(size);
        array<I> host_cols{exec->get_master(), size};
        array<V> host_values{exec->get_master(), size};
        host_cols.fill(-1);
        host_values.fill(V{});
        for (size_type row = 0; row < num_rows; ++row) {
            auto offset = static_cast<size_type>(host_offsets.get_const_data()[row / slice_size]) + row % slice_size;
            for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz, offset += slice_size) {
                host_cols.get_data()[offset] = host->get_const_col_idxs()[nz];
                host_values.get_data()[offset] = host->get_const_values()[nz];
            }
        }
        offsets = host_offsets;
        cols = host_cols;
        values = host_values;
    }

    std::shared_ptr<const Executor> exec;
    array<I> offsets{exec};
    array<I> cols{exec};
    array<V> values{exec};
};

/// Multiplies by cuSPARSE. The descriptions of vectors and the analysis are created for the b and x
/// of the first product. They are reused as long as these two vectors are passed.
template <typename V, typename I>
class cusparse_product : public product<V, I> {
public:
    cusparse_product(std::shared_ptr<const matrix::Csr<V, I>> a, std::shared_ptr<const CudaExecutor> exec,
                     cusparse_format format)
        : a_{a}, exec_{exec}, format_{format}, buffer_{exec}
    {
        const auto guard = exec_->get_scoped_device_id_guard();
        const auto num_rows = count(a->get_size()[0]);
        const auto num_cols = count(a->get_size()[1]);
        const auto nnz = count(a->get_num_stored_elements());
        SPRUCE_CUSPARSE_CALL(create, &handle_);
        SPRUCE_CUSPARSE_CALL(set_stream, handle_, exec_->get_stream());
        if (format == cusparse_format::coo) {
            coo_ = matrix::Coo<V, I>::create(exec);
            a->convert_to(coo_.get());
            storage_bytes_ = a->get_num_stored_elements() * (sizeof(V) + 2 * sizeof(I));
            SPRUCE_CUSPARSE_CALL(create_coo, &matrix_, num_rows, num_cols, nnz, coo_->get_const_row_idxs(),
                                 coo_->get_const_col_idxs(), coo_->get_const_values(), cusparse_index_type<I>,
                                 CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>());
        } else if (format == cusparse_format::sell) {
            sell_ = std::make_unique<sliced_ell<V, I>>(*a);
            storage_bytes_ = sell_->values.get_size() * (sizeof(V) + sizeof(I)) + sell_->offsets.get_size() * sizeof(I);
            SPRUCE_CUSPARSE_CALL(create_sell, &matrix_, num_rows, num_cols, nnz, count(sell_->values.get_size()),
                                 count(sell_->slice_size), sell_->offsets.get_const_data(),
                                 sell_->cols.get_const_data(), sell_->values.get_const_data(), cusparse_index_type<I>,
                                 cusparse_index_type<I>, CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>());
        } else {
            storage_bytes_ = bytes_of(*a);
            SPRUCE_CUSPARSE_CALL(create_csr, &matrix_, num_rows, num_cols, nnz, a->get_const_row_ptrs(),
                                 a->get_const_col_idxs(), a->get_const_values(), cusparse_index_type<I>,
                                 cusparse_index_type<I>, CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>());
        }
    }
    cusparse_product(const cusparse_product&) = delete;
    ~cusparse_product() override
    {
        const auto guard = exec_->get_scoped_device_id_guard();
        exec_->synchronize();
        this->forget_vectors();
        library_.destroy_matrix(matrix_);
        library_.destroy(handle_);
    }

    void apply(const matrix::Dense<V>& b, matrix::Dense<V>& x) override
    {
        const auto guard = exec_->get_scoped_device_id_guard();
        if (b.get_const_values() != b_values_ || x.get_values() != x_values_ || b.get_size()[1] != num_rhs_) {
            this->prepare(b, x);
        }
        if (num_rhs_ == 1) {
            SPRUCE_CUSPARSE_CALL(spmv, handle_, plain, &one_, matrix_, b_vector_, &zero_, x_vector_, cuda_type<V>(),
                                 spmv_algorithm_of(format_), buffer_.get_data());
        } else {
            SPRUCE_CUSPARSE_CALL(spmm, handle_, plain, plain, &one_, matrix_, b_dense_, &zero_, x_dense_,
                                 cuda_type<V>(), spmm_algorithm_of(format_), buffer_.get_data());
        }
    }
    size_type get_storage_bytes() const override { return storage_bytes_; }

private:
    static constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

    static int64 count(size_type value) { return static_cast<int64>(value); }

    void prepare(const matrix::Dense<V>& b, matrix::Dense<V>& x)
    {
        this->forget_vectors();
        num_rhs_ = b.get_size()[1];
        if (format_ == cusparse_format::sell && num_rhs_ != 1) {
            throw case_skipped("cuSPARSE multiplies SELL with one vector only");
        }
        size_t buffer_size = 0;
        if (num_rhs_ == 1) {
            SPRUCE_CUSPARSE_CALL(create_const_vector, &b_vector_, count(b.get_size()[0]), b.get_const_values(),
                                 cuda_type<V>());
            SPRUCE_CUSPARSE_CALL(create_vector, &x_vector_, count(x.get_size()[0]), x.get_values(), cuda_type<V>());
            SPRUCE_CUSPARSE_CALL(spmv_buffer_size, handle_, plain, &one_, matrix_, b_vector_, &zero_, x_vector_,
                                 cuda_type<V>(), spmv_algorithm_of(format_), &buffer_size);
            buffer_.resize_and_reset(buffer_size);
#if CUSPARSE_VERSION >= 12300
            SPRUCE_CUSPARSE_CALL(spmv_preprocess, handle_, plain, &one_, matrix_, b_vector_, &zero_, x_vector_,
                                 cuda_type<V>(), spmv_algorithm_of(format_), buffer_.get_data());
#endif
        } else {
            SPRUCE_CUSPARSE_CALL(create_const_dense, &b_dense_, count(b.get_size()[0]), count(num_rhs_),
                                 count(b.get_stride()), b.get_const_values(), cuda_type<V>(), CUSPARSE_ORDER_ROW);
            SPRUCE_CUSPARSE_CALL(create_dense, &x_dense_, count(x.get_size()[0]), count(num_rhs_),
                                 count(x.get_stride()), x.get_values(), cuda_type<V>(), CUSPARSE_ORDER_ROW);
            SPRUCE_CUSPARSE_CALL(spmm_buffer_size, handle_, plain, plain, &one_, matrix_, b_dense_, &zero_, x_dense_,
                                 cuda_type<V>(), spmm_algorithm_of(format_), &buffer_size);
            buffer_.resize_and_reset(buffer_size);
            SPRUCE_CUSPARSE_CALL(spmm_preprocess, handle_, plain, plain, &one_, matrix_, b_dense_, &zero_, x_dense_,
                                 cuda_type<V>(), spmm_algorithm_of(format_), buffer_.get_data());
        }
        b_values_ = b.get_const_values();
        x_values_ = x.get_values();
    }

    void forget_vectors()
    {
        if (b_vector_) {
            library_.destroy_vector(std::exchange(b_vector_, nullptr));
        }
        if (x_vector_) {
            library_.destroy_vector(std::exchange(x_vector_, nullptr));
        }
        if (b_dense_) {
            library_.destroy_dense(std::exchange(b_dense_, nullptr));
        }
        if (x_dense_) {
            library_.destroy_dense(std::exchange(x_dense_, nullptr));
        }
        b_values_ = nullptr;
        x_values_ = nullptr;
    }

    const cusparse_library& library_{cusparse_library::get()};
    std::shared_ptr<const matrix::Csr<V, I>> a_;
    std::shared_ptr<const CudaExecutor> exec_;
    cusparse_format format_;
    array<char> buffer_;
    V one_{1};
    V zero_{0};
    cusparseHandle_t handle_{};
    cusparseConstSpMatDescr_t matrix_{};
    cusparseConstDnVecDescr_t b_vector_{};
    cusparseDnVecDescr_t x_vector_{};
    cusparseConstDnMatDescr_t b_dense_{};
    cusparseDnMatDescr_t x_dense_{};
    const V* b_values_{};
    const V* x_values_{};
    size_type num_rhs_{};
    std::unique_ptr<matrix::Coo<V, I>> coo_;
    std::unique_ptr<sliced_ell<V, I>> sell_;
    size_type storage_bytes_{};
};

}  // namespace

template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_cusparse_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a, cusparse_format format)
{
    const auto exec = std::dynamic_pointer_cast<const CudaExecutor>(a->get_executor());
    return std::make_unique<cusparse_product<ValueType, IndexType>>(a, exec, format);
}

#else

namespace spruce::bench {

template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_cusparse_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>>, cusparse_format)
{
    throw case_skipped("this spruce-bench was built without CUDA");
}

#endif

#define SPRUCE_INSTANTIATE_CREATE_CUSPARSE_PRODUCT(ValueType, IndexType)                          \
    std::unique_ptr<product<ValueType, IndexType>> create_cusparse_product<ValueType, IndexType>( \
        std::shared_ptr<const matrix::Csr<ValueType, IndexType>>, cusparse_format)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INSTANTIATE_CREATE_CUSPARSE_PRODUCT);

}  // namespace spruce::bench
