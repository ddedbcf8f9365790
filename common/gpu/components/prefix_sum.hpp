// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace components {
namespace kernel {

constexpr int items_per_thread = 8;
constexpr int items_per_block = items_per_thread * default_block_size;

/// Computes sums[block], the sum of the block's part of counts, in 64 bits so that an overflow is
/// detected. If there is one block, stores sums[0] = 0 and sums[1] = the total instead, so that
/// scan_sums() is not needed.
template <typename I>
__global__ __launch_bounds__(default_block_size) void sum_blocks(const I* counts, size_type size, uint64* sums)
{
    __shared__ uint64 scratch[default_block_size / warp_size];
    const auto begin = static_cast<size_type>(grid_dependency_sync()) * items_per_block;
    uint64 sum{};
    for (int i = 0; i < items_per_thread; ++i) {
        const auto index = begin + threadIdx.x + static_cast<size_type>(i) * default_block_size;
        if (index < size) {
            sum += static_cast<uint64>(counts[index]);
        }
    }
    sum = block_reduce_add<default_block_size>(sum, scratch);
    if (threadIdx.x == 0 && gridDim.x > 1) {
        sums[blockIdx.x] = sum;
    } else if (threadIdx.x == 0) {
        sums[0] = 0;
        sums[1] = sum;
    }
}

/// Replaces sums[i] by the sum of the elements before i, and sets sums[num_sums] to the total. A
/// single block runs it.
template <typename T>
__global__ __launch_bounds__(default_block_size) void scan_sums(T* sums, size_type num_sums)
{
    __shared__ T scratch[default_block_size / warp_size];
    grid_dependency_sync();
    T before{};
    for (size_type begin = 0; begin < num_sums; begin += default_block_size) {
        const auto index = begin + threadIdx.x;
        const auto value = index < num_sums ? sums[index] : T{};
        T total{};
        const auto scanned = block_exclusive_scan<default_block_size>(value, scratch, total);
        if (index < num_sums) {
            sums[index] = before + scanned;
        }
        before += total;
    }
    if (threadIdx.x == 0) {
        sums[num_sums] = before;
    }
}

/// Replaces counts[i] by the sum of the counts before i. Each thread scans adjacent items in shared
/// memory. The padding keeps the threads' accesses in different banks.
template <typename I>
__global__ __launch_bounds__(default_block_size) void scan_blocks(I* counts, size_type size, const uint64* sums)
{
    const auto padded = [](int i) { return i + i / warp_size; };
    __shared__ I items[items_per_block + items_per_block / warp_size];
    __shared__ uint64 scratch[default_block_size / warp_size];
    const auto begin = static_cast<size_type>(grid_dependency_sync()) * items_per_block;
    const int thread = threadIdx.x;
    for (int i = thread; i < items_per_block; i += default_block_size) {
        items[padded(i)] = begin + i + 1 < size ? counts[begin + i] : I{};
    }
    __syncthreads();
    uint64 sum{};
    for (int i = thread * items_per_thread; i < (thread + 1) * items_per_thread; ++i) {
        const auto item = items[padded(i)];
        items[padded(i)] = static_cast<I>(sum);
        sum += static_cast<uint64>(item);
    }
    uint64 total{};
    const auto before = sums[blockIdx.x] + block_exclusive_scan<default_block_size>(sum, scratch, total);
    for (int i = thread * items_per_thread; i < (thread + 1) * items_per_thread; ++i) {
        items[padded(i)] += static_cast<I>(before);
    }
    __syncthreads();
    for (int i = thread; i < items_per_block; i += default_block_size) {
        if (begin + i < size) {
            counts[begin + i] = items[padded(i)];
        }
    }
}

}  // namespace kernel

/// Returns the number of sums that a scan of size counts needs.
inline size_type num_block_sums(size_type size)
{
    return static_cast<size_type>(ceildiv(size, kernel::items_per_block)) + 1;
}

/// Computes the sums of the counts before each block's counts, and the total as the last sum. This
/// is the first half of a scan.
template <typename I>
void sum_blocks(const DeviceExecutor& exec, const I* counts, size_type size, uint64* sums)
{
    // The last element is not summed: it receives the total of the others.
    const auto num_blocks = num_block_sums(size) - 1;
    launch_dependent(exec, kernel::sum_blocks<I>, num_blocks, counts, size - 1, sums);
    if (num_blocks != 1) {
        launch_dependent(exec, kernel::scan_sums<uint64>, 1, sums, num_blocks);
    }
}

/// Computes the prefix sums of counts from the sums of sum_blocks(). Requires that I holds the
/// total. This is the second half of a scan.
template <typename I>
void scan_blocks(const DeviceExecutor& exec, I* counts, size_type size, const uint64* sums)
{
    launch_dependent(exec, kernel::scan_blocks<I>, num_block_sums(size) - 1, counts, size, sums);
}

}  // namespace components

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
