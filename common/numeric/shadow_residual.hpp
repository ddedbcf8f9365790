// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/numeric/scalar_steps.hpp"

/// Finishes the steps of methods with a fixed shadow residual r~ (Bicgstab, Cgs).
namespace spruce::kernels {

/// Computes the residual's norm, rho = (r~, r), and beta = rho / (previous rho) * ratio for the
/// next step. If the recurrence cannot continue, or (r~, r) is rounding noise, it restarts with
/// r~ = r and beta = 0. It restarts only if the residual has become smaller since the last restart,
/// which bounds the number of restarts. If the restart is not allowed, rho = 0.
/// @param products  (r~, r) and (r, r), which are scale^2 times those of the vectors
template <typename T, typename Real>
SPRUCE_HOST_DEVICE_INLINE void finish_shadow_step(const sums<T, 2>& products, const Real& scale, const T& ratio, T& rho,
                                                  T& beta, T& rr, Real& norm, Real& shadow_norm,
                                                  stopping_status& status)
{
    constexpr auto epsilon = std::numeric_limits<Real>::epsilon();
    rr = products[1];
    norm = sqrt_of(real_of(products[1])) / scale;
    stop_if_zero_or_nonfinite(norm, status);
    if (status.has_stopped()) {
        return;
    }
    const auto next_beta = products[0] / rho * ratio;
    const auto can_continue = is_finite_value(next_beta) && !is_zero(next_beta);
    const auto is_noise = abs_of(products[0]) <= epsilon * (scale * shadow_norm) * (scale * norm);
    const auto is_smaller = norm < shadow_norm;
    if (can_continue && !(is_noise && is_smaller)) {
        rho = products[0];
        beta = next_beta;
    } else {
        rho = is_smaller ? products[1] : T{};
        beta = T{};
        shadow_norm = norm;
    }
}

}  // namespace spruce::kernels
