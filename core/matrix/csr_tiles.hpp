// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

namespace spruce::matrix::csr {

/// Entries that one block of a GPU takes at a time in the strategies classical and load_balance: four for each of its
/// threads. On an H200 fewer leave too few loads in flight, and more take shared memory away from the first-level cache,
/// which holds the vector (2048 entries: 7-point 160^3 8 % slower; 512: 28 % slower).
template <typename ValueType>
constexpr int64 spmv_tile_entries = sizeof(ValueType) <= 8 ? 1024 : 512;

/// Entries and row ends together that a block takes in the strategy merge_path, which serves matrices whose entries lie all
/// over: there the cache counts for more (R-MAT scale 20: 5 % faster than with 1024 items).
template <typename ValueType>
constexpr int64 merge_path_tile_items = spmv_tile_entries<ValueType> / 2;

}  // namespace spruce::matrix::csr
