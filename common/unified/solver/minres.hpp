// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/backend.hpp"
#include "common/numeric/dense_entries.hpp"
#include "common/numeric/scalar_steps.hpp"
#include "common/numeric/scale.hpp"
#include "core/solver/minres_kernels.hpp"

/// Contains the computations of the steps of MINRES, except those of vectors.
namespace spruce::kernels {

/// Returns true if product = (v, z) is the square of a norm of v: real and positive, or zero if v
/// is zero.
template <typename T, typename Real>
SPRUCE_HOST_DEVICE_INLINE bool is_norm_squared(const T& product, const Real& square_of_v)
{
    return square_of_v == Real{} || (real_of(product) > Real{} && abs_of(imag_of(product)) <= real_of(product));
}

/// Returns a power of two near 1 / gamma. Entries of A z are as large as A times gamma. Their
/// products with z would overflow or lose digits much earlier than the coefficients.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE Real lanczos_scale(const Real& gamma)
{
    constexpr auto max_exponent = std::numeric_limits<Real>::max_exponent - 2;
    if (!(gamma > Real{}) || !is_finite_value(gamma)) {
        return Real{1};
    }
    const auto exponent = -static_cast<int>(ilogb(gamma));
    return ldexp(Real{1}, exponent < -max_exponent ? -max_exponent : exponent > max_exponent ? max_exponent : exponent);
}

/// Starts a column with v = r, z = M^-1 v: norm = ||v||, rho = product. If the product is no square
/// of a norm, the column stops in the first step, since a criterion tests the residual before.
/// @param product  scale^2 (v, z)
/// @param square_of_v  scale^2 (v, v)
template <typename T, typename Real>
SPRUCE_HOST_DEVICE_INLINE void start_lanczos(const T& product, const Real& square_of_v, const Real& scale,
                                             const dense_entries<Real>& state, Real& norm, T& rho, size_type col,
                                             const stopping_status& status)
{
    using namespace kernels::minres;
    if (status.has_stopped()) {
        return;
    }
    const auto square = real_of(product);
    const auto is_norm = is_norm_squared(product, square_of_v) || !is_finite_value(square);
    const auto gamma = is_norm ? sqrt_of(square) / scale : Real{};
    state(gamma_row, col) = gamma;
    state(prev_gamma_row, col) = Real{1};
    state(beta_row, col) = Real{};
    state(cos_row, col) = Real{1};
    state(prev_cos_row, col) = Real{1};
    state(sin_row, col) = Real{};
    state(prev_sin_row, col) = Real{};
    state(eta_row, col) = gamma;
    // The residual of a restart at an exhausted space may consist only of rounding errors, apart
    // from the part that A cannot reduce.
    if (state(exhausted_row, col) == Real{}) {
        state(start_eta_row, col) = gamma;
        state(size_row, col) = Real{};
        state(x_x_row, col) = Real{};
    }
    state(exhausted_row, col) = Real{};
    state(x_w_row, col) = Real{};
    state(x_prev_w_row, col) = Real{};
    state(w_w_row, col) = Real{};
    state(w_prev_w_row, col) = Real{};
    state(prev_w_prev_w_row, col) = Real{};
    norm = sqrt_of(square_of_v) / scale;
    rho = T(square);
}

/// Returns the stop reason of a column in which a quotient with divisor gamma overflows. A residual
/// that is nearly a subnormal number cannot be reduced any further.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE stop_reason reason_of_overflow(const Real& gamma)
{
    const auto is_tiny = gamma < std::numeric_limits<Real>::min() / std::numeric_limits<Real>::epsilon();
    return is_tiny ? stop_reason::stagnation : stop_reason::not_finite;
}

/// Computes delta = (A z, z) / gamma^2.
/// @param product  scale^2 (A z, z), where scale = lanczos_scale(gamma)
template <typename T, typename Real>
SPRUCE_HOST_DEVICE_INLINE void finish_product(const T& product, const dense_entries<Real>& state, size_type col,
                                              stopping_status& status)
{
    using namespace kernels::minres;
    if (status.has_stopped()) {
        return;
    }
    const auto gamma = state(gamma_row, col);
    const auto scaled_gamma = lanczos_scale(gamma) * gamma;
    const auto delta = real_of(product) / scaled_gamma / scaled_gamma;
    if (gamma == Real{}) {
        status.stop(stop_reason::breakdown_inner_product);
    } else if (!is_finite_value(delta)) {
        status.stop(stop_reason::not_finite);
    } else if (!is_finite_value(delta / gamma)) {
        status.stop(reason_of_overflow(gamma));
    }
    state(delta_row, col) = delta;
}

/// Returns the reason for a stop before this step, or running. If ||A r|| consists of rounding
/// errors, no x has a smaller residual. The rounding errors of r = b - A x are epsilon ||r_0|| and
/// epsilon ||A|| ||x - x_0||.
/// @param image  ||A r|| / ||r||
/// @param size  ||A||
/// @param reduction  ||r|| / ||r_0||
/// @param growth  ||A|| ||x - x_0|| / ||r_0||
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE stop_reason find_attained_accuracy(const Real& image, const Real& size, const Real& reduction,
                                                             const Real& growth)
{
    constexpr auto epsilon = std::numeric_limits<Real>::epsilon();
    constexpr auto digits = std::numeric_limits<Real>::digits;
    const auto rounding = epsilon * size * (1 + growth);
    constexpr Real num_summed_errors = 64;  // rounding errors of many steps add up
    // An image that is not small compared to the matrix may still decrease.
    const auto is_small = image <= ldexp(Real{1}, -digits / 3) * size;
    if (image <= 4 * epsilon * size || (is_small && image * reduction <= num_summed_errors * rounding)) {
        return stop_reason::breakdown_subspace;
    }
    return image * reduction <= rounding ? stop_reason::stagnation : stop_reason::running;
}

/// Updates ||x - x_0||, with all vectors in the norm of M. The Lanczos vectors are orthonormal.
/// Therefore the inner products of w, the previous w and x - x_0 follow from the coefficients of
/// the step.
/// @param diagonal  of the triangular matrix
/// @param step  relative to the first residual
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE void update_growth(const dense_entries<Real>& state, size_type col, const Real& diagonal,
                                             const Real& step)
{
    using namespace kernels::minres;
    const auto f = state(w_factor_row, col);
    const auto g = state(prev_w_factor_row, col);
    const auto ww = state(w_w_row, col);
    const auto wp = state(w_prev_w_row, col);
    const auto xw = state(x_w_row, col);
    const auto z_factor = state(unit_row, col) / diagonal;
    const auto next_ww = z_factor * z_factor + f * f * ww + g * g * state(prev_w_prev_w_row, col) + 2 * f * g * wp;
    const auto next_wp = -f * ww - g * wp;
    const auto next_xw = -f * xw - g * state(x_prev_w_row, col);
    const auto xx = state(x_x_row, col) + 2 * step * next_xw + step * step * next_ww;
    state(x_x_row, col) = xx > Real{} ? xx : Real{};
    state(x_w_row, col) = next_xw + step * next_ww;
    state(x_prev_w_row, col) = xw + step * next_wp;
    state(prev_w_prev_w_row, col) = ww;
    state(w_w_row, col) = next_ww;
    state(w_prev_w_row, col) = next_wp;
}

/// Stops a column whose residual cannot be reduced any further (see find_attained_accuracy()).
/// @param size  the sum of a column of the tridiagonal matrix. ||A||, the largest one, is updated
/// @param image  ||A r|| / ||r||
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE void stop_at_attained_accuracy(const dense_entries<Real>& state, size_type col,
                                                         const Real& size, const Real& image, stopping_status& status)
{
    using namespace kernels::minres;
    if (state(size_row, col) == Real{}) {
        state(unit_row, col) = size;
    }
    const auto largest = size > state(size_row, col) ? size : state(size_row, col);
    state(size_row, col) = largest;
    const auto growth = largest / state(unit_row, col) * sqrt_of(state(x_x_row, col));
    const auto reduction = abs_of(state(eta_row, col)) / state(start_eta_row, col);
    const auto reason = find_attained_accuracy(image, largest, reduction, growth);
    if (reason != stop_reason::running) {
        state(exhausted_row, col) = reason == stop_reason::breakdown_subspace ? Real{1} : Real{};
        status.stop(reason);
    }
}

/// Completes a column of the tridiagonal matrix with product = (v, z) of the next vectors. Two old
/// rotations and a new one make it triangular. They give the coefficients for w, x and r.
template <typename T, typename Real>
SPRUCE_HOST_DEVICE_INLINE void rotate(const T& product, const Real& square_of_v, const dense_entries<Real>& state,
                                      size_type col, stopping_status& status)
{
    using namespace kernels::minres;
    if (status.has_stopped()) {
        return;
    }
    if (!is_finite_value(product)) {
        status.stop(stop_reason::not_finite);
        return;
    }
    if (!is_norm_squared(product, square_of_v)) {
        status.stop(stop_reason::breakdown_inner_product);
        return;
    }
    const auto gamma = state(gamma_row, col);
    const auto delta = state(delta_row, col);
    const auto beta = state(beta_row, col);
    const auto cos = state(cos_row, col);
    const auto sin = state(sin_row, col);
    const auto next = sqrt_of(real_of(product));
    const auto above = cos * delta - state(prev_cos_row, col) * sin * beta;
    const auto diagonal = abs_of(device_complex<Real>{above, next});
    // ||A r|| / ||r||, without the step that follows.
    const auto image = abs_of(device_complex<Real>{above, cos * next});
    stop_at_attained_accuracy(state, col, beta + abs_of(delta) + next, image, status);
    if (status.has_stopped()) {
        return;
    }
    const auto eta = state(eta_row, col);
    const auto next_cos = above / diagonal;
    const auto next_sin = next / diagonal;
    const auto next_eta = -next_sin * eta;
    const auto z_factor = 1 / diagonal / gamma;
    const auto step = next_cos * eta;
    if (!is_finite_value(z_factor) || !is_finite_value(step) || !is_finite_value(next / gamma)) {
        status.stop(reason_of_overflow(gamma));
        return;
    }
    state(z_factor_row, col) = z_factor;
    state(w_factor_row, col) = (sin * delta + state(prev_cos_row, col) * cos * beta) / diagonal;
    state(prev_w_factor_row, col) = state(prev_sin_row, col) * beta / diagonal;
    state(step_row, col) = step;
    update_growth(state, col, diagonal, step / state(start_eta_row, col));
    state(r_factor_row, col) = next_sin * next_sin;
    state(v_factor_row, col) = next == Real{} ? Real{} : next_cos * next_eta / next;
    state(prev_cos_row, col) = cos;
    state(prev_sin_row, col) = sin;
    state(cos_row, col) = next_cos;
    state(sin_row, col) = next_sin;
    state(eta_row, col) = next_eta;
    state(prev_gamma_row, col) = gamma;
    state(gamma_row, col) = next;
    state(beta_row, col) = next;
}

/// Returns current - factor previous. If factor is zero, previous may be anything.
template <typename T, typename Real>
SPRUCE_HOST_DEVICE_INLINE T reduced(const T& current, const Real& factor, const T& previous)
{
    return factor == Real{} ? current : current - T(factor) * previous;
}

/// Completes a step: norm = new_norm and rho = (scale eta)^2.
/// @param new_norm  of the residual in the recurrence
template <typename T, typename Real>
SPRUCE_HOST_DEVICE_INLINE void finish_update(const Real& new_norm, const Real& eta, const Real& scale,
                                             const Real& start_norm, Real& norm, T& rho, stopping_status& status)
{
    if (status.has_stopped()) {
        return;
    }
    norm = new_norm;
    rho = T((scale * eta) * (scale * eta));
    stop_if_zero_or_nonfinite(norm, status);
    // The residual of the recurrence has an error of some epsilon times the first residual.
    if (norm <= 10 * std::numeric_limits<Real>::epsilon() * start_norm) {
        status.stop(stop_reason::stagnation);
    }
}

}  // namespace spruce::kernels
