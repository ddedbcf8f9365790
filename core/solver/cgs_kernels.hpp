// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "common/numeric/device_check.hpp"
#include "core/base/kernel.hpp"

/// Declares the steps of conjugate gradients squared for k right-hand sides: vectors n x k, scalars
/// 1 x k. Vectors of columns that have stopped do not change. Inner products are scaled (see
/// Reduction::set_scale()), norms are not.
namespace spruce::kernels::cgs {

using matrix::Dense;

/// Computes u = r + beta q, p = u + beta (q + beta p). Where beta is zero, u = p = shadow = r, even
/// if p or q is not finite.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& u, Dense<V>& p, Dense<V>& shadow, const Dense<V>& r, const Dense<V>& q,
                                 const Dense<V>& beta, const array<stopping_status>& status)>
    update_u_and_p{"cgs::update_u_and_p"};

/// Computes alpha = rho / (shadow, v), or zero where that is not finite. A column whose rho is zero
/// stops. The reason follows from alpha of the previous step, which may be zero.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& shadow, const Dense<V>& v, const Dense<V>& rho, Dense<V>& alpha,
                                 array<stopping_status>& status, const Reduction& reduction)>
    compute_alpha{"cgs::compute_alpha"};

/// Computes q = u - alpha v and t = u + q; t may be u.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& q, Dense<V>& t, const Dense<V>& u, const Dense<V>& v, const Dense<V>& alpha,
                                 const array<stopping_status>& status)>
    update_q{"cgs::update_q"};

/// Refers to vectors: z = M^-1 (u + q), w = A z; shadow is the shadow residual.
template <typename V>
struct vectors {
    Dense<V>& x;
    Dense<V>& r;
    const Dense<V>& z;
    const Dense<V>& w;
    const Dense<V>& shadow;
};

/// Refers to scalars: rr = (r, r), rho = (shadow, r), norm = ||r||.
template <typename V>
struct scalars {
    const Dense<V>& alpha;
    Dense<V>& rho;
    Dense<V>& beta;
    Dense<V>& rr;
    Dense<remove_complex<V>>& norm;
    Dense<remove_complex<V>>& shadow_norm;  ///< norm of the shadow residual
};

/// Computes x = x + alpha z, r = r - alpha w. In the same pass computes for the new r: rr = (r, r),
/// norm = ||r||, rho = (shadow, r), beta = rho / (previous rho). Where alpha is zero, x and r do
/// not change, and beta = 0. finish_shadow_step() describes other cases in which beta or rho is set
/// to zero. For a single column the stopping test check is performed at the end.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const vectors<V>& with, const scalars<V>& coefficients, array<stopping_status>& status,
                                 const stop::device_check<remove_complex<V>>& check, const Reduction& reduction)>
    update_x_and_r{"cgs::update_x_and_r"};

}  // namespace spruce::kernels::cgs
