// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>

#include "core/components/row_chains.hpp"

namespace spruce::solver::detail {

/// Holds the symbolic analysis of a triangular matrix, which later solves use. Levels are sets of
/// rows that do not depend on each other: the level of a row is one more than the largest level of
/// the rows on which it depends. Each backend fills the members that its solves use.
template <typename ValueType, typename IndexType>
struct triangular_schedule {
    explicit triangular_schedule(std::shared_ptr<const Executor> exec)
        : found_row{exec, 1},
          diagonal{exec},
          boundaries{exec},
          order{exec},
          slice_rows{exec},
          slice_ptrs{exec},
          slice_lanes{exec},
          polled_positions{exec},
          positions{exec},
          sources{exec},
          values{exec},
          inverse_diagonal{exec}
    {}

    array<IndexType> found_row;  ///< the result of a check
    array<IndexType> diagonal;   ///< entry (i, i) of each row i; empty if the diagonal is one of ones

    size_type num_entries{};  ///< number of stored elements of the matrix

    // CPUs process chains of rows. If the entries of each row are those of the lower triangle, at
    // most one on the diagonal, and those of the upper triangle, boundaries has the end (lower) or
    // the begin (upper) of the entries beside the diagonal. Otherwise it is empty.
    array<IndexType> boundaries;
    spruce::detail::row_chains chains;

    bool is_solved_in_block{};  ///< by a block of a GPU, in the order of the rows. The members below are empty then
    bool avoids_blocks{};       ///< is set by tests before the analysis
    array<IndexType> order;     ///< rows, level by level
    // GPUs store the triangle in the order of levels. The position of a row is its index in order.
    // A slice has adjacent positions. Its entries are stored like those of Sellp: the first entry
    // of each of its rows, then the second ones. If a row is processed by several lanes, it has as
    // many entries at once. Entries that depend on rows of the same slice are the last ones.
    array<IndexType> slice_rows;        ///< first position of each slice, and the number of rows
    array<int64> slice_ptrs;            ///< first entry of each slice, and the number of entries
    array<IndexType> slice_lanes;       ///< number of lanes that process a row
    array<IndexType> polled_positions;  ///< a position whose value precedes those that the slice needs, or -1
    array<IndexType> positions;         ///< positions of the columns; -1 for padding
    array<IndexType> sources;           ///< the entry of the matrix of each entry but padding
    array<ValueType> values;            ///< entries of the strict triangle
    array<ValueType> inverse_diagonal;  ///< by position
};

}  // namespace spruce::solver::detail
