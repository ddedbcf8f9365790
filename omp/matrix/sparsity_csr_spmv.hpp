// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/sparsity_csr_kernels.hpp"

#include "omp/base/run_unified.hpp"
#include "omp/matrix/spmv_merge.hpp"

namespace spruce::kernels::omp {
namespace sparsity_csr {

/// Computes value times sums of rows of b, column by column.
template <typename V, typename I>
class pattern_sums {
public:
    pattern_sums(const matrix::SparsityCsr<V, I>& a, const matrix::Dense<V>& b)
        : col_idxs_{a.get_const_col_idxs()}, value_{*a.get_const_value()}, b_{b}
    {}

    template <typename Store>
    void operator()(size_type begin, size_type end, const Store& store) const
    {
        const auto stride = b_.get_stride();
        for (size_type rhs = 0; rhs < b_.get_size()[1]; ++rhs) {
            const auto column = b_.get_const_values() + rhs;
            auto even = zero<V>();
            auto odd = zero<V>();
            auto nz = begin;
            for (; nz + 2 <= end; nz += 2) {
                even += column[static_cast<size_type>(col_idxs_[nz]) * stride];
                odd += column[static_cast<size_type>(col_idxs_[nz + 1]) * stride];
            }
            if (nz < end) {
                even += column[static_cast<size_type>(col_idxs_[nz]) * stride];
            }
            store(rhs, multiply(value_, even + odd));
        }
    }

private:
    const I* col_idxs_;
    V value_;
    const matrix::Dense<V>& b_;
};

template <typename V, typename I>
void spmv(const OmpExecutor&, const matrix::SparsityCsr<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    overwrite_by<V>([&](auto finish, auto add) {
        spmv_merge(a.get_const_row_ptrs(), a.get_num_nonzeros(), x, pattern_sums<V, I>{a, b}, finish, add);
    });
}

template <typename V, typename I>
void advanced_spmv(const OmpExecutor&, const matrix::Dense<V>& alpha, const matrix::SparsityCsr<V, I>& a,
                   const matrix::Dense<V>& b, const matrix::Dense<V>& beta, matrix::Dense<V>& x)
{
    multiply_and_combine(alpha, beta, x, [&](auto finish, auto add) {
        spmv_merge(a.get_const_row_ptrs(), a.get_num_nonzeros(), x, pattern_sums<V, I>{a, b}, finish, add);
    });
}

}  // namespace sparsity_csr

}  // namespace spruce::kernels::omp
