// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::detail {

/// Holds an order in which the threads of a CPU process rows that depend on each other. A chain has
/// adjacent rows, each of which depends on the one before. A stage is what the threads do between
/// two barriers; each thread processes one part of it. Chains in different parts of a stage do not
/// depend on each other.
struct row_chains {
    struct chain {
        size_type begin;  ///< position of the first row: rows are counted in the order of substitution
        size_type end;
    };

    /// Returns true if one thread should process the rows in their own order.
    bool is_sequential() const { return part_ptrs.empty(); }

    std::vector<chain> chains;         ///< stage by stage, part by part
    std::vector<size_type> part_ptrs;  ///< first chain of each part of each stage, and the number of chains
    size_type num_parts{};             ///< of a stage, one for each thread
};

}  // namespace spruce::detail
