// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "common/numeric/device_check.hpp"
#include "core/base/kernel.hpp"
#include "core/solver/cg_kernels.hpp"

/// Declares the steps of flexible conjugate gradients that conjugate gradients do not have, for k
/// right-hand sides: vectors n x k, scalars 1 x k. Vectors of columns that have stopped do not
/// change. Inner products are scaled (see Reduction::set_scale()), norms are not.
namespace spruce::kernels::fcg {

using matrix::Dense;

/// Refers to scalars: pq = (p, A p), rho = (z, r), and the results of update_solution.
template <typename V>
struct scalars {
    const Dense<V>& rho;
    const Dense<V>& pq;
    Dense<V>& alpha;
    Dense<V>& next_rho;
    Dense<V>& rho_change;
    Dense<remove_complex<V>>& norm;
};

/// Computes x = x + alpha p, r = r - alpha q with alpha = rho / pq. In the same pass computes of
/// the new r: next_rho = (r, r), rho_change = -alpha (q, r), norm = ||r||. Columns whose norm is
/// zero or not finite stop. Where alpha is not finite, or rho is zero, x and r do not change and
/// the column stops. alpha = 0 in all columns that have stopped. For a single column the stopping
/// test check is performed at the end (doc/tuning/solvers.md).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const cg::solution<V>& with, const scalars<V>& coefficients,
                                 array<stopping_status>& status, const stop::device_check<remove_complex<V>>& check,
                                 const Reduction& reduction)>
    update_solution{"fcg::update_solution"};

/// Computes rho = (z, r) and rho_change = -alpha (q, z) in one pass; rho_change is the numerator of
/// beta.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& z, const Dense<V>& r, const Dense<V>& q, const Dense<V>& alpha,
                                 Dense<V>& rho, Dense<V>& rho_change, const Reduction& reduction)>
    compute_rho{"fcg::compute_rho"};

}  // namespace spruce::kernels::fcg
