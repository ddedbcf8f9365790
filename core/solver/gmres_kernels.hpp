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

/// Returns where column j of a packed triangle begins. The columns lie one after the other, with
/// 1, 2, 3, ... entries.
constexpr size_type packed_begin(size_type column) { return column * (column + 1) / 2; }

/// Limits the vectors of one pass of modified Gram-Schmidt: it has a sum and a coefficient of each
/// in registers, twice.
template <typename V>
constexpr size_type group_size = sizeof(V) > 8 ? 4 : 8;

/// Names the rows of what is known of a right-hand side beyond one cycle.
enum history_row : size_type {
    size_row,        ///< the largest norm of a column of H
    first_norm_row,  ///< of the residual that rounding errors are relative to
    exhausted_row,   ///< not zero where the space was exhausted: the next cycle keeps the other two
    num_history_rows
};

/// Refers to the least-squares problems min ||beta e_0 - H y|| of the right-hand sides, made
/// triangular by Givens rotations. Matrices have a column for each right-hand side and at least the
/// rows named.
template <typename V>
struct projection {
    /// Packed. Before its rotation, column j has the column of H without the last entry.
    Dense<V>& triangle;
    /// Rotation i is (cos sin; -conj(sin) cos) for entries i and i + 1.
    Dense<remove_complex<V>>& cos;
    Dense<V>& sin;
    Dense<V>& rhs;  ///< rotated beta e_0, a row more than steps
    /// 1 x k: the norm of the vector that comes next; zero where the cycle is over: the space
    /// cannot grow any more.
    Dense<remove_complex<V>>& next_norm;
    Dense<remove_complex<V>>& start_norm;  ///< 1 x k: beta
    Dense<remove_complex<V>>& norm;        ///< 1 x k: of the residual
    Dense<remove_complex<V>>& history;     ///< by history_row; zero when a solve begins
    array<size_type>& num_steps;           ///< k: steps since the restart that count
};

/// Starts a cycle with residuals of these norms. A column stops where its norm is zero or not
/// finite, and after an earlier cycle (is_restart) where its norm is no smaller than before.
/// Columns that have stopped take no steps and keep their norm.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& residual_norm, bool is_restart,
                                 const projection<V>& problem, array<stopping_status>& status)>
    start_cycle{"gmres::start_cycle"};

/// Tells where the coefficients of a new vector are stored.
template <typename V>
struct coefficients {
    size_type step;
    Dense<V>& h;         ///< a row for each vector
    Dense<V>& triangle;  ///< of the projection: column step
};

/// Computes v = v / norm, and v = 0 where the norm is zero.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& norm, Dense<V>& v)> normalize{"gmres::normalize"};

/// Computes h_i = (v_i, w) in row i of h. The triangle's column receives these numbers too, or
/// their sums with what it has (add).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& w, bool add, const coefficients<V>& result,
                                 const Reduction& reduction)>
    multi_dot{"gmres::multi_dot"};

/// Computes w = w - sum_i h_i v_i, with row i of h.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& h, Dense<V>& w)> subtract{"gmres::subtract"};

/// Performs modified Gram-Schmidt for a group of up to group_size vectors v_i, which are number
/// first, ... of the basis. First w = w - sum_i h_i u_i, with row i of h, where u_i are the vectors
/// of the group before, if there is one. Then h_i = (v_i, w - sum_{j < i} h_j v_j), which also
/// becomes entry (first + i, step) of the triangle. Row (first + i) group_size + j of overlaps has
/// (v_i, v_j) for j < i, so that one pass suffices. Source: Swirydowicz, Langou, Ananthan, Yang and
/// Thomas, Low synchronization Gram-Schmidt and GMRES algorithms, 2021.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& before, const basis<V>& group, size_type first,
                                 const Dense<V>& overlaps, Dense<V>& w, const coefficients<V>& result,
                                 const Reduction& reduction)>
    subtract_and_dot{"gmres::subtract_and_dot"};

/// Computes v = v / norm for vector number index of the basis, and v = 0 where the norm is zero.
/// Row index group_size + j of overlaps becomes (v, v_j) for the earlier vectors v_j of its group,
/// at least one.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& norm, const basis<V>& group, size_type index,
                                 Dense<V>& v, Dense<V>& overlaps, const Reduction& reduction)>
    normalize_in_group{"gmres::normalize_in_group"};

/// Computes w = w - sum_i h_i v_i, and completes column step of H with ||w||: rotations, norm of
/// the residual. Less than 10 epsilon of the column of H is a rounding error: the cycle is over for
/// this column, which stops if its triangle is singular (breakdown_subspace) or its residual is
/// exactly zero. A column also stops (breakdown_subspace) if both are rounding errors of the first
/// residual, which are the larger ones after the residual has become small. Columns with infinity
/// or NaN stop; their earlier steps count.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& h, size_type step, Dense<V>& w,
                                 const projection<V>& problem, array<stopping_status>& status,
                                 const Reduction& reduction)>
    finish_step{"gmres::finish_step"};

/// Computes rhs = triangle^-1 rhs for the steps of each column. weight = 1, or 0 where there are no
/// steps. Where the solution is not finite, the column stops and no steps count.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const projection<V>& problem, Dense<V>& weight, array<stopping_status>& status)>
    solve_triangle{"gmres::solve_triangle"};

/// Computes x = x + sum_i y_i v_i over the steps that count for each column. Entries that would
/// overflow keep their values.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& vectors, const Dense<V>& y, const array<size_type>& num_steps,
                                 Dense<V>& x)>
    add_combination{"gmres::add_combination"};

}  // namespace spruce::kernels::gmres
