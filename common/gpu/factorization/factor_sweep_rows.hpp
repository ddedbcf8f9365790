// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/factorization/lanes_of_row.hpp"
#include "common/unified/factorization/factor_sweep_entry.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::factor_sweep {

using factor_rows::max_entries_of_lane;

/// Calls function(std::integral_constant<int, size>) with the number of lanes that compute a row of
/// L + U.
template <typename Function>
void select_lanes_of_row(size_type num_rows, size_type num_entries, Function function)
{
    factor_rows::select_lanes(num_rows, (num_entries + num_rows) / 2, function);
}

/// Returns the number of entries up to which sweep_rows() computes a row.
inline size_type max_whole_row(size_type num_rows, size_type num_entries)
{
    size_type result{};
    select_lanes_of_row(num_rows, num_entries, [&](auto lanes) { result = max_entries_of_lane * lanes; });
    return result;
}

namespace kernel {

/// Performs a sweep of L + U. A subwarp computes a row i, whose sums it holds in shared memory: for
/// each entry l_ik left of the diagonal, it subtracts multiples of the entries of row k of U.
template <int size, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void sweep_rows(sweep_view<T, I> f, remove_complex<T> omega,
                                                                 const T* values, T* next, remove_complex<T>* row_norms)
{
    using Real = remove_complex<T>;
    constexpr int max_entries = size * max_entries_of_lane;
    constexpr int rows_of_block = default_block_size / size;
    __shared__ I all_cols[rows_of_block][max_entries];
    __shared__ T all_sums[rows_of_block][max_entries];
    __shared__ Real all_absolute[rows_of_block][max_entries];
    const auto row = global_subwarp_id<size>();
    if (row >= f.num_rows) {
        return;
    }
    const auto subwarp = group::tiled_partition<size>(group::this_thread_block());
    const auto rank = static_cast<int>(subwarp.thread_rank());
    const auto cols = all_cols[threadIdx.x / size];
    const auto sums = all_sums[threadIdx.x / size];
    const auto absolute = all_absolute[threadIdx.x / size];
    const auto first = f.row_ptrs[row];
    if (f.row_ptrs[row + 1] - first > max_entries) {
        if (rank == 0) {
            row_norms[row] = Real{};
        }
        return;
    }
    const auto num_entries = static_cast<int>(f.row_ptrs[row + 1] - first);
    const auto num_left = static_cast<int>(f.diagonal[row] - first);
    for (int i = rank; i < num_entries; i += size) {
        cols[i] = f.cols[first + i];
        sums[i] = value_of_a(f, first + i);
        absolute[i] = abs_of(sums[i]);
    }
    subwarp.sync();
    const auto subtract = [&](int position, const T& term) {
        sums[position] -= term;
        absolute[position] += abs_of(term);
    };
    for (int left = 0; left < num_left; ++left) {
        const auto k = cols[left];
        const auto factor = values[first + left];
        const auto begin = f.diagonal[k] + 1;
        const auto end = f.row_ptrs[k + 1];
        if (end - begin <= 2 * max_entries) {
            for (auto other = begin + rank; other < end; other += size) {
                const auto col = f.cols[other];
                const auto position = lower_bound(cols, left + 1, num_entries, col);
                if (position < num_entries && cols[position] == col) {
                    subtract(position, factor * values[other]);
                }
            }
        } else {
            for (auto position = left + 1 + rank; position < num_entries; position += size) {
                const auto other = lower_bound(f.cols, begin, end, cols[position]);
                if (other < end && f.cols[other] == cols[position]) {
                    subtract(position, factor * values[other]);
                }
            }
        }
        subwarp.sync();
    }
    Real norm{};
    for (int i = rank; i < num_entries; i += size) {
        const checked_sum<T> sum{sums[i], absolute[i]};
        norm += update_entry(f, first + i, i < num_left, sum, omega, values, next);
    }
    norm = reduce_add(subwarp, norm);
    if (rank == 0) {
        row_norms[row] = norm;
    }
}

}  // namespace kernel

/// Performs a sweep of L + U in all rows but those that are longer than max_whole_row().
/// @param row_norms  the sum of squares of the relative residuals in each row, 0 for long rows
template <typename T, typename I>
void sweep_rows(const DeviceExecutor& exec, const sweep_view<T, I>& f, remove_complex<T> omega, const T* values,
                T* next, remove_complex<T>* row_norms)
{
    select_lanes_of_row(f.num_rows, f.num_entries, [&](auto lanes) {
        launch(exec, kernel::sweep_rows<lanes, T, I>, f.num_rows * lanes, f, omega, values, next, row_norms);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::factor_sweep
