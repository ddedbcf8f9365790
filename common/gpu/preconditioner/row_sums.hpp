// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace jacobi {

namespace kernel {

/// Number of entries of a row that a lane of a subwarp adds at most. The whole block of threads
/// adds longer rows (doc/tuning/jacobi.md).
constexpr int max_entries_per_lane = 64;

/// Calls finish(row, sum over the row of map(position, nz)), where map() returns an int64. A
/// subwarp adds a row.
template <int subwarp_size, typename I, typename Map, typename Finish>
__global__ __launch_bounds__(default_block_size) void sum_rows(size_type num_rows, const I* row_ptrs, Map map,
                                                               Finish finish)
{
    __shared__ size_type long_rows[default_block_size / subwarp_size];
    __shared__ int num_long_rows;
    __shared__ int64 scratch[default_block_size / warp_size];
    grid_dependency_sync();
    if (threadIdx.x == 0) {
        num_long_rows = 0;
    }
    __syncthreads();
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<subwarp_size>();
    if (row < num_rows) {
        const auto begin = row_ptrs[row];
        const auto length = static_cast<size_type>(row_ptrs[row + 1] - begin);
        if (length <= subwarp_size * max_entries_per_lane) {
            int64 sum{};
            for (size_type i = subwarp.thread_rank(); i < length; i += subwarp_size) {
                sum += map(i, begin + i);
            }
            sum = reduce_add(subwarp, sum);
            if (subwarp.thread_rank() == 0) {
                finish(row, sum);
            }
        } else if (subwarp.thread_rank() == 0) {
            long_rows[atomicAdd(&num_long_rows, 1)] = row;
        }
    }
    __syncthreads();
    for (int k = 0; k < num_long_rows; ++k) {
        const auto long_row = long_rows[k];
        const auto begin = row_ptrs[long_row];
        const auto length = static_cast<size_type>(row_ptrs[long_row + 1] - begin);
        int64 sum{};
        for (size_type i = threadIdx.x; i < length; i += default_block_size) {
            sum += map(i, begin + i);
        }
        sum = block_reduce_add<default_block_size>(sum, scratch);
        if (threadIdx.x == 0) {
            finish(long_row, sum);
        }
    }
}

}  // namespace kernel

/// Calls finish(row, sum) for each row of a matrix in compressed row storage, with the sum of
/// map(position, nz) over its entries nz, whose position in the row is 0, 1, .... nnz is an upper
/// bound of the number of entries.
template <typename I, typename Map, typename Finish>
void run_sum_rows(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, size_type nnz, Map map,
                  Finish finish)
{
    constexpr size_type entries_per_lane = 4;
    const auto mean_length = nnz / std::max<size_type>(num_rows, 1);
    select_subwarp_size((mean_length + entries_per_lane - 1) / entries_per_lane, [&](auto subwarp_size) {
        constexpr int size = decltype(subwarp_size)::value;
        launch_dependent(exec, kernel::sum_rows<size, I, Map, Finish>,
                         (num_rows * size + default_block_size - 1) / default_block_size, num_rows, row_ptrs, map,
                         finish);
    });
}

}  // namespace jacobi

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
