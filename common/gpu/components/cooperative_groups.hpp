// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains groups of threads that work together. A tile of Size threads (a power of two up to the
// warp size) consists of the lanes LaneOffset, ..., LaneOffset + Size - 1 of its warp. Here
// LaneOffset = floor((tid % warp_size) / Size) * Size and
// Mask = (~0 >> (bits - Size)) << LaneOffset. All threads of the tile that have not exited call
// each operation together.

#include <cstring>
#include <type_traits>

#include <spruce/base/types.hpp>

#include "common/backend.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace group {

class thread_block {
public:
    __device__ __forceinline__ int size() const { return static_cast<int>(blockDim.x * blockDim.y * blockDim.z); }
    __device__ __forceinline__ int thread_rank() const
    {
        return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    }
    __device__ __forceinline__ void sync() const { __syncthreads(); }
};

__device__ __forceinline__ thread_block this_thread_block() { return {}; }

template <int Size>
class thread_block_tile {
    static_assert(Size > 0 && Size <= warp_size && (Size & (Size - 1)) == 0, "a power of two up to the warp's width");

public:
    __device__ __forceinline__ explicit thread_block_tile(int thread_rank)
        : rank_{thread_rank % Size}, lane_offset_{thread_rank % warp_size / Size * Size}
    {}

    __device__ __forceinline__ constexpr int size() const { return Size; }
    __device__ __forceinline__ int thread_rank() const { return rank_; }
    __device__ __forceinline__ lane_mask_type mask() const
    {
        constexpr int bits = 8 * sizeof(lane_mask_type);
        return (~lane_mask_type{} >> (bits - Size)) << lane_offset_;
    }

    __device__ __forceinline__ void sync() const
    {
        if constexpr (Size > 1) {
            warp::sync(this->mask());
        }
    }

    /// Returns the value of the thread with this rank in the tile.
    template <typename T>
    __device__ __forceinline__ T shfl(const T& value, int rank) const
    {
        using word = warp::shuffle_word<sizeof(T)>;
        static_assert(sizeof(T) % sizeof(word) == 0, "shuffles move whole words");
        if constexpr (Size == 1) {
            return value;
        }
        constexpr int num_words = sizeof(T) / sizeof(word);
        word words[num_words];
        memcpy(words, &value, sizeof(T));
        const auto lane = lane_offset_ + static_cast<int>(static_cast<unsigned>(rank) % Size);
        for (int i = 0; i < num_words; ++i) {
            words[i] = warp::shfl_word(this->mask(), words[i], lane);
        }
        T result;
        memcpy(&result, words, sizeof(T));
        return result;
    }
    template <typename T>
    __device__ __forceinline__ T shfl_xor(const T& value, int mask) const
    {
        return this->shfl(value, rank_ ^ mask);
    }
    /// Returns the value of the thread delta ranks below. Threads without such a thread get their
    /// own value.
    template <typename T>
    __device__ __forceinline__ T shfl_up(const T& value, int delta) const
    {
        return this->shfl(value, rank_ >= delta ? rank_ - delta : rank_);
    }
    template <typename T>
    __device__ __forceinline__ T shfl_down(const T& value, int delta) const
    {
        return this->shfl(value, rank_ + delta < Size ? rank_ + delta : rank_);
    }

    /// Returns a mask whose bit i is the predicate of the thread with rank i.
    __device__ __forceinline__ lane_mask_type ballot(bool predicate) const
    {
        if constexpr (Size == 1) {
            return predicate ? 1 : 0;
        } else {
            return (warp::ballot(this->mask(), predicate) & this->mask()) >> lane_offset_;
        }
    }
    __device__ __forceinline__ bool any(bool predicate) const { return this->ballot(predicate) != 0; }
    __device__ __forceinline__ bool all(bool predicate) const { return this->ballot(!predicate) == 0; }

    /// Returns a mask of the threads whose value has the lowest num_bits bits of this thread's
    /// value. Bit i stands for rank i. The ballots are not unrolled (doc/tuning/conversions.md).
    __device__ __forceinline__ lane_mask_type match(uint32 value, int num_bits) const
    {
        auto peers = this->mask() >> lane_offset_;
        for (int bit = 0; bit < num_bits; ++bit) {
            const auto is_set = (value >> bit & 1) != 0;
            const auto votes = this->ballot(is_set);
            peers &= is_set ? votes : ~votes;
        }
        return peers;
    }

private:
    int rank_;
    int lane_offset_;
};

template <int Size>
__device__ __forceinline__ thread_block_tile<Size> tiled_partition(const thread_block& block)
{
    return thread_block_tile<Size>{block.thread_rank()};
}

}  // namespace group

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
