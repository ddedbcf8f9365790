// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels of Diagonal. d is n x n with values d_i. Operands and results may be
/// identical, but must not overlap otherwise.
namespace spruce::kernels::diagonal {

using matrix::Coo;
using matrix::Csr;
using matrix::Dense;
using matrix::Diagonal;

/// Computes x_ij = d_i b_ij.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Diagonal<V>& d, const Dense<V>& b, Dense<V>& x)> scale_rows{
    "diagonal::scale_rows"};

/// Computes x_ij = b_ij / d_i.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Diagonal<V>& d, const Dense<V>& b, Dense<V>& x)> inv_scale_rows{
    "diagonal::inv_scale_rows"};

/// Computes x_ij = b_ij d_j.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Diagonal<V>& d, const Dense<V>& b, Dense<V>& x)> scale_columns{
    "diagonal::scale_columns"};

/// Computes x_ij = alpha d_i b_ij + beta x_ij with 1 x 1 alpha and beta. If alpha or beta is zero,
/// its operand is ignored, even if it contains NaN.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Diagonal<V>& d, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& x)>
    advanced_scale_rows{"diagonal::advanced_scale_rows"};

/// Computes a_ij = d_i a_ij.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Diagonal<V>& d, Csr<V, I>& a)> scale_csr_rows{"diagonal::scale_csr_rows"};

/// Computes a_ij = a_ij / d_i.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Diagonal<V>& d, Csr<V, I>& a)> inv_scale_csr_rows{
    "diagonal::inv_scale_csr_rows"};

/// Computes a_ij = a_ij d_j.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Diagonal<V>& d, Csr<V, I>& a)> scale_csr_columns{"diagonal::scale_csr_columns"};

/// Computes d_i += a_ii, where a_ii is the sum of all entries at that position. The order of
/// summation of three or more entries is not fixed.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, Diagonal<V>& d)> extract_from_csr{"diagonal::extract_from_csr"};
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Coo<V, I>& a, Diagonal<V>& d)> extract_from_coo{"diagonal::extract_from_coo"};
/// Computes d_i = a_ii.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& a, Diagonal<V>& d)> extract_from_dense{"diagonal::extract_from_dense"};

/// Computes result = true if an entry (row_idxs[k], col_idxs[k]) is off the diagonal.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_idxs, const I* col_idxs, size_type size, bool& result)> has_off_diagonal{
    "diagonal::has_off_diagonal"};

}  // namespace spruce::kernels::diagonal
