// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/backend.hpp"
#include "common/numeric/residual_replacement.hpp"
#include "common/numeric/scale.hpp"

/// Computes the scalars of pipelined conjugate gradients.
namespace spruce::kernels {

/// Returns current + factor previous. If factor is zero, previous is ignored, even if it is NaN.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T xpay(const T& current, const T& factor, const T& previous)
{
    return is_zero(factor) ? current : current + factor * previous;
}

/// Holds the operands and the results of the scalars of a step, for each column.
template <typename T>
struct pipe_cg_step {
    using real = remove_complex<T>;

    /// Computes the coefficients of the next step of a column. The direction u + beta p is
    /// conjugate to p, and alpha is computed from (p, A p) of exactly this direction. A column
    /// whose coefficients are not finite gets alpha = 0. A criterion tests its residual first. The
    /// next step leaves the column unchanged and stops it.
    /// @param products  (r, u), (w, u), (r, r), (s, u), (s, p), each scale^2 times that of the
    ///     vectors; the last two are used from the second step on
    SPRUCE_HOST_DEVICE_INLINE void operator()(size_type col, const sums<T, 5>& products) const
    {
        const auto product = products[1];
        rho[col] = products[0];
        alpha[col] = T{};
        beta[col] = T{};
        if (status[col].has_stopped()) {
            return;  // norm keeps its final value, even if r is recomputed
        }
        this->update_norm(col, sqrt_of(real_of(products[2])) / scale_of(scale, col));
        if (!is_recomputed) {
            this->stop_if_step_failed(col, product);
        }
        if (status[col].has_stopped()) {
            return;
        }
        const auto is_first = is_zero(prev_rho[col]);
        const auto next_beta = is_first ? T{} : -products[3] / products[4];
        const auto next_alpha = rho[col] / (is_first ? product : product + next_beta * conj_of(products[3]));
        if (is_finite_value(next_beta) && is_finite_value(next_alpha)) {
            beta[col] = next_beta;
            alpha[col] = next_alpha;
        }
    }

    bool is_recomputed;  ///< true if the vectors were computed from x
    const real* scale;
    const T* prev_rho;
    const T* prev_alpha;
    T* rho;
    T* alpha;
    T* beta;
    real* norm;
    real* largest_norm;
    real* start_norm;  ///< the norm when the vectors were last computed from x
    stopping_status* status;

private:
    /// Stores the norm. If it belongs to vectors computed from x, and not to those of the
    /// recurrence, it has to be less than half of start_norm, which it replaces. Otherwise the
    /// column stops (stagnation).
    SPRUCE_HOST_DEVICE_INLINE void update_norm(size_type col, const real& next_norm) const
    {
        const auto recurrence_norm = norm[col];
        norm[col] = next_norm;
        stop_if_zero_or_nonfinite(next_norm, status[col]);
        if (is_recomputed || largest_norm[col] < next_norm) {
            largest_norm[col] = next_norm;
        }
        if (is_recomputed && next_norm > 2 * recurrence_norm) {
            stop_if_not_halved(next_norm, start_norm[col], status[col]);
        }
    }
    /// Stops a column whose last step had no coefficients, or whose residual consists of rounding
    /// errors.
    SPRUCE_HOST_DEVICE_INLINE void stop_if_step_failed(size_type col, const T& product) const
    {
        // The vectors of the recurrence have errors of some epsilon times their largest values.
        constexpr auto noise = 10 * std::numeric_limits<real>::epsilon();
        if (is_zero(prev_alpha[col])) {
            status[col].stop(!is_finite_value(rho[col]) || !is_finite_value(product) ? stop_reason::not_finite
                             : is_zero(rho[col]) ? stop_reason::breakdown_inner_product
                                                 : stop_reason::breakdown_curvature);
        } else if (norm[col] <= noise * largest_norm[col]) {
            status[col].stop(stop_reason::stagnation);
        }
    }
};

}  // namespace spruce::kernels
