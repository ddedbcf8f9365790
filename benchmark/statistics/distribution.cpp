// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/statistics/distribution.hpp"

#include <cmath>
#include <numeric>

#include "benchmark/quantile.hpp"

namespace spruce::bench {
namespace {

/// Returns the length that rank others precede in ascending order.
size_type find_length(const std::vector<size_type>& num_by_length, size_type rank)
{
    size_type length{};
    for (auto num_up_to_length = num_by_length[0]; num_up_to_length <= rank;) {
        num_up_to_length += num_by_length[++length];
    }
    return length;
}

/// Returns the mean of (length - center)^exponent.
double compute_moment(const std::vector<size_type>& num_by_length, double center, int exponent)
{
    double sum{};
    double num_lengths{};
    for (size_type length = 0; length < num_by_length.size(); ++length) {
        if (num_by_length[length] > 0) {
            const auto count = static_cast<double>(num_by_length[length]);
            num_lengths += count;
            sum += count * std::pow(static_cast<double>(length) - center, exponent);
        }
    }
    return sum / num_lengths;
}

}  // namespace

length_distribution describe_lengths(const std::vector<size_type>& num_by_length)
{
    const auto num_lengths = std::accumulate(num_by_length.begin(), num_by_length.end(), size_type{});
    length_distribution result;
    if (num_lengths == 0) {
        return result;
    }
    const auto quantile_at = [&](double share) {
        return quantile(num_lengths, share, [&](size_type rank) { return find_length(num_by_length, rank); });
    };
    result.num_empty = num_by_length[0];
    result.min = find_length(num_by_length, 0);
    result.quartile_1 = quantile_at(0.25);
    result.median = quantile_at(0.5);
    result.quartile_3 = quantile_at(0.75);
    result.max = find_length(num_by_length, num_lengths - 1);
    result.mean = compute_moment(num_by_length, 0, 1);
    if (result.min < result.max) {
        result.standard_deviation = std::sqrt(compute_moment(num_by_length, result.mean, 2));
        result.skewness = compute_moment(num_by_length, result.mean, 3) / std::pow(result.standard_deviation, 3);
        result.kurtosis = compute_moment(num_by_length, result.mean, 4) / std::pow(result.standard_deviation, 4);
    }
    return result;
}

}  // namespace spruce::bench
