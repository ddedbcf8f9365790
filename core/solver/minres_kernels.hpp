// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/kernel.hpp"

/// Declares the steps of MINRES for k right-hand sides: vectors n x k, scalars 1 x k. Columns that
/// have stopped do not change. Without a preconditioner z is v.
namespace spruce::kernels::minres {

using matrix::Dense;

/// Names the rows of state, which contain real numbers for each column. The preconditioner applies
/// M^-1; the norm of M is sqrt((x, M x)).
enum state_row : size_type {
    gamma_row,       ///< sqrt((v_j, z_j)); the Lanczos vectors are v_j / gamma_j, z_j / gamma_j
    prev_gamma_row,  ///< gamma_(j-1)
    beta_row,        ///< off-diagonal entry: gamma_j, or 0 in the first step
    delta_row,       ///< the diagonal
    cos_row,
    prev_cos_row,
    sin_row,
    prev_sin_row,
    eta_row,        ///< |eta| = sqrt((r, M^-1 r))
    start_eta_row,  ///< |eta| when the recurrence started
    size_row,       ///< the largest sum of a row of the tridiagonal matrix so far
    exhausted_row,  ///< not 0 if the space could not grow: a restart keeps start_eta, size, x_x
    unit_row,       ///< size_row in the first step
    // Inner products in the norm of M: w and prev_w times unit, x - x_0 times unit / |start_eta|.
    x_x_row,
    x_w_row,
    x_prev_w_row,
    w_w_row,
    w_prev_w_row,
    prev_w_prev_w_row,
    // w_new = z_factor z_j - w_factor w - prev_w_factor w_prev, x = x + step w_new,
    // r = r_factor r + v_factor v_(j+1)
    z_factor_row,
    w_factor_row,
    prev_w_factor_row,
    step_row,
    r_factor_row,
    v_factor_row,
    num_state_rows
};

/// Refers to the vectors of update_solution.
template <typename V>
struct solution_vectors {
    const Dense<V>& z;
    const Dense<V>& w;
    const Dense<V>& next_v;
    Dense<V>& prev_w;
    Dense<V>& x;
    Dense<V>& r;
};
/// Refers to the scalars of update_solution.
template <typename V>
struct solution_scalars {
    const Dense<remove_complex<V>>& state;
    const Dense<remove_complex<V>>& start_norm;  ///< norm of the true residual
    Dense<remove_complex<V>>& norm;
    Dense<V>& rho;
};

/// Starts the recurrence with v = r, z = M^-1 v: gamma = eta = sqrt((v, z)), or zero if (v, z) is
/// not real and positive; rho = scale^2 (v, z) with the scale of reduction; norm = ||v||.
/// exhausted_row has to be zero when a solve begins.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
                                 Dense<remove_complex<V>>& norm, Dense<V>& rho, array<stopping_status>& status,
                                 const Reduction& reduction)>
    start{"minres::start"};

/// Computes delta = (y, z) / gamma^2, where y = A z. Columns stop if gamma is zero
/// (breakdown_inner_product) or delta is not finite.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& y, const Dense<V>& z, Dense<remove_complex<V>>& state,
                                 array<stopping_status>& status, const Reduction& reduction)>
    compute_delta{"minres::compute_delta"};

/// Computes the next v in prev_v: y / gamma - (delta / gamma) v - (beta / prev_gamma) prev_v.
/// Without a preconditioner also performs rotate with z = v.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& y, const Dense<V>& v, Dense<V>& prev_v,
                                 Dense<remove_complex<V>>& state, bool is_preconditioned,
                                 array<stopping_status>& status, const Reduction& reduction)>
    compute_next_v{"minres::compute_next_v"};

/// Computes the new gamma = sqrt((v, z)) for the next v and z = M^-1 v, the rotation, and the
/// coefficients that follow from it. Columns stop if (v, z) is not real and positive although v is
/// not zero (breakdown_inner_product). They also stop if the residual cannot become smaller because
/// of rounding errors: in ||A r|| / ||r|| (breakdown_subspace), or in ||r|| (stagnation).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
                                 array<stopping_status>& status, const Reduction& reduction)>
    rotate{"minres::rotate"};

/// Computes prev_w = z_factor z - w_factor w - prev_w_factor prev_w, x = x + step prev_w and
/// rho = (scale eta)^2 with the scale of reduction. With a preconditioner computes r = r_factor r +
/// v_factor next_v and norm = ||r||; without one norm = |eta|, and r does not change. Columns stop
/// if norm is zero (converged), not finite, or at most 10 epsilon start_norm (stagnation).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const solution_vectors<V>& with, const solution_scalars<V>& scalars,
                                 bool is_preconditioned, array<stopping_status>& status, const Reduction& reduction)>
    update_solution{"minres::update_solution"};

}  // namespace spruce::kernels::minres
