// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Stores a triangle in the order of levels, in slices of adjacent rows, and solves with it in one
// kernel. Warps take slices by tickets in this order. Thus all slices on which a slice depends have
// been taken by running warps, and the first unfinished slice can always continue. A row waits for
// the values of other rows, which are published by position, since the positions of a slice are
// adjacent (Liu, Li, Hogg, Duff and Vinter 2016; the order of levels is that of Anderson and Saad
// 1989).
//
// A slice contains rows of one level or, if levels have few rows, all rows of several levels. Rows
// of the same slice pass their values on in shared memory.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/published_values.hpp"
#include "core/solver/triangular_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace triangular {

using spruce::solver::detail::triangular_schedule;

namespace kernel {

/// Kinds of rows by their number of entries in the strict triangle. A row of the first kind is
/// processed by a warp, the others by subwarps and by lanes (doc/tuning/triangular.md).
constexpr int num_row_kinds = 3;
constexpr int max_entries_of_lane = 16;
constexpr int max_entries_of_subwarp = 128;
constexpr int subwarp_size = 8;

/// Number of blocks that are launched for each multiprocessor. More warps do not help, since they
/// wait, and delay the others by their loads (doc/tuning/triangular.md).
constexpr int blocks_per_multiprocessor = 2;

/// Returns the number of lanes that process a row of a kind.
__device__ __forceinline__ constexpr int lanes_per_row(int kind)
{
    return kind == 0 ? warp_size : kind == 1 ? subwarp_size : 1;
}

/// Views the slices of a triangle.
template <typename T, typename I>
struct slice_arrays {
    size_type num_slices;
    const I* rows;
    const int64* ptrs;
    const I* lanes;
    const I* polled_positions;
    const I* positions;
    const T* values;
    const T* inverse_diagonal;
    const I* order;
};

/// Represents the entries of a lane: the first one, and each step-th one after it.
struct lane_entries {
    int64 first;
    int64 step;
    int64 num;
};

/// Contains entries of a lane whose columns are before the positions of its slice. Others have the
/// value zero.
template <int size, typename T, typename I>
struct entry_batch {
    __device__ __forceinline__ void load(const slice_arrays<T, I>& a, const lane_entries& entries, int64 begin,
                                         I first_position)
    {
#pragma unroll
        for (int i = 0; i < size; ++i) {
            positions[i] = -1;
            values[i] = zero<T>();
            if (begin + i < entries.num) {
                const auto nz = entries.first + (begin + i) * entries.step;
                positions[i] = a.positions[nz];
                values[i] = a.values[nz];
            }
        }
        needed = 0;
#pragma unroll
        for (int i = 0; i < size; ++i) {
            if (positions[i] >= 0 && positions[i] < first_position) {
                needed |= 1u << i;
            } else {
                values[i] = zero<T>();
            }
        }
    }

    I positions[size];
    T values[size];
    uint32 needed;  ///< a bit for each entry
};

/// Waits until the value at a position has been published. Only one lane of the warp polls it.
template <int num_cols, typename T, typename I, typename Warp>
__device__ __forceinline__ void wait_for_position(const Warp& warp, I position, const T* solution)
{
    const auto address = solution + static_cast<size_type>(position) * num_cols;
    auto is_waiting = position >= 0 && warp.thread_rank() == 0;
    while (warp.any(is_waiting)) {
        if (is_waiting) {
            is_waiting = !published::is_complete(published::load(address));
            if (is_waiting) {
                published::wait(address);
            }
        }
    }
}

/// Subtracts products of entries and published values from sums. All lanes of the warp call it,
/// each for its own entries.
template <int num_cols, int size, typename T, typename I, typename Warp>
__device__ __forceinline__ void subtract_batch(const Warp& warp, const entry_batch<size, T, I>& batch, I first_position,
                                               const T* solution, T* sums)
{
    published::bits<T> others[size][num_cols]{};
    auto missing = batch.needed;
    while (warp.any(missing != 0)) {
        // Loads do not depend on conditions, so that all are under way together.
        published::bits<T> loaded[size][num_cols];
#pragma unroll
        for (int i = 0; i < size; ++i) {
            const auto position = (missing & 1u << i) != 0 ? batch.positions[i] : first_position;
            for (int col = 0; col < num_cols; ++col) {
                loaded[i][col] = published::load(solution + static_cast<size_type>(position) * num_cols + col);
            }
        }
        auto awaited = solution;
#pragma unroll
        for (int i = 0; i < size; ++i) {
            auto is_complete = true;
            for (int col = 0; col < num_cols; ++col) {
                is_complete = is_complete && published::is_complete(loaded[i][col]);
            }
            if ((missing & 1u << i) != 0) {
                if (is_complete) {
                    missing &= ~(1u << i);
                    for (int col = 0; col < num_cols; ++col) {
                        others[i][col] = loaded[i][col];
                    }
                } else {
                    awaited = solution + static_cast<size_type>(batch.positions[i]) * num_cols;
                }
            }
        }
        if (missing != 0) {
            published::wait(awaited);
        }
    }
#pragma unroll
    for (int i = 0; i < size; ++i) {
        for (int col = 0; col < num_cols; ++col) {
            sums[col] -= batch.values[i] * published::value_of(others[i][col]);
        }
    }
}

/// Subtracts products of all entries and published values from sums, as subtract_batch().
/// @param polled  position whose value is awaited before those of the entries, or -1
template <int num_cols, typename T, typename I, typename Warp>
__device__ __forceinline__ void subtract_products(const Warp& warp, const slice_arrays<T, I>& a,
                                                  const lane_entries& entries, I first_position, I polled,
                                                  const T* solution, T* sums)
{
    constexpr int small_batch_size = 4;
    if (!warp.any(entries.num > small_batch_size)) {
        entry_batch<small_batch_size, T, I> batch;
        batch.load(a, entries, 0, first_position);
        wait_for_position<num_cols>(warp, polled, solution);
        subtract_batch<num_cols>(warp, batch, first_position, solution, sums);
        return;
    }
    constexpr int batch_size = num_cols == 1 ? 8 : 4;
    entry_batch<batch_size, T, I> next;
    next.load(a, entries, 0, first_position);
    wait_for_position<num_cols>(warp, polled, solution);
    for (int64 begin = 0; warp.any(begin < entries.num); begin += batch_size) {
        const auto batch = next;
        next.load(a, entries, begin + batch_size, first_position);
        subtract_batch<num_cols>(warp, batch, first_position, solution, sums);
    }
}

/// Contains an entry whose column is the row of another lane.
template <typename T, typename I>
struct inner_entry {
    __device__ __forceinline__ void load(const slice_arrays<T, I>& a, const lane_entries& entries, int64 index,
                                         I first_position)
    {
        lane = -1;
        if (index >= 0) {
            const auto distance = a.positions[entries.first + index * entries.step] - first_position;
            lane = distance >= 0 ? static_cast<int>(distance) : -1;
            value = a.values[entries.first + index * entries.step];
        }
    }

    int lane;  ///< negative if there is no such entry
    T value;
};

/// Computes num_cols columns of x. solution is without values at the start, and ticket is zero.
/// @param solution  solution[position * num_cols + col] for each position
template <int num_cols, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void solve_slices(slice_arrays<T, I> a, const T* b, size_type b_stride,
                                                                   T* x, size_type x_stride, T* solution,
                                                                   uint32* ticket)
{
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = static_cast<int>(warp.thread_rank());
    grid_dependency_sync();
    size_type slice = rank == 0 ? atomicAdd(ticket, 1u) : 0;
    slice = warp.shfl(slice, 0);
    while (slice < a.num_slices) {
        const uint32 next_slice = rank == 0 ? atomicAdd(ticket, 1u) : 0;  // while this one waits
        const auto first_position = a.rows[slice];
        const auto num_rows = static_cast<int>(a.rows[slice + 1] - first_position);
        const auto lanes = static_cast<int>(a.lanes[slice]);
        const auto polled = a.polled_positions[slice];
        const auto row_in_slice = rank / lanes;
        const auto has_row = row_in_slice < num_rows;
        const auto finishes_row = has_row && rank % lanes == 0;
        const auto position = first_position + static_cast<I>(has_row ? row_in_slice : 0);
        const auto step = num_rows * lanes;
        const auto begin = a.ptrs[slice];
        const auto num_stored = a.ptrs[slice + 1] - begin;
        const auto num_of_lane = lanes == warp_size ? num_stored / warp_size : static_cast<int>(num_stored) / step;
        const lane_entries entries{begin + rank, step, has_row ? num_of_lane : 0};
        size_type row{};
        auto factor = zero<T>();
        T sums[num_cols]{};
        if (finishes_row) {
            row = static_cast<size_type>(a.order[position]);
            factor = a.inverse_diagonal[position];
            for (int col = 0; col < num_cols; ++col) {
                sums[col] = b[row * b_stride + col];
            }
        }
        // The columns within the slice come last, in reverse order.
        auto num_left = lanes == 1 ? entries.num : 0;
        inner_entry<T, I> current;
        inner_entry<T, I> next;
        current.load(a, entries, --num_left, first_position);
        next.load(a, entries, --num_left, first_position);
        subtract_products<num_cols>(warp, a, entries, first_position, polled, solution, sums);
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            for (int col = 0; col < num_cols; ++col) {
                sums[col] = sums[col] + warp.shfl_xor(sums[col], distance);
            }
        }
        auto is_finished = !finishes_row;
        lane_mask_type finished_lanes{};
        do {
            if (!is_finished && current.lane < 0) {
                for (int col = 0; col < num_cols; ++col) {
                    sums[col] = sums[col] * factor;
                    published::store(solution + static_cast<size_type>(position) * num_cols + col, sums[col]);
                    x[row * x_stride + col] = sums[col];
                }
                is_finished = true;
            }
            finished_lanes = warp.ballot(is_finished);
            const auto is_available = current.lane >= 0 && (finished_lanes >> current.lane & 1) != 0;
            for (int col = 0; col < num_cols; ++col) {
                const auto other = warp.shfl(sums[col], is_available ? current.lane : rank);
                sums[col] = is_available ? sums[col] - current.value * other : sums[col];
            }
            if (is_available) {
                current = next;
                next.load(a, entries, --num_left, first_position);
            }
        } while (warp::popcnt(finished_lanes) < warp_size);
        slice = warp.shfl(next_slice, 0);
    }
}

}  // namespace kernel

template <typename V, typename I>
kernel::slice_arrays<device_type<V>, I> view_slices(const triangular_schedule<V, I>& schedule)
{
    return {schedule.slice_rows.get_size() - 1,
            schedule.slice_rows.get_const_data(),
            schedule.slice_ptrs.get_const_data(),
            schedule.slice_lanes.get_const_data(),
            schedule.polled_positions.get_const_data(),
            schedule.positions.get_const_data(),
            as_device(schedule.values.get_const_data()),
            as_device(schedule.inverse_diagonal.get_const_data()),
            schedule.order.get_const_data()};
}

/// Solves for num_cols columns of b, from first_col on.
template <int num_cols, typename V, typename I>
void solve_columns(const DeviceExecutor& exec, const triangular_schedule<V, I>& schedule, const matrix::Dense<V>& b,
                   matrix::Dense<V>& x, size_type first_col)
{
    using T = device_type<V>;
    const auto size = b.get_size()[0];
    const auto slices = view_slices(schedule);
    const auto scratch = exec.acquire_scratch(size * num_cols * sizeof(T) + sizeof(uint32));
    const auto solution = scratch.template as<T>();
    const auto ticket = reinterpret_cast<uint32*>(solution + size * num_cols);
    run_for_each(exec, size * num_cols, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        published::clear(solution + i);
        if (i == 0) {
            *ticket = 0;
        }
    });
    const auto num_blocks =
        std::min<size_type>(static_cast<size_type>(exec.get_num_multiprocessor()) * kernel::blocks_per_multiprocessor,
                            ceildiv(slices.num_slices, default_block_size / warp_size));
    launch_dependent(exec, kernel::solve_slices<num_cols, T, I>, num_blocks, slices,
                     as_device(b.get_const_values()) + first_col, b.get_stride(), as_device(x.get_values()) + first_col,
                     x.get_stride(), solution, ticket);
}

template <typename V, typename I>
void solve_slices(const DeviceExecutor& exec, const triangular_schedule<V, I>& schedule, const matrix::Dense<V>& b,
                  matrix::Dense<V>& x)
{
    const auto num_cols = b.get_size()[0] == 0 ? size_type{} : b.get_size()[1];
    size_type col = 0;
    for (; col + 4 <= num_cols; col += 4) {
        solve_columns<4>(exec, schedule, b, x, col);
    }
    if (num_cols - col >= 2) {
        solve_columns<2>(exec, schedule, b, x, col);
        col += 2;
    }
    if (col < num_cols) {
        solve_columns<1>(exec, schedule, b, x, col);
    }
}

}  // namespace triangular

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
