// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies matrices compressed by rows by vectors; a block has whole rows. Either all blocks have
// the same number of rows, or the rows of each block were chosen to fill a tile. Any row is summed
// correctly, but a row that is much longer than the others delays its block (suits_whole_rows()).

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/spmv_tiles.hpp"
#include "core/matrix/csr_tiles.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace whole_rows {

namespace kernel {

template <typename T>
constexpr int tile_size = static_cast<int>(matrix::csr::spmv_tile_entries<T>);
using spmv_tiles::output;
using spmv_tiles::right_hand_sides;

/// Holds the rows of a block, and a tile of products of their entries in shared memory.
template <typename T, typename I>
struct block_of_rows {
    size_type first_row;
    const I* row_ptrs;  ///< of first_row and the rows after it
    T* products;
};

/// Sums the rows from begin_row to end_row of a block, one row and right-hand side per subwarp.
/// stage() writes the products of the entries from begin to end to shared memory, and ends with a
/// barrier. With are_checked, rows that have other entries are summed from global memory.
template <int subwarp_size, bool are_checked, typename Matrix, typename T, typename I, int num_cols, typename Stage>
__device__ __forceinline__ void sum_rows_of_tile(const Matrix& a, const block_of_rows<T, I>& block, int begin_row,
                                                 int end_row, I begin, I end, const right_hand_sides<num_cols, T>& b,
                                                 const output<T>& out, Stage stage)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    static_assert(default_block_size / subwarp_size % num_cols == 0, "a subwarp keeps its right-hand side");
    const auto col = static_cast<int>(threadIdx.x / subwarp_size) % num_cols;
    auto row = begin_row + static_cast<int>(threadIdx.x / subwarp_size) / num_cols;
    // The bounds of the first row are loaded while the products are in flight.
    auto row_begin = row < end_row ? block.row_ptrs[row] : I{};
    auto row_end = row < end_row ? block.row_ptrs[row + 1] : I{};
    stage();
    while (row < end_row) {
        T sum{};
        if (!are_checked || (begin <= row_begin && row_end <= end)) {
            for (auto nz = row_begin + subwarp.thread_rank(); nz < row_end; nz += subwarp_size) {
                sum += block.products[(nz - begin) * num_cols + col];
            }
        } else {
#pragma unroll 1
            for (auto nz = row_begin + subwarp.thread_rank(); nz < row_end; nz += subwarp_size) {
                sum += Matrix::product(a.value(nz), b.row(a.col_idxs[nz])[col]);
            }
        }
        sum = reduce_add(subwarp, sum);
        if (subwarp.thread_rank() == 0) {
            out.write(block.first_row + row, sum, col);
        }
        row += default_block_size / subwarp_size / num_cols;
        if (row < end_row) {
            row_begin = block.row_ptrs[row];
            row_end = block.row_ptrs[row + 1];
        }
    }
}

/// Sums the rows of a block with more entries than a tile, in chunks that fit into a tile. There
/// are few such blocks if the strategy fits the matrix. All threads of the block sum a row that is
/// longer than a tile. A thread has one load in flight at a time, so that the kernel needs no
/// additional registers.
template <int subwarp_size, bool are_checked, typename Matrix, typename T, typename I, int num_cols>
__device__ __forceinline__ void sum_rows_in_chunks(const Matrix& a, const block_of_rows<T, I>& block, int num_rows,
                                                   const right_hand_sides<num_cols, T>& b, const output<T>& out)
{
    const auto product = [&](I nz, int col) { return Matrix::product(a.value(nz), b.row(a.col_idxs[nz])[col]); };
    for (int row = 0; row < num_rows;) {
        const auto begin = block.row_ptrs[row];
        auto chunk_end = num_rows;
        auto end = block.row_ptrs[chunk_end];
        while (end - begin > tile_size<T> && chunk_end - row > 1) {
            chunk_end = row + (chunk_end - row) / 2;
            end = block.row_ptrs[chunk_end];
        }
        if (end - begin <= tile_size<T>) {
            sum_rows_of_tile<subwarp_size, are_checked>(a, block, row, chunk_end, begin, end, b, out, [&] {
#pragma unroll 1
                for (auto nz = begin + static_cast<I>(threadIdx.x); nz < end; nz += default_block_size) {
                    for (int col = 0; col < num_cols; ++col) {
                        block.products[(nz - begin) * num_cols + col] = product(nz, col);
                    }
                }
                __syncthreads();
            });
        } else {
            for (int col = 0; col < num_cols; ++col) {
                T sum{};
#pragma unroll 1
                for (auto nz = begin + static_cast<I>(threadIdx.x); nz < end; nz += default_block_size) {
                    sum += product(nz, col);
                }
                sum = block_reduce_add<default_block_size>(sum, block.products);
                if (threadIdx.x == 0) {
                    out.write(block.first_row + row, sum, col);
                }
            }
        }
        row = chunk_end;
        __syncthreads();  // the products are still being read
    }
}

/// Sums the rows of a block, whose entries are, or formerly were, those from begin to end.
template <int subwarp_size, bool are_checked, typename Matrix, typename T, typename I, int num_cols>
__device__ __forceinline__ void sum_rows_of_block(const Matrix& a, const block_of_rows<T, I>& block, int num_rows,
                                                  I begin, I end, const right_hand_sides<num_cols, T>& b,
                                                  const output<T>& out)
{
    if (end - begin <= tile_size<T>) {
        sum_rows_of_tile<subwarp_size, are_checked>(a, block, 0, num_rows, begin, end, b, out, [&] {
            spmv_tiles::stage_products<tile_size<T>>(a, begin, end, b, block.products);
        });
    } else {
        sum_rows_in_chunks<subwarp_size, are_checked>(a, block, num_rows, b, out);
    }
}

/// Computes x = alpha a b + beta x for num_cols columns. Block i has rows_per_block rows; the
/// first one is row i * rows_per_block.
template <int subwarp_size, int num_cols, typename Matrix, typename T>
__global__ __launch_bounds__(default_block_size) void rows(Matrix a, int rows_per_block,
                                                           right_hand_sides<num_cols, T> b, output<T> out)
{
    __shared__ T products[tile_size<T> * num_cols];
    const auto first_row = static_cast<size_type>(grid_dependency_sync()) * rows_per_block;
    const auto num_rows = static_cast<int>(min(static_cast<size_type>(rows_per_block), a.num_rows - first_row));
    const block_of_rows<T, typename Matrix::index> block{first_row, a.row_ptrs + first_row, products};
    sum_rows_of_block<subwarp_size, false>(a, block, num_rows, block.row_ptrs[0], block.row_ptrs[num_rows], b, out);
}

/// Computes x = alpha a b + beta x for num_cols columns. Block i has the rows from
/// first_rows[i] on. Their entries began at first_entries[i] when the blocks were chosen. The
/// kernel knows these bounds from the start and loads the entries at once.
template <int subwarp_size, int num_cols, typename Matrix, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void row_blocks(Matrix a, const I* __restrict__ first_rows,
                                                                 const I* __restrict__ first_entries,
                                                                 right_hand_sides<num_cols, T> b, output<T> out)
{
    __shared__ T products[tile_size<T> * num_cols];
    const auto block_index = grid_dependency_sync();
    const auto first_row = static_cast<size_type>(first_rows[block_index]);
    const auto end_row = static_cast<size_type>(first_rows[block_index + 1]);
    const auto begin = first_entries[block_index];
    const auto end = first_entries[block_index + 1];
    const block_of_rows<T, I> block{first_row, a.row_ptrs + first_row, products};
    sum_rows_of_block<subwarp_size, true>(a, block, static_cast<int>(end_row - first_row), begin, end, b, out);
}

/// Returns the number of threads of `rows` that sum a row. It is small if the loads of waiting
/// blocks hide the latency: one thread for rows of similar length that are not long.
inline size_type threads_per_row(size_type mean_length, bool is_regular, bool has_waiting_blocks)
{
    if (!has_waiting_blocks) {
        return (mean_length + 7) / 8;
    }
    constexpr size_type long_row = 96;
    return is_regular && mean_length <= long_row ? 1 : 1 + (mean_length + 2) / 24;
}

/// Calls function(std::integral_constant<int, size>) with the size of the subwarps that sum a row.
/// For two right-hand sides there are only two sizes, which shortens the build.
template <int num_cols, typename Function>
void select_few_subwarp_sizes(size_type requested, Function function)
{
    constexpr size_type few = 2;
    if constexpr (num_cols == 1) {
        select_subwarp_size(requested, function);
    } else if (requested <= few) {
        function(std::integral_constant<int, 1>{});
    } else {
        function(std::integral_constant<int, 8>{});
    }
}

}  // namespace kernel

/// Describes the lengths of the rows of a matrix.
struct row_lengths {
    size_type mean;  ///< rounded up
    size_type max;   ///< of the longest row, or more
};
inline row_lengths lengths_of(size_type num_rows, size_type nnz, size_type max)
{
    return {std::max<size_type>(1, (nnz + num_rows - 1) / std::max<size_type>(num_rows, 1)), max};
}

/// Calls function(std::integral_constant<int, size>) with the size of the subwarps that sum a row.
template <int num_cols, typename Function>
void select_threads_per_row(const DeviceExecutor& exec, const row_lengths& lengths, size_type num_blocks,
                            Function function)
{
    kernel::select_few_subwarp_sizes<num_cols>(
        kernel::threads_per_row(lengths.mean, matrix::csr::is_regular(lengths.mean, lengths.max),
                                num_blocks > num_resident_blocks(exec)),
        function);
}

/// Computes x = alpha a b + beta x by blocks that have the same number of rows.
/// @tparam Matrix  csr_arrays or pattern_arrays
template <int num_cols, typename Matrix, typename V, typename T>
void run(const DeviceExecutor& exec, const Matrix& a, const row_lengths& lengths, const matrix::Dense<V>& b,
         const spmv_tiles::output<T>& out)
{
    const auto rows_per_block = matrix::csr::rows_per_block<V>(lengths.mean, lengths.max);
    const auto num_blocks = static_cast<size_type>(ceildiv(a.num_rows, rows_per_block));
    select_threads_per_row<num_cols>(exec, lengths, num_blocks, [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        launch_dependent(exec, kernel::rows<subwarp_size, num_cols, Matrix, T>, num_blocks, a,
                         static_cast<int>(rows_per_block), spmv_tiles::right_hand_sides_of<num_cols>(b), out);
    });
}

/// Computes x = alpha a b + beta x by blocks whose rows were chosen.
/// @param first_rows  for each block and one more, followed by as many first entries
template <int num_cols, typename Matrix, typename I, typename V, typename T>
void run_chosen(const DeviceExecutor& exec, const Matrix& a, const row_lengths& lengths, const I* first_rows,
                size_type num_blocks, const matrix::Dense<V>& b, const spmv_tiles::output<T>& out)
{
    select_threads_per_row<num_cols>(exec, lengths, num_blocks, [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        launch_dependent(exec, kernel::row_blocks<subwarp_size, num_cols, Matrix, T, I>, num_blocks, a, first_rows,
                         first_rows + num_blocks + 1, spmv_tiles::right_hand_sides_of<num_cols>(b), out);
    });
}

}  // namespace whole_rows

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
