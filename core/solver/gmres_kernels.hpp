// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/kernel.hpp"

/// The steps of GMRES for k right-hand sides: vectors n x k, scalars 1 x k.
namespace spruce::kernels::gmres {

using matrix::Dense;

/// Vectors of equal size and stride.
template <typename V>
using basis = std::vector<const Dense<V>*>;

/// Where column j of a packed triangle begins: the columns lie one after the other, with 1, 2, 3, ... entries.
constexpr size_type packed_begin(size_type column) { return column * (column + 1) / 2; }

/// How many vectors modified Gram-Schmidt takes at once: a pass has a sum and a coefficient of each in registers, twice.
template <typename V>
constexpr size_type group_size = sizeof(V) > 8 ? 4 : 8;

/// The rows of what is known of a right-hand side's problems beyond one cycle.
enum history_row : size_type {
    size_row,        ///< the largest norm of a column of H
    first_norm_row,  ///< of the residual that rounding errors are relative to
    exhausted_row,   ///< not zero where the space was exhausted: the next cycle keeps the other two
    num_history_rows
};

/// The least-squares problems min ||beta e_0 - H y|| of the right-hand sides, triangular by Givens rotations. Matrices have a
/// column for each right-hand side and at least the rows named.
template <typename V>
struct projection {
    Dense<V>& triangle;             ///< packed; what comes before its rotation has column j of H without its last entry
    Dense<remove_complex<V>>& cos;  ///< rotation i takes entries (i, i + 1): (cos sin; -conj(sin) cos)
    Dense<V>& sin;
    Dense<V>& rhs;  ///< rotated beta e_0, a row more than steps
    /// 1 x k: the norm of the vector that comes next; zero where the cycle is over: the space cannot grow any more.
    Dense<remove_complex<V>>& next_norm;
    Dense<remove_complex<V>>& start_norm;  ///< 1 x k: beta
    Dense<remove_complex<V>>& norm;        ///< 1 x k: of the residual
    Dense<remove_complex<V>>& history;     ///< by history_row; zero when a solve begins
    array<size_type>& num_steps;           ///< k: how many steps since the restart count for each right-hand side
};

/// Begins a cycle with residuals of these norms. Where one is zero or not finite the column stops; so it does where a cycle has
/// been (is_restart) and the norm is no smaller than before. Columns that have stopped take no steps and keep their norm.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& residual_norm, bool is_restart,
                                 const projection<V>& problem, array<stopping_status>& status)>
    start_cycle{"gmres::start_cycle"};

/// Where the coefficients of a new vector go.
template <typename V>
struct coefficients {
    size_type step;
    Dense<V>& h;         ///< a row for each vector
    Dense<V>& triangle;  ///< of the projection: column step
};

/// v = v / norm; 0 where the norm is zero
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& norm, Dense<V>& v)> normalize{"gmres::normalize"};

/// h_i = (v_i, w) in row i of h, and in the triangle's column step the same, or added to what there is.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& w, bool add, const coefficients<V>& result,
                                 const Reduction& reduction)>
    multi_dot{"gmres::multi_dot"};

/// w = w - sum_i h_i v_i, with row i of h
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& h, Dense<V>& w)> subtract{"gmres::subtract"};

/// Modified Gram-Schmidt for vectors v_i number first, ... of the basis, up to group_size of them: w = w - sum_i h_i u_i with the vectors
/// u_i of the group before, if there is one, and row i of h; then h_i = (v_i, w - sum_{j < i} h_j v_j), which also becomes entry
/// (first + i, step) of the triangle. Row (first + i) group_size + j of overlaps has (v_i, v_j) for j < i, so that one pass suffices
/// (Swirydowicz, Langou, Ananthan, Yang, Thomas: Low synchronization Gram-Schmidt and GMRES algorithms, 2021).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& before, const basis<V>& group, size_type first,
                                 const Dense<V>& overlaps, Dense<V>& w, const coefficients<V>& result,
                                 const Reduction& reduction)>
    subtract_and_dot{"gmres::subtract_and_dot"};

/// normalize for vector number index of the basis; row index group_size + j of overlaps becomes (v, v_j) for the vectors v_j of its
/// group that there are before it, at least one.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& norm, const basis<V>& group, size_type index,
                                 Dense<V>& v, Dense<V>& overlaps, const Reduction& reduction)>
    normalize_in_group{"gmres::normalize_in_group"};

/// w = w - sum_i h_i v_i, and with ||w|| and the triangle's column step of H the step ends: rotations, norm of the residual.
/// What is left of less than 10 epsilon of the column of H is rounding: the cycle is over there, and the column stops if its
/// triangle is singular (breakdown_subspace) or the residual is exactly zero. It also stops if both are rounding errors of the first
/// residual, which are the larger ones when the residual has become small. Columns with infinity or NaN stop; their steps
/// before count.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& h, size_type step, Dense<V>& w,
                                 const projection<V>& problem, array<stopping_status>& status,
                                 const Reduction& reduction)>
    finish_step{"gmres::finish_step"};

/// rhs = triangle^-1 rhs for the steps of each column, weight = 1; where there are none, weight = 0. Where the solution is not
/// finite the column stops, and no steps count.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const projection<V>& problem, Dense<V>& weight, array<stopping_status>& status)>
    solve_triangle{"gmres::solve_triangle"};

/// x = x + sum_i y_i v_i, over the steps that count for each column; entries that would overflow stay finite
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& y, const array<size_type>& num_steps,
                                 Dense<V>& x)>
    add_combination{"gmres::add_combination"};

}  // namespace spruce::kernels::gmres
