// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>
#include <limits>

#include <spruce/stop/stopping_status.hpp>

#include "common/numeric/complex.hpp"
#include "common/numeric/sums.hpp"

/// Computes the scalars of Krylov solvers, and stops the columns for which they do not exist.
namespace spruce::kernels {

// The reference computes with std::complex.
template <typename T>
inline T real_of(const std::complex<T>& value)
{
    return value.real();
}
template <typename T>
inline T abs_of(const std::complex<T>& value)
{
    return std::abs(value);
}
template <typename T>
inline std::complex<T> conj_of(const std::complex<T>& value)
{
    return std::conj(value);
}

template <typename T>
SPRUCE_HOST_DEVICE_INLINE T finite_or_zero(const T& value)
{
    return is_finite_value(value) ? value : T{};
}

/// Returns numerator / denominator for a running column. If the quotient is not finite, the column
/// stops and the result is zero. The column stops as not finite if an operand was not finite, and
/// for the given reason otherwise. For a column that has stopped the result is zero.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T divide_or_stop(const T& numerator, const T& denominator, stop_reason reason,
                                           stopping_status& status)
{
    if (status.has_stopped()) {
        return T{};
    }
    const auto quotient = numerator / denominator;
    if (is_finite_value(quotient)) {
        return quotient;
    }
    status.stop(is_finite_value(numerator) && is_finite_value(denominator) ? reason : stop_reason::not_finite);
    return T{};
}

/// Returns the step rho / pq of conjugate gradients along p for a running column. If pq = (p, A p)
/// or rho = (r, z) is zero, there is no step: the column stops, and the result is zero.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T step_or_stop(const T& rho, const T& pq, stopping_status& status)
{
    if (is_zero(rho)) {
        status.stop(stop_reason::breakdown_inner_product);
    }
    return divide_or_stop(rho, pq, stop_reason::breakdown_curvature, status);
}

/// Returns numerator / denominator for a running column, or zero if the quotient is not finite. The
/// column stops only if an operand is not finite.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T divide_or_zero(const T& numerator, const T& denominator, stopping_status& status)
{
    if (status.has_stopped()) {
        return T{};
    }
    const auto quotient = numerator / denominator;
    if (is_finite_value(quotient)) {
        return quotient;
    }
    if (!is_finite_value(numerator) || !is_finite_value(denominator)) {
        status.stop(stop_reason::not_finite);
    }
    return T{};
}

/// Adds step to entry unless the sum overflows: singular systems let x grow without bounds.
/// @return zero, or NaN if entry remains unchanged. The result is added to the sum for the
///     residual's norm, so that NaN stops the column.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE remove_complex<T> add_if_finite(T& entry, const T& step)
{
    constexpr auto not_a_number = std::numeric_limits<remove_complex<T>>::quiet_NaN();
    const auto next = entry + step;
    if (!is_finite_value(next)) {
        return not_a_number;
    }
    entry = next;
    return 0;
}

/// Stops a column whose residual is exactly zero (converged), or not finite.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE void stop_if_zero_or_nonfinite(const T& norm, stopping_status& status)
{
    if (norm == T{}) {
        status.stop(stop_reason::converged);
    } else if (!is_finite_value(norm)) {
        status.stop(stop_reason::not_finite);
    }
}

}  // namespace spruce::kernels
