// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Transposition of Csr. Most matrices of discretised equations have an entry (j, i) for each entry (i, j): then the transpose has
// the pattern of the matrix, and an entry's value is found in row j, where the mirrored place or a bisection leads. That is tried
// first and given up at the first entry without its mirror image; the way that always leads there is a radix sort by columns.

#include "common/gpu/base/prelude.hpp"
#include "common/unified/components/gather_entries.hpp"
#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"
#include "core/matrix/csr_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {

using matrix::Csr;

/// Where row has col, or -1: looks at its guess first. The row is sorted, or col may be missed.
template <typename I>
__device__ __forceinline__ I find_column(const I* __restrict__ cols, I begin, I end, I guess, I col)
{
    if (guess >= begin && guess < end && cols[guess] == col) {
        return guess;
    }
    while (begin < end) {
        const auto middle = begin + (end - begin) / 2;
        const auto found = cols[middle];
        if (found == col) {
            return middle;
        }
        if (found < col) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return -1;
}

/// Finds mirror images in a matrix of that many rows.
template <typename I>
struct mirror {
    /// The place of the mirror image of entry nz, which is in this row, or -1 if there is none or the entry is not behind the
    /// row's one before.
    __device__ __forceinline__ I operator()(size_type row, size_type nz) const
    {
        const auto col = cols[nz];
        const auto place = static_cast<I>(nz) - row_ptrs[row];
        if (place > 0 && cols[nz - 1] >= col) {
            return -1;
        }
        const auto end = row_ptrs[col + 1];
        return find_column(cols, row_ptrs[col], end, end - 1 - place, static_cast<I>(row));
    }

    const I* row_ptrs;
    const I* cols;
};

/// Makes b the transpose if rows are sorted, without duplicates, and every entry has its mirror image; otherwise b's entries are
/// undefined. A sample of the entries comes first: most matrices that are not like that show it there. @return whether it did
template <bool is_conjugate, typename V, typename I>
bool transpose_symmetric_pattern(const DeviceExecutor& exec, const Csr<V, I>& a, size_type nnz, Csr<V, I>& b)
{
    const auto size = a.get_size()[0];
    if (size != a.get_size()[1] || nnz == 0) {
        return false;
    }
    array<int32> has_failed{exec.shared_from_this(), 1};
    has_failed.fill(0);
    const mirror<I> mirror_of{a.get_const_row_ptrs(), a.get_const_col_idxs()};
    const auto num_samples = std::min(nnz, size_type{2048});
    run_for_each(exec, num_samples,
                 [mirror_of, size, step = nnz / num_samples,
                  has_failed = has_failed.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     const auto nz = i * step;
                     const auto row = kernel::find_row(mirror_of.row_ptrs, size_type{}, size - 1, nz);
                     if (mirror_of(row, nz) < 0) {
                         *has_failed = 1;  // whoever writes it writes the same
                     }
                 });
    if (exec.copy_val_to_host(has_failed.get_const_data()) != 0) {
        return false;
    }
    run_for_each_nonzero(exec, mirror_of.row_ptrs, size, nnz,
                         [mirror_of, values = as_device(a.get_const_values()), new_cols = b.get_col_idxs(),
                          new_values = as_device(b.get_values()),
                          has_failed = has_failed.get_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
                             if (*static_cast<const volatile int32*>(has_failed)) {
                                 return;
                             }
                             const auto place = mirror_of(row, nz);
                             if (place < 0) {
                                 *has_failed = 1;
                                 return;
                             }
                             new_cols[nz] = mirror_of.cols[nz];
                             new_values[nz] = is_conjugate ? conj_of(values[place]) : values[place];
                         });
    if (exec.copy_val_to_host(has_failed.get_const_data()) != 0) {
        return false;
    }
    exec.copy(size + 1, a.get_const_row_ptrs(), b.get_row_ptrs());
    return true;
}

/// Entries sorted by column, rows in order within a column: the transpose. Of the ways to get there the sort moves the fewest
/// bytes that keep the result repeatable: 20 for each entry in each pass (two or three for matrices of usual sizes), then 36
/// to fetch rows and values of double precision, against one atomic operation for each entry to count and one to place it,
/// writes of single entries all over the result, and the sort of each of its rows.
template <bool is_conjugate, typename V, typename I>
void transpose_by_sort(const DeviceExecutor& exec, const Csr<V, I>& a, size_type nnz, Csr<V, I>& b)
{
    namespace components = spruce::kernels::components;
    const auto shared_exec = exec.shared_from_this();
    array<I> cols{shared_exec, nnz};
    array<I> positions{shared_exec, nnz};
    components::sort_keys<I>(exec, a.get_const_col_idxs(), nullptr, nnz, a.get_size()[1], cols.get_data(),
                             positions.get_data());
    components::convert_idxs_to_ptrs<I>(exec, cols.get_const_data(), nnz, b.get_row_ptrs(), b.get_size()[0]);
    auto& rows = cols;
    components::convert_ptrs_to_idxs<I>(exec, a.get_const_row_ptrs(), a.get_size()[0], rows.get_data());
    gather_entries<is_conjugate>(exec, positions.get_const_data(), nnz, rows.get_const_data(), a.get_const_values(),
                                 b.get_col_idxs(), b.get_values());
}

template <bool is_conjugate, typename V, typename I>
void transpose_impl(const DeviceExecutor& exec, const Csr<V, I>& a, Csr<V, I>& b)
{
    // There may be room for more entries than there are.
    const auto nnz = static_cast<size_type>(exec.copy_val_to_host(a.get_const_row_ptrs() + a.get_size()[0]));
    if (!transpose_symmetric_pattern<is_conjugate>(exec, a, nnz, b)) {
        transpose_by_sort<is_conjugate>(exec, a, nnz, b);
    }
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

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
