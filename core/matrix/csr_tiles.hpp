// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include <spruce/base/types.hpp>

namespace spruce::matrix::csr {

/// Number of entries that a block of a GPU processes at a time in the strategies classical and
/// load_balance: four for each of its threads. Smaller tiles leave too few loads in flight. Larger
/// tiles need more shared memory, which leaves less for the first-level cache of the vector
/// (doc/tuning/constants.md).
template <typename ValueType>
constexpr size_type spmv_tile_entries = sizeof(ValueType) <= 8 ? 1024 : 512;

/// Largest number of rows that the tiles of the strategy load_balance may have. Tiles have equally
/// many entries, so one with a long run of empty rows would delay its block. Matrices with such a
/// tile are multiplied by the merge path (doc/tuning/constants.md).
template <typename ValueType>
constexpr size_type max_rows_of_balanced_tile = 16 * spmv_tile_entries<ValueType>;

/// Returns the number of items (entries and row ends) that a block processes in the strategy
/// merge_path. Values of eight bytes have small tiles if several rows exceed a small tile and none
/// holds a large part of the entries, as in power-law graphs: their entries are scattered, and a
/// larger cache is more important than a larger tile (doc/tuning/csr.md).
template <typename ValueType>
constexpr size_type merge_path_tile_items(size_type nnz, size_type max_length)
{
    constexpr auto tile = spmv_tile_entries<ValueType>;
    constexpr size_type large_part = 64;
    return sizeof(ValueType) == 8 && max_length > tile / 2 && max_length <= nnz / large_part ? tile / 2 : tile;
}

/// Longest row that the strategy classical sums by one block (doc/tuning/csr.md).
template <typename ValueType>
constexpr size_type longest_whole_row = 16 * spmv_tile_entries<ValueType>;

/// Returns true if all rows are about as long as the longest, such as those of a grid with
/// boundaries (doc/tuning/csr.md).
constexpr bool is_regular(size_type mean_length, size_type max_length)
{
    return max_length <= mean_length + mean_length / 4;
}

/// Returns true if threads that each have a row and one or a few columns of x multiply the matrix
/// about as fast as tiles of the merge path: rows are short, or threads of a warp have rows of
/// about the same length. With few columns, a warp reads parts of many rows of the matrix, which
/// therefore must not be long, and the longest one delays it (doc/tuning/csr.md).
constexpr bool suits_threads_per_row(size_type mean_length, size_type max_length, size_type num_cols)
{
    constexpr size_type few_cols = 4;
    constexpr size_type short_row = 64;
    constexpr size_type longest_of_few_cols = 192;
    if (num_cols <= few_cols) {
        return max_length <= std::min(longest_of_few_cols, 4 * mean_length);
    }
    return mean_length <= short_row || max_length <= 2 * mean_length;
}

/// Describes the lengths of the rows of a matrix.
struct row_statistics {
    size_type num_rows;
    size_type nnz;
    size_type max_length;  ///< of a row, or more
};

/// Returns true if blocks of whole rows multiply the matrix about as fast as tiles of the merge
/// path. A row much longer than the mean delays its block. If rows exceed a tile, multiprocessors
/// idle while the last blocks run, unless each has several blocks one after the other
/// (doc/tuning/csr.md). The number of rows is not zero.
/// @param num_resident  number of tiles that the device processes at the same time
template <typename ValueType>
constexpr bool suits_whole_rows(const row_statistics& rows, size_type num_resident)
{
    constexpr size_type short_row = 64;
    // Bounds the idle time of the last round of blocks (doc/tuning/constants.md).
    constexpr size_type min_blocks_in_sequence = 8;
    const auto mean = rows.nnz / rows.num_rows + 1;
    const auto has_long_row = rows.max_length > std::max<size_type>(short_row, 8 * mean);
    const auto exceeds_tile = rows.max_length > spmv_tile_entries<ValueType>;
    return !has_long_row && !(exceeds_tile && rows.max_length * num_resident * min_blocks_in_sequence > rows.nnz);
}

/// Largest number of columns of a pass by blocks of whole rows, or by tiles with equal numbers of
/// entries. Products with more columns by whole rows have a thread for each row and column
/// (doc/tuning/csr.md).
constexpr size_type max_whole_row_cols = 2;

/// Returns true if a product with num_cols columns distributes whole rows, and false if it
/// distributes tiles of the merge path (doc/tuning/csr.md). Whole rows must not delay blocks or,
/// with more columns, threads. Without a strategy that chooses the rows of each block, rows have to
/// be about equally long, too.
/// @param num_resident  number of tiles that the device processes at the same time
/// @param has_strategy  a strategy asks for whole rows
template <typename ValueType>
constexpr bool distributes_whole_rows(const row_statistics& rows, size_type num_cols, size_type num_resident,
                                      bool has_strategy)
{
    if (rows.num_rows == 0) {
        return true;
    }
    if (!has_strategy && !is_regular((rows.nnz + rows.num_rows - 1) / rows.num_rows, rows.max_length)) {
        return false;
    }
    if (has_strategy && num_cols <= max_whole_row_cols) {
        return rows.max_length <= longest_whole_row<ValueType>;
    }
    return suits_whole_rows<ValueType>(rows, num_resident) &&
           (num_cols <= max_whole_row_cols ||
            suits_threads_per_row(rows.nnz / rows.num_rows + 1, rows.max_length, num_cols));
}

/// Returns the number of rows of a block in the strategy classical if it is equal for all blocks.
/// The rows of a block fill a tile. If all rows are about as long as the longest, rows of that
/// length have to fit. Otherwise the tile has room for rows slightly longer than the mean
/// (doc/tuning/csr.md).
template <typename ValueType>
constexpr size_type rows_per_block(size_type mean_length, size_type max_length)
{
    constexpr size_type max_rows = 512;  // bound for almost empty rows
    const auto typical_length =
        is_regular(mean_length, max_length) ? std::max(mean_length, max_length) : mean_length + mean_length / 8;
    return std::min(std::max<size_type>(spmv_tile_entries<ValueType> / std::max<size_type>(typical_length, 1), 1),
                    max_rows);
}

/// Returns the number of items that determine the rows of a block if rows are chosen for each
/// block. This happens if too many blocks with equal numbers of rows would exceed a tile
/// (doc/tuning/csr.md). Items are entries and row ends. A block processes the rows that end within
/// its items. Row ends count so that no block has too many empty rows. With the preceding entries
/// of its first row, a block has at most chosen_block_items + max_length items. At most max_length
/// in max_length + 1 of them are entries.
template <typename ValueType>
constexpr size_type chosen_block_items(size_type max_length)
{
    constexpr size_type tile = spmv_tile_entries<ValueType>;
    // Blocks with a longer row may exceed a tile.
    const auto row_capacity = std::min(std::max<size_type>(max_length, 1), tile / 4);
    return tile + tile / row_capacity - row_capacity;
}
/// Rows are chosen for each block if more than one in this many blocks would exceed a tile
/// (doc/tuning/csr.md).
constexpr size_type blocks_per_oversized_one = 20;

}  // namespace spruce::matrix::csr
