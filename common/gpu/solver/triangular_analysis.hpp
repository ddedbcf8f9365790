// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Analyses a triangle: finds the levels of its rows, divides them into slices, and stores the
// entries of the slices.

#include <algorithm>

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/solver/dependency_levels.hpp"
#include "common/gpu/solver/triangular_slices.hpp"
#include "core/components/array_kernels.hpp"
#include "core/solver/level_order.hpp"
#include "core/solver/triangular_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace triangular {

namespace kernel {

/// Number of slices in the chain from a slice's last dependency to the one whose value is awaited
/// before all others (doc/tuning/triangular.md).
constexpr int polling_distance = 2;

/// Returns the window of adjacent positions that contains a level, if its rows all have the last
/// kind. Otherwise returns -1. Windows have as many positions as a warp has lanes.
/// @param last_group  the group of the level's last kind
template <typename I>
__device__ __forceinline__ I window_of_level(const I* group_rows, size_type last_group)
{
    const auto begin = group_rows[last_group + 1 - num_row_kinds];
    const auto window = begin / I{warp_size};
    const auto is_within = (group_rows[last_group + 1] - 1) / I{warp_size} == window;
    return begin == group_rows[last_group] && is_within ? window : I{-1};
}

/// Finds the position of each row, and the number of stored entries of each slice, by a warp for
/// each slice.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void measure_slices(slice_arrays<T, I> slices, const I* num_entries,
                                                                     I* position_of, int64* num_stored)
{
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto slice =
        static_cast<size_type>(grid_dependency_sync()) * (default_block_size / warp_size) + threadIdx.x / warp_size;
    if (slice >= slices.num_slices) {
        return;
    }
    const auto position = slices.rows[slice] + static_cast<I>(warp.thread_rank());
    I length{};
    if (position < slices.rows[slice + 1]) {
        const auto row = slices.order[position];
        position_of[row] = position;
        length = num_entries[row];
    }
    length = reduce(warp, length, [](I x, I y) { return x < y ? y : x; });
    if (warp.thread_rank() == 0) {
        const auto lanes = slices.lanes[slice];
        num_stored[slice] =
            static_cast<int64>((length + lanes - 1) / lanes * lanes) * (slices.rows[slice + 1] - slices.rows[slice]);
    }
}

/// Stores the pattern of the slices, by a warp for each slice.
/// @param position_of  the position of each row
/// @param sources      the entry of the matrix of each stored entry but padding
/// @param latest       the last position before the slice on which it depends, or -1
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void store_slices(triangle<I> a, slice_arrays<T, I> slices,
                                                                   const I* position_of, I* positions, I* sources,
                                                                   I* latest)
{
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto slice =
        static_cast<size_type>(grid_dependency_sync()) * (default_block_size / warp_size) + threadIdx.x / warp_size;
    if (slice >= slices.num_slices) {
        return;
    }
    const auto rank = static_cast<int>(warp.thread_rank());
    const auto first_position = slices.rows[slice];
    const auto num_rows = static_cast<int>(slices.rows[slice + 1] - first_position);
    const auto lanes = static_cast<int>(slices.lanes[slice]);
    const auto begin = slices.ptrs[slice];
    const auto length = static_cast<int64>((slices.ptrs[slice + 1] - begin) / num_rows);  // of the padded rows
    // Several lanes read a row together, also if a single lane will process it.
    const auto own_row = rank < num_rows ? slices.order[first_position + rank] : I{};
    const auto is_long = rank < num_rows && a.row_ptrs[own_row + 1] - a.row_ptrs[own_row] > max_entries_of_subwarp;
    const auto group_size = warp.any(is_long) ? warp_size : max(lanes, int{subwarp_size});
    const auto group_rank = rank % group_size;
    const auto group_lanes = (group_size == warp_size ? ~lane_mask_type{} : (lane_mask_type{1} << group_size) - 1)
                             << (rank - group_rank);
    const auto lanes_below = group_lanes & ((lane_mask_type{1} << rank) - 1);
    I last_before_slice = -1;
    for (int first_row = 0; first_row < num_rows; first_row += warp_size / group_size) {
        const auto row_in_slice = first_row + rank / group_size;
        const auto has_row = row_in_slice < num_rows;
        const auto position = first_position + static_cast<I>(has_row ? row_in_slice : 0);
        const auto row = slices.order[position];
        const auto stored_at = [&](int64 entry) {
            return begin + entry / lanes * (num_rows * lanes) + row_in_slice * lanes + entry % lanes;
        };
        const auto begin_of_row = has_row ? static_cast<size_type>(a.row_ptrs[row]) : size_type{};
        const auto end = has_row ? static_cast<size_type>(a.row_ptrs[row + 1]) : size_type{};
        int64 num_before = 0;  // the slice
        int64 num_within = 0;
        for (auto nz = begin_of_row + group_rank; warp.any(nz < end); nz += group_size) {
            // Columns that are near the diagonal come last, since their values do.
            const auto source = a.upper ? begin_of_row + end - 1 - nz : nz;
            const auto col = nz < end ? a.col_idxs[source] : I{};
            const auto is_entry = nz < end && col != row && (col > row) == a.upper;
            const auto other = is_entry ? position_of[col] : I{-1};
            const auto is_before = is_entry && other < first_position;
            const auto before = warp.ballot(is_before);
            const auto within = warp.ballot(is_entry && !is_before);
            if (is_entry) {
                const auto stored = stored_at(is_before ? num_before + warp::popcnt(before & lanes_below)
                                                        : length - 1 - num_within - warp::popcnt(within & lanes_below));
                positions[stored] = other;
                sources[stored] = static_cast<I>(source);
                last_before_slice = is_before ? max(last_before_slice, other) : last_before_slice;
            }
            num_before += warp::popcnt(before & group_lanes);
            num_within += warp::popcnt(within & group_lanes);
        }
        if (has_row) {
            for (auto entry = num_before + group_rank; entry < length - num_within; entry += group_size) {
                positions[stored_at(entry)] = -1;
            }
        }
    }
    last_before_slice = reduce(warp, last_before_slice, [](I x, I y) { return x < y ? y : x; });
    if (rank == 0) {
        latest[slice] = last_before_slice;
    }
}

}  // namespace kernel

/// Divides the rows of each level into slices.
/// @param num_entries  gets the number of entries of each row in the strict triangle
template <typename V, typename I>
void divide_into_slices(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, array<I>& num_entries,
                        triangular_schedule<V, I>& schedule)
{
    const auto shared_exec = exec.shared_from_this();
    const auto size = a.get_size()[0];
    // Groups are the rows of each kind of each level.
    array<I> groups{shared_exec, size};
    find_levels<V, I>(exec, a, upper, nullptr, groups.get_data(), num_entries.get_data());
    run_for_each(
        exec, size,
        [groups = groups.get_data(), num_entries = num_entries.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row) {
            const auto kind = num_entries[row] > kernel::max_entries_of_subwarp ? 0
                              : num_entries[row] > kernel::max_entries_of_lane  ? 1
                                                                                : 2;
            groups[row] = kernel::num_row_kinds * groups[row] + kind;
        });
    const auto group_rows = order_by_group(groups, schedule.order);
    const auto num_groups = group_rows.get_size() - 1;
    array<I> group_slices{shared_exec, num_groups + 1};
    run_for_each(exec, num_groups,
                 [group_rows = group_rows.get_const_data(),
                  group_slices = group_slices.get_data()] SPRUCE_KERNEL_LAMBDA(size_type group) {
                     const auto kind = static_cast<int>(group % kernel::num_row_kinds);
                     const I rows_per_slice = warp_size / kernel::lanes_per_row(kind);
                     // Levels in the same window share a slice.
                     if (kind == kernel::num_row_kinds - 1 && group >= 2 * kernel::num_row_kinds - 1 &&
                         kernel::window_of_level(group_rows, group) >= 0 &&
                         kernel::window_of_level(group_rows, group) ==
                             kernel::window_of_level(group_rows, group - kernel::num_row_kinds)) {
                         group_slices[group] = 0;
                     } else {
                         group_slices[group] =
                             (group_rows[group + 1] - group_rows[group] + rows_per_slice - 1) / rows_per_slice;
                     }
                 });
    size_type num_slices{};
    kernels::components::prefix_sum<I>(exec, group_slices.get_data(), num_groups + 1, num_slices);
    schedule.slice_rows.resize_and_reset(num_slices + 1);
    schedule.slice_lanes.resize_and_reset(num_slices);
    run_for_each(
        exec, num_slices + 1,
        [group_rows = group_rows.get_const_data(), group_slices = group_slices.get_const_data(), num_groups, num_slices,
         size, slice_rows = schedule.slice_rows.get_data(),
         slice_lanes = schedule.slice_lanes.get_data()] SPRUCE_KERNEL_LAMBDA(size_type slice) {
            if (slice == num_slices) {
                slice_rows[slice] = static_cast<I>(size);
                return;
            }
            const auto group = lower_bound(group_slices, size_type{}, num_groups, static_cast<I>(slice + 1)) - 1;
            const auto lanes = kernel::lanes_per_row(static_cast<int>(group % kernel::num_row_kinds));
            slice_rows[slice] = group_rows[group] + (static_cast<I>(slice) - group_slices[group]) * (warp_size / lanes);
            slice_lanes[slice] = lanes;
        });
}

/// Stores the pattern of the triangle in the slices.
template <typename V, typename I>
void store_slices(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, const array<I>& num_entries,
                  triangular_schedule<V, I>& schedule)
{
    const auto shared_exec = exec.shared_from_this();
    const auto size = a.get_size()[0];
    const auto num_slices = schedule.slice_rows.get_size() - 1;
    array<I> position_of{shared_exec, size};
    schedule.slice_ptrs.resize_and_reset(num_slices + 1);
    launch_dependent(exec, kernel::measure_slices<device_type<V>, I>,
                     ceildiv(num_slices, default_block_size / warp_size), view_slices(schedule),
                     num_entries.get_const_data(), position_of.get_data(), schedule.slice_ptrs.get_data());
    size_type num_stored{};
    kernels::components::prefix_sum<int64>(exec, schedule.slice_ptrs.get_data(), num_slices + 1, num_stored);
    schedule.positions.resize_and_reset(num_stored);
    schedule.sources.resize_and_reset(num_stored);
    schedule.polled_positions.resize_and_reset(num_slices);
    array<I> latest{shared_exec, num_slices};
    launch_dependent(exec, kernel::store_slices<device_type<V>, I>, ceildiv(num_slices, default_block_size / warp_size),
                     kernel::triangle<I>{static_cast<I>(size), a.get_const_row_ptrs(), a.get_const_col_idxs(), upper},
                     view_slices(schedule), position_of.get_const_data(), schedule.positions.get_data(),
                     schedule.sources.get_data(), latest.get_data());
    run_for_each(exec, num_slices,
                 [latest = latest.get_const_data(), slice_rows = schedule.slice_rows.get_const_data(), num_slices,
                  polled_positions = schedule.polled_positions.get_data()] SPRUCE_KERNEL_LAMBDA(size_type slice) {
                     auto position = latest[slice];
                     for (int i = 0; i < kernel::polling_distance && position >= 0; ++i) {
                         const auto next =
                             lower_bound(slice_rows, size_type{}, num_slices, static_cast<I>(position + 1));
                         position = latest[next - 1];
                     }
                     polled_positions[slice] = position;
                 });
}

template <typename V, typename I>
void update_values(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, triangular_schedule<V, I>& schedule)
{
    using T = device_type<V>;
    const auto a_values = as_device(a.get_const_values());
    const auto diagonal = schedule.diagonal.get_const_data();  // null for a diagonal of ones
    const auto num_values = schedule.values.get_size();
    const auto size = schedule.inverse_diagonal.get_size();
    run_for_each(
        exec, std::max(num_values, size),
        [a_values, diagonal, num_values, size, positions = schedule.positions.get_const_data(),
         sources = schedule.sources.get_const_data(), values = as_device(schedule.values.get_data()),
         order = schedule.order.get_const_data(),
         inverse_diagonal = as_device(schedule.inverse_diagonal.get_data())] SPRUCE_KERNEL_LAMBDA(size_type i) {
            if (i < num_values) {
                values[i] = positions[i] >= 0 ? a_values[sources[i]] : zero<T>();
            }
            if (i < size) {
                inverse_diagonal[i] = diagonal ? one<T>() / a_values[diagonal[order[i]]] : one<T>();
            }
        });
}

template <typename V, typename I>
void analyze_slices(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper,
                    triangular_schedule<V, I>& schedule)
{
    if (a.get_size()[0] == 0) {
        return;
    }
    array<I> num_entries{exec.shared_from_this(), a.get_size()[0]};
    divide_into_slices(exec, a, upper, num_entries, schedule);
    store_slices(exec, a, upper, num_entries, schedule);
    schedule.values.resize_and_reset(schedule.positions.get_size());
    schedule.inverse_diagonal.resize_and_reset(a.get_size()[0]);
    update_values(exec, a, schedule);
}

}  // namespace triangular

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
