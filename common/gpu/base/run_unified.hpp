// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Runs the kernels of common/unified on GPUs. omp/base/run_unified.hpp has these functions for
// CPUs.

#include <algorithm>
#include <type_traits>

#include <spruce/base/array.hpp>

#include "common/backend.hpp"
#include "common/gpu/components/cooperative_groups.hpp"
#include "common/gpu/components/launch.hpp"
#include "common/gpu/components/reduction.hpp"
#include "common/numeric/distributed_sums.hpp"
#include "common/numeric/partition_point.hpp"
#include "common/numeric/per_column.hpp"
#include "common/numeric/safe_norm.hpp"
#include "common/numeric/sums.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace kernel {

template <typename Function>
__global__ __launch_bounds__(default_block_size) void for_each(size_type size, Function function)
{
    grid_dependency_sync();
    for (auto i = global_thread_id(); i < size; i += global_num_threads()) {
        function(i);
    }
}

template <typename Function>
__global__ __launch_bounds__(default_block_size) void for_each_entry(size_type size, size_type num_cols,
                                                                     Function function)
{
    grid_dependency_sync();
    for (auto i = global_thread_id(); i < size; i += global_num_threads()) {
        of_column(function, i % num_cols)(i / num_cols);
    }
}

/// Calls function(row, 0), or a per_column, for every row of a single column.
template <typename Function>
__global__ __launch_bounds__(default_block_size) void for_each_row(size_type num_rows, Function function)
{
    grid_dependency_sync();
    const auto of_row = of_column(function, 0);
    for (auto row = global_thread_id(); row < num_rows; row += global_num_threads()) {
        of_row(row);
    }
}

/// Returns the last row in low, ..., high that begins at or before entry nz, found by bisection.
/// Requires row_ptrs[low] <= nz.
template <typename I>
__device__ __forceinline__ size_type find_row(const I* row_ptrs, size_type low, size_type high, size_type nz)
{
    return partition_point(low + 1, high + 1,
                           [=](size_type row) { return static_cast<size_type>(row_ptrs[row]) <= nz; }) -
           1;
}

/// Returns the last row in low, ..., high that begins at or before entry nz. All threads of a tile
/// search together and need a fraction of the steps of a bisection.
template <typename Group, typename I>
__device__ __forceinline__ size_type find_row(const Group& tile, const I* row_ptrs, size_type low, size_type high,
                                              size_type nz)
{
    while (low < high) {
        const auto step = (high - low) / (tile.size() + 1) + 1;
        const auto probe = low + (tile.thread_rank() + 1) * step;
        const auto is_before = probe <= high && static_cast<size_type>(row_ptrs[probe]) <= nz;
        low += warp::popcnt(tile.ballot(is_before)) * step;
        high = min(high, low + step - 1);
    }
    return low;
}

constexpr int nonzeros_per_thread = 8;

/// Calls function(row, nz) for each entry nz. Two warps find the rows of the block's first and last
/// entry; each thread then searches between these rows.
template <typename I, typename Function>
__global__ __launch_bounds__(default_block_size) void for_each_nonzero(const I* row_ptrs, size_type num_rows,
                                                                       Function function)
{
    __shared__ size_type border_rows[2];
    constexpr size_type per_block = nonzeros_per_thread * default_block_size;
    const auto begin = blockIdx.x * per_block;
    const auto end = min(begin + per_block, static_cast<size_type>(row_ptrs[num_rows]));
    if (begin >= end) {
        return;
    }
    const auto whole_warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto warp_id = threadIdx.x / warp_size;
    if (warp_id < 2) {
        const auto row = find_row(whole_warp, row_ptrs, 0, num_rows - 1, warp_id == 0 ? begin : end - 1);
        if (whole_warp.thread_rank() == 0) {
            border_rows[warp_id] = row;
        }
    }
    __syncthreads();
    auto row = border_rows[0];
    for (auto nz = begin + threadIdx.x; nz < end; nz += default_block_size) {
        row = find_row(row_ptrs, row, border_rows[1], nz);
        function(row, nz);
    }
}

/// Returns true if this block is the last of the grid to call the function. It then sees what the
/// other blocks wrote before their calls, and the counter is zero again for the next kernel.
__device__ __forceinline__ bool is_last_block(unsigned* block_counter)
{
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(block_counter, 1u) + 1 == gridDim.x;
        if (is_last) {
            *block_counter = 0;
        }
        __threadfence();
    }
    __syncthreads();
    return is_last;
}

/// Calls finalize(col, sum) with the sum of the blocks' partial sums for this column. All threads
/// of a block call it.
template <typename T, typename Finalize>
__device__ __forceinline__ void finish_sum(size_type col, unsigned blocks_per_col, const T* partial_sums, T* scratch,
                                           Finalize finalize)
{
    constexpr int num_at_once = sizeof(T) <= 16 ? 8 : 1;  // loads in flight; larger sums are several loads each
    T sum{};
    for (unsigned first = threadIdx.x; first < blocks_per_col; first += num_at_once * default_block_size) {
        T parts[num_at_once];
        for (int i = 0; i < num_at_once; ++i) {
            const auto block = first + i * default_block_size;
            parts[i] = block < blocks_per_col ? partial_sums[col * blocks_per_col + block] : T{};
        }
        for (int i = 0; i < num_at_once; ++i) {
            sum += parts[i];
        }
    }
    sum = block_reduce_add<default_block_size>(sum, scratch);
    if (threadIdx.x == 0) {
        finalize(col, sum);
    }
}

/// Sets result to the sum of the values of all threads of the grid. All threads of the grid call
/// it. If sum_column used it, with finalize instead of result, the update of Cg would need 40
/// registers and a stack instead of 32 registers.
template <typename T>
__device__ __forceinline__ void sum_of_blocks(T thread_value, T* partial_sums, unsigned* block_counter, T* result)
{
    __shared__ T scratch[default_block_size / warp_size];
    const auto sum = block_reduce_add<default_block_size>(thread_value, scratch);
    if (threadIdx.x == 0) {
        partial_sums[blockIdx.x] = sum;
    }
    if (is_last_block(block_counter)) {
        finish_sum(0, gridDim.x, partial_sums, scratch, [&](size_type, const T& sum) { *result = sum; });
    }
}

/// Returns the row that a sum visits instead of row i if it begins at the end.
template <typename Map>
__device__ __forceinline__ size_type row_in_order(size_type i, size_type num_rows)
{
    return begins_at_end<Map> ? num_rows - 1 - i : i;
}

/// Sums a single column. Block b sums the rows b * block_size + tid, then in steps of the grid. The
/// last block sums the blocks' results in their order, unless the grid has only one block
/// (doc/tuning/solvers.md).
template <typename T, typename Map, typename Finalize>
__global__ __launch_bounds__(default_block_size) void sum_column(size_type num_rows, T* partial_sums,
                                                                 unsigned* block_counter, Map map, Finalize finalize)
{
    grid_dependency_sync();
    __shared__ T scratch[default_block_size / warp_size];
    const auto of_row = of_column(map, 0);
    T sum{};
    for (auto row = global_thread_id(); row < num_rows; row += global_num_threads()) {
        sum += of_row(row_in_order<Map>(row, num_rows));
    }
    sum = block_reduce_add<default_block_size>(sum, scratch);
    const auto is_single_block = gridDim.x == 1;
    if (threadIdx.x == 0) {
        if (is_single_block) {
            finalize(0, sum);
        } else {
            partial_sums[blockIdx.x] = sum;
        }
    }
    if (is_single_block) {
        return;
    }
    if (is_last_block(block_counter)) {
        finish_sum(0, gridDim.x, partial_sums, scratch, finalize);
    }
}

/// Sums several columns side by side. Block (b, t) sums its part of the columns t * width, ... and
/// its threads lie along the rows, so that they read contiguous parts of them. If columns have
/// several blocks and there is no block counter, finish_sums has to follow.
template <typename T, typename Map, typename Finalize>
__global__ __launch_bounds__(default_block_size) void sum_columns(size_type num_rows, size_type num_cols,
                                                                  unsigned width, unsigned blocks_per_col,
                                                                  T* partial_sums, unsigned* block_counter, Map map,
                                                                  Finalize finalize)
{
    grid_dependency_sync();
    __shared__ T scratch[default_block_size];
    const unsigned rows_at_once = default_block_size / width;
    const auto block = blockIdx.x % blocks_per_col;
    const auto local_row = threadIdx.x / width;
    const auto col = static_cast<size_type>(blockIdx.x / blocks_per_col) * width + threadIdx.x % width;
    const auto step = static_cast<size_type>(blocks_per_col) * rows_at_once;
    T sum{};
    if (local_row < rows_at_once && col < num_cols) {
        const auto of_row = of_column(map, col);
        for (auto row = static_cast<size_type>(block) * rows_at_once + local_row; row < num_rows; row += step) {
            sum += of_row(row_in_order<Map>(row, num_rows));
        }
    }
    scratch[threadIdx.x] = sum;
    // The upper half of the remaining rows is added to the lower half.
    for (auto num_remaining = rows_at_once; num_remaining > 1;) {
        const auto num_retained = (num_remaining + 1) / 2;
        __syncthreads();
        if (local_row + num_retained < num_remaining) {
            scratch[threadIdx.x] += scratch[threadIdx.x + num_retained * width];
        }
        num_remaining = num_retained;
    }
    const auto is_single_block = blocks_per_col == 1;
    if (local_row == 0 && col < num_cols) {
        if (is_single_block) {
            finalize(col, scratch[threadIdx.x]);
        } else {
            partial_sums[col * blocks_per_col + block] = scratch[threadIdx.x];
        }
    }
    if (is_single_block) {
        return;
    }
    if (block_counter && is_last_block(block_counter)) {
        for (size_type i = 0; i < num_cols; ++i) {
            finish_sum(i, blocks_per_col, partial_sums, scratch, finalize);
        }
    }
}

template <typename T, typename Finalize>
__global__ __launch_bounds__(default_block_size) void finish_sums(unsigned blocks_per_col, const T* partial_sums,
                                                                  Finalize finalize)
{
    __shared__ T scratch[default_block_size / warp_size];
    finish_sum(blockIdx.x, blocks_per_col, partial_sums, scratch, finalize);
}

}  // namespace kernel

/// Calls function(i) for i = 0, ..., size - 1, in any order and concurrently.
template <typename Function>
void run_for_each(const DeviceExecutor& exec, size_type size, Function function)
{
    const auto num_blocks = std::min((size + default_block_size - 1) / default_block_size, num_blocks_to_fill(exec));
    launch_dependent(exec, kernel::for_each<Function>, num_blocks, size, function);
}

/// Calls function(row, col), or a per_column, for every entry of a num_rows x num_cols matrix.
template <typename Function>
void run_for_each_entry(const DeviceExecutor& exec, size_type num_rows, size_type num_cols, Function function)
{
    const auto size = num_rows * num_cols;
    const auto num_blocks = std::min((size + default_block_size - 1) / default_block_size, num_blocks_to_fill(exec));
    if (num_cols == 1) {
        launch_dependent(exec, kernel::for_each_row<Function>, num_blocks, num_rows, function);
    } else {
        launch_dependent(exec, kernel::for_each_entry<Function>, num_blocks, size, num_cols, function);
    }
}

/// Returns memory for num_sums sums.
template <typename T>
T* reserve_sums(const Reduction& reduction, size_type num_sums)
{
    auto& workspace = reduction.get_workspace();
    if (workspace.get_size() < num_sums * sizeof(T)) {
        workspace.resize_and_reset(num_sums * sizeof(T));
    }
    return reinterpret_cast<T*>(workspace.get_data());
}

/// Returns the bitwise or of function(i) for i = 0, ..., size - 1 to the host. It synchronizes with
/// the device.
template <typename Function>
int32 run_or(const DeviceExecutor& exec, size_type size, array<char>& tmp, Function function)
{
    auto result = array<int32>::view(exec.shared_from_this(), 1, reserve_sums<int32>(tmp, 1));
    result.fill(0);
    run_for_each(exec, size, [=, result = result.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i) {
        if (const auto found = function(i)) {
            atomicOr(result, found);
        }
    });
    return exec.copy_val_to_host(result.get_const_data());
}
template <typename Function>
int32 run_or(const DeviceExecutor& exec, size_type size, Function function)
{
    array<char> tmp{exec.shared_from_this()};
    return run_or(exec, size, tmp, function);
}

/// Calls function(row, nz) for every entry nz of a matrix in compressed row storage. nnz is an
/// upper bound of the number of entries. The entries are distributed evenly among the threads,
/// independently of the lengths of the rows.
template <typename I, typename Function>
void run_for_each_nonzero(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, size_type nnz,
                          Function function)
{
    constexpr size_type per_block = kernel::nonzeros_per_thread * default_block_size;
    launch_blocks(exec, kernel::for_each_nonzero<I, Function>, (nnz + per_block - 1) / per_block, row_ptrs, num_rows,
                  function);
}

/// Returns the number of blocks that sum num_rows rows, rows_at_once at a time. It does not exceed
/// the number of resident blocks: each block costs its start, a reduction and a further partial
/// sum. If a single wave of resident blocks suffices, at most half of them are used
/// (doc/tuning/solvers.md).
inline size_type num_blocks_to_sum(const DeviceExecutor& exec, size_type num_rows, size_type rows_at_once,
                                   size_type num_tiles)
{
    const auto num_waves = (num_rows + rows_at_once - 1) / rows_at_once;
    const auto num_resident = num_resident_blocks(exec) / num_tiles;
    return std::max<size_type>(1, std::min(num_waves, num_waves > num_resident ? num_resident : num_resident / 2));
}

/// Calls finalize(0, sum over the rows of map(row, 0)). partial_sums has room for the sums of
/// num_blocks_to_sum() blocks.
template <typename T, typename Map, typename Finalize>
void run_sum_column(const DeviceExecutor& exec, size_type num_rows, T* partial_sums, Map map, Finalize finalize)
{
    launch_dependent(exec, kernel::sum_column<T, Map, Finalize>,
                     num_blocks_to_sum(exec, num_rows, default_block_size, 1), num_rows, partial_sums,
                     exec.get_block_counter(), map, finalize);
}

/// Sums the rows of this part. The workspace holds a partial sum for each block and column.
template <typename T, typename Map, typename Finalize>
void sum_columns_of_part(const DeviceExecutor& exec, size_type num_rows, size_type num_cols, const Reduction& reduction,
                         Map map, Finalize finalize)
{
    // A tile of columns has at most as many columns as a block has threads, and all tiles have
    // about equal width.
    const auto num_tiles = (num_cols + default_block_size - 1) / default_block_size;
    const auto width = (num_cols + num_tiles - 1) / num_tiles;
    const auto rows_at_once = default_block_size / width;
    const auto blocks_per_col = num_blocks_to_sum(exec, num_rows, rows_at_once, num_tiles);
    const auto partial_sums = reserve_sums<T>(reduction, blocks_per_col * num_cols);
    if (num_cols == 1) {
        run_sum_column(exec, num_rows, partial_sums, map, finalize);
        return;
    }
    // A single last block would take long for more columns.
    constexpr size_type max_cols_of_last_block = 8;
    const auto block_counter = num_cols <= max_cols_of_last_block ? exec.get_block_counter() : nullptr;
    launch_dependent(exec, kernel::sum_columns<T, Map, Finalize>, blocks_per_col * num_tiles, num_rows, num_cols, width,
                     blocks_per_col, partial_sums, block_counter, map, finalize);
    if (!block_counter && blocks_per_col > 1) {
        launch_blocks(exec, kernel::finish_sums<T, Finalize>, num_cols, blocks_per_col, partial_sums, finalize);
    }
}

/// Calls finalize(col, sum), or stores the sum for combine_parts().
template <typename T, typename Finalize>
struct finalize_or_store {
    __device__ __forceinline__ void operator()(size_type col, const T& sum) const
    {
        if (sums_of_part) {
            sums_of_part[col] = sum;
        } else {
            finalize(col, sum);
        }
    }

    Finalize finalize;
    T* sums_of_part;  ///< null if this part has all rows
};

/// Calls finalize(col, sum over the rows of map(row, col)) for every column. The map may also
/// write, and may be a per_column. T is the type of the sums. If the rows are distributed, the sums
/// of all parts are added before finalize is called.
template <typename T, typename Map, typename Finalize>
void run_sum_columns(const DeviceExecutor& exec, size_type num_rows, size_type num_cols, const Reduction& reduction,
                     Map map, Finalize finalize)
{
    if (num_cols == 0) {
        return;
    }
    if constexpr (!is_distributable<T>) {
        sum_columns_of_part<T>(exec, num_rows, num_cols, reduction, map, finalize);
    } else if (const auto communicator = reduction.get_communicator()) {
        array<char> results{exec.shared_from_this(), 2 * num_cols * sizeof(T)};
        const auto values = reinterpret_cast<T*>(results.get_data());
        const auto maxima = values + num_cols;
        sum_columns_of_part<T>(exec, num_rows, num_cols, reduction, map,
                               finalize_or_store<T, Finalize>{finalize, values});
        if constexpr (reduced_type<T>::has_maxima) {
            run_for_each(exec, num_cols, [=] SPRUCE_KERNEL_LAMBDA(size_type col) { maxima[col] = values[col]; });
        }
        combine_parts(*communicator, exec.shared_from_this(), values, maxima, num_cols);
        run_for_each(exec, num_cols, [=] SPRUCE_KERNEL_LAMBDA(size_type col) {
            finalize(col, reduced_type<T>::merge(values[col], maxima[col]));
        });
    } else {
        sum_columns_of_part<T>(exec, num_rows, num_cols, reduction, map,
                               finalize_or_store<T, Finalize>{finalize, nullptr});
    }
}

/// Calls finalize(col, norm) for every column: the square root of the sum of the squares over all
/// rows. safe(row, col) returns the safe_squares() of the entry and may write. The plain squares
/// are not used here: omp tries them first.
template <typename Real, typename Squares, typename SafeSquares, typename Finalize>
void run_norm_columns(const DeviceExecutor& exec, size_type num_rows, size_type num_cols, const Reduction& reduction,
                      Squares, SafeSquares safe, Finalize finalize)
{
    run_sum_columns<sums<Real, 3>>(
        exec, num_rows, num_cols, reduction, safe,
        [=] SPRUCE_KERNEL_LAMBDA(size_type col, const sums<Real, 3>& sum) { finalize(col, safe_norm(sum)); });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
