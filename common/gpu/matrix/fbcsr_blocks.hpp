// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Converts between Fbcsr and Csr. Block rows are distributed in tiles of about equally many
// entries. A block of threads processes each tile in shared memory. Block rows with more entries
// than a tile are long. They are divided into parts of about equally many entries, each of which
// has a range of columns, and a block of threads processes each part. All block rows are treated as
// long if blocks have more rows than a warp has lanes.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/bit_map.hpp"
#include "common/gpu/matrix/fbcsr_spmv.hpp"
#include "common/numeric/merge_rows.hpp"
#include "core/matrix/fbcsr_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace fbcsr {

using matrix::Csr;

namespace kernel {

/// A tile consists of the block rows that end within so many items, which are entries and ends of
/// block rows. A long block row has more entries, so that it can only be the first of a tile
/// (doc/tuning/fbcsr.md).
constexpr int items_per_tile = 1024;
constexpr int max_entries_per_tile = 2 * items_per_tile;

/// Views the rows of Csr as block rows.
/// @tparam BlockSize  a constant, or int
template <typename BlockSize, typename I>
struct block_row_view {
    __device__ __forceinline__ I begin_of(size_type block_row) const { return row_ptrs[block_row * block_size]; }
    __device__ __forceinline__ I length_of(size_type block_row) const
    {
        return this->begin_of(block_row + 1) - this->begin_of(block_row);
    }
    __device__ __forceinline__ bool is_long(size_type block_row) const
    {
        return this->length_of(block_row) > items_per_tile;
    }
    __device__ __forceinline__ I block_col_of(I col) const
    {
        using U = std::make_unsigned_t<I>;  // unsigned divisions take fewer instructions
        return static_cast<I>(static_cast<U>(col) / static_cast<U>(block_size));
    }

    size_type size;
    BlockSize block_size;
    const I* row_ptrs;
};

/// Describes the block rows of a tile, except a long one.
struct block_row_range {
    /// Determines the range.
    /// @param tile_ptrs  the first block row of each tile, and the total number of block rows
    template <typename BlockSize, typename I>
    __device__ __forceinline__ block_row_range(const block_row_view<BlockSize, I>& block_rows, const I* tile_ptrs)
        : first{static_cast<size_type>(tile_ptrs[blockIdx.x])}, last{static_cast<size_type>(tile_ptrs[blockIdx.x + 1])}
    {
        if (first < last && block_rows.is_long(first)) {
            has_long = true;
            ++first;
        }
    }

    size_type first;
    size_type last;
    bool has_long{};  // first - 1
};

/// Selects the type of an entry's position relative to its tile. A small type moves less memory.
template <typename BlockSize>
struct position_traits {
    using type = uint16;
    static_assert(max_entries_per_tile * BlockSize::value * BlockSize::value < (1 << 16), "positions fit 16 bits");
};
template <>
struct position_traits<int> {
    using type = int32;
};
template <typename BlockSize>
using position_type = typename position_traits<BlockSize>::type;

/// Represents a list to which threads append in any order.
template <typename T>
struct device_list {
    /// Reserves num elements.
    /// @return the position of the first of them
    __device__ __forceinline__ T* append(int32 num) const { return elements + atomicAdd(size, num); }

    T* elements;
    int32* size;
};

/// Represents the blocks of a long block row in a range of its columns. A block row has parts of
/// equal numbers of columns. They are adjacent in the list of parts.
template <typename I>
struct block_row_part {
    I block_row;
    I number;      // in the block row
    I begin;       // in block_search::block_cols
    I num_blocks;  // is found with begin
};
/// Number of entries of a part if they are distributed evenly (doc/tuning/fbcsr.md).
constexpr int entries_per_part = 4096;
SPRUCE_HOST_DEVICE_INLINE constexpr size_type num_parts_of(size_type num_entries)
{
    return (num_entries + entries_per_part - 1) / entries_per_part;
}

/// Represents up to blocks_per_segment blocks of a part.
struct part_segment {
    int32 part;
    int32 first;  // index in the part
};
/// Long block rows are filled in segments of about so many values (doc/tuning/fbcsr.md).
constexpr int values_per_segment = 4096;
constexpr int max_blocks_per_segment = values_per_segment / 4;
SPRUCE_HOST_DEVICE_INLINE constexpr int blocks_per_segment(int block_size)
{
    return block_size == 1 ? max_blocks_per_segment
                           : static_cast<int>(ceildiv(values_per_segment, block_size * block_size));
}

/// Holds the input and the results of the search for blocks.
template <typename BlockSize, typename I>
struct block_search {
    /// Returns the position of an entry.
    /// @param block  index in the tile or in the block row
    __device__ __forceinline__ int position_of(int block, int row_in_block, I col_in_block) const
    {
        return (block * block_rows.block_size + static_cast<int>(col_in_block)) * block_rows.block_size + row_in_block;
    }

    block_row_view<BlockSize, I> block_rows;
    int64 num_block_cols;
    const I* col_idxs;
    I* counts;
    I* block_cols;                         // of a tile, or of a part
    position_type<BlockSize>* positions;   // except for entries of long block rows
    device_list<block_row_part<I>> parts;  // of long block rows
    device_list<part_segment> segments;    // of parts
    int32* is_unsorted;
};

/// Lists the parts of a long block row.
/// @param rank  of this thread among num_threads, all of which call it
/// @param first_part  of the list, reserved for this block row
template <typename BlockSize, typename I>
__device__ __forceinline__ void list_parts(const block_search<BlockSize, I>& search, size_type block_row,
                                           block_row_part<I>* first_part, size_type num_parts, int rank,
                                           int num_threads)
{
    if (rank == 0) {
        search.counts[block_row] = 0;
    }
    for (size_type i = rank; i < num_parts; i += num_threads) {
        first_part[i] = {static_cast<I>(block_row), static_cast<I>(i), I{}, I{}};
    }
}

/// Lists the blocks of a block row if all of them are full; otherwise nothing is changed. A warp
/// calls it.
/// @param row_ptrs  of the block row's first row
/// @param entries  columns of its entries, which are replaced by their positions
/// @param count  number of blocks
/// @return true if all blocks are full
template <typename BlockSize, typename I>
__device__ __forceinline__ bool list_full_blocks(const group::thread_block_tile<warp_size>& warp,
                                                 const block_search<BlockSize, I>& search, const I* row_ptrs,
                                                 I* entries, I* found, int& count)
{
    const int bs = search.block_rows.block_size;
    const auto length = static_cast<int>(row_ptrs[1] - row_ptrs[0]);
    count = length / bs;
    auto is_full = count * bs == length;
    for (int i = 1; i < bs; ++i) {
        is_full = is_full && row_ptrs[i + 1] - row_ptrs[i] == length;
    }
    if (!is_full) {
        return false;
    }
    for (int i = warp.thread_rank(); i < length; i += warp_size) {
        const auto col = entries[i];
        const auto j = i % bs;
        const auto first_col = entries[i - j];
        auto matches = search.block_rows.block_col_of(first_col) * bs == first_col;
        matches &= col == first_col + j;
        matches &= i == 0 || entries[max(i - 1, 0)] < col;
        for (int row = 1; row < bs; ++row) {
            matches &= entries[row * length + i] == col;
        }
        is_full &= matches;
    }
    if (!warp.all(is_full)) {
        return false;
    }
    for (int i = warp.thread_rank(); i < count; i += warp_size) {
        found[i] = search.block_rows.block_col_of(entries[i * bs]);
    }
    warp.sync();
    for (int i = warp.thread_rank(); i < length; i += warp_size) {
        for (int row = 0; row < bs; ++row) {
            entries[row * length + i] = search.position_of(0, row, i);
        }
    }
    return true;
}

/// Finds the blocks of a block row by merging the entries of all its rows. One thread calls it
/// (doc/tuning/fbcsr.md).
/// @param row_ptrs  of the block row's first row
/// @param entries  columns of the entries begin, begin + 1, ..., which are replaced by their
///     positions in the block row
/// @param is_sorted  becomes false if columns do not ascend strictly in a row
/// @return the number of blocks
template <typename BlockSize, typename I>
__device__ __forceinline__ int list_blocks(const block_search<BlockSize, I>& search, const I* row_ptrs, I begin,
                                           I* entries, I* found, bool& is_sorted)
{
    int count = 0;
    I block_col = -1;
    merge_rows<BlockSize::value, int>(row_ptrs, begin, entries, [&](int row, int i, I col, I next_col) {
        const auto new_block_col = search.block_rows.block_col_of(col);
        count += new_block_col != block_col ? 1 : 0;
        block_col = new_block_col;
        found[count - 1] = block_col;
        is_sorted &= col < next_col;
        entries[i] = search.position_of(count - 1, row, col - block_col * BlockSize::value);
    });
    return count;
}

/// Finds the blocks of a block row, one block column after the other, with one thread for each row.
template <int subwarp_size, typename I>
__device__ __forceinline__ int list_blocks(const group::thread_block_tile<subwarp_size>& subwarp,
                                           const block_search<int, I>& search, const I* row_ptrs, I begin, I* entries,
                                           I* found, bool& is_sorted)
{
    const auto bs = search.block_rows.block_size;
    const auto row = subwarp.thread_rank();
    auto cursor = row < bs ? static_cast<int>(row_ptrs[row] - begin) : 0;
    const auto end = row < bs ? static_cast<int>(row_ptrs[row + 1] - begin) : 0;
    auto col = cursor < end ? entries[cursor] : no_col<I>;
    for (int count = 0;; ++count) {
        const auto lowest = reduce(subwarp, col, [](I a, I b) { return b < a ? b : a; });
        if (lowest == no_col<I>) {
            return count;
        }
        const auto block_col = search.block_rows.block_col_of(lowest);
        if (row == 0) {
            found[count] = block_col;
        }
        while (col - block_col * bs < bs) {
            const auto next = cursor + 1 < end ? entries[cursor + 1] : no_col<I>;
            is_sorted = is_sorted && col < next;
            entries[cursor] = search.position_of(count, row, col - block_col * bs);
            ++cursor;
            col = next;
        }
    }
}

/// Threads of a block of `find_in_tile` (doc/tuning/fbcsr.md).
constexpr int find_block_size = 128;

/// Replaces the number of blocks in each block row of a tile by the number of blocks before it. A
/// warp is enough, since there are few block rows.
/// @param counts  one more than block rows; the last becomes the number of the tile's blocks
/// @param all_counts  receives the original counts
template <typename I>
__device__ __forceinline__ void number_blocks(const group::thread_block_tile<warp_size>& warp, int num_block_rows,
                                              int* counts, I* all_counts)
{
    int num_before{};
    for (int first = 0; first < num_block_rows; first += warp_size) {
        const auto block_row = first + static_cast<int>(warp.thread_rank());
        const auto count = block_row < num_block_rows ? counts[block_row] : 0;
        const auto inclusive_sum = num_before + inclusive_scan(warp, count);
        if (block_row < num_block_rows) {
            all_counts[block_row] = static_cast<I>(count);
            counts[block_row] = inclusive_sum - count;
        }
        num_before = warp.shfl(inclusive_sum, warp_size - 1);
    }
    if (warp.thread_rank() == 0) {
        counts[num_block_rows] = num_before;
    }
}

/// Finds the blocks of a tile, and lists its long block row if it has one.
template <int subwarp_size, typename BlockSize, typename I>
__global__ __launch_bounds__(find_block_size) void find_in_tile(block_search<BlockSize, I> search, const I* tile_ptrs)
{
    __shared__ I entries[max_entries_per_tile];
    __shared__ I found[max_entries_per_tile];
    __shared__ int counts[items_per_tile + 1];
    const auto& block_rows = search.block_rows;
    const int bs = block_rows.block_size;
    const block_row_range range{block_rows, tile_ptrs};
    if (range.has_long) {
        __shared__ block_row_part<I>* parts;
        const auto num_parts = num_parts_of(block_rows.length_of(range.first - 1));
        if (threadIdx.x == 0) {
            parts = search.parts.append(static_cast<int32>(num_parts));
        }
        __syncthreads();
        list_parts(search, range.first - 1, parts, num_parts, threadIdx.x, find_block_size);
    }
    const auto begin = block_rows.begin_of(range.first);
    const auto size = static_cast<int>(block_rows.begin_of(range.last) - begin);
    for (int i = threadIdx.x; i < size; i += find_block_size) {
        entries[i] = warp::load_streaming(search.col_idxs + begin + i);
    }
    __syncthreads();
    const auto num_block_rows = static_cast<int>(range.last - range.first);
    const auto row_ptrs = block_rows.row_ptrs + range.first * bs;
    const auto begin_of = [&](int block_row) { return static_cast<int>(row_ptrs[block_row * bs] - begin); };
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    constexpr int max_long_rows = 16;
    __shared__ bool is_listed[max_long_rows];
    const auto has_long_rows = num_block_rows <= max_long_rows;  // blocks of short rows are rarely full
    if (has_long_rows) {
        for (int block_row = threadIdx.x / warp_size; block_row < num_block_rows;
             block_row += find_block_size / warp_size) {
            int count{};
            const auto is_full = list_full_blocks(warp, search, row_ptrs + block_row * bs,
                                                  entries + begin_of(block_row), found + begin_of(block_row), count);
            if (warp.thread_rank() == 0) {
                is_listed[block_row] = is_full;
                counts[block_row] = count;
            }
        }
        __syncthreads();
    }
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    auto is_sorted = true;
    for (int block_row = threadIdx.x / subwarp_size; block_row < num_block_rows;
         block_row += find_block_size / subwarp_size) {
        if (has_long_rows && is_listed[block_row]) {
            continue;
        }
        int count{};
        if constexpr (std::is_same_v<BlockSize, int>) {
            count = list_blocks(subwarp, search, row_ptrs + block_row * bs, begin, entries, found + begin_of(block_row),
                                is_sorted);
        } else {
            count =
                list_blocks(search, row_ptrs + block_row * bs, begin, entries, found + begin_of(block_row), is_sorted);
        }
        if (subwarp.thread_rank() == 0) {
            counts[block_row] = count;
        }
    }
    if (!is_sorted) {
        atomicOr(search.is_unsorted, 1);
    }
    __syncthreads();
    if (threadIdx.x < warp_size) {
        number_blocks(warp, num_block_rows, counts, search.counts + range.first);
    }
    __syncthreads();
    const auto num_lanes = has_long_rows ? warp_size : 8;
    const auto lane = static_cast<int>(threadIdx.x) % num_lanes;
    for (int block_row = threadIdx.x / num_lanes; block_row < num_block_rows;
         block_row += find_block_size / num_lanes) {
        const auto first_block = counts[block_row];
        const auto count = counts[block_row + 1] - first_block;
        const auto first_position = search.position_of(first_block, 0, 0);
        const auto block_row_begin = begin_of(block_row);
        const auto block_row_end = begin_of(block_row + 1);
        for (int i = block_row_begin + lane; i < block_row_end; i += num_lanes) {
            search.positions[begin + i] =
                static_cast<position_type<BlockSize>>(first_position + static_cast<int>(entries[i]));
        }
        for (int i = lane; i < count; i += num_lanes) {
            search.block_cols[begin + first_block + i] = found[block_row_begin + i];
        }
    }
}

/// Lists the parts of all block rows.
template <typename BlockSize, typename I>
__global__ __launch_bounds__(default_block_size) void list_all_parts(block_search<BlockSize, I> search)
{
    const auto block_row = global_thread_id();
    if (block_row < search.block_rows.size) {
        const auto num_parts = num_parts_of(search.block_rows.length_of(block_row));
        const auto parts = search.parts.append(static_cast<int32>(num_parts));
        list_parts(search, block_row, parts, num_parts, 0, 1);
    }
}

constexpr int block_cols_at_once = 24 * 1024 * 8;

// Rows of a block in which a block of threads searches at once.
constexpr int rows_at_once = 128;

/// Holds the entries of rows that are in a range of columns.
template <typename I>
struct entry_ranges {
    /// Finds the entries of num_rows rows between two columns. All threads of a block call it. The
    /// columns of the rows are sorted; if they are not, the ranges are anywhere in the rows.
    __device__ __forceinline__ void find(const I* col_idxs, const I* row_ptrs, int num_rows, I first_col, I end_col)
    {
        for (int i = threadIdx.x; i < 2 * num_rows; i += default_block_size) {
            const auto row = i / 2;
            borders[row][i % 2] =
                lower_bound(col_idxs, row_ptrs[row], row_ptrs[row + 1], i % 2 == 0 ? first_col : end_col);
        }
    }

    I borders[rows_at_once][2];
};

/// Returns the number of threads that process a row. A few rows share the threads of a block; if
/// there are many rows, each has a warp.
__device__ __forceinline__ int threads_per_row(int num_rows)
{
    return max(int{warp_size}, default_block_size / num_rows);
}

/// Checks whether columns ascend strictly in those entries of a block row that a part has if parts
/// have consecutive entries. All threads of a block call it.
template <typename BlockSize, typename I>
__device__ __forceinline__ void check_order(const block_search<BlockSize, I>& search, const block_row_part<I>& part)
{
    const int bs = search.block_rows.block_size;
    const auto row_ptrs = search.block_rows.row_ptrs + static_cast<size_type>(part.block_row) * bs;
    const auto begin = row_ptrs[0] + part.number * entries_per_part;
    const auto end = row_ptrs[bs] - begin > entries_per_part ? begin + entries_per_part : row_ptrs[bs];
    auto is_sorted = true;
    for (auto row = partition_point(0, bs, [&](int row) { return row_ptrs[row + 1] <= begin; });
         row < bs && row_ptrs[row] < end; ++row) {
        const auto last = min(row_ptrs[row + 1], end);
        for (auto nz = max(row_ptrs[row] + 1, begin) + static_cast<I>(threadIdx.x); nz < last;
             nz += default_block_size) {
            is_sorted = is_sorted && search.col_idxs[nz - 1] < search.col_idxs[nz];
        }
    }
    if (!is_sorted) {
        atomicOr(search.is_unsorted, 1);
    }
}

/// Finds the blocks of parts of long block rows. Their entries are collected in any order, in a bit
/// map (doc/tuning/fbcsr.md).
template <typename BlockSize, typename I>
__global__ __launch_bounds__(default_block_size) void find_in_parts(block_search<BlockSize, I> search)
{
    __shared__ block_bit_map<block_cols_at_once> map;
    __shared__ entry_ranges<I> ranges;
    __shared__ part_segment* segments;
    __shared__ int64 scratch[default_block_size / warp_size];
    const auto& block_rows = search.block_rows;
    const int bs = block_rows.block_size;
    for (int32 i = blockIdx.x; i < *search.parts.size; i += gridDim.x) {
        const auto part = search.parts.elements[i];
        const auto block_row = static_cast<size_type>(part.block_row);
        const auto row_ptrs = block_rows.row_ptrs + block_row * bs;
        const auto num_parts = static_cast<int64>(num_parts_of(row_ptrs[bs] - row_ptrs[0]));
        const auto cols_per_part = static_cast<int64>(ceildiv(search.num_block_cols, num_parts));
        const auto part_begin = min(part.number * cols_per_part, search.num_block_cols);
        const auto part_end = min(part_begin + cols_per_part, search.num_block_cols);
        int64 num_before{};  // entries of the rows
        auto found = search.block_cols + row_ptrs[0];
        I count{};
        for (auto first = part_begin; first < part_end; first += block_cols_at_once) {
            const auto size = static_cast<int>(min(part_end - first, int64{block_cols_at_once}));
            map.clear(size);
            for (int first_row = 0; first_row < bs; first_row += rows_at_once) {
                const auto num_rows = min(bs - first_row, int{rows_at_once});
                const auto first_ptr = row_ptrs + first_row;
                ranges.find(search.col_idxs, first_ptr, num_rows, static_cast<I>(first * bs),
                            static_cast<I>((first + size) * bs));
                __syncthreads();
                if (first == part_begin && static_cast<int>(threadIdx.x) < num_rows) {
                    num_before += ranges.borders[threadIdx.x][0] - first_ptr[threadIdx.x];
                }
                const int num_threads = threads_per_row(bs);
                for (int row = threadIdx.x / num_threads; row < num_rows; row += default_block_size / num_threads) {
                    constexpr int at_once = 4;
                    const auto end = ranges.borders[row][1];
                    for (auto nz = ranges.borders[row][0] + static_cast<I>(threadIdx.x) % num_threads; nz < end;
                         nz += at_once * num_threads) {
                        I cols[at_once];
                        for (int j = 0; j < at_once; ++j) {
                            cols[j] = search.col_idxs[min(nz + j * num_threads, end - 1)];
                        }
                        for (int j = 0; j < at_once; ++j) {
                            const auto number = static_cast<int64>(block_rows.block_col_of(cols[j])) - first;
                            if (number >= 0 && number < size) {
                                map.insert(static_cast<int>(number));
                            }
                        }
                    }
                }
                __syncthreads();
            }
            if (first == part_begin) {
                found += block_reduce_add<default_block_size>(num_before, scratch);
            }
            const auto capacity = search.block_cols + row_ptrs[bs] - found;
            count += static_cast<I>(map.list(size, [&](uint32 position, int number) {
                if (count + static_cast<int64>(position) < capacity) {  // otherwise the rows are not sorted
                    found[count + position] = static_cast<I>(first + number);
                }
            }));
            __syncthreads();
        }
        const auto segment_size = blocks_per_segment(bs);
        const auto num_segments = static_cast<int32>((count + segment_size - 1) / segment_size);
        if (threadIdx.x == 0) {
            search.parts.elements[i].begin = static_cast<I>(found - search.block_cols);
            search.parts.elements[i].num_blocks = count;
            atomic_add(search.counts + block_row, count);
            segments = search.segments.append(num_segments);
        }
        __syncthreads();
        for (int32 j = threadIdx.x; j < num_segments; j += default_block_size) {
            segments[j] = {i, j * segment_size};
        }
        check_order(search, part);
    }
}

/// Holds the input and the result of filling blocks from the rows of Csr.
template <typename BlockSize, typename T, typename I>
struct block_fill {
    block_row_view<BlockSize, I> block_rows;
    const I* col_idxs;
    const T* values;
    const I* block_cols;
    const position_type<BlockSize>* positions;
    const I* new_row_ptrs;
    I* new_col_idxs;
    T* new_values;
};

/// Copies the columns of num_blocks blocks from the block row block_row on. All threads of a block
/// call it.
template <typename BlockSize, typename T, typename I>
__device__ __forceinline__ void copy_block_cols(const block_fill<BlockSize, T, I>& fill, size_type block_row,
                                                I num_blocks)
{
    const auto from = fill.block_cols + fill.block_rows.begin_of(block_row);
    const auto to = fill.new_col_idxs + fill.new_row_ptrs[block_row];
    for (auto i = static_cast<I>(threadIdx.x); i < num_blocks; i += default_block_size) {
        to[i] = warp::load_streaming(from + i);
    }
}

/// Returns the number of blocks before the part in its block row. All threads of a block call it.
template <typename I>
__device__ __forceinline__ I count_blocks_before(const block_row_part<I>* parts, int32 part)
{
    __shared__ int64 scratch[default_block_size / warp_size];
    int64 sum{};
    const auto begin = part - static_cast<int32>(parts[part].number);
    for (auto i = begin + static_cast<int32>(threadIdx.x); i < part; i += default_block_size) {
        sum += parts[i].num_blocks;
    }
    return static_cast<I>(block_reduce_add<default_block_size>(sum, scratch));
}

/// Fills a segment of a block row whose rows have sorted columns. All threads of a block call it.
/// The block of each entry is found by bisection.
template <typename BlockSize, typename T, typename I>
__device__ __forceinline__ void fill_segment(const block_fill<BlockSize, T, I>& fill, const block_row_part<I>* parts,
                                             part_segment segment)
{
    __shared__ I block_cols[max_blocks_per_segment];
    __shared__ entry_ranges<I> ranges;
    const auto& block_rows = fill.block_rows;
    const int bs = block_rows.block_size;
    const auto square = static_cast<size_type>(bs) * bs;
    const auto part = parts[segment.part];
    const auto block_row = static_cast<size_type>(part.block_row);
    const auto position = fill.new_row_ptrs[block_row] + count_blocks_before(parts, segment.part) + segment.first;
    const auto num_blocks = static_cast<int>(min(I{blocks_per_segment(bs)}, part.num_blocks - segment.first));
    const auto blocks = fill.new_values + static_cast<size_type>(position) * square;
    for (int i = threadIdx.x; i < num_blocks; i += default_block_size) {
        const auto block_col = fill.block_cols[part.begin + segment.first + i];
        block_cols[i] = block_col;
        fill.new_col_idxs[position + i] = block_col;
    }
    for (size_type i = threadIdx.x; i < num_blocks * square; i += default_block_size) {
        blocks[i] = T{};
    }
    __syncthreads();
    const int num_threads = threads_per_row(bs);
    for (int first_row = 0; first_row < bs; first_row += rows_at_once) {
        const auto num_rows = min(bs - first_row, int{rows_at_once});
        ranges.find(fill.col_idxs, block_rows.row_ptrs + block_row * bs + first_row, num_rows, block_cols[0] * bs,
                    (block_cols[num_blocks - 1] + 1) * bs);
        __syncthreads();
        for (int row = threadIdx.x / num_threads; row < num_rows; row += default_block_size / num_threads) {
            const auto end = ranges.borders[row][1];
            for (auto nz = ranges.borders[row][0] + static_cast<I>(threadIdx.x) % num_threads; nz < end;
                 nz += num_threads) {
                const auto col = fill.col_idxs[nz];
                const auto block_col = block_rows.block_col_of(col);
                const auto block = lower_bound(block_cols, 0, num_blocks, block_col);
                const auto j = static_cast<int>(col - block_col * bs);
                blocks[block * square + j * bs + first_row + row] = fill.values[nz];
            }
        }
        __syncthreads();
    }
}

template <typename BlockSize, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_segments(block_fill<BlockSize, T, I> fill,
                                                                    const block_row_part<I>* parts,
                                                                    device_list<part_segment> segments)
{
    for (int32 i = blockIdx.x; i < *segments.size; i += gridDim.x) {
        fill_segment(fill, parts, segments.elements[i]);
    }
}

/// Fills the blocks of a tile in shared memory, as many as fit at a time. Values are stored there
/// at their final positions.
template <typename BlockSize, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_tile(block_fill<BlockSize, T, I> fill, const I* tile_ptrs)
{
    // Fills 32 KB of shared memory (doc/tuning/fbcsr.md).
    constexpr int capacity = 32 * 1024 / sizeof(T);
    __shared__ T
        staged[capacity + default_block_size];  // each thread has an element at the end for values of other rounds
    const block_row_range range{fill.block_rows, tile_ptrs};
    const auto first_block = fill.new_row_ptrs[range.first];
    const auto num_blocks = fill.new_row_ptrs[range.last] - first_block;
    copy_block_cols(fill, range.first, num_blocks);
    const int square = fill.block_rows.block_size * fill.block_rows.block_size;
    const auto num_values = static_cast<int>(num_blocks) * square;
    const auto blocks = fill.new_values + static_cast<size_type>(first_block) * square;
    const auto begin = fill.block_rows.begin_of(range.first);
    const auto num_entries = static_cast<int>(fill.block_rows.begin_of(range.last) - begin);
    for (int first = 0; first < num_values; first += capacity) {
        const auto size = min(num_values - first, capacity);
        for (int i = threadIdx.x; i < size; i += default_block_size) {
            staged[i] = T{};
        }
        __syncthreads();
        constexpr int at_once = 4;
        for (int first_entry = threadIdx.x; first_entry < num_entries; first_entry += at_once * default_block_size) {
            int positions[at_once];
            T values[at_once];
            for (int j = 0; j < at_once; ++j) {
                const auto i = first_entry + j * default_block_size;
                const auto nz = begin + min(i, num_entries - 1);
                const auto position = static_cast<int>(fill.positions[nz]) - first;
                const auto is_in_range = i < num_entries && position >= 0 && position < size;
                positions[j] = is_in_range ? position : capacity + static_cast<int>(threadIdx.x);
                values[j] = warp::load_streaming(fill.values + nz);
            }
            for (int j = 0; j < at_once; ++j) {
                staged[positions[j]] = values[j];
            }
        }
        __syncthreads();
        for (int i = threadIdx.x; i < size; i += default_block_size) {
            blocks[first + i] = staged[i];
        }
        __syncthreads();
    }
}

}  // namespace kernel

/// Computes tile_ptrs, the first block row of each tile, and the number of block rows at the end.
template <typename I>
void find_tiles(const DeviceExecutor& exec, const I* row_ptrs, size_type num_block_rows, int block_size,
                size_type num_tiles, I* tile_ptrs)
{
    run_for_each(exec, num_tiles + 1, [=] SPRUCE_KERNEL_LAMBDA(size_type tile) {
        tile_ptrs[tile] = static_cast<I>(num_rows_ended(row_ptrs, num_block_rows, tile * kernel::items_per_tile, 1,
                                                        static_cast<size_type>(block_size)));
    });
}

/// Describes the memory that find_blocks() passes to fill_blocks(). If blocks have more rows than a
/// warp has lanes, there are no tiles.
template <typename BlockSize, typename I>
struct block_workspace {
    using position_type = kernel::position_type<BlockSize>;
    using part = kernel::block_row_part<I>;
    using segment = kernel::part_segment;

    block_workspace(size_type num_block_rows, size_type num_entries, int block_size)
        : nnz{num_entries},
          has_tiles{block_size <= warp_size},
          num_tiles{static_cast<size_type>(ceildiv(nnz + num_block_rows, kernel::items_per_tile))},
          // A block row of more than a tile has no more parts than tiles fit into it.
          max_parts{has_tiles ? nnz / kernel::items_per_tile : num_block_rows + nnz / kernel::entries_per_part},
          max_segments{max_parts + nnz / kernel::blocks_per_segment(block_size)},
          num_bytes{(num_tiles + 1 + nnz) * sizeof(I) + max_parts * sizeof(part) + max_segments * sizeof(segment) +
                    num_flags * sizeof(int32) + nnz * sizeof(position_type)}
    {}

    I* tile_ptrs(array<char>& memory) const { return reinterpret_cast<I*>(memory.get_data()); }
    I* block_cols(array<char>& memory) const { return this->tile_ptrs(memory) + num_tiles + 1; }
    part* first_part(array<char>& memory) const { return reinterpret_cast<part*>(this->block_cols(memory) + nnz); }
    segment* first_segment(array<char>& memory) const
    {
        return reinterpret_cast<segment*>(this->first_part(memory) + max_parts);
    }
    kernel::device_list<part> parts(array<char>& memory) const
    {
        return {this->first_part(memory), this->flags(memory)};
    }
    kernel::device_list<segment> segments(array<char>& memory) const
    {
        return {this->first_segment(memory), this->flags(memory) + 1};
    }
    /// Returns the numbers of parts and segments, and the flag of unsorted columns; initially 0.
    int32* flags(array<char>& memory) const
    {
        return reinterpret_cast<int32*>(this->first_segment(memory) + max_segments);
    }
    int32* is_unsorted(array<char>& memory) const { return this->flags(memory) + 2; }
    position_type* positions(array<char>& memory) const
    {
        return reinterpret_cast<position_type*>(this->flags(memory) + num_flags);
    }

    static constexpr size_type num_flags = 3;
    size_type nnz;
    bool has_tiles;
    size_type num_tiles;
    size_type max_parts;
    size_type max_segments;
    size_type num_bytes;
};

template <typename V, typename I>
void find_blocks(const DeviceExecutor& exec, const Csr<V, I>& a, int block_size, I* counts, array<char>& memory,
                 bool& is_sorted)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto num_block_rows = a.get_size()[0] / block_size;
    with_block_size(block_size, [&](auto bs) {
        using BlockSize = decltype(bs);
        const block_workspace<BlockSize, I> workspace{num_block_rows, a.get_num_stored_elements(), block_size};
        memory.resize_and_reset(workspace.num_bytes);
        const auto tile_ptrs = workspace.tile_ptrs(memory);
        const auto is_unsorted = workspace.is_unsorted(memory);
        const kernel::block_search<BlockSize, I> search{{num_block_rows, bs, row_ptrs},
                                                        static_cast<int64>(a.get_size()[1] / block_size),
                                                        a.get_const_col_idxs(),
                                                        counts,
                                                        workspace.block_cols(memory),
                                                        workspace.positions(memory),
                                                        workspace.parts(memory),
                                                        workspace.segments(memory),
                                                        is_unsorted};
        array<int32>::view(exec.shared_from_this(), workspace.num_flags, workspace.flags(memory)).fill(0);
        const auto find = [&](auto find_in_tile) {
            find_tiles(exec, row_ptrs, num_block_rows, block_size, workspace.num_tiles, tile_ptrs);
            launch_blocks<kernel::find_block_size>(exec, find_in_tile, workspace.num_tiles, search, tile_ptrs);
        };
        if constexpr (!std::is_same_v<BlockSize, int>) {
            find(kernel::find_in_tile<1, BlockSize, I>);
        } else if (workspace.has_tiles) {
            select_subwarp_size(block_size,
                                [&](auto size) { find(kernel::find_in_tile<decltype(size)::value, BlockSize, I>); });
        } else {
            launch(exec, kernel::list_all_parts<BlockSize, I>, num_block_rows, search);
        }
        launch_blocks(exec, kernel::find_in_parts<BlockSize, I>,
                      std::min(workspace.max_parts, num_resident_blocks(exec)), search);
        is_sorted = exec.copy_val_to_host(is_unsorted) == 0;
    });
}

template <typename V, typename I>
void fill_blocks(const DeviceExecutor& exec, const Csr<V, I>& a, array<char>& memory, Fbcsr<V, I>& b)
{
    using T = device_type<V>;
    const auto num_block_rows = static_cast<size_type>(b.get_num_block_rows());
    const auto block_size = b.get_block_size();
    with_block_size(block_size, [&](auto bs) {
        using BlockSize = decltype(bs);
        const block_workspace<BlockSize, I> workspace{num_block_rows, a.get_num_stored_elements(), block_size};
        const kernel::block_fill<BlockSize, T, I> fill{{num_block_rows, bs, a.get_const_row_ptrs()},
                                                       a.get_const_col_idxs(),
                                                       as_device(a.get_const_values()),
                                                       workspace.block_cols(memory),
                                                       workspace.positions(memory),
                                                       b.get_const_row_ptrs(),
                                                       b.get_col_idxs(),
                                                       as_device(b.get_values())};
        launch_blocks(exec, kernel::fill_segments<BlockSize, T, I>,
                      std::min(workspace.max_segments, num_resident_blocks(exec)), fill, workspace.first_part(memory),
                      workspace.segments(memory));
        if (workspace.has_tiles) {
            launch_blocks(exec, kernel::fill_tile<BlockSize, T, I>, workspace.num_tiles, fill,
                          workspace.tile_ptrs(memory));
        }
    });
}

template <typename V, typename I>
void convert_to_csr(const DeviceExecutor& exec, const Fbcsr<V, I>& a, Csr<V, I>& b)
{
    // Numbers of entries fit I. If I has 32 bits, divisions of this type take a fraction of the
    // time.
    using U = std::make_unsigned_t<I>;
    const auto bs = static_cast<U>(a.get_block_size());
    const auto num_rows = b.get_size()[0];
    const auto nnz = b.get_num_stored_elements();
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto new_row_ptrs = b.get_row_ptrs();
    run_for_each(exec, num_rows + 1, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        if (row == num_rows) {
            new_row_ptrs[row] = static_cast<I>(nnz);
            return;
        }
        const auto block_row = static_cast<U>(row) / bs;
        const auto begin = static_cast<U>(row_ptrs[block_row]);
        const auto end = static_cast<U>(row_ptrs[block_row + 1]);
        new_row_ptrs[row] = static_cast<I>((begin * bs + (static_cast<U>(row) - block_row * bs) * (end - begin)) * bs);
    });
    run_for_each_nonzero(exec, new_row_ptrs, num_rows, nnz,
                         [bs, row_ptrs, new_row_ptrs, col_idxs = a.get_const_col_idxs(),
                          values = as_device(a.get_const_values()), new_col_idxs = b.get_col_idxs(),
                          new_values = as_device(b.get_values())] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             const auto block_row = static_cast<U>(row) / bs;
                             const auto i = static_cast<U>(row) - block_row * bs;
                             const auto position =
                                 static_cast<U>(nz) - static_cast<U>(new_row_ptrs[row]);  // in the row
                             const auto block = position / bs;
                             const auto j = position - block * bs;
                             const auto k = static_cast<U>(row_ptrs[block_row]) + block;
                             new_col_idxs[nz] = static_cast<I>(static_cast<U>(col_idxs[k]) * bs + j);
                             new_values[nz] = values[(k * bs + j) * bs + i];
                         });
}

}  // namespace fbcsr

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
