// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Products of dense matrices by tiles, and of a dense matrix with few vectors.

#include "common/matrix/dense_chunk.inc.hpp"

namespace dense {

using matrix::Dense;

using kernels::dense::written_part;

namespace gemm_kernel {

template <typename T>
__device__ __forceinline__ void add_product(T& sum, const T& a, const T& b)
{
    sum += a * b;
}
/// Four fused operations, where the product by itself would be rounded first.
template <typename T>
__device__ __forceinline__ void add_product(device_complex<T>& sum, const device_complex<T>& a,
                                            const device_complex<T>& b)
{
    sum.re += a.re * b.re;
    sum.re -= a.im * b.im;
    sum.im += a.re * b.im;
    sum.im += a.im * b.re;
}

/// A block computes a tile of rows x cols entries of the result, each thread thread_rows x thread_cols of them in registers.
/// The threads of a block form groups of lane_rows x lane_cols: they read as few different words of shared memory at once as a
/// square group can. depth columns of the left and rows of the right operand are in shared memory at a time, twice: while
/// one pair is multiplied the next is on its way.
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
    /// Rows in shared memory are longer by a chunk, so that they begin in different banks and on a chunk's alignment.
    static constexpr int padding = chunk<T>::size;
    static constexpr int shared_bytes = 2 * depth * (rows + cols + 2 * padding) * static_cast<int>(sizeof(T));
    static_assert(lane_rows * lane_cols * group_rows * group_cols == default_block_size, "all threads have a place");
};

/// What is multiplied and what comes next.
template <typename T, int depth, int pitch>
struct alignas(16) tile_pair {
    T values[2][depth][pitch];
};

/// A thread's part of an operand's tile, on its way from memory to shared memory, where depth counts rows. In memory,
/// entries along the depth are neighbours, or those across it.
template <typename T, int extent, int depth, bool is_along_depth>
class tile_in_transit {
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

template <typename T>
struct operand {
    const T* values;
    size_type stride;
    bool is_aligned;  ///< every row begins at a multiple of a chunk's bytes
    bool conjugates;
};

/// c = alpha op(a) op(b) + beta c, for the written part; m x k by depth n. op transposes where the template says so, and
/// conjugates where the operand does.
template <typename T, bool is_large, bool transposes_a, bool transposes_b>
__global__ __launch_bounds__(default_block_size) void multiply(size_type m, size_type n, size_type k,
                                                               size_type num_tile_rows, size_type num_tile_cols,
                                                               const T* alpha, operand<T> a, operand<T> b,
                                                               const T* beta, T* c, size_type c_stride,
                                                               written_part part)
{
    using tiles = tiling<T, is_large>;
    constexpr int length = chunk<T>::size;
    constexpr int depth = tiles::depth;
    __shared__ tile_pair<T, depth, tiles::rows + tiles::padding> a_tiles;
    __shared__ tile_pair<T, depth, tiles::cols + tiles::padding> b_tiles;

    // Blocks that run at the same time share operands: tiles are dealt out column by column in bands of a few tile rows.
    constexpr size_type band_rows = 8;
    const auto band = blockIdx.x / (band_rows * num_tile_cols);
    const auto in_band = blockIdx.x % (band_rows * num_tile_cols);
    const auto rows_of_band = min(band_rows, num_tile_rows - band * band_rows);
    const auto first_row = (band * band_rows + in_band % rows_of_band) * tiles::rows;
    const auto first_col = in_band / rows_of_band * tiles::cols;
    if ((part == written_part::lower && first_col >= first_row + tiles::rows) ||
        (part == written_part::upper && first_row >= first_col + tiles::cols)) {
        return;
    }

    constexpr int group_size = tiles::lane_rows * tiles::lane_cols;
    const int group = threadIdx.x / group_size;
    const int lane = threadIdx.x % group_size;
    const int my_row =
        group / tiles::group_cols * tiles::lane_rows * tiles::thread_rows + lane / tiles::lane_cols * length;
    const int my_col =
        group % tiles::group_cols * tiles::lane_cols * tiles::thread_cols + lane % tiles::lane_cols * length;
    constexpr int row_step = tiles::lane_rows * length;
    constexpr int col_step = tiles::lane_cols * length;
    constexpr int row_chunks = tiles::thread_rows / length;
    constexpr int col_chunks = tiles::thread_cols / length;

    const auto factor = alpha ? *alpha : one<T>();
    T sums[tiles::thread_rows][tiles::thread_cols]{};
    if (!is_zero(factor) && n > 0) {
        tile_in_transit<T, tiles::rows, depth, !transposes_a> next_a;
        tile_in_transit<T, tiles::cols, depth, transposes_b> next_b;
        next_a.load(a.values, a.stride, a.is_aligned, first_row, m, 0, n);
        next_b.load(b.values, b.stride, b.is_aligned, first_col, k, 0, n);
        next_a.store(a_tiles.values[0], a.conjugates);
        next_b.store(b_tiles.values[0], b.conjugates);
        __syncthreads();
        int now = 0;
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
                    left[i] = *reinterpret_cast<const chunk<T>*>(&a_tiles.values[now][p][my_row + i * row_step]);
                }
#pragma unroll
                for (int j = 0; j < col_chunks; ++j) {
                    right[j] = *reinterpret_cast<const chunk<T>*>(&b_tiles.values[now][p][my_col + j * col_step]);
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
                next_a.store(a_tiles.values[1 - now], a.conjugates);
                next_b.store(b_tiles.values[1 - now], b.conjugates);
            }
            __syncthreads();
            now = 1 - now;
        }
    }

    const auto old_factor = beta ? *beta : T{};
#pragma unroll
    for (int i = 0; i < tiles::thread_rows; ++i) {
        const auto row = first_row + my_row + i / length * row_step + i % length;
#pragma unroll
        for (int j = 0; j < tiles::thread_cols; ++j) {
            const auto col = first_col + my_col + j / length * col_step + j % length;
            const auto is_written =
                part == written_part::all || (part == written_part::lower ? col <= row : row <= col);
            if (row < m && col < k && is_written) {
                const auto product = is_zero(factor) ? T{} : factor * sums[i][j];
                auto& result = c[row * c_stride + col];
                result = is_zero(old_factor) ? product : product + old_factor * result;
            }
        }
    }
}

/// How rows are shared out where there are too few to fill the device: each in parts, whose sums are added up afterwards.
template <typename T>
struct row_parts {
    size_type num;
    size_type size;  ///< columns of a part, a multiple of a chunk's
    T* sums;         ///< num for each entry of the result, if there is more than one part
};

/// The entry of the result for a sum.
template <typename T>
__device__ __forceinline__ void store_result(const T* alpha, const T& sum, const T* beta, T& result)
{
    const auto factor = alpha ? *alpha : one<T>();
    const auto old_factor = beta ? *beta : T{};
    const auto product = is_zero(factor) ? T{} : factor * sum;
    result = is_zero(old_factor) ? product : product + old_factor * result;
}

/// A subwarp for num_rows rows of a (or a part of them), which are read once for num_cols columns of b; what it loads of b
/// serves all of them. Its rows lie apart, so that short rows are read by the block as one piece.
template <int subwarp_size, int num_rows, int num_cols, typename T>
__global__ __launch_bounds__(default_block_size) void multiply_vectors(size_type m, size_type n, size_type k,
                                                                       const T* alpha, operand<T> a, operand<T> b,
                                                                       bool b_is_packed, const T* beta, T* c,
                                                                       size_type c_stride, row_parts<T> parts)
{
    constexpr int num_subwarps = default_block_size / subwarp_size;
    constexpr int length = chunk<T>::size;
    constexpr int steps_at_once = num_rows * num_cols > 1 ? 2 : 4;
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto part = blockIdx.x % parts.num;
    const auto first_row = blockIdx.x / parts.num * (num_subwarps * num_rows) + threadIdx.x / subwarp_size;
    if (first_row >= m) {
        return;
    }
    const auto begin = part * parts.size;
    const auto end = min(begin + parts.size, n);
    const auto end_of_chunks = a.is_aligned && begin < end ? begin + (end - begin) / length * length : begin;
    const size_type lane = subwarp.thread_rank();
    const T* rows[num_rows];
#pragma unroll
    for (int r = 0; r < num_rows; ++r) {
        rows[r] = a.values + min(first_row + r * num_subwarps, m - 1) * a.stride;
    }
    const auto is_read = !alpha || !is_zero(*alpha);
    for (size_type first_col = 0; first_col < k; first_col += num_cols) {
        T sums[num_rows][num_cols]{};
        if (is_read) {
#pragma unroll steps_at_once
            for (size_type i = begin + lane * length; i < end_of_chunks; i += subwarp_size * length) {
                chunk<T> entries[num_rows];
#pragma unroll
                for (int r = 0; r < num_rows; ++r) {
                    entries[r] = *reinterpret_cast<const chunk<T>*>(rows[r] + i);
                }
#pragma unroll
                for (int col = 0; col < num_cols; ++col) {
                    if (num_cols > 1 && first_col + col >= k) {
                        continue;
                    }
                    chunk<T> factors;
                    if (num_cols == 1 && b_is_packed) {
                        factors = *reinterpret_cast<const chunk<T>*>(b.values + i);
                    } else {
#pragma unroll
                        for (int j = 0; j < length; ++j) {
                            factors.values[j] = b.values[(i + j) * b.stride + first_col + col];
                        }
                    }
#pragma unroll
                    for (int r = 0; r < num_rows; ++r) {
#pragma unroll
                        for (int j = 0; j < length; ++j) {
                            add_product(sums[r][col], entries[r].values[j], factors.values[j]);
                        }
                    }
                }
            }
#pragma unroll steps_at_once
            for (size_type i = end_of_chunks + lane; i < end; i += subwarp_size) {
#pragma unroll
                for (int col = 0; col < num_cols; ++col) {
                    if (num_cols > 1 && first_col + col >= k) {
                        continue;
                    }
                    const auto factor = b.values[i * b.stride + first_col + col];
#pragma unroll
                    for (int r = 0; r < num_rows; ++r) {
                        add_product(sums[r][col], rows[r][i], factor);
                    }
                }
            }
        }
#pragma unroll
        for (int r = 0; r < num_rows; ++r) {
            const auto row = first_row + r * num_subwarps;
#pragma unroll
            for (int col = 0; col < num_cols; ++col) {
                const auto sum = reduce_add(subwarp, sums[r][col]);
                if (lane != 0 || row >= m || first_col + col >= k) {
                    continue;
                }
                if (parts.num == 1) {
                    store_result(alpha, sum, beta, c[row * c_stride + first_col + col]);
                } else {
                    parts.sums[(row * k + first_col + col) * parts.num + part] = sum;
                }
            }
        }
    }
}

/// Adds up the parts of each entry of the result, in an order that is always the same.
template <typename T>
__global__ __launch_bounds__(default_block_size) void add_parts(size_type num_entries, size_type k, const T* alpha,
                                                                const T* beta, T* c, size_type c_stride,
                                                                row_parts<T> parts)
{
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto entry = global_subwarp_id<warp_size>();
    if (entry >= num_entries) {
        return;
    }
    T sum{};
    for (size_type part = warp.thread_rank(); part < parts.num; part += warp_size) {
        sum += parts.sums[entry * parts.num + part];
    }
    sum = reduce_add(warp, sum);
    if (warp.thread_rank() == 0) {
        store_result(alpha, sum, beta, c[entry / k * c_stride + entry % k]);
    }
}

}  // namespace gemm_kernel

template <typename V>
gemm_kernel::operand<device_type<V>> operand_of(const Dense<V>& x, bool conjugates = false)
{
    return {as_device(x.get_const_values()), x.get_stride(), has_aligned_rows(x), conjugates};
}

/// Large tiles where there are enough of them for all multiprocessors, which a block of shared memory has to fit;
/// otherwise small ones.
template <bool transposes_a, bool transposes_b, typename V>
void run_gemm(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, bool conjugates_a, const Dense<V>& b,
              bool conjugates_b, const V* beta, Dense<V>& c, written_part part)
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
                      num_tile_rows * num_tile_cols, default_block_size, m, n, k, num_tile_rows, num_tile_cols,
                      as_device(alpha), operand_of(a, conjugates_a), operand_of(b, conjugates_b), as_device(beta),
                      as_device(c.get_values()), c.get_stride(), part);
    };
    using large_tiles = gemm_kernel::tiling<T, true>;
    static_assert(large_tiles::shared_bytes <= (48 << 10), "what every device gives to a block");
    const auto num_large_tiles = ceildiv(m, large_tiles::rows) * ceildiv(k, large_tiles::cols);
    if (num_large_tiles >= exec.get_num_multiprocessor()) {
        run(std::true_type{});
    } else {
        run(std::false_type{});
    }
}

/// For few columns, where reading a is all that counts.
constexpr size_type max_vectors = 8;

/// Rows in parts where there are too few to keep the device busy, and long enough that a second kernel is worth it.
template <typename V>
size_type num_row_parts(const DeviceExecutor& exec, size_type m, size_type num_chunks)
{
    constexpr size_type min_chunks_to_split = 64 * warp_size;
    constexpr size_type min_chunks_of_part = 8 * warp_size;
    const auto threads_to_fill =
        static_cast<size_type>(exec.get_num_multiprocessor()) * exec.get_num_warps_per_sm() * warp_size / 2;
    if (m == 0 || num_chunks < min_chunks_to_split || m * warp_size > threads_to_fill / 2) {
        return 1;
    }
    return min(static_cast<size_type>(ceildiv(threads_to_fill, m * warp_size)), num_chunks / min_chunks_of_part);
}

template <typename V>
void run_gemv(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, const Dense<V>& b, const V* beta,
              Dense<V>& c)
{
    using T = device_type<V>;
    constexpr size_type length = chunk<T>::size;
    const auto m = c.get_size()[0];
    const auto k = c.get_size()[1];
    const auto n = a.get_size()[1];
    const size_type num_chunks = ceildiv(n, length);
    const auto num_parts = num_row_parts<V>(exec, m, num_chunks);
    array<V> sums{exec.shared_from_this(), num_parts > 1 ? m * k * num_parts : 0};
    const gemm_kernel::row_parts<T> parts{num_parts, static_cast<size_type>(ceildiv(num_chunks, num_parts)) * length,
                                          as_device(sums.get_data())};
    const auto left = operand_of(a);
    const auto right = operand_of(b);
    const auto b_is_packed = b.get_stride() == 1 && is_aligned(right.values);
    select_subwarp_size(num_chunks, [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        const auto run = [&](auto kernel, int num_rows) {
            const auto rows_of_block = default_block_size / subwarp_size * num_rows;
            launch_blocks(exec, kernel, ceildiv(m, rows_of_block) * num_parts, default_block_size, m, n, k,
                          as_device(alpha), left, right, b_is_packed, as_device(beta), as_device(c.get_values()),
                          c.get_stride(), parts);
        };
        constexpr int several = 4;
        const auto threads_for_several = m * subwarp_size / several;
        if (k > 1) {
            run(gemm_kernel::multiply_vectors<subwarp_size, 1, 4, T>, 1);
        } else if (threads_for_several >= static_cast<size_type>(exec.get_num_multiprocessor()) *
                                              exec.get_num_warps_per_sm() * warp_size / 4) {
            run(gemm_kernel::multiply_vectors<subwarp_size, several, 1, T>, several);
        } else {
            run(gemm_kernel::multiply_vectors<subwarp_size, 1, 1, T>, 1);
        }
    });
    if (num_parts > 1) {
        launch(exec, gemm_kernel::add_parts<T>, m * k * warp_size, m * k, k, as_device(alpha), as_device(beta),
               as_device(c.get_values()), c.get_stride(), parts);
    }
}

}  // namespace dense
