// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "common/base/device_check.hpp"
#include "core/base/kernel.hpp"
#include "core/solver/cg_kernels.hpp"

/// Steps of flexible conjugate gradients that conjugate gradients do not have, for k right-hand
/// sides: vectors n x k, scalars 1 x k. Columns that have stopped are left as they are. Inner
/// products are scaled (see Reduction::set_scale()), norms are not.
namespace spruce::kernels::fcg {

using matrix::Dense;

/// alpha and rho_change as update_solution leaves them; next_rho = (r, r), norm = ||r||.
template <typename V>
struct scalars {
    const Dense<V>& rho;
    const Dense<V>& pq;
    Dense<V>& alpha;
    Dense<V>& next_rho;
    Dense<V>& rho_change;
    Dense<remove_complex<V>>& norm;
};

/// Computes x = x + alpha p, r = r - alpha q with alpha = rho / pq; and of the new r, in the same
/// pass: next_rho = (r, r), rho_change = -alpha (q, r), norm = ||r||. Columns whose norm is zero or
/// not finite stop. Where alpha is not finite, or rho is zero, x and r stay as they are, the column
/// stops and alpha = 0, as in columns that have stopped. With a single column, check is run at the
/// end.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const cg::solution<V>& with, const scalars<V>& coefficients,
                                 array<stopping_status>& status, const stop::device_check<remove_complex<V>>& check,
                                 const Reduction& reduction)>
    update_solution{"fcg::update_solution"};

/// Computes rho = (z, r) and rho_change = -alpha (q, z) in one pass.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& z, const Dense<V>& r, const Dense<V>& q, const Dense<V>& alpha,
                                 Dense<V>& rho, Dense<V>& rho_change, const Reduction& reduction)>
    compute_rho{"fcg::compute_rho"};

}  // namespace spruce::kernels::fcg
