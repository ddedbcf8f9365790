// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/gpu/base/prelude.hpp"
#include "common/unified/preconditioner/block_entries.hpp"
#include "core/preconditioner/jacobi_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace jacobi {

namespace kernel {

/// Number of threads of a block of threads. A thread holds a row of up to 32 values in registers
/// (doc/tuning/constants.md).
constexpr int inversion_block_size = 128;

/// Represents a row that may become the pivot row.
template <typename Real>
struct pivot_candidate {
    Real magnitude;  ///< negative if the row has been the pivot row already
    int lane;
};

/// Returns the lane of the largest magnitude, or the first of several. A NaN counts as infinity, so
/// that all lanes agree.
template <typename Subwarp, typename Real>
__device__ __forceinline__ int find_pivot(const Subwarp& subwarp, Real magnitude)
{
    const auto is_nan = magnitude != magnitude;
    const pivot_candidate<Real> own{is_nan ? std::numeric_limits<Real>::infinity() : magnitude, subwarp.thread_rank()};
    return reduce(subwarp, own,
                  [](const pivot_candidate<Real>& a, const pivot_candidate<Real>& b) {
                      const auto is_a = a.magnitude > b.magnitude || (a.magnitude == b.magnitude && a.lane < b.lane);
                      return is_a ? a : b;
                  })
        .lane;
}

/// Inverts each block B by Gauss-Jordan elimination in a subwarp, whose lanes hold the rows in
/// registers. Rows are not exchanged: each lane records the step k in which its row is the pivot
/// row, and lane k records the pivot row of step k. If P denotes the permutation that moves the
/// pivot row of step k to row k, the elimination computes C = (P B)^-1, and B^-1 = C P. The
/// registers rotate by one column in each step, so that the column of the pivot is in register 0.
template <int subwarp_size, typename T, typename I>
__global__ __launch_bounds__(inversion_block_size) void invert_blocks(size_type num_blocks, const I* block_ptrs,
                                                                      block_entries<T> entries, int32* any_not_finite)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto block = global_subwarp_id<subwarp_size>();
    if (block >= num_blocks) {
        return;
    }
    const auto first_row = static_cast<size_type>(block_ptrs[block]);
    const auto block_size = static_cast<int>(block_ptrs[block + 1] - block_ptrs[block]);
    const auto rank = static_cast<int>(subwarp.thread_rank());
    const auto has_row = rank < block_size;
    T row[subwarp_size];
    auto is_finite = true;
#pragma unroll
    for (int j = 0; j < subwarp_size; ++j) {
        row[j] = has_row && j < block_size ? entries(first_row + rank, j) : T{};
        is_finite = is_finite && is_finite_value(row[j]);
    }
    if (!is_finite) {  // also infinity must not give a finite inverse
        row[0] = T(std::numeric_limits<remove_complex<T>>::quiet_NaN());
    }
    auto step_as_pivot = -1;
    auto pivot_of_step = 0;  // the step is the rank
    for (int step = 0; step < block_size; ++step) {
        const auto is_candidate = has_row && step_as_pivot < 0;
        const auto magnitude = abs_of(row[0]);
        const auto pivot = find_pivot(subwarp, is_candidate ? magnitude : static_cast<remove_complex<T>>(-1));
        const auto is_pivot = rank == pivot;
        const auto inverse = one<T>() / subwarp.shfl(row[0], pivot);
        const auto factor = row[0];
#pragma unroll
        for (int j = 1; j < subwarp_size; ++j) {
            const auto scaled = subwarp.shfl(row[j], pivot) * inverse;
            row[j - 1] = is_pivot ? scaled : row[j] - factor * scaled;
        }
        row[subwarp_size - 1] = is_pivot ? inverse : -factor * inverse;
        step_as_pivot = is_pivot ? step : step_as_pivot;
        pivot_of_step = rank == step ? pivot : pivot_of_step;
    }
    subwarp.sync();  // all lanes have read their rows
    const auto first_register = subwarp_size - block_size;
#pragma unroll
    for (int i = 0; i < subwarp_size; ++i) {
        const auto step = i - first_register;
        const auto col = subwarp.shfl(pivot_of_step, max(step, 0));
        if (has_row && step >= 0) {
            entries(first_row + step_as_pivot, col) = row[i];
            is_finite = is_finite && is_finite_value(row[i]);
        }
    }
    if (!is_finite) {
        atomicOr(any_not_finite, 1);
    }
}

}  // namespace kernel

/// Inverts the blocks in place. Returns whether the results are finite.
template <typename V, typename I>
bool invert_blocks(const DeviceExecutor& exec, spruce::preconditioner::detail::block_diagonal<V, I>& blocks)
{
    const auto any_not_finite = reserve_sums<int32>(blocks.workspace, 1);
    run_for_each(exec, 1, [=] SPRUCE_KERNEL_LAMBDA(size_type) { *any_not_finite = 0; });
    const auto num_blocks = blocks.get_num_blocks();
    select_subwarp_size(blocks.max_block_size, [&](auto subwarp_size) {
        // Warps may have more threads than blocks have rows.
        constexpr int size =
            std::min(int{decltype(subwarp_size)::value}, spruce::preconditioner::detail::largest_block_size);
        constexpr auto per_block = static_cast<size_type>(kernel::inversion_block_size / size);
        launch_blocks<kernel::inversion_block_size>(
            exec, kernel::invert_blocks<size, device_type<V>, I>, (num_blocks + per_block - 1) / per_block, num_blocks,
            blocks.block_ptrs.get_const_data(), entries_of(blocks), any_not_finite);
    });
    return exec.copy_val_to_host(any_not_finite) == 0;
}

}  // namespace jacobi

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
