// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "common/numeric/device_check.hpp"
#include "core/base/kernel.hpp"

/// Declares the steps of stabilized biconjugate gradients for k right-hand sides: vectors n x k,
/// scalars 1 x k. Vectors of columns that have stopped do not change. Inner products are scaled
/// (see Reduction::set_scale()), norms are not.
namespace spruce::kernels::bicgstab {

using matrix::Dense;

/// Computes p = r + beta (p - omega v). Where beta is zero, p = r and shadow = r, even if p or v is
/// not finite.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& p, Dense<V>& shadow, const Dense<V>& r, const Dense<V>& v,
                                 const Dense<V>& beta, const Dense<V>& omega, const array<stopping_status>& status)>
    update_p{"bicgstab::update_p"};

/// Computes alpha = rho / (shadow, v), or zero where that is not finite. A column whose rho is zero
/// stops. The reason follows from alpha and omega of the previous step, of which one may be zero.
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

/// Refers to vectors: y = M^-1 p, z = M^-1 s, t = A z; shadow is the shadow residual.
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

/// Refers to scalars: rr = (r, r), rho = (shadow, r), norm = ||r||.
template <typename V>
struct scalars {
    const Dense<V>& alpha;
    const Dense<V>& omega;
    Dense<V>& rho;
    Dense<V>& beta;
    Dense<V>& rr;
    Dense<remove_complex<V>>& norm;
    Dense<remove_complex<V>>& shadow_norm;  ///< norm of the shadow residual
};

/// Computes x = x + alpha y + omega z and r = s - omega t. In the same pass computes for the new r:
/// rr = (r, r), norm = ||r||, rho = (shadow, r), beta = (rho / previous rho) (alpha / omega).
/// finish_shadow_step() describes when beta or rho is set to zero. For a single column the stopping
/// test check is performed at the end.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const vectors<V>& with, const scalars<V>& coefficients, array<stopping_status>& status,
                                 const stop::device_check<remove_complex<V>>& check, const Reduction& reduction)>
    update_x_and_r{"bicgstab::update_x_and_r"};

}  // namespace spruce::kernels::bicgstab
