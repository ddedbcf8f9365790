// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/dense_chunk.hpp"
#include "core/matrix/dense_blas_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

using blas::triangle;
using kernels::dense::mirroring;
using matrix::Dense;

namespace symv_kernel {

constexpr int tile = 64;  // of the matrix: rows and columns
/// Threads of a block that read adjacent entries of a row. Each group of them reads one row at
/// once.
constexpr int lanes_per_row = 16;
constexpr int row_groups = default_block_size / lanes_per_row;
constexpr int rows_per_thread = tile / row_groups;
static_assert(tile % row_groups == 0 && default_block_size >= tile, "all of a tile's rows and columns have a thread");

/// Represents a square matrix of which one triangle is stored.
template <typename T>
struct triangular {
    __device__ __forceinline__ bool has(size_type row, size_type col) const
    {
        return row < size && col < size && (is_lower ? col <= row : row <= col);
    }
    const T* values;
    size_type size;
    size_type stride;
    bool is_aligned;  ///< every row begins at a multiple of a chunk's bytes
    bool is_lower;
    bool conjugates;
};

/// Holds partial sums, each in a separate element, so that the order of additions is fixed. A range
/// of tiles consists of consecutive tiles in a row of tiles. of_rows[s][i] is the sum of row i over
/// range s. of_cols[r][j] is the sum of column j over the tile that contains it in row r of tiles.
template <typename T>
struct partial_sums {
    T* of_rows;
    T* of_cols;
    size_type num_tiles;        ///< in a row of the full matrix
    size_type num_tile_ranges;  ///< of the longest row of tiles
    size_type tiles_per_range;
};

/// Holds a thread's entries of a tile.
template <typename T>
class tile_entries {
public:
    static constexpr int chunk_size = chunk<T>::size;
    static constexpr int num_chunks = tile / (lanes_per_row * chunk_size);

    __device__ __forceinline__ static int col_of(int c, int j)
    {
        return (c * lanes_per_row + static_cast<int>(threadIdx.x) % lanes_per_row) * chunk_size + j;
    }
    __device__ __forceinline__ static int row_of(int i)
    {
        return i * row_groups + static_cast<int>(threadIdx.x) / lanes_per_row;
    }

    __device__ __forceinline__ void load(const triangular<T>& a, size_type first_row, size_type first_col)
    {
        const auto is_inside =
            a.is_aligned && first_row != first_col && first_row + tile <= a.size && first_col + tile <= a.size;
        const auto source = a.values + first_row * a.stride + first_col;
        if (is_inside) {
#pragma unroll
            for (int c = 0; c < num_chunks; ++c) {
#pragma unroll
                for (int i = 0; i < rows_per_thread; ++i) {
                    chunks_[c][i] = *reinterpret_cast<const chunk<T>*>(source + row_of(i) * a.stride + col_of(c, 0));
                }
            }
            return;
        }
#pragma unroll
        for (int c = 0; c < num_chunks; ++c) {
#pragma unroll
            for (int i = 0; i < rows_per_thread; ++i) {
#pragma unroll
                for (int j = 0; j < chunk_size; ++j) {
                    chunks_[c][i].values[j] = a.has(first_row + row_of(i), first_col + col_of(c, j))
                                                  ? source[row_of(i) * a.stride + col_of(c, j)]
                                                  : T{};
                }
            }
        }
    }

    __device__ __forceinline__ const T& operator()(int c, int i, int j) const { return chunks_[c][i].values[j]; }

private:
    chunk<T> chunks_[num_chunks][rows_per_thread];
};

/// Reads each stored entry once and uses it twice: a_ij x_j is added to y_i, and a_ij x_i to y_j. A
/// block processes a range of a row of tiles. The next tile is prefetched while the columns of
/// the current tile are summed.
template <typename T>
__global__ __launch_bounds__(default_block_size,
                             sizeof(T) <= 8 ? 3 : 1) void multiply_tiles(triangular<T> a, const T* x,
                                                                         size_type x_stride, partial_sums<T> sums)
{
    using entries_type = tile_entries<T>;
    constexpr int chunk_size = entries_type::chunk_size;
    constexpr int num_chunks = entries_type::num_chunks;
    __shared__ T x_of_rows[tile];
    __shared__ T scratch[2][row_groups][tile + 1];
    const auto tile_row = blockIdx.x / sums.num_tile_ranges;
    const auto tile_range = blockIdx.x % sums.num_tile_ranges;
    const auto first_tile = (a.is_lower ? 0 : tile_row) + tile_range * sums.tiles_per_range;
    const auto end_of_tiles = a.is_lower ? tile_row + 1 : sums.num_tiles;
    if (first_tile >= end_of_tiles) {
        return;
    }
    const auto last_tile = min(first_tile + sums.tiles_per_range, end_of_tiles);
    const auto subwarp = group::tiled_partition<lanes_per_row>(group::this_thread_block());
    const auto first_row = tile_row * tile;
    entries_type entries;
    entries.load(a, first_row, first_tile * tile);
    if (threadIdx.x < tile) {
        const auto row = first_row + threadIdx.x;
        x_of_rows[threadIdx.x] = row < a.size ? x[row * x_stride] : T{};
    }
    __syncthreads();
    T sums_of_rows[rows_per_thread]{};
    int stage = 0;
    for (auto tile_col = first_tile; tile_col < last_tile; ++tile_col) {
        const auto first_col = tile_col * tile;
        const auto is_diagonal_tile = tile_col == tile_row;
#pragma unroll
        for (int c = 0; c < num_chunks; ++c) {
#pragma unroll
            for (int j = 0; j < chunk_size; ++j) {
                const auto local_col = entries_type::col_of(c, j);
                const auto col = first_col + local_col;
                const auto x_of_col = col < a.size ? x[col * x_stride] : T{};
                T sum_of_col{};
#pragma unroll
                for (int i = 0; i < rows_per_thread; ++i) {
                    const auto local_row = entries_type::row_of(i);
                    auto value = entries(c, i, j);
                    const auto is_diagonal = is_diagonal_tile && local_row == local_col;
                    const auto mirrored = a.conjugates ? conj_of(value) : value;
                    if (is_diagonal && a.conjugates) {
                        value = T(real_of(value));
                    }
                    sums_of_rows[i] += value * x_of_col;
                    sum_of_col += is_diagonal ? T{} : mirrored * x_of_rows[local_row];
                }
                scratch[stage][threadIdx.x / lanes_per_row][local_col] = sum_of_col;
            }
        }
        if (tile_col + 1 < last_tile) {
            entries.load(a, first_row, first_col + tile);
        }
        // One barrier for each tile is enough: these sums are overwritten only two tiles later.
        __syncthreads();
        if (threadIdx.x < tile && first_col + threadIdx.x < a.size) {
            T sum{};
#pragma unroll
            for (int g = 0; g < row_groups; ++g) {
                sum += scratch[stage][g][threadIdx.x];
            }
            sums.of_cols[tile_row * a.size + first_col + threadIdx.x] = sum;
        }
        stage = 1 - stage;
    }
#pragma unroll
    for (int i = 0; i < rows_per_thread; ++i) {
        const auto sum = reduce_add(subwarp, sums_of_rows[i]);
        const auto row = first_row + entries_type::row_of(i);
        if (subwarp.thread_rank() == 0 && row < a.size) {
            sums.of_rows[tile_range * a.size + row] = sum;
        }
    }
}

/// Entries of the result that a block finishes. Several threads share the partial sums of each
/// entry.
constexpr int finished_rows = 32;
constexpr int threads_per_sum = default_block_size / finished_rows;

template <typename T>
__global__ __launch_bounds__(default_block_size) void finish(size_type size, bool is_lower, partial_sums<T> sums,
                                                             const T* alpha, const T* beta, T* y, size_type y_stride)
{
    __shared__ T scratch[threads_per_sum][finished_rows];
    const int local_row = threadIdx.x % finished_rows;
    const int thread_part = threadIdx.x / finished_rows;
    const auto row = blockIdx.x * static_cast<size_type>(finished_rows) + local_row;
    T sum{};
    if (row < size) {
        const auto tile_of_row = row / tile;
        const auto num_tiles_of_row = is_lower ? tile_of_row + 1 : sums.num_tiles - tile_of_row;
        const auto num_tile_ranges = (num_tiles_of_row + sums.tiles_per_range - 1) / sums.tiles_per_range;
        for (size_type tile_range = thread_part; tile_range < num_tile_ranges; tile_range += threads_per_sum) {
            sum += sums.of_rows[tile_range * size + row];
        }
        const auto end = is_lower ? sums.num_tiles : tile_of_row + 1;
#pragma unroll 8
        for (auto tile_row = (is_lower ? tile_of_row : 0) + thread_part; tile_row < end; tile_row += threads_per_sum) {
            sum += sums.of_cols[tile_row * size + row];
        }
    }
    scratch[thread_part][local_row] = sum;
    __syncthreads();
    if (thread_part == 0 && row < size) {
        for (int other = 1; other < threads_per_sum; ++other) {
            sum += scratch[other][local_row];
        }
        y[row * y_stride] = combine(*alpha, sum, *beta, y[row * y_stride]);
    }
}

}  // namespace symv_kernel

/// Returns the number of tiles in a range. Ranges are as long as possible with several blocks
/// for each multiprocessor, since each range begins without loads in flight.
inline size_type choose_tiles_per_range(const DeviceExecutor& exec, size_type num_tiles)
{
    constexpr size_type blocks_per_multiprocessor = 16;
    constexpr size_type max_tiles = 16;
    const auto num_stored = num_tiles * (num_tiles + 1) / 2;
    const auto requested = num_stored / (blocks_per_multiprocessor * exec.get_num_multiprocessor());
    return std::min(std::max<size_type>(requested, 1), max_tiles);
}

template <typename V>
void symv(const DeviceExecutor& exec, const Dense<V>& alpha, const Dense<V>& a, triangle stored, mirroring kind,
          const Dense<V>& x, const Dense<V>& beta, Dense<V>& y)
{
    using T = device_type<V>;
    const auto size = a.get_size()[0];
    const auto num_tiles = static_cast<size_type>(ceildiv(size, symv_kernel::tile));
    const auto tiles_per_range = choose_tiles_per_range(exec, num_tiles);
    const auto num_tile_ranges = static_cast<size_type>(ceildiv(num_tiles, tiles_per_range));
    const auto is_lower = stored == triangle::lower;
    array<V> workspace{exec.shared_from_this(), size * (num_tiles + num_tile_ranges)};
    const auto sums_of_rows = as_device(workspace.get_data());
    const symv_kernel::partial_sums<T> sums{sums_of_rows, sums_of_rows + num_tile_ranges * size, num_tiles,
                                            num_tile_ranges, tiles_per_range};
    const symv_kernel::triangular<T> matrix{as_device(a.get_const_values()),
                                            size,
                                            a.get_stride(),
                                            has_aligned_rows(a),
                                            is_lower,
                                            kind == mirroring::hermitian && is_complex<V>()};
    launch_blocks(exec, symv_kernel::multiply_tiles<T>, num_tiles * num_tile_ranges, matrix,
                  as_device(x.get_const_values()), x.get_stride(), sums);
    launch_blocks(exec, symv_kernel::finish<T>, ceildiv(size, symv_kernel::finished_rows), size, is_lower, sums,
                  as_device(alpha.get_const_values()), as_device(beta.get_const_values()), as_device(y.get_values()),
                  y.get_stride());
}

}  // namespace dense

void register_dense_symv()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::dense::symv<V>.template set<DeviceExecutor>(&dense::symv<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
