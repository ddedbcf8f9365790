// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>

namespace spruce::kernels::omp {

/// Returns a b.
template <typename T>
inline T multiply(T a, T b)
{
    return a * b;
}
/// Returns a b without the correction of infinite results that C99 Annex G requires. The correction
/// costs a test and possibly a function call for each product.
template <typename T>
inline std::complex<T> multiply(std::complex<T> a, std::complex<T> b)
{
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Returns a b + c.
template <typename T>
inline T multiply_add(T a, T b, T c)
{
    return multiply(a, b) + c;
}

/// Computes result = alpha sum + beta result; null stands for alpha = 1 and beta = 0.
template <typename T>
inline void combine_into(const T* alpha, const T& sum, const T* beta, T& result)
{
    const auto product = alpha ? multiply(*alpha, sum) : sum;
    result = beta ? multiply_add(*beta, result, product) : product;
}

}  // namespace spruce::kernels::omp
