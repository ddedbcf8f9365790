// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <type_traits>

#include "hip/base/config.hpp"

/// Contains the operations of the lanes of a warp, for the lanes in members only. The groups of
/// common/gpu/components/cooperative_groups.hpp are built on them. On AMD hardware the active lanes
/// participate, independently of members.
namespace spruce::kernels::hip::warp {

__device__ __forceinline__ int lane_id()
{
    return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warp_size);
}

#ifdef SPRUCE_HIP_PLATFORM_HOST

inline void sync(lane_mask_type members) { hip_host::sync(members); }
inline lane_mask_type ballot(lane_mask_type members, bool predicate) { return hip_host::ballot(members, predicate); }

struct wide_word {
    uint64 parts[2];
};
/// The words in which values of a size are shuffled: the largest ones, since each shuffle switches
/// between all lanes.
template <size_type size>
using shuffle_word = std::conditional_t<size % sizeof(wide_word) == 0, wide_word,
                                        std::conditional_t<size % sizeof(uint64) == 0, uint64, uint32>>;

template <typename Word>
inline Word shfl_word(lane_mask_type members, Word word, int source_lane)
{
    return hip_host::shfl(members, word, static_cast<unsigned>(source_lane));
}

#else

__device__ __forceinline__ void sync(lane_mask_type)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}
__device__ __forceinline__ lane_mask_type ballot(lane_mask_type, bool predicate) { return __ballot(predicate); }
/// The words in which values of a size are shuffled.
template <size_type size>
using shuffle_word = uint32;

__device__ __forceinline__ uint32 shfl_word(lane_mask_type, uint32 word, int source_lane)
{
    return __shfl(word, source_lane, warp_size);
}

#endif

__device__ __forceinline__ int popcnt(lane_mask_type mask) { return __popcll(mask); }
/// Returns the index of the lowest bit that is set, counted from 1, or 0 if no bit is set.
__device__ __forceinline__ int ffs(lane_mask_type mask) { return __ffsll(static_cast<unsigned long long>(mask)); }
/// Returns the number of zero bits above the highest bit that is set.
__device__ __forceinline__ int clz(lane_mask_type mask) { return __clzll(static_cast<long long>(mask)); }

/// Loads data that is read only once. It should not displace data that is reused.
template <typename T>
__device__ __forceinline__ T load_streaming(const T* ptr)
{
    return *ptr;
}

}  // namespace spruce::kernels::hip::warp
