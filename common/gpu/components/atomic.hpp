// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

#include "common/backend.hpp"
#include "common/numeric/complex.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

template <typename T>
__device__ __forceinline__ void atomic_add(T* target, T value)
{
    atomicAdd(target, value);
}
/// Adds the real and the imaginary part by one atomic addition each. Another thread may see one
/// addition without the other.
template <typename T>
__device__ __forceinline__ void atomic_add(device_complex<T>* target, device_complex<T> value)
{
    atomicAdd(&target->re, value.re);
    atomicAdd(&target->im, value.im);
}
/// Adds an integer, for which CUDA has only unsigned atomics.
__device__ __forceinline__ void atomic_add(int64* target, int64 value)
{
    atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value));
}

/// Adds a value to an integer. Returns the previous value.
__device__ __forceinline__ int32 atomic_fetch_add(int32* target, int32 value) { return atomicAdd(target, value); }
__device__ __forceinline__ int64 atomic_fetch_add(int64* target, int64 value)
{
    return static_cast<int64>(
        atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value)));
}

/// Stores a value in memory to which other threads may store at the same time.
__device__ __forceinline__ void atomic_store(int32* target, int32 value) { atomicExch(target, value); }
__device__ __forceinline__ void atomic_store(int64* target, int64 value)
{
    atomicExch(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value));
}

/// Replaces *target by desired if it is equal to expected. Returns the previous value.
__device__ __forceinline__ int32 atomic_cas(int32* target, int32 expected, int32 desired)
{
    return atomicCAS(target, expected, desired);
}
__device__ __forceinline__ int64 atomic_cas(int64* target, int64 expected, int64 desired)
{
    return static_cast<int64>(atomicCAS(reinterpret_cast<unsigned long long*>(target),
                                        static_cast<unsigned long long>(expected),
                                        static_cast<unsigned long long>(desired)));
}

/// Replaces *target by value if value is smaller. The target is in global memory.
template <typename I>
__device__ __forceinline__ void atomic_min(I* target, I value)
{
    auto current = relaxed::load(target);
    while (value < current) {
        const auto previous = atomic_cas(target, current, value);
        if (previous == current) {
            break;
        }
        current = previous;
    }
}

/// Replaces *target by value if value is larger. The target is in global memory.
template <typename I>
__device__ __forceinline__ void atomic_max(I* target, I value)
{
    auto current = relaxed::load(target);
    while (value > current) {
        const auto previous = atomic_cas(target, current, value);
        if (previous == current) {
            break;
        }
        current = previous;
    }
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
