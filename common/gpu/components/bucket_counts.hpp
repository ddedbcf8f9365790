// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace kernel {

/// Counts the elements of each bucket. A block counts in its shared memory. A thread writes when
/// the bucket changes, so that threads do not wait for each other at one counter if most elements
/// are in one bucket.
template <int num_buckets, typename Function>
__global__ __launch_bounds__(default_block_size) void count_in_buckets(size_type size, unsigned long long* counts,
                                                                       Function bucket_of)
{
    __shared__ unsigned block_counts[num_buckets];
    for (int i = threadIdx.x; i < num_buckets; i += default_block_size) {
        block_counts[i] = 0;
    }
    __syncthreads();
    int last_bucket = -1;
    unsigned num_alike{};
    for (auto i = global_thread_id(); i < size; i += global_num_threads()) {
        const int bucket = bucket_of(i);
        if (bucket != last_bucket) {
            if (last_bucket >= 0) {
                atomicAdd(block_counts + last_bucket, num_alike);
            }
            last_bucket = bucket;
            num_alike = 0;
        }
        ++num_alike;
    }
    if (last_bucket >= 0) {
        atomicAdd(block_counts + last_bucket, num_alike);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < num_buckets; i += default_block_size) {
        if (block_counts[i] > 0) {
            atomicAdd(counts + i, static_cast<unsigned long long>(block_counts[i]));
        }
    }
}

}  // namespace kernel

/// Adds the number of elements i = 0, ..., size - 1 with bucket_of(i) = b to counts[b], for each
/// bucket b of num_buckets. Elements with a negative bucket are not counted.
template <int num_buckets, typename Function>
void run_count_in_buckets(const DeviceExecutor& exec, size_type size, size_type* counts, Function bucket_of)
{
    static_assert(sizeof(size_type) == sizeof(unsigned long long), "counters of the type that atomics have");
    const auto num_blocks = std::min((size + default_block_size - 1) / default_block_size, num_resident_blocks(exec));
    launch_blocks(exec, kernel::count_in_buckets<num_buckets, Function>, num_blocks, size,
                  reinterpret_cast<unsigned long long*>(counts), bucket_of);
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
