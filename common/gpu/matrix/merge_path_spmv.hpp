// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies a matrix compressed by rows by vectors, with an equal number of entries and row ends
// in each block (Merrill and Garland 2016). Neither long rows nor many empty rows delay a block.
// The sum of a row that continues after its block is carried over to a second kernel: bitwise
// repeatable.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/spmv_tiles.hpp"
#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/csr_tiles.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace merge_path {

using matrix::Dense;
using spmv_tiles::output;
using spmv_tiles::right_hand_sides;

/// Number of items of a large tile. A small one has half as many.
template <typename T>
constexpr int large_tile = static_cast<int>(matrix::csr::spmv_tile_entries<T>);

namespace kernel {

/// Describes the entries of a block: those from nz_begin to nz_end, which belong to the rows from
/// row_begin on. The rows before row_end end in this block; row_end continues in the next block.
template <typename I>
struct tile {
    I row_begin;
    I row_end;
    I nz_begin;
    I nz_end;
};

/// Describes the tiles of a matrix.
template <typename I>
struct tile_list {
    const I* start_rows;  ///< the first row of each tile, and the number of rows
    size_type num;
    size_type items_per_tile;
    bool is_exact;  ///< false if the last tiles may be empty, since the arrays have unused capacity
};

/// Returns the union of the tiles from first to end. The row pointers tell the end of the last one.
template <typename I>
__device__ __forceinline__ tile<I> find_tiles(size_type num_rows, const I* row_ptrs, const tile_list<I>& tiles,
                                              size_type items_per_tile, size_type first, size_type end)
{
    auto item_begin = first * items_per_tile;
    auto item_end = end * items_per_tile;
    if (end == tiles.num || !tiles.is_exact) {
        const auto num_items = static_cast<size_type>(row_ptrs[num_rows]) + num_rows;
        item_begin = min(item_begin, num_items);
        item_end = min(item_end, num_items);
    }
    const auto row_begin = tiles.start_rows[first];
    const auto row_end = tiles.start_rows[end];
    return {row_begin, row_end, static_cast<I>(item_begin - row_begin), static_cast<I>(item_end - row_end)};
}

/// Calls finish(row, column, sum) with the sum of each row's entries in the tile, for the rows from
/// row_begin to row_end and each right-hand side. The row row_end is included unless it is beyond
/// the matrix.
template <int size, int num_cols, typename Matrix, typename I, typename T, typename Finish>
__device__ __forceinline__ void sum_tile(const Matrix& a, const tile<I>& part, const right_hand_sides<num_cols, T>& b,
                                         Finish finish)
{
    __shared__ T products[size * num_cols];
    __shared__ spmv_tiles::long_row_list<size, num_cols> long_rows;
    long_rows.clear();
    const auto num_rows = static_cast<int>(min(part.row_end + 1, static_cast<I>(a.num_rows)) - part.row_begin);
    const auto find = [&](int i) {
        const auto row_begin = a.row_ptrs[part.row_begin + i];
        const auto row_end = a.row_ptrs[part.row_begin + i + 1];
        return spmv_tiles::row_part{static_cast<int>(max(row_begin, part.nz_begin) - part.nz_begin),
                                    static_cast<int>(min(row_end, part.nz_end) - part.nz_begin)};
    };
    // The bounds of the first row are loaded while the products are in flight.
    const auto first_row = static_cast<int>(threadIdx.x) / num_cols;
    const auto first = first_row < num_rows ? find(first_row) : spmv_tiles::row_part{};
    spmv_tiles::stage_products<size>(a, part.nz_begin, part.nz_end, b, products);
    spmv_tiles::sum_rows<size, num_cols>(num_rows, products, long_rows, first, find,
                                         [&](int i, int col, T sum) { finish(part.row_begin + i, col, sum); });
}

/// Computes x = alpha a b + beta x except for the carries. carries[i * num_cols + col] is the sum
/// of the row that continues after block i. A block processes a tile of `size` items.
template <int size, int num_cols, typename Matrix, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void multiply(Matrix a, tile_list<I> tiles,
                                                               right_hand_sides<num_cols, T> b, output<T> out,
                                                               T* carries)
{
    const auto block = static_cast<size_type>(grid_dependency_sync());
    const auto part = find_tiles(a.num_rows, a.row_ptrs, tiles, size, block, block + 1);
    sum_tile<size>(a, part, b, [=](I row, int col, T sum) {
        if (row == part.row_end) {
            carries[block * num_cols + col] = sum;
        } else {
            out.write(row, sum, col);
        }
    });
}

/// Number of items that a block of `multiply_columns` processes. What the block stages fits into
/// the static shared memory of every device. Each subwarp has enough items to hide the latency of
/// its search for the first row (doc/tuning/csr.md).
template <typename Matrix, typename T, typename I>
constexpr int items_per_block = [] {
    constexpr int bytes_per_item = sizeof(typename Matrix::loaded_value) + 2 * sizeof(I);
    constexpr int bytes_of_sums = 2 * default_block_size * sizeof(T);
    constexpr int available = (44 << 10) - bytes_of_sums;
    constexpr int items = 2 * large_tile<T>;
    return items * bytes_per_item <= available ? items : items / 2;
}();

/// Computes x = alpha a b + beta x for many columns, except for the carries. A subwarp has a range
/// of items of the block's tiles, and a lane for each column. The reads of b are coalesced, and the
/// entries are read once for all columns of a block.
/// @param carries  carries[i * num_cols + col] is the sum of the row that continues after block i
template <int width, typename Matrix, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void multiply_columns(Matrix a, tile_list<I> tiles,
                                                                       const T* __restrict__ b, size_type b_stride,
                                                                       size_type num_cols, output<T> out, T* carries)
{
    constexpr int size = items_per_block<Matrix, T, I>;
    constexpr int num_subwarps = default_block_size / width;
    constexpr int items_per_subwarp = size / num_subwarps;
    __shared__ typename Matrix::loaded_value values[size];
    __shared__ I cols[size];
    __shared__ I ptrs[size + 1];              // of the rows that end in the tile
    __shared__ T heads[num_subwarps][width];  // sums of a row that began in an earlier subwarp and ends here
    __shared__ T sums[num_subwarps][width];   // of the row that continues after the subwarp
    __shared__ int rows[num_subwarps];        // of the sums, or -1
    const size_type num_groups = ceildiv(num_cols, width);
    const auto grid_block = static_cast<size_type>(grid_dependency_sync());
    const auto block = grid_block / num_groups;
    const auto num_tiles = size / tiles.items_per_tile;
    const auto part = find_tiles(a.num_rows, a.row_ptrs, tiles, tiles.items_per_tile, block * num_tiles,
                                 min((block + 1) * num_tiles, tiles.num));
    const auto num_ended = static_cast<int>(part.row_end - part.row_begin);
    const auto num_entries = static_cast<int>(part.nz_end - part.nz_begin);
    for (int i = threadIdx.x; i < num_entries; i += default_block_size) {
        values[i] = a.load(part.nz_begin + i);
        cols[i] = warp::load_streaming(a.col_idxs + part.nz_begin + i);
    }
    for (int i = threadIdx.x; i <= num_ended; i += default_block_size) {
        ptrs[i] = i == 0 ? I{} : a.row_ptrs[part.row_begin + i] - part.nz_begin;
    }
    const auto subwarp = group::tiled_partition<width>(group::this_thread_block());
    const auto number = static_cast<int>(threadIdx.x) / width;
    const auto col = grid_block % num_groups * width + subwarp.thread_rank();
    const auto is_column = col < num_cols;
    if (number == 0 && is_column) {
        carries[block * num_cols + col] = T{};
    }
    __syncthreads();

    const auto begin = min(number * items_per_subwarp, num_ended + num_entries);
    const auto end = min(begin + items_per_subwarp, num_ended + num_entries);
    const auto row_begin = static_cast<int>(num_rows_ended(ptrs, num_ended, begin, 1));
    const auto row_end = static_cast<int>(num_rows_ended(ptrs, num_ended, end, 1));
    const auto nz_end = end - row_end;
    const auto continues = (row_begin < row_end ? static_cast<int>(ptrs[row_end]) : begin - row_begin) < nz_end;
    auto nz = begin - row_begin;
    auto is_shared = nz > static_cast<int>(ptrs[row_begin]);
    T sum{};
    const auto add_until = [&](int stop) {
#pragma unroll 4
        for (; nz < stop; ++nz) {
            sum += a.product(values[nz], b[static_cast<size_type>(cols[nz]) * b_stride + col]);
        }
    };
    if (is_column) {
        for (auto row = row_begin; row < row_end; ++row) {
            add_until(static_cast<int>(ptrs[row + 1]));
            if (is_shared) {
                heads[number][subwarp.thread_rank()] = sum;
                is_shared = false;
            } else {
                out.write(part.row_begin + row, sum, col);
            }
            sum = T{};
        }
        add_until(nz_end);
    }
    sums[number][subwarp.thread_rank()] = sum;
    if (subwarp.thread_rank() == 0) {
        rows[number] = continues ? row_end : -1;
    }
    __syncthreads();

    // The first subwarp of each row that continues adds the sums of all of them.
    const auto shared_row = rows[number];
    if (!is_column || shared_row < 0 || (number > 0 && rows[number - 1] == shared_row)) {
        return;
    }
    T total{};
    auto i = number;
    for (; i < num_subwarps && rows[i] == shared_row; ++i) {
        total += sums[i][subwarp.thread_rank()];
    }
    if (shared_row == num_ended) {
        carries[block * num_cols + col] = total;
    } else {
        out.write(part.row_begin + shared_row, total + heads[i][subwarp.thread_rank()], col);
    }
}

/// Adds the carries of blocks of tiles_per_carry tiles each to x. Each block of the grid adds to
/// one column.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void add_carries(size_type num_rows, tile_list<I> tiles,
                                                                  size_type tiles_per_carry, size_type num_cols,
                                                                  size_type carry_stride, const T* __restrict__ carries,
                                                                  output<T> out)
{
    const auto block = static_cast<size_type>(grid_dependency_sync());
    const auto row_of = [=](size_type i) {
        return static_cast<size_type>(tiles.start_rows[min((i + 1) * tiles_per_carry, tiles.num)]);
    };
    spmv_tiles::add_carries(block / num_cols, block % num_cols, num_rows, ceildiv(tiles.num, tiles_per_carry), row_of,
                            carries, carry_stride, out);
}

}  // namespace kernel

/// Returns the number of tiles of a matrix.
inline size_type num_tiles(size_type num_rows, size_type nnz, size_type items_per_tile)
{
    return static_cast<size_type>(ceildiv(num_rows + nnz, items_per_tile));
}

/// Largest number of columns that `multiply` computes. `multiply_columns` computes more columns
/// (doc/tuning/csr.md).
constexpr size_type max_staged_cols = 4;

/// Returns true if a product with num_cols columns needs small tiles, since a block stages the
/// products of three or four columns in shared memory.
constexpr bool needs_small_tiles(size_type num_cols) { return num_cols > 2 && num_cols <= max_staged_cols; }

/// Returns the number of items of the tiles for a product with num_cols columns.
template <typename T>
size_type items_per_tile(size_type nnz, size_type max_length, size_type num_cols)
{
    return needs_small_tiles(num_cols) ? large_tile<T> / 2 : matrix::csr::merge_path_tile_items<T>(nnz, max_length);
}

/// Largest number of columns of a pass over the matrix. With wider passes, warps of 64 threads
/// would idle for 32 columns.
constexpr int max_cols_of_pass = 32;
static_assert(max_cols_of_pass <= warp_size, "a subwarp has a lane for each column");

/// Divides scratch memory into the start rows of tiles and carries.
template <typename T, typename I>
struct scratch_layout {
    /// Creates the layout. Start rows that exist already take no memory.
    scratch_layout(size_type num_tiles, size_type num_cols, bool needs_start_rows)
        : carries_begin{needs_start_rows ? aligned((num_tiles + 1) * sizeof(I)) : 0},
          size{carries_begin + num_tiles * std::max(num_cols, max_staged_cols) * sizeof(T)}
    {}
    static constexpr size_type aligned(size_type bytes) { return (bytes + 15) / 16 * 16; }

    size_type carries_begin;
    size_type size;  ///< an upper bound
};

/// Computes x = alpha a b + beta x; null in `out` stands for alpha = 1 and beta = 0.
/// @param tiles  have as many items as items_per_tile() returns
/// @param carries  memory for one entry of each tile and column, at least max_staged_cols columns
template <typename V, typename Matrix, typename T, typename I>
void run(const DeviceExecutor& exec, const Matrix& a, const kernel::tile_list<I>& tiles, const Dense<V>& b,
         const output<T>& out, T* carries)
{
    const auto num_cols = b.get_size()[1];
    if (num_cols == 0) {
        return;
    }
    const auto b_values = as_device(b.get_const_values());
    const auto add_carries = [&](size_type tiles_per_carry, size_type carry_stride) {
        const auto num_carries = ceildiv(tiles.num, tiles_per_carry);
        launch_dependent(exec, kernel::add_carries<T, I>, ceildiv(num_carries, default_block_size) * num_cols,
                         a.num_rows, tiles, tiles_per_carry, num_cols, carry_stride, carries, out);
    };
    const auto run_tiles = [&](auto size, auto cols) {
        constexpr int num_staged = decltype(cols)::value;
        launch_dependent(exec, kernel::multiply<decltype(size)::value, num_staged, Matrix, T, I>, tiles.num, a, tiles,
                         spmv_tiles::right_hand_sides_of<num_staged>(b), out, carries);
        add_carries(1, num_staged);
    };
    const auto run_columns = [&](auto width) {
        constexpr int items = kernel::items_per_block<Matrix, T, I>;
        const auto tiles_per_block = items / tiles.items_per_tile;
        const auto num_blocks = ceildiv(tiles.num, tiles_per_block) * ceildiv(num_cols, width);
        launch_dependent(exec, kernel::multiply_columns<decltype(width)::value, Matrix, T, I>, num_blocks, a, tiles,
                         b_values, b.get_stride(), num_cols, out, carries);
        add_carries(tiles_per_block, num_cols);
    };
    const auto run_any_tiles = [&](auto cols) {
        if (tiles.items_per_tile == size_type{large_tile<T>}) {
            run_tiles(std::integral_constant<int, large_tile<T>>{}, cols);
        } else if constexpr (sizeof(T) == 8) {
            run_tiles(std::integral_constant<int, large_tile<T> / 2>{}, cols);
        }
    };
    const auto run_small_tiles = [&](auto cols) { run_tiles(std::integral_constant<int, large_tile<T> / 2>{}, cols); };
    if (num_cols == 1) {
        run_any_tiles(std::integral_constant<int, 1>{});
    } else if (num_cols == 2) {
        run_any_tiles(std::integral_constant<int, 2>{});
    } else if (num_cols == 3) {
        run_small_tiles(std::integral_constant<int, 3>{});
    } else if (num_cols == max_staged_cols) {
        run_small_tiles(std::integral_constant<int, static_cast<int>(max_staged_cols)>{});
    } else if (num_cols <= 8) {
        run_columns(std::integral_constant<int, 8>{});
    } else if (num_cols <= 16) {
        run_columns(std::integral_constant<int, 16>{});
    } else {
        run_columns(std::integral_constant<int, max_cols_of_pass>{});
    }
}

}  // namespace merge_path

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
