// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>

/// Computes products of formats that can find the entries of a row. row_times_column(row, rhs) is
/// entry (row, rhs) of a b.
namespace spruce::kernels::reference {

/// Computes x = a b.
template <typename V, typename Function>
void multiply(Function row_times_column, matrix::Dense<V>& x)
{
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        for (size_type rhs = 0; rhs < x.get_size()[1]; ++rhs) {
            x.at(row, rhs) = row_times_column(row, rhs);
        }
    }
}

/// Computes x = alpha a b + beta x. If alpha or beta is zero, its operand is ignored, even if it
/// contains NaN.
template <typename V, typename Function>
void multiply_add(const matrix::Dense<V>& alpha, Function row_times_column, const matrix::Dense<V>& beta,
                  matrix::Dense<V>& x)
{
    const auto a_factor = alpha.at(0, 0);
    const auto x_factor = beta.at(0, 0);
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        for (size_type rhs = 0; rhs < x.get_size()[1]; ++rhs) {
            auto result = is_zero(x_factor) ? zero<V>() : x_factor * x.at(row, rhs);
            if (is_nonzero(a_factor)) {
                result += a_factor * row_times_column(row, rhs);
            }
            x.at(row, rhs) = result;
        }
    }
}

}  // namespace spruce::kernels::reference
