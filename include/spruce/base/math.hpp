// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include <spruce/base/types.hpp>

namespace spruce {

namespace detail {

template <typename T>
struct complex_traits {
    static constexpr bool is_complex = false;
    using real = T;
    using complex = std::complex<T>;
};

template <typename T>
struct complex_traits<std::complex<T>> {
    static constexpr bool is_complex = true;
    using real = T;
    using complex = std::complex<T>;
};

/// Maps the value type of a matrix type: remove_complex<Dense<std::complex<T>>> is Dense<T>.
template <template <typename, typename...> class Class, typename ValueType, typename... Rest>
struct complex_traits<Class<ValueType, Rest...>> {
    static constexpr bool is_complex = false;
    using real = Class<typename complex_traits<ValueType>::real, Rest...>;
    using complex = Class<typename complex_traits<ValueType>::complex, Rest...>;
};

template <typename T>
struct other_precision;
template <>
struct other_precision<float> {
    using type = double;
};
template <>
struct other_precision<double> {
    using type = float;
};
template <typename T>
struct other_precision<std::complex<T>> {
    using type = std::complex<typename other_precision<T>::type>;
};

/// Names Real if T is real, and std::complex<Real> if T is complex.
template <typename T, typename Real>
using with_precision = std::conditional_t<complex_traits<T>::is_complex, std::complex<Real>, Real>;

template <typename T, typename... Rest>
using highest_real = std::common_type_t<typename complex_traits<T>::real, typename complex_traits<Rest>::real...>;

}  // namespace detail

/// Names the real type of the precision of T.
template <typename T>
using remove_complex = typename detail::complex_traits<T>::real;
/// Names the complex type of the precision of T.
template <typename T>
using to_complex = typename detail::complex_traits<T>::complex;
/// Holds true if T is a complex type.
template <typename T>
struct is_complex_s : std::bool_constant<detail::complex_traits<T>::is_complex> {};
/// Returns true if T is a complex type.
template <typename T>
constexpr bool is_complex()
{
    return is_complex_s<T>::value;
}

/// Holds true if T is an arithmetic type or std::complex of one.
template <typename T>
struct is_complex_or_scalar_s : std::bool_constant<std::is_arithmetic_v<remove_complex<T>>> {};
/// Returns true if T is an arithmetic type or std::complex of one.
template <typename T>
constexpr bool is_complex_or_scalar()
{
    return is_complex_or_scalar_s<T>::value;
}

/// Names the n-th type after T in the cycle float -> double -> float. It is complex if T is
/// complex.
template <typename T, int n = 1>
using next_precision = std::conditional_t<n % 2 == 0, T, typename detail::other_precision<T>::type>;
/// Names the n-th type before T in the cycle float -> double -> float. It is complex if T is
/// complex.
template <typename T, int n = 1>
using previous_precision = next_precision<T, -n>;
/// Names the type of the other precision, single or double. It is complex if T is complex.
template <typename T>
using next_precision_base = typename detail::other_precision<T>::type;
/// Equals next_precision_base, because there are only two precisions, single and double.
template <typename T>
using previous_precision_base = next_precision_base<T>;
/// Names the type of the next lower precision, or T if it has the lowest. It is complex if T is
/// complex.
template <typename T>
using reduce_precision = detail::with_precision<T, float>;
/// Names the type of the next higher precision, or T if it has the highest. It is complex if T is
/// complex.
template <typename T>
using increase_precision = detail::with_precision<T, double>;
/// Names the type of the highest precision of several types, which are all real or all complex.
template <typename T, typename... Rest>
using highest_precision = detail::with_precision<T, detail::highest_real<T, Rest...>>;

/// Rounds the value to the next lower precision.
template <typename T>
constexpr reduce_precision<T> round_down(T value)
{
    return static_cast<reduce_precision<T>>(value);
}
/// Returns the value in the next higher precision.
template <typename T>
constexpr increase_precision<T> round_up(T value)
{
    return static_cast<increase_precision<T>>(value);
}

/// Returns the neutral element of addition.
template <typename T>
constexpr T zero()
{
    return T{};
}
template <typename T>
constexpr T zero(const T&)
{
    return T{};
}
/// Returns the neutral element of multiplication.
template <typename T>
constexpr T one()
{
    return T(1);
}
template <typename T>
constexpr T one(const T&)
{
    return T(1);
}
/// Returns true if the value is exactly zero; false for NaN.
template <typename T>
constexpr bool is_zero(T value)
{
    return value == zero<T>();
}
/// Returns true if the value is not zero; true for NaN.
template <typename T>
constexpr bool is_nonzero(T value)
{
    return !is_zero(value);
}

/// Returns the real part.
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>>* = nullptr>
constexpr T real(const T& value)
{
    return value;
}
template <typename T>
constexpr T real(const std::complex<T>& value)
{
    return value.real();
}
/// Returns the imaginary part, which is zero for real numbers.
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>>* = nullptr>
constexpr T imag(const T&)
{
    return T{};
}
template <typename T>
constexpr T imag(const std::complex<T>& value)
{
    return value.imag();
}
/// Returns the complex conjugate. A real number is its own conjugate.
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>>* = nullptr>
constexpr T conj(const T& value)
{
    return value;
}
template <typename T>
inline std::complex<T> conj(const std::complex<T>& value)
{
    return {value.real(), -value.imag()};
}
/// Computes |value|^2 as a real number.
template <typename T>
constexpr remove_complex<T> squared_norm(const T& value)
{
    return spruce::real(value) * spruce::real(value) + spruce::imag(value) * spruce::imag(value);
}
using std::abs;
using std::sqrt;
/// Returns the larger of two numbers; a if neither is larger, for instance if one is NaN.
template <typename T>
constexpr T max(const T& a, const T& b)
{
    return a < b ? b : a;
}
/// Returns the smaller of two numbers; a if neither is smaller, for instance if one is NaN.
template <typename T>
constexpr T min(const T& a, const T& b)
{
    return b < a ? b : a;
}
/// Returns true if the real and the imaginary part are finite.
template <typename T>
inline bool is_finite(const T& value)
{
    return std::isfinite(spruce::real(value)) && std::isfinite(spruce::imag(value));
}
/// Returns true if the real or the imaginary part is NaN.
template <typename T>
inline bool is_nan(const T& value)
{
    return std::isnan(spruce::real(value)) || std::isnan(spruce::imag(value));
}
/// Returns a quiet NaN; its real and imaginary parts are NaN if T is complex.
template <typename T>
constexpr T nan()
{
    if constexpr (is_complex<T>()) {
        return {nan<remove_complex<T>>(), nan<remove_complex<T>>()};
    } else {
        return std::numeric_limits<T>::quiet_NaN();
    }
}
/// Returns pi.
template <typename T>
constexpr remove_complex<T> pi()
{
    return static_cast<remove_complex<T>>(3.1415926535897932384626433832795L);
}
/// Computes exp(2 pi i k / n).
template <typename T>
inline std::complex<remove_complex<T>> unit_root(int64 n, int64 k = 1)
{
    return std::polar(remove_complex<T>(1), remove_complex<T>(2) * pi<T>() * static_cast<remove_complex<T>>(k) / n);
}
/// Computes numerator / denominator, rounded up.
constexpr int64 ceildiv(int64 numerator, int64 denominator) { return (numerator + denominator - 1) / denominator; }
/// Returns numerator / denominator, or zero if the denominator is zero.
template <typename T>
constexpr T safe_divide(T numerator, T denominator)
{
    return is_zero(denominator) ? zero<T>() : numerator / denominator;
}
/// Returns the position of the highest bit of n that is set, counted from zero. Returns hint if
/// that is larger.
template <typename T>
constexpr uint32 get_significant_bit(const T& n, uint32 hint = 0)
{
    while ((n >> hint) > 1) {
        ++hint;
    }
    return hint;
}
/// Returns the smallest power of base that is at least limit and at least hint. base is larger than
/// 1, hint is a power of base, and the result fits T.
template <typename T>
constexpr T get_superior_power(const T& base, const T& limit, const T& hint = T{1})
{
    auto power = hint;
    while (power < limit) {
        power *= base;
    }
    return power;
}

}  // namespace spruce
