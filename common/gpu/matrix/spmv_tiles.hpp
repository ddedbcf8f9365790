// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains the common parts of products of sparse matrices and vectors (CSR-stream of Greathouse
// and Daga 2014). All threads of a block read the entries in their order, each with several loads
// in flight. They write the products to shared memory (a tile), from which the rows are summed.
// Thus loads are coalesced even if the rows are short.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/dense_chunk.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace spmv_tiles {

/// Writes x = alpha sum + beta x, row by row; null stands for alpha = 1 and beta = 0.
template <typename T>
struct output {
    __device__ __forceinline__ void write(size_type row, T sum, size_type col = 0) const
    {
        const auto product = this->scaled(sum);
        const auto old_factor = beta ? *beta : T{};
        auto& entry = x[row * stride + col];
        entry = is_zero(old_factor) ? product : product + old_factor * entry;
    }
    /// Writes adjacent entries, of which the first is aligned.
    __device__ __forceinline__ void write(size_type row, dense::chunk<T> sums, size_type first_col) const
    {
        const auto old_factor = beta ? *beta : T{};
        const auto entries = reinterpret_cast<dense::chunk<T>*>(x + row * stride + first_col);
        for (auto& sum : sums.values) {
            sum = this->scaled(sum);
        }
        if (is_nonzero(old_factor)) {
            const auto old = *entries;
            for (int i = 0; i < dense::chunk<T>::size; ++i) {
                sums.values[i] += old_factor * old.values[i];
            }
        }
        *entries = sums;
    }
    /// Adds a part of the sum of a row. A part without entries is zero, and must not become NaN by
    /// an infinite alpha.
    __device__ __forceinline__ void add(size_type row, T sum, size_type col = 0) const
    {
        if (is_nonzero(sum)) {
            x[row * stride + col] += this->scaled(sum);
        }
    }
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

/// Views the first num_cols columns of a dense matrix.
template <int num_cols, typename T>
struct right_hand_sides {
    __device__ __forceinline__ const T* row(size_type i) const { return values + i * stride; }

    const T* values;
    size_type stride;
};
template <int num_cols, typename V>
right_hand_sides<num_cols, device_type<V>> right_hand_sides_of(const matrix::Dense<V>& b)
{
    return {as_device(b.get_const_values()), b.get_stride()};
}

/// Views the arrays of Csr.
template <typename T, typename I>
struct csr_arrays {
    using index = I;
    using loaded_value = T;
    __device__ __forceinline__ T value(I nz) const { return values[nz]; }
    __device__ __forceinline__ T load(I nz) const { return warp::load_streaming(values + nz); }
    __device__ __forceinline__ static T product(T value, T b) { return value * b; }

    size_type num_rows;
    const I* row_ptrs;
    const I* col_idxs;
    const T* values;
};

/// Views the arrays of a matrix compressed by rows whose entries all have the value 1.
template <typename T, typename I>
struct pattern_arrays {
    using index = I;
    struct loaded_value {};
    __device__ __forceinline__ loaded_value value(I) const { return {}; }
    __device__ __forceinline__ loaded_value load(I) const { return {}; }
    __device__ __forceinline__ static T product(loaded_value, T b) { return b; }

    size_type num_rows;
    const I* row_ptrs;
    const I* col_idxs;
};

/// Number of entries that a thread loads for a tile. Entry i has the position
/// threadIdx.x + i * default_block_size.
template <int size>
constexpr int num_loads = (size + default_block_size - 1) / default_block_size;

/// Computes the products of the entries from begin to end, at most size, with the right-hand sides.
/// Those of entry begin + i are products[i * num_cols] and the following ones. It ends with a
/// barrier.
template <int size, typename Matrix, typename I, int num_cols, typename T>
__device__ __forceinline__ void stage_products(const Matrix& a, I begin, I end, const right_hand_sides<num_cols, T>& b,
                                               T* products)
{
    constexpr int num = num_loads<size>;
    typename Matrix::loaded_value values[num];
    I cols[num];
    for (int i = 0; i < num; ++i) {
        const auto nz = begin + static_cast<I>(threadIdx.x + i * default_block_size);
        if (nz < end) {
            values[i] = a.load(nz);
            cols[i] = warp::load_streaming(a.col_idxs + nz);
        }
    }
    for (int i = 0; i < num; ++i) {
        const auto nz = begin + static_cast<I>(threadIdx.x + i * default_block_size);
        if (nz < end) {
            const auto b_row = b.row(cols[i]);
            const auto entry_products = products + (threadIdx.x + i * default_block_size) * num_cols;
#pragma unroll
            for (int col = 0; col < num_cols; ++col) {
                entry_products[col] = Matrix::product(values[i], b_row[col]);
            }
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

/// Lists the rows of a tile that a warp sums, in shared memory. A row appears once for each
/// right-hand side.
template <int size, int num_cols>
struct long_row_list {
    /// Clears the list. It is called before a barrier and before the first row.
    __device__ __forceinline__ void clear()
    {
        if (threadIdx.x == 0) {
            num = 0;
        }
    }

    static constexpr int max_num = (size / long_row + 1) * num_cols;
    int num;
    int rows[max_num];
    row_part parts[max_num];
};

/// Calls finish(i, col, sum) with the sum of the products of row i of the tile and right-hand side
/// col, for i < num_rows and col < num_cols.
/// @param part  entries of row threadIdx.x / num_cols
/// @param find  find(i) returns the entries of any other row
template <int size, int num_cols, typename T, typename Find, typename Finish>
__device__ __forceinline__ void sum_rows(int num_rows, const T* products, long_row_list<size, num_cols>& long_rows,
                                         row_part part, Find find, Finish finish)
{
    int i = threadIdx.x;
    while (i < num_rows * num_cols) {
        if (part.end - part.begin > long_row) {
            const auto index = atomicAdd(&long_rows.num, 1);
            long_rows.rows[index] = i;
            long_rows.parts[index] = part;
        } else {
            T sum{};
            for (auto k = part.begin; k < part.end; ++k) {
                sum += products[k * num_cols + i % num_cols];
            }
            finish(i / num_cols, i % num_cols, sum);
        }
        i += default_block_size;
        if (i < num_rows * num_cols) {
            part = find(i / num_cols);
        }
    }
    __syncthreads();
    const auto whole_warp = group::tiled_partition<warp_size>(group::this_thread_block());
    for (int j = threadIdx.x / warp_size; j < long_rows.num; j += default_block_size / warp_size) {
        const auto row = long_rows.parts[j];
        const auto col = long_rows.rows[j] % num_cols;
        T sum{};
        for (auto k = row.begin + whole_warp.thread_rank(); k < row.end; k += warp_size) {
            sum += products[k * num_cols + col];
        }
        sum = reduce_add(whole_warp, sum);
        if (whole_warp.thread_rank() == 0) {
            finish(long_rows.rows[j] / num_cols, col, sum);
        }
    }
}

/// Adds carries to a column of x. carries[i * stride + col] is the sum, before alpha, of the
/// entries of tile i in the row that it shares with tile i + 1. This row is row_of(i), or num_rows
/// if there is none. The tiles that share a row are adjacent, and are summed in a fixed order. The
/// block adds the rows that begin in the tiles of its threads; all threads of the block call it.
template <typename T, typename RowOf>
__device__ __forceinline__ void add_carries(size_type block, size_type col, size_type num_rows, size_type num_tiles,
                                            RowOf row_of, const T* carries, size_type stride, const output<T>& out)
{
    constexpr int num_warps = default_block_size / warp_size;
    __shared__ size_type far_rows[num_warps];  // that continue beyond the next num_near * warp_size carries
    __shared__ T scratch[num_warps];
    const auto tile = threadIdx.x + static_cast<size_type>(default_block_size) * block;
    const auto whole_warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = static_cast<int>(whole_warp.thread_rank());
    constexpr int last = warp_size - 1;
    const auto row_at = [&](size_type i) { return i < num_tiles ? row_of(i) : num_rows; };
    const auto row = row_at(tile);
    auto row_beside_warp = num_rows;  // before and after it
    if (rank == 0 && tile > 0) {
        row_beside_warp = row_at(tile - 1);
    } else if (rank == last) {
        row_beside_warp = row_at(tile + 1);
    }
    auto sum = tile + 1 < num_tiles ? carries[tile * stride + col] : T{};  // the last tile carries nothing
    const auto row_below = whole_warp.shfl_up(row, 1);
    const auto is_first = row < num_rows && row != (rank == 0 ? row_beside_warp : row_below);
    for (int distance = 1; distance < warp_size; distance *= 2) {
        const auto row_above = whole_warp.shfl_down(row, distance);
        const auto sum_above = whole_warp.shfl_down(sum, distance);
        sum = rank + distance < warp_size && row_above == row ? sum + sum_above : sum;
    }
    // A row may begin in this warp and continue after it. The warp adds its next num_near *
    // warp_size carries, and the block adds the rest (doc/tuning/csr.md).
    constexpr int num_near = 4;
    const auto last_row = whole_warp.shfl(row, last);
    const auto continues_after_warp = whole_warp.shfl(row_beside_warp, last) == last_row;
    const auto begins_long_row = is_first && row == last_row && continues_after_warp;
    auto far_row = num_rows;
    if (whole_warp.any(begins_long_row)) {
        T near_sum{};
#pragma unroll
        for (int i = 1; i <= num_near; ++i) {
            const auto near_tile = tile + i * warp_size;
            near_sum += row_at(near_tile) == last_row ? carries[near_tile * stride + col] : T{};
        }
        near_sum = reduce_add(whole_warp, near_sum);
        sum = begins_long_row ? sum + near_sum : sum;
        far_row = row_at(tile - rank + (num_near + 1) * warp_size) == last_row ? last_row : num_rows;
    }
    if (is_first) {
        out.add(row, sum, col);
    }
    if (rank == 0) {
        far_rows[threadIdx.x / warp_size] = far_row;
    }
    __syncthreads();
    for (int i = 0; i < num_warps; ++i) {
        const auto long_row = far_rows[i];
        if (long_row == num_rows) {
            continue;
        }
        const auto begin = static_cast<size_type>(default_block_size) * block + (i + 1 + num_near) * warp_size;
        const auto end = partition_point(begin, num_tiles, [&](size_type k) { return row_of(k) == long_row; });
        T rest{};
#pragma unroll 4
        for (auto k = begin + threadIdx.x; k < end; k += default_block_size) {
            rest += carries[k * stride + col];
        }
        rest = block_reduce_add<default_block_size>(rest, scratch);
        if (threadIdx.x == 0) {
            out.add(long_row, rest, col);
        }
    }
}

}  // namespace spmv_tiles

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
