// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/array.hpp>

#include "core/components/level_stages.hpp"

namespace spruce::factorization::detail {

/// Holds what the analysis of a pattern finds for incomplete factorizations in it. A row is in a
/// later level than the rows on which it depends. Each backend fills what it uses.
template <typename IndexType>
struct incomplete_schedule {
    explicit incomplete_schedule(std::shared_ptr<const Executor> exec)
        : diagonal{exec},
          order{exec},
          entry_ptrs{exec},
          chunk_positions{exec},
          col_ptrs{exec},
          col_rows{exec},
          col_entries{exec}
    {}

    array<IndexType> diagonal;  ///< entry (i, i) of each row i
    size_type num_levels{};
    array<IndexType> order;  ///< rows, level by level; on CPUs empty for the order of the rows
    /// Contains parts of order, one after the other, on CPUs; empty for the order of the rows.
    std::vector<spruce::detail::level_stage> stages;

    // GPUs distribute the entries in the order of levels in chunks of one entry for each lane of a
    // warp. The position of a row is its index in order.
    array<IndexType> entry_ptrs;       ///< number of entries before the row at each position
    array<IndexType> chunk_positions;  ///< of the rows with the first entry of each chunk, and the last position

    // The entries of the strict upper triangle by columns; empty for Hermitian matrices.
    array<IndexType> col_ptrs;
    array<IndexType> col_rows;
    array<IndexType> col_entries;
};

}  // namespace spruce::factorization::detail
