// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/benchmark_case.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/spmv/comparisons.hpp"
#include "benchmark/storage_bytes.hpp"

#if SPRUCE_BENCH_WITH_EIGEN

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace spruce::bench {
namespace {

template <typename V, typename I>
class eigen_product : public product<V, I> {
public:
    explicit eigen_product(std::shared_ptr<const matrix::Csr<V, I>> a)
        : a_{a}, map_{index(a->get_size()[0]), index(a->get_size()[1]), index(a->get_num_stored_elements()),
                      a->get_const_row_ptrs(), a->get_const_col_idxs(), a->get_const_values()}
    {}

    void apply(const matrix::Dense<V>& b, matrix::Dense<V>& x) override
    {
        Eigen::setNbThreads(num_threads(*a_->get_executor()));
        if (b.get_size()[1] == 1) {
            multiply<Eigen::Matrix<V, Eigen::Dynamic, 1>>(b, x);
        } else {
            multiply<Eigen::Matrix<V, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(b, x);
        }
    }
    size_type get_storage_bytes() const override { return bytes_of(*a_); }

private:
    static Eigen::Index index(size_type value) { return static_cast<Eigen::Index>(value); }

    template <typename Vectors>
    void multiply(const matrix::Dense<V>& b, matrix::Dense<V>& x) const
    {
        const auto num_rhs = index(b.get_size()[1]);
        const Eigen::Map<const Vectors> b_map{b.get_const_values(), index(b.get_size()[0]), num_rhs};
        Eigen::Map<Vectors> x_map{x.get_values(), index(x.get_size()[0]), num_rhs};
        x_map.noalias() = map_ * b_map;
    }

    std::shared_ptr<const matrix::Csr<V, I>> a_;
    Eigen::Map<const Eigen::SparseMatrix<V, Eigen::RowMajor, I>> map_;
};

}  // namespace

template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_eigen_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a)
{
    return std::make_unique<eigen_product<ValueType, IndexType>>(a);
}

#else

namespace spruce::bench {

template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_eigen_product(
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>>)
{
    throw case_skipped("this spruce-bench was built without Eigen 3 (Debian: libeigen3-dev)");
}

#endif

#define SPRUCE_INSTANTIATE_CREATE_EIGEN_PRODUCT(ValueType, IndexType)                          \
    std::unique_ptr<product<ValueType, IndexType>> create_eigen_product<ValueType, IndexType>( \
        std::shared_ptr<const matrix::Csr<ValueType, IndexType>>)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INSTANTIATE_CREATE_EIGEN_PRODUCT);

}  // namespace spruce::bench
