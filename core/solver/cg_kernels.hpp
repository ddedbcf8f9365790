// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "common/numeric/device_check.hpp"
#include "core/base/kernel.hpp"

/// Declares the steps of conjugate gradients for k right-hand sides: vectors n x k, scalars 1 x k.
/// Vectors of columns that have stopped do not change. Inner products are scaled (see
/// Reduction::set_scale()), norms are not.
namespace spruce::kernels::cg {

using matrix::Dense;

/// Computes p = z + beta p, where beta = rho / prev_rho, or zero where prev_rho is zero. p is
/// finite.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& p, const Dense<V>& z, const Dense<V>& rho, const Dense<V>& prev_rho,
                                 const array<stopping_status>& status)>
    update_direction{"cg::update_direction"};

/// Computes alpha = rho / (p, q). Where that is not finite, or rho is zero, the column stops and
/// alpha = 0.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& p, const Dense<V>& q, const Dense<V>& rho, Dense<V>& alpha,
                                 array<stopping_status>& status, const Reduction& reduction)>
    compute_step_length{"cg::compute_step_length"};

/// Computes x = x + alpha p, r = r - alpha q. In the same pass computes of the new r: rr_j = sum_i
/// |r_ij|^2, norm_j = ||r_j||. Columns whose norm is zero or not finite stop. Where alpha is zero,
/// x and r do not change.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& x, Dense<V>& r, const Dense<V>& p, const Dense<V>& q, const Dense<V>& alpha,
                                 Dense<V>& rr, Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                                 const Reduction& reduction)>
    update_x_and_r{"cg::update_x_and_r"};

/// Refers to an iterate x, its residual r, the direction p and q = A p.
template <typename V>
struct solution {
    Dense<V>& x;
    Dense<V>& r;
    const Dense<V>& p;
    const Dense<V>& q;
};

/// Computes x = x + alpha p, r = r - alpha q with alpha = rho / pq, and rr = (r, r) and norm =
/// ||r|| of the new r. Columns whose norm is zero or not finite stop. Where alpha is not finite, or
/// rho is zero, x and r do not change and the column stops. For a single column the stopping test
/// check is performed at the end (doc/tuning/solvers.md).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const solution<V>& with, const Dense<V>& rho, const Dense<V>& pq, Dense<V>& rr,
                                 Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                                 const stop::device_check<remove_complex<V>>& check, const Reduction& reduction)>
    update_solution{"cg::update_solution"};

}  // namespace spruce::kernels::cg
