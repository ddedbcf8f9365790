// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies the long block rows of Fbcsr by vectors. The blocks of the matrix are divided into
// chunks. A first kernel sums the parts of long block rows in each chunk, and a second one adds the
// parts of each block row in their order: bitwise repeatable.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/partial_sums.hpp"
#include "core/matrix/fbcsr_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace fbcsr {

namespace kernel {

using partial_sums::kernel::sum_by_row;

template <typename T, typename I>
struct fbcsr_arrays {
    size_type num_block_rows;
    int block_size;
    const I* row_ptrs;
    const I* col_idxs;
    const T* values;
    I max_length;  ///< block rows with more blocks are long
};

/// Writes x = alpha a b + beta x; null stands for alpha = 1 and beta = 0.
template <typename T>
struct block_output {
    __device__ __forceinline__ void write(size_type row, T sum, size_type rhs) const
    {
        x(row, rhs) = combine(alpha ? *alpha : one<T>(), sum, beta ? *beta : T{}, x(row, rhs));
    }

    dense_entries<T> x;
    const T* alpha;
    const T* beta;
};

/// Divides the blocks of a matrix into chunks. A long block row is longer than a chunk, so that a
/// chunk has parts of at most two of them: one with its first block and one with its last block.
template <typename I>
struct chunk_list {
    template <typename T>
    __device__ __forceinline__ size_type row_of(const fbcsr_arrays<T, I>& a, I block) const
    {
        return partition_point(size_type{}, a.num_block_rows,
                               [&](size_type row) { return a.row_ptrs[row + 1] <= block; });
    }
    template <typename T>
    __device__ __forceinline__ bool is_long(const fbcsr_arrays<T, I>& a, size_type row) const
    {
        return a.row_ptrs[row + 1] - a.row_ptrs[row] > a.max_length;
    }
    __device__ __forceinline__ I begin(size_type chunk) const { return static_cast<I>(chunk) * size; }
    /// Returns the end of a chunk. The row pointers tell the end of the last one, since the arrays
    /// may have unused capacity.
    template <typename T>
    __device__ __forceinline__ I end(const fbcsr_arrays<T, I>& a, size_type chunk) const
    {
        const auto first = this->begin(chunk);
        const auto num_blocks = a.row_ptrs[a.num_block_rows];
        return num_blocks - first < size ? num_blocks : first + size;
    }

    size_type num;
    I size;
};

/// Sums the parts of long block rows in a chunk. parts[((2 chunk + i) bs + row) num_cols + col] is
/// the sum for the block row with the first (i = 0) or with the last block of the chunk (i = 1).
/// Threads of adjacent columns share the loads of a value.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void sum_chunks(fbcsr_arrays<T, I> a, chunk_list<I> chunks,
                                                                 int num_cols, dense_entries<const T> b, T* parts)
{
    const auto chunk = static_cast<size_type>(blockIdx.x);
    const auto bs = a.block_size;
    const auto begin = chunks.begin(chunk);
    const auto end = chunks.end(a, chunk);
    if (begin >= end) {
        return;
    }
    const auto first_row = chunks.row_of(a, begin);
    const auto last_row = chunks.row_of(a, end - 1);
    for (int i = 0; i < 2; ++i) {
        const auto block_row = i == 0 ? first_row : last_row;
        if ((i == 1 && last_row == first_row) || !chunks.is_long(a, block_row)) {
            continue;
        }
        const auto first = max(begin, a.row_ptrs[block_row]);
        const auto num_terms = static_cast<size_type>(min(end, a.row_ptrs[block_row + 1]) - first) * bs;
        sum_by_row<T>(
            bs * num_cols, num_terms,
            [&](size_type term, int entry) {
                const auto block = first + static_cast<I>(term / bs);
                const auto b_row = static_cast<size_type>(a.col_idxs[block]) * bs + term % bs;
                return a.values[(static_cast<size_type>(first) * bs + term) * bs + entry / num_cols] *
                       b(b_row, entry % num_cols);
            },
            [&](int entry, T sum) { parts[(2 * chunk + i) * bs * num_cols + entry] = sum; });
    }
}

/// Adds the parts of the long block row that begins in a chunk, if there is one.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void add_chunks(fbcsr_arrays<T, I> a, chunk_list<I> chunks,
                                                                 int num_cols, const T* parts, block_output<T> out)
{
    const auto chunk = static_cast<size_type>(blockIdx.x);
    const auto bs = a.block_size;
    const auto begin = chunks.begin(chunk);
    const auto end = chunks.end(a, chunk);
    if (begin >= end) {
        return;
    }
    const auto block_row = chunks.row_of(a, end - 1);
    if (!chunks.is_long(a, block_row) || a.row_ptrs[block_row] < begin) {
        return;
    }
    const auto is_in_second_part = chunks.row_of(a, begin) != block_row ? 1 : 0;
    const auto last_chunk = static_cast<size_type>((a.row_ptrs[block_row + 1] - 1) / chunks.size);
    sum_by_row<T>(
        bs * num_cols, last_chunk + 1 - chunk,
        [&](size_type i, int entry) {
            const auto part = 2 * (chunk + i) + (i == 0 ? is_in_second_part : 0);
            return parts[part * bs * num_cols + entry];
        },
        [&](int entry, T sum) { out.write(block_row * bs + entry / num_cols, sum, entry % num_cols); });
}

}  // namespace kernel

/// Returns the number of blocks of a chunk: its entries suffice for a thread block
/// (doc/tuning/constants.md).
inline size_type blocks_per_chunk(int block_size)
{
    constexpr size_type entries_per_chunk = 16 * default_block_size;
    return std::max<size_type>(entries_per_chunk / (static_cast<size_type>(block_size) * block_size), 1);
}

/// Computes the rows of x = alpha a b + beta x that belong to block rows longer than a.max_length,
/// which is at least blocks_per_chunk().
template <typename T, typename I>
void multiply_long_rows(const DeviceExecutor& exec, const kernel::fbcsr_arrays<T, I>& a, size_type num_blocks,
                        size_type num_rhs, dense_entries<const T> b, kernel::block_output<T> out)
{
    constexpr size_type max_cols = 16;  // of a pass over the long block rows
    const auto chunk_size = blocks_per_chunk(a.block_size);
    const kernel::chunk_list<I> chunks{static_cast<size_type>(ceildiv(num_blocks, chunk_size)),
                                       static_cast<I>(chunk_size)};
    const auto scratch = exec.acquire_scratch(2 * chunks.num * std::min(num_rhs, max_cols) * a.block_size * sizeof(T));
    const auto parts = scratch.template as<T>();
    for (size_type col = 0; col < num_rhs; col += max_cols) {
        const auto num_cols = static_cast<int>(std::min(max_cols, num_rhs - col));
        launch_blocks(exec, kernel::sum_chunks<T, I>, chunks.num, a, chunks, num_cols, b, parts);
        launch_blocks(exec, kernel::add_chunks<T, I>, chunks.num, a, chunks, num_cols, parts, out);
        b.values += max_cols;
        out.x.values += max_cols;
    }
}

}  // namespace fbcsr

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
