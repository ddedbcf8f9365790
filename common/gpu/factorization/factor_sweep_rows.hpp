// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/factorization/lanes_of_row.hpp"
#include "common/gpu/factorization/shared_columns.hpp"
#include "common/unified/factorization/factor_sweep_entry.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::factor_sweep {

using factor_rows::entries_at_once;
using factor_rows::find_column;
using factor_rows::max_entries_of_lane;
using factor_rows::pad_columns;

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

/// Selects whether the entries of the next row of U are loaded while one is used
/// (doc/tuning/factorizations.md).
template <int size>
constexpr bool loads_ahead = size > 4;

/// Views a row of U without its diagonal, and contains the first entries of a lane.
template <int size, typename T, typename I>
struct row_of_u {
    static constexpr I no_column = -1;

    __device__ __forceinline__ void load_entries(const sweep_view<T, I>& f, const T* values, int rank)
    {
#pragma unroll
        for (int i = 0; i < entries_at_once; ++i) {
            cols[i] = no_column;
            if (rank + i * size < length) {
                cols[i] = f.cols[begin + (rank + i * size)];
                entries[i] = values[begin + (rank + i * size)];
            }
        }
    }

    I begin;
    int length;  ///< 0 if there is no row to load
    I cols[entries_at_once];
    T entries[entries_at_once];
};

/// Performs a sweep of L + U. A subwarp computes a row i, whose sums it holds in shared memory: for
/// each entry l_ik left of the diagonal, it subtracts multiples of the entries of row k of U.
template <int size, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void sweep_rows(sweep_view<T, I> f, remove_complex<T> omega,
                                                                 const T* values, T* next, remove_complex<T>* row_norms)
{
    using Real = remove_complex<T>;
    constexpr int max_entries = size * max_entries_of_lane;
    constexpr int max_length = 2 * max_entries;  // of a row of U whose entries are searched for
    constexpr int rows_of_block = default_block_size / size;
    __shared__ I all_cols[rows_of_block][max_entries];
    __shared__ T all_sums[rows_of_block][max_entries];
    __shared__ Real all_absolute[rows_of_block][max_entries];
    constexpr int num_stored = loads_ahead<size> ? max_entries : 1;
    __shared__ I all_begins[rows_of_block][num_stored];  // of the rows of U
    __shared__ int all_lengths[rows_of_block][num_stored];
    const auto row = global_subwarp_id<size>();
    if (row >= f.num_rows) {
        return;
    }
    const auto subwarp = group::tiled_partition<size>(group::this_thread_block());
    const auto rank = static_cast<int>(subwarp.thread_rank());
    const auto cols = all_cols[threadIdx.x / size];
    const auto sums = all_sums[threadIdx.x / size];
    const auto absolute = all_absolute[threadIdx.x / size];
    const auto begins = all_begins[threadIdx.x / size];
    const auto lengths = all_lengths[threadIdx.x / size];
    const auto first = f.row_ptrs[row];
    if (f.row_ptrs[row + 1] - first > max_entries) {
        if (rank == 0) {
            row_norms[row] = Real{};
        }
        return;
    }
    const auto num_entries = static_cast<int>(f.row_ptrs[row + 1] - first);
    const auto num_left = static_cast<int>(f.diagonal[row] - first);
    const auto begin_of = [&](I k) { return f.diagonal[k] + 1; };
    // An int holds the lengths that are compared with max_length.
    const auto length_of = [&](I k) {
        return static_cast<int>(min(f.row_ptrs[k + 1] - begin_of(k), static_cast<I>(max_length + 1)));
    };
    for (int i = rank; i < num_entries; i += size) {
        const auto col = f.cols[first + i];
        cols[i] = col;
        sums[i] = value_of_a(f, first + i);
        absolute[i] = abs_of(sums[i]);
        if (loads_ahead<size> && i < num_left) {
            begins[i] = begin_of(col);
            lengths[i] = length_of(col);
        }
    }
    pad_columns<max_entries>(subwarp, cols, num_entries);
    subwarp.sync();
    const auto subtract = [&](int position, const T& term) {
        sums[position] -= term;
        absolute[position] += abs_of(term);
    };
    const auto subtract_entry = [&](const T& factor, I col, const T& entry) {
        const auto position = find_column<max_entries>(cols, col);
        if (cols[position] == col) {
            subtract(position, factor * entry);
        }
    };
    const auto load = [&](int left) {
        row_of_u<size, T, I> other{};
        if (left < num_left) {
            other.begin = loads_ahead<size> ? begins[left] : begin_of(cols[left]);
            other.length = loads_ahead<size> ? lengths[left] : length_of(cols[left]);
        }
        other.load_entries(f, values, rank);
        return other;
    };
    const auto subtract_row = [&](int left, const row_of_u<size, T, I>& other) {
        if (left >= num_left) {
            return;
        }
        const auto factor = values[first + left];
        if (other.length <= max_length) {
#pragma unroll
            for (int i = 0; i < entries_at_once; ++i) {
                if (other.cols[i] != other.no_column) {
                    subtract_entry(factor, other.cols[i], other.entries[i]);
                }
            }
            for (auto i = rank + entries_at_once * size; i < other.length; i += size) {
                subtract_entry(factor, f.cols[other.begin + i], values[other.begin + i]);
            }
        } else {
            const auto end = f.row_ptrs[cols[left] + 1];
            for (auto position = left + 1 + rank; position < num_entries; position += size) {
                const auto entry = lower_bound(f.cols, other.begin, end, cols[position]);
                if (entry < end && f.cols[entry] == cols[position]) {
                    subtract(position, factor * values[entry]);
                }
            }
        }
        subwarp.sync();
    };
    if constexpr (loads_ahead<size>) {
        auto even = load(0);
#pragma unroll 1
        for (int left = 0; left < num_left; left += 2) {
            const auto odd = load(left + 1);
            subtract_row(left, even);
            even = load(left + 2);
            subtract_row(left + 1, odd);
        }
    } else {
#pragma unroll 1
        for (int left = 0; left < num_left; ++left) {
            subtract_row(left, load(left));
        }
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
        launch_blocks(exec, kernel::sweep_rows<lanes, T, I>, ceildiv(f.num_rows, default_block_size / lanes), f, omega,
                      values, next, row_norms);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::factor_sweep
