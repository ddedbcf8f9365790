// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>

#include "core/base/kernel.hpp"
#include "core/factorization/incomplete_schedule.hpp"

/// Declares kernels for incomplete factorizations in the pattern of the matrix. The columns of each
/// row are sorted, and every diagonal entry is stored. bad_row is memory of the executor, which
/// contains the number of rows on entry. If another number is there on exit, the values of the
/// factors are undefined.
namespace spruce::kernels::incomplete {

using factorization::detail::incomplete_schedule;
using matrix::Csr;

/// Fills a schedule, whose diagonal is given.
/// @param factors  has the pattern of L + U, or of L if the matrix is Hermitian
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const Csr<V, I>& factors, bool is_hermitian, incomplete_schedule<I>& schedule)>
    analyze{"incomplete::analyze"};

/// Computes L and U with (L U)_ij = a_ij for each entry (i, j) of the pattern, where L has a
/// diagonal of ones: l_ij = (a_ij - sum_{k < j} l_ik u_kj) / u_jj for j < i, and otherwise u_ij =
/// a_ij - sum_{k < i} l_ik u_kj.
/// @param a_values  contains a_ij at sources[nz] for entry nz, or at nz if sources
///                  is null. An entry with a negative source is zero.
/// @param factors   the entries of L below the diagonal, and U
/// @param bad_row   the first row that has a zero pivot or an entry that is not finite
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* a_values, const I* sources, const incomplete_schedule<I>& schedule,
                                 Csr<V, I>& factors, I* bad_row)>
    compute_lu{"incomplete::compute_lu"};

/// Computes L with (L L^H)_ij = a_ij for each entry (i, j), j <= i, of the pattern: l_ij = (a_ij -
/// sum_{k < j} l_ik conj(l_jk)) / l_jj for j < i, and l_ii is the positive square root of a_ii -
/// sum_{k < i} |l_ik|^2, whose imaginary part is ignored.
/// @param a_values  contains a_ij at sources[nz], or at nz if sources is null, for entry nz. An
///                  entry with a negative source is zero.
/// @param factor    L
/// @param bad_row   the first row that has a pivot that is not positive or an entry that is not
///                  finite
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* a_values, const I* sources, const incomplete_schedule<I>& schedule,
                                 Csr<V, I>& factor, I* bad_row)>
    compute_cholesky{"incomplete::compute_cholesky"};

}  // namespace spruce::kernels::incomplete
