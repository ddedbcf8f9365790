// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/stopwatch.hpp"

#include <algorithm>
#include <cmath>

namespace spruce::bench {
namespace {

/// Returns the largest number k for which at most 2.5 % of all sets of num values have fewer than k
/// values below the median: of a binomial distribution with probability 1/2, or of the normal
/// distribution that approximates it for many values.
std::size_t rank_of_lower_limit(std::size_t num)
{
    constexpr std::size_t many = 1000;
    const auto count = static_cast<double>(num);
    if (num > many) {
        return static_cast<std::size_t>((count - 1.96 * std::sqrt(count)) / 2);
    }
    auto probability = std::pow(0.5, count);  // that no value is below the median
    auto sum = probability;
    std::size_t rank = 0;
    while (sum <= 0.025) {
        const auto below = static_cast<double>(rank);
        probability *= (count - below) / (below + 1);
        sum += probability;
        ++rank;
    }
    return rank;
}

}  // namespace

double median(std::vector<double> values)
{
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const auto middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<std::pair<double, double>> median_interval(std::vector<double> values)
{
    const auto rank = rank_of_lower_limit(values.size());
    if (rank == 0) {
        return {};
    }
    std::sort(values.begin(), values.end());
    return std::make_pair(values[rank - 1], values[values.size() - rank]);
}

}  // namespace spruce::bench
