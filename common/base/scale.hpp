// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/base/complex.hpp"

namespace spruce::kernels {

/// Returns the scale of a column: see Reduction::set_scale().
template <typename Real>
SPRUCE_FN Real scale_of(const Real* scale, size_type col)
{
    return scale ? scale[col] : Real{1};
}

/// Returns scale value. (The product with a complex number of real part scale would cost more.)
template <typename Real>
SPRUCE_FN Real scaled(const Real& scale, const Real& value)
{
    return scale * value;
}
template <typename Real>
SPRUCE_FN device_complex<Real> scaled(const Real& scale, const device_complex<Real>& value)
{
    return {scale * value.re, scale * value.im};
}

}  // namespace spruce::kernels
