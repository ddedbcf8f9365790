// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Stores a triangle in the order of levels, in slices of rows that do not depend on each other, and
// solves with it in one kernel. Warps take slices by tickets in this order. Thus all slices on
// which a slice depends have been taken by running warps, and the first unfinished slice can always
// continue. A row waits for the values of other rows, which are published by position, since the
// positions of a slice are adjacent (Liu, Li, Hogg, Duff and Vinter 2016; the order of levels is
// that of Anderson and Saad 1989).

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

/// Rows with more entries in the triangle have a slice of their own, which all lanes of a warp
/// process (doc/tuning/constants.md).
constexpr int max_entries_of_lane = 32;

/// Views the slices of a triangle.
template <typename T, typename I>
struct slice_arrays {
    size_type num_slices;
    const I* rows;
    const int64* ptrs;
    const I* positions;
    const T* values;
    const T* inverse_diagonal;
    const I* order;
};

/// Subtracts products of entries and published values from sums: those of the entries first, first
/// + step, ..., num of them. All lanes of the warp call it, each for its own entries.
template <int num_cols, typename T, typename I, typename Warp>
__device__ __forceinline__ void subtract_products(const Warp& warp, const slice_arrays<T, I>& a, int64 first,
                                                  int64 step, int64 num, const T* solution, T* sums)
{
    constexpr int num_at_once = num_cols == 1 ? 8 : 4;
    for (int64 begin = 0; warp.any(begin < num); begin += num_at_once) {
        I positions[num_at_once];
        T values[num_at_once];
        T others[num_at_once][num_cols];
        uint32 missing = 0;
#pragma unroll
        for (int i = 0; i < num_at_once; ++i) {
            const auto nz = first + (begin + i) * step;
            positions[i] = begin + i < num ? a.positions[nz] : I{-1};
            if (positions[i] >= 0) {
                values[i] = a.values[nz];
                missing |= 1u << i;
            }
        }
        const auto needed = missing;
        while (warp.any(missing != 0)) {
            if (missing == 0) {
                continue;
            }
            auto awaited = solution;
#pragma unroll
            for (int i = 0; i < num_at_once; ++i) {
                if ((missing & 1u << i) != 0) {
                    auto is_complete = true;
                    for (int col = 0; col < num_cols; ++col) {
                        const auto address = solution + static_cast<size_type>(positions[i]) * num_cols + col;
                        if (!published::load(address, others[i][col])) {
                            is_complete = false;
                            awaited = address;
                        }
                    }
                    missing &= is_complete ? ~(1u << i) : ~0u;
                }
            }
            if (missing != 0) {
                published::wait(awaited);
            }
        }
#pragma unroll
        for (int i = 0; i < num_at_once; ++i) {
            if ((needed & 1u << i) != 0) {
                for (int col = 0; col < num_cols; ++col) {
                    sums[col] -= values[i] * others[i][col];
                }
            }
        }
    }
}

/// Computes num_cols columns of x. solution is without values at the start, and ticket is zero.
/// @param solution  solution[position * num_cols + col] for each position
template <int num_cols, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void solve_slices(slice_arrays<T, I> a, const T* b, size_type b_stride,
                                                                   T* x, size_type x_stride, T* solution,
                                                                   uint32* ticket)
{
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = static_cast<int>(warp.thread_rank());
    const auto take_slice = [&] {
        uint32 result = 0;
        if (rank == 0) {
            result = atomicAdd(ticket, 1u);
        }
        return warp.shfl(result, 0);
    };
    auto slice = take_slice();
    while (slice < a.num_slices) {
        const auto next_slice = take_slice();  // while this one waits
        const auto first = a.rows[slice];
        const auto num_rows = static_cast<int>(a.rows[slice + 1] - first);
        const auto begin = a.ptrs[slice];
        const auto length = (a.ptrs[slice + 1] - begin) / num_rows;
        const auto is_shared = num_rows == 1;  // by all lanes
        const auto position = first + static_cast<I>(is_shared ? 0 : rank);
        const auto writes = rank < num_rows;
        const auto row = writes || is_shared ? static_cast<size_type>(a.order[position]) : size_type{};
        T sums[num_cols]{};
        if (writes) {
            for (int col = 0; col < num_cols; ++col) {
                sums[col] = b[row * b_stride + col];
            }
        }
        if (is_shared) {
            const auto num = rank < length ? (length - rank + warp_size - 1) / warp_size : 0;
            subtract_products<num_cols>(warp, a, begin + rank, int64{warp_size}, num, solution, sums);
            for (int col = 0; col < num_cols; ++col) {
                sums[col] = reduce_add(warp, sums[col]);
            }
        } else {
            subtract_products<num_cols>(warp, a, begin + rank, int64{num_rows}, writes ? length : 0, solution, sums);
        }
        if (writes) {
            const auto factor = a.inverse_diagonal[position];
            for (int col = 0; col < num_cols; ++col) {
                const auto value = sums[col] * factor;
                published::store(solution + static_cast<size_type>(position) * num_cols + col, value);
                x[row * x_stride + col] = value;
            }
        }
        warp.sync();
        slice = next_slice;
    }
}

}  // namespace kernel

/// Returns the number of preceding entries in the strict triangle for each entry of the matrix.
template <typename V, typename I>
array<I> count_before_in_triangle(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper)
{
    const auto nnz = a.get_num_stored_elements();
    array<I> result{exec.shared_from_this(), nnz + 1};
    result.fill(I{});
    run_for_each_nonzero(exec, a.get_const_row_ptrs(), a.get_size()[0], nnz,
                         [cols = a.get_const_col_idxs(), before = result.get_data(), upper] SPRUCE_KERNEL_LAMBDA(
                             size_type row, size_type nz) {
                             const auto col = static_cast<size_type>(cols[nz]);
                             before[nz] = col != row && (col > row) == upper ? 1 : 0;
                         });
    size_type total{};
    kernels::components::prefix_sum<I>(exec, result.get_data(), nnz + 1, total);
    return result;
}

/// Divides the rows of each level into slices, such that rows with many entries have one of their
/// own.
/// @param before  the result of count_before_in_triangle()
template <typename V, typename I>
void divide_into_slices(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, const array<I>& before,
                        triangular_schedule<V, I>& schedule)
{
    const auto shared_exec = exec.shared_from_this();
    const auto size = a.get_size()[0];
    // Two groups for each level: rows with a slice of their own, and the others.
    array<I> groups{shared_exec, size};
    compute_levels(exec, a, upper, groups.get_data());
    run_for_each(exec, size,
                 [groups = groups.get_data(), row_ptrs = a.get_const_row_ptrs(),
                  before = before.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto num_entries = before[row_ptrs[row + 1]] - before[row_ptrs[row]];
                     groups[row] = 2 * groups[row] + (num_entries > kernel::max_entries_of_lane ? 0 : 1);
                 });
    const auto group_rows = order_by_group(groups, 2 * size, schedule.order);
    const auto num_groups = group_rows.get_size() - 1;
    schedule.num_levels = (num_groups + 1) / 2;
    array<I> group_slices{shared_exec, num_groups + 1};
    run_for_each(exec, num_groups,
                 [group_rows = group_rows.get_const_data(),
                  group_slices = group_slices.get_data()] SPRUCE_KERNEL_LAMBDA(size_type group) {
                     const I num_rows = group_rows[group + 1] - group_rows[group];
                     const I rows_per_slice = group % 2 == 0 ? 1 : warp_size;
                     group_slices[group] = (num_rows + rows_per_slice - 1) / rows_per_slice;
                 });
    size_type num_slices{};
    kernels::components::prefix_sum<I>(exec, group_slices.get_data(), num_groups + 1, num_slices);
    schedule.slice_rows.resize_and_reset(num_slices + 1);
    run_for_each(
        exec, num_slices + 1,
        [group_rows = group_rows.get_const_data(), group_slices = group_slices.get_const_data(), num_groups, num_slices,
         size, slice_rows = schedule.slice_rows.get_data()] SPRUCE_KERNEL_LAMBDA(size_type slice) {
            if (slice == num_slices) {
                slice_rows[slice] = static_cast<I>(size);
                return;
            }
            const auto group = lower_bound(group_slices, size_type{}, num_groups, static_cast<I>(slice + 1)) - 1;
            const I rows_per_slice = group % 2 == 0 ? 1 : warp_size;
            slice_rows[slice] = group_rows[group] + (static_cast<I>(slice) - group_slices[group]) * rows_per_slice;
        });
}

/// Stores the triangle in the slices.
template <typename V, typename I>
void store_slices(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool unit_diagonal, bool upper,
                  const array<I>& before, triangular_schedule<V, I>& schedule)
{
    using T = device_type<V>;
    const auto shared_exec = exec.shared_from_this();
    const auto size = a.get_size()[0];
    const auto num_slices = schedule.slice_rows.get_size() - 1;
    const auto order = schedule.order.get_const_data();
    const auto slice_rows = schedule.slice_rows.get_const_data();
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto num_before = before.get_const_data();
    array<I> positions_of_rows{shared_exec, size};
    array<I> slices_of_rows{shared_exec, size};
    schedule.slice_ptrs.resize_and_reset(num_slices + 1);
    const auto slice_ptrs = schedule.slice_ptrs.get_data();
    const auto position_of = positions_of_rows.get_data();
    const auto slice_of = slices_of_rows.get_data();
    run_for_each(exec, num_slices, [=] SPRUCE_KERNEL_LAMBDA(size_type slice) {
        I length{};
        for (auto position = slice_rows[slice]; position < slice_rows[slice + 1]; ++position) {
            const auto row = order[position];
            position_of[row] = position;
            slice_of[row] = static_cast<I>(slice);
            length = max(length, num_before[row_ptrs[row + 1]] - num_before[row_ptrs[row]]);
        }
        slice_ptrs[slice] = static_cast<int64>(length) * (slice_rows[slice + 1] - slice_rows[slice]);
    });
    size_type num_entries{};
    kernels::components::prefix_sum<int64>(exec, slice_ptrs, num_slices + 1, num_entries);
    schedule.positions.resize_and_reset(num_entries);
    schedule.values.resize_and_reset(num_entries);
    schedule.inverse_diagonal.resize_and_reset(size);
    schedule.positions.fill(-1);
    schedule.inverse_diagonal.fill(one<V>());
    run_for_each_nonzero(
        exec, row_ptrs, size, a.get_num_stored_elements(),
        [=, cols = a.get_const_col_idxs(), values = as_device(a.get_const_values()),
         positions = schedule.positions.get_data(), stored_values = as_device(schedule.values.get_data()),
         inverse_diagonal = as_device(schedule.inverse_diagonal.get_data())] SPRUCE_KERNEL_LAMBDA(size_type row,
                                                                                                  size_type nz) {
            const auto col = static_cast<size_type>(cols[nz]);
            const auto position = position_of[row];
            if (col == row) {
                if (!unit_diagonal) {
                    inverse_diagonal[position] = one<T>() / values[nz];
                }
            } else if ((col > row) == upper) {
                const auto slice = slice_of[row];
                const auto first = slice_rows[slice];
                const auto stored =
                    slice_ptrs[slice] + (position - first) +
                    static_cast<int64>(num_before[nz] - num_before[row_ptrs[row]]) * (slice_rows[slice + 1] - first);
                positions[stored] = position_of[col];
                stored_values[stored] = values[nz];
            }
        });
}

template <typename V, typename I>
void analyze(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, bool unit_diagonal,
             triangular_schedule<V, I>& schedule)
{
    if (a.get_size()[0] == 0) {
        return;
    }
    const auto before = count_before_in_triangle(exec, a, upper);
    divide_into_slices(exec, a, upper, before, schedule);
    store_slices(exec, a, unit_diagonal, upper, before, schedule);
}

/// Solves for num_cols columns of b, from first_col on.
template <int num_cols, typename V, typename I>
void solve_columns(const DeviceExecutor& exec, const triangular_schedule<V, I>& schedule, const matrix::Dense<V>& b,
                   matrix::Dense<V>& x, size_type first_col)
{
    using T = device_type<V>;
    const auto size = b.get_size()[0];
    const kernel::slice_arrays<T, I> slices{schedule.slice_rows.get_size() - 1,
                                            schedule.slice_rows.get_const_data(),
                                            schedule.slice_ptrs.get_const_data(),
                                            schedule.positions.get_const_data(),
                                            as_device(schedule.values.get_const_data()),
                                            as_device(schedule.inverse_diagonal.get_const_data()),
                                            schedule.order.get_const_data()};
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
