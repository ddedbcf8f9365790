// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include <spruce/base/executor.hpp>
#include <spruce/base/math.hpp>
#include <spruce/base/reduction.hpp>

namespace spruce::kernels::reference {

/// Adds term to sum.
template <typename T>
void add_to_sum(T& sum, const T& term)
{
    sum += term;
}
/// Adds each of the terms to the corresponding sum.
template <typename T, std::size_t size>
void add_to_sum(std::array<T, size>& sums, const std::array<T, size>& terms)
{
    for (std::size_t i = 0; i < size; ++i) {
        sums[i] += terms[i];
    }
}

/// Defines the real type that corresponds to T, which is a number or an array of numbers.
template <typename T>
struct part_of_sum {
    using real = remove_complex<T>;
};
template <typename T, std::size_t size>
struct part_of_sum<std::array<T, size>> {
    using real = remove_complex<T>;
};

/// Calls finalize(col, sum) for each column, where sum is the sum of map(row, col) over all rows.
/// map may write to entry (row, col) of vectors. No call of finalize precedes a call of map.
/// @param T  the type of the sums: a number, or an array for several sums
/// @param reduction  defines the rows of a distributed system; the rows of all parts are summed,
///   except for counts
template <typename T, typename Map, typename Finalize>
void sum_columns(const ReferenceExecutor& exec, size_type num_rows, size_type num_cols, const Reduction& reduction,
                 Map map, Finalize finalize)
{
    using real = typename part_of_sum<T>::real;
    std::vector<T> results(num_cols);
    for (size_type col = 0; col < num_cols; ++col) {
        for (size_type row = 0; row < num_rows; ++row) {
            add_to_sum(results[col], static_cast<T>(map(row, col)));
        }
    }
    if constexpr (std::is_floating_point_v<real>) {
        if (reduction.get_communicator() && num_cols > 0) {
            reduction.get_communicator()->sum(exec.shared_from_this(), reinterpret_cast<real*>(results.data()),
                                              num_cols * (sizeof(T) / sizeof(real)));
        }
    }
    for (size_type col = 0; col < num_cols; ++col) {
        finalize(col, results[col]);
    }
}

}  // namespace spruce::kernels::reference
