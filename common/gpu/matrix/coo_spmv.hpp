// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/coo_spmv_columns.hpp"
#include "common/gpu/matrix/spmv_tiles.hpp"
#include "core/matrix/coo_kernels.hpp"
#include "core/matrix/dense_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace coo {

using matrix::Coo;
using matrix::Dense;

namespace kernel {

using spmv_tiles::column;
using spmv_tiles::output;

/// Threads of a block of `add_products`. Short blocks have fewer threads that wait at a barrier
/// (doc/tuning/constants.md).
constexpr int block_size = 128;
/// Entries of a block, the same number for each of its threads (doc/tuning/constants.md).
template <typename T>
constexpr int tile_size = (sizeof(T) <= 8 ? 8 : 4) * block_size;
constexpr int num_warps = block_size / warp_size;

/// Holds for each block the sum of the row that continues after its tile, and the index of this
/// row. The index is the number of rows if no row continues. Without the index, the second kernel
/// would look up two row indices at each border of tiles (doc/tuning/coo.md).
template <typename T, typename I>
struct carry_arrays {
    T* sums;
    I* rows;
};

/// Holds what the threads of a block share about their tile, in shared memory (doc/tuning/coo.md).
template <typename T, typename I>
struct shared_tile {
    static constexpr int size = tile_size<T>;
    static constexpr int num_per_thread = size / block_size;

    /// Returns a permuted position that avoids bank conflicts in shared memory. Neither threads
    /// that write adjacent entries nor threads that read num_per_thread consecutive entries access
    /// one bank together.
    __device__ __forceinline__ static unsigned permuted(unsigned position)
    {
        return position ^ permutation_at(position);
    }
    __device__ __forceinline__ static unsigned permutation_at(unsigned position)
    {
        constexpr unsigned row_of_banks = 128 / sizeof(T);
        return position / row_of_banks & (num_per_thread - 1);
    }

    T products[size];
    I rows[size + 1];  // with the row of the entry after the tile, or the number of rows if there is none
    T warp_sums[num_warps];
    bool warp_has_end[num_warps];
    bool warp_has_gap[num_warps];  // true if rows without entries lie between
};

/// Sets the rows from begin to end of each thread of the warp to zero. The threads share long gaps.
template <typename T, typename I>
__device__ __forceinline__ void zero_rows(const output<T>& out, I begin, I end)
{
    constexpr int long_gap = 8;
    if (end - begin < long_gap) {
        for (; begin < end; ++begin) {
            out.x[begin * out.stride] = T{};
        }
    }
    const auto whole_warp = group::tiled_partition<warp_size>(group::this_thread_block());
    for (auto with_rows = whole_warp.ballot(begin < end); with_rows != 0; with_rows &= with_rows - 1) {
        const auto leader = warp::ffs(with_rows) - 1;
        const auto end_row = whole_warp.shfl(end, leader);
        for (auto row = whole_warp.shfl(begin, leader) + static_cast<I>(whole_warp.thread_rank()); row < end_row;
             row += warp_size) {
            out.x[row * out.stride] = T{};
        }
    }
}

/// Sets to zero the rows between those of adjacent entries. The first block also sets the rows
/// before the first entry's row to zero.
template <typename T, typename I>
__device__ __forceinline__ void zero_gaps(const shared_tile<T, I>& tile, const output<T>& out)
{
    for (int i = threadIdx.x; i < shared_tile<T, I>::size; i += block_size) {
        zero_rows(out, tile.rows[i] + 1, tile.rows[i + 1]);
    }
    if (blockIdx.x == 0 && threadIdx.x < warp_size) {
        zero_rows(out, I{}, threadIdx.x == 0 ? tile.rows[0] : I{});
    }
}

/// Computes x = a b or x += alpha a b for one column. Each block has a tile of entries. Their
/// products go through shared memory to threads that sum consecutive entries. A segmented scan
/// combines the sums of rows that several threads share.
///
/// Rows without entries are zeroed where they are found. With zeroes_first, all rows that end in
/// the tile are zeroed before any is summed (doc/tuning/coo.md). doc/tuning/constants.md compares
/// zeroes_first as a template parameter, and the launch bounds and entries per thread, with other
/// choices.
template <bool overwrites, typename T, typename I>
__global__ __launch_bounds__(block_size, sizeof(T) <= 8 ? 10 : 2) void add_products(coo_arrays<T, I> a, column<T> b,
                                                                                    output<T> out, bool zeroes_first,
                                                                                    carry_arrays<T, I> carries)
{
    using tile_type = shared_tile<T, I>;
    constexpr int size = tile_type::size;
    constexpr int num = tile_type::num_per_thread;
    __shared__ tile_type tile;
    const auto begin = static_cast<I>(grid_dependency_sync()) * size;
    const auto end = static_cast<I>(min(static_cast<size_type>(begin) + size, a.nnz));
    const auto is_last_tile = static_cast<size_type>(end) == a.nnz;
    const auto next_row = is_last_tile ? static_cast<I>(a.num_rows) : a.row_idxs[end];
    // All loads are issued before one is used. Beyond the end they read the last entry, without a
    // branch (doc/tuning/coo.md).
    I rows[num];
    I cols[num];
    T values[num];
    for (int i = 0; i < num; ++i) {
        const auto nz = min(begin + static_cast<I>(threadIdx.x) + i * block_size, end - 1);
        cols[i] = warp::load_streaming(a.col_idxs + nz);
        rows[i] = warp::load_streaming(a.row_idxs + nz);
        values[i] = warp::load_streaming(a.values + nz);
    }
    for (int i = 0; i < num; ++i) {
        values[i] *= b[cols[i]];
    }
    const auto num_entries = static_cast<int>(end - begin);
    const auto thread_position = tile_type::permuted(threadIdx.x);
    for (int i = 0; i < num; ++i) {
        const auto is_entry = static_cast<int>(threadIdx.x) + i * block_size < num_entries;
        // This is permuted(threadIdx.x + i * block_size), with the part that depends on i known at
        // compile time.
        const auto position = (thread_position ^ tile_type::permutation_at(i * block_size)) + i * block_size;
        tile.products[position] = is_entry ? values[i] : T{};
        tile.rows[threadIdx.x + i * block_size] = is_entry ? rows[i] : next_row;
    }
    if (threadIdx.x == 0) {
        tile.rows[size] = next_row;
    }
    if (overwrites && zeroes_first) {
        const auto first_row = blockIdx.x == 0 ? I{} : a.row_idxs[begin] + 1;
        for (auto row = first_row + static_cast<I>(threadIdx.x); row < next_row; row += block_size) {
            out.x[row * out.stride] = T{};
        }
    }
    __syncthreads();

    const auto whole_warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = whole_warp.thread_rank();
    const auto warp_id = static_cast<int>(threadIdx.x) / warp_size;
    const auto first = static_cast<int>(threadIdx.x) * num;
    const auto finish = [&](I row, T row_sum) {
        if (overwrites) {
            out.x[row * out.stride] = row_sum;
        } else {
            out.add(row, row_sum);
        }
    };
    const auto row_of = [&](int i) { return tile.rows[first + i]; };
    T products[num];
    bool ends[num];  // ends[i]: entry i is the last of its row
    auto num_ends = 0;
    const auto first_row = row_of(0);
    auto row = first_row;
    for (int i = 0; i < num; ++i) {
        const auto row_after = row_of(i + 1);
        products[i] = tile.products[tile_type::permuted(first + i)];
        ends[i] = row_after != row;
        num_ends += ends[i] ? 1 : 0;
        row = row_after;
    }
    // The sums are computed without branches (doc/tuning/coo.md).
    T head{};  // up to the first end of a row
    auto is_before_ends = true;
    for (int i = 0; i < num; ++i) {
        head = is_before_ends ? head + products[i] : head;
        is_before_ends = is_before_ends && !ends[i];
    }
    T sum{};  // after the last end
    auto is_after_ends = true;
    for (int i = num - 1; i >= 0; --i) {
        is_after_ends = is_after_ends && !ends[i];
        sum = is_after_ends ? products[i] + sum : sum;
    }
    if (num_ends > 1) {  // rows that begin and end here
        T inner{};
        auto is_inner = false;
        for (int i = 0; i < num; ++i) {
            inner += products[i];
            if (ends[i]) {
                if (is_inner) {
                    finish(row_of(i), inner);
                }
                is_inner = true;
                inner = T{};
            }
        }
    }
    // From here on, sum is that of the row that continues after this thread, up to this thread.
    const auto lanes_with_end = whole_warp.ballot(num_ends > 0);
    const auto lanes_below = (lane_mask_type{1} << rank) - 1;
    const auto ends_up_to_lane = lanes_with_end & (lanes_below << 1 | 1);
    const auto first_of_row =
        ends_up_to_lane ? 8 * static_cast<int>(sizeof(lane_mask_type)) - 1 - warp::clz(ends_up_to_lane) : 0;
    for (int distance = 1; distance < warp_size; distance *= 2) {
        const auto below = whole_warp.shfl_up(sum, distance);
        sum = rank - distance >= first_of_row ? below + sum : sum;
    }
    const auto is_before_first = blockIdx.x == 0 && threadIdx.x == 0 && first_row > 0;
    const auto warp_has_gap =
        overwrites && !zeroes_first && whole_warp.any(row - first_row > num_ends || is_before_first);
    if (rank == warp_size - 1) {
        tile.warp_has_gap[warp_id] = warp_has_gap;
        tile.warp_sums[warp_id] = sum;
        tile.warp_has_end[warp_id] = lanes_with_end != 0;
    }
    __syncthreads();
    const auto sum_before_warp = [&](int end_warp) {
        T before{};
        for (int i = end_warp - 1; i >= 0; --i) {
            before = tile.warp_sums[i] + before;
            if (tile.warp_has_end[i]) {
                break;
            }
        }
        return before;
    };
    const auto sum_below = whole_warp.shfl_up(sum, 1);
    if (num_ends > 0) {
        auto before = rank == 0 ? T{} : sum_below;
        if ((lanes_with_end & lanes_below) == 0) {
            before = sum_before_warp(warp_id) + before;
        }
        finish(first_row, before + head);
    }
    if (threadIdx.x == 0) {
        carries.sums[blockIdx.x] = sum_before_warp(num_warps);
        carries.rows[blockIdx.x] =
            tile.rows[size - 1] == tile.rows[size] ? tile.rows[size] : static_cast<I>(a.num_rows);
    }
    if (overwrites && !zeroes_first) {
        auto has_gap = false;
        for (const auto warp_has : tile.warp_has_gap) {
            has_gap = has_gap || warp_has;
        }
        if (has_gap) {
            zero_gaps(tile, out);
        }
    }
}

template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void add_carries(size_type num_rows, size_type num_blocks,
                                                                  carry_arrays<T, I> carries, output<T> out)
{
    const auto row_of = [=](size_type block) { return static_cast<size_type>(carries.rows[block]); };
    spmv_tiles::add_carries(grid_dependency_sync(), 0, num_rows, num_blocks, row_of, carries.sums, 1, out);
}

}  // namespace kernel

/// Returns true if `add_products` computes a product. `add_products_of_columns` computes products
/// with several columns, and those that exceed the range of their index types.
template <typename V, typename I>
bool fits_tiles(const Coo<V, I>& a, const Dense<V>& b)
{
    const auto last = a.get_num_stored_elements() + kernel::tile_size<device_type<V>>;
    return spmv_tiles::is_column(b) && last <= static_cast<size_type>(std::numeric_limits<I>::max());
}

template <bool overwrites, typename V, typename I>
void run_tiles(const DeviceExecutor& exec, const V* alpha, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    using T = device_type<V>;
    const auto nnz = a.get_num_stored_elements();
    const kernel::coo_arrays<T, I> arrays{a.get_size()[0], nnz, a.get_const_row_idxs(), a.get_const_col_idxs(),
                                          as_device(a.get_const_values())};
    const kernel::output<T> out{as_device(x.get_values()), x.get_stride(), as_device(alpha), nullptr};
    const auto num_blocks = static_cast<size_type>(ceildiv(nnz, kernel::tile_size<T>));
    const auto num_carries = ceildiv(num_blocks, 4) * 4;  // sums after the rows are aligned
    const auto scratch = exec.acquire_scratch(num_carries * (sizeof(T) + sizeof(I)));
    const auto carry_rows = scratch.template as<I>();
    const kernel::carry_arrays<T, I> carries{reinterpret_cast<T*>(carry_rows + num_carries), carry_rows};
    // With so many entries for each row, there are few rows to zero (doc/tuning/coo.md).
    const auto zeroes_first = nnz >= 8 * a.get_size()[0];
    launch_dependent<kernel::block_size>(exec, kernel::add_products<overwrites, T, I>, num_blocks, arrays,
                                         spmv_tiles::column_of(b), out, zeroes_first, carries);
    if (num_blocks > 1) {
        launch_dependent(exec, kernel::add_carries<T, I>, ceildiv(num_blocks, default_block_size), a.get_size()[0],
                         num_blocks, carries, out);
    }
}

/// Computes x += alpha a b; null stands for alpha = 1.
template <typename V, typename I>
void run_spmv2(const DeviceExecutor& exec, const V* alpha, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    if (fits_tiles(a, b)) {
        run_tiles<false>(exec, alpha, a, b, x);
        return;
    }
    run_columns(exec, alpha, a, b, x);
}

template <typename V, typename I>
void spmv2(const DeviceExecutor& exec, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    run_spmv2<V, I>(exec, nullptr, a, b, x);
}

template <typename V, typename I>
void spmv(const DeviceExecutor& exec, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    // Tiles zero rows without entries where they find them, which is efficient only for few such
    // rows.
    if (fits_tiles(a, b) && a.get_size()[0] <= a.get_num_stored_elements()) {
        run_tiles<true, V, I>(exec, nullptr, a, b, x);
    } else {
        spruce::kernels::dense::fill<V>(exec, x, zero<V>());
        spmv2(exec, a, b, x);
    }
}

template <typename V, typename I>
void advanced_spmv2(const DeviceExecutor& exec, const Dense<V>& alpha, const Coo<V, I>& a, const Dense<V>& b,
                    Dense<V>& x)
{
    run_spmv2(exec, alpha.get_const_values(), a, b, x);
}

template <typename V, typename I>
void advanced_spmv(const DeviceExecutor& exec, const Dense<V>& alpha, const Coo<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    spruce::kernels::dense::scale<V>(exec, beta, x);
    advanced_spmv2(exec, alpha, a, b, x);
}

}  // namespace coo

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
