// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Computes rows of sparse approximate inverses. A subwarp gathers the dense system of a short row
// in shared memory, with a row of the system for each lane; inverse_tiles.hpp computes longer ones.
// A warp substitutes a long row of the inverse of a triangle entry by entry, and its lanes share
// the entries of each row of the triangle.

#include <algorithm>
#include <limits>

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/pivot_search.hpp"
#include "common/gpu/preconditioner/inverse_tiles.hpp"
#include "common/unified/preconditioner/isai_rows.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace isai {

namespace kernel {

/// Views a dense system in shared memory. The distance between rows is odd, which avoids bank
/// conflicts.
template <int subwarp_size, typename T>
struct dense_system {
    static constexpr int stride = subwarp_size + 1;
    static constexpr int num_entries = subwarp_size * stride;
    __device__ __forceinline__ T& operator()(int row, int col) const { return entries[row * stride + col]; }

    T* entries;
};

/// Number of subwarps of a block. Their systems need at most 40 KiB of shared memory.
template <int subwarp_size, typename T>
constexpr int num_systems = [] {
    auto result = default_block_size / subwarp_size;
    while (result > 1 && result * dense_system<subwarp_size, T>::num_entries * sizeof(T) > 40 * 1024) {
        result /= 2;
    }
    return result;
}();

/// Gathers T(S, S), one row for each lane. Returns false if it is not finite.
template <typename Subwarp, int subwarp_size, typename T, typename I>
__device__ __forceinline__ bool gather(const Subwarp& subwarp, const isai_view<T, I>& m, I begin, int size,
                                       const dense_system<subwarp_size, T>& t)
{
    const auto rank = subwarp.thread_rank();
    if (rank >= size) {
        return true;
    }
    auto is_finite = true;
    for (int col = 0; col < size; ++col) {
        t(rank, col) = T{};
    }
    const auto t_row = m.cols[begin + rank];
    for_each_common(m, m.t_row_ptrs[t_row], m.t_row_ptrs[t_row + 1], begin, static_cast<I>(begin + size),
                    [&](I nz, const T& value) {
                        t(rank, static_cast<int>(nz - begin)) = value;
                        is_finite = is_finite && is_finite_value(value);
                    });
    return is_finite;
}

/// Solves x T = e_i for a triangle T, where i is the last row of a lower and the first row of an
/// upper triangle. Returns the unknown of the lane.
/// @param inverse  the reciprocal of the diagonal entry of the lane
template <typename Subwarp, int subwarp_size, typename T>
__device__ __forceinline__ T substitute(const Subwarp& subwarp, bool is_lower, int size,
                                        const dense_system<subwarp_size, T>& t, const T& inverse)
{
    const auto rank = subwarp.thread_rank();
    auto x = rank == (is_lower ? size - 1 : 0) ? one<T>() : T{};
    for (int step = 0; step < size; ++step) {
        const auto row = is_lower ? size - 1 - step : step;
        const auto solved = subwarp.shfl(x * inverse, row);
        if (rank == row) {
            x = solved;
        } else if (is_lower ? rank < row : (rank > row && rank < size)) {
            x -= solved * t(row, rank);
        }
    }
    return x;
}

/// Replaces the lower triangle of a Hermitian matrix by its Cholesky factor, whose diagonal is not
/// stored. Returns the reciprocal of the diagonal entry of the lane, or NaN if it is not positive.
template <typename Subwarp, int subwarp_size, typename T>
__device__ __forceinline__ T factorize(const Subwarp& subwarp, int size, const dense_system<subwarp_size, T>& t)
{
    using Real = remove_complex<T>;
    const auto rank = subwarp.thread_rank();
    T result{};
    for (int col = 0; col < size; ++col) {
        const auto pivot = real_of(t(col, col));
        const auto inverse = T(pivot > Real{} ? Real{1} / sqrt_of(pivot) : std::numeric_limits<Real>::quiet_NaN());
        const auto is_below = rank > col && rank < size;
        T factor{};
        if (rank == col) {
            result = inverse;
        } else if (is_below) {
            factor = t(rank, col) * inverse;
            t(rank, col) = factor;
        }
        subwarp.sync();
        if (is_below) {
            for (int j = col + 1; j <= rank; ++j) {
                t(rank, j) -= factor * conj_of(t(j, col));
            }
        }
        subwarp.sync();
    }
    return result;
}

/// Solves x T = e_unit by Gauss-Jordan elimination with partial pivoting. A lane has a column of T
/// and an entry of the right-hand side. Columns are not exchanged. Returns an unknown for each
/// lane.
/// @param index  becomes the number of this unknown, or -1 if the lane has none
template <typename Subwarp, int subwarp_size, typename T>
__device__ __forceinline__ T solve_general(const Subwarp& subwarp, int size, int unit,
                                           const dense_system<subwarp_size, T>& t, int& index)
{
    const auto rank = subwarp.thread_rank();
    auto rhs = rank == unit ? one<T>() : T{};
    T own_inverse{};
    index = -1;
    for (int step = 0; step < size; ++step) {
        const auto is_candidate = rank < size && index < 0;
        const auto pivot =
            find_pivot(subwarp, is_candidate ? abs_of(t(step, rank)) : static_cast<remove_complex<T>>(-1));
        const auto inverse = one<T>() / t(step, pivot);
        const auto pivot_rhs = subwarp.shfl(rhs, pivot);
        if (rank == pivot) {
            index = step;
            own_inverse = inverse;
        } else if (rank < size) {
            const auto factor = t(step, rank) * inverse;
            for (int row = step + 1; row < size; ++row) {
                t(row, rank) -= factor * t(row, pivot);
            }
            rhs -= factor * pivot_rhs;
        }
        subwarp.sync();
    }
    return rhs * own_inverse;
}

/// Computes the rows order[begin], ..., order[end - 1] of M, which have at most subwarp_size
/// entries.
template <int subwarp_size, typename T, typename I>
__global__ __launch_bounds__((num_systems<subwarp_size, T> * subwarp_size)) void solve_dense_rows(size_type begin,
                                                                                                  size_type end,
                                                                                                  isai_view<T, I> m,
                                                                                                  T* values, I* bad_row)
{
    using system = dense_system<subwarp_size, T>;
    __shared__ T memory[num_systems<subwarp_size, T> * system::num_entries];
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto position = begin + global_subwarp_id<subwarp_size>();
    if (position >= end) {
        return;
    }
    const system t{memory + threadIdx.x / subwarp_size * system::num_entries};
    const auto row = m.order[position];
    const auto first = m.row_ptrs[row];
    const auto size = static_cast<int>(m.row_ptrs[row + 1] - first);
    const auto rank = subwarp.thread_rank();
    auto is_finite = gather(subwarp, m, first, size, t);
    subwarp.sync();
    auto index = rank < size ? rank : -1;
    auto has_zero = false;
    T x{};
    if (m.type == isai_type::general) {
        const auto unit = static_cast<int>(lower_bound(m.cols, first, static_cast<I>(first + size), row) - first);
        x = solve_general(subwarp, size, unit, t, index);
    } else if (m.type == isai_type::spd) {
        const auto inverse = factorize(subwarp, size, t);
        x = substitute(subwarp, true, size, t, inverse);
    } else {
        const auto pivot = rank < size ? t(rank, rank) : one<T>();
        if (is_zero(pivot)) {
            has_zero = true;
            atomic_min(bad_row, m.cols[first + rank]);
        }
        x = substitute(subwarp, m.type == isai_type::lower, size, t, one<T>() / pivot);
    }
    if (index >= 0) {
        values[first + index] = x;
        is_finite = is_finite && is_finite_value(x);
    }
    if (!subwarp.any(has_zero) && !is_finite) {
        atomic_min(bad_row, row);
    }
}

/// Computes the rows order[begin], ..., order[end - 1] of the inverse of a triangle by
/// substitution, one row for each warp.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void substitute_rows(size_type begin, size_type end, isai_view<T, I> m,
                                                                      T* values, I* bad_row)
{
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto position = begin + global_subwarp_id<warp_size>();
    if (position >= end) {
        return;
    }
    const auto row = m.order[position];
    const auto first = m.row_ptrs[row];
    const auto last = m.row_ptrs[row + 1];
    const auto rank = static_cast<I>(warp.thread_rank());
    const auto unit = m.type == isai_type::lower ? last - 1 : first;
    for (auto nz = first + rank; nz < last; nz += warp_size) {
        values[nz] = nz == unit ? one<T>() : T{};
    }
    warp.sync();
    auto is_finite = true;
    auto has_zero = false;
    for (I i = 0; i < last - first; ++i) {
        const auto step = describe_step(m, first, last, i);
        const auto pivot = value_of_t(m, step.pivot);
        const auto value = values[step.unknown] / pivot;
        is_finite = is_finite && is_finite_value(pivot) && is_finite_value(value);
        if (is_zero(pivot)) {
            has_zero = true;
            atomic_min(bad_row, step.t_row);
        }
        if (!is_zero(value)) {  // in all lanes
            // The lanes take the entries of the shorter list and search the longer one for them.
            if (step.t_end - step.t_begin <= step.end - step.begin) {
                for (auto nz = step.t_begin + rank; nz < step.t_end; nz += warp_size) {
                    const auto found = lower_bound(m.cols, step.begin, step.end, m.t_cols[nz]);
                    if (found < step.end && m.cols[found] == m.t_cols[nz]) {
                        values[found] -= value * value_of_t(m, nz);
                    }
                }
            } else {
                for (auto nz = step.begin + rank; nz < step.end; nz += warp_size) {
                    const auto found = lower_bound(m.t_cols, step.t_begin, step.t_end, m.cols[nz]);
                    if (found < step.t_end && m.t_cols[found] == m.cols[nz]) {
                        values[nz] -= value * value_of_t(m, found);
                    }
                }
            }
        }
        warp.sync();
        if (rank == 0) {
            values[step.unknown] = value;
        }
    }
    if (!has_zero && !is_finite) {
        atomic_min(bad_row, row);
    }
}

}  // namespace kernel

/// Computes the rows of a class and of the classes with longer rows.
template <int row_class, typename T, typename I>
void launch_dense_rows(const DeviceExecutor& exec, const isai_view<T, I>& m, T* values, I* bad_row)
{
    if constexpr (row_class < num_subwarp_classes) {
        constexpr int subwarp_size = max_row_of_first_class << row_class;
        constexpr int per_block = kernel::num_systems<subwarp_size, T>;
        const auto begin = m.class_begins[row_class];
        const auto end = m.class_begins[row_class + 1];
        launch_blocks<per_block * subwarp_size>(exec, kernel::solve_dense_rows<subwarp_size, T, I>,
                                                (end - begin + per_block - 1) / per_block, begin, end, m, values,
                                                bad_row);
        launch_dense_rows<row_class + 1>(exec, m, values, bad_row);
    } else if constexpr (row_class < num_dense_classes) {
        constexpr int width = (max_row_of_first_class << row_class) / kernel::tile_size;
        launch_tiled_rows<width>(exec, row_class, m, values, bad_row);
        launch_dense_rows<row_class + 1>(exec, m, values, bad_row);
    }
}

template <typename V, typename I>
void compute_rows(const DeviceExecutor& exec, const isai_view<V, I>& m, array<V>&, V* values, I* bad_row)
{
    const auto view = device_view_of(m);
    launch_dense_rows<0>(exec, view, as_device(values), bad_row);
    const auto begin = m.class_begins[substituted_class];
    const auto end = m.class_begins[substituted_class + 1];
    launch(exec, kernel::substitute_rows<device_type<V>, I>, (end - begin) * warp_size, begin, end, view,
           as_device(values), bad_row);
}

}  // namespace isai

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
