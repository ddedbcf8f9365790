// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include <cuda_runtime.h>

#include <spruce/base/exception.hpp>
#include <spruce/base/executor.hpp>

/// Gives the CUDA runtime the names that common/ uses.
#define SPRUCE_GPU(_name) cuda##_name

namespace spruce::kernels::cuda {

using DeviceExecutor = CudaExecutor;
using device_error = CudaError;
using device_properties = cudaDeviceProp;

constexpr auto backend_name = "cuda";
constexpr auto out_of_memory = cudaErrorMemoryAllocation;
constexpr auto pool_release_threshold = cudaMemPoolAttrReleaseThreshold;

inline cudaError_t malloc_pinned(void** ptr, size_type num_bytes) { return cudaMallocHost(ptr, num_bytes); }
inline cudaError_t free_pinned(void* ptr) { return cudaFreeHost(ptr); }

inline std::string architecture_of(const device_properties& properties)
{
    return "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
}

}  // namespace spruce::kernels::cuda
