// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>

namespace spruce::kernels::omp {

/// a b
template <typename T>
inline T multiply(T a, T b)
{
    return a * b;
}
/// Without the repair of infinite results that C99 Annex G wants and that costs a test and perhaps a call per product.
template <typename T>
inline std::complex<T> multiply(std::complex<T> a, std::complex<T> b)
{
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// a b + c
template <typename T>
inline T multiply_add(T a, T b, T c)
{
    return multiply(a, b) + c;
}

}  // namespace spruce::kernels::omp
