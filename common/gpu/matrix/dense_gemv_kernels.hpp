// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies a dense matrix by few vectors.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/dense_products.hpp"
#include "core/base/instantiate.hpp"
#include "core/matrix/dense_blas_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

namespace gemm_kernel {

/// Describes the parts of rows that are too few to fill the device. The sums of the parts are added
/// afterwards.
template <typename T>
struct row_parts {
    size_type num;
    size_type size;  ///< columns of a part, a multiple of a chunk's
    T* sums;         ///< num for each entry of the result; unused if num is 1
};

/// Stores a sum of a part of a row, or the entry of the result if the row has only one part.
template <typename T>
__device__ __forceinline__ void store_part(const row_parts<T>& parts, size_type part, size_type row, size_type col,
                                           size_type k, const T* alpha, const T& sum, const T* beta, T* c,
                                           size_type c_stride)
{
    if (parts.num == 1) {
        store_result(alpha, sum, beta, c[row * c_stride + col]);
    } else {
        parts.sums[(row * k + col) * parts.num + part] = sum;
    }
}

/// Multiplies num_rows rows of a, or a part of them, per subwarp by one vector. What is loaded of
/// the vector is used for all rows. The rows of a subwarp are interleaved with those of other
/// subwarps, so that the block reads short rows contiguously.
template <int subwarp_size, int num_rows, typename T>
__global__ __launch_bounds__(default_block_size) void multiply_vector(size_type m, size_type n, const T* alpha,
                                                                      operand<T> a, operand<T> b, bool b_is_packed,
                                                                      const T* beta, T* c, size_type c_stride,
                                                                      row_parts<T> parts)
{
    constexpr int num_subwarps = default_block_size / subwarp_size;
    constexpr int length = chunk<T>::size;
    [[maybe_unused]] constexpr int steps_at_once = num_rows > 1 ? 2 : 4;  // not every compiler unrolls
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
    T sums[num_rows]{};
    if (!alpha || !is_zero(*alpha)) {
#pragma unroll steps_at_once
        for (size_type i = begin + lane * length; i < end_of_chunks; i += subwarp_size * length) {
            chunk<T> factors;
            if (b_is_packed) {
                factors = *reinterpret_cast<const chunk<T>*>(b.values + i);
            } else {
#pragma unroll
                for (int j = 0; j < length; ++j) {
                    factors.values[j] = b.values[(i + j) * b.stride];
                }
            }
#pragma unroll
            for (int r = 0; r < num_rows; ++r) {
                const auto entries = *reinterpret_cast<const chunk<T>*>(rows[r] + i);
#pragma unroll
                for (int j = 0; j < length; ++j) {
                    add_product(sums[r], entries.values[j], factors.values[j]);
                }
            }
        }
#pragma unroll steps_at_once
        for (size_type i = end_of_chunks + lane; i < end; i += subwarp_size) {
            const auto factor = b.values[i * b.stride];
#pragma unroll
            for (int r = 0; r < num_rows; ++r) {
                add_product(sums[r], rows[r][i], factor);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < num_rows; ++r) {
        const auto row = first_row + r * num_subwarps;
        const auto sum = reduce_add(subwarp, sums[r]);
        if (lane == 0 && row < m) {
            store_part(parts, part, row, 0, 1, alpha, sum, beta, c, c_stride);
        }
    }
}

/// Number of rows that a subwarp of `multiply_few_vectors` multiplies at the same time. More rows
/// share the loads from shared memory, but their sums need registers (doc/tuning/dense.md).
template <int max_cols, typename T>
constexpr int rows_per_subwarp = max_cols * sizeof(T) <= 32 ? 4 : 2;

/// Multiplies rows of a, or a part of them, by up to max_cols vectors. The matrix is read once. The
/// block stages tiles of the vectors in shared memory, where a chunk of each vector is contiguous
/// (doc/tuning/dense.md). It multiplies groups of rows one after the other; if a tile has all that
/// they need of the vectors, it is staged once.
template <int subwarp_size, int max_cols, typename T>
__global__ __launch_bounds__(default_block_size) void multiply_few_vectors(size_type m, size_type n, size_type k,
                                                                           const T* alpha, operand<T> a, operand<T> b,
                                                                           const T* beta, T* c, size_type c_stride,
                                                                           row_parts<T> parts)
{
    constexpr int num_rows = rows_per_subwarp<max_cols, T>;
    constexpr int num_subwarps = default_block_size / subwarp_size;
    constexpr int rows_of_block = num_subwarps * num_rows;
    constexpr int length = chunk<T>::size;
    constexpr int tile_cols = (32 << 10) / (max_cols * static_cast<int>(sizeof(T)));
    constexpr int tile_stride = tile_cols + length;  // adjacent vectors begin in different banks
    __shared__ chunk<T> tile[max_cols * tile_stride / length];
    const auto factors = reinterpret_cast<T*>(tile);
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto part = blockIdx.x % parts.num;
    const auto first_group = static_cast<size_type>(blockIdx.x / parts.num) * rows_of_block;
    const auto begin = part * parts.size;
    const auto end = min(begin + parts.size, n);
    const int lane = subwarp.thread_rank();
    const auto tiles_end = !alpha || !is_zero(*alpha) ? end : begin;
    for (auto group = first_group; group < m; group += gridDim.x / parts.num * rows_of_block) {
        const auto is_staged = group != first_group && end - begin <= tile_cols;
        const auto first_row = group + threadIdx.x / subwarp_size;
        const T* rows[num_rows];
#pragma unroll
        for (int r = 0; r < num_rows; ++r) {
            rows[r] = a.values + min(first_row + r * num_subwarps, m - 1) * a.stride;
        }
        T sums[num_rows][max_cols]{};
        for (auto tile_begin = begin; tile_begin < tiles_end; tile_begin += tile_cols) {
            const auto width = static_cast<int>(min(static_cast<size_type>(tile_cols), tiles_end - tile_begin));
            const auto num_cols = static_cast<int>(k);
            if (!is_staged) {
                __syncthreads();  // the previous tile is still being read
                for (int i = threadIdx.x; i < width * num_cols; i += default_block_size) {
                    factors[i % num_cols * tile_stride + i / num_cols] =
                        b.values[(tile_begin + i / num_cols) * b.stride + i % num_cols];
                }
                __syncthreads();
            }
            const auto width_of_chunks = a.is_aligned ? width / length * length : 0;
#pragma unroll 2
            for (int i = lane * length; i < width_of_chunks; i += subwarp_size * length) {
                chunk<T> entries[num_rows];
#pragma unroll
                for (int r = 0; r < num_rows; ++r) {
                    entries[r] = *reinterpret_cast<const chunk<T>*>(rows[r] + tile_begin + i);
                }
#pragma unroll
                for (int col = 0; col < max_cols; ++col) {
                    const auto factor = *reinterpret_cast<const chunk<T>*>(factors + col * tile_stride + i);
#pragma unroll
                    for (int r = 0; r < num_rows; ++r) {
#pragma unroll
                        for (int j = 0; j < length; ++j) {
                            add_product(sums[r][col], entries[r].values[j], factor.values[j]);
                        }
                    }
                }
            }
            for (int i = width_of_chunks + lane; i < width; i += subwarp_size) {
#pragma unroll
                for (int col = 0; col < max_cols; ++col) {
#pragma unroll
                    for (int r = 0; r < num_rows; ++r) {
                        add_product(sums[r][col], rows[r][tile_begin + i], factors[col * tile_stride + i]);
                    }
                }
            }
        }
#pragma unroll
        for (int r = 0; r < num_rows; ++r) {
            constexpr int lanes_per_col = subwarp_size / max_cols;
            const auto row = first_row + r * num_subwarps;
            const auto sum = reduce_add_each<subwarp_size>(subwarp, sums[r]);
            const auto col = static_cast<size_type>(lane / lanes_per_col);
            if (lane % lanes_per_col == 0 && row < m && col < k) {
                store_part(parts, part, row, col, k, alpha, sum, beta, c, c_stride);
            }
        }
    }
}

/// Sums the parts of each entry of the result in a fixed order.
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

/// Returns the number of parts of a row. It is more than one if there are too few rows to fill the
/// device, and they are long enough for a second kernel.
/// @param num_threads  number of threads for rows that are not divided
/// @param min_chunks  of a part
inline size_type num_row_parts(const DeviceExecutor& exec, size_type num_threads, size_type num_chunks,
                               size_type min_chunks)
{
    constexpr size_type min_parts = 8;  // for which a divided row has room
    const auto threads_to_fill =
        static_cast<size_type>(exec.get_num_multiprocessor()) * exec.get_num_warps_per_sm() * warp_size / 2;
    if (num_threads == 0 || num_chunks < min_parts * min_chunks || num_threads > threads_to_fill / 2) {
        return 1;
    }
    return min(threads_to_fill / num_threads, num_chunks / min_chunks);
}

/// Computes c = alpha a b + beta c by run(parts), which multiplies parts of the rows of a.
/// @param num_threads, min_chunks  as in num_row_parts()
template <typename V, typename Run>
void run_in_parts(const DeviceExecutor& exec, size_type num_threads, size_type min_chunks, const V* alpha,
                  size_type num_a_cols, const V* beta, Dense<V>& c, Run run)
{
    using T = device_type<V>;
    constexpr size_type length = chunk<T>::size;
    const auto num_entries = c.get_size()[0] * c.get_size()[1];
    const size_type num_chunks = ceildiv(num_a_cols, length);
    const auto num_parts = num_row_parts(exec, num_threads, num_chunks, min_chunks);
    const auto scratch = exec.acquire_scratch(num_parts > 1 ? num_entries * num_parts * sizeof(T) : 0);
    const gemm_kernel::row_parts<T> parts{num_parts, static_cast<size_type>(ceildiv(num_chunks, num_parts)) * length,
                                          scratch.template as<T>()};
    run(parts);
    if (num_parts > 1) {
        launch(exec, gemm_kernel::add_parts<T>, num_entries * warp_size, num_entries, c.get_size()[1], as_device(alpha),
               as_device(beta), as_device(c.get_values()), c.get_stride(), parts);
    }
}

template <typename V>
void run_for_vector(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, const Dense<V>& b, const V* beta,
                    Dense<V>& c)
{
    using T = device_type<V>;
    constexpr size_type min_chunks_of_part = 8 * warp_size;
    const auto m = c.get_size()[0];
    const auto n = a.get_size()[1];
    const auto left = operand_of(a);
    const auto right = operand_of(b);
    const auto b_is_packed = b.get_stride() == 1 && is_aligned(right.values);
    run_in_parts(exec, m * warp_size, min_chunks_of_part, alpha, n, beta, c, [&](const auto& parts) {
        select_subwarp_size(ceildiv(n, chunk<T>::size), [&](auto size) {
            constexpr int subwarp_size = decltype(size)::value;
            constexpr int several = 4;
            const auto run = [&](auto kernel, int num_rows) {
                const auto rows_of_block = default_block_size / subwarp_size * num_rows;
                launch_blocks(exec, kernel, ceildiv(m, rows_of_block) * parts.num, m, n, as_device(alpha), left, right,
                              b_is_packed, as_device(beta), as_device(c.get_values()), c.get_stride(), parts);
            };
            const auto threads_for_several = m * subwarp_size / several;
            if (threads_for_several >=
                static_cast<size_type>(exec.get_num_multiprocessor()) * exec.get_num_warps_per_sm() * warp_size / 4) {
                run(gemm_kernel::multiply_vector<subwarp_size, several, T>, several);
            } else {
                run(gemm_kernel::multiply_vector<subwarp_size, 1, T>, 1);
            }
        });
    });
}

template <int max_cols, typename V>
void run_for_few(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, const Dense<V>& b, const V* beta,
                 Dense<V>& c)
{
    using T = device_type<V>;
    constexpr size_type num_lanes = warp_size / 2;
    constexpr size_type short_row = 8;  // in chunks; also the number of lanes for it
    constexpr size_type min_chunks_of_part = 2 * warp_size;
    constexpr size_type num_rows = gemm_kernel::rows_per_subwarp<max_cols, T>;
    const auto m = c.get_size()[0];
    const auto n = a.get_size()[1];
    const auto run = [&](auto size, const auto& parts) {
        constexpr auto rows_of_block = default_block_size / decltype(size)::value * num_rows;
        // Blocks stage the vectors once for several groups of rows (doc/tuning/dense.md).
        constexpr size_type groups_in_sequence = 8;
        const auto num_groups = static_cast<size_type>(ceildiv(m, rows_of_block));
        const auto num_blocks =
            std::min(num_groups, std::max(num_resident_blocks(exec), num_groups / groups_in_sequence));
        launch_blocks(exec, gemm_kernel::multiply_few_vectors<decltype(size)::value, max_cols, T>,
                      num_blocks * parts.num, m, n, c.get_size()[1], as_device(alpha), operand_of(a), operand_of(b),
                      as_device(beta), as_device(c.get_values()), c.get_stride(), parts);
    };
    const auto num_threads =
        static_cast<size_type>(ceildiv(m * num_lanes, num_rows * default_block_size)) * default_block_size;
    run_in_parts(exec, num_threads, min_chunks_of_part, alpha, n, beta, c, [&](const auto& parts) {
        if (n <= short_row * chunk<T>::size) {
            run(std::integral_constant<int, static_cast<int>(short_row)>{}, parts);
        } else {
            run(std::integral_constant<int, static_cast<int>(num_lanes)>{}, parts);
        }
    });
}

template <typename V>
void run_gemv(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, const Dense<V>& b, const V* beta,
              Dense<V>& c)
{
    const auto num_cols = c.get_size()[1];
    if (num_cols == 1) {
        run_for_vector(exec, alpha, a, b, beta, c);
    } else if (num_cols == 2) {
        run_for_few<2>(exec, alpha, a, b, beta, c);
    } else if (num_cols <= 4) {
        run_for_few<4>(exec, alpha, a, b, beta, c);
    } else {
        run_for_few<static_cast<int>(max_vectors)>(exec, alpha, a, b, beta, c);
    }
}

#define SPRUCE_RUN_GEMV(_value)                                                                                    \
    void run_gemv(const DeviceExecutor& exec, const _value* alpha, const Dense<_value>& a, const Dense<_value>& b, \
                  const _value* beta, Dense<_value>& c)
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_TYPE(SPRUCE_RUN_GEMV);

}  // namespace dense

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
