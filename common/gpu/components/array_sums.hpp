// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/maximum.hpp"
#include "common/gpu/components/prefix_sum.hpp"
#include "core/components/array_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace components {
namespace kernel {

/// Writes the row index of each entry. Each block has an equal number of the row ends and the
/// entries together, so that neither a long row nor many empty rows delay it. The block processes
/// its entries in chunks: it counts the rows that begin at each entry, and scans the counts
/// (doc/tuning/conversions.md).
template <typename I>
__global__ __launch_bounds__(default_block_size) void list_rows(const I* ptrs, size_type num_rows, I* idxs)
{
    // The items of thread t begin at t * items_per_thread in shared memory. The padding keeps the
    // threads' accesses in different banks.
    const auto padded = [](int i) { return i + i / warp_size; };
    __shared__ uint32 counts[items_per_block + items_per_block / warp_size];
    __shared__ uint32 scratch[default_block_size / warp_size];
    __shared__ size_type ended_rows[2];  // at the begin and at the end of the block's items
    const auto num_items = num_rows + static_cast<size_type>(ptrs[num_rows]);
    const auto even_num_items = (num_items + gridDim.x - 1) / gridDim.x;
    const auto num_block_items =
        even_num_items < size_type{items_per_block} ? size_type{items_per_block} : even_num_items;
    const auto begin = blockIdx.x * num_block_items;
    if (begin >= num_items) {
        return;  // the whole block
    }
    const auto end = num_items - begin < num_block_items ? num_items : begin + num_block_items;
    const int thread = threadIdx.x;
    const int side = thread / warp_size;
    if (thread % warp_size == 0 && side < 2) {
        ended_rows[side] = num_rows_ended(ptrs, num_rows, side == 0 ? begin : end, 1);
    }
    __syncthreads();
    auto row = ended_rows[0];
    const auto last_row = ended_rows[1];
    const auto end_nz = end - last_row;
    for (auto nz = begin - row; nz < end_nz; nz += items_per_block) {
        const auto num_remaining = end_nz - nz;
        const int size =
            num_remaining < static_cast<size_type>(items_per_block) ? static_cast<int>(num_remaining) : items_per_block;
        for (int i = thread; i < items_per_block; i += default_block_size) {
            counts[padded(i)] = 0;
        }
        __syncthreads();
        for (auto next = row + 1 + thread; next <= last_row; next += default_block_size) {
            const auto offset = static_cast<size_type>(ptrs[next]) - nz;
            if (offset >= static_cast<size_type>(size)) {
                break;
            }
            atomicAdd(&counts[padded(static_cast<int>(offset))], 1u);
        }
        __syncthreads();
        uint32 sum{};
        for (int i = thread * items_per_thread; i < (thread + 1) * items_per_thread; ++i) {
            sum += counts[padded(i)];
            counts[padded(i)] = sum;
        }
        uint32 total{};
        const auto before = block_exclusive_scan<default_block_size>(sum, scratch, total);
        for (int i = thread * items_per_thread; i < (thread + 1) * items_per_thread; ++i) {
            counts[padded(i)] += before;
        }
        __syncthreads();
        for (int i = thread; i < size; i += default_block_size) {
            idxs[nz + i] = static_cast<I>(row + counts[padded(i)]);
        }
        row += total;
        __syncthreads();
    }
}

}  // namespace kernel

template <typename I>
void prefix_sum(const DeviceExecutor& exec, I* counts, size_type size, size_type& total)
{
    total = 0;
    if (size == 0) {
        return;
    }
    array<uint64> sums{exec.shared_from_this(), num_block_sums(size)};
    sum_blocks(exec, counts, size, sums.get_data());
    const auto sum = exec.copy_val_to_host(sums.get_const_data() + sums.get_size() - 1);
    if (sum > static_cast<uint64>(std::numeric_limits<I>::max())) {
        throw OverflowError(__FILE__, __LINE__, sizeof(I) == sizeof(int32) ? "int32" : "int64");
    }
    total = static_cast<size_type>(sum);
    scan_blocks(exec, counts, size, sums.get_const_data());
}

template <typename T>
void reduce_add(const DeviceExecutor& exec, const T* data, size_type size, T* result, array<char>& tmp)
{
    run_sum_columns<device_type<T>>(
        exec, size, 1, tmp, [data = as_device(data)] SPRUCE_KERNEL_LAMBDA(size_type i, size_type) { return data[i]; },
        [result = as_device(result)] SPRUCE_KERNEL_LAMBDA(size_type, const device_type<T>& sum) { *result += sum; });
}

template <typename I>
void compute_max(const DeviceExecutor& exec, const I* data, size_type size, I& maximum)
{
    maximum = static_cast<I>(
        find_max(exec, size, [data] SPRUCE_KERNEL_LAMBDA(size_type i) { return static_cast<size_type>(data[i]); }));
}

/// Finds the first entry of each row by bisection. The work per thread is independent of the number
/// of empty rows.
template <typename I>
void convert_idxs_to_ptrs(const DeviceExecutor& exec, const I* idxs, size_type size, I* ptrs, size_type num_rows)
{
    run_for_each(exec, num_rows + 1, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        const auto precedes_row = [=](size_type i) { return static_cast<size_type>(idxs[i]) < row; };
        ptrs[row] = static_cast<I>(partition_point(size_type{}, size, precedes_row));
    });
}

template <typename I>
void convert_ptrs_to_idxs(const DeviceExecutor& exec, const I* ptrs, size_type num_rows, I* idxs)
{
    if (num_rows > 0) {
        launch_blocks(exec, kernel::list_rows<I>, num_blocks_to_fill(exec), ptrs, num_rows, idxs);
    }
}

}  // namespace components

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
