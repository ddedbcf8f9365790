// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace coo {

using matrix::Coo;

/// Entries sorted by column, rows in order within a column as they were.
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

void register_coo_transpose()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::coo::transpose<V, I>.template set<DeviceExecutor>(&coo::transpose<V, I>);
        kernels::coo::conj_transpose<V, I>.template set<DeviceExecutor>(&coo::conj_transpose<V, I>);
    });
}
