// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Transposes Csr. Most matrices of discretised equations have an entry (j, i) for each entry
// (i, j). Then the transpose has the pattern of the matrix, and the value of an entry is in row j.
// It is found at the mirrored position or by bisection. This method is tried first. It stops at the
// first entry without a mirror image, and a radix sort by columns is used instead.

#include "common/gpu/base/prelude.hpp"
#include "common/unified/components/gather_entries.hpp"
#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"
#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/permutation_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {

using matrix::Csr;

/// Returns the position of col in a row, or -1. It first tries a guess. In a row that is not
/// sorted, col may be missed.
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

/// Finds mirror images of the entries of a matrix.
template <typename I>
struct mirror {
    /// Returns the position of the mirror image of entry nz, which is in this row. It returns -1 if
    /// there is none, or if the columns do not ascend strictly at the entry.
    __device__ __forceinline__ I operator()(size_type row, size_type nz) const
    {
        const auto col = cols[nz];
        const auto position = static_cast<I>(nz) - row_ptrs[row];
        if (position > 0 && cols[nz - 1] >= col) {
            return -1;
        }
        const auto end = row_ptrs[col + 1];
        return find_column(cols, row_ptrs[col], end, end - 1 - position, static_cast<I>(row));
    }

    const I* row_ptrs;
    const I* cols;
};

/// Sets b to the transpose of a if rows are sorted, without duplicates, and every entry has a
/// mirror image; otherwise the entries of b are undefined. A sample of the entries is tested first:
/// it rejects most matrices without this property (doc/tuning/conversions.md).
/// @return true if b is the transpose
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
                         *has_failed = 1;  // all threads write one value
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
                             const auto position = mirror_of(row, nz);
                             if (position < 0) {
                                 *has_failed = 1;
                                 return;
                             }
                             new_cols[nz] = mirror_of.cols[nz];
                             new_values[nz] = is_conjugate ? conj_of(values[position]) : values[position];
                         });
    if (exec.copy_val_to_host(has_failed.get_const_data()) != 0) {
        return false;
    }
    exec.copy(size + 1, a.get_const_row_ptrs(), b.get_row_ptrs());
    return true;
}

/// Sets b to the transpose of a, which is a stable sort of the entries by column. Among the
/// repeatable methods, the sort moves the fewest bytes. Per entry it moves 20 bytes in each pass
/// (two or three passes for matrices of usual sizes), then 36 bytes to gather rows and values in
/// double precision. The alternative needs one atomic operation per entry to count and one to place
/// it, scattered writes of single entries, and a sort of each row of the result
/// (doc/tuning/conversions.md).
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

/// Sorts the entries by column. Without positions, the sort moves the rows of the entries, and
/// nothing is gathered afterwards.
template <typename I>
void transpose_pattern(const DeviceExecutor& exec, const dim<2>& size, size_type nnz, const I* row_ptrs,
                       const I* col_idxs, I* new_row_ptrs, I* new_col_idxs, I* positions)
{
    namespace components = spruce::kernels::components;
    const auto shared_exec = exec.shared_from_this();
    array<I> rows{shared_exec, nnz};
    components::convert_ptrs_to_idxs<I>(exec, row_ptrs, size[0], rows.get_data());
    array<I> sorted_cols{shared_exec, nnz};
    components::sort_keys<I>(exec, col_idxs, positions ? nullptr : rows.get_const_data(), nnz,
                             std::max<size_type>(size[1], 1), sorted_cols.get_data(),
                             positions ? positions : new_col_idxs);
    components::convert_idxs_to_ptrs<I>(exec, sorted_cols.get_const_data(), nnz, new_row_ptrs, size[1]);
    if (positions) {
        spruce::kernels::permutation::compose<I>(exec, rows.get_const_data(), positions, nnz, new_col_idxs);
    }
}

template <bool is_conjugate, typename V, typename I>
void transpose_impl(const DeviceExecutor& exec, const Csr<V, I>& a, Csr<V, I>& b)
{
    // The arrays may have unused capacity.
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
