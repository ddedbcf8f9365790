// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Rearranges Csr. Where possible, the entries are distributed instead of the rows: a dense row does
// not delay other threads, and the loads of GPUs are coalesced.

#include <limits>

#include "core/matrix/csr_rearrange_kernels.hpp"

#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {

using matrix::Csr;
using matrix::Dense;

template <typename I>
void invert_permutation(const DeviceExecutor& exec, const I* permutation, size_type size, I* inverse)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { inverse[permutation[i]] = static_cast<I>(i); });
}

template <typename I>
void count_in_rows(const DeviceExecutor& exec, const I* row_ptrs, const I* rows, size_type num_rows, I* counts)
{
    run_for_each(exec, num_rows,
                 [=] SPRUCE_KERNEL_LAMBDA(size_type i) { counts[i] = row_ptrs[rows[i] + 1] - row_ptrs[rows[i]]; });
}

template <typename I>
void locate_in_rows(const DeviceExecutor& exec, const I* a_row_ptrs, const I* rows, const I* c_row_ptrs, size_type nnz,
                    I* positions)
{
    run_for_each(exec, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type nz) {
        const auto row = positions[nz];
        positions[nz] = a_row_ptrs[rows[row]] + static_cast<I>(nz) - c_row_ptrs[row];
    });
}

template <typename V, typename I>
void gather_entries(const DeviceExecutor& exec, const Csr<V, I>& a, const I* positions, const I* cols, Csr<V, I>& c)
{
    run_for_each(exec, c.get_num_stored_elements(),
                 [positions, cols, a_cols = a.get_const_col_idxs(), a_values = as_device(a.get_const_values()),
                  c_cols = c.get_col_idxs(), c_values = as_device(c.get_values())] SPRUCE_KERNEL_LAMBDA(size_type nz) {
                     const auto position = positions ? static_cast<size_type>(positions[nz]) : nz;
                     const auto col = a_cols[position];
                     c_cols[nz] = cols ? cols[col] : col;
                     c_values[nz] = a_values[position];
                 });
}

inline void number_entries(const DeviceExecutor& exec, double* numbers, size_type size)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { numbers[i] = static_cast<double>(i); });
}

template <typename I>
void convert_to_positions(const DeviceExecutor& exec, const double* numbers, size_type size, I* positions)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { positions[i] = static_cast<I>(numbers[i]); });
}

template <typename V, typename I>
void gather_values(const DeviceExecutor& exec, const V* from, const I* positions, size_type size, V* to)
{
    run_for_each(exec, size, [from = as_device(from), positions, to = as_device(to)] SPRUCE_KERNEL_LAMBDA(size_type i) {
        to[i] = from[positions[i]];
    });
}

template <typename I>
void mark_columns(const DeviceExecutor& exec, const I* col_idxs, size_type size, I begin, I end, I* flags)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        flags[i] = begin <= col_idxs[i] && col_idxs[i] < end ? 1 : 0;
    });
}

template <typename V, typename I>
void fill_submatrix(const DeviceExecutor& exec, const Csr<V, I>& a, size_type first_row, I first_col, const I* targets,
                    size_type num_entries, Csr<V, I>& c)
{
    const auto a_row_ptrs = a.get_const_row_ptrs() + first_row;
    run_for_each(exec, c.get_size()[0] + 1,
                 [a_row_ptrs, targets, row_ptrs = c.get_row_ptrs()] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     row_ptrs[row] = targets[a_row_ptrs[row] - a_row_ptrs[0]];
                 });
    run_for_each(
        exec, num_entries,
        [a_row_ptrs, targets, first_col, a_cols = a.get_const_col_idxs(), a_values = as_device(a.get_const_values()),
         cols = c.get_col_idxs(), values = as_device(c.get_values())] SPRUCE_KERNEL_LAMBDA(size_type i) {
            if (targets[i] < targets[i + 1]) {
                cols[targets[i]] = a_cols[a_row_ptrs[0] + i] - first_col;
                values[targets[i]] = a_values[a_row_ptrs[0] + i];
            }
        });
}

/// Calls is_counted(i) for i = 0, ..., size - 1 and returns how often it is true.
template <typename Predicate>
size_type count_if(const DeviceExecutor& exec, size_type size, Predicate is_counted)
{
    const auto shared_exec = exec.shared_from_this();
    array<char> tmp{shared_exec};
    array<size_type> result{shared_exec, 1};
    run_sum_columns<size_type>(
        exec, size, 1, tmp,
        [=] SPRUCE_KERNEL_LAMBDA(size_type i, size_type) { return static_cast<size_type>(is_counted(i) ? 1 : 0); },
        [result = result.get_data()] SPRUCE_KERNEL_LAMBDA(size_type, const size_type& sum) { *result = sum; });
    return exec.copy_val_to_host(result.get_const_data());
}

template <typename I>
void find_diagonal(const DeviceExecutor& exec, const I* row_ptrs, const I* col_idxs, size_type size, size_type nnz,
                   I* positions, size_type& num_missing)
{
    // A thread searches the first entries of a row. Only if that does not find all diagonal
    // entries, all entries are distributed among the threads (doc/tuning/csr.md).
    constexpr I num_searched = 64;
    constexpr auto none = std::numeric_limits<I>::max();
    num_missing = count_if(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        const auto row_end = row_ptrs[row + 1];
        const auto end = row_end - row_ptrs[row] <= num_searched ? row_end : row_ptrs[row] + num_searched;
        auto nz = row_ptrs[row];
        while (nz < end && static_cast<size_type>(col_idxs[nz]) != row) {
            ++nz;
        }
        positions[row] = nz < end ? nz : none;
        return nz == end;
    });
    if (num_missing == 0) {
        return;
    }
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        if (static_cast<size_type>(col_idxs[nz]) == row) {
            atomic_min(positions + row, static_cast<I>(nz));  // the first one, if an entry is stored twice
        }
    });
    num_missing = count_if(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        const auto is_missing = positions[row] == none;
        positions[row] = is_missing ? I{-1} : positions[row];
        return is_missing;
    });
}

template <typename V, typename I>
void add_at_positions(const DeviceExecutor& exec, const Dense<V>& alpha, const I* positions, size_type size, V* values)
{
    run_for_each(exec, size,
                 [positions, alpha = as_device(alpha.get_const_values()),
                  values = as_device(values)] SPRUCE_KERNEL_LAMBDA(size_type i) { values[positions[i]] += *alpha; });
}

}  // namespace csr

void register_csr_rearrange()
{
    kernels::csr::number_entries.set<DeviceExecutor>(&csr::number_entries);
    using E = DeviceExecutor;
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::gather_entries<V, I>.template set<E>(&csr::gather_entries<V, I>);
        kernels::csr::gather_values<V, I>.template set<E>(&csr::gather_values<V, I>);
        kernels::csr::fill_submatrix<V, I>.template set<E>(&csr::fill_submatrix<V, I>);
        kernels::csr::add_at_positions<V, I>.template set<E>(&csr::add_at_positions<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::csr::invert_permutation<I>.template set<E>(&csr::invert_permutation<I>);
        kernels::csr::count_in_rows<I>.template set<E>(&csr::count_in_rows<I>);
        kernels::csr::locate_in_rows<I>.template set<E>(&csr::locate_in_rows<I>);
        kernels::csr::convert_to_positions<I>.template set<E>(&csr::convert_to_positions<I>);
        kernels::csr::mark_columns<I>.template set<E>(&csr::mark_columns<I>);
        kernels::csr::find_diagonal<I>.template set<E>(&csr::find_diagonal<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
