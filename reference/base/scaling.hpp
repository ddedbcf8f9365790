// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <spruce/base/math.hpp>
#include <spruce/base/reduction.hpp>

namespace spruce::kernels::reference {

/// Returns the factor of a column in inner products of vectors of V (see Reduction::set_scale()).
template <typename V>
remove_complex<V> column_scale(const Reduction& reduction, size_type col)
{
    const auto scales = reduction.get_scale<remove_complex<V>>();
    return scales == nullptr ? 1 : scales[col];
}

/// Returns conj(scale v) (scale w).
template <typename V>
V scaled_product(const V& v, const V& w, remove_complex<V> scale)
{
    return spruce::conj(scale * v) * (scale * w);
}

/// Returns the power of two whose product with norm is in [1, 2), or the nearest one whose inverse
/// is also a normal number. Returns 1 if norm is zero or not finite.
template <typename Real>
Real power_of_two_scale(Real norm)
{
    constexpr int limit = std::numeric_limits<Real>::max_exponent - 2;
    if (norm == 0 || !std::isfinite(norm)) {
        return 1;
    }
    return std::ldexp(Real{1}, std::clamp(-std::ilogb(norm), -limit, limit));
}

}  // namespace spruce::kernels::reference
