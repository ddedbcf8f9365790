// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Computes the levels of rows in one pass, in which a row waits for the levels of the rows that it
// depends on (the synchronization-free analysis of Liu, Li, Hogg, Duff and Vinter 2016). Blocks
// take rows by tickets in the order of dependency. Thus all rows that a block waits for belong to
// blocks that have started, and the lowest unfinished row can always continue.

#include "common/gpu/base/prelude.hpp"
#include "core/solver/triangular_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace triangular {

namespace kernel {

/// Level of a row that is not known yet.
template <typename I>
constexpr I unknown_level = -1;

/// The entries of longer rows are visited by a warp (doc/tuning/constants.md).
constexpr int max_entries_of_thread = 128;

/// Number of levels that a thread loads at once.
constexpr int num_levels_at_once = 8;

/// Number of blocks for each multiprocessor. It limits the registers, since more resident rows hide
/// more of the latency of waiting.
constexpr int min_resident_blocks = 5;

/// Views the strict triangle of a matrix. The position of a row or column in the order of
/// dependency is its index, or its index from the end in the upper triangle.
template <typename I>
struct triangle {
    __device__ __forceinline__ I position_of(I index) const { return upper ? size - 1 - index : index; }
    __device__ __forceinline__ I begin_of(I row) const { return diagonal && upper ? diagonal[row] + 1 : row_ptrs[row]; }
    __device__ __forceinline__ I end_of(I row) const { return diagonal && !upper ? diagonal[row] : row_ptrs[row + 1]; }

    I size;
    const I* row_ptrs;
    const I* col_idxs;
    bool upper;
    const I* diagonal{};  ///< of sorted rows, or null
};

/// Contains what is found for each row: its level, and its number of entries in the strict
/// triangle, which is not stored where the pointer is null.
template <typename I>
struct row_levels {
    I* levels;
    I* num_entries;
};

/// Visits each step-th entry of a row from nz to end. Waits for the levels of columns whose
/// positions precede first_position. All lanes of the warp call it, and none waits for another one
/// before it visits its next entries.
/// @param level        becomes larger than these levels
/// @param num_entries  is increased by the number of entries in the strict triangle
/// @param in_warp      gets a bit for each other column in the triangle: the first is that of
///                     first_position
/// @param while_waiting  is called by all lanes while some of them wait, with true by a lane that
///                       has visited all its entries
template <typename I, typename Warp, typename WhileWaiting>
__device__ __forceinline__ void visit_entries(const triangle<I>& a, const Warp& warp, I position, I first_position,
                                              size_type nz, size_type end, int step, const I* levels, I& level,
                                              I& num_entries, lane_mask_type& in_warp,
                                              const WhileWaiting& while_waiting)
{
    I cols[num_levels_at_once];
    uint32 missing = 0;  // of these levels
    for (;;) {
        if (missing == 0 && nz < end) {
#pragma unroll
            for (int i = 0; i < num_levels_at_once; ++i) {
                cols[i] = nz + i * step < end ? a.col_idxs[nz + i * step] : I{-1};
            }
#pragma unroll
            for (int i = 0; i < num_levels_at_once; ++i) {
                const auto other = cols[i] < 0 ? position : a.position_of(cols[i]);
                if (other < position) {
                    ++num_entries;
                    if (other < first_position) {
                        missing |= 1u << i;
                    } else {
                        in_warp |= lane_mask_type{1} << (other - first_position);
                    }
                }
            }
            nz += num_levels_at_once * step;
        }
        const auto wanted = missing;
        I others[num_levels_at_once];
#pragma unroll
        for (int i = 0; i < num_levels_at_once; ++i) {
            if ((wanted & 1u << i) != 0) {
                others[i] = relaxed::load(levels + cols[i]);
            }
        }
        auto awaited = levels;
#pragma unroll
        for (int i = 0; i < num_levels_at_once; ++i) {
            if ((wanted & 1u << i) != 0) {
                if (others[i] == unknown_level<I>) {
                    awaited = levels + cols[i];
                } else {
                    level = max(level, others[i] + 1);
                    missing &= ~(1u << i);
                }
            }
        }
        const auto has_visited_all = missing == 0 && nz >= end;
        if (warp.all(has_visited_all)) {
            return;
        }
        if (warp.any(missing != 0)) {
            while_waiting(has_visited_all);
        }
        if (missing != 0) {
            relaxed::wait(awaited);
        }
    }
}

/// Holds what a lane knows of its row.
template <typename I>
struct lane_row {
    I index;  ///< -1 if there is no row
    I level;
    lane_mask_type in_warp;  ///< lanes whose rows this row depends on
    lane_mask_type used;     ///< those of them whose levels have been used
};

/// Stores the levels of the rows that depend only on rows with known levels, while other lanes
/// wait. Levels are passed on within the warp by shuffles, since a lane must not wait for another
/// lane of its warp.
/// @param is_known  whether this lane knows the levels of the rows of other warps
/// @param stored  the lanes whose levels are stored
template <typename I, typename Warp>
__device__ __forceinline__ void store_known_levels(const Warp& warp, bool is_known, I* levels, lane_row<I>& row,
                                                   lane_mask_type& stored)
{
    const auto rank = static_cast<int>(warp.thread_rank());
    for (;;) {
        auto unused = row.in_warp & stored & ~row.used;
        row.used |= unused;
        while (warp.any(unused != 0)) {
            const auto level = warp.shfl(row.level, unused != 0 ? warp::ffs(unused) - 1 : rank);
            if (unused != 0) {
                row.level = max(row.level, level + 1);
                unused &= unused - 1;
            }
        }
        const auto is_new = is_known && row.index >= 0 && (stored >> rank & 1) == 0 && (row.in_warp & ~stored) == 0;
        const auto added = warp.ballot(is_new);
        if (added == 0) {
            return;
        }
        if (is_new) {
            relaxed::store(levels + row.index, row.level);
        }
        stored |= added;
    }
}

/// Computes the levels of a warp's rows, each by a lane. Rows wait for those of other warps; the
/// entries of a long row are visited by all lanes. A warp stores levels also while some of its
/// lanes still wait: otherwise warps that contain the end of a line of a grid and the beginning of
/// the next one would be a chain.
template <typename I, typename Warp>
__device__ __forceinline__ void find_levels_of_warp(const triangle<I>& a, const Warp& warp, I first_position,
                                                    const row_levels<I>& result)
{
    const auto rank = static_cast<int>(warp.thread_rank());
    const auto position = first_position + static_cast<I>(rank);
    const auto has_row = position < a.size;
    const auto row = has_row ? a.position_of(position) : I{};
    const auto begin = has_row ? static_cast<size_type>(a.begin_of(row)) : size_type{};
    const auto end = has_row ? static_cast<size_type>(a.end_of(row)) : size_type{};
    const auto is_long = end - begin > max_entries_of_thread;
    lane_row<I> own{has_row ? row : I{-1}, I{}, lane_mask_type{}, lane_mask_type{}};
    lane_mask_type stored{};
    I num_entries{};
    visit_entries(a, warp, position, first_position, begin, is_long ? begin : end, 1, result.levels, own.level,
                  num_entries, own.in_warp,
                  [&](bool is_known) { store_known_levels(warp, is_known && !is_long, result.levels, own, stored); });
    for (auto long_rows = warp.ballot(is_long); long_rows != 0; long_rows &= long_rows - 1) {
        const auto lane = warp::ffs(long_rows) - 1;
        I lane_level{};
        I lane_entries{};
        lane_mask_type lane_in_warp{};
        visit_entries(a, warp, first_position + static_cast<I>(lane), first_position,
                      warp.shfl(begin, lane) + warp.thread_rank(), warp.shfl(end, lane), warp_size, result.levels,
                      lane_level, lane_entries, lane_in_warp, [](bool) {});
        lane_level = reduce(warp, lane_level, [](I x, I y) { return x < y ? y : x; });
        lane_entries = reduce_add(warp, lane_entries);
        lane_in_warp = reduce(warp, lane_in_warp, [](lane_mask_type x, lane_mask_type y) { return x | y; });
        if (rank == lane) {
            own.level = max(own.level, lane_level);
            num_entries = lane_entries;
            own.in_warp = lane_in_warp;
        }
    }
    if (warp.any(own.in_warp != 0)) {
        for (int other = 0; other < warp_size - 1; ++other) {
            const auto level = warp.shfl(own.level, other);
            own.level = (own.in_warp >> other & 1) != 0 ? max(own.level, level + 1) : own.level;
        }
    }
    if (has_row) {
        if ((stored >> rank & 1) == 0) {
            relaxed::store(result.levels + row, own.level);
        }
        if (result.num_entries) {
            result.num_entries[row] = num_entries;
        }
    }
}

/// Computes levels[row] = 0, or one more than the largest level of the rows on which the row
/// depends. At the start levels are unknown, and ticket is zero.
template <typename I>
__global__ __launch_bounds__(default_block_size,
                             min_resident_blocks) void find_levels(triangle<I> a, row_levels<I> result, uint32* ticket)
{
    __shared__ uint32 block;
    grid_dependency_sync();
    if (threadIdx.x == 0) {
        block = atomicAdd(ticket, 1u);
    }
    __syncthreads();
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = static_cast<I>(warp.thread_rank());
    const auto first_position = static_cast<I>(block) * default_block_size + static_cast<I>(threadIdx.x) - rank;
    find_levels_of_warp(a, warp, first_position, result);
}

}  // namespace kernel

/// Finds the level of each row and, unless the pointer is null, its number of entries in the strict
/// triangle.
/// @param diagonal  that of compute_levels()
template <typename V, typename I>
void find_levels(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, const I* diagonal, I* levels,
                 I* num_entries)
{
    const auto size = a.get_size()[0];
    const auto scratch = exec.acquire_scratch(sizeof(uint32));
    const auto ticket = scratch.template as<uint32>();
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        levels[row] = kernel::unknown_level<I>;
        if (row == 0) {
            *ticket = 0;
        }
    });
    launch_dependent(
        exec, kernel::find_levels<I>, ceildiv(size, default_block_size),
        kernel::triangle<I>{static_cast<I>(size), a.get_const_row_ptrs(), a.get_const_col_idxs(), upper, diagonal},
        kernel::row_levels<I>{levels, num_entries}, ticket);
}

template <typename V, typename I>
void compute_levels(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, const I* diagonal, I* levels)
{
    find_levels(exec, a, upper, diagonal, levels, static_cast<I*>(nullptr));
}

}  // namespace triangular

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
