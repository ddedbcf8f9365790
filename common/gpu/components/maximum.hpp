// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace kernel {

/// Replaces *result by the maximum of it and value_of(i) for i = 0, ..., size - 1. Each block
/// performs one atomic operation, since operations on one address are executed one after the other.
template <typename Function>
__global__ __launch_bounds__(default_block_size) void find_max(size_type size, Function value_of,
                                                               unsigned long long* result)
{
    __shared__ unsigned long long warp_maxima[default_block_size / warp_size];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    unsigned long long thread_max{};
    grid_dependency_sync();
#pragma unroll 4
    for (auto i = global_thread_id(); i < size; i += global_num_threads()) {
        thread_max = max(thread_max, static_cast<unsigned long long>(value_of(i)));
    }
    thread_max = reduce(warp, thread_max, [](auto x, auto y) { return x < y ? y : x; });
    if (warp.thread_rank() == 0) {
        warp_maxima[threadIdx.x / warp_size] = thread_max;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (const auto warp_max : warp_maxima) {
            thread_max = max(thread_max, warp_max);
        }
        atomicMax(result, thread_max);
    }
}

}  // namespace kernel

/// Returns the maximum of value_of(i), which is not negative, for i = 0, ..., size - 1, or 0 if
/// size is 0. The host waits for it.
template <typename Function>
size_type find_max(const DeviceExecutor& exec, size_type size, Function value_of)
{
    static_assert(sizeof(size_type) == sizeof(unsigned long long), "the same bits");
    array<size_type> result{exec.shared_from_this(), 1};
    result.fill(0);
    const auto num_blocks =
        std::min(static_cast<size_type>(ceildiv(size, default_block_size)), num_resident_blocks(exec));
    launch_dependent(exec, kernel::find_max<Function>, num_blocks, size, value_of,
                     reinterpret_cast<unsigned long long*>(result.get_data()));
    return exec.copy_val_to_host(result.get_const_data());
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
