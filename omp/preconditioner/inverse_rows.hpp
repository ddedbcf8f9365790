// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <limits>

#include <omp.h>

#include "common/unified/preconditioner/isai_rows.hpp"
#include "omp/base/prelude.hpp"

namespace spruce::kernels::omp {

namespace isai {

/// Views T(S, S) of a row, and later its factors.
template <typename T>
struct dense_system {
    T* operator[](int row) const { return entries + row * stride; }

    T* entries;
    int stride;
};

/// Computes a row of the inverse of a triangle by substitution. Returns false if it is not finite
/// for another reason than a zero on the diagonal, which is reported in bad_row.
template <typename T, typename I>
bool substitute_row(const isai_view<T, I>& m, I row, T* values, I* bad_row)
{
    const auto begin = m.row_ptrs[row];
    const auto end = m.row_ptrs[row + 1];
    std::fill(values + begin, values + end, T{});
    values[m.type == isai_type::lower ? end - 1 : begin] = one<T>();
    auto is_finite = true;
    auto has_zero = false;
    for (I i = 0; i < end - begin; ++i) {
        const auto step = describe_step(m, begin, end, i);
        const auto pivot = value_of_t(m, step.pivot);
        if (is_zero(pivot)) {
            has_zero = true;
            atomic_min(bad_row, step.t_row);
        }
        const auto value = values[step.unknown] / pivot;
        values[step.unknown] = value;
        is_finite = is_finite && is_finite_value(pivot) && is_finite_value(value);
        if (!is_zero(value)) {
            for_each_common(m, step.t_begin, step.t_end, step.begin, step.end,
                            [&](I nz, const T& t) { values[nz] -= value * t; });
        }
    }
    return has_zero || is_finite;
}

/// Gathers T(S, S), or its lower triangle for type spd. Returns false if it is not finite.
template <typename T, typename I>
bool gather(const isai_view<T, I>& m, I begin, I end, const dense_system<T>& t)
{
    auto is_finite = true;
    for (I i = 0; i < end - begin; ++i) {
        std::fill(t[i], t[i] + (end - begin), T{});
        const auto t_row = m.cols[begin + i];
        for_each_common(m, m.t_row_ptrs[t_row], m.t_row_ptrs[t_row + 1], begin, end, [&](I nz, const T& value) {
            t[i][nz - begin] = value;
            is_finite = is_finite && is_finite_value(value);
        });
    }
    return is_finite;
}

/// Contains factors of the rows and columns of a system.
template <typename Real>
struct system_scales {
    Real rows[max_dense_row];
    Real cols[max_dense_row];
};

/// Scales the rows and columns of T by powers of two, with which the largest magnitude in each is
/// about 1.
template <typename T>
void equilibrate(const dense_system<T>& t, int size, system_scales<remove_complex<T>>& scales)
{
    using Real = remove_complex<T>;
    std::fill_n(scales.rows, size, Real{1});
    std::fill_n(scales.cols, size, Real{1});
    for (int sweep = 0; sweep < max_scaling_sweeps; ++sweep) {
        Real row_scales[max_dense_row];
        Real col_scales[max_dense_row] = {};
        for (int row = 0; row < size; ++row) {
            Real largest{};
            for (int col = 0; col < size; ++col) {
                const auto magnitude = abs_of(t[row][col]);
                largest = magnitude > largest ? magnitude : largest;
                col_scales[col] = magnitude > col_scales[col] ? magnitude : col_scales[col];
            }
            row_scales[row] = root_scale(largest);
        }
        auto is_scaled = false;
        for (int i = 0; i < size; ++i) {
            col_scales[i] = root_scale(col_scales[i]);
            is_scaled = is_scaled || row_scales[i] != Real{1} || col_scales[i] != Real{1};
        }
        if (!is_scaled) {
            return;
        }
        for (int row = 0; row < size; ++row) {
            for (int col = 0; col < size; ++col) {
                t[row][col] *= T(row_scales[row] * col_scales[col]);
            }
            scales.rows[row] *= row_scales[row];
            scales.cols[row] *= col_scales[row];
        }
    }
}

/// Solves x T = e_unit by elimination of columns with partial pivoting. Columns are not exchanged.
template <typename T>
void solve_general(const dense_system<T>& t, int size, int unit, T* x)
{
    int pivots[max_dense_row];
    bool was_pivot[max_dense_row] = {};
    T rhs[max_dense_row] = {};
    rhs[unit] = one<T>();
    for (int step = 0; step < size; ++step) {
        auto pivot = -1;
        for (int col = 0; col < size; ++col) {
            if (!was_pivot[col] && (pivot < 0 || abs_of(t[step][col]) > abs_of(t[step][pivot]))) {
                pivot = col;
            }
        }
        pivots[step] = pivot;
        was_pivot[pivot] = true;
        T factors[max_dense_row];
        for (int col = 0; col < size; ++col) {
            factors[col] = was_pivot[col] ? T{} : t[step][col] / t[step][pivot];
            rhs[col] -= factors[col] * rhs[pivot];
        }
        for (int row = step + 1; row < size; ++row) {
            const auto values = t[row];
            const auto value = values[pivot];
#pragma omp simd
            for (int col = 0; col < size; ++col) {
                values[col] = values[col] - factors[col] * value;
            }
        }
    }
    for (int step = size - 1; step >= 0; --step) {
        auto sum = rhs[pivots[step]];
        for (int row = step + 1; row < size; ++row) {
            sum -= x[row] * t[row][pivots[step]];
        }
        x[step] = sum / t[step][pivots[step]];
    }
}

/// Solves x T = e_unit in the scaled system. Returns false if the residual is too large.
/// @param t  contains T(S, S), which the function overwrites
template <typename T, typename I>
bool solve_scaled(const isai_view<T, I>& m, I begin, I end, const dense_system<T>& t, int unit, T* x)
{
    using Real = remove_complex<T>;
    const auto size = static_cast<int>(end - begin);
    system_scales<Real> scales;
    equilibrate(t, size, scales);
    solve_general(t, size, unit, x);
    T residuals[max_dense_row] = {};
    Real bounds[max_dense_row] = {};
    residuals[unit] = one<T>();
    for (int row = 0; row < size; ++row) {
        const auto t_row = m.cols[begin + row];
        for_each_common(m, m.t_row_ptrs[t_row], m.t_row_ptrs[t_row + 1], begin, end, [&](I nz, const T& value) {
            const auto col = static_cast<int>(nz - begin);
            const auto product = x[row] * (value * T(scales.rows[row] * scales.cols[col]));
            residuals[col] -= product;
            bounds[col] += abs_of(product);
        });
        x[row] *= T(scales.rows[row] * scales.cols[unit]);
    }
    auto is_solved = true;
    for (int col = 0; col < size; ++col) {
        is_solved = is_solved && is_small_residual(residuals[col], bounds[col]);
    }
    return is_solved;
}

/// Computes x with x L = e_last, where L is the Cholesky factor of a Hermitian matrix. The factor
/// replaces the lower triangle of the matrix. If a pivot is not positive, x contains NaN.
template <typename T>
void solve_definite(const dense_system<T>& t, int size, T* x)
{
    using Real = remove_complex<T>;
    T inverses[max_dense_row];
    for (int step = 0; step < size; ++step) {
        const auto pivot = real_of(t[step][step]);
        inverses[step] = T(pivot > Real{} ? Real{1} / sqrt_of(pivot) : std::numeric_limits<Real>::quiet_NaN());
        T conjugates[max_dense_row];  // of this column of L
        for (int row = step + 1; row < size; ++row) {
            const auto values = t[row];
            const auto factor = values[step] * inverses[step];
            values[step] = factor;
            conjugates[row] = conj_of(factor);
#pragma omp simd
            for (int col = step + 1; col <= row; ++col) {
                values[col] = values[col] - factor * conjugates[col];
            }
        }
    }
    std::fill_n(x, size, T{});
    x[size - 1] = one<T>();
    for (int row = size - 1; row >= 0; --row) {
        const auto values = t[row];
        const auto solved = x[row] * inverses[row];
        x[row] = solved;
#pragma omp simd
        for (int col = 0; col < row; ++col) {
            x[col] = x[col] - solved * values[col];
        }
    }
}

/// Computes a row of M, or of G, from its dense system. Returns false if either is not finite.
/// @param memory  for the entries of the system
template <typename T, typename I>
bool solve_dense_row(const isai_view<T, I>& m, I row, T* memory, T* values)
{
    const auto begin = m.row_ptrs[row];
    const auto end = m.row_ptrs[row + 1];
    const auto size = static_cast<int>(end - begin);
    const dense_system<T> t{memory, size};
    auto is_solved = gather(m, begin, end, t);
    if (m.type == isai_type::spd) {
        solve_definite(t, size, values + begin);
    } else {
        const auto unit = static_cast<int>(lower_bound(m.cols, begin, end, row) - begin);
        if (size <= max_subwarp_row) {
            solve_general(t, size, unit, values + begin);
        } else {
            is_solved = solve_scaled(m, begin, end, t, unit, values + begin) && is_solved;
        }
    }
    for (auto nz = begin; nz < end; ++nz) {
        is_solved = is_solved && is_finite_value(values[nz]);
    }
    return is_solved;
}

/// Computes the rows of the classes begin, ..., end - 1. Threads take rows_at_once rows at a time.
/// All threads of a parallel region call it.
/// @param memory  of this thread, for the longest dense system
template <typename T, typename I>
void compute_classes(const isai_view<T, I>& m, int begin, int end, int rows_at_once, T* memory, T* values, I* bad_row)
{
#pragma omp for schedule(dynamic, rows_at_once) nowait
    for (size_type i = m.class_begins[begin]; i < m.class_begins[end]; ++i) {
        const auto row = m.order[i];
        const auto is_solved =
            is_triangular(m.type) ? substitute_row(m, row, values, bad_row) : solve_dense_row(m, row, memory, values);
        if (!is_solved) {
            atomic_min(bad_row, row);
        }
    }
}

template <typename V, typename I>
void compute_rows(const DeviceExecutor&, const isai_view<V, I>& m, array<V>& workspace, V* values, I* bad_row)
{
    constexpr int rows_at_once = 64;
    const auto view = device_view_of(m);
    const auto device_values = as_device(values);
    const auto has_long_rows = m.class_begins[num_subwarp_classes] < m.class_begins[substituted_class];
    const auto longest = static_cast<size_type>(has_long_rows ? max_dense_row : max_subwarp_row);
    const auto memory_per_thread = is_triangular(m.type) ? 0 : longest * longest;
    const auto num_threads = static_cast<size_type>(omp_get_max_threads());
    if (workspace.get_size() < num_threads * memory_per_thread) {
        workspace.resize_and_reset(num_threads * memory_per_thread);
    }
    const auto memory = as_device(workspace.get_data());
#pragma omp parallel
    {
        const auto memory_of_thread = memory + omp_get_thread_num() * memory_per_thread;
        compute_classes(view, num_subwarp_classes, substituted_class + 1, 1, memory_of_thread, device_values, bad_row);
        compute_classes(view, 0, num_subwarp_classes, rows_at_once, memory_of_thread, device_values, bad_row);
    }
}

}  // namespace isai

}  // namespace spruce::kernels::omp
