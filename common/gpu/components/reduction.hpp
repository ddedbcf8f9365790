// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains reductions and scans of a subwarp and a block. All combine in a fixed order: results are
// bitwise repeatable.

#include "common/backend.hpp"
#include "common/gpu/components/cooperative_groups.hpp"
#include "common/numeric/sums.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

template <typename Group, typename T, typename Operator>
__device__ __forceinline__ T reduce(const Group& tile, T value, Operator combine)
{
    for (int step = tile.size() / 2; step > 0; step /= 2) {
        value = combine(value, tile.shfl_xor(value, step));
    }
    return value;
}

template <typename Group, typename T>
__device__ __forceinline__ T reduce_add(const Group& tile, T value)
{
    return reduce(tile, value, [](const T& a, const T& b) { return a + b; });
}

constexpr int power_of_two_from(int lower_bound)
{
    int power = 1;
    while (power < lower_bound) {
        power *= 2;
    }
    return power;
}

/// Sums each of N values over the tile. Threads exchange half of the values that they still hold,
/// which takes little more than N shuffles instead of N log(tile size) (doc/tuning/solvers.md).
/// @return the sum of the value with index rank / (tile size / N), with N rounded up to a power of
///     two (zero beyond the last value)
template <int size, int N, typename Group, typename T>
__device__ __forceinline__ T reduce_add_each(const Group& tile, const T (&values)[N])
{
    if constexpr (N == 1) {
        auto sum = values[0];
        for (int step = size / 2; step > 0; step /= 2) {
            sum = sum + tile.shfl_xor(sum, step);
        }
        return sum;
    } else {
        constexpr int half = power_of_two_from(N) / 2;
        static_assert(2 * half <= size, "a tile has a thread for each value");
        const auto has_upper = (tile.thread_rank() & (size / 2)) != 0;
        T retained[half];
        for (int i = 0; i < half; ++i) {
            const auto upper = i + half < N ? values[i + half < N ? i + half : 0] : T{};
            retained[i] = (has_upper ? upper : values[i]) + tile.shfl_xor(has_upper ? values[i] : upper, size / 2);
        }
        return reduce_add_each<size / 2>(tile, retained);
    }
}

/// Returns the sum over the ranks up to and including this thread's.
template <typename Group, typename T>
__device__ __forceinline__ T inclusive_scan(const Group& tile, T value)
{
    for (int step = 1; step < tile.size(); step *= 2) {
        const auto below = tile.shfl_up(value, step);
        if (tile.thread_rank() >= step) {
            value = below + value;
        }
    }
    return value;
}

/// Returns the sum over the block to every thread. scratch has one element for each warp.
template <int block_size, typename T>
__device__ __forceinline__ T block_reduce_add(T value, T* scratch)
{
    constexpr int num_warps = block_size / warp_size;
    const auto tile = group::tiled_partition<warp_size>(group::this_thread_block());
    value = reduce_add(tile, value);
    __syncthreads();  // a preceding call may still read scratch
    if (tile.thread_rank() == 0) {
        scratch[threadIdx.x / warp_size] = value;
    }
    __syncthreads();
    auto sum = scratch[0];
    for (int i = 1; i < num_warps; ++i) {
        sum = sum + scratch[i];
    }
    return sum;
}

/// Returns several sums over the block to every thread. scratch has one element for each warp.
template <int block_size, typename T, int N>
__device__ __forceinline__ sums<T, N> block_reduce_add(const sums<T, N>& value, sums<T, N>* scratch)
{
    constexpr int num_warps = block_size / warp_size;
    constexpr int per_value = warp_size / power_of_two_from(N);
    const auto tile = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto sum_of_one = reduce_add_each<warp_size>(tile, value.value);
    __syncthreads();  // a preceding call may still read scratch
    const int number = tile.thread_rank() / per_value;
    if (tile.thread_rank() % per_value == 0 && number < N) {
        scratch[threadIdx.x / warp_size][number] = sum_of_one;
    }
    __syncthreads();
    if (threadIdx.x < N) {
        auto sum = scratch[0][threadIdx.x];
        for (int i = 1; i < num_warps; ++i) {
            sum = sum + scratch[i][threadIdx.x];
        }
        scratch[0][threadIdx.x] = sum;
    }
    __syncthreads();
    return scratch[0];
}

/// Returns the sum over the threads before this one; total receives the sum over the block.
template <int block_size, typename T>
__device__ __forceinline__ T block_exclusive_scan(T value, T* scratch, T& total)
{
    constexpr int num_warps = block_size / warp_size;
    const auto tile = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto in_warp = inclusive_scan(tile, value);
    __syncthreads();
    if (tile.thread_rank() == warp_size - 1) {
        scratch[threadIdx.x / warp_size] = in_warp;
    }
    __syncthreads();
    T before{};
    total = T{};
    for (int i = 0; i < num_warps; ++i) {
        if (i < static_cast<int>(threadIdx.x) / warp_size) {
            before = before + scratch[i];
        }
        total = total + scratch[i];
    }
    return before + in_warp - value;
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
