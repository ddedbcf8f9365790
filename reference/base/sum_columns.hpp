// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <vector>

#include <spruce/base/executor.hpp>
#include <spruce/base/reduction.hpp>

#include "common/base/distributed_sums.hpp"

namespace spruce::kernels {

template <typename T, std::size_t size>
struct reduced_type<std::array<T, size>> : reduced_type<sums<T, static_cast<int>(size)>> {
    static std::array<T, size> merge(const std::array<T, size>& of_sums, const std::array<T, size>&) { return of_sums; }
};

namespace reference {

/// Adds term to sum.
template <typename T, typename Term>
void add_to_sum(T& sum, const Term& term)
{
    sum += term;
}
/// Adds each number of terms to the sum in its place.
template <typename T, std::size_t size>
void add_to_sum(std::array<T, size>& sums, const std::array<T, size>& terms)
{
    for (std::size_t i = 0; i < size; ++i) {
        sums[i] += terms[i];
    }
}

/// Calls finalize(col, sum) for every column, where sum is the sum of map(row, col) over all rows.
/// map may write to row and col of vectors; no call of finalize precedes a call of map.
/// @param T  the type of the sums
/// @param reduction  rows of all parts of a distributed system are added up
template <typename T, typename Map, typename Finalize>
void sum_columns(const ReferenceExecutor& exec, size_type num_rows, size_type num_cols, const Reduction& reduction,
                 Map map, Finalize finalize)
{
    std::vector<T> results(num_cols);
    for (size_type col = 0; col < num_cols; ++col) {
        for (size_type row = 0; row < num_rows; ++row) {
            add_to_sum(results[col], map(row, col));
        }
    }
    if constexpr (is_distributable<T>) {
        const auto communicator = reduction.get_communicator();
        if (communicator && num_cols > 0) {
            auto maxima = results;
            combine_parts(*communicator, exec.shared_from_this(), results.data(), maxima.data(), num_cols);
            for (size_type col = 0; col < num_cols; ++col) {
                results[col] = reduced_type<T>::merge(results[col], maxima[col]);
            }
        }
    }
    for (size_type col = 0; col < num_cols; ++col) {
        finalize(col, results[col]);
    }
}

}  // namespace reference
}  // namespace spruce::kernels
