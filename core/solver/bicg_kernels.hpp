// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "common/numeric/device_check.hpp"
#include "core/base/kernel.hpp"

/// Declares the steps of biconjugate gradients that conjugate gradients do not have, for k
/// right-hand sides: vectors n x k, scalars 1 x k. Vectors of columns that have stopped do not
/// change. Inner products are scaled (see Reduction::set_scale()), norms are not.
namespace spruce::kernels::bicg {

using matrix::Dense;

/// Computes p = z + beta p and shadow_p = shadow_z + conj(beta) shadow_p. beta = rho / prev_rho, or
/// zero if prev_rho is zero.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& p, Dense<V>& shadow_p, const Dense<V>& z, const Dense<V>& shadow_z,
                                 const Dense<V>& rho, const Dense<V>& prev_rho, const array<stopping_status>& status)>
    update_directions{"bicg::update_directions"};

/// Refers to an iterate x, its residual r, the direction p and q = A p; shadow_r, shadow_p and
/// shadow_q = A^H shadow_p.
template <typename V>
struct vectors {
    Dense<V>& x;
    Dense<V>& r;
    Dense<V>& shadow_r;
    const Dense<V>& p;
    const Dense<V>& q;
    const Dense<V>& shadow_q;
};

/// Computes x = x + alpha p, r = r - alpha q, shadow_r = shadow_r - conj(alpha) shadow_q. In the
/// same pass computes rho = (shadow_r, r) and norm = ||r|| of the new vectors. Columns whose norm
/// is zero or not finite stop. For a single column the stopping test check is performed at the end.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const vectors<V>& with, const Dense<V>& alpha, Dense<V>& rho,
                                 Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                                 const stop::device_check<remove_complex<V>>& check, const Reduction& reduction)>
    update_solution{"bicg::update_solution"};

}  // namespace spruce::kernels::bicg
