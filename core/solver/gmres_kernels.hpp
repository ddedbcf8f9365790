// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/kernel.hpp"

/// Declares the steps of GMRES for k right-hand sides: vectors n x k, scalars 1 x k.
namespace spruce::kernels::gmres {

using matrix::Dense;

/// Lists vectors of equal size and stride.
template <typename V>
using basis = std::vector<const Dense<V>*>;

/// Returns the offset of column j of a packed triangle. The columns are stored one after the other,
/// with 1, 2, 3, ... entries.
constexpr size_type packed_begin(size_type column) { return column * (column + 1) / 2; }

/// Limits the number of vectors in one pass of modified Gram-Schmidt, which keeps a sum and a
/// coefficient of each in registers, twice (doc/tuning/solvers.md).
template <typename V>
constexpr size_type group_size = sizeof(V) > 8 ? 4 : 8;

/// Names the rows of projection::history: numbers of each right-hand side that are kept beyond one
/// cycle.
enum history_row : size_type {
    size_row,        ///< the largest norm of a column of H
    first_norm_row,  ///< norm of the residual to which rounding errors are relative
    exhausted_row,   ///< not zero if the space could not grow: the next cycle keeps the other rows
    num_history_rows
};

/// Refers to the least-squares problems min ||beta e_0 - H y|| of the right-hand sides, made
/// triangular by Givens rotations. Matrices have a column for each right-hand side and at least the
/// rows named.
template <typename V>
struct projection {
    /// Packed columns. Before its rotation, column j is that of H without its last entry.
    Dense<V>& triangle;
    /// Rotation i is (cos sin; -conj(sin) cos) for entries i and i + 1.
    Dense<remove_complex<V>>& cos;
    Dense<V>& sin;
    Dense<V>& rhs;  ///< rotated beta e_0, one row more than steps
    /// 1 x k: norm of the next basis vector before normalization; zero where the space cannot grow,
    /// so that the cycle is over.
    Dense<remove_complex<V>>& next_norm;
    Dense<remove_complex<V>>& start_norm;  ///< 1 x k: beta
    Dense<remove_complex<V>>& norm;        ///< 1 x k: norm of the residual
    Dense<remove_complex<V>>& history;     ///< by history_row; zero when a solve begins
    array<size_type>& num_steps;           ///< k: steps of this cycle that each column took part in
};

/// Starts a cycle with residuals of these norms. A column stops if its norm is zero or not finite.
/// If is_restart, a column also stops if its norm is not smaller than at the start of the previous
/// cycle (stagnation). Columns that have stopped take no steps and keep their norm.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& residual_norm, bool is_restart,
                                 const projection<V>& problem, array<stopping_status>& status)>
    start_cycle{"gmres::start_cycle"};

/// Refers to the coefficients of the new vector in step number step.
template <typename V>
struct coefficients {
    size_type step;
    Dense<V>& h;         ///< a row for each vector
    Dense<V>& triangle;  ///< projection::triangle, whose column step they belong to
};

/// Computes v = v / norm, and v = 0 where the norm is zero.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& norm, Dense<V>& v)> normalize{"gmres::normalize"};

/// Computes h_i = (v_i, w) in row i of h. The column of the triangle is set to these numbers or,
/// with add, increased by them.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& w, bool add, const coefficients<V>& result,
                                 const Reduction& reduction)>
    multi_dot{"gmres::multi_dot"};

/// Computes w = w - sum_i h_i v_i, with row i of h.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& h, Dense<V>& w)> subtract{"gmres::subtract"};

/// Performs modified Gram-Schmidt for a group of up to group_size vectors v_i with the numbers
/// first, first + 1, ... in the basis. First computes w = w - sum_i h_i u_i with row i of h, where
/// u_i are the vectors of the previous group, if there is one. Then computes h_i = (v_i, w - sum_{j
/// < i} h_j v_j), also as entry (first + i, step) of the triangle. Row (first + i) * group_size + j
/// of overlaps contains (v_i, v_j) for j < i, so that one pass suffices. Source: Swirydowicz,
/// Langou, Ananthan, Yang and Thomas, Low synchronization Gram-Schmidt and GMRES algorithms, 2021.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& before, const basis<V>& group, size_type first,
                                 const Dense<V>& overlaps, Dense<V>& w, const coefficients<V>& result,
                                 const Reduction& reduction)>
    subtract_and_dot{"gmres::subtract_and_dot"};

/// Computes v = v / norm for vector number index of the basis, and v = 0 where the norm is zero.
/// Sets row index * group_size + j of overlaps to (v, v_j) for the earlier vectors v_j of its
/// group, of which there is at least one.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& norm, const basis<V>& group, size_type index,
                                 Dense<V>& v, Dense<V>& overlaps, const Reduction& reduction)>
    normalize_in_group{"gmres::normalize_in_group"};

/// Computes w = w - sum_i h_i v_i, and completes column number step of H with ||w||: performs the
/// rotations and computes the norm of the residual. The cycle is over for a column if ||w|| is at
/// most 10 epsilon times the norm of its column of H. It then stops if its triangle is singular
/// (breakdown_subspace), or if its residual is exactly zero. It also stops (breakdown_subspace) if
/// ||w|| and the diagonal entry of the triangle consist of rounding errors of the first residual,
/// which exceed those of H when the residual has become small. Columns with infinity or NaN stop
/// and keep their earlier steps.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& h, size_type step, Dense<V>& w,
                                 const projection<V>& problem, array<stopping_status>& status,
                                 const Reduction& reduction)>
    finish_step{"gmres::finish_step"};

/// Computes rhs = triangle^-1 rhs for the steps of each column. weight = 1, or 0 where there are no
/// steps. Where the solution is not finite, the column stops and its steps are discarded.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const projection<V>& problem, Dense<V>& weight, array<stopping_status>& status)>
    solve_triangle{"gmres::solve_triangle"};

/// Computes x = x + sum_i y_i v_i for i < num_steps_j in column j. Entries that would overflow do
/// not change.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& y, const array<size_type>& num_steps,
                                 Dense<V>& x)>
    add_combination{"gmres::add_combination"};

}  // namespace spruce::kernels::gmres
