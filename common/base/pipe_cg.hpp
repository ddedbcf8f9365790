// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/base/residual_replacement.hpp"

/// Computes the scalars of pipelined conjugate gradients.
namespace spruce::kernels {

/// Returns fresh + factor old; where factor is zero, old does not count, NaN or not.
template <typename T>
SPRUCE_FN T advanced(const T& fresh, const T& factor, const T& old)
{
    return is_zero(factor) ? fresh : fresh + factor * old;
}

/// Computes the coefficients of the next step of a column from products = (r, u), (w, u), (r, r),
/// (s, u), (s, p), each scale^2 times that of the vectors; the last two count from the second step
/// on: the next direction u + beta p is conjugate to p, and alpha goes by (p, A p) for just this
/// direction. is_fresh: of vectors that were computed from x: if the residual is no longer what the
/// recurrence makes of it, norm as it was, it has to be less than half of start_norm, which it
/// replaces then, or the column stops (stagnation). A column whose coefficients are not finite gets
/// alpha = 0 for now: a criterion looks at its residual first; the next step, which leaves it as it
/// is, stops it.
template <typename T, typename Real>
SPRUCE_FN void finish_pipe_cg_step(const sums<T, 5>& products, const Real& scale, bool is_fresh, const T& prev_rho,
                                   const T& prev_alpha, T& rho, T& alpha, T& beta, Real& norm, Real& largest_norm,
                                   Real& start_norm, stopping_status& status)
{
    // The vectors of the recurrence err by some epsilon times their largest values.
    constexpr auto noise = 10 * std::numeric_limits<Real>::epsilon();
    const auto product = products[1];
    rho = products[0];
    alpha = T{};
    beta = T{};
    if (status.has_stopped()) {
        return;  // norm stays what it ended with, though r may be computed anew
    }
    const auto recurrence_norm = norm;
    norm = sqrt_of(real_of(products[2])) / scale;
    stop_if_zero_or_nonfinite(norm, status);
    if (is_fresh || largest_norm < norm) {
        largest_norm = norm;
    }
    if (is_fresh) {
        if (norm > 2 * recurrence_norm) {
            stop_if_not_halved(norm, start_norm, status);
        }
    } else {
        if (is_zero(prev_alpha)) {
            status.stop(!is_finite_value(rho) || !is_finite_value(product) ? stop_reason::not_finite
                        : is_zero(rho)                                     ? stop_reason::breakdown_inner_product
                                                                           : stop_reason::breakdown_curvature);
        } else if (norm <= noise * largest_norm) {
            status.stop(stop_reason::stagnation);
        }
    }
    if (status.has_stopped()) {
        return;
    }
    const auto is_first = is_zero(prev_rho);
    const auto next_beta = is_first ? T{} : -products[3] / products[4];
    const auto next_alpha = rho / (is_first ? product : product + next_beta * conj_of(products[3]));
    if (is_finite_value(next_beta) && is_finite_value(next_alpha)) {
        beta = next_beta;
        alpha = next_alpha;
    }
}

}  // namespace spruce::kernels
