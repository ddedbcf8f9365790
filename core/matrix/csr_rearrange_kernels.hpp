// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Declares the kernels for permutations, submatrices and changes of the diagonal.
namespace spruce::kernels::csr {

using matrix::Csr;
using matrix::Dense;

/// Computes inverse[permutation[i]] = i.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* permutation, size_type size, I* inverse)> invert_permutation{
    "csr::invert_permutation"};

/// Computes counts[i] = the number of entries in row rows[i].
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* rows, size_type num_rows, I* counts)> count_in_rows{
    "csr::count_in_rows"};

/// Finds the entries of a matrix c whose row i is row rows[i] of a. On entry, positions[nz] is the
/// row of entry nz of c. On exit, it is the position of that entry in a.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* a_row_ptrs, const I* rows, const I* c_row_ptrs, size_type nnz, I* positions)>
    locate_in_rows{"csr::locate_in_rows"};

/// Copies entries of a: entry nz of c is entry positions[nz] of a. If positions is null, it is
/// entry nz of a. The column index j of the entry becomes cols[j], or remains j if cols is null.
/// Row pointers are not read.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const I* positions, const I* cols, Csr<V, I>& c)> gather_entries{
    "csr::gather_entries"};

/// Computes numbers[i] = i.
SPRUCE_EXPORT inline Kernel<void(double* numbers, size_type size)> number_entries{"csr::number_entries"};

/// Computes positions[i] = numbers[i].
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const double* numbers, size_type size, I* positions)> convert_to_positions{
    "csr::convert_to_positions"};

/// Computes to[i] = from[positions[i]].
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* from, const I* positions, size_type size, V* to)> gather_values{
    "csr::gather_values"};

/// Computes flags[i] = 1 if begin <= col_idxs[i] < end, and 0 otherwise.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* col_idxs, size_type size, I begin, I end, I* flags)> mark_columns{
    "csr::mark_columns"};

/// Copies the marked entries of the rows of a from first_row on to c. targets is the prefix sum of
/// the flags of these entries and has num_entries + 1 elements. first_col is subtracted from the
/// column indices. Sets row pointers, column indices and values of c.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, size_type first_row, I first_col, const I* targets,
                                 size_type num_entries, Csr<V, I>& c)>
    fill_submatrix{"csr::fill_submatrix"};

/// Computes positions[i] = the position of the first entry (i, i), or -1 if there is none, for
/// 0 <= i < size. nnz is an upper bound of the number of entries of these rows. num_missing is the
/// number of positions that are -1.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* col_idxs, size_type size, size_type nnz, I* positions,
                                 size_type& num_missing)>
    find_diagonal{"csr::find_diagonal"};

/// Computes values[positions[i]] += alpha. alpha is 1 x 1.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const I* positions, size_type size, V* values)>
    add_at_positions{"csr::add_at_positions"};

}  // namespace spruce::kernels::csr
