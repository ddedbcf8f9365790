// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Solves with a small triangle in one kernel, without an analysis. A block computes a column of x,
// which it holds in shared memory, and a subwarp computes a row. Warps take rows in the order of
// dependency, so that the first unfinished row can always continue. Rows wait for the values of
// others as in the solves of Liu, Li, Hogg, Duff and Vinter 2016.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/published_values.hpp"
#include "common/gpu/solver/dependency_levels.hpp"
#include "core/solver/triangular_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace triangular {

using spruce::solver::detail::triangular_schedule;

/// The largest triangles with which a block solves: others have too much work for it
/// (doc/tuning/triangular.md). All entries of the matrix count.
constexpr int max_rows_of_block = 1024;
constexpr int max_entries_of_block = 16 * max_rows_of_block;

namespace kernel {

constexpr int solve_block_size = 1024;
constexpr int lanes_of_block_row = 8;

/// Represents the entries of a row in the strict triangle of which a lane visits each step-th one.
template <typename T, typename I>
class entries_in_triangle {
public:
    __device__ __forceinline__ entries_in_triangle(const triangle<I>& a, const T* values, I row, bool has_row, int rank)
        : a_{a}, values_{values}, row_{row}
    {
        next_ = has_row ? a.row_ptrs[row] + rank : I{};
        end_ = has_row ? a.row_ptrs[row + 1] : I{};
        advance();
    }

    /// Proceeds to the next entry.
    __device__ __forceinline__ void advance()
    {
        col = -1;
        while (col < 0 && next_ < end_) {
            const auto candidate = a_.col_idxs[next_];
            if (candidate != row_ && (candidate > row_) == a_.upper) {
                col = candidate;
                value = values_[next_];
            }
            next_ += lanes_of_block_row;
        }
    }

    I col;  ///< negative after the last entry
    T value{};

private:
    const triangle<I>& a_;
    const T* values_;
    I row_;
    I next_;
    I end_;
};

/// Computes a column of x in each block.
/// @param diagonal  the index of each diagonal entry, or null for a diagonal of ones
template <typename T, typename I>
__global__ __launch_bounds__(solve_block_size) void solve_in_block(triangle<I> a, const T* values, const I* diagonal,
                                                                   const T* b, size_type b_stride, T* x,
                                                                   size_type x_stride)
{
    constexpr auto of_block = true;
    __shared__ T solution[max_rows_of_block];
    for (int i = threadIdx.x; i < a.size; i += solve_block_size) {
        published::clear(solution + i);
    }
    __syncthreads();
    grid_dependency_sync();
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto subwarp = group::tiled_partition<lanes_of_block_row>(group::this_thread_block());
    const auto rank = static_cast<int>(subwarp.thread_rank());
    for (auto position = static_cast<I>(threadIdx.x) / lanes_of_block_row; warp.any(position < a.size);
         position += solve_block_size / lanes_of_block_row) {
        auto has_row = position < a.size;
        const auto row = has_row ? a.position_of(position) : I{};
        auto sum = has_row && rank == 0 ? b[row * b_stride + blockIdx.x] : T{};
        const auto pivot = has_row && diagonal ? values[diagonal[row]] : one<T>();
        entries_in_triangle<T, I> entries{a, values, row, has_row, rank};
        while (warp.any(has_row)) {
            if (entries.col >= 0) {
                const auto other = published::load<of_block>(solution + entries.col);
                if (published::is_complete(other)) {
                    sum -= entries.value * published::value_of(other);
                    entries.advance();
                } else {
                    published::wait(solution + entries.col);
                }
            }
            if (has_row && subwarp.all(entries.col < 0)) {
                const auto result = reduce_add(subwarp, sum) / pivot;
                if (rank == 0) {
                    published::store<of_block>(solution + row, result);
                    x[row * x_stride + blockIdx.x] = result;
                }
                has_row = false;
            }
        }
    }
}

}  // namespace kernel

/// Returns true if solves are by one block for each column, which need no analysis.
template <typename V, typename I>
bool is_solved_in_block(const matrix::Csr<V, I>& a, const triangular_schedule<V, I>& schedule)
{
    return schedule.may_skip_analysis && a.get_size()[0] <= max_rows_of_block &&
           a.get_num_stored_elements() <= max_entries_of_block;
}

/// Solves with a triangle for which is_solved_in_block() is true.
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
