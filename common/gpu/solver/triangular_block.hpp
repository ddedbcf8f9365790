// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Solves with a small triangle in one kernel, without an analysis. A block computes a column of x,
// which it holds in shared memory, and a subwarp computes a row after the other. The subwarps take
// rows in the order of dependency. A round has two barriers. Before the first one, each lane
// subtracts the products with known values; after it, finished rows store theirs. Thus each round
// finishes at least the first unfinished row.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/solver/dependency_levels.hpp"
#include "core/solver/triangular_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace triangular {

using spruce::solver::detail::triangular_schedule;

/// Limits the triangles with which a block solves: others have too much work for it
/// (doc/tuning/triangular.md). All entries of the matrix count.
constexpr int max_rows_of_block = 512;
constexpr int max_entries_of_block = 16 * max_rows_of_block;

namespace kernel {

constexpr int solve_block_size = 1024;
constexpr int lanes_of_block_row = 8;

/// Holds what a lane uses of a row: every lanes_of_block_row-th entry in the strict triangle.
template <typename T, typename I>
struct row_in_block {
    /// Loads the row at a position, if there is one, and its first entry.
    __device__ __forceinline__ void load(const triangle<I>& a, const T* values, const I* diagonal, const T* b,
                                         size_type b_stride, I position, int rank)
    {
        const auto has_row = position < a.size;
        index = has_row ? a.position_of(position) : I{-1};
        next = has_row ? a.row_ptrs[index] + rank : I{};
        end = has_row ? a.row_ptrs[index + 1] : I{};
        sum = has_row && rank == 0 ? b[index * b_stride] : T{};
        pivot = has_row && diagonal ? values[diagonal[index]] : one<T>();
        this->advance(a, values);
    }

    /// Loads the next entry.
    __device__ __forceinline__ void advance(const triangle<I>& a, const T* values)
    {
        col = -1;
        while (col < 0 && next < end) {
            const auto candidate = a.col_idxs[next];
            if (candidate != index && (candidate > index) == a.upper) {
                col = candidate;
                value = values[next];
            }
            next += lanes_of_block_row;
        }
    }

    I index;  ///< negative if there is no row
    I col;    ///< of the next entry, negative after the last one
    T value;
    T sum;
    T pivot;
    I next;
    I end;
};

/// Computes a column of x in each block.
/// @param diagonal  the index of each diagonal entry, or null for a diagonal of ones
template <typename T, typename I>
__global__ __launch_bounds__(solve_block_size) void solve_in_block(triangle<I> a, const T* values, const I* diagonal,
                                                                   const T* b, size_type b_stride, T* x,
                                                                   size_type x_stride)
{
    constexpr int num_subwarps = solve_block_size / lanes_of_block_row;
    __shared__ T solution[max_rows_of_block];
    __shared__ bool is_known[max_rows_of_block];
    __shared__ uint32 num_known;
    for (int i = threadIdx.x; i < a.size; i += solve_block_size) {
        is_known[i] = false;
    }
    if (threadIdx.x == 0) {
        num_known = 0;
    }
    const auto col = grid_dependency_sync();
    const auto subwarp = group::tiled_partition<lanes_of_block_row>(group::this_thread_block());
    const auto rank = static_cast<int>(subwarp.thread_rank());
    auto position = static_cast<I>(threadIdx.x / lanes_of_block_row);
    row_in_block<T, I> row;
    row.load(a, values, diagonal, b + col, b_stride, position, rank);
    __syncthreads();
    while (num_known < static_cast<uint32>(a.size)) {
        while (row.col >= 0 && is_known[row.col]) {
            row.sum -= row.value * solution[row.col];
            row.advance(a, values);
        }
        const auto is_finished = row.index >= 0 && subwarp.all(row.col < 0);
        const auto sum = reduce_add(subwarp, row.sum);
        __syncthreads();
        if (is_finished) {
            if (rank == 0) {
                const auto result = sum / row.pivot;
                solution[row.index] = result;
                is_known[row.index] = true;
                x[row.index * x_stride + col] = result;
                atomicAdd(&num_known, 1u);
            }
            position += num_subwarps;
            row.load(a, values, diagonal, b + col, b_stride, position, rank);
        }
        __syncthreads();
    }
}

}  // namespace kernel

/// Returns true if a block solves with the triangle of a matrix.
template <typename V, typename I>
bool fits_block(const matrix::Csr<V, I>& a)
{
    return a.get_size()[0] <= max_rows_of_block && a.get_num_stored_elements() <= max_entries_of_block;
}

/// Solves with a triangle for which fits_block() was true when it was analysed.
template <typename V, typename I>
void solve_in_block(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper,
                    const triangular_schedule<V, I>& schedule, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    using T = device_type<V>;
    launch_dependent<kernel::solve_block_size>(
        exec, kernel::solve_in_block<T, I>, b.get_size()[1],
        kernel::triangle<I>{static_cast<I>(a.get_size()[0]), a.get_const_row_ptrs(), a.get_const_col_idxs(), upper},
        as_device(a.get_const_values()), schedule.diagonal.get_const_data(), as_device(b.get_const_values()),
        b.get_stride(), as_device(x.get_values()), x.get_stride());
}

}  // namespace triangular

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
