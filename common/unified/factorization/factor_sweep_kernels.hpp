// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/factorization/factor_sweep_kernels.hpp"

#include <limits>

#include "common/numeric/sorted_lists.hpp"
#include "common/unified/base/prelude.hpp"
#include "common/unified/factorization/factor_sweep_entry.hpp"
#include "core/matrix/csr_kernels.hpp"
#include SPRUCE_DEVICE_FILE(factorization, factor_sweep_rows)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace factor_sweep {

template <typename V, typename I>
sweep_view<device_type<V>, I> as_device(const sweep_view<V, I>& f)
{
    return {f.num_rows, f.num_entries, f.row_ptrs, f.rows,        f.cols,
            f.diagonal, f.col_ptrs,    f.col_rows, f.col_entries, kernels::as_device(f.a_values),
            f.sources};
}

template <typename I>
void has_long_rows(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, size_type num_entries,
                   bool& result)
{
    size_type max_length{};
    kernels::csr::compute_max_row_length<I>(exec, row_ptrs, num_rows, max_length);
    result = max_length > max_whole_row(num_rows, num_entries);
}

template <typename V, typename I>
void start(const DeviceExecutor& exec, const sweep_view<V, I>& view, bool is_hermitian, V* values)
{
    using T = device_type<V>;
    using Real = remove_complex<V>;
    run_for_each(
        exec, view.num_entries,
        [is_hermitian, f = as_device(view), values = kernels::as_device(values)] SPRUCE_KERNEL_LAMBDA(size_type nz) {
            const auto value = value_of_a(f, nz);
            if (is_hermitian) {
                const auto pivot = real_of(value_of_a(f, f.diagonal[f.cols[nz]]));
                const auto root = pivot > Real{} ? sqrt_of(pivot) : Real{1};
                values[nz] = f.rows[nz] == f.cols[nz] ? T(root) : value / T(root);
            } else {
                values[nz] = value;
            }
        });
}

/// Performs a sweep of the entries of L + U in rows of more than max_whole_row entries. Requires
/// the entries by columns.
template <typename V, typename I>
void sweep_long_rows(const DeviceExecutor& exec, const sweep_view<V, I>& view, size_type max_whole_row,
                     remove_complex<V> omega, const V* values, V* next, remove_complex<V>* squared_norm,
                     const Reduction& reduction)
{
    using T = device_type<V>;
    using Real = remove_complex<V>;
    run_sum_columns<Real>(
        exec, view.num_entries, 1, reduction,
        [omega, max_whole_row, f = as_device(view), values = kernels::as_device(values),
         next = kernels::as_device(next)] SPRUCE_KERNEL_LAMBDA(size_type nz, size_type) {
            const auto row = f.rows[nz];
            if (static_cast<size_type>(f.row_ptrs[row + 1] - f.row_ptrs[row]) <= max_whole_row) {
                return Real{};
            }
            const auto col = f.cols[nz];
            checked_sum<T> sum{value_of_a(f, nz)};
            // The entries of row i before column min(i, j), and those of column j.
            auto left = f.row_ptrs[row];
            const auto left_end = row > col ? static_cast<I>(nz) : f.diagonal[row];
            auto right = f.col_ptrs[col];
            while (find_common(f.cols, left, left_end, f.col_rows, right, f.col_ptrs[col + 1])) {
                sum.subtract(values[left++] * values[f.col_entries[right++]]);
            }
            return update_entry(f, nz, row > col, sum, omega, values, next);
        },
        [squared_norm] SPRUCE_KERNEL_LAMBDA(size_type, const Real& sum) { *squared_norm = sum; });
}

template <typename V, typename I>
void sweep_lu(const DeviceExecutor& exec, const sweep_view<V, I>& f, remove_complex<V> omega, const V* values, V* next,
              remove_complex<V>* row_norms, remove_complex<V>* squared_norm, const Reduction& reduction)
{
    using Real = remove_complex<V>;
    const auto has_long_rows = f.col_ptrs != nullptr;
    if (has_long_rows) {
        sweep_long_rows(exec, f, max_whole_row(f.num_rows, f.num_entries), omega, values, next, squared_norm,
                        reduction);
    }
    sweep_rows(exec, as_device(f), omega, kernels::as_device(values), kernels::as_device(next), row_norms);
    run_sum_columns<Real>(
        exec, f.num_rows, 1, reduction,
        [row_norms] SPRUCE_KERNEL_LAMBDA(size_type row, size_type) { return row_norms[row]; },
        [has_long_rows, squared_norm] SPRUCE_KERNEL_LAMBDA(size_type, const Real& sum) {
            *squared_norm = has_long_rows ? *squared_norm + sum : sum;
        });
}

template <typename V, typename I>
void divide_by_pivots(const DeviceExecutor& exec, const sweep_view<V, I>& view, V* values)
{
    run_for_each(exec, view.num_entries,
                 [f = as_device(view), values = kernels::as_device(values)] SPRUCE_KERNEL_LAMBDA(size_type nz) {
                     if (f.rows[nz] > f.cols[nz]) {
                         const auto pivot = values[f.diagonal[f.cols[nz]]];
                         if (!is_zero(pivot)) {
                             values[nz] = values[nz] / pivot;
                         }
                     }
                 });
}

template <typename V, typename I>
void sweep_cholesky(const DeviceExecutor& exec, const sweep_view<V, I>& view, remove_complex<V> omega, const V* values,
                    V* next, remove_complex<V>* squared_norm, const Reduction& reduction)
{
    using T = device_type<V>;
    using Real = remove_complex<V>;
    run_sum_columns<Real>(
        exec, view.num_entries, 1, reduction,
        [omega, infinity = std::numeric_limits<Real>::infinity(), f = as_device(view),
         values = kernels::as_device(values),
         next = kernels::as_device(next)] SPRUCE_KERNEL_LAMBDA(size_type nz, size_type) {
            const auto row = f.rows[nz];
            const auto col = f.cols[nz];
            const auto a = value_of_a(f, nz);
            checked_sum<T> sum{row == col ? T(real_of(a)) : a};
            // The entries of rows i and j before column j.
            auto left = f.row_ptrs[row];
            auto right = f.row_ptrs[col];
            while (find_common(f.cols, left, static_cast<I>(nz), f.cols, right, f.diagonal[col])) {
                sum.subtract(values[left++] * conj_of(values[right++]));
            }
            if (row == col) {
                if (!(real_of(sum.value) > Real{})) {
                    next[nz] = values[nz];
                    return infinity;
                }
                next[nz] = damp(omega, T(sqrt_of(real_of(sum.value))), values[nz]);
                sum.subtract(values[nz] * values[nz]);
            } else {
                const auto pivot = values[f.diagonal[col]];
                next[nz] = damp(omega, sum.value / pivot, values[nz]);
                sum.subtract(values[nz] * pivot);
            }
            return sum.squared_ratio();
        },
        [squared_norm] SPRUCE_KERNEL_LAMBDA(size_type, const Real& sum) { *squared_norm = sum; });
}

}  // namespace factor_sweep

void register_factor_sweep()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = DeviceExecutor;
        kernels::factor_sweep::start<V, I>.template set<E>(&factor_sweep::start<V, I>);
        kernels::factor_sweep::sweep_lu<V, I>.template set<E>(&factor_sweep::sweep_lu<V, I>);
        kernels::factor_sweep::divide_by_pivots<V, I>.template set<E>(&factor_sweep::divide_by_pivots<V, I>);
        kernels::factor_sweep::sweep_cholesky<V, I>.template set<E>(&factor_sweep::sweep_cholesky<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::factor_sweep::has_long_rows<I>.template set<DeviceExecutor>(&factor_sweep::has_long_rows<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
