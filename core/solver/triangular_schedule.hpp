// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/array.hpp>

#include "core/components/level_stages.hpp"

namespace spruce::solver::detail {

/// Holds what the analysis of a triangle finds for later solves. Levels are sets of rows that do
/// not depend on each other: the level of a row is one more than the largest level of the rows on
/// which it depends. Each backend fills what its solves use.
template <typename ValueType, typename IndexType>
struct triangular_schedule {
    explicit triangular_schedule(std::shared_ptr<const Executor> exec)
        : found_row{exec, 1},
          diagonal{exec},
          order{exec},
          slice_rows{exec},
          slice_ptrs{exec},
          slice_lanes{exec},
          slice_gates{exec},
          positions{exec},
          sources{exec},
          values{exec},
          inverse_diagonal{exec}
    {}

    array<IndexType> found_row;  ///< the result of a check
    array<IndexType> diagonal;   ///< entry (i, i) of each row i; empty if the diagonal is one of ones

    size_type num_levels{};
    array<IndexType> order;  ///< rows, level by level
    /// Contains parts of order, one after the other, on CPUs; empty for the order of the rows.
    std::vector<spruce::detail::level_stage> stages;

    // GPUs store the triangle in the order of levels. The position of a row is its index in order.
    // A slice has adjacent positions. Its entries are stored like those of Sellp: the first entry
    // of each of its rows, then the second ones. If a row is processed by several lanes, it has as
    // many entries at once. Entries that depend on rows of the same slice are the last ones.
    array<IndexType> slice_rows;        ///< first position of each slice, and the number of rows
    array<int64> slice_ptrs;            ///< first entry of each slice, and the number of entries
    array<IndexType> slice_lanes;       ///< number of lanes that process a row
    array<IndexType> slice_gates;       ///< a position whose value precedes those that the slice needs, or -1
    array<IndexType> positions;         ///< positions of the columns; -1 for padding
    array<IndexType> sources;           ///< the entry of the matrix of each entry but padding
    array<ValueType> values;            ///< entries of the strict triangle
    array<ValueType> inverse_diagonal;  ///< by position
};

}  // namespace spruce::solver::detail
