// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/factorization/factor_pattern_kernels.hpp"

#include <algorithm>

#include "common/numeric/partition_point.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace factor_pattern {

using factorization::detail::matrix_part;

/// Writes the first row with an entry nz for which is_wrong(row, nz) is true.
template <typename V, typename I, typename Function>
void find_first_row(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, I* first, Function is_wrong)
{
    run_for_each_nonzero(exec, a.get_const_row_ptrs(), a.get_size()[0], a.get_num_stored_elements(),
                         [is_wrong, first] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             if (is_wrong(row, nz)) {
                                 atomic_min(first, static_cast<I>(row));
                             }
                         });
}

template <typename V, typename I>
void find_unsorted_row(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, I* row)
{
    find_first_row(exec, a, row,
                   [row_ptrs = a.get_const_row_ptrs(), cols = a.get_const_col_idxs()] SPRUCE_KERNEL_LAMBDA(
                       size_type row, size_type nz) {
                       return nz > static_cast<size_type>(row_ptrs[row]) && cols[nz - 1] >= cols[nz];
                   });
}

template <typename V, typename I>
void locate_sorted(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, const matrix::Csr<V, I>& c, I* sources)
{
    run_for_each_nonzero(exec, c.get_const_row_ptrs(), c.get_size()[0], c.get_num_stored_elements(),
                         [sources, row_ptrs = a.get_const_row_ptrs(), a_cols = a.get_const_col_idxs(),
                          c_cols = c.get_const_col_idxs()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             const auto col = c_cols[nz];
                             const auto found = lower_bound(a_cols, row_ptrs[row], row_ptrs[row + 1], col);
                             sources[nz] = found < row_ptrs[row + 1] && a_cols[found] == col ? found : I{-1};
                         });
}

template <typename V, typename I>
void locate(const DeviceExecutor& exec, const matrix::csr::lookup_view<I>& a, const matrix::Csr<V, I>& c, I* sources)
{
    run_for_each_nonzero(exec, c.get_const_row_ptrs(), c.get_size()[0], c.get_num_stored_elements(),
                         [=, cols = c.get_const_col_idxs()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             const auto found = a.find(row, cols[nz]);
                             sources[nz] = found < 0 ? found : a.row_ptrs[row] + found;
                         });
}

template <typename V, typename I>
void find_changed_row(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, const matrix::Csr<V, I>& c,
                      const I* sources, matrix_part part, I* row)
{
    if (!sources) {
        run_for_each(exec, a.get_size()[0],
                     [row, row_ptrs = a.get_const_row_ptrs(),
                      c_row_ptrs = c.get_const_row_ptrs()] SPRUCE_KERNEL_LAMBDA(size_type i) {
                         if (row_ptrs[i + 1] != c_row_ptrs[i + 1]) {
                             atomic_min(row, static_cast<I>(i));
                         }
                     });
        // Only the rows of different columns are searched. The arrays may have more elements than
        // there are entries.
        run_for_each(
            exec, std::min(a.get_num_stored_elements(), c.get_num_stored_elements()),
            [row, num_rows = a.get_size()[0], row_ptrs = c.get_const_row_ptrs(), a_cols = a.get_const_col_idxs(),
             c_cols = c.get_const_col_idxs()] SPRUCE_KERNEL_LAMBDA(size_type nz) {
                if (a_cols[nz] != c_cols[nz] && nz < static_cast<size_type>(row_ptrs[num_rows])) {
                    const auto end = lower_bound(row_ptrs, size_type{}, num_rows, static_cast<I>(nz + 1));
                    atomic_min(row, static_cast<I>(end - 1));
                }
            });
    } else {
        find_first_row(exec, c, row,
                       [sources, row_ptrs = a.get_const_row_ptrs(), a_cols = a.get_const_col_idxs(),
                        c_cols = c.get_const_col_idxs()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                           const auto source = sources[nz];
                           return source >= 0 && (source < row_ptrs[row] || source >= row_ptrs[row + 1] ||
                                                  a_cols[source] != c_cols[nz]);
                       });
        // Each entry of a that is not ignored is the source of an entry of c.
        find_first_row(exec, a, row,
                       [sources, part, a_cols = a.get_const_col_idxs(), c_row_ptrs = c.get_const_row_ptrs(),
                        c_cols = c.get_const_col_idxs()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                           const auto col = a_cols[nz];
                           const auto is_outside =
                               part == matrix_part::lower_triangle   ? static_cast<size_type>(col) > row
                               : part == matrix_part::upper_triangle ? static_cast<size_type>(col) < row
                                                                     : false;
                           if (is_outside) {
                               return false;
                           }
                           const auto found = lower_bound(c_cols, c_row_ptrs[row], c_row_ptrs[row + 1], col);
                           return found == c_row_ptrs[row + 1] || sources[found] != static_cast<I>(nz);
                       });
    }
}

template <typename V, typename I>
void count_in_triangle(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, const I* diagonal, bool upper, I* counts)
{
    run_for_each(exec, a.get_size()[0], [=, row_ptrs = a.get_const_row_ptrs()] SPRUCE_KERNEL_LAMBDA(size_type row) {
        counts[row] = upper ? row_ptrs[row + 1] - diagonal[row] : diagonal[row] + 1 - row_ptrs[row];
    });
}

template <typename V, typename I>
void copy_triangle(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, const I* diagonal, bool upper,
                   bool unit_diagonal, matrix::Csr<V, I>& triangle)
{
    using T = device_type<V>;
    run_for_each_nonzero(
        exec, triangle.get_const_row_ptrs(), triangle.get_size()[0], triangle.get_num_stored_elements(),
        [=, row_ptrs = a.get_const_row_ptrs(), a_cols = a.get_const_col_idxs(),
         a_values = as_device(a.get_const_values()), triangle_ptrs = triangle.get_const_row_ptrs(),
         cols = triangle.get_col_idxs(),
         values = as_device(triangle.get_values())] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
            const auto source = static_cast<I>(nz) - triangle_ptrs[row] + (upper ? diagonal[row] : row_ptrs[row]);
            cols[nz] = a_cols[source];
            values[nz] = unit_diagonal && source == diagonal[row] ? one<T>() : a_values[source];
        });
}

template <typename V, typename I>
void find_unsuitable_row(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, const I* diagonal,
                         bool requires_positive, I* row)
{
    run_for_each_nonzero(exec, a.get_const_row_ptrs(), a.get_size()[0], a.get_num_stored_elements(),
                         [row, diagonal, requires_positive,
                          values = as_device(a.get_const_values())] SPRUCE_KERNEL_LAMBDA(size_type i, size_type nz) {
                             const auto value = values[nz];
                             const auto is_bad_diagonal =
                                 nz == static_cast<size_type>(diagonal[i]) &&
                                 (is_zero(value) || (requires_positive && !is_complex<V>() && real_of(value) < 0));
                             if (!is_finite_value(value) || is_bad_diagonal) {
                                 atomic_min(row, static_cast<I>(i));
                             }
                         });
}

template <typename V, typename I>
void find_zero(const DeviceExecutor& exec, const V* values, const I* diagonal, size_type size, I* row)
{
    run_for_each(exec, size, [diagonal, row, values = as_device(values)] SPRUCE_KERNEL_LAMBDA(size_type i) {
        if (is_zero(values[diagonal[i]])) {
            atomic_min(row, static_cast<I>(i));
        }
    });
}

template <typename V, typename I>
void find_small_pivot(const DeviceExecutor& exec, const V* values, const I* diagonal, size_type size,
                      bool compares_squares, const V* a_values, const I* sources, remove_complex<V> ratio, I* row)
{
    using Real = remove_complex<device_type<V>>;
    run_for_each(exec, size,
                 [=, values = as_device(values), a_values = as_device(a_values)] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     const auto nz = diagonal[i];
                     const auto source = sources ? sources[nz] : nz;
                     const auto limit = source < 0 ? Real{} : ratio * abs_of(a_values[source]);
                     const auto pivot = abs_of(values[nz]);
                     if (!((compares_squares ? pivot * pivot : pivot) > limit)) {
                         atomic_min(row, static_cast<I>(i));
                     }
                 });
}

}  // namespace factor_pattern

void register_factor_pattern()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = DeviceExecutor;
        kernels::factor_pattern::find_unsorted_row<V, I>.template set<E>(&factor_pattern::find_unsorted_row<V, I>);
        kernels::factor_pattern::locate_sorted<V, I>.template set<E>(&factor_pattern::locate_sorted<V, I>);
        kernels::factor_pattern::locate<V, I>.template set<E>(&factor_pattern::locate<V, I>);
        kernels::factor_pattern::find_changed_row<V, I>.template set<E>(&factor_pattern::find_changed_row<V, I>);
        kernels::factor_pattern::count_in_triangle<V, I>.template set<E>(&factor_pattern::count_in_triangle<V, I>);
        kernels::factor_pattern::copy_triangle<V, I>.template set<E>(&factor_pattern::copy_triangle<V, I>);
        kernels::factor_pattern::find_unsuitable_row<V, I>.template set<E>(&factor_pattern::find_unsuitable_row<V, I>);
        kernels::factor_pattern::find_zero<V, I>.template set<E>(&factor_pattern::find_zero<V, I>);
        kernels::factor_pattern::find_small_pivot<V, I>.template set<E>(&factor_pattern::find_small_pivot<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
