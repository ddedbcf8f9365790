// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/factorization/threshold_kernels.hpp"

#include "common/numeric/magnitude.hpp"
#include "common/numeric/partition_point.hpp"
#include "common/unified/base/prelude.hpp"

#include SPRUCE_DEVICE_FILE(components, bucket_counts)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace threshold {

using factorization::detail::bound_of_sort_keys;
using factorization::detail::bucket_query;
using factorization::detail::entry_threshold;
using factorization::detail::entry_view;
using factorization::detail::num_buckets;
using factorization::detail::tie_rank;

template <typename V, typename I>
void add_candidates(const DeviceExecutor& exec, const matrix::Csr<V, I>& factors, const I* diagonal,
                    matrix::Csr<V, I>& residual)
{
    run_for_each_nonzero(
        exec, residual.get_const_row_ptrs(), residual.get_size()[0], residual.get_num_stored_elements(),
        [diagonal, row_ptrs = factors.get_const_row_ptrs(), cols = factors.get_const_col_idxs(),
         factor_values = as_device(factors.get_const_values()), residual_cols = residual.get_const_col_idxs(),
         values = as_device(residual.get_values())] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
            const auto col = residual_cols[nz];
            const auto end = row_ptrs[row + 1];
            const auto found = lower_bound(cols, row_ptrs[row], end, col);
            if (found < end && cols[found] == col) {
                values[nz] = factor_values[found];
            } else if (static_cast<I>(row) > col) {
                const auto pivot = factor_values[diagonal[col]];
                if (!is_zero(pivot)) {
                    values[nz] = values[nz] / pivot;
                }
            }
        });
}

template <typename V, typename I>
void compute_sizes(const DeviceExecutor& exec, const matrix::Csr<V, I>& factors, const I* diagonal, bool is_hermitian,
                   remove_complex<V>* sizes)
{
    using Real = remove_complex<V>;
    run_for_each_nonzero(
        exec, factors.get_const_row_ptrs(), factors.get_size()[0], factors.get_num_stored_elements(),
        [is_hermitian, diagonal, sizes, cols = factors.get_const_col_idxs(),
         values = as_device(factors.get_const_values())] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
            const auto col = cols[nz];
            const auto row_pivot = abs_of(values[diagonal[row]]);
            const auto col_pivot = abs_of(values[diagonal[col]]);
            const auto row_factor = row_pivot == Real{} ? Real{1} : is_hermitian ? row_pivot : sqrt_of(row_pivot);
            const auto col_factor = is_hermitian || col_pivot == Real{} ? Real{1} : sqrt_of(col_pivot);
            const auto size = abs_of(values[nz]) / row_factor;
            sizes[nz] = static_cast<I>(row) > col ? size * col_factor : size / col_factor;
        });
}

template <typename V, typename I>
void count_in_buckets(const DeviceExecutor& exec, const entry_view<V, I>& entries, const bucket_query& query,
                      size_type* counts)
{
    run_count_in_buckets<num_buckets>(
        exec, entries.num_entries, counts,
        [query, rows = entries.rows, cols = entries.cols, sizes = entries.sizes] SPRUCE_KERNEL_LAMBDA(size_type nz) {
            const auto row = rows[nz];
            const auto col = cols[nz];
            const auto is_inside = query.upper ? row < col : row > col;
            return is_inside ? query.bucket_of(magnitude_of(sizes[nz]), tie_rank(row, col)) : -1;
        });
}

template <typename V, typename I>
void mark_largest(const DeviceExecutor& exec, const entry_view<V, I>& entries, const entry_threshold& lower,
                  const entry_threshold& upper, I* flags)
{
    run_for_each(exec, entries.num_entries,
                 [lower, upper, flags, rows = entries.rows, cols = entries.cols,
                  sizes = entries.sizes] SPRUCE_KERNEL_LAMBDA(size_type nz) {
                     const auto row = rows[nz];
                     const auto col = cols[nz];
                     const auto magnitude = magnitude_of(sizes[nz]);
                     const auto tie = tie_rank(row, col);
                     const auto is_large = row > col ? lower.contains(magnitude, tie) : upper.contains(magnitude, tie);
                     flags[nz] = row == col || is_large ? 1 : 0;
                 });
}

template <typename V, typename I>
void compute_sort_keys(const DeviceExecutor& exec, const entry_view<V, I>& entries, I* keys)
{
    run_for_each(
        exec, entries.num_entries,
        [keys, rows = entries.rows, cols = entries.cols, sizes = entries.sizes] SPRUCE_KERNEL_LAMBDA(size_type nz) {
            const auto leading = magnitude_of(sizes[nz]) >> 32;
            keys[nz] = rows[nz] == cols[nz] ? I{} : static_cast<I>(bound_of_sort_keys - 1 - leading);
        });
}

template <typename I>
void mark_in_groups(const DeviceExecutor& exec, const I* group_ptrs, const I* groups, const I* positions,
                    size_type size, size_type num_first, bool are_first, I* flags)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        const auto is_first = i - static_cast<size_type>(group_ptrs[groups[i]]) < num_first;
        flags[positions[i]] = is_first == are_first ? 1 : 0;
    });
}

}  // namespace threshold

void register_threshold()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = DeviceExecutor;
        kernels::threshold::add_candidates<V, I>.template set<E>(&threshold::add_candidates<V, I>);
        kernels::threshold::compute_sizes<V, I>.template set<E>(&threshold::compute_sizes<V, I>);
        kernels::threshold::count_in_buckets<V, I>.template set<E>(&threshold::count_in_buckets<V, I>);
        kernels::threshold::mark_largest<V, I>.template set<E>(&threshold::mark_largest<V, I>);
        kernels::threshold::compute_sort_keys<V, I>.template set<E>(&threshold::compute_sort_keys<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::threshold::mark_in_groups<I>.template set<DeviceExecutor>(&threshold::mark_in_groups<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
