// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include <spruce/base/math.hpp>
#include <spruce/stop/stopping_status.hpp>

/// Computes the scalars of Krylov solvers, and stops columns without valid scalars.
namespace spruce::kernels::reference {

/// Returns numerator / denominator if that is finite, otherwise zero.
template <typename V>
V finite_quotient(const V& numerator, const V& denominator)
{
    const auto quotient = numerator / denominator;
    return is_finite(quotient) ? quotient : zero<V>();
}

/// Returns numerator / denominator if that is finite, and otherwise zero. Returns zero in columns
/// that have stopped. The column stops if the quotient is not finite because an operand is not
/// finite.
template <typename V>
V quotient_or_zero(const V& numerator, const V& denominator, stopping_status& status)
{
    if (!is_finite(numerator / denominator) && !(is_finite(numerator) && is_finite(denominator))) {
        status.stop(stop_reason::not_finite);
    }
    return status.has_stopped() ? zero<V>() : finite_quotient(numerator, denominator);
}

/// Computes the result of quotient_or_zero(). Stops the column for this reason if the quotient of
/// finite numbers is not finite.
template <typename V>
V quotient_or_stop(const V& numerator, const V& denominator, stop_reason reason, stopping_status& status)
{
    const auto result = quotient_or_zero(numerator, denominator, status);
    if (!is_finite(numerator / denominator)) {
        status.stop(reason);
    }
    return result;
}

/// Returns the step length rho / (p, A p) of conjugate gradients. If it does not exist or rho is
/// zero, returns zero and stops the column.
template <typename V>
V conjugate_step(const V& rho, const V& p_dot_ap, stopping_status& status)
{
    if (is_zero(rho)) {
        status.stop(stop_reason::breakdown_inner_product);
    }
    return quotient_or_stop(rho, p_dot_ap, stop_reason::breakdown_curvature, status);
}

/// Returns v + factor w, or v if factor is zero. In this case w may contain NaN.
template <typename V, typename Factor>
V add_multiple(const V& v, const Factor& factor, const V& w)
{
    return is_zero(factor) ? v : v + factor * w;
}

/// Adds step to entry if the sum is finite. Returns zero, or NaN if entry does not change. NaN is
/// added to the squared norm of the residual and thus stops the column.
template <typename V>
remove_complex<V> add_unless_overflow(V& entry, const V& step)
{
    const auto sum = entry + step;
    if (!is_finite(sum)) {
        return nan<remove_complex<V>>();
    }
    entry = sum;
    return 0;
}

/// Stops a column whose residual norm is zero (converged) or not finite.
template <typename Real>
void stop_at_norm(Real norm, stopping_status& status)
{
    if (!is_finite(norm)) {
        status.stop(stop_reason::not_finite);
    } else if (is_zero(norm)) {
        status.stop(stop_reason::converged);
    }
}

/// Stops a running column (stagnation) unless its norm is less than half of start_norm. start_norm
/// becomes the smaller of both norms.
template <typename Real>
void stop_unless_halved(Real norm, Real& start_norm, stopping_status& status)
{
    if (status.has_stopped()) {
        return;
    }
    if (!(norm < start_norm / 2)) {
        status.stop(stop_reason::stagnation);
    }
    start_norm = norm < start_norm ? norm : start_norm;
}

}  // namespace spruce::kernels::reference
