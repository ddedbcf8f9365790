// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

#include "core/base/kernel.hpp"

namespace spruce::kernels::sparsity_csr {

using matrix::Dense;
using matrix::Diagonal;
using matrix::SparsityCsr;

/// Computes x = a b. Shapes: a: m x n, b: n x k, x: m x k. x is overwritten and does not overlap b.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const SparsityCsr<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv{
    "sparsity_csr::spmv"};

/// Computes x = alpha a b + beta x with 1 x 1 alpha and beta. If alpha or beta is zero, its operand
/// is ignored, even if it contains NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const SparsityCsr<V, I>& a, const Dense<V>& b,
                                 const Dense<V>& beta, Dense<V>& x)>
    advanced_spmv{"sparsity_csr::advanced_spmv"};

/// Adds the value of a to d_i for each entry (i, i). d has min(m, n) entries, which are zero on
/// entry.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const SparsityCsr<V, I>& a, Diagonal<V>& d)> extract_diagonal{
    "sparsity_csr::extract_diagonal"};

/// Computes is_off_diagonal[k] = 1 for entries off the diagonal and 0 for those on it.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, const I* col_idxs, size_type nnz,
                                 I* is_off_diagonal)>
    mark_off_diagonal{"sparsity_csr::mark_off_diagonal"};

/// Removes the diagonal. positions[k] is the number of off-diagonal entries before entry k, for k =
/// 0, ..., nnz.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, const I* col_idxs, size_type nnz,
                                 const I* positions, I* new_row_ptrs, I* new_col_idxs)>
    drop_diagonal{"sparsity_csr::drop_diagonal"};

}  // namespace spruce::kernels::sparsity_csr
