// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <optional>
#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Describes the lengths of rows or of columns. All numbers are 0 if there are none.
struct length_distribution {
    size_type num_empty{};
    size_type min{};
    double quartile_1{};
    double median{};
    double quartile_3{};
    size_type max{};
    double mean{};
    double standard_deviation{};     ///< of these lengths, not an estimate from a sample
    std::optional<double> skewness;  ///< third standardized moment; empty if all lengths are equal
    std::optional<double> kurtosis;  ///< fourth standardized moment, 3 for a normal distribution; as skewness
};

/// Computes the distribution of lengths.
/// @param num_by_length  element l is the number of rows or columns with l entries
length_distribution describe_lengths(const std::vector<size_type>& num_by_length);

/// Counts the differences between consecutive offsets. Element l of the result is the number of
/// differences that equal l, up to the largest one.
template <typename IndexType>
std::vector<size_type> count_lengths(const IndexType* ptrs, size_type num_lengths)
{
    std::vector<size_type> result(1);
    for (size_type i = 0; i < num_lengths; ++i) {
        const auto length = static_cast<size_type>(ptrs[i + 1] - ptrs[i]);
        if (length >= result.size()) {
            result.resize(length + 1);
        }
        ++result[length];
    }
    return result;
}

}  // namespace spruce::bench
