// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/coo_kernels.hpp"

#include "common/unified/base/prelude.hpp"
#include "common/unified/components/gather_entries.hpp"
#include "core/components/sort_kernels.hpp"
#include "core/matrix/dense_kernels.hpp"

#include SPRUCE_DEVICE_FILE(matrix, coo_spmv)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace coo {

using matrix::Coo;

/// Sorts the entries by column. Within a column the order of the rows is kept.
template <bool conjugate, typename V, typename I>
void transpose_impl(const DeviceExecutor& exec, const Coo<V, I>& a, Coo<V, I>& b)
{
    const auto nnz = a.get_num_stored_elements();
    array<I> positions{exec.shared_from_this(), nnz};
    spruce::kernels::components::sort_keys<I>(exec, a.get_const_col_idxs(), nullptr, nnz, a.get_size()[1],
                                              b.get_row_idxs(), positions.get_data());
    gather_entries<conjugate>(exec, positions.get_const_data(), nnz, a.get_const_row_idxs(), a.get_const_values(),
                              b.get_col_idxs(), b.get_values());
}

template <typename V, typename I>
void transpose(const DeviceExecutor& exec, const Coo<V, I>& a, Coo<V, I>& b)
{
    transpose_impl<false>(exec, a, b);
}
template <typename V, typename I>
void conj_transpose(const DeviceExecutor& exec, const Coo<V, I>& a, Coo<V, I>& b)
{
    transpose_impl<true>(exec, a, b);
}

}  // namespace coo

void register_coo()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::coo::spmv<V, I>.template set<DeviceExecutor>(&coo::spmv<V, I>);
        kernels::coo::advanced_spmv<V, I>.template set<DeviceExecutor>(&coo::advanced_spmv<V, I>);
        kernels::coo::spmv2<V, I>.template set<DeviceExecutor>(&coo::spmv2<V, I>);
        kernels::coo::advanced_spmv2<V, I>.template set<DeviceExecutor>(&coo::advanced_spmv2<V, I>);
        kernels::coo::transpose<V, I>.template set<DeviceExecutor>(&coo::transpose<V, I>);
        kernels::coo::conj_transpose<V, I>.template set<DeviceExecutor>(&coo::conj_transpose<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
