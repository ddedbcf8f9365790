// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains the kernels of Hybrid except count_rows_by_length, which each backend implements
// separately.

#include "core/matrix/hybrid_kernels.hpp"

#include "common/unified/base/prelude.hpp"

#include SPRUCE_DEVICE_FILE(matrix, row_lengths)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace hybrid {

template <typename I>
void count_rest(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, size_type ell_length, I* counts)
{
    run_for_each(exec, num_rows, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        const auto length = static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]);
        counts[row] = static_cast<I>(length > ell_length ? length - ell_length : 0);
    });
}

template <typename V, typename I>
void fill_rest(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, size_type ell_length, const I* rest_ptrs,
               matrix::Coo<V, I>& x)
{
    run_for_each(exec, x.get_num_stored_elements(),
                 [ell_length, rest_ptrs, row_ptrs = a.get_const_row_ptrs(), a_cols = a.get_const_col_idxs(),
                  a_values = as_device(a.get_const_values()), rows = x.get_const_row_idxs(), cols = x.get_col_idxs(),
                  values = as_device(x.get_values())] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     const auto row = rows[i];
                     const auto nz = row_ptrs[row] + ell_length + (i - rest_ptrs[row]);
                     cols[i] = a_cols[nz];
                     values[i] = a_values[nz];
                 });
}

template <typename I>
void add_lengths(const DeviceExecutor& exec, const I* ptrs, size_type num_rows, I* counts)
{
    run_for_each(exec, num_rows, [=] SPRUCE_KERNEL_LAMBDA(size_type row) { counts[row] += ptrs[row + 1] - ptrs[row]; });
}

template <typename V, typename I>
void fill_rest_in_csr(const DeviceExecutor& exec, const matrix::Coo<V, I>& a, const I* rest_ptrs, const I* row_ptrs,
                      I* col_idxs, V* values)
{
    run_for_each(exec, a.get_num_stored_elements(),
                 [rest_ptrs, row_ptrs, rows = a.get_const_row_idxs(), a_cols = a.get_const_col_idxs(),
                  a_values = as_device(a.get_const_values()), col_idxs,
                  values = as_device(values)] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     const auto row = rows[i];
                     const auto target = row_ptrs[row + 1] - (rest_ptrs[row + 1] - static_cast<I>(i));
                     col_idxs[target] = a_cols[i];
                     values[target] = a_values[i];
                 });
}

}  // namespace hybrid

void register_hybrid()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::hybrid::fill_rest<V, I>.template set<DeviceExecutor>(&hybrid::fill_rest<V, I>);
        kernels::hybrid::fill_rest_in_csr<V, I>.template set<DeviceExecutor>(&hybrid::fill_rest_in_csr<V, I>);
    });
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::hybrid::count_rows_by_length<I>.template set<DeviceExecutor>(&hybrid::count_rows_by_length<I>);
        kernels::hybrid::count_rest<I>.template set<DeviceExecutor>(&hybrid::count_rest<I>);
        kernels::hybrid::add_lengths<I>.template set<DeviceExecutor>(&hybrid::add_lengths<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
