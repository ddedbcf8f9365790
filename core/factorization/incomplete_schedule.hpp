// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>

#include "core/components/row_chains.hpp"

namespace spruce::factorization::detail {

/// Holds what the analysis of a pattern finds for incomplete factorizations in it. A row is in a
/// later level than the rows on which it depends. Each backend fills what it uses.
template <typename IndexType>
struct incomplete_schedule {
    explicit incomplete_schedule(std::shared_ptr<const Executor> exec)
        : diagonal{exec},
          positions{exec},
          order{exec},
          slot_ptrs{exec},
          slot_rows{exec},
          col_ptrs{exec},
          col_rows{exec},
          col_entries{exec}
    {}

    array<IndexType> diagonal;  ///< entry (i, i) of each row i

    spruce::detail::row_chains chains;  ///< on CPUs
    /// Has, for each thread of a CPU, an entry of each column: of the last row in which the thread
    /// met the column, or -1.
    mutable array<IndexType> positions;

    array<IndexType> order;  ///< rows, level by level, on GPUs
    // GPUs compute rows or, if they are long, entries. The position of a row is its index in order.
    // A row has one slot, a long row has one for each group of adjacent entries. Both arrays are
    // empty if no row is long.
    array<IndexType> slot_ptrs;  ///< number of slots before the row at each position
    array<IndexType> slot_rows;  ///< the row of each slot or, if it is long, -1 minus its position

    // The entries of the strict upper triangle by columns; empty for Hermitian matrices, and if no
    // row is long.
    array<IndexType> col_ptrs;
    array<IndexType> col_rows;
    array<IndexType> col_entries;
};

}  // namespace spruce::factorization::detail
