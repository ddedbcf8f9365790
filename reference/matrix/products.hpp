// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>

/// Products of formats that find the entries of a row; row_times_column(row, rhs) is entry (row, rhs) of a b.
namespace spruce::kernels::reference {

/// x = a b
template <typename V, typename Function>
void multiply(Function row_times_column, matrix::Dense<V>& x)
{
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        for (size_type rhs = 0; rhs < x.get_size()[1]; ++rhs) {
            x.at(row, rhs) = row_times_column(row, rhs);
        }
    }
}

/// x = alpha a b + beta x; where one is zero its operand does not count, NaN or not
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
