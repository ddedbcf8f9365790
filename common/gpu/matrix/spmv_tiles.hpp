// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains the common parts of products of sparse matrices and vectors (CSR-stream of Greathouse
// and Daga 2014). All threads of a block read the entries in their order, each with several loads
// in flight. They write the products to shared memory (a tile), from which the rows are summed.
// Thus loads are coalesced even if the rows are short.

#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace spmv_tiles {

/// Writes x = alpha sum + beta x, row by row; null stands for alpha = 1 and beta = 0.
template <typename T>
struct output {
    __device__ __forceinline__ void write(size_type row, T sum) const
    {
        const auto product = this->scaled(sum);
        const auto old_factor = beta ? *beta : T{};
        x[row * stride] = is_zero(old_factor) ? product : product + old_factor * x[row * stride];
    }
    __device__ __forceinline__ void add(size_type row, T sum) const { x[row * stride] += this->scaled(sum); }
    __device__ __forceinline__ T scaled(T sum) const
    {
        if (!alpha) {
            return sum;
        }
        return is_zero(*alpha) ? T{} : *alpha * sum;
    }

    T* x;
    size_type stride;
    const T* alpha;
    const T* beta;
};

/// Views a column of a dense matrix, whose entries are `stride` bytes apart. With a 32-bit stride,
/// an address takes one instruction.
template <typename T>
struct column {
    template <typename I>
    __device__ __forceinline__ T operator[](I i) const
    {
        return *reinterpret_cast<const T*>(data +
                                           static_cast<size_type>(static_cast<std::make_unsigned_t<I>>(i)) * stride);
    }
    __device__ __forceinline__ const T* entries() const { return reinterpret_cast<const T*>(data); }
    __device__ __forceinline__ size_type entry_stride() const { return stride / sizeof(T); }

    const char* data;
    uint32 stride;
};

/// Views a column of a dense matrix for which has_short_stride() holds.
template <typename V>
column<device_type<V>> column_of(const matrix::Dense<V>& b, size_type number = 0)
{
    return {reinterpret_cast<const char*>(b.get_const_values() + number),
            static_cast<uint32>(b.get_stride() * sizeof(V))};
}
template <typename V>
bool has_short_stride(const matrix::Dense<V>& b)
{
    return b.get_stride() <= std::numeric_limits<uint32>::max() / sizeof(V);
}
template <typename V>
bool is_column(const matrix::Dense<V>& b)
{
    return b.get_size()[1] == 1 && has_short_stride(b);
}

/// Number of entries that a thread loads for a tile. Entry i has the position
/// threadIdx.x + i * default_block_size.
template <int size>
constexpr int num_loads = (size + default_block_size - 1) / default_block_size;

/// Computes products[i] = all_values[begin + i] b[col_idxs[begin + i]] for the entries up to end,
/// at most size. It ends with a barrier.
template <int size, typename T, typename I>
__device__ __forceinline__ void stage_products(const T* all_values, const I* col_idxs, I begin, I end,
                                               const T* __restrict__ b, size_type b_stride, T* products)
{
    constexpr int num = num_loads<size>;
    T values[num];
    I cols[num];
    for (int i = 0; i < num; ++i) {
        const auto nz = begin + static_cast<I>(threadIdx.x + i * default_block_size);
        if (nz < end) {
            values[i] = warp::load_streaming(all_values + nz);
            cols[i] = warp::load_streaming(col_idxs + nz);
        }
    }
    for (int i = 0; i < num; ++i) {
        const auto nz = begin + static_cast<I>(threadIdx.x + i * default_block_size);
        if (nz < end) {
            products[threadIdx.x + i * default_block_size] = values[i] * b[cols[i] * b_stride];
        }
    }
    __syncthreads();
}

/// Represents the entries of a row in the tile, from begin to end.
struct row_part {
    int begin;
    int end;
};

/// Rows of a tile up to this length are summed by one thread, longer rows by a warp.
constexpr int long_row = 32;

/// Lists the long rows of a tile, in shared memory.
template <int size>
struct long_row_list {
    /// Clears the list. It is called before a barrier and before the first row.
    __device__ __forceinline__ void clear()
    {
        if (threadIdx.x == 0) {
            num = 0;
        }
    }

    static constexpr int max_num = size / long_row + 1;
    int num;
    int rows[max_num];
    row_part parts[max_num];
};

/// Calls finish(i, sum) with the sum of the products of row i of the tile, for i < num_rows.
/// @param part  entries of row threadIdx.x
/// @param find  find(i) returns the entries of any other row
template <int size, typename T, typename Find, typename Finish>
__device__ __forceinline__ void sum_rows(int num_rows, const T* products, long_row_list<size>& long_rows, row_part part,
                                         Find find, Finish finish)
{
    int i = threadIdx.x;
    while (i < num_rows) {
        if (part.end - part.begin > long_row) {
            const auto index = atomicAdd(&long_rows.num, 1);
            long_rows.rows[index] = i;
            long_rows.parts[index] = part;
        } else {
            T sum{};
            for (auto k = part.begin; k < part.end; ++k) {
                sum += products[k];
            }
            finish(i, sum);
        }
        i += default_block_size;
        if (i < num_rows) {
            part = find(i);
        }
    }
    __syncthreads();
    const auto whole_warp = group::tiled_partition<warp_size>(group::this_thread_block());
    for (int j = threadIdx.x / warp_size; j < long_rows.num; j += default_block_size / warp_size) {
        const auto row = long_rows.parts[j];
        T sum{};
        for (auto k = row.begin + whole_warp.thread_rank(); k < row.end; k += warp_size) {
            sum += products[k];
        }
        sum = reduce_add(whole_warp, sum);
        if (whole_warp.thread_rank() == 0) {
            finish(long_rows.rows[j], sum);
        }
    }
}

/// Adds the carries of blocks to x. carries[i] is the sum, before alpha, of the entries of block i
/// in the row that it shares with block i + 1. This row is row_of(i), or num_rows if there is none.
/// The blocks that share a row are adjacent, and are summed in a fixed order. The grid consists of
/// whole blocks with at least num_blocks threads.
template <typename T, typename RowOf>
__device__ __forceinline__ void add_carries(size_type num_rows, size_type num_blocks, RowOf row_of, const T* carries,
                                            const output<T>& out)
{
    const auto carry_index = threadIdx.x + static_cast<size_type>(default_block_size) * grid_dependency_sync();
    const auto whole_warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = static_cast<int>(whole_warp.thread_rank());
    constexpr int last = warp_size - 1;
    const auto row_at = [&](size_type block) { return block < num_blocks ? row_of(block) : num_rows; };
    const auto row = row_at(carry_index);
    auto row_beside_warp = num_rows;  // before and after it
    if (rank == 0 && carry_index > 0) {
        row_beside_warp = row_at(carry_index - 1);
    } else if (rank == last) {
        row_beside_warp = row_at(carry_index + 1);
    }
    auto sum = carry_index + 1 < num_blocks ? carries[carry_index] : T{};  // the last block carries nothing
    const auto row_below = whole_warp.shfl_up(row, 1);
    const auto is_first = row < num_rows && row != (rank == 0 ? row_beside_warp : row_below);
    for (int distance = 1; distance < warp_size; distance *= 2) {
        const auto row_above = whole_warp.shfl_down(row, distance);
        const auto sum_above = whole_warp.shfl_down(sum, distance);
        sum = rank + distance < warp_size && row_above == row ? sum + sum_above : sum;
    }
    // The row of the last lane may begin in this warp and continue after it, which is rare.
    const auto last_row = whole_warp.shfl(row, last);
    const auto continues_after_warp = whole_warp.shfl(row_beside_warp, last) == last_row;
    const auto begins_last_row = is_first && row == last_row && continues_after_warp;
    if (whole_warp.any(begins_last_row)) {
        T sum_after_warp{};
        auto block = carry_index + warp_size;
        for (auto is_unfinished = true; is_unfinished; block += warp_size) {
            const auto is_part = row_at(block) == last_row;
            sum_after_warp += is_part ? carries[block] : T{};
            is_unfinished = whole_warp.all(is_part);
        }
        sum_after_warp = reduce_add(whole_warp, sum_after_warp);
        sum = begins_last_row ? sum + sum_after_warp : sum;
    }
    if (is_first) {
        out.add(row, sum);
    }
}

}  // namespace spmv_tiles

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
