// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Declares kernels that set up and apply the levels of multigrid methods. Matrices a and f are
/// n x n, and have a diagonal entry in each row.
namespace spruce::kernels::multigrid {

using matrix::Csr;
using matrix::Dense;

/// Computes scale[i] = 1 / sqrt(|a_ii|).
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* values, const I* diagonal, size_type size, remove_complex<V>* scale)>
    scale_by_diagonal{"multigrid::scale_by_diagonal"};

/// Computes inverse[i] = 1 / a_ii.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* values, const I* diagonal, size_type size, V* inverse)> invert_diagonal{
    "multigrid::invert_diagonal"};

/// Computes is_strong[nz] = 1 for entries a_ij of the diagonal or with
/// |a_ij| scale_i scale_j > threshold, and 0 for others. If includes_row_strong is true, entries
/// with |a_ij| scale_i^2 > threshold are strong, too.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const remove_complex<V>* scale, remove_complex<V> threshold,
                                 bool includes_row_strong, I* is_strong)>
    mark_strong{"multigrid::mark_strong"};

/// Selects the entries nz of a with targets[nz + 1] > targets[nz], where targets contains prefix
/// sums of the marks of mark_strong(). Entry targets[nz] of the result is entry nz of a.
/// @param sources  becomes the entry of a for each entry of the result
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const I* targets, I* row_ptrs, I* col_idxs, I* sources)>
    select_entries{"multigrid::select_entries"};

/// Adds dropped_i = a_sums_i - f_sums_i to the diagonal entry f_ii, unless the real part of
/// (f_ii + dropped_i) / f_ii is less than 0.1.
/// @param a_sums, f_sums  n x 1: row sums of a matrix, and of f, which lacks some of its entries
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& a_sums, const Dense<V>& f_sums, const I* diagonal, Csr<V, I>& f)>
    lump_dropped{"multigrid::lump_dropped"};

/// Computes the values of M = I - omega D^-1 F, where D is the diagonal of F. M has the pattern of
/// F.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& f, const I* diagonal, remove_complex<V> omega, V* values)>
    compute_smoothing_matrix{"multigrid::compute_smoothing_matrix"};

/// Computes the rows of the tentative prolongation T from aggregates: row i has the entry 1 in
/// column aggregates[i], or none if that is negative.
/// @param row_ptrs, col_idxs, values  have room for n + 1, n and n elements
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const I* aggregates, size_type size, I* row_ptrs, I* col_idxs, V* values,
                                 size_type& nnz)>
    fill_tentative{"multigrid::fill_tentative"};

/// Computes aggregates[i] = of_blocks[i / block_size], or i / block_size if of_blocks is null.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* of_blocks, size_type block_size, size_type size, I* aggregates)>
    expand_blocks{"multigrid::expand_blocks"};

/// Computes the pattern of a prolongation with k = num_vectors entries in each row of an aggregate:
/// those of row i are in the columns k aggregates[i] + j, j < k.
/// @param row_ptrs  on entry of the pattern with one entry in these rows, on exit of the result
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* aggregates, size_type num_rows, size_type num_vectors, I* row_ptrs, I* cols)>
    fill_vector_columns{"multigrid::fill_vector_columns"};

/// Computes B = Q R for the rows of B in each aggregate, by two passes of the modified Gram-Schmidt
/// method. A column that depends on those before it, up to the square root of the machine
/// precision, becomes zero in Q and has a zero row in R.
/// Source: Golub and Van Loan, Matrix Computations, section 5.2.
/// @param ptrs, rows  the rows of each aggregate
/// @param row_ptrs    of Q, whose row i has k entries if it is in an aggregate
/// @param b           n x k
/// @param r           k num_aggregates x k
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const I* ptrs, const I* rows, size_type num_aggregates, const I* row_ptrs,
                                 const Dense<V>& b, V* q, Dense<V>& r)>
    orthonormalize{"multigrid::orthonormalize"};

/// Completes the diagonal of the coarse matrix C = R A P, R = P^H, for vectors that A maps to zero,
/// as those of a part without connection to others. With d_j = sum over i of |r_ji|^2 a_ii, c_jj
/// becomes d_j where |c_jj| <= 16 epsilon |d_j|. Where d_j is zero, as for columns of zeros, c_jj
/// becomes the diagonal entry with the largest magnitude of the num_vectors rows of its node, or if
/// that is zero, a_00.
/// @param a       its rows are sorted, with an entry on the diagonal; it has a row if C has one
/// @param coarse  its rows are sorted, with an entry on the diagonal
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& a, const Csr<V, I>& r, size_type num_vectors, Csr<V, I>& coarse)>
    complete_diagonal{"multigrid::complete_diagonal"};

/// Computes x_i = scale_i b_i. b and x: n x 1; they may be equal.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const remove_complex<V>* scale, const Dense<V>& b, Dense<V>& x)> scale_rows{
    "multigrid::scale_rows"};

/// Fills x with pseudo-random numbers between -1 and 1 that depend on the row alone. x: n x 1.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& x)> fill_random{"multigrid::fill_random"};

/// Computes the largest sums_i scale_i^2. sums: n x 1, real and nonnegative.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& sums, const remove_complex<V>* scale, remove_complex<V>& result)>
    find_largest_scaled{"multigrid::find_largest_scaled"};

/// Computes d = alpha inverse_diagonal r + beta d and x = x + d. If beta is zero, d is not read. If
/// from_zero is true, x = d.
/// @param inverse_diagonal  n elements
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const V* inverse_diagonal, const Dense<V>& r, remove_complex<V> alpha,
                                 remove_complex<V> beta, bool from_zero, Dense<V>& d, Dense<V>& x)>
    smoothing_step{"multigrid::smoothing_step"};

}  // namespace spruce::kernels::multigrid
