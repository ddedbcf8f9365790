// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains the primitives of a warp on NVIDIA devices. They require a mask of the participating
// lanes.

#include <cstring>
#include <type_traits>

#include <spruce/base/types.hpp>

#include "common/backend.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::warp {

static_assert(std::is_same_v<lane_mask_type, unsigned>, "lane_mask_type must match __ballot_sync");

__device__ __forceinline__ int lane_id()
{
    return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warp_size);
}

__device__ __forceinline__ void sync(lane_mask_type members) { __syncwarp(members); }

__device__ __forceinline__ lane_mask_type ballot(lane_mask_type members, bool predicate)
{
    return __ballot_sync(members, predicate);
}

/// The words in which values of a size are shuffled.
template <size_type size>
using shuffle_word = uint32;

/// Returns the word of the lane with index source_lane in the warp.
__device__ __forceinline__ uint32 shfl_word(lane_mask_type members, uint32 word, int source_lane)
{
    return __shfl_sync(members, word, source_lane);
}

__device__ __forceinline__ int popcnt(lane_mask_type mask) { return __popc(mask); }
/// Returns the index of the lowest bit that is set, counted from 1, or 0 if no bit is set.
__device__ __forceinline__ int ffs(lane_mask_type mask) { return __ffs(mask); }
/// Returns the number of zero bits above the highest bit that is set.
__device__ __forceinline__ int clz(lane_mask_type mask) { return __clz(mask); }

/// Loads data that is read only once. The first-level cache remains free for data that is reused
/// (doc/tuning/csr.md).
template <typename T>
__device__ __forceinline__ T load_streaming(const T* ptr)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "one load of a thread");
    T result;
    if constexpr (sizeof(T) == 16) {
        uint64 words[2];
        asm("ld.global.nc.L1::no_allocate.v2.u64 {%0, %1}, [%2];" : "=l"(words[0]), "=l"(words[1]) : "l"(ptr));
        memcpy(&result, words, sizeof(T));
    } else if constexpr (sizeof(T) == 8) {
        uint64 word;
        asm("ld.global.nc.L1::no_allocate.u64 %0, [%1];" : "=l"(word) : "l"(ptr));
        memcpy(&result, &word, sizeof(T));
    } else {
        uint32 word;
        asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(word) : "l"(ptr));
        memcpy(&result, &word, sizeof(T));
    }
    return result;
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::warp
