// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <type_traits>

#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Kernels that pick and reorder rows and columns of Dense. rows and cols hold indices below the number of rows and columns
/// of what they index; results do not overlap operands.
namespace spruce::kernels::dense {

using matrix::Dense;

/// y_ij = x_{rows_i, j}
template <typename V, typename Result, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const I* rows, Dense<Result>& y)> row_gather{"dense::row_gather"};

/// Of two types that differ in precision at most.
template <typename V, typename Result>
using higher_precision = std::conditional_t<(sizeof(Result) > sizeof(V)), Result, V>;

/// y_ij = alpha x_{rows_i, j} + beta y_ij with 1 x 1 alpha and beta; where one is zero its operand is not read.
/// Computed in the higher of both precisions.
template <typename V, typename Result, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<higher_precision<V, Result>>& alpha, const Dense<V>& x, const I* rows,
                                 const Dense<higher_precision<V, Result>>& beta, Dense<Result>& y)>
    advanced_row_gather{"dense::advanced_row_gather"};

/// y_ij = x_{rows_i, cols_j}; null instead of rows or cols leaves the order as it is
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const I* rows, const I* cols, Dense<V>& y)> permute{
    "dense::permute"};

/// y_{rows_i, cols_j} = x_ij; null instead of rows or cols leaves the order as it is
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const I* rows, const I* cols, Dense<V>& y)> inverse_permute{
    "dense::inverse_permute"};

/// y_ij = s_{rows_i} t_{cols_j} x_{rows_i, cols_j} with factors s of rows and t of columns; null instead of indices and
/// factors leaves rows or columns as they are
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const V* row_scale, const I* rows, const V* col_scale,
                                 const I* cols, Dense<V>& y)>
    scale_permute{"dense::scale_permute"};

/// y_{rows_i, cols_j} = x_ij / (s_{rows_i} t_{cols_j}): undoes scale_permute
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& x, const V* row_scale, const I* rows, const V* col_scale,
                                 const I* cols, Dense<V>& y)>
    inverse_scale_permute{"dense::inverse_scale_permute"};

}  // namespace spruce::kernels::dense
