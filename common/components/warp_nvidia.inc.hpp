// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// The primitives of a warp on NVIDIA's hardware, which is told by a mask which lanes take part.

__device__ __forceinline__ int lane_id()
{
    return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warp_size);
}

__device__ __forceinline__ void sync(lane_mask_type members) { __syncwarp(members); }

__device__ __forceinline__ lane_mask_type ballot(lane_mask_type members, bool predicate)
{
    return __ballot_sync(members, predicate);
}

/// The 4-byte word of the lane source_lane, counted in the warp.
__device__ __forceinline__ uint32 shfl_word(lane_mask_type members, uint32 word, int source_lane)
{
    return __shfl_sync(members, word, source_lane);
}

__device__ __forceinline__ int popcnt(lane_mask_type mask) { return __popc(mask); }
/// Number of the lowest bit that is set, counted from 1; 0 if there is none.
__device__ __forceinline__ int ffs(lane_mask_type mask) { return __ffs(mask); }
/// Number of zero bits above the highest bit that is set.
__device__ __forceinline__ int clz(lane_mask_type mask) { return __clz(mask); }

/// For data that is read once: does not displace what is read again.
template <typename T>
__device__ __forceinline__ T load_streaming(const T* ptr)
{
    if constexpr (sizeof(T) == 16) {
        union {
            double2 raw;
            T value;
        } result{__ldcs(reinterpret_cast<const double2*>(ptr))};
        return result.value;
    } else if constexpr (sizeof(T) == 8) {
        union {
            double raw;
            T value;
        } result{__ldcs(reinterpret_cast<const double*>(ptr))};
        return result.value;
    } else {
        union {
            float raw;
            T value;
        } result{__ldcs(reinterpret_cast<const float*>(ptr))};
        return result.value;
    }
}
