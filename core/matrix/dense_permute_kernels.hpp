// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <type_traits>

#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels that select and reorder rows and columns of Dense. The indices in rows and
/// cols are valid for the operand to which they refer. Results do not overlap operands.
namespace spruce::kernels::dense {

using matrix::Dense;

/// Computes y_ij = x_{rows_i, j}.
template <typename V, typename Result, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const I* rows, Dense<Result>& y)> row_gather{"dense::row_gather"};

/// Defines the type of higher precision of two types that differ at most in precision.
template <typename V, typename Result>
using higher_precision = std::conditional_t<(sizeof(Result) > sizeof(V)), Result, V>;

/// Computes y_ij = alpha x_{rows_i, j} + beta y_ij with 1 x 1 alpha and beta. If alpha or beta is
/// zero, its operand is not read. The computation uses the higher of both precisions.
template <typename V, typename Result, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<higher_precision<V, Result>>& alpha, const Dense<V>& x, const I* rows,
                                 const Dense<higher_precision<V, Result>>& beta, Dense<Result>& y)>
    advanced_row_gather{"dense::advanced_row_gather"};

/// Computes y_ij = x_{rows_i, cols_j}. If rows or cols is null, that order does not change.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const I* rows, const I* cols, Dense<V>& y)> permute{
    "dense::permute"};

/// Computes y_{rows_i, cols_j} = x_ij. If rows or cols is null, that order does not change.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const I* rows, const I* cols, Dense<V>& y)> inverse_permute{
    "dense::inverse_permute"};

/// Computes y_ij = s_{rows_i} t_{cols_j} x_{rows_i, cols_j} with row factors s and column factors
/// t. If indices and factors are null, these rows or columns do not change.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const V* row_scale, const I* rows, const V* col_scale,
                                 const I* cols, Dense<V>& y)>
    scale_permute{"dense::scale_permute"};

/// Computes y_{rows_i, cols_j} = x_ij / (s_{rows_i} t_{cols_j}). This is the inverse of
/// scale_permute.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const V* row_scale, const I* rows, const V* col_scale,
                                 const I* cols, Dense<V>& y)>
    inverse_scale_permute{"dense::inverse_scale_permute"};

}  // namespace spruce::kernels::dense
