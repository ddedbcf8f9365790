// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/compare/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace spruce::bench {
namespace {

// Larger samples use the normal distribution, which is accurate for them.
constexpr size_type max_pairs_of_exact_test = 1000;

/// Returns the probabilities P(U <= u) for u from 0 to m n, if both samples have one distribution.
///
/// The largest of the values is in the first sample with probability i / (i + j), and then it is in
/// no pair of U. Otherwise it is in i of them.
std::vector<double> compute_distribution(size_type m, size_type n)
{
    // Element j of previous and current is the distribution for i - 1 or i values in the first
    // sample and j in the second one.
    std::vector<std::vector<double>> previous(n + 1, {1.0});
    for (size_type i = 1; i <= m; ++i) {
        std::vector<std::vector<double>> current(n + 1, {1.0});
        for (size_type j = 1; j <= n; ++j) {
            const auto share = static_cast<double>(i) / static_cast<double>(i + j);
            auto& probabilities = current[j];
            probabilities.assign(i * j + 1, 0.0);
            for (size_type u = 0; u < previous[j].size(); ++u) {
                probabilities[u] += share * previous[j][u];
            }
            for (size_type u = 0; u < current[j - 1].size(); ++u) {
                probabilities[u + i] += (1 - share) * current[j - 1][u];
            }
        }
        previous = std::move(current);
    }
    auto& result = previous[n];
    std::partial_sum(result.begin(), result.end(), result.begin());
    return std::move(result);
}

/// Returns the result of compute_distribution(), which is kept for further samples of these sizes.
const std::vector<double>& get_distribution(size_type m, size_type n)
{
    static std::map<std::pair<size_type, size_type>, std::vector<double>> known;
    const auto sizes = std::minmax(m, n);  // U has one distribution for (m, n) and (n, m)
    auto& distribution = known[sizes];
    if (distribution.empty()) {
        distribution = compute_distribution(sizes.first, sizes.second);
    }
    return distribution;
}

/// Returns one divided by the number of ways to choose m of m + n values.
double probability_of_one_order(size_type m, size_type n)
{
    double result = 1;
    for (size_type i = 1; i <= m; ++i) {
        result *= static_cast<double>(i) / static_cast<double>(n + i);
    }
    return result;
}

double standard_deviation(size_type m, size_type n, double tie_correction)
{
    const auto size = static_cast<double>(m + n);
    const auto pairs = static_cast<double>(m) * static_cast<double>(n);
    return std::sqrt(std::max(0.0, pairs / 12 * (size + 1 - tie_correction / (size * std::max(1.0, size - 1)))));
}

/// Returns the sum of t^3 - t, where t counts the occurrences of each value in both samples.
double correct_for_ties(const std::vector<double>& first, const std::vector<double>& second)
{
    std::vector<double> all(first.size() + second.size());
    std::merge(first.begin(), first.end(), second.begin(), second.end(), all.begin());
    double sum{};
    for (auto begin = all.begin(); begin != all.end();) {
        const auto end = std::upper_bound(begin, all.end(), *begin);
        const auto count = static_cast<double>(end - begin);
        sum += count * count * count - count;
        begin = end;
    }
    return sum;
}

/// Counts the pairs of sorted samples whose difference second - first is at most limit.
size_type count_differences(const std::vector<double>& first, const std::vector<double>& second, double limit)
{
    size_type count{};
    size_type end{};
    for (auto value = first.begin(); value != first.end(); ++value) {  // the differences decrease
        while (end < second.size() && second[end] - *value <= limit) {
            ++end;
        }
        count += end;
    }
    return count;
}

/// Returns the difference second - first of sorted samples that rank others precede in ascending
/// order. It is found by bisection, with memory for none of the differences.
double find_difference(const std::vector<double>& first, const std::vector<double>& second, size_type rank)
{
    auto low = second.front() - first.back();
    auto high = second.back() - first.front();
    if (count_differences(first, second, low) > rank) {
        return low;
    }
    // At most rank differences are <= low, and more are <= high.
    for (;;) {
        const auto middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) {
            return high;
        }
        (count_differences(first, second, middle) > rank ? high : low) = middle;
    }
}

/// Returns the value that a standard normal variable exceeds with the given probability of at most
/// 0.5.
double upper_normal_quantile(double probability)
{
    double low = 0;
    double high = 40;
    for (int step = 0; step < 100; ++step) {
        const auto middle = (low + high) / 2;
        (std::erfc(middle / std::sqrt(2.0)) / 2 >= probability ? low : high) = middle;
    }
    return low;
}

/// Returns the position of the lower bound of the confidence interval among the differences in
/// ascending order, counted from 1. The upper bound has this position in descending order. The
/// result is 0 if the samples are too small for an interval.
size_type position_of_bound(size_type m, size_type n, double confidence)
{
    const auto tail = (1 - confidence) / 2;
    if (m * n <= max_pairs_of_exact_test) {
        const auto& distribution = get_distribution(m, n);
        return std::upper_bound(distribution.begin(), distribution.end(), tail) - distribution.begin();
    }
    const auto center = static_cast<double>(m) * static_cast<double>(n) / 2;
    const auto position = std::floor(center + 0.5 - upper_normal_quantile(tail) * standard_deviation(m, n, 0));
    return static_cast<size_type>(std::max(position, 0.0));
}

}  // namespace

rank_test compare_ranks(std::vector<double> first, std::vector<double> second)
{
    rank_test result;
    const auto m = first.size();
    const auto n = second.size();
    if (m == 0 || n == 0) {
        return result;
    }
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    for (const auto value : first) {
        const auto equal = std::equal_range(second.begin(), second.end(), value);
        result.u +=
            static_cast<double>(second.end() - equal.second) + static_cast<double>(equal.second - equal.first) / 2;
    }
    const auto ties = correct_for_ties(first, second);
    const auto pairs = static_cast<double>(m) * static_cast<double>(n);
    result.least_p = std::min(1.0, 2 * probability_of_one_order(m, n));
    result.is_exact = ties == 0 && m * n <= max_pairs_of_exact_test;
    if (result.is_exact) {
        const auto smaller = static_cast<size_type>(std::min(result.u, pairs - result.u));
        result.p = std::min(1.0, 2 * get_distribution(m, n)[smaller]);
        return result;
    }
    const auto deviation = standard_deviation(m, n, ties);
    const auto distance = std::max(0.0, std::abs(result.u - pairs / 2) - 0.5);
    // The deviation is zero if all values are equal.
    result.p = deviation > 0 ? std::erfc(distance / deviation / std::sqrt(2.0)) : 1.0;
    result.p = std::max(result.p, result.least_p);
    return result;
}

estimate estimate_shift(std::vector<double> first, std::vector<double> second, double confidence)
{
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    const auto pairs = first.size() * second.size();
    const auto infinity = std::numeric_limits<double>::infinity();
    estimate result{0, -infinity, infinity};
    const auto upper_middle = find_difference(first, second, pairs / 2);
    result.value = pairs % 2 ? upper_middle : (find_difference(first, second, pairs / 2 - 1) + upper_middle) / 2;
    const auto position = position_of_bound(first.size(), second.size(), confidence);
    if (position > 0) {
        result.low = find_difference(first, second, position - 1);
        result.high = find_difference(first, second, pairs - position);
    }
    return result;
}

std::vector<double> adjust_by_holm(const std::vector<double>& p_values)
{
    std::vector<size_type> order(p_values.size());
    std::iota(order.begin(), order.end(), size_type{});
    std::sort(order.begin(), order.end(), [&](size_type a, size_type b) { return p_values[a] < p_values[b]; });
    std::vector<double> adjusted(p_values.size());
    double largest{};
    for (size_type i = 0; i < order.size(); ++i) {
        largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - i) * p_values[order[i]]));
        adjusted[order[i]] = largest;
    }
    return adjusted;
}

}  // namespace spruce::bench
