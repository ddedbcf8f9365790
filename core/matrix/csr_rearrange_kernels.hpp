// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// What permutations, sub-matrices and changes of the diagonal are made of.
namespace spruce::kernels::csr {

using matrix::Csr;
using matrix::Dense;

/// inverse[permutation[i]] = i
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* permutation, size_type size, I* inverse)> invert_permutation{
    "csr::invert_permutation"};

/// counts[i] = length of row rows[i]
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* rows, size_type num_rows, I* counts)> count_in_rows{
    "csr::count_in_rows"};

/// For a matrix c whose row i is row rows[i] of a: places[nz] is the row of c's entry nz before, and its place in a after.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* a_row_ptrs, const I* rows, const I* c_row_ptrs, size_type nnz, I* places)>
    locate_in_rows{"csr::locate_in_rows"};

/// c's entry nz is a's entry places[nz], or nz where places is null, in column cols[its column], or its own where cols is
/// null. Row pointers are not looked at.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const I* places, const I* cols, Csr<V, I>& c)> gather_entries{
    "csr::gather_entries"};

/// numbers[i] = i
SPRUCE_EXPORT inline Kernel<void(double* numbers, size_type size)> number_entries{"csr::number_entries"};

/// places[i] = numbers[i]
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const double* numbers, size_type size, I* places)> convert_to_places{
    "csr::convert_to_places"};

/// to[i] = from[places[i]]
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* from, const I* places, size_type size, V* to)> gather_values{
    "csr::gather_values"};

/// flags[i] = whether begin <= col_idxs[i] < end
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* col_idxs, size_type size, I begin, I end, I* flags)> mark_columns{
    "csr::mark_columns"};

/// c is made of the entries of a's rows from first_row on that are marked: targets is the prefix sum of their flags, with
/// num_entries + 1 elements. first_col is taken off their columns. Sets row pointers, columns and values.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, size_type first_row, I first_col, const I* targets,
                                 size_type num_entries, Csr<V, I>& c)>
    fill_submatrix{"csr::fill_submatrix"};

/// places[i] = where entry (i, i) is, or -1; num_missing = how many are -1. For i = 0, ..., size - 1.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* col_idxs, size_type size, I* places,
                                 size_type& num_missing)>
    find_diagonal{"csr::find_diagonal"};

/// values[places[i]] += alpha, which is 1 x 1
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& alpha, const I* places, size_type size, V* values)> add_at_places{
    "csr::add_at_places"};

}  // namespace spruce::kernels::csr
