// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cmath>
#include <limits>

#include "common/numeric/complex.hpp"

namespace spruce::kernels {

/// Returns the scale of a column: see Reduction::set_scale().
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE Real scale_of(const Real* scale, size_type col)
{
    return scale ? scale[col] : Real{1};
}

/// Multiplies by a real scale; avoids a complex product.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE Real scaled(const Real& scale, const Real& value)
{
    return scale * value;
}
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE device_complex<Real> scaled(const Real& scale, const device_complex<Real>& value)
{
    return {scale * value.re, scale * value.im};
}

/// Returns the power of two that scales the norm into [1, 2), as far as it is a normal number. For
/// zero, infinity and NaN it returns 1.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE Real scale_for_norm(const Real& norm)
{
    constexpr int limit = std::numeric_limits<Real>::max_exponent - 2;
    if (norm == Real{} || !is_finite_value(norm)) {
        return Real{1};
    }
    const auto exponent = -::ilogb(norm);
    return ::ldexp(Real{1}, exponent < -limit ? -limit : exponent > limit ? limit : exponent);
}

}  // namespace spruce::kernels
