// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/base/partition_point.hpp"

namespace spruce::kernels {

/// How many rows have ended before this item when the ends of the rows, which count row_weight each, and the entries are merged, each
/// entry before the end of its row: the merge path (Merrill and Garland 2016). Row i ends before entry ptrs[(i + 1) * stride].
template <typename I>
SPRUCE_FN size_type num_rows_ended(const I* ptrs, size_type num_rows, size_type item, size_type row_weight,
                                   size_type stride = 1)
{
    return partition_point(size_type{}, num_rows, [=](size_type row) {
        return static_cast<size_type>(ptrs[(row + 1) * stride]) + row_weight * (row + 1) <= item;
    });
}

}  // namespace spruce::kernels
