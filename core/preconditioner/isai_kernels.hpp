// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/preconditioner/isai.hpp>

#include "core/base/kernel.hpp"

namespace spruce::preconditioner::detail {

/// Number of entries of the longest row in class 0. In each of the next classes, the longest row
/// has twice as many entries as in the class before. GPUs solve a row of the first four classes by
/// a subwarp, and one of the next two by a block of threads.
constexpr int max_row_of_first_class = 4;
constexpr int num_subwarp_classes = 4;
constexpr int num_dense_classes = 6;
/// Number of entries of the longest row that a subwarp solves.
constexpr int max_subwarp_row = max_row_of_first_class << (num_subwarp_classes - 1);
/// Number of entries of the longest row that is solved as a dense system.
constexpr int max_dense_row = max_row_of_first_class << (num_dense_classes - 1);
/// The class of longer rows that are solved by substitution.
constexpr int substituted_class = num_dense_classes;
/// The class of rows that are part of an excess system.
constexpr int excess_class = num_dense_classes + 1;
constexpr int num_row_classes = num_dense_classes + 2;

/// Contains the numbers of entries of the longest rows that are not part of an excess system.
struct row_limits {
    int dense = max_dense_row;  ///< of types general and spd
    int substituted = 1024;     ///< of triangles, whose rows of up to max_subwarp_row entries are dense systems
};

/// Largest number of sweeps that scale the rows and columns of a system.
constexpr int max_scaling_sweeps = 8;
/// Largest residual of a dense system of type general with more than max_subwarp_row unknowns, in
/// the maximum norm. The residual is that of the scaled system, whose right-hand side is a unit
/// vector. The rounding errors of the residual count, too, so that systems are refused whose
/// solutions are so large that they have no correct digits.
constexpr double max_dense_residual = 1e-2;
/// Bounds the rounding errors of a residual of an excess system: this factor times machine
/// precision times the sum of the absolute values of its terms.
constexpr int residual_rounding_factor = 16;

/// Returns true if T is a triangle and M approximates its inverse.
constexpr bool is_triangular(isai_type type) { return type == isai_type::lower || type == isai_type::upper; }

/// Views a matrix T and the pattern of its approximate inverse M, or of G for type spd. Columns are
/// sorted. T is the whole matrix for type general, the upper triangle for type upper, and otherwise
/// the lower triangle.
template <typename ValueType, typename IndexType>
struct isai_view {
    isai_type type;
    const IndexType* row_ptrs;  ///< of M
    const IndexType* cols;
    const IndexType* t_row_ptrs;
    const IndexType* t_cols;
    const ValueType* t_values;  ///< contains the value of entry nz of T at sources[nz], or at nz if sources is null
    const IndexType* sources;
    bool conjugates;                              ///< true if T has the conjugates of these values
    const IndexType* order;                       ///< rows by class
    size_type class_begins[num_row_classes + 1];  ///< offset of each class in order
};

/// Views the rows of an excess system, a block-diagonal matrix with a block T(S, S) for each row of
/// M with the columns S. For type spd, it is the lower triangle of T(S, S) with half the diagonal.
template <typename IndexType>
struct excess_view {
    const IndexType* rows;  ///< of M, one for each block
    size_type num_blocks;
    const IndexType* block_ptrs;  ///< first unknown of each block, and the number of unknowns
    size_type num_unknowns;
};

}  // namespace spruce::preconditioner::detail

/// Declares kernels for sparse approximate inverses. bad_row is memory of the executor, which
/// contains the number of rows on entry. On exit, it contains the smallest row that cannot be
/// solved, or that is not finite, if there is one. If the reason is a zero on the diagonal of a
/// triangle, it is the row of this zero.
namespace spruce::kernels::isai {

using preconditioner::detail::excess_view;
using preconditioner::detail::isai_view;
using preconditioner::detail::row_limits;

/// Computes the class of each row from its length.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, size_type num_rows, bool is_triangular, row_limits limits,
                                 I* classes)>
    classify_rows{"isai::classify_rows"};

/// Computes the values of M, or of G for type spd, in all rows but those of the excess class.
/// @param workspace  memory for dense systems, which grows if it is too small
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const isai_view<V, I>& m, array<V>& workspace, V* values, I* bad_row)> compute_rows{
    "isai::compute_rows"};

/// Computes the number of candidates of each unknown of an excess system: the places where its row
/// may have an entry. counts has one more element than there are unknowns, which is not written.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const isai_view<V, I>& m, const excess_view<I>& system, I* counts)> bound_excess_rows{
    "isai::bound_excess_rows"};

/// Computes flags[c] = 1 if candidate c is an entry of the excess system, otherwise 0.
/// @param candidate_ptrs  offsets of the candidates of each unknown, from bound_excess_rows()
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const isai_view<V, I>& m, const excess_view<I>& system, const I* candidate_ptrs,
                                 size_type num_candidates, I* flags)>
    find_excess_entries{"isai::find_excess_entries"};

/// Computes the matrix of an excess system and its right-hand side, e_i(S) in each block.
/// @param positions  the number of entries before each candidate, and the number of all entries
/// @param matrix     has a row for each unknown, and memory for the entries
/// @param scales     for each unknown, a power of two whose square is about the reciprocal of the
///     absolute value of its diagonal entry; unchanged for type general
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const isai_view<V, I>& m, const excess_view<I>& system, const I* candidate_ptrs,
                                 size_type num_candidates, const I* positions, matrix::Csr<V, I>& matrix, V* rhs,
                                 V* scales, I* bad_row)>
    fill_excess_system{"isai::fill_excess_system"};

/// Computes new_row_scales: row_scales times powers of two, with which the largest absolute value
/// in each row of diag(row_scales) matrix diag(col_scales) moves halfway to 1, measured in its
/// exponent.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const matrix::Csr<V, I>& matrix, const V* row_scales, const V* col_scales,
                                 V* new_row_scales)>
    equilibrate_rows{"isai::equilibrate_rows"};

/// Computes the residual norm of each block of an excess system.
/// @param residuals  of all unknowns
/// @param bounds     for each unknown, the sum of the absolute values of the terms of its residual
/// @param limit      largest norm of a block that is accepted. If the rounding errors of the norm
///     are larger, but at most max_dense_residual, these are the limit.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const excess_view<I>& system, const V* residuals, const remove_complex<V>* bounds,
                                 remove_complex<V> limit, remove_complex<V>* norms, I* bad_row)>
    check_excess_blocks{"isai::check_excess_blocks"};

/// Stores the solution of an excess system in the rows of M. The unknowns of row i are those of M
/// divided by their row_scales and, except for type spd, by the entry of col_scales of unknown i.
/// For type spd, a row of G is the solution of its block, divided by the square root of the last
/// unknown of the block.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const isai_view<V, I>& m, const excess_view<I>& system, const V* solution,
                                 const V* row_scales, const V* col_scales, V* values, I* bad_row)>
    store_excess_rows{"isai::store_excess_rows"};

}  // namespace spruce::kernels::isai
