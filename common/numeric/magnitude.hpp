// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

#include "common/numeric/complex.hpp"

namespace spruce::kernels {

SPRUCE_HOST_DEVICE_INLINE uint64 bits_of_real(double value)
{
    uint64 bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
}
SPRUCE_HOST_DEVICE_INLINE uint64 bits_of_real(float value)
{
    uint32 bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    return static_cast<uint64>(bits) << 32;
}

/// Returns a number below 2^63 that orders real numbers by absolute value. A NaN with a sign counts
/// like one without.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE uint64 magnitude_of(Real size)
{
    return bits_of_real(size) & ~(uint64{1} << 63);
}

/// Returns the nonnegative number with this magnitude.
template <typename Real>
Real real_of_magnitude(uint64 magnitude)
{
    Real result;
    if (sizeof(Real) == sizeof(uint32)) {
        const auto bits = static_cast<uint32>(magnitude >> 32);
        __builtin_memcpy(&result, &bits, sizeof(result));
    } else {
        __builtin_memcpy(&result, &magnitude, sizeof(result));
    }
    return result;
}

}  // namespace spruce::kernels
