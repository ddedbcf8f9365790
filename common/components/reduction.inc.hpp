// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Reductions and scans of a subwarp, a block and the whole grid. All combine in a fixed order: bitwise repeatable.

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

/// The sum over the ranks up to this thread's.
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

/// The sum over the block, for every thread. scratch holds one element for each warp.
template <int block_size, typename T>
__device__ __forceinline__ T block_reduce_add(T value, T* scratch)
{
    constexpr int num_warps = block_size / warp_size;
    const auto tile = group::tiled_partition<warp_size>(group::this_thread_block());
    value = reduce_add(tile, value);
    __syncthreads();  // scratch may still be read from a call before
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

/// The sum over the threads before this one; total receives the sum over the block.
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
