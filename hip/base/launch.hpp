// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "hip/base/runtime.hpp"

namespace spruce::kernels::hip {

template <typename... Params>
void launch_kernel(const HipExecutor& exec, void (*kernel)(Params...), unsigned num_blocks, unsigned block_size,
                   Params... args)
{
#ifdef SPRUCE_HIP_PLATFORM_HOST
    hip_host::launch(Executor::get_current_operation_name(), kernel, dim3(num_blocks), dim3(block_size), 0,
                     static_cast<hipStream_t>(exec.get_raw_stream()), args...);
#else
    hipLaunchKernelGGL(kernel, dim3(num_blocks), dim3(block_size), 0, exec.get_stream(), args...);
#endif
}

#ifndef SPRUCE_HIP_ON_NVIDIA

/// Launches a kernel. On AMD devices no kernel starts before the preceding one has ended.
template <typename... Params>
void launch_dependent_kernel(const HipExecutor& exec, void (*kernel)(Params...), unsigned num_blocks,
                             unsigned block_size, Params... args)
{
    launch_kernel(exec, kernel, num_blocks, block_size, args...);
}
__device__ __forceinline__ unsigned grid_dependency_sync() { return blockIdx.x; }

#endif

}  // namespace spruce::kernels::hip
