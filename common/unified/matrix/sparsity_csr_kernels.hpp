// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/sparsity_csr_kernels.hpp"

#include "common/unified/base/prelude.hpp"

#include SPRUCE_DEVICE_FILE(matrix, sparsity_csr_spmv)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace sparsity_csr {

template <typename V, typename I>
void extract_diagonal(const DeviceExecutor& exec, const matrix::SparsityCsr<V, I>& a, matrix::Diagonal<V>& d)
{
    run_for_each_nonzero(exec, a.get_const_row_ptrs(), a.get_size()[0], a.get_num_nonzeros(),
                         [col_idxs = a.get_const_col_idxs(), value = as_device(a.get_const_value()),
                          d = as_device(d.get_values())] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             if (static_cast<size_type>(col_idxs[nz]) == row) {
                                 atomic_add(d + row, *value);  // an entry may be stored twice
                             }
                         });
}

template <typename I>
void mark_off_diagonal(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, const I* col_idxs,
                       size_type nnz, I* is_off_diagonal)
{
    run_for_each_nonzero(exec, row_ptrs, num_rows, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        is_off_diagonal[nz] = col_idxs[nz] != static_cast<I>(row);
    });
}

template <typename I>
void drop_diagonal(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, const I* col_idxs, size_type nnz,
                   const I* positions, I* new_row_ptrs, I* new_col_idxs)
{
    run_for_each(exec, num_rows + 1,
                 [=] SPRUCE_KERNEL_LAMBDA(size_type row) { new_row_ptrs[row] = positions[row_ptrs[row]]; });
    run_for_each(exec, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type nz) {
        if (positions[nz + 1] > positions[nz]) {
            new_col_idxs[positions[nz]] = col_idxs[nz];
        }
    });
}

}  // namespace sparsity_csr

void register_sparsity_csr()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::sparsity_csr::spmv<V, I>.template set<DeviceExecutor>(&sparsity_csr::spmv<V, I>);
        kernels::sparsity_csr::advanced_spmv<V, I>.template set<DeviceExecutor>(&sparsity_csr::advanced_spmv<V, I>);
        kernels::sparsity_csr::extract_diagonal<V, I>.template set<DeviceExecutor>(
            &sparsity_csr::extract_diagonal<V, I>);
    });
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::sparsity_csr::mark_off_diagonal<I>.template set<DeviceExecutor>(&sparsity_csr::mark_off_diagonal<I>);
        kernels::sparsity_csr::drop_diagonal<I>.template set<DeviceExecutor>(&sparsity_csr::drop_diagonal<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
