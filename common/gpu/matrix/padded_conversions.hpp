// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Converts Ell and Sellp from and to Csr. Matrix is one of the two types.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/prefix_sum.hpp"
#include "common/gpu/matrix/padded_arrays.hpp"
#include "common/gpu/matrix/partial_sums.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace padded_rows {

using matrix::Csr;

namespace kernel {

/// Returns the slice of a column, which is `slice` or a later one. A search skips empty slices, of
/// which there may be millions.
__device__ __forceinline__ size_type slice_with_column(const matrix::ell_layout&, size_type slice, size_type)
{
    return slice;
}
__device__ __forceinline__ size_type slice_with_column(const matrix::sellp_layout& layout, size_type slice,
                                                       size_type column)
{
    if (layout.first_column(slice + 1) > column) {
        return slice;
    }
    return partition_point(slice + 1, layout.num_slices,
                           [&](size_type i) { return layout.first_column(i) <= column; }) -
           1;
}

/// Number of adjacent columns that a thread fills in one lane of the slices. The work is even for
/// rows of any length, writes are coalesced, and a thread reads consecutive entries of a row.
/// Adjacent threads have rows_together rows, and then the next columns of these rows, whose cache
/// lines are already loaded (doc/tuning/conversions.md).
constexpr int columns_per_thread = 8;
constexpr size_type max_rows_together = default_block_size / 4;

template <typename Layout, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_from_csr(
    Layout layout, size_type num_rows, size_type rows_together, const I* __restrict__ row_ptrs,
    const I* __restrict__ csr_col_idxs, const T* __restrict__ csr_values, I* col_idxs, T* values)
{
    const auto num_groups = (layout.num_columns + columns_per_thread - 1) / columns_per_thread;
    const auto group = global_thread_id() / rows_together;
    const auto lane = group / num_groups * rows_together + global_thread_id() % rows_together;
    auto column = group % num_groups * columns_per_thread;
    if (lane >= layout.width) {
        return;
    }
    const auto end = min(column + columns_per_thread, layout.num_columns);
    size_type slice = 0;
    while (column < end) {
        slice = slice_with_column(layout, slice, column);
        const auto row = slice * layout.width + lane;
        const auto is_row = row < num_rows;
        const auto num_columns = static_cast<int>(min(layout.first_column(slice + 1), end) - column);
        const auto nz = is_row ? static_cast<size_type>(row_ptrs[row]) + column - layout.first_column(slice) : 0;
        const auto nz_end = is_row ? static_cast<size_type>(row_ptrs[row + 1]) : 0;
        // All loads are issued before the first store.
        I thread_cols[columns_per_thread];
        T thread_values[columns_per_thread];
        for (int i = 0; i < columns_per_thread; ++i) {
            const auto is_entry = i < num_columns && nz + i < nz_end;
            thread_cols[i] = is_entry ? csr_col_idxs[nz + i] : I{matrix::padding_column};
            thread_values[i] = is_entry ? csr_values[nz + i] : T{};
        }
        for (int i = 0; i < columns_per_thread; ++i) {
            if (i < num_columns) {
                const auto offset = (column + i) * layout.width + lane;
                col_idxs[offset] = thread_cols[i];
                values[offset] = thread_values[i];
            }
        }
        column += num_columns;
        ++slice;
    }
}

/// Divides long rows into chunks, which kernels process like rows. Adjacent chunks are those of
/// adjacent rows.
template <typename Layout, typename I>
struct row_chunks {
    __device__ __forceinline__ size_type row_of(size_type chunk) const { return chunk % num_rows; }
    /// Returns the position of a chunk in the order of Csr.
    __device__ __forceinline__ size_type index_of(size_type chunk) const
    {
        return this->row_of(chunk) * chunks_per_row + chunk / num_rows;
    }

    Layout layout;
    size_type width;
    size_type num_rows;
    size_type chunks_per_row;
    size_type chunk_length;
    const I* offsets;  ///< entries before a chunk, by index_of()
};

template <typename Layout, typename I>
__device__ __forceinline__ matrix::row_positions offsets_of(const row_chunks<Layout, I>& chunks, size_type chunk)
{
    const auto entries = offsets_of(chunks.layout, chunks.row_of(chunk));
    const auto first = min(chunk / chunks.num_rows * chunks.chunk_length, entries.length);
    return {entries.begin + first * chunks.width, min(chunks.chunk_length, entries.length - first)};
}

/// Returns the position in the array of counts for a row or a chunk.
template <typename Layout>
__device__ __forceinline__ size_type count_index(const Layout&, size_type row)
{
    return row;
}
template <typename Layout, typename I>
__device__ __forceinline__ size_type count_index(const row_chunks<Layout, I>& chunks, size_type chunk)
{
    return chunks.index_of(chunk);
}

/// Returns the position in Csr of the first entry of a row or a chunk.
template <typename Layout, typename I>
__device__ __forceinline__ I begin_in_csr(const Layout&, const I* row_ptrs, size_type row)
{
    return row_ptrs[row];
}
template <typename Layout, typename I>
__device__ __forceinline__ I begin_in_csr(const row_chunks<Layout, I>& chunks, const I* row_ptrs, size_type chunk)
{
    const auto row = chunks.row_of(chunk);
    return row_ptrs[row] + chunks.offsets[chunks.index_of(chunk)] - chunks.offsets[row * chunks.chunks_per_row];
}

/// Returns the number of a row's entries part, part + num_parts, ... without padding.
template <typename Layout, typename T, typename I>
__device__ __forceinline__ I count_part(const padded_arrays<Layout, T, I>& a, size_type row, int part, int num_parts)
{
    I count{};
    const auto entries = offsets_of(a.layout, row);
    const auto cols = a.col_idxs + entries.begin;
    constexpr int num = 8;
    for (size_type first = part; first < entries.length; first += static_cast<size_type>(num) * num_parts) {
        for (int j = 0; j < num; ++j) {
            const auto i = first + static_cast<size_type>(j) * num_parts;
            const auto col =
                i < entries.length ? warp::load_streaming(cols + i * a.layout.width) : I{matrix::padding_column};
            count += col != matrix::padding_column ? 1 : 0;
        }
    }
    return count;
}

/// Computes counts[row], the number of entries of the row. num_parts threads share a row as in
/// `multiply`.
template <typename Layout, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void count_entries(padded_arrays<Layout, T, I> a, int num_parts,
                                                                    I* counts)
{
    __shared__ I part_counts[default_block_size];
    const int rows_per_block = default_block_size / num_parts;
    const int lane = static_cast<int>(threadIdx.x) % rows_per_block;
    const int part = static_cast<int>(threadIdx.x) / rows_per_block;
    const auto row = static_cast<size_type>(blockIdx.x) * rows_per_block + lane;
    I count{};
    if (row < a.num_rows) {
        count = count_part(a, row, part, num_parts);
    }
    part_counts[threadIdx.x] = count;
    __syncthreads();
    if (part == 0 && row < a.num_rows) {
        for (int i = 1; i < num_parts; ++i) {
            count += part_counts[i * rows_per_block + lane];
        }
        counts[count_index(a.layout, row)] = count;
    }
}

/// Number of entries of a row that a thread holds at a time. The chunks of a block, padded against
/// bank conflicts, are so small that several blocks fit a multiprocessor.
template <typename T, typename I>
constexpr int chunk_length = sizeof(T) + sizeof(I) <= 16 ? 8 : 4;

/// Converts to Csr in rounds. In each round, num_parts threads have a chunk of a row each, and
/// neighbouring threads have chunks of neighbouring rows, so that reads of the slices are
/// coalesced. From shared memory the chunks are written in the order of Csr, which also makes the
/// writes coalesced (doc/tuning/conversions.md).
template <typename Layout, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void convert_to_csr(padded_arrays<Layout, T, I> a, int num_parts,
                                                                     const I* __restrict__ row_ptrs, I* col_idxs,
                                                                     T* values)
{
    constexpr int length = chunk_length<T, I>;
    constexpr int pitch = length + 1;
    __shared__ T staged_values[default_block_size * pitch];
    __shared__ I staged_cols[default_block_size * pitch];
    __shared__ I targets[default_block_size];
    __shared__ int counts[default_block_size];
    __shared__ unsigned num_rounds;
    const int rows_per_block = default_block_size / num_parts;
    const int lane = static_cast<int>(threadIdx.x) % rows_per_block;
    const int part = static_cast<int>(threadIdx.x) / rows_per_block;
    const int chunk = lane * num_parts + part;
    const auto row = static_cast<size_type>(blockIdx.x) * rows_per_block + lane;
    const auto is_row = row < a.num_rows;
    const auto entries = is_row ? offsets_of(a.layout, row) : matrix::row_positions{};
    const auto round_length = static_cast<size_type>(num_parts) * length;
    auto target = is_row ? begin_in_csr(a.layout, row_ptrs, row) : I{};
    if (threadIdx.x == 0) {
        num_rounds = 0;
    }
    __syncthreads();
    if (part == 0) {
        atomicMax(&num_rounds, static_cast<unsigned>((entries.length + round_length - 1) / round_length));
    }
    __syncthreads();
    for (unsigned round = 0; round < num_rounds; ++round) {
        const auto first = round * round_length + static_cast<size_type>(part) * length;
        const auto begin = entries.begin + first * a.layout.width;
        I thread_cols[length];
        T thread_values[length];
#pragma unroll
        for (int i = 0; i < length; ++i) {
            thread_cols[i] = first + i < entries.length ? warp::load_streaming(a.col_idxs + begin + i * a.layout.width)
                                                        : I{matrix::padding_column};
        }
#pragma unroll
        for (int i = 0; i < length; ++i) {
            thread_values[i] =
                first + i < entries.length ? warp::load_streaming(a.values + begin + i * a.layout.width) : T{};
        }
        int count{};
#pragma unroll
        for (int i = 0; i < length; ++i) {
            if (thread_cols[i] != matrix::padding_column) {
                staged_cols[chunk * pitch + count] = thread_cols[i];
                staged_values[chunk * pitch + count] = thread_values[i];
                ++count;
            }
        }
        counts[chunk] = count;
        __syncthreads();
        for (int i = 0; i < num_parts; ++i) {
            if (i == part) {
                targets[chunk] = target;
            }
            target += counts[lane * num_parts + i];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < default_block_size * length; i += default_block_size) {
            const int from = i / length;
            const int index = i % length;
            if (index < counts[from]) {
                col_idxs[targets[from] + index] = staged_cols[from * pitch + index];
                values[targets[from] + index] = staged_values[from * pitch + index];
            }
        }
        __syncthreads();
    }
}

/// Returns the number of entries in a part of a row.
template <typename Layout, typename T, typename I>
struct count_of_part {
    __device__ __forceinline__ I operator()(size_type row, int, int part, int num_parts) const
    {
        return count_part(a, row, part, num_parts);
    }

    padded_arrays<Layout, T, I> a;
};

template <typename I>
struct write_count {
    __device__ __forceinline__ void operator()(size_type row, int, I count) const { counts[row] = count; }

    I* counts;
};

}  // namespace kernel

/// Number of adjacent rows that a block reads if rows are long, so that loads are coalesced.
constexpr int min_rows_of_block = 32;
/// Number of threads that share a long row.
constexpr int max_parts_of_converted_rows = default_block_size / min_rows_of_block;

/// Returns the number of threads that share a row if each processes entries_per_thread entries of a
/// row of mean length.
template <typename Matrix>
int num_parts_for(const Matrix& a, size_type entries_per_thread)
{
    constexpr int max_parts = max_parts_of_converted_rows;
    const auto mean_length = a.get_num_stored_elements() / std::max<size_type>(a.get_size()[0], 1);
    int num_parts = 1;
    while (num_parts < max_parts && num_parts * entries_per_thread < mean_length) {
        num_parts *= 2;
    }
    return num_parts;
}

template <typename Matrix>
void fill_from_csr(const DeviceExecutor& exec, const Csr<value_of<Matrix>, index_of<Matrix>>& a, Matrix& x)
{
    using T = device_type<value_of<Matrix>>;
    using I = index_of<Matrix>;
    const auto layout = layout_of(x);
    const auto rows_together = std::min<size_type>(layout.width, kernel::max_rows_together);
    const auto num_lanes = rows_together > 0 ? ceildiv(layout.width, rows_together) * rows_together : 0;
    const auto num_threads = ceildiv(layout.num_columns, kernel::columns_per_thread) * num_lanes;
    launch(exec, kernel::fill_from_csr<std::decay_t<decltype(layout)>, T, I>, num_threads, layout, a.get_size()[0],
           rows_together, a.get_const_row_ptrs(), a.get_const_col_idxs(), as_device(a.get_const_values()),
           x.get_col_idxs(), as_device(x.get_values()));
}

template <typename Matrix>
void count_entries(const DeviceExecutor& exec, const Matrix& a, index_of<Matrix>* counts)
{
    using T = device_type<value_of<Matrix>>;
    using I = index_of<Matrix>;
    using Layout = decltype(layout_of(a));
    const auto num_rows = a.get_size()[0];
    constexpr size_type entries_per_thread = 32;
    const auto num_parts = num_parts_for(a, entries_per_thread);
    if (partial_sums::is_profitable(exec, num_rows * num_parts, mean_length(a) / num_parts)) {
        partial_sums::sum_rows<I>(exec, num_rows, 1, mean_length(a), std::numeric_limits<int>::max(),
                                  kernel::count_of_part<Layout, T, I>{arrays_of(a)}, kernel::write_count<I>{counts});
        return;
    }
    launch(exec, kernel::count_entries<Layout, T, I>, num_rows * num_parts, arrays_of(a), num_parts, counts);
}

/// Converts few long rows to Csr by chunks, whose entries are counted first. The layout has a
/// single slice, so that all rows have the same number of chunks.
template <typename Matrix>
void convert_long_rows_to_csr(const DeviceExecutor& exec, const Matrix& a, const index_of<Matrix>* row_ptrs,
                              index_of<Matrix>* col_idxs, value_of<Matrix>* values)
{
    using T = device_type<value_of<Matrix>>;
    using I = index_of<Matrix>;
    using Chunks = kernel::row_chunks<decltype(layout_of(a)), I>;
    constexpr int num_parts = max_parts_of_converted_rows;
    constexpr size_type chunk_length = num_parts * kernel::chunk_length<T, I>;  // of a single round
    const auto layout = layout_of(a);
    const auto num_rows = a.get_size()[0];
    const auto chunks_per_row = static_cast<size_type>(ceildiv(layout.num_columns, chunk_length));
    const auto num_chunks = num_rows * chunks_per_row;
    array<I> offsets{exec.shared_from_this(), num_chunks + 1};
    array<uint64> sums{exec.shared_from_this(), components::num_block_sums(num_chunks + 1)};
    const kernel::padded_arrays<Chunks, T, I> chunks{
        {layout, layout.width, num_rows, chunks_per_row, chunk_length, offsets.get_const_data()},
        num_chunks,
        a.get_const_col_idxs(),
        as_device(a.get_const_values())};
    launch(exec, kernel::count_entries<Chunks, T, I>, num_chunks * num_parts, chunks, num_parts, offsets.get_data());
    components::sum_blocks(exec, offsets.get_const_data(), num_chunks + 1, sums.get_data());
    components::scan_blocks(exec, offsets.get_data(), num_chunks + 1, sums.get_const_data());
    launch(exec, kernel::convert_to_csr<Chunks, T, I>, num_chunks * num_parts, chunks, num_parts, row_ptrs, col_idxs,
           as_device(values));
}

template <typename Matrix>
void convert_to_csr(const DeviceExecutor& exec, const Matrix& a, const index_of<Matrix>* row_ptrs,
                    index_of<Matrix>* col_idxs, value_of<Matrix>* values)
{
    using T = device_type<value_of<Matrix>>;
    using I = index_of<Matrix>;
    using Layout = decltype(layout_of(a));
    const auto num_rows = a.get_size()[0];
    const auto num_parts = num_parts_for(a, kernel::chunk_length<T, I>);
    if (layout_of(a).num_slices == 1 &&
        partial_sums::is_profitable(exec, num_rows * num_parts, mean_length(a) / num_parts)) {
        convert_long_rows_to_csr(exec, a, row_ptrs, col_idxs, values);
        return;
    }
    launch(exec, kernel::convert_to_csr<Layout, T, I>, num_rows * num_parts, arrays_of(a), num_parts, row_ptrs,
           col_idxs, as_device(values));
}

}  // namespace padded_rows

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
