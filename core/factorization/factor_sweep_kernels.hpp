// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/math.hpp>
#include <spruce/base/reduction.hpp>
#include <spruce/base/types.hpp>

#include "core/base/kernel.hpp"

namespace spruce::factorization::detail {

/// Views a matrix A and the pattern of its incomplete factors, whose columns are sorted in each
/// row and which stores all diagonal entries: that of L + U, or of L for L L^H.
template <typename ValueType, typename IndexType>
struct sweep_view {
    size_type num_rows;
    size_type num_entries;  ///< of the factors
    const IndexType* row_ptrs;
    const IndexType* rows;  ///< the row of each entry
    const IndexType* cols;
    const IndexType* diagonal;  ///< entry (i, i) of each row i
    /// The entries of L + U by columns: offsets of columns, rows, and numbers of the entries.
    /// Null for L L^H, and if has_long_rows is false.
    const IndexType* col_ptrs;
    const IndexType* col_rows;
    const IndexType* col_entries;
    /// Contains a_ij at sources[nz] for entry nz, or at nz if sources is null. An entry with a
    /// negative source is zero.
    const ValueType* a_values;
    const IndexType* sources;
};

}  // namespace spruce::factorization::detail

/// Declares kernels for incomplete factorizations by fixed-point iterations (Chow and Patel 2015).
namespace spruce::kernels::factor_sweep {

using factorization::detail::sweep_view;

/// Computes result = true if there is a row with more entries than sweep_lu computes as a whole. In
/// this case, sweep_lu needs the entries by columns.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, size_type num_entries, bool& result)>
    has_long_rows{"factor_sweep::has_long_rows"};

/// Computes the initial guess A for L + U, which divide_by_pivots turns into factors, or, for
/// L L^H, l_ij = a_ij / sqrt(a_jj), l_ii = sqrt(a_ii), where 1 replaces a_jj if it is not positive.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const sweep_view<V, I>& f, bool is_hermitian, V* values)> start{"factor_sweep::start"};

/// Performs a damped sweep. F solves the equation (L U)_ij = a_ij of each place of the pattern for
/// the entry (i, j) of the factors, with the given values of all other entries. Below the diagonal,
/// it yields p_ij = l_ij u_jj instead of l_ij. Computes next = omega F(values) + (1 - omega) p,
/// where p contains the given u_ij and p_ij. If omega is 1, an entry of next does not depend on the
/// given value of the same entry.
/// @param next       divide_by_pivots turns it into factors
/// @param row_norms  memory for a value of each row
/// @param squared_norm  the sum of squares of the relative residuals |(A - L U)_ij| / (|a_ij| +
///                      sum_k |l_ik u_kj|) for the given values, over the entries of the pattern.
///                      It is bitwise repeatable, and scaling of rows or columns does not change it
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const sweep_view<V, I>& f, remove_complex<V> omega, const V* values, V* next,
                                 remove_complex<V>* row_norms, remove_complex<V>* squared_norm,
                                 const Reduction& reduction)>
    sweep_lu{"factor_sweep::sweep_lu"};

/// Divides the entries (i, j) of L + U with i > j by u_jj unless it is zero. After each sweep, L U
/// is Hermitian if A is, because l_ij u_jj is the conjugate of u_ji.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const sweep_view<V, I>& f, V* values)> divide_by_pivots{
    "factor_sweep::divide_by_pivots"};

/// Computes next = omega F(values) + (1 - omega) values, where F solves the equation (L L^H)_ij =
/// a_ij of each place of the pattern for the entry (i, j) of L, with the given values of all other
/// entries. A diagonal entry is not changed if its square would not be positive.
/// @param squared_norm  as for sweep_lu; infinite if the square of a diagonal entry would not be
///                      positive
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const sweep_view<V, I>& f, remove_complex<V> omega, const V* values, V* next,
                                 remove_complex<V>* squared_norm, const Reduction& reduction)>
    sweep_cholesky{"factor_sweep::sweep_cholesky"};

}  // namespace spruce::kernels::factor_sweep
