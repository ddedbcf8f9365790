// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains sets of small integers. A block of threads inserts them in any order and lists them in
// ascending order.

#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

/// Holds a set of integers in 0, ..., size - 1 for any size up to max_size, in shared memory. All
/// threads of the block call clear() and list(), with barriers between the calls.
template <int max_size>
class block_bit_map {
    static constexpr int word_bits = 32;
    static_assert(max_size % word_bits == 0);

public:
    __device__ __forceinline__ void clear(int size)
    {
        for (int i = threadIdx.x; i < padded(num_words(size)); i += default_block_size) {
            words_[i] = 0;
        }
    }

    __device__ __forceinline__ void insert(int number)
    {
        atomicOr(words_ + padded(number / word_bits), uint32{1} << number % word_bits);
    }

    /// Calls function(position, number) for all numbers of the set. In ascending order they have
    /// the positions 0, 1, ...
    /// @return the size of the set
    template <typename Function>
    __device__ __forceinline__ uint32 list(int size, Function function)
    {
        const int words_per_thread = ceildiv(num_words(size), default_block_size);
        const int begin = static_cast<int>(threadIdx.x) * words_per_thread;
        const int end = min(num_words(size), begin + words_per_thread);
        uint32 num_in_words{};
        for (int i = begin; i < end; ++i) {
            num_in_words += warp::popcnt(words_[padded(i)]);
        }
        uint32 total{};
        auto position = block_exclusive_scan<default_block_size>(num_in_words, scratch_, total);
        for (int i = begin; i < end; ++i) {
            for (auto bits = words_[padded(i)]; bits != 0; bits &= bits - 1) {
                function(position, i * word_bits + warp::ffs(bits) - 1);
                ++position;
            }
        }
        return total;
    }

private:
    static __device__ __forceinline__ int num_words(int size) { return ceildiv(size, word_bits); }
    /// Returns the place of a word. The padding keeps the threads' accesses in different banks.
    static SPRUCE_HOST_DEVICE_INLINE constexpr int padded(int word) { return word + word / warp_size; }

    uint32 words_[max_size / word_bits + max_size / word_bits / warp_size];
    uint32 scratch_[default_block_size / warp_size];
};

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
