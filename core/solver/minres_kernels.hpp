// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/kernel.hpp"

/// The vector steps of MINRES, for k right-hand sides: vectors n x k, scalars 1 x k. Columns that have stopped are left as they
/// are. Without preconditioner z is v.
namespace spruce::kernels::minres {

using matrix::Dense;

/// The rows of state, real numbers of each column.
enum state_row : size_type {
    gamma_row,       ///< sqrt((v_j, z_j)): v_j / gamma_j and z_j / gamma_j are the vectors of the Lanczos process
    prev_gamma_row,  ///< gamma_(j-1)
    beta_row,        ///< beside the diagonal of the tridiagonal matrix: gamma_j, or 0 in the first step
    delta_row,       ///< the diagonal
    cos_row,
    prev_cos_row,
    sin_row,
    prev_sin_row,
    eta_row,        ///< the residual is |eta| in the norm of M
    start_eta_row,  ///< |eta| when the recurrence started
    size_row,       ///< the largest sum of a row of the tridiagonal matrix so far
    exhausted_row,  ///< not zero where the space was exhausted: a restart keeps start_eta and size then
    // w_new = z_factor z_j - w_factor w - prev_w_factor w_prev, x = x + step w_new, r = r_factor r + v_factor v_(j+1)
    z_factor_row,
    w_factor_row,
    prev_w_factor_row,
    step_row,
    r_factor_row,
    v_factor_row,
    num_state_rows
};

/// What update_solution works on.
template <typename V>
struct solution_vectors {
    const Dense<V>& z;
    const Dense<V>& w;
    const Dense<V>& next_v;
    Dense<V>& prev_w;
    Dense<V>& x;
    Dense<V>& r;
};
template <typename V>
struct solution_scalars {
    const Dense<remove_complex<V>>& state;
    const Dense<remove_complex<V>>& start_norm;  ///< of the true residual
    Dense<remove_complex<V>>& norm;
    Dense<V>& rho;
};

/// Begins with v = r, z = M v: gamma = eta = sqrt((v, z)), zero where that is not real, rho = scale^2 (v, z) with the reduction's
/// scale, norm = ||v||. exhausted_row has to be zero when a solve begins.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
                                 Dense<remove_complex<V>>& norm, Dense<V>& rho, array<stopping_status>& status,
                                 const Reduction& reduction)>
    start{"minres::start"};

/// delta = (y, z) / gamma^2, where y = A z. Columns stop where gamma is zero (breakdown) or that is not finite.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& y, const Dense<V>& z, Dense<remove_complex<V>>& state,
                                 array<stopping_status>& status, const Reduction& reduction)>
    compute_delta{"minres::compute_delta"};

/// prev_v = y / gamma - delta / gamma v - beta / prev_gamma prev_v, which is the next v; rotates where that is z, too.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& y, const Dense<V>& v, Dense<V>& prev_v,
                                 Dense<remove_complex<V>>& state, bool is_preconditioned,
                                 array<stopping_status>& status, const Reduction& reduction)>
    compute_next_v{"minres::compute_next_v"};

/// The new gamma = sqrt((v, z)), and the rotation with all that follows from it, for the next v and z = M v. Columns stop where
/// (v, z) is not real and positive though v is not zero (breakdown_inner_product) and where x has the least
/// residual already (breakdown_subspace): where ||A r|| / ||r|| is a rounding error. The residual has rounding errors of the first one,
/// so that this grows as the residual becomes smaller.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
                                 array<stopping_status>& status, const Reduction& reduction)>
    rotate{"minres::rotate"};

/// prev_w = z_factor z - w_factor w - prev_w_factor prev_w, x = x + step prev_w, rho = (scale eta)^2; r = r_factor r + v_factor
/// next_v, norm = ||r|| with preconditioner, norm = |eta| without: r is not touched then. Columns stop where norm is zero (converged), not
/// finite, or down to the rounding errors of start_norm (stagnation).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const solution_vectors<V>& with, const solution_scalars<V>& scalars,
                                 bool is_preconditioned, array<stopping_status>& status, const Reduction& reduction)>
    update_solution{"minres::update_solution"};

}  // namespace spruce::kernels::minres
