// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/base/dim.hpp>

#include "core/base/kernel.hpp"

/// Triples in three arrays of the same length, which the index type can count.
namespace spruce::kernels::device_matrix_data {

/// Orders of triples: none; rows ascend (by_row); rows ascend, and columns within a row (row_major).
enum class entry_order { none, by_row, row_major };

/// Finds out whether all indices are inside of size, and in which order the triples are.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(dim<2> size, const array<I>& row_idxs, const array<I>& col_idxs, bool& is_inside,
                                 entry_order& order)>
    check_order{"device_matrix_data::check_order"};

/// Sorts by row, then column; triples at the same place keep their order. All indices are inside of size.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(dim<2> size, array<I>& row_idxs, array<I>& col_idxs, array<V>& values)> sort_row_major{
    "device_matrix_data::sort_row_major"};

/// Adds up neighbours at the same place, from the first to the last.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(array<I>& row_idxs, array<I>& col_idxs, array<V>& values)> sum_duplicates{
    "device_matrix_data::sum_duplicates"};

/// Leaves out values that are exactly zero.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(array<I>& row_idxs, array<I>& col_idxs, array<V>& values)> remove_zeros{
    "device_matrix_data::remove_zeros"};

}  // namespace spruce::kernels::device_matrix_data
