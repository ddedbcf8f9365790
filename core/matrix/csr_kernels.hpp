// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

namespace spruce::kernels::csr {

using matrix::Csr;
using matrix::Dense;

/// Computes x = a b. Shapes: a: m x n, b: n x k, x: m x k. x is overwritten and does not overlap b.
/// Column indices within a row need not be sorted. Sums are accumulated in ValueType.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Dense<V>& b, Dense<V>& x)> spmv{"csr::spmv"};

/// Computes x = alpha a b + beta x with 1 x 1 alpha and beta. If alpha or beta is zero, its operand
/// is ignored, even if it contains NaN.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& b, const Dense<V>& beta,
                                 Dense<V>& x)>
    advanced_spmv{"csr::advanced_spmv"};

/// Adds the entries of a to x.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, Dense<V>& x)> fill_in_dense{"csr::fill_in_dense"};

/// Computes b = a^T with sorted column indices. b has the right size already.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, Csr<V, I>& b)> transpose{"csr::transpose"};

/// Computes b = conj(a)^T with sorted column indices. b has the right size already.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, Csr<V, I>& b)> conj_transpose{"csr::conj_transpose"};

/// Computes the transpose of a pattern of nnz entries, sorted by column within rows. Entries with
/// equal row and column indices keep their order.
/// @param positions  null, or the result: entry k was entry positions[k] before
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const dim<2>& size, size_type nnz, const I* row_ptrs, const I* col_idxs,
                                 I* new_row_ptrs, I* new_col_idxs, I* positions)>
    transpose_pattern{"csr::transpose_pattern"};

/// Sorts each row by column index. Entries with equal column indices keep their order.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(Csr<V, I>& a)> sort_by_column_index{"csr::sort_by_column_index"};

/// Computes is_sorted = true if the column indices of each row are in ascending order.
/// @param strictly  no column may occur twice in a row
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, bool strictly, bool& is_sorted)> is_sorted_by_column_index{
    "csr::is_sorted_by_column_index"};

/// Computes max_length = the number of entries in the longest row.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, size_type& max_length)> compute_max_row_length{
    "csr::compute_max_row_length"};

/// Computes count = the number of groups with more than max_entries entries. A group consists of
/// rows_per_group consecutive rows; the last one may have fewer.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, size_type rows_per_group, size_type max_entries,
                                 size_type& count)>
    count_oversized_groups{"csr::count_oversized_groups"};

/// Finds the first row of each tile for products that distribute entries in tiles of equal size.
/// The items are the entries and, if row_weight is 1, the row ends. With row_weight 0 only entries
/// count. start_rows[i] is the number of rows that end within the first i * items_per_tile items.
/// These are the rows r with row_ptrs[r + 1] + row_weight (r + 1) <= i items_per_tile. Sets
/// start_entries[i] = row_ptrs[start_rows[i]] unless start_entries is null.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, size_type items_per_tile, size_type row_weight,
                                 I* start_rows, I* start_entries, size_type num_starts)>
    find_start_rows{"csr::find_start_rows"};

}  // namespace spruce::kernels::csr
