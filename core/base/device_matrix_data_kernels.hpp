// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/base/dim.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels for matrix entries in coordinate form: three arrays of equal length, which
/// IndexType can represent.
namespace spruce::kernels::device_matrix_data {

/// Lists orders of entries: none; sorted by row (by_row); sorted by row and by column within a row
/// (row_major).
enum class entry_order { none, by_row, row_major };

/// Checks that all indices are valid for size (is_inside) and determines the order of the entries.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(dim<2> size, const array<I>& row_idxs, const array<I>& col_idxs, bool& is_inside,
                                 entry_order& order)>
    check_order{"device_matrix_data::check_order"};

/// Sorts by row, then by column. Entries at the same position keep their order. All indices are
/// valid for size.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(dim<2> size, array<I>& row_idxs, array<I>& col_idxs, array<V>& values)> sort_row_major{
    "device_matrix_data::sort_row_major"};

/// Sums adjacent entries at the same position, from the first to the last.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(array<I>& row_idxs, array<I>& col_idxs, array<V>& values)> sum_duplicates{
    "device_matrix_data::sum_duplicates"};

/// Removes values that are exactly zero.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(array<I>& row_idxs, array<I>& col_idxs, array<V>& values)> remove_zeros{
    "device_matrix_data::remove_zeros"};

}  // namespace spruce::kernels::device_matrix_data
