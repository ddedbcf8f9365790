// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstring>
#include <type_traits>

#include "common/gpu/base/prelude.hpp"

/// Passes values between blocks of a running kernel. A value is published by one store: memory
/// without a value holds a bit pattern that no published value has.
namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::published {

/// Number of bytes of a store that other blocks see as a whole.
template <typename T>
using word = std::conditional_t<sizeof(T) == 4, uint32, uint64>;

/// Contains the bits of a value in words.
template <typename T>
struct bits {
    static constexpr int num_words = sizeof(T) / sizeof(word<T>);
    word<T> words[num_words];
};

/// Returns the word of memory without a value: a signalling NaN, which no operation returns.
template <typename T>
__device__ __forceinline__ constexpr word<T> missing_word()
{
    return sizeof(T) == 4 ? static_cast<word<T>>(0x7fa5a5a5u) : static_cast<word<T>>(0x7ff4a5a5a5a5a5a5ull);
}

/// Marks memory as being without a value.
template <typename T>
__device__ __forceinline__ void clear(T* address)
{
    for (int i = 0; i < bits<T>::num_words; ++i) {
        reinterpret_cast<word<T>*>(address)[i] = missing_word<T>();
    }
}

/// Stores a value for other blocks. A given value that looks like a missing one, which computations
/// do not return, is changed by a bit.
template <typename T>
__device__ __forceinline__ void store(T* address, const T& value)
{
    bits<T> stored;
    memcpy(&stored, &value, sizeof(T));
    for (int i = 0; i < bits<T>::num_words; ++i) {
        const auto one = stored.words[i];
        relaxed::store(reinterpret_cast<word<T>*>(address) + i, one == missing_word<T>() ? one ^ 1 : one);
    }
}

/// Loads what the memory of a value contains.
template <typename T>
__device__ __forceinline__ bits<T> load(const T* address)
{
    bits<T> result;
    for (int i = 0; i < bits<T>::num_words; ++i) {
        result.words[i] = relaxed::load(reinterpret_cast<const word<T>*>(address) + i);
    }
    return result;
}

/// Returns true if a value had been published when its memory was loaded.
template <typename T>
__device__ __forceinline__ bool is_complete(const bits<T>& loaded)
{
    auto result = true;
    for (int i = 0; i < bits<T>::num_words; ++i) {
        result = result && loaded.words[i] != missing_word<T>();
    }
    return result;
}

/// Returns a complete value.
template <typename T>
__device__ __forceinline__ T value_of(const bits<T>& loaded)
{
    T result;
    memcpy(&result, &loaded, sizeof(T));
    return result;
}

/// Waits a moment before the next load from this address; see relaxed::wait().
template <typename T>
__device__ __forceinline__ void wait(const T* address)
{
    relaxed::wait(reinterpret_cast<const word<T>*>(address));
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::published
