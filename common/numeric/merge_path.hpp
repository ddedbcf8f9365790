// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include "common/numeric/partition_point.hpp"

namespace spruce::kernels {

/// Returns how many rows have ended before this item when the ends of the rows, which count row_weight each, and the entries are merged, each
/// entry before the end of its row: the merge path (Merrill and Garland 2016). Row i ends before entry ptrs[(i + 1) * stride].
template <typename I>
SPRUCE_HOST_DEVICE_INLINE size_type num_rows_ended(const I* ptrs, size_type num_rows, size_type item,
                                                   size_type row_weight, size_type stride = 1)
{
    return partition_point(size_type{}, num_rows, [=](size_type row) {
        return static_cast<size_type>(ptrs[(row + 1) * stride]) + row_weight * (row + 1) <= item;
    });
}

/// Returns where part number part of num_parts begins, in 0, ..., size.
inline size_type split_evenly(size_type size, size_type part, size_type num_parts)
{
    return size / num_parts * part + std::min(size % num_parts, part);
}

/// Names a place in a list of rows with entries: all rows before row are complete, and so are the entries before nz.
struct row_position {
    size_type row;
    size_type nz;
};

/// Returns the begin of a part when rows and entries together are distributed evenly: neither one dense row nor many empty
/// ones hold up a thread (the merge path of Merrill and Garland 2016). row_ptrs[row] <= nz <= row_ptrs[row + 1].
template <typename I>
row_position split_rows_and_entries(const I* row_ptrs, size_type num_rows, size_type part, size_type num_parts)
{
    const auto target = split_evenly(num_rows + static_cast<size_type>(row_ptrs[num_rows]), part, num_parts);
    const auto row = num_rows_ended(row_ptrs, num_rows, target, 1);
    return {row, target - row};
}

}  // namespace spruce::kernels
