// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <type_traits>

#include "common/backend.hpp"

/// Contains loads and stores of values that other blocks of a running kernel store or load. They
/// are not ordered with other accesses, and not served by the first-level cache.
namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::relaxed {

template <typename T>
__device__ __forceinline__ T load(const T* address)
{
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "one word");
    T result;
    if constexpr (sizeof(T) == 4) {
        asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(result) : "l"(address) : "memory");
    } else {
        asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(result) : "l"(address) : "memory");
    }
    return result;
}

template <typename T>
__device__ __forceinline__ void store(T* address, T value)
{
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "one word");
    if constexpr (sizeof(T) == 4) {
        asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
    } else {
        asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
    }
}

/// Waits a moment, since the value that was loaded from this address is not yet the expected one.
/// The lanes of a warp have to meet between two calls, since they may wait for each other.
template <typename T>
__device__ __forceinline__ void wait(const T*)
{}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::relaxed
