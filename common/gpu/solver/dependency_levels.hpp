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

/// Rows with more entries are processed by a warp (doc/tuning/constants.md).
constexpr int max_entries_of_thread = 256;

/// Views the strict triangle of a matrix. The position of a row or column in the order of
/// dependency is its index, or its index from the end in the upper triangle.
template <typename I>
struct triangle {
    __device__ __forceinline__ I position_of(I index) const { return upper ? size - 1 - index : index; }
    /// Returns the first entry from nz on that is in the strict triangle, or end.
    __device__ __forceinline__ size_type next_entry(I row, size_type nz, size_type end, int step) const
    {
        while (nz < end && (col_idxs[nz] == row || (col_idxs[nz] > row) != upper)) {
            nz += step;
        }
        return min(nz, end);
    }

    I size;
    const I* row_ptrs;
    const I* col_idxs;
    bool upper;
};

/// Computes the level of the row at a position by all lanes of the warp.
template <typename I, typename Warp>
__device__ __forceinline__ void find_level_by_warp(const triangle<I>& a, const Warp& warp, I position, I* levels)
{
    const auto row = a.position_of(position);
    const auto end = static_cast<size_type>(a.row_ptrs[row + 1]);
    auto nz = a.next_entry(row, static_cast<size_type>(a.row_ptrs[row]) + warp.thread_rank(), end, warp_size);
    I level{};
    while (warp.any(nz < end)) {
        if (nz == end) {
            continue;
        }
        const auto address = levels + a.col_idxs[nz];
        const auto other = relaxed::load(address);
        if (other == unknown_level<I>) {
            relaxed::wait(address);
        } else {
            level = max(level, other + 1);
            nz = a.next_entry(row, nz + warp_size, end, warp_size);
        }
    }
    level = reduce(warp, level, [](I x, I y) { return x < y ? y : x; });
    if (warp.thread_rank() == 0) {
        relaxed::store(levels + row, level);
    }
    warp.sync();
}

/// Computes the levels of a warp's rows, each by a lane. The levels of rows of the same warp are
/// passed on by shuffles, since a lane must not wait in a branch for another lane of its warp.
template <typename I, typename Warp>
__device__ __forceinline__ void find_levels_by_lanes(const triangle<I>& a, const Warp& warp, I first_position,
                                                     I* levels)
{
    const auto rank = static_cast<int>(warp.thread_rank());
    const auto position = first_position + static_cast<I>(rank);
    auto is_done = position >= a.size;
    const auto row = is_done ? I{} : a.position_of(position);
    const auto end = is_done ? size_type{} : static_cast<size_type>(a.row_ptrs[row + 1]);
    auto nz = is_done ? size_type{} : a.next_entry(row, static_cast<size_type>(a.row_ptrs[row]), end, 1);
    I level{};
    auto published = unknown_level<I>;
    while (warp.any(!is_done)) {
        const auto has_entry = !is_done && nz < end;
        const auto other_position = has_entry ? a.position_of(a.col_idxs[nz]) : position;
        const auto is_in_warp = has_entry && other_position >= first_position;
        const auto passed_on =
            warp.shfl(published, is_in_warp ? static_cast<int>(other_position - first_position) : rank);
        if (is_done) {
            continue;
        }
        if (!has_entry) {
            published = level;
            relaxed::store(levels + row, level);
            is_done = true;
            continue;
        }
        const auto address = levels + a.col_idxs[nz];
        const auto other = is_in_warp ? passed_on : relaxed::load(address);
        if (other != unknown_level<I>) {
            level = max(level, other + 1);
            nz = a.next_entry(row, nz + 1, end, 1);
        } else if (!is_in_warp) {
            relaxed::wait(address);
        }
    }
}

/// Computes levels[row] = 0, or one more than the largest level of the rows on which the row
/// depends. At the start levels are unknown, and ticket is zero.
template <typename I>
__global__ __launch_bounds__(default_block_size) void find_levels(triangle<I> a, I* levels, uint32* ticket)
{
    __shared__ uint32 block;
    if (threadIdx.x == 0) {
        block = atomicAdd(ticket, 1u);
    }
    __syncthreads();
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = static_cast<I>(warp.thread_rank());
    const auto first_position = static_cast<I>(block) * default_block_size + static_cast<I>(threadIdx.x) - rank;
    const auto position = first_position + rank;
    const auto is_long =
        position < a.size &&
        a.row_ptrs[a.position_of(position) + 1] - a.row_ptrs[a.position_of(position)] > max_entries_of_thread;
    if (warp.any(is_long)) {
        for (auto next = first_position; next < min(first_position + static_cast<I>(warp_size), a.size); ++next) {
            find_level_by_warp(a, warp, next, levels);
        }
    } else {
        find_levels_by_lanes(a, warp, first_position, levels);
    }
}

}  // namespace kernel

template <typename V, typename I>
void compute_levels(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, I* levels)
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
    launch(exec, kernel::find_levels<I>, size,
           kernel::triangle<I>{static_cast<I>(size), a.get_const_row_ptrs(), a.get_const_col_idxs(), upper}, levels,
           ticket);
}

}  // namespace triangular

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
