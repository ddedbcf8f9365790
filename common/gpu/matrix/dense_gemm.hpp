// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies dense matrices by tiles.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/dense_products.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

namespace gemm_kernel {

/// Defines the tiles. A block computes rows x cols entries of the result, each thread thread_rows x
/// thread_cols of them in registers. The threads of a block form groups of lane_rows x lane_cols.
/// In such nearly square groups they read the fewest different words of shared memory at once.
/// Shared memory holds depth columns of the left and depth rows of the right operand, twice: the
/// next pair is loaded while one pair is multiplied.
template <typename T, bool is_large>
struct tiling {
    static constexpr int lane_rows = 4;
    static constexpr int lane_cols = 8;
    static constexpr int group_rows = 4;
    static constexpr int group_cols = 2;
    static constexpr int thread_rows = (is_large ? 2 : 1) * (sizeof(T) == 16 ? 2 : 4);
    static constexpr int thread_cols = (is_large ? 2 : 1) * (sizeof(T) == 4 ? 4 : 2);
    static constexpr int rows = group_rows * lane_rows * thread_rows;
    static constexpr int cols = group_cols * lane_cols * thread_cols;
    static constexpr int depth = sizeof(T) == 4 ? 16 : 8;
    /// Rows in shared memory are padded by a chunk. They begin in different banks and are aligned
    /// to a chunk.
    static constexpr int padding = chunk<T>::size;
    static constexpr int shared_bytes = 2 * depth * (rows + cols + 2 * padding) * static_cast<int>(sizeof(T));
    static_assert(lane_rows * lane_cols * group_rows * group_cols == default_block_size,
                  "the tile size must equal the block size");
};

/// Holds the tile that is multiplied and the next one.
template <typename T, int depth, int pitch>
struct alignas(16) tile_pair {
    T values[2][depth][pitch];
};

/// Holds a thread's part of an operand's tile while it moves from memory to shared memory. In
/// shared memory the rows run along the depth. In memory, adjacent entries lie along the depth or
/// across it.
template <typename T, int extent, int depth, bool is_along_depth>
class register_tile {
public:
    __device__ __forceinline__ void load(const T* values, size_type stride, bool is_aligned, size_type first,
                                         size_type extent_end, size_type begin, size_type depth_end)
    {
        const auto line_begin = is_along_depth ? first : begin;
        const auto line_end = is_along_depth ? extent_end : depth_end;
        const auto offset_begin = is_along_depth ? begin : first;
        const auto offset_end = is_along_depth ? depth_end : extent_end;
#pragma unroll
        for (int i = 0; i < per_thread; ++i) {
            const auto line = line_begin + line_of(i);
            const auto offset = offset_begin + offset_of(i);
            const auto source = values + line * stride + offset;
            if (is_aligned && line < line_end && offset + chunk<T>::size <= offset_end) {
                chunks_[i] = *reinterpret_cast<const chunk<T>*>(source);
            } else {
#pragma unroll
                for (int j = 0; j < chunk<T>::size; ++j) {
                    chunks_[i].values[j] = line < line_end && offset + j < offset_end ? source[j] : T{};
                }
            }
        }
    }

    template <int pitch>
    __device__ __forceinline__ void store(T (&tile)[depth][pitch], bool conjugates) const
    {
#pragma unroll
        for (int i = 0; i < per_thread; ++i) {
            if (num_chunks % default_block_size != 0 && index_of(i) >= num_chunks) {
                continue;
            }
            auto values = chunks_[i];
            if (conjugates) {
#pragma unroll
                for (int j = 0; j < chunk<T>::size; ++j) {
                    values.values[j] = conj_of(values.values[j]);
                }
            }
            if constexpr (is_along_depth) {
#pragma unroll
                for (int j = 0; j < chunk<T>::size; ++j) {
                    tile[offset_of(i) + j][line_of(i)] = values.values[j];
                }
            } else {
                *reinterpret_cast<chunk<T>*>(&tile[line_of(i)][offset_of(i)]) = values;
            }
        }
    }

private:
    static constexpr int per_line = (is_along_depth ? depth : extent) / chunk<T>::size;
    static constexpr int num_chunks = extent * depth / chunk<T>::size;
    static constexpr int per_thread = (num_chunks + default_block_size - 1) / default_block_size;

    __device__ __forceinline__ static int index_of(int i)
    {
        return static_cast<int>(threadIdx.x) + i * default_block_size;
    }
    __device__ __forceinline__ static int line_of(int i) { return index_of(i) / per_line; }
    __device__ __forceinline__ static int offset_of(int i) { return index_of(i) % per_line * chunk<T>::size; }

    chunk<T> chunks_[per_thread];
};

/// Computes c = alpha op(a) op(b) + beta c for the written part, with op(a) m x n and op(b) n x k.
/// op transposes if the template parameter is set, and conjugates if the operand's flag is set.
template <typename T, bool is_large, bool transposes_a, bool transposes_b>
__global__ __launch_bounds__(default_block_size) void multiply(size_type m, size_type n, size_type k,
                                                               size_type num_tile_rows, size_type num_tile_cols,
                                                               const T* alpha, operand<T> a, operand<T> b,
                                                               const T* beta, T* c, size_type c_stride,
                                                               output_triangle part)
{
    using tiles = tiling<T, is_large>;
    constexpr int length = chunk<T>::size;
    constexpr int depth = tiles::depth;
    __shared__ tile_pair<T, depth, tiles::rows + tiles::padding> a_tiles;
    __shared__ tile_pair<T, depth, tiles::cols + tiles::padding> b_tiles;

    // Concurrent blocks share operands: tiles are distributed column by column in bands of a few
    // tile rows.
    constexpr size_type band_rows = 8;
    const auto band = blockIdx.x / (band_rows * num_tile_cols);
    const auto in_band = blockIdx.x % (band_rows * num_tile_cols);
    const auto rows_of_band = min(band_rows, num_tile_rows - band * band_rows);
    const auto first_row = (band * band_rows + in_band % rows_of_band) * tiles::rows;
    const auto first_col = in_band / rows_of_band * tiles::cols;
    if ((part == output_triangle::lower && first_col >= first_row + tiles::rows) ||
        (part == output_triangle::upper && first_row >= first_col + tiles::cols)) {
        return;
    }

    constexpr int group_size = tiles::lane_rows * tiles::lane_cols;
    const int group = threadIdx.x / group_size;
    const int lane = threadIdx.x % group_size;
    const int thread_row =
        group / tiles::group_cols * tiles::lane_rows * tiles::thread_rows + lane / tiles::lane_cols * length;
    const int thread_col =
        group % tiles::group_cols * tiles::lane_cols * tiles::thread_cols + lane % tiles::lane_cols * length;
    constexpr int row_step = tiles::lane_rows * length;
    constexpr int col_step = tiles::lane_cols * length;
    constexpr int row_chunks = tiles::thread_rows / length;
    constexpr int col_chunks = tiles::thread_cols / length;

    const auto factor = alpha ? *alpha : one<T>();
    T sums[tiles::thread_rows][tiles::thread_cols]{};
    if (!is_zero(factor) && n > 0) {
        register_tile<T, tiles::rows, depth, !transposes_a> next_a;
        register_tile<T, tiles::cols, depth, transposes_b> next_b;
        next_a.load(a.values, a.stride, a.is_aligned, first_row, m, 0, n);
        next_b.load(b.values, b.stride, b.is_aligned, first_col, k, 0, n);
        next_a.store(a_tiles.values[0], a.conjugates);
        next_b.store(b_tiles.values[0], b.conjugates);
        __syncthreads();
        int stage = 0;
        for (size_type next = depth; next < n + depth; next += depth) {
            if (next < n) {
                next_a.load(a.values, a.stride, a.is_aligned, first_row, m, next, n);
                next_b.load(b.values, b.stride, b.is_aligned, first_col, k, next, n);
            }
#pragma unroll
            for (int p = 0; p < depth; ++p) {
                chunk<T> left[row_chunks];
                chunk<T> right[col_chunks];
#pragma unroll
                for (int i = 0; i < row_chunks; ++i) {
                    left[i] = *reinterpret_cast<const chunk<T>*>(&a_tiles.values[stage][p][thread_row + i * row_step]);
                }
#pragma unroll
                for (int j = 0; j < col_chunks; ++j) {
                    right[j] = *reinterpret_cast<const chunk<T>*>(&b_tiles.values[stage][p][thread_col + j * col_step]);
                }
#pragma unroll
                for (int i = 0; i < tiles::thread_rows; ++i) {
#pragma unroll
                    for (int j = 0; j < tiles::thread_cols; ++j) {
                        add_product(sums[i][j], left[i / length].values[i % length],
                                    right[j / length].values[j % length]);
                    }
                }
            }
            if (next < n) {
                next_a.store(a_tiles.values[1 - stage], a.conjugates);
                next_b.store(b_tiles.values[1 - stage], b.conjugates);
            }
            __syncthreads();
            stage = 1 - stage;
        }
    }

    const auto old_factor = beta ? *beta : T{};
#pragma unroll
    for (int i = 0; i < tiles::thread_rows; ++i) {
        const auto row = first_row + thread_row + i / length * row_step + i % length;
#pragma unroll
        for (int j = 0; j < tiles::thread_cols; ++j) {
            const auto col = first_col + thread_col + j / length * col_step + j % length;
            const auto is_written =
                part == output_triangle::all || (part == output_triangle::lower ? col <= row : row <= col);
            if (row < m && col < k && is_written) {
                const auto product = is_zero(factor) ? T{} : factor * sums[i][j];
                auto& result = c[row * c_stride + col];
                result = is_zero(old_factor) ? product : product + old_factor * result;
            }
        }
    }
}

}  // namespace gemm_kernel

/// Computes a product of dense matrices. It uses large tiles if there are enough of them for all
/// multiprocessors, and small tiles otherwise. The large tiles fit into the shared memory of a
/// block.
template <bool transposes_a, bool transposes_b, typename V>
void run_gemm(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, bool conjugates_a, const Dense<V>& b,
              bool conjugates_b, const V* beta, Dense<V>& c, output_triangle part)
{
    using T = device_type<V>;
    const auto m = c.get_size()[0];
    const auto k = c.get_size()[1];
    const auto n = a.get_size()[transposes_a ? 0 : 1];
    const auto run = [&](auto large) {
        constexpr bool is_large = decltype(large)::value;
        const auto num_tile_rows = ceildiv(m, gemm_kernel::tiling<T, is_large>::rows);
        const auto num_tile_cols = ceildiv(k, gemm_kernel::tiling<T, is_large>::cols);
        launch_blocks(exec, gemm_kernel::multiply<T, is_large, transposes_a, transposes_b>,
                      num_tile_rows * num_tile_cols, m, n, k, num_tile_rows, num_tile_cols, as_device(alpha),
                      operand_of(a, conjugates_a), operand_of(b, conjugates_b), as_device(beta),
                      as_device(c.get_values()), c.get_stride(), part);
    };
    using large_tiles = gemm_kernel::tiling<T, true>;
    static_assert(large_tiles::shared_bytes <= (48 << 10), "exceeds 48 KB of static shared memory");
    const auto num_large_tiles = ceildiv(m, large_tiles::rows) * ceildiv(k, large_tiles::cols);
    if (num_large_tiles >= exec.get_num_multiprocessor()) {
        run(std::true_type{});
    } else {
        run(std::false_type{});
    }
}

}  // namespace dense

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
