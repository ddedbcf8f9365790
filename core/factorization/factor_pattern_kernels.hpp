// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>

#include "core/base/kernel.hpp"
#include "core/matrix/csr_lookup.hpp"

namespace spruce::factorization::detail {

/// Selects the part of a square matrix that an operator uses.
enum class matrix_part { whole, lower_triangle, upper_triangle };

}  // namespace spruce::factorization::detail

/// Declares kernels that prepare the patterns of factorizations and copy their values. Kernels that
/// find a row write its index to memory of the executor, which contains a larger number on entry.
/// If there is no such row, that number remains.
namespace spruce::kernels::factor_pattern {

using factorization::detail::matrix_part;
using matrix::Csr;

/// Finds the first row whose column indices do not strictly increase: it is not sorted, or an entry
/// is stored twice.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, I* row)> find_unsorted_row{"factor_pattern::find_unsorted_row"};

/// Computes sources[nz] = the entry of a at the row and column of entry nz of c, or -1 if a has no
/// such entry. a is sorted.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Csr<V, I>& c, I* sources)> locate_sorted{
    "factor_pattern::locate_sorted"};

/// Computes sources[nz] like locate_sorted() for a matrix a with these tables, which need not be
/// sorted.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const matrix::csr::lookup_view<I>& a, const Csr<V, I>& c, I* sources)> locate{
    "factor_pattern::locate"};

/// Finds the first row in which a does not have the pattern of c, which has as many rows.
/// @param sources     entry sources[nz] of a is at the place of entry nz of c, which is sorted; if
///                    negative, a has no entry there. Null: entries have the same order in both,
///                    which need not be sorted
/// @param part        entries of a outside this triangle are ignored, unless sources is null
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Csr<V, I>& c, const I* sources, matrix_part part, I* row)>
    find_changed_row{"factor_pattern::find_changed_row"};

/// Computes counts[i] = the number of entries of row i in the lower or upper triangle, with its
/// diagonal. a is sorted.
/// @param diagonal  entry (i, i) of each row i
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const I* diagonal, bool upper, I* counts)> count_in_triangle{
    "factor_pattern::count_in_triangle"};

/// Copies columns and values of the lower or upper triangle. The values of its diagonal are
/// replaced by ones if unit_diagonal is true.
/// @param triangle  has the row pointers from count_in_triangle()
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const I* diagonal, bool upper, bool unit_diagonal,
                                 Csr<V, I>& triangle)>
    copy_triangle{"factor_pattern::copy_triangle"};

/// Finds the first row i with values[diagonal[i]] = 0.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* values, const I* diagonal, size_type size, I* row)> find_zero{
    "factor_pattern::find_zero"};

/// Finds the first row i whose pivot |values[diagonal[i]]|, or its square, is at most
/// ratio * |a_ii|, or not a number.
/// @param a_values, sources  contain a_ii at sources[diagonal[i]], or at diagonal[i] if sources is
///                           null. An entry with a negative source is zero
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* values, const I* diagonal, size_type size, bool compares_squares,
                                 const V* a_values, const I* sources, remove_complex<V> ratio, I* row)>
    find_small_pivot{"factor_pattern::find_small_pivot"};

/// Finds the first row of a that has an entry that is not finite, or a diagonal entry that is zero,
/// or negative if values are real and requires_positive is true.
/// @param diagonal  position of the diagonal entry of each row in the values of a
/// @param row       memory of the executor, which contains a larger number on entry. If there is no
///                  such row, that number remains
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const matrix::Csr<V, I>& a, const I* diagonal, bool requires_positive, I* row)>
    find_unsuitable_row{"factor_pattern::find_unsuitable_row"};

}  // namespace spruce::kernels::factor_pattern
