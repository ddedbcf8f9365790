// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

namespace spruce::kernels::csr {

using matrix::Csr;
using matrix::Dense;

/// x = a b.  a: m x n, b: n x k, x: m x k. x is overwritten and does not overlap b.
/// Columns within a row need not be sorted. Sums are taken in ValueType.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv{"csr::spmv"};

/// x = alpha a b + beta x with 1 x 1 alpha and beta; where one is zero its operand does not count, NaN or not.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& x)>
    advanced_spmv{"csr::advanced_spmv"};

/// Adds the entries to x.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, Dense<V>& x)> fill_in_dense{"csr::fill_in_dense"};

/// b = a^T with sorted columns; b has the right size already.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, Csr<V, I>& b)> transpose{"csr::transpose"};

/// b = conj(a)^T with sorted columns
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, Csr<V, I>& b)> conj_transpose{"csr::conj_transpose"};

/// Sorts each row by column; equal columns keep their order.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(Csr<V, I>& a)> sort_by_column_index{"csr::sort_by_column_index"};

template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, bool& is_sorted)> is_sorted_by_column_index{
    "csr::is_sorted_by_column_index"};

/// longest = the length of the longest row
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, size_type& longest)> longest_row{
    "csr::longest_row"};

/// count = the groups of rows_per_group rows, of which the last one may have fewer, with more than max_entries entries
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, size_type rows_per_group, size_type max_entries,
                                 size_type& count)>
    count_oversized_groups{"csr::count_oversized_groups"};

/// For products that deal entries out in tiles: start_rows[i] = the number of rows that are used up within the first
/// i * items_per_tile items, where the items are the entries, and with row_weight 1 the row ends too (with weight 0 they
/// count nothing): rows r with row_ptrs[r + 1] + row_weight (r + 1) <= i items_per_tile. And start_entries[i] =
/// row_ptrs[start_rows[i]], unless it is null.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, size_type items_per_tile, size_type row_weight,
                                 I* start_rows, I* start_entries, size_type num_starts)>
    find_start_rows{"csr::find_start_rows"};

}  // namespace spruce::kernels::csr
