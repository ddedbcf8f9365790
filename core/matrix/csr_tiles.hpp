// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include <spruce/base/types.hpp>

namespace spruce::matrix::csr {

/// Entries that one block of a GPU takes at a time in the strategies classical and load_balance: four for each of its
/// threads. On an H200 fewer leave too few loads in flight, and more take shared memory away from the first-level cache,
/// which holds the vector (2048 entries: 7-point 160^3 8 % slower; 512: 28 % slower).
template <typename ValueType>
constexpr size_type spmv_tile_entries = sizeof(ValueType) <= 8 ? 1024 : 512;

/// Entries and row ends together that a block takes in the strategy merge_path, which serves matrices whose entries lie all
/// over: there the cache counts for more (R-MAT scale 20: 5 % faster than with 1024 items).
template <typename ValueType>
constexpr size_type merge_path_tile_items = spmv_tile_entries<ValueType> / 2;

/// Whether all rows are about as long as the longest, as at the borders of a grid.
constexpr bool is_regular(size_type mean_length, size_type longest) { return longest <= mean_length + mean_length / 4; }

/// Rows of a block in the strategy classical where all blocks have the same number: as many as fill a tile. Where all rows are
/// about as long as the longest it is that which has to fit; otherwise there is room for a little more than the mean.
template <typename ValueType>
constexpr size_type rows_per_block(size_type mean_length, size_type longest)
{
    constexpr size_type most = 512;  // rows that are almost empty
    const auto usual =
        is_regular(mean_length, longest) ? std::max(mean_length, longest) : mean_length + mean_length / 8;
    return std::min(std::max<size_type>(spmv_tile_entries<ValueType> / std::max<size_type>(usual, 1), 1), most);
}

/// Where too many of these blocks would have more than a tile, which takes them twice as long, the rows of each block are chosen: those
/// whose ends are among so many items, entries and row ends together. Row ends count so that no block has too many empty
/// rows. With what the first row has before these items, that is chosen_block_items + longest items, of which at most
/// longest in longest + 1 are entries.
template <typename ValueType>
constexpr size_type chosen_block_items(size_type longest)
{
    constexpr size_type tile = spmv_tile_entries<ValueType>;
    // Blocks with a longer row may have more than a tile.
    const auto room = std::min(std::max<size_type>(longest, 1), tile / 4);
    return tile + tile / room - room;
}
/// One block in so many may have more than a tile before rows are chosen.
constexpr size_type blocks_per_oversized_one = 20;

}  // namespace spruce::matrix::csr
