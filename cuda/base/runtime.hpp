// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include <cuda_runtime.h>

#include <spruce/base/exception.hpp>
#include <spruce/base/executor.hpp>

/// The CUDA runtime under the names that common/ uses.
#define SPRUCE_GPU(_name) cuda##_name
#define SPRUCE_GPU_SUCCESS cudaSuccess

namespace spruce::kernels::cuda {

using DeviceExecutor = CudaExecutor;
using stream_type = cudaStream_t;
using event_type = cudaEvent_t;
using error_type = cudaError_t;
using device_properties = cudaDeviceProp;
using memory_pool = cudaMemPool_t;

constexpr auto backend_name = "cuda";
constexpr auto out_of_memory = cudaErrorMemoryAllocation;
constexpr auto copy_by_address = cudaMemcpyDefault;
constexpr auto pool_release_threshold = cudaMemPoolAttrReleaseThreshold;

inline void throw_on_error(error_type error, const std::string& what)
{
    if (error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        throw CudaError(__FILE__, __LINE__, what, error,
                        std::string(cudaGetErrorName(error)) + ", " + cudaGetErrorString(error));
    }
}

inline error_type malloc_managed(void** ptr, size_type num_bytes) { return cudaMallocManaged(ptr, num_bytes); }
inline error_type malloc_pinned(void** ptr, size_type num_bytes) { return cudaMallocHost(ptr, num_bytes); }
inline error_type free_pinned(void* ptr) { return cudaFreeHost(ptr); }

inline std::string architecture_of(const device_properties& properties)
{
    return "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
}

}  // namespace spruce::kernels::cuda
