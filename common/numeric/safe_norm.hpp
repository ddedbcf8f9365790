// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/numeric/sums.hpp"

/// Computes Euclidean norms even if squares overflow or underflow, with the three accumulators of
/// Blue 1978 (ACM TOMS 4, 15-23; see Anderson 2017, Algorithm 978). Unlike Blue's, the accumulators
/// overlap. The norm is the square root of the plain sum of squares, bit by bit, unless a square or
/// the sum leaves the range of normal numbers.
namespace spruce::kernels {

/// Contains the bounds of the accumulators.
template <typename Real>
struct safe_norm_limits;
template <>
struct safe_norm_limits<float> {
    static constexpr float min_sum = 0x1p-80f;    ///< of squares; underflowed squares are negligible
    static constexpr float max_small = 0x1p-39f;  ///< more than any entry of a sum below min_sum
    static constexpr float min_large = 0x1p23f;   ///< (min_large * scale_down)^2 is normal
    static constexpr float scale_up = 0x1p86f;    ///< makes the squares of subnormal numbers normal
    static constexpr float scale_down = 0x1p-86f;
};
template <>
struct safe_norm_limits<double> {
    static constexpr double min_sum = 0x1p-922;
    static constexpr double max_small = 0x1p-460;
    static constexpr double min_large = 0x1p52;
    static constexpr double scale_up = 0x1p563;
    static constexpr double scale_down = 0x1p-563;
};

/// Returns true if a plain sum of squares has not overflowed and lost nothing by underflow.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE bool is_safe_sum(const Real& sum_of_squares)
{
    return is_finite_value(sum_of_squares) && sum_of_squares >= safe_norm_limits<Real>::min_sum;
}

/// Returns the contribution of an entry to the sums of a norm: its square, the square of a small
/// entry scaled up, and the square of a large entry scaled down. NaN counts as large.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE sums<Real, 3> safe_squares(const Real& entry)
{
    using limits = safe_norm_limits<Real>;
    const auto size = abs_of(entry);
    const auto small = (size < limits::max_small ? size : Real{}) * limits::scale_up;
    const auto large = (size < limits::min_large ? Real{} : size) * limits::scale_down;
    return {{entry * entry, small * small, large * large}};
}
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE sums<Real, 3> safe_squares(const device_complex<Real>& entry)
{
    return safe_squares(entry.re) + safe_squares(entry.im);
}

/// Returns the norm of a vector, given the sums of the squares of its entries. The result is NaN or
/// infinity if an entry is.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE Real safe_norm(const sums<Real, 3>& squares)
{
    using limits = safe_norm_limits<Real>;
    if (is_safe_sum(squares[0])) {
        return sqrt_of(squares[0]);
    }
    return is_finite_value(squares[0]) ? sqrt_of(squares[1]) * limits::scale_down
                                       : sqrt_of(squares[2]) * limits::scale_up;
}

}  // namespace spruce::kernels
