// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <stdexcept>

#include "benchmark/spmv/comparisons.hpp"

#if SPRUCE_WITH_CUDA

#include <complex>
#include <type_traits>
#include <utility>

#include "benchmark/spmv/cusparse_library.hpp"

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

/// The descriptions of vectors and the analysis are made for the b and x of the first product and kept while the same
/// two come.
template <typename V, typename I>
class cusparse_product : public product<V, I> {
public:
    cusparse_product(std::shared_ptr<const matrix::Csr<V, I>> a, std::shared_ptr<const CudaExecutor> exec,
                     int algorithm)
        : a_{a},
          exec_{exec},
          spmv_algorithm_{algorithm == 1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2},
          spmm_algorithm_{algorithm == 1 ? CUSPARSE_SPMM_CSR_ALG1 : CUSPARSE_SPMM_CSR_ALG2},
          buffer_{exec}
    {
        const auto guard = exec_->get_scoped_device_id_guard();
        SPRUCE_CUSPARSE_CALL(create, &handle_);
        SPRUCE_CUSPARSE_CALL(set_stream, handle_, exec_->get_stream());
        SPRUCE_CUSPARSE_CALL(create_csr, &matrix_, count(a->get_size()[0]), count(a->get_size()[1]),
                             count(a->get_num_stored_elements()), a->get_const_row_ptrs(), a->get_const_col_idxs(),
                             a->get_const_values(), cusparse_index_type<I>, cusparse_index_type<I>,
                             CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>());
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
                                 spmv_algorithm_, buffer_.get_data());
        } else {
            SPRUCE_CUSPARSE_CALL(spmm, handle_, plain, plain, &one_, matrix_, b_dense_, &zero_, x_dense_,
                                 cuda_type<V>(), spmm_algorithm_, buffer_.get_data());
        }
    }
    size_type get_storage_bytes() const override { return csr_bytes(*a_); }

private:
    static constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

    static int64 count(size_type value) { return static_cast<int64>(value); }

    void prepare(const matrix::Dense<V>& b, matrix::Dense<V>& x)
    {
        this->forget_vectors();
        num_rhs_ = b.get_size()[1];
        size_t buffer_size = 0;
        if (num_rhs_ == 1) {
            SPRUCE_CUSPARSE_CALL(create_const_vector, &b_vector_, count(b.get_size()[0]), b.get_const_values(),
                                 cuda_type<V>());
            SPRUCE_CUSPARSE_CALL(create_vector, &x_vector_, count(x.get_size()[0]), x.get_values(), cuda_type<V>());
            SPRUCE_CUSPARSE_CALL(spmv_buffer_size, handle_, plain, &one_, matrix_, b_vector_, &zero_, x_vector_,
                                 cuda_type<V>(), spmv_algorithm_, &buffer_size);
            buffer_.resize_and_reset(buffer_size);
#if CUSPARSE_VERSION >= 12300
            SPRUCE_CUSPARSE_CALL(spmv_preprocess, handle_, plain, &one_, matrix_, b_vector_, &zero_, x_vector_,
                                 cuda_type<V>(), spmv_algorithm_, buffer_.get_data());
#endif
        } else {
            SPRUCE_CUSPARSE_CALL(create_const_dense, &b_dense_, count(b.get_size()[0]), count(num_rhs_),
                                 count(b.get_stride()), b.get_const_values(), cuda_type<V>(), CUSPARSE_ORDER_ROW);
            SPRUCE_CUSPARSE_CALL(create_dense, &x_dense_, count(x.get_size()[0]), count(num_rhs_),
                                 count(x.get_stride()), x.get_values(), cuda_type<V>(), CUSPARSE_ORDER_ROW);
            SPRUCE_CUSPARSE_CALL(spmm_buffer_size, handle_, plain, plain, &one_, matrix_, b_dense_, &zero_, x_dense_,
                                 cuda_type<V>(), spmm_algorithm_, &buffer_size);
            buffer_.resize_and_reset(buffer_size);
            SPRUCE_CUSPARSE_CALL(spmm_preprocess, handle_, plain, plain, &one_, matrix_, b_dense_, &zero_, x_dense_,
                                 cuda_type<V>(), spmm_algorithm_, buffer_.get_data());
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
    cusparseSpMVAlg_t spmv_algorithm_;
    cusparseSpMMAlg_t spmm_algorithm_;
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
};

}  // namespace

template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_cusparse_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a, int algorithm)
{
    const auto exec = std::dynamic_pointer_cast<const CudaExecutor>(a->get_executor());
    return std::make_unique<cusparse_product<ValueType, IndexType>>(a, exec, algorithm);
}

#else

namespace spruce::bench {

template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_cusparse_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>>, int)
{
    throw std::runtime_error("this spruce-bench was built without CUDA");
}

#endif

#define SPRUCE_INSTANTIATE_CREATE_CUSPARSE_PRODUCT(ValueType, IndexType)                          \
    std::unique_ptr<product<ValueType, IndexType>> create_cusparse_product<ValueType, IndexType>( \
        std::shared_ptr<const matrix::Csr<ValueType, IndexType>>, int)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INSTANTIATE_CREATE_CUSPARSE_PRODUCT);

}  // namespace spruce::bench
