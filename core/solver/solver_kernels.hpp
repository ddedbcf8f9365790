// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/kernel.hpp"

/// Declares kernels that all iterative solvers use.
///
/// Inner products, in the kernels of all solvers, are scaled: see Reduction::set_scale(). Stored
/// values such as rho, rr and pq are inner products of vectors whose column j is multiplied by
/// scale_j, thus scale_j^2 times those of the vectors. Norms are those of the vectors themselves.
namespace spruce::kernels::solver {

/// Sets every column to running, but stops those whose initial residual r is zero (converged), has
/// a norm that is not finite, or has entries so small that the squares of all scaled entries
/// underflow (breakdown_inner_product). r: n x k, norm: 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& r, const matrix::Dense<remove_complex<V>>& norm,
                                 array<stopping_status>& status, const Reduction& reduction)>
    start{"solver::start"};

/// Computes r = b - q and norm = ||r||. Running columns whose norm is zero (converged) or not
/// finite stop (doc/tuning/solvers.md). b, q, r: n x k, different vectors; norm: 1 x k. The norm is
/// accurate even if squares of entries overflow or underflow; the scale of reduction is not used.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& b, const matrix::Dense<V>& q, matrix::Dense<V>& r,
                                 matrix::Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                                 const Reduction& reduction)>
    residual{"solver::residual"};

/// Computes p = z + beta p in the running columns. In the same pass stops columns in which p is not
/// finite, and sets alpha_j = step in columns that run on, 0 in others (doc/tuning/solvers.md). p,
/// z: n x k, alpha: 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(matrix::Dense<V>& p, const matrix::Dense<V>& z, V beta, V step,
                                 matrix::Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)>
    next_direction{"solver::next_direction"};

/// Stops the running columns in which z, n x k, is not finite.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& z, array<stopping_status>& status, const Reduction& reduction)>
    check_direction{"solver::check_direction"};

/// Computes x = x + factor z in the running columns; entries that would overflow do not change. x,
/// z: n x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(matrix::Dense<V>& x, const matrix::Dense<V>& z, V factor,
                                 const array<stopping_status>& status)>
    add_direction{"solver::add_direction"};

/// Sets stopped columns to running where true_norm = ||b - A x|| does not confirm the end: columns
/// that converged, if true_norm is larger than norm by more than 1 %; columns that stopped by
/// breakdown or stagnation, if true_norm is less than half of start_norm. All are 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& true_norm, const matrix::Dense<V>& norm,
                                 const matrix::Dense<V>& start_norm, array<stopping_status>& status)>
    resume_unconfirmed{"solver::resume_unconfirmed"};

/// Stops the running columns whose norm is not less than half of start_norm (stagnation).
/// start_norm becomes the smaller of both in running columns. All are 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& norm, matrix::Dense<V>& start_norm,
                                 array<stopping_status>& status)>
    stop_if_not_halved{"solver::stop_if_not_halved"};

/// Stops the running columns whose norm is not less than factor earlier_norm (stagnation); sets
/// earlier_norm = norm. Both are 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& norm, V factor, matrix::Dense<V>& earlier_norm,
                                 array<stopping_status>& status)>
    stop_if_stagnated{"solver::stop_if_stagnated"};

/// Sets best_j = x_j and best_norm_j = norm_j in the running columns j where norm_j is less than
/// best_norm_j. They stop (stagnation) where norm_j is larger than best_norm_j by a factor of
/// 1 / epsilon: no digit of x is left. x, best: n x k; norms: 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& x, const matrix::Dense<remove_complex<V>>& norm,
                                 matrix::Dense<V>& best, matrix::Dense<remove_complex<V>>& best_norm,
                                 array<stopping_status>& status)>
    update_best{"solver::update_best"};

/// Sets to_j = from_j in the running columns. Both are 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& from, matrix::Dense<V>& to,
                                 const array<stopping_status>& status)>
    copy_unstopped_columns{"solver::copy_unstopped_columns"};

/// Sets x_j = other_j and norm_j = other_norm_j in the columns j that stopped without convergence,
/// where other_norm_j is finite and norm_j is not less. x, other: n x k;
/// norms: 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& other, const matrix::Dense<remove_complex<V>>& other_norm,
                                 matrix::Dense<V>& x, matrix::Dense<remove_complex<V>>& norm,
                                 const array<stopping_status>& status)>
    replace_if_better{"solver::replace_if_better"};

/// Computes scale_j = 2^-e with e the exponent of norm_j, so that scale_j norm_j is in [1, 2).
/// scale_j is 1 where norm_j is zero or not finite. Both are 1 x k. See Reduction::set_scale().
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& norm, matrix::Dense<V>& scale)> compute_scale{
    "solver::compute_scale"};

/// Computes sq_norm_j = scaled_j / scale_j^2, the squared residual norm of a recurrence from that
/// of scaled vectors, and implicit_norm_j = sqrt(|sq_norm_j|) without overflow. Where scaled_j is
/// zero or subnormal, implicit_norm_j is norm_j, that of the residual. All are 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& scaled, const matrix::Dense<remove_complex<V>>& scale,
                                 const matrix::Dense<remove_complex<V>>& norm, matrix::Dense<V>& sq_norm,
                                 matrix::Dense<remove_complex<V>>& implicit_norm)>
    unscale_sq_norm{"solver::unscale_sq_norm"};

}  // namespace spruce::kernels::solver
