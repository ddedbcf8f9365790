// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Adds sparse matrices with sorted columns. The entries are distributed among the threads, not the
// rows. The position of an entry of a that b lacks is the number of smaller columns in b's row plus
// the number of preceding entries of a's row that b lacks. The position of an entry of b is its own
// plus the number of smaller columns of a that b lacks. A binary search in the other row and a
// prefix sum give these numbers (doc/tuning/csr.md). a is the matrix with fewer entries: a sum does
// not depend on the order of its two terms.

#include "common/gpu/base/prelude.hpp"
#include "core/base/dispatch.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_algebra_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {

using matrix::Csr;
using matrix::Dense;

namespace spgeam_kernel {

/// Views the pattern of a matrix with sorted columns.
template <typename I>
struct pattern {
    /// Returns the number of entries of a row that are left of a column. A correct guess, such as
    /// the number in another matrix of the same pattern, saves the search.
    SPRUCE_HOST_DEVICE I lower_bound_in_row(size_type row, I col, I guess) const
    {
        return this->is_at(row, guess, col)
                   ? guess
                   : lower_bound(col_idxs + row_ptrs[row], I{}, row_ptrs[row + 1] - row_ptrs[row], col);
    }
    /// Returns true if the entry after the first num entries of a row has this column.
    SPRUCE_HOST_DEVICE bool is_at(size_type row, I num, I col) const
    {
        const auto nz = row_ptrs[row] + num;
        return nz < row_ptrs[row + 1] && col_idxs[nz] == col;
    }

    const I* row_ptrs;
    const I* col_idxs;
};

template <typename V, typename I>
pattern<I> pattern_of(const Csr<V, I>& a)
{
    return {a.get_const_row_ptrs(), a.get_const_col_idxs()};
}

/// Views values that a factor multiplies.
template <typename T>
struct scaled_values {
    template <typename I>
    SPRUCE_HOST_DEVICE T operator[](I nz) const
    {
        return is_zero(*factor) ? T{} : *factor * values[nz];
    }

    const T* values;
    const T* factor;
};

/// Counts entries of a whose positions b does not store.
template <typename I>
struct missing_entries {
    /// Returns the number of them from entry begin of a to entry end.
    SPRUCE_HOST_DEVICE I count(size_type begin, size_type end) const
    {
        return before ? before[end] - before[begin] : 0;
    }

    const I* before;  ///< their number before each entry of a; null if there are none
};

/// Views the result of count_missing_before().
template <typename I>
missing_entries<I> missing_entries_of(const array<I>& missing_before)
{
    return {missing_before.get_size() > 1 ? missing_before.get_const_data() : nullptr};
}

}  // namespace spgeam_kernel

/// Returns, for each entry of a, the number of preceding entries of a, in all rows, whose positions
/// b does not store. The last element is the total. The result has one element if b stores all
/// positions of a.
/// @param num_missing  the total
template <typename V, typename I>
array<I> count_missing_before(const DeviceExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& b,
                              size_type& num_missing)
{
    const auto nnz = a.get_num_stored_elements();
    array<I> result{exec.shared_from_this(), nnz + 1};
    // The arrays may have unused capacity.
    run_for_each(exec, nnz + 1,
                 [end = a.get_const_row_ptrs() + a.get_size()[0],
                  missing = result.get_data()] SPRUCE_KERNEL_LAMBDA(size_type nz) {
                     if (nz >= static_cast<size_type>(*end)) {
                         missing[nz] = 0;
                     }
                 });
    run_for_each_nonzero(exec, a.get_const_row_ptrs(), a.get_size()[0], nnz,
                         [own = spgeam_kernel::pattern_of(a), other = spgeam_kernel::pattern_of(b),
                          missing = result.get_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             const auto col = own.col_idxs[nz];
                             const auto guess = static_cast<I>(nz) - own.row_ptrs[row];
                             missing[nz] = other.is_at(row, other.lower_bound_in_row(row, col, guess), col) ? 0 : 1;
                         });
    spruce::kernels::components::prefix_sum<I>(exec, result.get_data(), nnz + 1, num_missing);
    if (num_missing == 0) {
        result.resize_and_reset(1);
    }
    return result;
}

template <typename V, typename I>
bool has_fewer_entries(const Csr<V, I>& a, const Csr<V, I>& b)
{
    return a.get_num_stored_elements() < b.get_num_stored_elements();
}

template <typename V, typename I>
void spgeam_row_ptrs(const DeviceExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& b, I* row_ptrs,
                     size_type& num_entries, array<I>& tmp)
{
    if (has_fewer_entries(b, a)) {
        spgeam_row_ptrs(exec, b, a, row_ptrs, num_entries, tmp);
        return;
    }
    const auto num_rows = a.get_size()[0];
    size_type num_missing{};
    tmp = count_missing_before(exec, a, b, num_missing);
    num_entries = num_missing + static_cast<size_type>(exec.copy_val_to_host(b.get_const_row_ptrs() + num_rows));
    spruce::detail::require_index_fits<I>(num_entries);
    run_for_each(exec, num_rows + 1,
                 [row_ptrs, a_ptrs = a.get_const_row_ptrs(), b_ptrs = b.get_const_row_ptrs(),
                  missing = spgeam_kernel::missing_entries_of(tmp)] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     row_ptrs[row] = b_ptrs[row] + missing.count(0, a_ptrs[row]);
                 });
}

template <typename V, typename I>
void spgeam_fill(const DeviceExecutor& exec, const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& beta,
                 const Csr<V, I>& b, Csr<V, I>& c, array<I>& tmp)
{
    if (has_fewer_entries(b, a)) {
        spgeam_fill(exec, beta, b, alpha, a, c, tmp);
        return;
    }
    using T = device_type<V>;
    const auto num_rows = a.get_size()[0];
    if (tmp.get_size() == 0) {
        size_type num_missing{};
        tmp = count_missing_before(exec, a, b, num_missing);
    }
    const auto missing = spgeam_kernel::missing_entries_of(tmp);
    const auto a_pattern = spgeam_kernel::pattern_of(a);
    const auto b_pattern = spgeam_kernel::pattern_of(b);
    const spgeam_kernel::scaled_values<T> a_values{as_device(a.get_const_values()),
                                                   as_device(alpha.get_const_values())};
    const spgeam_kernel::scaled_values<T> b_values{as_device(b.get_const_values()), as_device(beta.get_const_values())};
    const auto c_ptrs = c.get_const_row_ptrs();
    const auto c_cols = c.get_col_idxs();
    const auto c_values = as_device(c.get_values());
    if (missing.before) {
        run_for_each_nonzero(exec, a_pattern.row_ptrs, num_rows, a.get_num_stored_elements(),
                             [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                                 if (missing.count(nz, nz + 1) == 0) {
                                     return;
                                 }
                                 const auto col = a_pattern.col_idxs[nz];
                                 const auto a_begin = a_pattern.row_ptrs[row];
                                 const auto num_left =
                                     b_pattern.lower_bound_in_row(row, col, static_cast<I>(nz) - a_begin);
                                 const auto position = c_ptrs[row] + num_left + missing.count(a_begin, nz);
                                 c_cols[position] = col;
                                 c_values[position] = a_values[nz];
                             });
    }
    run_for_each_nonzero(
        exec, b_pattern.row_ptrs, num_rows, b.get_num_stored_elements(),
        [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
            const auto col = b_pattern.col_idxs[nz];
            const auto a_begin = a_pattern.row_ptrs[row];
            const auto num_before = static_cast<I>(nz) - b_pattern.row_ptrs[row];
            const auto num_left = a_pattern.lower_bound_in_row(row, col, num_before);
            const auto position = c_ptrs[row] + num_before + missing.count(a_begin, a_begin + num_left);
            c_cols[position] = col;
            c_values[position] =
                a_pattern.is_at(row, num_left, col) ? a_values[a_begin + num_left] + b_values[nz] : b_values[nz];
        });
}

}  // namespace csr

void register_csr_spgeam()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::spgeam_row_ptrs<V, I>.template set<DeviceExecutor>(&csr::spgeam_row_ptrs<V, I>);
        kernels::csr::spgeam_fill<V, I>.template set<DeviceExecutor>(&csr::spgeam_fill<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
