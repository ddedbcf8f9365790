// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cmath>

#include <spruce/base/math.hpp>

/// Marks functions that kernels call. They are compiled for host and device if there are both.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define SPRUCE_HOST_DEVICE_INLINE __host__ __device__ inline __attribute__((always_inline))
#define SPRUCE_KERNEL_LAMBDA __device__
#else
#define SPRUCE_HOST_DEVICE_INLINE inline __attribute__((always_inline))
#define SPRUCE_KERNEL_LAMBDA
#endif

namespace spruce {
namespace kernels {

/// Represents complex numbers in kernels, with the layout of std::complex, on every device.
/// Products use the plain formula. std::complex also corrects infinities, at several times the
/// cost.
template <typename T>
struct device_complex {
    using value_type = T;

    device_complex() = default;
    SPRUCE_HOST_DEVICE_INLINE constexpr device_complex(T re) : re{re}, im{} {}
    SPRUCE_HOST_DEVICE_INLINE constexpr device_complex(T re, T im) : re{re}, im{im} {}
    template <typename U>
    SPRUCE_HOST_DEVICE_INLINE constexpr explicit device_complex(const device_complex<U>& other)
        : re{static_cast<T>(other.re)}, im{static_cast<T>(other.im)}
    {}

    SPRUCE_HOST_DEVICE_INLINE constexpr T real() const { return re; }
    SPRUCE_HOST_DEVICE_INLINE constexpr T imag() const { return im; }

    SPRUCE_HOST_DEVICE_INLINE device_complex& operator+=(const device_complex& other) { return *this = *this + other; }
    SPRUCE_HOST_DEVICE_INLINE device_complex& operator-=(const device_complex& other) { return *this = *this - other; }
    SPRUCE_HOST_DEVICE_INLINE device_complex& operator*=(const device_complex& other) { return *this = *this * other; }
    SPRUCE_HOST_DEVICE_INLINE friend device_complex operator-(const device_complex& a) { return {-a.re, -a.im}; }
    SPRUCE_HOST_DEVICE_INLINE friend device_complex operator+(const device_complex& a, const device_complex& b)
    {
        return {a.re + b.re, a.im + b.im};
    }
    SPRUCE_HOST_DEVICE_INLINE friend device_complex operator-(const device_complex& a, const device_complex& b)
    {
        return {a.re - b.re, a.im - b.im};
    }
    SPRUCE_HOST_DEVICE_INLINE friend device_complex operator*(const device_complex& a, const device_complex& b)
    {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    /// Divides by the method of Smith (1962). The squares of the denominator do not overflow.
    SPRUCE_HOST_DEVICE_INLINE friend device_complex operator/(const device_complex& a, const device_complex& b)
    {
        if (fabs(b.re) >= fabs(b.im)) {
            const auto ratio = b.im / b.re;
            const auto scale = b.re + b.im * ratio;
            return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
        }
        const auto ratio = b.re / b.im;
        const auto scale = b.re * ratio + b.im;
        return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
    }
    SPRUCE_HOST_DEVICE_INLINE friend constexpr bool operator==(const device_complex& a, const device_complex& b)
    {
        return a.re == b.re && a.im == b.im;
    }
    SPRUCE_HOST_DEVICE_INLINE friend constexpr bool operator!=(const device_complex& a, const device_complex& b)
    {
        return !(a == b);
    }

    T re;
    T im;
};

/// Maps T to the type that represents it in kernels.
namespace detail {
template <typename T>
struct device_type {
    using type = T;
};
template <typename T>
struct device_type<std::complex<T>> {
    using type = device_complex<T>;
};
}  // namespace detail
template <typename T>
using device_type = typename detail::device_type<T>::type;

template <typename T>
device_type<T>* as_device(T* values)
{
    return reinterpret_cast<device_type<T>*>(values);
}
template <typename T>
const device_type<T>* as_device(const T* values)
{
    return reinterpret_cast<const device_type<T>*>(values);
}
template <typename T>
device_type<T> to_device(const T& value)
{
    return *as_device(&value);
}

// Functions of real and complex numbers in kernels.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T conj_of(const T& value)
{
    return value;
}
template <typename T>
SPRUCE_HOST_DEVICE_INLINE device_complex<T> conj_of(const device_complex<T>& value)
{
    return {value.re, -value.im};
}
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T real_of(const T& value)
{
    return value;
}
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T real_of(const device_complex<T>& value)
{
    return value.re;
}
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T imag_of(const T&)
{
    return {};
}
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T imag_of(const device_complex<T>& value)
{
    return value.im;
}
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T squared_abs(const T& value)
{
    return value * value;
}
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T squared_abs(const device_complex<T>& value)
{
    return value.re * value.re + value.im * value.im;
}
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T abs_of(const T& value)
{
    return value < T{} ? -value : value;
}
SPRUCE_HOST_DEVICE_INLINE float abs_of(const float& value) { return fabsf(value); }
SPRUCE_HOST_DEVICE_INLINE double abs_of(const double& value) { return fabs(value); }
SPRUCE_HOST_DEVICE_INLINE double abs_of(const device_complex<double>& value) { return hypot(value.re, value.im); }
SPRUCE_HOST_DEVICE_INLINE float abs_of(const device_complex<float>& value) { return hypotf(value.re, value.im); }
SPRUCE_HOST_DEVICE_INLINE double sqrt_of(double value) { return sqrt(value); }
SPRUCE_HOST_DEVICE_INLINE float sqrt_of(float value) { return sqrtf(value); }

SPRUCE_HOST_DEVICE_INLINE bool is_finite_value(double value) { return value - value == 0; }
SPRUCE_HOST_DEVICE_INLINE bool is_finite_value(float value) { return value - value == 0; }
template <typename T>
SPRUCE_HOST_DEVICE_INLINE bool is_finite_value(const device_complex<T>& value)
{
    return is_finite_value(value.re) && is_finite_value(value.im);
}
template <typename T>
inline bool is_finite_value(const std::complex<T>& value)
{
    return is_finite_value(value.real()) && is_finite_value(value.imag());
}

/// Converts a value to To: between precisions, between integer widths, or from real to complex.
template <typename To, typename From>
SPRUCE_HOST_DEVICE_INLINE To convert_to(const From& value)
{
    return static_cast<To>(value);
}

}  // namespace kernels

namespace detail {
template <typename T>
struct complex_traits<kernels::device_complex<T>> {
    static constexpr bool is_complex = true;
    using real = T;
    using complex = kernels::device_complex<T>;
};
}  // namespace detail
}  // namespace spruce
