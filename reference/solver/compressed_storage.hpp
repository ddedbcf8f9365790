// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "core/solver/cb_gmres_kernels.hpp"

namespace spruce::kernels::reference {

/// Returns the 16 bits of a number in half precision, rounded to nearest. The absolute value is at
/// most 65504. Subnormal numbers are rounded to multiples of 2^-37 first, and then to multiples of
/// 2^-24: all backends round them twice.
inline uint16 to_half(float value)
{
    constexpr int min_exponent = -14;
    const auto magnitude = std::abs(value);
    const auto exponent = std::max(std::ilogb(magnitude), min_exponent);
    const auto is_subnormal = magnitude < std::ldexp(1.0f, min_exponent);
    const auto once = is_subnormal ? std::ldexp(std::nearbyint(std::ldexp(magnitude, 37)), -37) : magnitude;
    const auto digits = std::llrint(std::ldexp(once, 10 - exponent));
    const auto bits = digits + 1024 * (exponent - min_exponent);  // 1024 carries into the exponent
    return static_cast<uint16>(bits + (std::signbit(value) ? 0x8000 : 0));
}

inline float from_half(uint16 bits)
{
    const auto digits = bits % 1024;
    const auto exponent = bits / 1024 % 32;
    const auto magnitude =
        exponent == 0 ? std::ldexp(float(digits), -24) : std::ldexp(float(1024 + digits), exponent - 25);
    return bits >= 0x8000 ? -magnitude : magnitude;
}

/// Describes the storage of real numbers of type Real: integers or floating-point numbers with a
/// given number of bytes.
template <typename Real>
class storage_format {
public:
    using storage_precision = kernels::cb_gmres::storage_precision;

    explicit storage_format(storage_precision precision)
        : num_bytes_{kernels::cb_gmres::bytes_of<Real>(precision)},
          is_integer_{precision == storage_precision::integer || precision == storage_precision::ireduce1 ||
                      precision == storage_precision::ireduce2}
    {}

    /// Returns true if vectors are divided by a scale so that their entries become storable.
    bool has_scale() const { return is_integer_ || num_bytes_ == sizeof(uint16); }
    /// Returns the absolute value of the largest entry of a scaled vector: 1, or the largest
    /// integer. For integers with more digits than Real it is half the largest integer, because
    /// rounding must not exceed the range.
    Real get_largest() const
    {
        if (!is_integer_) {
            return 1;
        }
        const auto num_digits = static_cast<int>(8 * num_bytes_ - 1);
        const auto largest = std::numeric_limits<int64>::max() >> (63 - num_digits);
        return static_cast<Real>(num_digits > std::numeric_limits<Real>::digits ? largest / 2 : largest);
    }
    /// Returns the rounding error relative to the largest entry. It is at least the rounding error
    /// of Real.
    Real get_epsilon() const
    {
        const auto working_epsilon = std::numeric_limits<Real>::epsilon();
        if (is_integer_) {
            return std::max(working_epsilon, 1 / this->get_largest());
        }
        return num_bytes_ == sizeof(uint16)  ? std::ldexp(Real{1}, -10)
               : num_bytes_ == sizeof(float) ? static_cast<Real>(std::numeric_limits<float>::epsilon())
                                             : working_epsilon;
    }

    void write(Real value, void* memory, size_type index) const
    {
        if (is_integer_) {
            const auto integer = std::llrint(value);
            switch (num_bytes_) {
            case sizeof(int16):
                static_cast<int16*>(memory)[index] = static_cast<int16>(integer);
                break;
            case sizeof(int32):
                static_cast<int32*>(memory)[index] = static_cast<int32>(integer);
                break;
            default:
                static_cast<int64*>(memory)[index] = integer;
            }
        } else {
            switch (num_bytes_) {
            case sizeof(uint16):
                static_cast<uint16*>(memory)[index] = to_half(static_cast<float>(value));
                break;
            case sizeof(float):
                static_cast<float*>(memory)[index] = static_cast<float>(value);
                break;
            default:
                static_cast<double*>(memory)[index] = value;
            }
        }
    }
    Real read(const void* memory, size_type index) const
    {
        if (is_integer_) {
            switch (num_bytes_) {
            case sizeof(int16):
                return static_cast<Real>(static_cast<const int16*>(memory)[index]);
            case sizeof(int32):
                return static_cast<Real>(static_cast<const int32*>(memory)[index]);
            default:
                return static_cast<Real>(static_cast<const int64*>(memory)[index]);
            }
        }
        switch (num_bytes_) {
        case sizeof(uint16):
            return from_half(static_cast<const uint16*>(memory)[index]);
        case sizeof(float):
            return static_cast<const float*>(memory)[index];
        default:
            return static_cast<Real>(static_cast<const double*>(memory)[index]);
        }
    }

    // Complex numbers are stored as pairs.
    void write(const std::complex<Real>& value, void* memory, size_type index) const
    {
        this->write(value.real(), memory, 2 * index);
        this->write(value.imag(), memory, 2 * index + 1);
    }
    void read(Real& value, const void* memory, size_type index) const { value = this->read(memory, index); }
    void read(std::complex<Real>& value, const void* memory, size_type index) const
    {
        value = {this->read(memory, 2 * index), this->read(memory, 2 * index + 1)};
    }

private:
    size_type num_bytes_;
    bool is_integer_;
};

}  // namespace spruce::kernels::reference
