// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include <hip/hip_runtime.h>

#include <spruce/base/exception.hpp>
#include <spruce/base/executor.hpp>

/// Gives the HIP runtime the names that common/ uses.
#define SPRUCE_GPU(_name) hip##_name

namespace spruce::kernels::hip {

using DeviceExecutor = HipExecutor;
using device_error = HipError;
using device_properties = hipDeviceProp_t;

constexpr auto backend_name = "hip";
constexpr auto out_of_memory = hipErrorOutOfMemory;
#ifdef SPRUCE_HIP_ON_NVIDIA
constexpr auto pool_release_threshold = cudaMemPoolAttrReleaseThreshold;  // HIP 5.2 defines it for AMD only
#else
constexpr auto pool_release_threshold = hipMemPoolAttrReleaseThreshold;
#endif

inline hipError_t malloc_pinned(void** ptr, size_type num_bytes) { return hipHostMalloc(ptr, num_bytes, 0); }
inline hipError_t free_pinned(void* ptr) { return hipHostFree(ptr); }

inline std::string architecture_of(const device_properties& properties)
{
#ifdef SPRUCE_HIP_ON_NVIDIA
    return "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
#else
    return properties.gcnArchName;
#endif
}

}  // namespace spruce::kernels::hip
