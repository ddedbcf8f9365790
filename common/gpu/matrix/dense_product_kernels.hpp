// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include "common/gpu/base/prelude.hpp"
#include "core/matrix/dense_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

using matrix::Dense;

namespace product_kernel {

constexpr int tile = 16;
static_assert(tile * tile == default_block_size, "one thread for each entry of a tile");

template <bool conjugate, typename T>
__global__ __launch_bounds__(default_block_size) void transpose(size_type num_rows, size_type num_cols,
                                                                size_type num_tile_cols, const T* x, size_type x_stride,
                                                                T* y, size_type y_stride)
{
    __shared__ T values[tile][tile + 1];
    const auto local_row = threadIdx.x / tile;
    const auto local_col = threadIdx.x % tile;
    const auto first_row = blockIdx.x / num_tile_cols * tile;
    const auto first_col = blockIdx.x % num_tile_cols * tile;
    if (first_row + local_row < num_rows && first_col + local_col < num_cols) {
        values[local_row][local_col] = x[(first_row + local_row) * x_stride + first_col + local_col];
    }
    __syncthreads();
    if (first_col + local_row < num_cols && first_row + local_col < num_rows) {
        const auto value = values[local_col][local_row];
        y[(first_col + local_row) * y_stride + first_row + local_col] = conjugate ? conj_of(value) : value;
    }
}

template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void count_nonzeros(size_type num_rows, size_type num_cols, const T* x,
                                                                     size_type stride, I* counts)
{
    const auto subwarp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<warp_size>();
    if (row >= num_rows) {
        return;
    }
    I count{};
    for (size_type col = subwarp.thread_rank(); col < num_cols; col += warp_size) {
        count += is_nonzero(x[row * stride + col]) ? 1 : 0;
    }
    count = reduce_add(subwarp, count);
    if (subwarp.thread_rank() == 0) {
        counts[row] = count;
    }
}

/// Writes the nonzeros of one row per warp. The lanes vote which of them hold a nonzero. Each finds
/// its place by counting the votes of the lanes below it.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void collect_nonzeros(size_type num_rows, size_type num_cols,
                                                                       const T* x, size_type stride, const I* row_ptrs,
                                                                       I* col_idxs, T* values)
{
    const auto subwarp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<warp_size>();
    if (row >= num_rows) {
        return;
    }
    const auto lanes_below = (lane_mask_type{1} << subwarp.thread_rank()) - 1;
    auto next = row_ptrs[row];
    for (size_type begin = 0; begin < num_cols; begin += warp_size) {
        const auto col = begin + subwarp.thread_rank();
        const auto value = col < num_cols ? x[row * stride + col] : T{};
        const auto nonzeros = subwarp.ballot(is_nonzero(value));
        if (is_nonzero(value)) {
            const auto nz = next + warp::popcnt(nonzeros & lanes_below);
            col_idxs[nz] = static_cast<I>(col);
            values[nz] = value;
        }
        next += warp::popcnt(nonzeros);
    }
}

}  // namespace product_kernel

/// Largest number of rows or columns that a thread transposes. Tiles would idle for matrices with
/// fewer than half of their rows or columns (doc/tuning/constants.md).
constexpr size_type max_rows_of_thread = product_kernel::tile / 2;

/// Transposes a matrix of few rows or few columns. Each thread has one entry of each of them, so
/// that adjacent threads access adjacent entries.
template <bool conjugate, typename V>
void transpose_narrow(const DeviceExecutor& exec, const Dense<V>& x, Dense<V>& y)
{
    const auto is_tall = x.get_size()[0] >= x.get_size()[1];
    const auto num = x.get_size()[is_tall ? 0 : 1];
    const auto num_of_thread = x.get_size()[is_tall ? 1 : 0];
    const auto x_stride = x.get_stride();
    const auto y_stride = y.get_stride();
    run_for_each(
        exec, num,
        [x = as_device(x.get_const_values()), y = as_device(y.get_values()), num_of_thread,
         x_step = is_tall ? x_stride : 1, x_step_of_thread = is_tall ? 1 : x_stride, y_step = is_tall ? 1 : y_stride,
         y_step_of_thread = is_tall ? y_stride : 1] SPRUCE_KERNEL_LAMBDA(size_type i) {
            for (size_type j = 0; j < num_of_thread; ++j) {
                const auto value = x[i * x_step + j * x_step_of_thread];
                y[i * y_step + j * y_step_of_thread] = conjugate ? conj_of(value) : value;
            }
        });
}

template <bool conjugate, typename V>
void transpose_impl(const DeviceExecutor& exec, const Dense<V>& x, Dense<V>& y)
{
    if (std::min(x.get_size()[0], x.get_size()[1]) <= max_rows_of_thread) {
        transpose_narrow<conjugate>(exec, x, y);
        return;
    }
    const auto num_tile_rows = ceildiv(x.get_size()[0], product_kernel::tile);
    const auto num_tile_cols = ceildiv(x.get_size()[1], product_kernel::tile);
    launch_blocks(exec, product_kernel::transpose<conjugate, device_type<V>>, num_tile_rows * num_tile_cols,
                  x.get_size()[0], x.get_size()[1], num_tile_cols, as_device(x.get_const_values()), x.get_stride(),
                  as_device(y.get_values()), y.get_stride());
}
template <typename V>
void transpose(const DeviceExecutor& exec, const Dense<V>& x, Dense<V>& y)
{
    transpose_impl<false>(exec, x, y);
}
template <typename V>
void conj_transpose(const DeviceExecutor& exec, const Dense<V>& x, Dense<V>& y)
{
    transpose_impl<true>(exec, x, y);
}

template <typename V, typename I>
void count_nonzeros_per_row(const DeviceExecutor& exec, const Dense<V>& x, I* counts)
{
    launch(exec, product_kernel::count_nonzeros<device_type<V>, I>, x.get_size()[0] * warp_size, x.get_size()[0],
           x.get_size()[1], as_device(x.get_const_values()), x.get_stride(), counts);
}

template <typename V, typename I>
void collect_nonzeros(const DeviceExecutor& exec, const Dense<V>& x, const I* row_ptrs, I* col_idxs, V* values)
{
    launch(exec, product_kernel::collect_nonzeros<device_type<V>, I>, x.get_size()[0] * warp_size, x.get_size()[0],
           x.get_size()[1], as_device(x.get_const_values()), x.get_stride(), row_ptrs, col_idxs, as_device(values));
}

}  // namespace dense

void register_dense_product()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::dense::transpose<V>.template set<DeviceExecutor>(&dense::transpose<V>);
        kernels::dense::conj_transpose<V>.template set<DeviceExecutor>(&dense::conj_transpose<V>);
    });
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::dense::count_nonzeros_per_row<V, I>.template set<DeviceExecutor>(&dense::count_nonzeros_per_row<V, I>);
        kernels::dense::collect_nonzeros<V, I>.template set<DeviceExecutor>(&dense::collect_nonzeros<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
