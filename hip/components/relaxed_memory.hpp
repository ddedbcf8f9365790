// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "hip/base/config.hpp"

/// Contains loads and stores of values that other blocks of a running kernel store or load. They
/// are not ordered with other accesses, and not served by the first-level cache.
namespace spruce::kernels::hip::relaxed {

#ifdef SPRUCE_HIP_PLATFORM_HOST

template <typename T>
inline T load(const T* address)
{
    return __atomic_load_n(address, __ATOMIC_RELAXED);
}

template <typename T>
inline void store(T* address, T value)
{
    __atomic_store_n(address, value, __ATOMIC_RELAXED);
    hip_host::stored(address);
}

/// Waits a moment, since the value that was loaded from this address is not yet the expected one.
/// The lanes of a warp have to meet between two calls, since they may wait for each other.
template <typename T>
inline void wait(const T* address)
{
    hip_host::poll(address);
}

#else

template <typename T>
__device__ __forceinline__ T load(const T* address)
{
    return __hip_atomic_load(address, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

template <typename T>
__device__ __forceinline__ void store(T* address, T value)
{
    __hip_atomic_store(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Waits a moment, since the value that was loaded from this address is not yet the expected one.
/// The lanes of a warp have to meet between two calls, since they may wait for each other.
template <typename T>
__device__ __forceinline__ void wait(const T*)
{
    __builtin_amdgcn_s_sleep(1);
}

#endif

}  // namespace spruce::kernels::hip::relaxed
