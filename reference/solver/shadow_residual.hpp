// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cmath>
#include <limits>

#include "reference/solver/scalar_steps.hpp"

namespace spruce::kernels::reference {

/// Completes a step of a method with a fixed shadow residual r~ (Bicgstab, Cgs): computes rr, norm,
/// rho = (r~, r) and beta = (rho / previous rho) ratio. The recurrence restarts from r~ = r, with
/// beta = 0 and rho = (r, r), if beta is zero or not finite. It also restarts if (r~, r) consists
/// of rounding errors and the residual is smaller than r~. A restart requires that the residual is
/// smaller than r~, which makes the number of restarts finite. Otherwise rho = 0.
/// @param by  the cgs::scalars or bicgstab::scalars
/// @param shadow_r  scale^2 (r~, r)
/// @param rr  scale^2 (r, r)
template <typename Scalars, typename V>
void finish_shadow_step(const Scalars& by, size_type col, const V& shadow_r, const V& rr, const V& ratio,
                        remove_complex<V> scale, stopping_status& status)
{
    auto& rho = by.rho.at(0, col);
    auto& beta = by.beta.at(0, col);
    auto& norm = by.norm.at(0, col);
    auto& shadow_norm = by.shadow_norm.at(0, col);
    by.rr.at(0, col) = rr;
    norm = std::sqrt(spruce::real(rr)) / scale;
    stop_at_norm(norm, status);
    if (status.has_stopped()) {
        return;
    }
    const auto is_smaller = norm < shadow_norm;
    const auto rounding = std::numeric_limits<remove_complex<V>>::epsilon() * (scale * norm) * (scale * shadow_norm);
    beta = shadow_r / rho * ratio;
    if (!is_finite(beta) || is_zero(beta) || (is_smaller && abs(shadow_r) <= rounding)) {
        beta = zero<V>();
        rho = is_smaller ? rr : zero<V>();
        shadow_norm = norm;
    } else {
        rho = shadow_r;
    }
}

}  // namespace spruce::kernels::reference
