// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <spruce/base/math.hpp>

#include "reference/base/sum_columns.hpp"

namespace spruce::kernels::reference {

template <typename Real>
Real largest_part(const Real& value)
{
    return std::abs(value);
}
template <typename Real>
Real largest_part(const std::complex<Real>& value)
{
    return std::max(std::abs(value.real()), std::abs(value.imag()));
}

template <typename Real>
Real times_power_of_two(const Real& value, int exponent)
{
    return std::scalbn(value, exponent);
}
template <typename Real>
std::complex<Real> times_power_of_two(const std::complex<Real>& value, int exponent)
{
    return {std::scalbn(value.real(), exponent), std::scalbn(value.imag(), exponent)};
}

/// Calls finalize(col, square, largest) for each column. square is the sum of the squared absolute
/// values of entry(row, col) over all rows. largest is the largest absolute value of real and
/// imaginary parts.
template <typename Real, typename Entry, typename Finalize>
void sum_squares(const ReferenceExecutor& exec, size_type num_rows, size_type num_cols, const Reduction& reduction,
                 Entry entry, Finalize finalize)
{
    std::vector<Real> squares(num_cols);
    std::vector<Real> largest(num_cols);
    sum_columns<Real>(
        exec, num_rows, num_cols, reduction,
        [&](auto row, auto col) {
            const auto value = entry(row, col);
            largest[col] = std::max(largest[col], largest_part(value));
            return squared_norm(value);
        },
        [&](auto col, auto sum) { squares[col] = sum; });
    if (reduction.get_communicator() && num_cols > 0) {
        reduction.get_communicator()->max(exec.shared_from_this(), largest.data(), num_cols);
    }
    for (size_type col = 0; col < num_cols; ++col) {
        finalize(col, squares[col], largest[col]);
    }
}

/// Calls finalize(col, norm) for each column, where norm is the Euclidean norm of entry(row, col)
/// over all rows. If the sum of squares might overflow or underflow, entries are divided by a power
/// of two near the largest of them.
template <typename Real, typename Entry, typename Finalize>
void norm_columns(const ReferenceExecutor& exec, size_type num_rows, size_type num_cols, const Reduction& reduction,
                  Entry entry, Finalize finalize)
{
    using limits = std::numeric_limits<Real>;
    const auto min_sum = std::sqrt(limits::min());
    std::vector<Real> squares(num_cols);
    std::vector<Real> largest(num_cols);
    sum_squares<Real>(exec, num_rows, num_cols, reduction, entry, [&](auto col, auto square, auto largest_of_column) {
        squares[col] = square;
        largest[col] = largest_of_column;
    });
    const auto is_safe = [&](auto sum) { return sum >= min_sum && sum <= limits::max(); };
    if (std::all_of(squares.begin(), squares.end(), is_safe)) {
        for (size_type col = 0; col < num_cols; ++col) {
            finalize(col, std::sqrt(squares[col]));
        }
        return;
    }
    const auto exponent = [&](auto col) {
        return largest[col] > 0 && is_finite(largest[col]) ? std::ilogb(largest[col]) : 0;
    };
    sum_columns<Real>(
        exec, num_rows, num_cols, reduction,
        [&](auto row, auto col) { return squared_norm(times_power_of_two(entry(row, col), -exponent(col))); },
        [&](auto col, auto sum) {
            finalize(col, is_safe(squares[col]) ? std::sqrt(squares[col])
                                                : times_power_of_two(std::sqrt(sum), exponent(col)));
        });
}

/// Returns the residual norm as the square root of a square from a recurrence. If the square is
/// zero or subnormal, returns norm, which is computed from the residual.
template <typename V>
remove_complex<V> norm_of_square(const V& squared, const remove_complex<V>& norm)
{
    const auto square = std::abs(squared);
    return square < std::numeric_limits<remove_complex<V>>::min() ? norm : std::sqrt(square);
}

}  // namespace spruce::kernels::reference
