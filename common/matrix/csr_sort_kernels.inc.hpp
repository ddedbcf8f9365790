// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Order of entries: sorting within rows, transposition.

namespace csr {

using matrix::Csr;

namespace sort_kernel {

/// flag[0] = 1 if some row is out of order
template <typename I>
__global__ __launch_bounds__(default_block_size) void find_descent(size_type num_rows, const I* row_ptrs,
                                                                   const I* col_idxs, int32* flag)
{
    const auto subwarp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<warp_size>();
    if (row >= num_rows) {
        return;
    }
    bool is_descent{};
    for (auto nz = row_ptrs[row] + subwarp.thread_rank() + 1; nz < row_ptrs[row + 1]; nz += warp_size) {
        is_descent = is_descent || col_idxs[nz - 1] > col_idxs[nz];
    }
    if (is_descent) {
        atomicOr(flag, 1);
    }
}

}  // namespace sort_kernel

template <typename V, typename I>
void is_sorted_by_column_index(const DeviceExecutor& exec, const Csr<V, I>& a, bool& is_sorted)
{
    array<int32> flag{exec.shared_from_this(), 1};
    flag.fill(0);
    launch(exec, sort_kernel::find_descent<I>, a.get_size()[0] * warp_size, a.get_size()[0], a.get_const_row_ptrs(),
           a.get_const_col_idxs(), flag.get_data());
    is_sorted = exec.copy_val_to_host(flag.get_const_data()) == 0;
}

/// Row indices, and positions 0, 1, ..., of the entries of a.
template <typename V, typename I>
void list_entries(const DeviceExecutor& exec, const Csr<V, I>& a, array<I>& row_idxs, array<I>& positions)
{
    kernels::components::convert_ptrs_to_idxs<I>(exec, a.get_const_row_ptrs(), a.get_size()[0], row_idxs.get_data());
    run_for_each(exec, positions.get_size(),
                 [positions = positions.get_data()] SPRUCE_LAMBDA(size_type i) { positions[i] = static_cast<I>(i); });
}

/// Sorts by column, then, keeping that order, by row.
template <typename V, typename I>
void sort_by_column_index(const DeviceExecutor& exec, Csr<V, I>& a)
{
    const auto shared_exec = exec.shared_from_this();
    const auto nnz = a.get_num_stored_elements();
    array<I> keys{shared_exec, nnz};
    array<I> positions{shared_exec, nnz};
    array<I> row_idxs{shared_exec, nnz};
    list_entries(exec, a, row_idxs, positions);
    exec.copy(nnz, a.get_const_col_idxs(), keys.get_data());
    radix::sort(exec, keys, positions, std::max<size_type>(1, a.get_size()[1]));
    run_for_each(
        exec, nnz,
        [keys = keys.get_data(), positions = positions.get_const_data(),
         row_idxs = row_idxs.get_const_data()] SPRUCE_LAMBDA(size_type i) { keys[i] = row_idxs[positions[i]]; });
    radix::sort(exec, keys, positions, std::max<size_type>(1, a.get_size()[0]));
    array<I> col_idxs{shared_exec, nnz};
    array<V> values{shared_exec, nnz};
    run_for_each(exec, nnz,
                 [positions = positions.get_const_data(), from_cols = a.get_const_col_idxs(),
                  from_values = as_device(a.get_const_values()), to_cols = col_idxs.get_data(),
                  to_values = as_device(values.get_data())] SPRUCE_LAMBDA(size_type i) {
                     to_cols[i] = from_cols[positions[i]];
                     to_values[i] = from_values[positions[i]];
                 });
    exec.copy(nnz, col_idxs.get_const_data(), a.get_col_idxs());
    exec.copy(nnz, values.get_const_data(), a.get_values());
}

/// Entries sorted by column, rows in order within a column: the transpose.
template <bool conjugate, typename V, typename I>
void transpose_impl(const DeviceExecutor& exec, const Csr<V, I>& a, Csr<V, I>& b)
{
    const auto shared_exec = exec.shared_from_this();
    const auto nnz = a.get_num_stored_elements();
    array<I> keys{shared_exec, nnz};
    array<I> positions{shared_exec, nnz};
    array<I> row_idxs{shared_exec, nnz};
    list_entries(exec, a, row_idxs, positions);
    exec.copy(nnz, a.get_const_col_idxs(), keys.get_data());
    radix::sort(exec, keys, positions, std::max<size_type>(1, a.get_size()[1]));
    kernels::components::convert_idxs_to_ptrs<I>(exec, keys.get_const_data(), nnz, b.get_row_ptrs(), b.get_size()[0]);
    run_for_each(exec, nnz,
                 [positions = positions.get_const_data(), row_idxs = row_idxs.get_const_data(),
                  from = as_device(a.get_const_values()), col_idxs = b.get_col_idxs(),
                  to = as_device(b.get_values())] SPRUCE_LAMBDA(size_type i) {
                     col_idxs[i] = row_idxs[positions[i]];
                     to[i] = conjugate ? conj_of(from[positions[i]]) : from[positions[i]];
                 });
}

template <typename V, typename I>
void transpose(const DeviceExecutor& exec, const Csr<V, I>& a, Csr<V, I>& b)
{
    transpose_impl<false>(exec, a, b);
}
template <typename V, typename I>
void conj_transpose(const DeviceExecutor& exec, const Csr<V, I>& a, Csr<V, I>& b)
{
    transpose_impl<true>(exec, a, b);
}

}  // namespace csr

void register_csr_sort()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::is_sorted_by_column_index<V, I>.template set<DeviceExecutor>(
            &csr::is_sorted_by_column_index<V, I>);
        kernels::csr::sort_by_column_index<V, I>.template set<DeviceExecutor>(&csr::sort_by_column_index<V, I>);
        kernels::csr::transpose<V, I>.template set<DeviceExecutor>(&csr::transpose<V, I>);
        kernels::csr::conj_transpose<V, I>.template set<DeviceExecutor>(&csr::conj_transpose<V, I>);
    });
}
