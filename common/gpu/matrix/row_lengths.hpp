// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "core/matrix/hybrid_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace hybrid {
namespace kernel {

/// Lengths below this bound are counted by the block before they are added in global memory.
constexpr int num_short_lengths = 1024;

/// Counts the rows of each length. A thread counts consecutive rows of equal length and writes when
/// the length changes. Without this, threads would wait for each other at one counter if all rows
/// are equally long.
template <typename I>
__global__ __launch_bounds__(default_block_size) void count_rows_by_length(const I* __restrict__ row_ptrs,
                                                                           size_type num_rows, I max_length,
                                                                           unsigned long long* counts)
{
    __shared__ unsigned short_counts[num_short_lengths];
    for (int i = threadIdx.x; i < num_short_lengths; i += default_block_size) {
        short_counts[i] = 0;
    }
    __syncthreads();
    I last_length{};
    unsigned num_alike{};
    const auto flush = [&] {
        if (num_alike == 0) {
            return;
        }
        if (last_length < num_short_lengths) {
            atomicAdd(short_counts + last_length, num_alike);
        } else {
            atomicAdd(counts + last_length, static_cast<unsigned long long>(num_alike));
        }
    };
    for (auto row = global_thread_id(); row < num_rows; row += global_num_threads()) {
        const auto row_length = row_ptrs[row + 1] - row_ptrs[row];
        const auto length = row_length < max_length ? row_length : max_length;
        if (length != last_length) {
            flush();
            last_length = length;
            num_alike = 0;
        }
        ++num_alike;
    }
    flush();
    __syncthreads();
    for (int i = threadIdx.x; i < num_short_lengths; i += default_block_size) {
        if (short_counts[i] > 0) {
            atomicAdd(counts + i, static_cast<unsigned long long>(short_counts[i]));
        }
    }
}

}  // namespace kernel

template <typename I>
void count_rows_by_length(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, size_type max_length,
                          size_type* counts)
{
    static_assert(sizeof(size_type) == sizeof(unsigned long long), "counters of the type that atomics have");
    const auto num_threads = std::min(num_rows, num_blocks_to_fill(exec) / 4 * default_block_size);
    launch(exec, kernel::count_rows_by_length<I>, num_threads, row_ptrs, num_rows, static_cast<I>(max_length),
           reinterpret_cast<unsigned long long*>(counts));
}

}  // namespace hybrid

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
