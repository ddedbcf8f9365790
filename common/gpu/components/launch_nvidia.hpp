// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Kernels that are launched before the one before them has ended, on NVIDIA's hardware (programmatic dependent launch, compute
// capability 9.0). HIP has no name for it; on NVIDIA its streams are CUDA's.

#include <algorithm>
#include <iterator>

#include <spruce/base/executor.hpp>

#include "common/backend.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

/// For the kernels that launch_dependent_kernel() starts, before they read or write memory: waits until the kernel before has ended and
/// what it wrote is there. Returns blockIdx.x: no load whose address depends on it is moved to before the wait, even one of memory
/// that is said to be constant.
__device__ __forceinline__ unsigned grid_dependency_sync()
{
    auto block = blockIdx.x;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" : "+r"(block) : : "memory");
#endif
    return block;
}

/// Whether kernels that wait by themselves were built for this device: code of its own generation is what it takes first.
inline bool supports_dependent_launch(const DeviceExecutor& exec)
{
    constexpr int built_for[] = {__CUDA_ARCH_LIST__};
    const auto device = 10 * exec.get_compute_capability();
    return std::any_of(std::begin(built_for), std::end(built_for),
                       [&](int built) { return built >= 900 && built <= device && built / 100 == device / 100; });
}

/// For a kernel that begins by grid_dependency_sync(): it is launched as the last blocks of the kernel before end, where the device
/// can do so. Launched earlier, as soon as all blocks of the kernel before run, its own ones come to lie where there is room first,
/// unevenly: 18.3 us for 17.8 in an iteration of Cg on 64^3.
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
