// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

#include "common/numeric/complex.hpp"

namespace spruce::kernels {

/// Stores a number in the 16-bit format of IEEE 754, without arithmetic. It supports numbers up to
/// 65504, but neither infinities nor NaN.
struct half {
    half() = default;
    /// Rounds to the nearest number; subnormal numbers may be rounded twice.
    SPRUCE_HOST_DEVICE_INLINE explicit half(float value)
    {
        // Multiplication by 2^-112 gives the exponents of half. They are 13 bits further left.
        const auto scaled = value * 0x1p-112f;
        uint32 word;
        __builtin_memcpy(&word, &scaled, sizeof(word));
        const auto sign = (word >> 16) & 0x8000u;
        const auto magnitude = word & 0x7fffffffu;
        const auto rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
        bits = static_cast<uint16>(sign | (rounded >> 13));
    }
    SPRUCE_HOST_DEVICE_INLINE explicit half(double value) : half(static_cast<float>(value)) {}

    SPRUCE_HOST_DEVICE_INLINE explicit operator float() const
    {
        const auto word = (static_cast<uint32>(bits) & 0x7fffu) << 13 | (static_cast<uint32>(bits) & 0x8000u) << 16;
        float scaled;
        __builtin_memcpy(&scaled, &word, sizeof(scaled));
        return scaled * 0x1p112f;
    }
    SPRUCE_HOST_DEVICE_INLINE explicit operator double() const
    {
        return static_cast<double>(static_cast<float>(*this));
    }

    uint16 bits;
};

}  // namespace spruce::kernels
