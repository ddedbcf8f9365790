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
#include "common/gpu/solver/dependency_levels.hpp"
#include "core/components/array_kernels.hpp"
#include "core/solver/level_order.hpp"
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

/// Time between two loads of a value that is awaited before others (doc/tuning/triangular.md).
constexpr int gate_nanoseconds = 200;

/// Returns the number of lanes that process a row of a kind.
__device__ __forceinline__ constexpr int lanes_per_row(int kind)
{
    return kind == 0 ? warp_size : kind == 1 ? subwarp_size : 1;
}

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

/// Views the slices of a triangle.
template <typename T, typename I>
struct slice_arrays {
    size_type num_slices;
    const I* rows;
    const int64* ptrs;
    const I* lanes;
    const I* gates;
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
                published::wait<gate_nanoseconds>(address);
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
/// @param gate  position whose value is awaited before those of the entries, or -1
template <int num_cols, typename T, typename I, typename Warp>
__device__ __forceinline__ void subtract_products(const Warp& warp, const slice_arrays<T, I>& a,
                                                  const lane_entries& entries, I first_position, I gate,
                                                  const T* solution, T* sums)
{
    constexpr int small_batch_size = 4;
    if (!warp.any(entries.num > small_batch_size)) {
        entry_batch<small_batch_size, T, I> batch;
        batch.load(a, entries, 0, first_position);
        wait_for_position<num_cols>(warp, gate, solution);
        subtract_batch<num_cols>(warp, batch, first_position, solution, sums);
        return;
    }
    constexpr int batch_size = num_cols == 1 ? 8 : 4;
    entry_batch<batch_size, T, I> next;
    next.load(a, entries, 0, first_position);
    wait_for_position<num_cols>(warp, gate, solution);
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
    size_type slice = rank == 0 ? atomicAdd(ticket, 1u) : 0;
    slice = warp.shfl(slice, 0);
    while (slice < a.num_slices) {
        const uint32 next_slice = rank == 0 ? atomicAdd(ticket, 1u) : 0;  // while this one waits
        const auto first_position = a.rows[slice];
        const auto num_rows = static_cast<int>(a.rows[slice + 1] - first_position);
        const auto lanes = static_cast<int>(a.lanes[slice]);
        const auto gate = a.gates[slice];
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
        subtract_products<num_cols>(warp, a, entries, first_position, gate, solution, sums);
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

/// Stores the entries of the slices, and the inverted diagonal, by a warp for each slice.
/// @param position_of  the position of each row
/// @param latest       the last position before the slice on which it depends, or -1
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void store_slices(triangle<I> a, const T* a_values, bool unit_diagonal,
                                                                   slice_arrays<T, I> slices, const I* position_of,
                                                                   I* positions, T* values, T* inverse_diagonal,
                                                                   I* latest)
{
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto slice = static_cast<size_type>(blockIdx.x) * (default_block_size / warp_size) + threadIdx.x / warp_size;
    if (slice >= slices.num_slices) {
        return;
    }
    const auto rank = static_cast<int>(warp.thread_rank());
    const auto first_position = slices.rows[slice];
    const auto num_rows = static_cast<int>(slices.rows[slice + 1] - first_position);
    const auto lanes = static_cast<int>(slices.lanes[slice]);
    const auto begin = slices.ptrs[slice];
    const auto length = static_cast<int64>((slices.ptrs[slice + 1] - begin) / num_rows);  // of the padded rows
    // A few lanes read a row together, also if a single lane will process it.
    const auto group_size = max(lanes, int{subwarp_size});
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
            const auto is_diagonal = nz < end && col == row;
            const auto is_entry = nz < end && col != row && (col > row) == a.upper;
            const auto other = is_entry ? position_of[col] : I{-1};
            const auto is_before = is_entry && other < first_position;
            const auto before = warp.ballot(is_before);
            const auto within = warp.ballot(is_entry && !is_before);
            if (is_entry) {
                const auto stored = stored_at(is_before ? num_before + warp::popcnt(before & lanes_below)
                                                        : length - 1 - num_within - warp::popcnt(within & lanes_below));
                positions[stored] = other;
                values[stored] = a_values[source];
                last_before_slice = is_before ? max(last_before_slice, other) : last_before_slice;
            } else if (is_diagonal && !unit_diagonal) {
                inverse_diagonal[position] = one<T>() / a_values[source];
            }
            num_before += warp::popcnt(before & group_lanes);
            num_within += warp::popcnt(within & group_lanes);
        }
        if (has_row) {
            for (auto entry = num_before + group_rank; entry < length - num_within; entry += group_size) {
                positions[stored_at(entry)] = -1;
                values[stored_at(entry)] = zero<T>();
            }
            if (unit_diagonal && group_rank == 0) {
                inverse_diagonal[position] = one<T>();
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
    find_levels(exec, a, upper, groups.get_data(), num_entries.get_data());
    run_for_each(
        exec, size,
        [groups = groups.get_data(), num_entries = num_entries.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row) {
            const auto kind = num_entries[row] > kernel::max_entries_of_subwarp ? 0
                              : num_entries[row] > kernel::max_entries_of_lane  ? 1
                                                                                : 2;
            groups[row] = kernel::num_row_kinds * groups[row] + kind;
        });
    const auto group_rows = order_by_group(groups, kernel::num_row_kinds * size, schedule.order);
    const auto num_groups = group_rows.get_size() - 1;
    schedule.num_levels = (num_groups + kernel::num_row_kinds - 1) / kernel::num_row_kinds;
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

template <typename V, typename I>
kernel::slice_arrays<device_type<V>, I> view_slices(const triangular_schedule<V, I>& schedule)
{
    return {schedule.slice_rows.get_size() - 1,
            schedule.slice_rows.get_const_data(),
            schedule.slice_ptrs.get_const_data(),
            schedule.slice_lanes.get_const_data(),
            schedule.slice_gates.get_const_data(),
            schedule.positions.get_const_data(),
            as_device(schedule.values.get_const_data()),
            as_device(schedule.inverse_diagonal.get_const_data()),
            schedule.order.get_const_data()};
}

/// Stores the triangle in the slices.
template <typename V, typename I>
void store_slices(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool unit_diagonal, bool upper,
                  const array<I>& num_entries, triangular_schedule<V, I>& schedule)
{
    const auto shared_exec = exec.shared_from_this();
    const auto size = a.get_size()[0];
    const auto num_slices = schedule.slice_rows.get_size() - 1;
    array<I> position_of{shared_exec, size};
    schedule.slice_ptrs.resize_and_reset(num_slices + 1);
    run_for_each(exec, num_slices,
                 [slice_rows = schedule.slice_rows.get_const_data(),
                  slice_lanes = schedule.slice_lanes.get_const_data(), slice_ptrs = schedule.slice_ptrs.get_data(),
                  order = schedule.order.get_const_data(), position_of = position_of.get_data(),
                  num_entries = num_entries.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type slice) {
                     I length{};
                     for (auto position = slice_rows[slice]; position < slice_rows[slice + 1]; ++position) {
                         const auto row = order[position];
                         position_of[row] = position;
                         length = max(length, num_entries[row]);
                     }
                     const auto lanes = slice_lanes[slice];
                     slice_ptrs[slice] = static_cast<int64>((length + lanes - 1) / lanes * lanes) *
                                         (slice_rows[slice + 1] - slice_rows[slice]);
                 });
    size_type num_stored{};
    kernels::components::prefix_sum<int64>(exec, schedule.slice_ptrs.get_data(), num_slices + 1, num_stored);
    schedule.positions.resize_and_reset(num_stored);
    schedule.values.resize_and_reset(num_stored);
    schedule.inverse_diagonal.resize_and_reset(size);
    schedule.slice_gates.resize_and_reset(num_slices);
    array<I> latest{shared_exec, num_slices};
    launch(exec, kernel::store_slices<device_type<V>, I>, num_slices * warp_size,
           kernel::triangle<I>{static_cast<I>(size), a.get_const_row_ptrs(), a.get_const_col_idxs(), upper},
           as_device(a.get_const_values()), unit_diagonal, view_slices(schedule), position_of.get_const_data(),
           schedule.positions.get_data(), as_device(schedule.values.get_data()),
           as_device(schedule.inverse_diagonal.get_data()), latest.get_data());
    // The gate of a slice is the last position on which the slice of its own last one depends.
    run_for_each(
        exec, num_slices,
        [latest = latest.get_const_data(), slice_rows = schedule.slice_rows.get_const_data(), num_slices,
         gates = schedule.slice_gates.get_data()] SPRUCE_KERNEL_LAMBDA(size_type slice) {
            const auto position = latest[slice];
            gates[slice] =
                position < 0
                    ? I{-1}
                    : latest[lower_bound(slice_rows, size_type{}, num_slices, static_cast<I>(position + 1)) - 1];
        });
}

template <typename V, typename I>
void analyze(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, bool unit_diagonal,
             triangular_schedule<V, I>& schedule)
{
    if (a.get_size()[0] == 0) {
        return;
    }
    array<I> num_entries{exec.shared_from_this(), a.get_size()[0]};
    divide_into_slices(exec, a, upper, num_entries, schedule);
    store_slices(exec, a, unit_diagonal, upper, num_entries, schedule);
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
        std::min<size_type>(num_resident_blocks(exec), ceildiv(slices.num_slices, default_block_size / warp_size));
    launch_blocks(exec, kernel::solve_slices<num_cols, T, I>, num_blocks, slices,
                  as_device(b.get_const_values()) + first_col, b.get_stride(), as_device(x.get_values()) + first_col,
                  x.get_stride(), solution, ticket);
}

template <typename V, typename I>
void solve(const DeviceExecutor& exec, const matrix::Csr<V, I>&, bool, bool, const triangular_schedule<V, I>& schedule,
           const matrix::Dense<V>& b, matrix::Dense<V>& x)
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
