// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "common/base/device_check.hpp"
#include "core/base/kernel.hpp"

/// Steps of stabilised biconjugate gradients for k right-hand sides: vectors n x k, scalars 1 x k.
/// Columns that have stopped are left as they are. Inner products are scaled (see
/// Reduction::set_scale()), norms are not.
namespace spruce::kernels::bicgstab {

using matrix::Dense;

/// Computes p = r + beta (p - omega v); where beta is zero, p = r and shadow = r, whatever p and v
/// are.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& p, Dense<V>& shadow, const Dense<V>& r, const Dense<V>& v,
                                 const Dense<V>& beta, const Dense<V>& omega, const array<stopping_status>& status)>
    update_p{"bicgstab::update_p"};

/// Computes alpha = rho / (shadow, v), or zero where that is not finite. A column whose rho is zero
/// stops: the alpha and omega of the step before say for which reason.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& shadow, const Dense<V>& v, const Dense<V>& rho, const Dense<V>& omega,
                                 Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)>
    compute_alpha{"bicgstab::compute_alpha"};

/// Computes s = r - alpha v.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& s, const Dense<V>& r, const Dense<V>& v, const Dense<V>& alpha,
                                 const array<stopping_status>& status)>
    update_s{"bicgstab::update_s"};

/// Computes omega = (t, s) / (t, t), or zero where that is not finite.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& s, const Dense<V>& t, Dense<V>& omega, array<stopping_status>& status,
                                 const Reduction& reduction)>
    compute_omega{"bicgstab::compute_omega"};

/// y = M^-1 p, z = M^-1 s, t = A z.
template <typename V>
struct vectors {
    Dense<V>& x;
    Dense<V>& r;
    const Dense<V>& y;
    const Dense<V>& z;
    const Dense<V>& s;
    const Dense<V>& t;
    const Dense<V>& shadow;
};

template <typename V>
struct scalars {
    const Dense<V>& alpha;
    const Dense<V>& omega;
    Dense<V>& rho;
    Dense<V>& beta;
    Dense<V>& rr;
    Dense<remove_complex<V>>& norm;
    Dense<remove_complex<V>>& shadow_norm;  ///< of the shadow residual
};

/// Computes x = x + alpha y + omega z, r = s - omega t; and in the same pass, for the new r: rr =
/// (r, r), norm = ||r||, and what the next step needs: rho = (shadow, r), beta = rho / (the rho
/// before) alpha / omega. See finish_shadow_step() for beta = 0 and rho = 0. With a single column,
/// check is run at the end.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const vectors<V>& with, const scalars<V>& coefficients, array<stopping_status>& status,
                                 const stop::device_check<remove_complex<V>>& check, const Reduction& reduction)>
    update_x_and_r{"bicgstab::update_x_and_r"};

}  // namespace spruce::kernels::bicgstab
