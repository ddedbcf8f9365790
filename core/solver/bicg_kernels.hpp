// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "common/base/device_check.hpp"
#include "core/base/kernel.hpp"

/// The vector steps of biconjugate gradients that are not those of conjugate gradients, for k right-hand sides: vectors n x k,
/// scalars 1 x k. Columns that have stopped are left as they are.
namespace spruce::kernels::bicg {

using matrix::Dense;

/// p = z + beta p, shadow_p = shadow_z + conj(beta) shadow_p, beta = rho / prev_rho, or zero where prev_rho is
template <typename V>
SPRUCE_EXPORT inline Kernel<void(Dense<V>& p, Dense<V>& shadow_p, const Dense<V>& z, const Dense<V>& shadow_z,
                                 const Dense<V>& rho, const Dense<V>& prev_rho, const array<stopping_status>& status)>
    step_1{"bicg::step_1"};

/// An iterate x, its residual r, the direction p and q = A p; shadow_r, shadow_p and shadow_q = A^H shadow_p.
template <typename V>
struct vectors {
    Dense<V>& x;
    Dense<V>& r;
    Dense<V>& shadow_r;
    const Dense<V>& p;
    const Dense<V>& q;
    const Dense<V>& shadow_q;
};

/// Computes x = x + alpha p, r = r - alpha q, shadow_r = shadow_r - conj(alpha) shadow_q; and of the new vectors, in the same pass:
/// rho = (shadow_r, r), norm = ||r||. Columns whose norm is zero or not finite stop. With a single column, check is run at the end.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const vectors<V>& with, const Dense<V>& alpha, Dense<V>& rho,
                                 Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                                 const stop::device_check<remove_complex<V>>& check, const Reduction& reduction)>
    step_3{"bicg::step_3"};

}  // namespace spruce::kernels::bicg
