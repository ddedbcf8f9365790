// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains kernels that sum over tiles, by Spruce's groups and by the vendor's shuffles. This file
// is included after the configuration of a backend.

#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

/// Returns the value of the thread of the tile whose rank differs in the bits of mask.
template <int size, typename T>
__device__ __forceinline__ T vendor_shfl_xor(T value, int mask)
{
#ifdef __CUDACC__
    return __shfl_xor_sync(~0u, value, mask, size);
#else
    return __shfl_xor(value, mask, size);
#endif
}

template <int size, typename T>
__device__ __forceinline__ device_complex<T> vendor_shfl_xor(device_complex<T> value, int mask)
{
    return {vendor_shfl_xor<size>(value.re, mask), vendor_shfl_xor<size>(value.im, mask)};
}

/// Replaces each value by the sum over its tile, num_sums times.
template <int size, typename T>
__global__ void sum_by_groups(T* values, int num_sums)
{
    const auto tile = group::tiled_partition<size>(group::this_thread_block());
    auto& result = values[blockIdx.x * blockDim.x + threadIdx.x];
    auto value = result;
    for (int i = 0; i < num_sums; ++i) {
        value = reduce_add(tile, value);
    }
    result = value;
}

template <int size, typename T>
__global__ void sum_by_vendor_shuffles(T* values, int num_sums)
{
    auto& result = values[blockIdx.x * blockDim.x + threadIdx.x];
    auto value = result;
    for (int i = 0; i < num_sums; ++i) {
        for (int step = size / 2; step > 0; step /= 2) {
            value = value + vendor_shfl_xor<size>(value, step);
        }
    }
    result = value;
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
