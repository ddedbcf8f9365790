// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Launches kernels before the preceding kernel has ended (programmatic dependent launch), on NVIDIA
// devices of compute capability 9.0. HIP has no name for it, but its streams on NVIDIA devices are
// those of CUDA.

#include <algorithm>
#include <iterator>

#include <spruce/base/executor.hpp>

#include "common/backend.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

/// Waits until the preceding kernel has ended and its writes are visible. A kernel that
/// launch_dependent_kernel() starts calls this before it reads or writes memory.
/// @return blockIdx.x. Loads whose address depends on the returned value are not moved before the
///     wait, even loads from memory that is declared constant.
__device__ __forceinline__ unsigned grid_dependency_sync()
{
    auto block = blockIdx.x;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" : "+r"(block) : : "memory");
#endif
    return block;
}

/// Returns true if the code for this device includes grid_dependency_sync(). A device prefers code
/// that was built for its own generation.
inline bool supports_dependent_launch(const DeviceExecutor& exec)
{
    constexpr int built_for[] = {__CUDA_ARCH_LIST__};
    const auto device = 10 * exec.get_compute_capability();
    return std::any_of(std::begin(built_for), std::end(built_for),
                       [&](int built) { return built >= 900 && built <= device && built / 100 == device / 100; });
}

/// Launches a kernel that begins with grid_dependency_sync(). If the device can do so, it starts
/// the kernel as the last blocks of the preceding kernel end. An earlier start, as soon as all
/// blocks of the preceding kernel run, distributes the blocks unevenly among the multiprocessors
/// (doc/tuning/constants.md).
template <typename... Params>
void launch_dependent_kernel(const DeviceExecutor& exec, void (*kernel)(Params...), unsigned num_blocks,
                             unsigned block_size, Params... args)
{
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = num_blocks;
    config.blockDim = block_size;
    config.stream = exec.get_stream();
    config.attrs = &early;
    config.numAttrs = supports_dependent_launch(exec) ? 1 : 0;
    cudaLaunchKernelEx(&config, kernel, args...);
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
