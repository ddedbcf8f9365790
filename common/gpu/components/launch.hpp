// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <string>

#include "common/backend.hpp"
#include "common/gpu/base/runtime.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

/// Counts a launch and returns the number of its blocks in the type of grids.
/// @throws OverflowError  if a grid cannot have so many blocks
inline unsigned begin_launch(const DeviceExecutor& exec, size_type num_blocks)
{
    constexpr auto max_blocks = (size_type{1} << 31) - 1;
    if (num_blocks > max_blocks) {
        throw OverflowError(__FILE__, __LINE__, "the grid of a kernel");
    }
    exec.count_launch();
    return static_cast<unsigned>(num_blocks);
}

/// Throws if the preceding launch failed, in every build type.
inline void end_launch()
{
    if (const auto error = SPRUCE_GPU(GetLastError)(); error != SPRUCE_GPU(Success)) {
        throw_on_error(error, std::string("launching ") + Executor::get_current_operation_name() + " (built for " +
                                  SPRUCE_GPU_ARCHITECTURES + ")");
    }
}

/// Launches a kernel in blocks of block_size threads. It does nothing if num_blocks is 0. An error
/// of the launch is thrown, in every build type.
template <int block_size = default_block_size, typename... Params, typename... Args>
void launch_blocks(const DeviceExecutor& exec, void (*kernel)(Params...), size_type num_blocks, const Args&... args)
{
    if (num_blocks > 0) {
        launch_kernel(exec, kernel, begin_launch(exec, num_blocks), block_size, static_cast<Params>(args)...);
        end_launch();
    }
}

/// Launches a kernel that begins with grid_dependency_sync(). The device may start it before the
/// preceding kernel has ended. It does nothing if num_blocks is 0; an error of the launch is
/// thrown.
template <int block_size = default_block_size, typename... Params, typename... Args>
void launch_dependent(const DeviceExecutor& exec, void (*kernel)(Params...), size_type num_blocks, const Args&... args)
{
    if (num_blocks > 0) {
        launch_dependent_kernel(exec, kernel, begin_launch(exec, num_blocks), block_size, static_cast<Params>(args)...);
        end_launch();
    }
}

/// Launches a kernel with at least num_threads threads, in blocks of default_block_size.
template <typename... Params, typename... Args>
void launch(const DeviceExecutor& exec, void (*kernel)(Params...), size_type num_threads, const Args&... args)
{
    launch_blocks(exec, kernel, (num_threads + default_block_size - 1) / default_block_size, args...);
}

/// Returns the index of this thread in a one-dimensional grid.
__device__ __forceinline__ size_type global_thread_id()
{
    return threadIdx.x + static_cast<size_type>(blockDim.x) * blockIdx.x;
}
__device__ __forceinline__ size_type global_num_threads() { return static_cast<size_type>(blockDim.x) * gridDim.x; }
template <int subwarp_size>
__device__ __forceinline__ size_type global_subwarp_id()
{
    return global_thread_id() / subwarp_size;
}

/// Calls function(std::integral_constant<int, size>) with the smallest power of two >= requested,
/// at most the warp size.
template <typename Function, int size = 1>
void select_subwarp_size(size_type requested, Function function)
{
    if constexpr (size < warp_size) {
        if (requested > size) {
            select_subwarp_size<Function, 2 * size>(requested, function);
            return;
        }
    }
    function(std::integral_constant<int, size>{});
}

/// Returns the number of blocks that the device runs concurrently if they need few registers.
inline size_type num_resident_blocks(const DeviceExecutor& exec)
{
    return static_cast<size_type>(exec.get_num_multiprocessor()) *
           (exec.get_num_warps_per_sm() * warp_size / default_block_size);
}

/// Returns the size of a grid whose blocks do the work of num_blocks blocks in a grid-stride loop.
/// The grid has as many blocks as are resident at per_multiprocessor blocks each, or fewer if the
/// number of iterations is equal (doc/tuning/solvers.md).
inline size_type grid_stride_blocks(const DeviceExecutor& exec, size_type num_blocks, int per_multiprocessor)
{
    const auto num_resident = static_cast<size_type>(exec.get_num_multiprocessor() * per_multiprocessor);
    const auto num_waves = std::max<size_type>((num_blocks + num_resident - 1) / num_resident, 1);
    return (num_blocks + num_waves - 1) / num_waves;
}

/// Returns a number of blocks that fills the device several times, for kernels whose threads loop.
inline size_type num_blocks_to_fill(const DeviceExecutor& exec)
{
    constexpr size_type rounds = 4;
    return rounds * num_resident_blocks(exec);
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
