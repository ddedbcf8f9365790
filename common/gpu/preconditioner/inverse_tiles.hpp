// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Computes rows of sparse approximate inverses whose dense systems are too large for a subwarp. The
// threads of a block form a square of width x width threads, and the registers of each contain a
// tile of the system: thread (r, c) has the entries (l width + r, m width + c) for 0 <= l, m <
// tile_size. In each step of an elimination, its owners copy a row or column to shared memory.

#include <limits>

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/pivot_search.hpp"
#include "common/unified/preconditioner/isai_rows.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace isai {

namespace kernel {

constexpr int tile_size = 8;

/// Represents the shared memory of a block. A slab contains the rows l width, ..., l width +
/// width - 1 of the system.
template <int width, typename T, typename I>
struct tiled_memory {
    using Real = remove_complex<T>;
    static constexpr int max_size = width * tile_size;

    I cols[max_size];                 ///< of the row of M
    T slab[width][max_size + width];  ///< padded, which avoids conflicts of banks
    T lines[2][max_size];             ///< rows or columns of the system, of steps with even and odd numbers
    T pivot_col[max_size];
    T pivot_rhs;
    T x[max_size];
    Real row_scales[max_size];
    Real col_scales[max_size];
    int is_scaled;
};

/// Represents the part of a thread, at first with zeros. Loops over entries are unrolled, so that
/// they are registers.
template <int width, typename T>
struct matrix_tile {
    __device__ __forceinline__ matrix_tile()
        : r{static_cast<int>(threadIdx.x) / width}, c{static_cast<int>(threadIdx.x) % width}
    {
#pragma unroll
        for (int l = 0; l < tile_size; ++l) {
#pragma unroll
            for (int k = 0; k < tile_size; ++k) {
                entries[l][k] = T{};
            }
        }
    }
    /// Selects entry k of row i. The registers of all rows are read, since an address that depends
    /// on i would move them to local memory.
    __device__ __forceinline__ T of_row(int i, int k) const
    {
        auto result = entries[0][k];
#pragma unroll
        for (int l = 1; l < tile_size; ++l) {
            result = l == i ? entries[l][k] : result;
        }
        return result;
    }
    __device__ __forceinline__ T of_col(int j, int l) const
    {
        auto result = entries[l][0];
#pragma unroll
        for (int k = 1; k < tile_size; ++k) {
            result = k == j ? entries[l][k] : result;
        }
        return result;
    }

    __device__ __forceinline__ int row(int l) const { return l * width + r; }
    __device__ __forceinline__ int col(int m) const { return m * width + c; }

    int r;
    int c;
    T entries[tile_size][tile_size];
};

/// Gathers a slab of T(S, S). Returns false if an entry of this thread is not finite.
template <int width, typename T, typename I>
__device__ __forceinline__ bool gather_slab(const isai_view<T, I>& m, int size, int slab,
                                            tiled_memory<width, T, I>& memory)
{
    const int r = threadIdx.x / width;
    const int c = threadIdx.x % width;
    __syncthreads();  // all threads have read the slab before
    for (int col = c; col < size; col += width) {
        memory.slab[r][col] = T{};
    }
    __syncthreads();
    const auto row = slab * width + r;
    auto is_finite = true;
    if (row < size) {
        const auto store = [&](I col, I nz) {
            const auto value = value_of_t(m, nz);
            memory.slab[r][col] = value;
            is_finite = is_finite && is_finite_value(value);
        };
        const auto end = static_cast<I>(size);
        const auto t_row = memory.cols[row];
        const auto t_begin = m.t_row_ptrs[t_row];
        const auto t_end = m.t_row_ptrs[t_row + 1];
        // The threads take the entries of the shorter list and search the longer one for them.
        if (t_end - t_begin <= end) {
            for (auto nz = static_cast<I>(t_begin + c); nz < t_end; nz += width) {
                const auto found = lower_bound(memory.cols, I{0}, end, m.t_cols[nz]);
                if (found < end && memory.cols[found] == m.t_cols[nz]) {
                    store(found, nz);
                }
            }
        } else {
            for (auto col = static_cast<I>(c); col < end; col += width) {
                const auto found = lower_bound(m.t_cols, t_begin, t_end, memory.cols[col]);
                if (found < t_end && m.t_cols[found] == memory.cols[col]) {
                    store(col, found);
                }
            }
        }
    }
    __syncthreads();
    return is_finite;
}

/// Gathers T(S, S) into tiles that contain zeros. Returns false if an entry is not finite.
template <int width, typename T, typename I>
__device__ __forceinline__ bool gather_tiles(const isai_view<T, I>& m, I first, int size,
                                             tiled_memory<width, T, I>& memory, matrix_tile<width, T>& tile)
{
    for (int i = threadIdx.x; i < size; i += width * width) {
        memory.cols[i] = m.cols[first + i];
    }
    __syncthreads();
    auto is_finite = true;
    for (int slab = 0; slab * width < size; ++slab) {
        is_finite = gather_slab(m, size, slab, memory) && is_finite;
#pragma unroll
        for (int l = 0; l < tile_size; ++l) {
            if (l == slab) {
#pragma unroll
                for (int k = 0; k < tile_size; ++k) {
                    if (tile.col(k) < size) {
                        tile.entries[l][k] = memory.slab[tile.r][tile.col(k)];
                    }
                }
            }
        }
    }
    return is_finite;
}

/// Replaces the lower triangle of a Hermitian matrix by the Cholesky factor without the scaling of
/// its columns: entry (i, j) of the factor is entry (i, j) of the result times the reciprocal of
/// the diagonal entry j of the factor, which is in row_scales. Returns false if a pivot is not
/// positive. Entries above the diagonal contain no results.
template <int width, typename T, typename I>
__device__ __forceinline__ bool factorize_tiles(int size, tiled_memory<width, T, I>& memory,
                                                matrix_tile<width, T>& tile)
{
    using Real = remove_complex<T>;
    for (int step = 0; step < size; ++step) {
        const auto slab = step / width;
        auto& column = memory.lines[step % 2];
        if (tile.c == step % width) {
#pragma unroll
            for (int l = 0; l < tile_size; ++l) {
                column[tile.row(l)] = tile.of_col(slab, l);
            }
        }
        __syncthreads();
        const auto pivot = real_of(column[step]);
        if (!(pivot > Real{})) {
            return false;
        }
        if (threadIdx.x == 0) {
            memory.row_scales[step] = Real{1} / sqrt_of(pivot);
        }
        const auto inverse = T(Real{1} / pivot);
#pragma unroll
        for (int k = 0; k < tile_size; ++k) {
            if (k >= slab && k * width < size) {
                const auto factor = tile.col(k) > step ? conj_of(column[tile.col(k)]) * inverse : T{};
#pragma unroll
                for (int l = 0; l < tile_size; ++l) {
                    if (l >= k && l * width < size) {
                        const auto value = tile.row(l) > step ? column[tile.row(l)] : T{};
                        tile.entries[l][k] -= value * factor;
                    }
                }
            }
        }
    }
    return true;
}

/// Solves x L = e_last for the factor L that factorize_tiles() has computed, and stores x. Returns
/// false if an unknown of this thread is not finite.
template <int width, typename T, typename I>
__device__ __forceinline__ bool substitute_tiles(int size, tiled_memory<width, T, I>& memory,
                                                 const matrix_tile<width, T>& tile, T* values)
{
    for (int i = threadIdx.x; i < size; i += width * width) {
        memory.x[i] = T{};  // sums of the products of unknowns and entries of a column
    }
    auto is_finite = true;
    for (int step = size - 1; step >= 0; --step) {
        __syncthreads();
        if (tile.r == step % width) {
            const auto inverse = T(memory.row_scales[step]);
            const auto rhs = step == size - 1 ? one<T>() : T{};
            const auto x = (rhs - memory.x[step] * inverse) * inverse;
#pragma unroll
            for (int k = 0; k < tile_size; ++k) {
                if (tile.col(k) < step) {
                    memory.x[tile.col(k)] += x * tile.of_row(step / width, k);
                }
            }
            if (tile.c == 0) {
                values[step] = x;
                is_finite = is_finite && is_finite_value(x);
            }
        }
    }
    return is_finite;
}

/// Computes the rows order[begin], order[begin + 1], ... of G for type spd, one for each block.
template <int width, typename T, typename I>
__global__ __launch_bounds__((width * width)) void factorize_rows(size_type begin, isai_view<T, I> m, T* values,
                                                                  I* bad_row)
{
    __shared__ tiled_memory<width, T, I> memory;
    const auto row = m.order[begin + blockIdx.x];
    const auto first = m.row_ptrs[row];
    const auto size = static_cast<int>(m.row_ptrs[row + 1] - first);
    matrix_tile<width, T> tile;
    auto is_solved = gather_tiles(m, first, size, memory, tile);
    if (factorize_tiles(size, memory, tile)) {  // for all threads of the block, or none
        is_solved = substitute_tiles(size, memory, tile, values + first) && is_solved;
    } else {
        is_solved = false;
    }
    if (!is_solved) {
        atomic_min(bad_row, row);
    }
}

/// Returns the largest magnitude that the threads have stored for line i, in exchange[0][i], ...,
/// exchange[width - 1][i].
template <int width, typename Real>
__device__ __forceinline__ Real largest_of_line(const Real (&exchange)[width][width * tile_size], int i)
{
    Real result{};
    for (int j = 0; j < width; ++j) {
        result = exchange[j][i] > result ? exchange[j][i] : result;
    }
    return result;
}

/// Scales the rows and columns by powers of two, with which the largest magnitude in each is about
/// 1.
template <int width, typename T, typename I>
__device__ __forceinline__ void equilibrate_tiles(int size, tiled_memory<width, T, I>& memory,
                                                  matrix_tile<width, T>& tile)
{
    using Real = remove_complex<T>;
    const int i = threadIdx.x;
    auto& exchange = reinterpret_cast<Real(&)[width][width * tile_size]>(memory.slab);
    if (i < size) {
        memory.row_scales[i] = Real{1};
        memory.col_scales[i] = Real{1};
    }
    for (int sweep = 0; sweep < max_scaling_sweeps; ++sweep) {
        Real row_maxima[tile_size] = {};
        Real col_maxima[tile_size] = {};
#pragma unroll
        for (int l = 0; l < tile_size; ++l) {
#pragma unroll
            for (int k = 0; k < tile_size; ++k) {
                const auto magnitude = abs_of(tile.entries[l][k]);
                row_maxima[l] = magnitude > row_maxima[l] ? magnitude : row_maxima[l];
                col_maxima[k] = magnitude > col_maxima[k] ? magnitude : col_maxima[k];
            }
        }
        __syncthreads();  // all threads have read is_scaled
        if (i == 0) {
            memory.is_scaled = 0;
        }
#pragma unroll
        for (int l = 0; l < tile_size; ++l) {
            exchange[tile.c][tile.row(l)] = row_maxima[l];
        }
        __syncthreads();
        const auto row_scale = i < size ? root_scale(largest_of_line<width>(exchange, i)) : Real{1};
        __syncthreads();
#pragma unroll
        for (int k = 0; k < tile_size; ++k) {
            exchange[tile.r][tile.col(k)] = col_maxima[k];
        }
        __syncthreads();
        if (i < size) {
            const auto col_scale = root_scale(largest_of_line<width>(exchange, i));
            memory.row_scales[i] *= row_scale;
            memory.col_scales[i] *= col_scale;
            memory.lines[0][i] = T(row_scale);
            memory.lines[1][i] = T(col_scale);
            if (row_scale != Real{1} || col_scale != Real{1}) {
                atomicOr(&memory.is_scaled, 1);
            }
        }
        __syncthreads();
        if (memory.is_scaled == 0) {
            return;
        }
#pragma unroll
        for (int l = 0; l < tile_size; ++l) {
#pragma unroll
            for (int k = 0; k < tile_size; ++k) {
                if (tile.row(l) < size && tile.col(k) < size) {
                    tile.entries[l][k] *= memory.lines[0][tile.row(l)] * memory.lines[1][tile.col(k)];
                }
            }
        }
    }
}

/// Returns the column with the largest magnitude that has not been the pivot. All warps of the
/// block return the same one.
/// @param was_pivot  bit j is set if column rank + j warp_size has been the pivot, where rank is
///     the rank of the thread in its warp
template <int max_size, typename T>
__device__ __forceinline__ int find_pivot_col(int size, const T* row, unsigned& was_pivot)
{
    using Real = remove_complex<T>;
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = warp.thread_rank();
    Real largest{-1};
    auto largest_col = 0;
    for (int j = 0; j * warp_size < max_size; ++j) {
        const auto col = rank + j * warp_size;
        if (col < size && (was_pivot >> j & 1u) == 0) {
            const auto magnitude = abs_of(row[col]);
            if (!(magnitude <= largest)) {  // also for NaN
                largest = magnitude;
                largest_col = col;
            }
        }
    }
    const auto pivot = warp.shfl(largest_col, find_pivot(warp, largest));
    if (pivot % warp_size == rank) {
        was_pivot |= 1u << (pivot / warp_size);
    }
    return pivot;
}

/// Computes x with x T = e_unit by Gauss-Jordan elimination with partial pivoting. Columns are not
/// exchanged. Thread j has entry j of the right-hand side.
template <int width, typename T, typename I>
__device__ __forceinline__ void eliminate_tiles(int size, int unit, tiled_memory<width, T, I>& memory,
                                                matrix_tile<width, T>& tile)
{
    const int own_col = threadIdx.x;
    auto rhs = own_col == unit ? one<T>() : T{};
    T own_inverse{};
    auto own_unknown = 0;
    unsigned was_pivot = 0;
    __syncthreads();  // all threads have read memory.lines
    for (int step = 0; step < size; ++step) {
        auto& pivot_row = memory.lines[step % 2];
        if (tile.r == step % width) {
#pragma unroll
            for (int k = 0; k < tile_size; ++k) {
                pivot_row[tile.col(k)] = tile.of_row(step / width, k);
            }
        }
        __syncthreads();
        const auto pivot = find_pivot_col<width * tile_size>(size, pivot_row, was_pivot);
        if (tile.c == pivot % width) {
#pragma unroll
            for (int l = 0; l < tile_size; ++l) {
                memory.pivot_col[tile.row(l)] = tile.of_col(pivot / width, l);
            }
        }
        if (own_col == pivot) {
            memory.pivot_rhs = rhs;
        }
        __syncthreads();
        const auto inverse = one<T>() / pivot_row[pivot];
        if (own_col == pivot) {
            own_unknown = step;
            own_inverse = inverse;
        } else if (own_col < size) {
            rhs -= pivot_row[own_col] * inverse * memory.pivot_rhs;
        }
        T factors[tile_size];
#pragma unroll
        for (int k = 0; k < tile_size; ++k) {
            factors[k] = tile.col(k) == pivot ? T{} : pivot_row[tile.col(k)] * inverse;
        }
#pragma unroll
        for (int l = 0; l < tile_size; ++l) {
            if (l >= step / width && l * width < size) {
                const auto value = tile.row(l) > step ? memory.pivot_col[tile.row(l)] : T{};
#pragma unroll
                for (int k = 0; k < tile_size; ++k) {
                    tile.entries[l][k] -= factors[k] * value;
                }
            }
        }
    }
    if (own_col < size) {
        memory.x[own_unknown] = rhs * own_inverse;
    }
    __syncthreads();
}

/// Returns the sum over the threads of column i of their values for it.
template <int width, typename T, typename I>
__device__ __forceinline__ T sum_columns(const T (&own)[tile_size], int size, tiled_memory<width, T, I>& memory,
                                         const matrix_tile<width, T>& tile)
{
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile_size; ++k) {
        memory.slab[tile.r][tile.col(k)] = own[k];
    }
    __syncthreads();
    T sum{};
    for (int r = 0; static_cast<int>(threadIdx.x) < size && r < width; ++r) {
        sum += memory.slab[r][threadIdx.x];
    }
    return sum;
}

/// Returns true if the residual of column i of the scaled system is small, where i is the number of
/// the thread.
template <int width, typename T, typename I>
__device__ __forceinline__ bool is_solved_by_tiles(const isai_view<T, I>& m, int size, int unit,
                                                   tiled_memory<width, T, I>& memory, const matrix_tile<width, T>& tile)
{
    T sums[tile_size] = {};
    T bounds[tile_size] = {};
    for (int slab = 0; slab * width < size; ++slab) {
        gather_slab(m, size, slab, memory);
        const auto row = tile.row(slab);
        if (row < size) {
#pragma unroll
            for (int k = 0; k < tile_size; ++k) {
                const auto col = tile.col(k);
                if (col < size) {
                    const auto scale = T(memory.row_scales[row] * memory.col_scales[col]);
                    const auto product = memory.x[row] * (memory.slab[tile.r][col] * scale);
                    sums[k] += product;
                    bounds[k] += T(abs_of(product));
                }
            }
        }
    }
    const int i = threadIdx.x;
    const auto sum = sum_columns(sums, size, memory, tile);
    const auto bound = sum_columns(bounds, size, memory, tile);
    return i >= size || is_small_residual((i == unit ? one<T>() : T{}) - sum, real_of(bound));
}

/// Computes the rows order[begin], order[begin + 1], ... of M for type general, one for each block.
template <int width, typename T, typename I>
__global__ __launch_bounds__((width * width)) void eliminate_rows(size_type begin, isai_view<T, I> m, T* values,
                                                                  I* bad_row)
{
    __shared__ tiled_memory<width, T, I> memory;
    const auto row = m.order[begin + blockIdx.x];
    const auto first = m.row_ptrs[row];
    const auto size = static_cast<int>(m.row_ptrs[row + 1] - first);
    matrix_tile<width, T> tile;
    auto is_solved = gather_tiles(m, first, size, memory, tile);
    const auto unit = static_cast<int>(lower_bound(memory.cols, I{0}, static_cast<I>(size), row));
    equilibrate_tiles(size, memory, tile);
    eliminate_tiles(size, unit, memory, tile);
    is_solved = is_solved_by_tiles(m, size, unit, memory, tile) && is_solved;
    for (int i = threadIdx.x; i < size; i += width * width) {
        const auto x = memory.x[i] * T(memory.row_scales[i] * memory.col_scales[unit]);
        values[first + i] = x;
        is_solved = is_solved && is_finite_value(x);
    }
    if (!is_solved) {
        atomic_min(bad_row, row);
    }
}

}  // namespace kernel

/// Computes the rows of a class whose rows have at most width * tile_size entries.
template <int width, typename T, typename I>
void launch_tiled_rows(const DeviceExecutor& exec, int row_class, const isai_view<T, I>& m, T* values, I* bad_row)
{
    const auto begin = m.class_begins[row_class];
    const auto num_rows = m.class_begins[row_class + 1] - begin;
    const auto compute =
        m.type == isai_type::spd ? kernel::factorize_rows<width, T, I> : kernel::eliminate_rows<width, T, I>;
    launch_blocks<width * width>(exec, compute, num_rows, begin, m, values, bad_row);
}

}  // namespace isai

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
