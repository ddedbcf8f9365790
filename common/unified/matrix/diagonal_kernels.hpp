// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/diagonal_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace diagonal {

using matrix::Coo;
using matrix::Csr;
using matrix::Dense;
using matrix::Diagonal;

template <typename V>
void scale_rows(const DeviceExecutor& exec, const Diagonal<V>& d, const Dense<V>& b, Dense<V>& x)
{
    run_for_each_entry(exec, x.get_size()[0], x.get_size()[1],
                       [d = as_device(d.get_const_values()), b = entries_of(b), x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(
                           size_type row, size_type col) { x(row, col) = d[row] * b(row, col); });
}

template <typename V>
void inv_scale_rows(const DeviceExecutor& exec, const Diagonal<V>& d, const Dense<V>& b, Dense<V>& x)
{
    run_for_each_entry(exec, x.get_size()[0], x.get_size()[1],
                       [d = as_device(d.get_const_values()), b = entries_of(b), x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(
                           size_type row, size_type col) { x(row, col) = b(row, col) / d[row]; });
}

template <typename V>
void scale_columns(const DeviceExecutor& exec, const Diagonal<V>& d, const Dense<V>& b, Dense<V>& x)
{
    run_for_each_entry(exec, x.get_size()[0], x.get_size()[1],
                       [d = as_device(d.get_const_values()), b = entries_of(b), x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(
                           size_type row, size_type col) { x(row, col) = b(row, col) * d[col]; });
}

template <typename V>
void advanced_scale_rows(const DeviceExecutor& exec, const Dense<V>& alpha, const Diagonal<V>& d, const Dense<V>& b,
                         const Dense<V>& beta, Dense<V>& x)
{
    run_for_each_entry(exec, x.get_size()[0], x.get_size()[1],
                       [alpha = entries_of(alpha), d = as_device(d.get_const_values()), b = entries_of(b),
                        beta = entries_of(beta), x = entries_of(x)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                           x(row, col) = combine(alpha(0, 0), d[row] * b(row, col), beta(0, 0), x(row, col));
                       });
}

template <typename V, typename I, typename Function>
void for_each_nonzero(const DeviceExecutor& exec, const Csr<V, I>& a, Function function)
{
    run_for_each_nonzero(exec, a.get_const_row_ptrs(), a.get_size()[0], a.get_num_stored_elements(), function);
}

template <typename V, typename I>
void scale_csr_rows(const DeviceExecutor& exec, const Diagonal<V>& d, Csr<V, I>& a)
{
    for_each_nonzero(exec, a,
                     [d = as_device(d.get_const_values()), values = as_device(a.get_values())] SPRUCE_KERNEL_LAMBDA(
                         size_type row, size_type nz) { values[nz] = d[row] * values[nz]; });
}

template <typename V, typename I>
void inv_scale_csr_rows(const DeviceExecutor& exec, const Diagonal<V>& d, Csr<V, I>& a)
{
    for_each_nonzero(exec, a,
                     [d = as_device(d.get_const_values()), values = as_device(a.get_values())] SPRUCE_KERNEL_LAMBDA(
                         size_type row, size_type nz) { values[nz] = values[nz] / d[row]; });
}

template <typename V, typename I>
void scale_csr_columns(const DeviceExecutor& exec, const Diagonal<V>& d, Csr<V, I>& a)
{
    run_for_each(
        exec, a.get_num_stored_elements(),
        [d = as_device(d.get_const_values()), end = a.get_const_row_ptrs() + a.get_size()[0],
         col_idxs = a.get_const_col_idxs(), values = as_device(a.get_values())] SPRUCE_KERNEL_LAMBDA(size_type nz) {
            if (nz < static_cast<size_type>(*end)) {  // the arrays may have unused capacity
                values[nz] = values[nz] * d[col_idxs[nz]];
            }
        });
}

template <typename V, typename I>
void extract_from_csr(const DeviceExecutor& exec, const Csr<V, I>& a, Diagonal<V>& d)
{
    for_each_nonzero(exec, a,
                     [col_idxs = a.get_const_col_idxs(), values = as_device(a.get_const_values()),
                      d = as_device(d.get_values())] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                         if (static_cast<size_type>(col_idxs[nz]) == row) {
                             atomic_add(d + row, values[nz]);
                         }
                     });
}

template <typename V, typename I>
void extract_from_coo(const DeviceExecutor& exec, const Coo<V, I>& a, Diagonal<V>& d)
{
    run_for_each(
        exec, a.get_num_stored_elements(),
        [row_idxs = a.get_const_row_idxs(), col_idxs = a.get_const_col_idxs(), values = as_device(a.get_const_values()),
         d = as_device(d.get_values())] SPRUCE_KERNEL_LAMBDA(size_type nz) {
            if (row_idxs[nz] == col_idxs[nz]) {
                atomic_add(d + row_idxs[nz], values[nz]);
            }
        });
}

template <typename V>
void extract_from_dense(const DeviceExecutor& exec, const Dense<V>& a, Diagonal<V>& d)
{
    run_for_each(
        exec, d.get_size()[0],
        [a = entries_of(a), d = as_device(d.get_values())] SPRUCE_KERNEL_LAMBDA(size_type i) { d[i] = a(i, i); });
}

template <typename I>
void has_off_diagonal(const DeviceExecutor& exec, const I* row_idxs, const I* col_idxs, size_type size, bool& result)
{
    result = run_or(exec, size,
                    [=] SPRUCE_KERNEL_LAMBDA(size_type nz) -> int32 { return row_idxs[nz] != col_idxs[nz]; }) != 0;
}

}  // namespace diagonal

void register_diagonal()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        using E = DeviceExecutor;
        kernels::diagonal::scale_rows<V>.template set<E>(&diagonal::scale_rows<V>);
        kernels::diagonal::inv_scale_rows<V>.template set<E>(&diagonal::inv_scale_rows<V>);
        kernels::diagonal::scale_columns<V>.template set<E>(&diagonal::scale_columns<V>);
        kernels::diagonal::extract_from_dense<V>.template set<E>(&diagonal::extract_from_dense<V>);
        kernels::diagonal::advanced_scale_rows<V>.template set<E>(&diagonal::advanced_scale_rows<V>);
    });
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = DeviceExecutor;
        kernels::diagonal::extract_from_csr<V, I>.template set<E>(&diagonal::extract_from_csr<V, I>);
        kernels::diagonal::extract_from_coo<V, I>.template set<E>(&diagonal::extract_from_coo<V, I>);
        kernels::diagonal::scale_csr_rows<V, I>.template set<E>(&diagonal::scale_csr_rows<V, I>);
        kernels::diagonal::inv_scale_csr_rows<V, I>.template set<E>(&diagonal::inv_scale_csr_rows<V, I>);
        kernels::diagonal::scale_csr_columns<V, I>.template set<E>(&diagonal::scale_csr_columns<V, I>);
    });
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::diagonal::has_off_diagonal<I>.template set<DeviceExecutor>(&diagonal::has_off_diagonal<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
