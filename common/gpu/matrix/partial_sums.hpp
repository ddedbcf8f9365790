// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Sums few rows with many terms each. The terms of a row are distributed over several blocks. A
// first kernel sums the terms of each block, and a second one adds the blocks' sums in their order:
// bitwise repeatable.

#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace partial_sums {

namespace kernel {

/// Calls finish(row, sum) for each row, where sum is the total of value(row, slot, num_slots) for
/// slot < num_slots. num_rows is between 1 and the block size. Adjacent threads have adjacent rows.
/// All threads of the block call it.
template <typename T, typename Value, typename Finish>
__device__ __forceinline__ void sum_slots(int num_rows, Value value, Finish finish)
{
    __shared__ T sums[default_block_size];
    const auto thread = static_cast<int>(threadIdx.x);
    const auto row = thread % num_rows;
    const auto slot = thread / num_rows;
    auto num_slots = default_block_size / num_rows;
    sums[thread] = slot < num_slots ? value(row, slot, num_slots) : T{};
    __syncthreads();
    while (num_slots > 1) {
        const auto num_retained = (num_slots + 1) / 2;
        if (slot + num_retained < num_slots) {
            sums[thread] += sums[thread + num_retained * num_rows];
        }
        num_slots = num_retained;
        __syncthreads();
    }
    if (thread < num_rows) {
        finish(thread, sums[thread]);
    }
    __syncthreads();  // before the next rows overwrite the sums
}

/// Calls finish(row, sum) for row < num_rows, where sum is the total of term(i, row) for i <
/// num_terms. All threads of the block call it. A thread sums every num_slots-th term.
template <typename T, typename Term, typename Finish>
__device__ __forceinline__ void sum_by_row(int num_rows, size_type num_terms, Term term, Finish finish)
{
    for (int first_row = 0; first_row < num_rows; first_row += default_block_size) {
        sum_slots<T>(
            min(int{default_block_size}, num_rows - first_row),
            [&](int row, int slot, int num_slots) {
                T sum{};
                for (auto i = static_cast<size_type>(slot); i < num_terms; i += num_slots) {
                    sum += term(i, first_row + row);
                }
                return sum;
            },
            [&](int row, const T& sum) { finish(first_row + row, sum); });
    }
}

/// Describes how rows are distributed over blocks. A block has rows_per_block rows and a part of
/// their terms. A result is the sum of a row for one column.
struct distribution {
    size_type num_rows;
    int num_cols;
    int rows_per_block;
    int blocks_per_row;
};

/// Sums the terms of each block. sum_part(row, col, part, num_parts) returns the sum of the terms
/// part, part + num_parts, ... of a row. parts[i * number of results + result] is the sum of block
/// i of the row, unless a row has a single block, which calls finish(row, col, sum).
template <typename T, typename SumPart, typename Finish>
__global__ __launch_bounds__(default_block_size) void sum_parts(distribution d, SumPart sum_part, T* parts,
                                                                Finish finish)
{
    const int block_of_row = blockIdx.x % d.blocks_per_row;
    const auto first_row = static_cast<size_type>(blockIdx.x / d.blocks_per_row) * d.rows_per_block;
    const auto num_rows = static_cast<int>(min(static_cast<size_type>(d.rows_per_block), d.num_rows - first_row));
    sum_slots<T>(
        num_rows * d.num_cols,
        [&](int i, int slot, int num_slots) {
            return sum_part(first_row + i / d.num_cols, i % d.num_cols, block_of_row * num_slots + slot,
                            d.blocks_per_row * num_slots);
        },
        [&](int i, const T& sum) {
            if (d.blocks_per_row == 1) {
                finish(first_row + i / d.num_cols, i % d.num_cols, sum);
            } else {
                parts[(block_of_row * d.num_rows + first_row) * d.num_cols + i] = sum;
            }
        });
}

/// Number of results of a block that adds parts. The reads are coalesced, and many threads share a
/// result.
constexpr int results_per_block = 32;

/// Adds the sums of the blocks of each row.
template <typename T, typename Finish>
__global__ __launch_bounds__(default_block_size) void add_parts(distribution d, const T* parts, Finish finish)
{
    const auto first = static_cast<size_type>(blockIdx.x) * results_per_block;
    const auto num_results = d.num_rows * d.num_cols;
    sum_by_row<T>(
        static_cast<int>(min(static_cast<size_type>(results_per_block), num_results - first)),
        static_cast<size_type>(d.blocks_per_row),
        [&](size_type block, int i) { return parts[block * num_results + first + i]; },
        [&](int i, const T& sum) {
            finish((first + i) / d.num_cols, static_cast<int>((first + i) % d.num_cols), sum);
        });
}

}  // namespace kernel

/// Returns true if kernels with num_threads threads, of which each sums num_terms terms, leave most
/// of the device idle for long (doc/tuning/ell-sellp.md).
inline bool is_profitable(const DeviceExecutor& exec, size_type num_threads, size_type num_terms)
{
    constexpr size_type many_terms = 128;
    return num_terms >= many_terms && 2 * num_threads <= num_resident_blocks(exec) * default_block_size;
}

constexpr int max_cols = 64;  // of sum_rows()

/// Calls finish(row, col, sum) for each row and column, where sum is the total of sum_part(row,
/// col, part, num_parts) for part < num_parts. Each part is computed by a thread.
/// @param num_cols  at most max_cols
/// @param num_terms  number of terms of a mean row
/// @param max_parts  upper bound of num_parts, at least the size of a block
template <typename T, typename SumPart, typename Finish>
void sum_rows(const DeviceExecutor& exec, size_type num_rows, size_type num_cols, size_type num_terms,
              size_type max_parts, SumPart sum_part, Finish finish)
{
    constexpr size_type max_rows = 32;
    constexpr size_type max_results = 2 * max_cols;  // of a block
    constexpr size_type min_terms = 16;              // of a thread
    if (num_rows == 0 || num_cols == 0) {
        return;
    }
    // All blocks have about the same number of rows.
    const auto num_groups =
        static_cast<size_type>(ceildiv(num_rows, std::min(max_rows, std::max<size_type>(max_results / num_cols, 1))));
    const auto rows_per_block = static_cast<size_type>(ceildiv(num_rows, num_groups));
    const auto num_slots = default_block_size / (rows_per_block * num_cols);
    const auto num_blocks = std::min(
        {2 * num_resident_blocks(exec) / num_groups, num_terms / (num_slots * min_terms), max_parts / num_slots});
    const kernel::distribution d{num_rows, static_cast<int>(num_cols), static_cast<int>(rows_per_block),
                                 static_cast<int>(std::max<size_type>(num_blocks, 1))};
    const auto num_results = num_rows * num_cols;
    const auto scratch = exec.acquire_scratch(d.blocks_per_row == 1 ? 0 : d.blocks_per_row * num_results * sizeof(T));
    const auto parts = scratch.template as<T>();
    launch_blocks(exec, kernel::sum_parts<T, SumPart, Finish>, ceildiv(num_rows, rows_per_block) * d.blocks_per_row, d,
                  sum_part, parts, finish);
    if (d.blocks_per_row > 1) {
        launch_blocks(exec, kernel::add_parts<T, Finish>, ceildiv(num_results, kernel::results_per_block), d, parts,
                      finish);
    }
}

}  // namespace partial_sums

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
