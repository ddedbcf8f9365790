// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include "common/numeric/partition_point.hpp"

namespace spruce::kernels {

/// Returns the number of rows that have ended before an item of the merge path (Merrill and Garland
/// 2016). The path merges the entries and the ends of the rows, each entry before the end of its
/// row. An end of a row counts row_weight. Row i ends before entry ptrs[(i + 1) * stride].
template <typename I>
SPRUCE_HOST_DEVICE_INLINE size_type num_rows_ended(const I* ptrs, size_type num_rows, size_type item,
                                                   size_type row_weight, size_type stride = 1)
{
    return partition_point(size_type{}, num_rows, [=](size_type row) {
        return static_cast<size_type>(ptrs[(row + 1) * stride]) + row_weight * (row + 1) <= item;
    });
}

/// Returns the begin of part number part of num_parts, in 0, ..., size.
inline size_type split_evenly(size_type size, size_type part, size_type num_parts)
{
    return size / num_parts * part + std::min(size % num_parts, part);
}

/// Represents a position in a list of rows with entries. All rows before row and all entries before
/// nz are complete.
struct row_position {
    size_type row;
    size_type nz;
};

/// Returns the begin of a part if rows and entries together are distributed evenly. Neither one
/// dense row nor many empty rows delay a thread (the merge path of Merrill and Garland 2016).
/// @return row and nz with row_ptrs[row] <= nz <= row_ptrs[row + 1]
template <typename I>
row_position split_rows_and_entries(const I* row_ptrs, size_type num_rows, size_type part, size_type num_parts)
{
    const auto target = split_evenly(num_rows + static_cast<size_type>(row_ptrs[num_rows]), part, num_parts);
    const auto row = num_rows_ended(row_ptrs, num_rows, target, 1);
    return {row, target - row};
}

}  // namespace spruce::kernels
