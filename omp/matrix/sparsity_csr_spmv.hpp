// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/sparsity_csr_kernels.hpp"

#include "omp/base/run_unified.hpp"
#include "omp/components/scale.hpp"
#include "omp/matrix/entry_sums.hpp"
#include "omp/matrix/spmv_merge.hpp"

namespace spruce::kernels::omp {
namespace sparsity_csr {

/// Computes x = alpha p b + beta x, where p has the pattern of a and the value one. If beta is
/// zero, x is ignored, even if it is NaN.
template <typename V, typename I>
void multiply_pattern(V alpha, const matrix::SparsityCsr<V, I>& a, const matrix::Dense<V>& b, V beta,
                      matrix::Dense<V>& x)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_const_col_idxs();
    const auto nnz = a.get_num_nonzeros();
    if (is_vector(b)) {
        const vector_sums<V, I, unit_values> sums_of{col_idxs, {}, b};
        combine_by(alpha, beta, [&](auto finish, auto add) { spmv_merge(row_ptrs, nnz, x, sums_of, finish, add); });
    } else {
        const column_sums<V, I, unit_values> sums_of{col_idxs, {}, b};
        spmv_merge_columns(&alpha, row_ptrs, nnz, sums_of, is_zero(beta) ? nullptr : &beta, x);
    }
}

template <typename V, typename I>
void spmv(const OmpExecutor&, const matrix::SparsityCsr<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    multiply_pattern(*a.get_const_value(), a, b, zero<V>(), x);
}

template <typename V, typename I>
void advanced_spmv(const OmpExecutor&, const matrix::Dense<V>& alpha, const matrix::SparsityCsr<V, I>& a,
                   const matrix::Dense<V>& b, const matrix::Dense<V>& beta, matrix::Dense<V>& x)
{
    const auto alpha_value = alpha.at(0, 0);
    const auto beta_value = beta.at(0, 0);
    if (is_zero(alpha_value)) {
        scale(beta_value, x);
    } else {
        multiply_pattern(multiply(alpha_value, *a.get_const_value()), a, b, beta_value, x);
    }
}

}  // namespace sparsity_csr

}  // namespace spruce::kernels::omp
