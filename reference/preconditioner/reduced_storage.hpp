// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cmath>
#include <cstring>
#include <limits>

#include <spruce/base/math.hpp>
#include <spruce/base/precision_reduction.hpp>

#include "reference/solver/compressed_storage.hpp"

namespace spruce::kernels::reference {

/// Describes a format of real numbers: bytes of a number, the precision from which it drops bits
/// (8 or 4 bytes), or 2 for half precision, and the properties of its numbers.
struct reduced_format {
    int bytes;
    int base;
    double error;     ///< relative error of rounding or truncation
    double largest;   ///< bound of the numbers that are stored
    double smallest;  ///< smallest number with all digits
};

template <typename Real>
reduced_format describe(precision_reduction format)
{
    const int preserving = format.get_preserving();
    const int nonpreserving = format.get_nonpreserving();
    const auto size = static_cast<int>(sizeof(Real));
    const auto base = size >> nonpreserving;
    const auto bytes = base >> preserving;
    if (base == 2) {
        return {2, 2, std::ldexp(1.0, -11), std::ldexp(1.0, 15), std::ldexp(1.0, -14)};
    }
    const auto digits = base == 8 ? 53 : 24;
    const auto error = std::ldexp(1.0, preserving == 0 ? -digits : 8 * (base - bytes) - (digits - 1));
    return base == 8 ? reduced_format{bytes, 8, error, std::ldexp(1.0, 1023), std::ldexp(1.0, -1022)}
                     : reduced_format{bytes, 4, error, std::ldexp(1.0, 127), std::ldexp(1.0, -126)};
}

/// Stores a real number at a position in memory of numbers in this format.
template <typename Real>
void store_real(precision_reduction format, Real value, void* memory, size_type position)
{
    const auto described = describe<Real>(format);
    const auto bytes = static_cast<size_type>(described.bytes);
    const auto target = static_cast<char*>(memory) + position * bytes;
    const auto single = static_cast<float>(value);
    if (described.base == 2) {
        const auto bits = to_half(single);
        std::memcpy(target, &bits, 2);
    } else if (described.base == 4) {  // the upper bytes are the last ones
        std::memcpy(target, reinterpret_cast<const char*>(&single) + 4 - bytes, bytes);
    } else {
        std::memcpy(target, reinterpret_cast<const char*>(&value) + sizeof(Real) - bytes, bytes);
    }
}

template <typename Real>
Real load_real(precision_reduction format, const void* memory, size_type position)
{
    const auto described = describe<Real>(format);
    const auto bytes = static_cast<size_type>(described.bytes);
    const auto source = static_cast<const char*>(memory) + position * bytes;
    if (described.base == 2) {
        uint16 bits;
        std::memcpy(&bits, source, 2);
        return from_half(bits);
    }
    if (described.base == 4) {
        float single{};
        std::memcpy(reinterpret_cast<char*>(&single) + 4 - bytes, source, bytes);
        return single;
    }
    Real value{};
    std::memcpy(reinterpret_cast<char*>(&value) + sizeof(Real) - bytes, source, bytes);
    return value;
}

/// Stores a number, whose real and imaginary part are adjacent if it is complex.
template <typename V>
void store_reduced(precision_reduction format, const V& value, V* memory, size_type position)
{
    if constexpr (is_complex<V>()) {
        store_real(format, value.real(), memory, 2 * position);
        store_real(format, value.imag(), memory, 2 * position + 1);
    } else {
        store_real(format, value, memory, position);
    }
}

template <typename V>
V load_reduced(precision_reduction format, const V* memory, size_type position)
{
    using real = remove_complex<V>;
    if constexpr (is_complex<V>()) {
        return {load_real<real>(format, memory, 2 * position), load_real<real>(format, memory, 2 * position + 1)};
    } else {
        return load_real<real>(format, memory, position);
    }
}

/// Returns true if a block can be stored whose largest entry is this one, with errors that are
/// small relative to it.
template <typename Real>
bool suits(precision_reduction format, double largest)
{
    const auto described = describe<Real>(format);
    return largest < described.largest && largest >= 32 * described.smallest;
}

/// Chooses the format of a block.
template <typename Real>
precision_reduction choose_storage(precision_reduction request, double condition, double largest, double accuracy)
{
    const auto max_reductions = sizeof(Real) == 8 ? 2 : 1;
    const auto format_of = [](int preserving, int nonpreserving) {
        return precision_reduction(static_cast<uint8>(preserving), static_cast<uint8>(nonpreserving));
    };
    if (request != precision_reduction::autodetect()) {
        const auto preserving = std::min<int>(request.get_preserving(), max_reductions);
        auto nonpreserving = std::min<int>(request.get_nonpreserving(), max_reductions - preserving);
        while (nonpreserving > 0 && !suits<Real>(format_of(preserving, nonpreserving), largest)) {
            --nonpreserving;
        }
        return format_of(preserving, nonpreserving);
    }
    for (auto num = max_reductions; num > 0; --num) {
        for (auto preserving = 0; preserving <= num; ++preserving) {
            const auto format = format_of(preserving, num - preserving);
            if (condition * describe<Real>(format).error <= accuracy && suits<Real>(format, largest)) {
                return format;
            }
        }
    }
    return {};
}

}  // namespace spruce::kernels::reference
