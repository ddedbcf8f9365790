// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/compare/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using spruce::size_type;
using spruce::bench::adjust_by_holm;
using spruce::bench::compare_ranks;
using spruce::bench::estimate_shift;

using samples = std::pair<std::vector<double>, std::vector<double>>;

/// Returns samples of m and n different values for which num_larger pairs have the larger value in
/// the first sample.
samples make_samples(size_type m, size_type n, size_type num_larger)
{
    samples result;
    for (size_type i = 0; i < m; ++i) {
        const auto num_below = std::min(n, num_larger);
        num_larger -= num_below;
        result.first.push_back(static_cast<double>(num_below) + 0.5 + 0.001 * static_cast<double>(i));
    }
    for (size_type j = 1; j <= n; ++j) {
        result.second.push_back(static_cast<double>(j));
    }
    return result;
}

std::vector<double> random_values(std::mt19937& engine, size_type count, double shift = 0)
{
    std::normal_distribution<double> distribution{shift, 1.0};
    std::vector<double> values(count);
    std::generate(values.begin(), values.end(), [&] { return distribution(engine); });
    return values;
}

TEST(CompareRanks, HasExactDistributionOfFiveAndFiveValues)
{
    // P(U <= u) counts the partitions of numbers up to u into at most 5 parts of at most 5. Mann
    // and Whitney 1947, table 1, have these values with three digits.
    const double counts[] = {1, 2, 4, 7, 12, 19, 28, 39, 53, 69, 87, 106, 126};

    for (size_type u = 0; u <= 12; ++u) {
        const auto [first, second] = make_samples(5, 5, u);

        const auto test = compare_ranks(first, second);
        const auto swapped = compare_ranks(second, first);

        EXPECT_TRUE(test.is_exact);
        EXPECT_EQ(test.u, 25 - static_cast<double>(u));
        EXPECT_EQ(swapped.u, static_cast<double>(u));
        EXPECT_NEAR(test.p, 2 * counts[u] / 252, 1e-14);
        EXPECT_DOUBLE_EQ(swapped.p, test.p);
        EXPECT_NEAR(test.least_p, 2.0 / 252, 1e-16);
    }
}

TEST(CompareRanks, HasPublishedCriticalValues)
{
    // Largest U with p <= 0.05 (Siegel, Nonparametric Statistics for the Behavioral Sciences, 1956,
    // table K).
    struct critical_value {
        size_type m, n, u;
    };
    for (const auto& [m, n, u] :
         {critical_value{5, 5, 2}, critical_value{8, 8, 13}, critical_value{10, 10, 23}, critical_value{10, 20, 55},
          critical_value{15, 15, 64}, critical_value{20, 20, 127}}) {
        const auto significant = make_samples(m, n, u);
        const auto insignificant = make_samples(m, n, u + 1);

        EXPECT_LE(compare_ranks(significant.first, significant.second).p, 0.05) << m << ' ' << n;
        EXPECT_GT(compare_ranks(insignificant.first, insignificant.second).p, 0.05) << m << ' ' << n;
        EXPECT_LE(compare_ranks(significant.second, significant.first).p, 0.05) << m << ' ' << n;
    }
}

TEST(CompareRanks, CorrectsForEqualValues)
{
    // By hand: U = 4 + 3.5 + 3.5 + 2, two values occur three times, so the variance is
    // 16 / 12 (9 - 48 / 56) and z = (13 - 8 - 0.5) / 3.29502.
    const auto test = compare_ranks({2, 1, 3, 2}, {3, 2, 4, 3});

    EXPECT_FALSE(test.is_exact);
    EXPECT_EQ(test.u, 13);
    EXPECT_NEAR(test.p, std::erfc(4.5 / std::sqrt(16.0 / 12 * (9 - 48.0 / 56)) / std::sqrt(2.0)), 1e-14);
    EXPECT_NEAR(test.p, 0.17203, 1e-5);
}

TEST(CompareRanks, IsNeverBelowTheLeastExactValue)
{
    const auto test = compare_ranks({1, 1, 1}, {2, 2, 2});

    EXPECT_NEAR(test.p, 0.1, 1e-15);
}

TEST(CompareRanks, FindsNothingInEqualOrEmptySamples)
{
    EXPECT_EQ(compare_ranks({7, 7, 7}, {7, 7}).p, 1);
    EXPECT_EQ(compare_ranks({}, {1, 2}).p, 1);
    EXPECT_EQ(compare_ranks({1}, {2}).p, 1);
}

TEST(CompareRanks, ApproximatesLargeSamplesByTheNormalDistribution)
{
    // 31 x 31 pairs are counted exactly, and 32 x 32 are approximated. At 2.5 standard deviations
    // the fourth cumulant of U, which the approximation ignores, changes p of 31 x 31 by 6 %.
    for (const double distance : {0.5, 1.5, 2.5}) {
        for (const size_type n : {31, 32}) {
            const auto size = static_cast<double>(n);
            const auto deviation = std::sqrt(size * size * (2 * size + 1) / 12);
            const auto u = std::round(size * size / 2 - distance * deviation);
            const auto [first, second] = make_samples(n, n, static_cast<size_type>(u));

            const auto test = compare_ranks(first, second);

            const auto p = std::erfc((size * size / 2 - u - 0.5) / deviation / std::sqrt(2.0));
            EXPECT_EQ(test.is_exact, n == 31);
            EXPECT_NEAR(test.p, p, (n == 31 ? 0.08 : 1e-13) * p) << distance;
        }
    }
}

TEST(CompareRanks, RarelyFindsADifferenceThatIsNotThere)
{
    std::mt19937 engine{42};
    int num_found{};
    constexpr int num_tests = 2000;

    for (int test = 0; test < num_tests; ++test) {
        num_found += compare_ranks(random_values(engine, 10), random_values(engine, 10)).p <= 0.05;
    }

    // The probability is 0.0433 for 10 and 10 values; the limits are 3 standard deviations from it.
    EXPECT_GT(num_found, 0.0296 * num_tests);
    EXPECT_LT(num_found, 0.0570 * num_tests);
}

TEST(EstimateShift, AgreesWithResultByHand)
{
    // The differences are -1, 1, 3, 5, 6, 8. P(U <= 0) = 0.1, P(U <= 1) = 0.2, P(U <= 2) = 0.4.
    const auto wide = estimate_shift({3, 1}, {9, 2, 6}, 0.75);
    const auto narrow = estimate_shift({3, 1}, {9, 2, 6}, 0.5);
    const auto unbounded = estimate_shift({3, 1}, {9, 2, 6}, 0.95);

    EXPECT_EQ(wide.value, 4);
    EXPECT_EQ(wide.low, -1);
    EXPECT_EQ(wide.high, 8);
    EXPECT_EQ(narrow.low, 1);
    EXPECT_EQ(narrow.high, 6);
    EXPECT_EQ(unbounded.value, 4);
    EXPECT_EQ(unbounded.low, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(unbounded.high, std::numeric_limits<double>::infinity());
}

TEST(EstimateShift, HandlesSingleAndEqualValues)
{
    EXPECT_EQ(estimate_shift({2}, {5}, 0.95).value, 3);
    const auto equal = estimate_shift(std::vector<double>(10, 2.0), std::vector<double>(10, 2.0), 0.95);
    EXPECT_EQ(equal.value, 0);
    EXPECT_EQ(equal.low, 0);
    EXPECT_EQ(equal.high, 0);
}

TEST(EstimateShift, AgreesWithSortedDifferences)
{
    std::mt19937 engine{42};
    // The bounds are the 24th differences from both ends for 10 and 10 values: P(U <= 23) <= 0.025.
    const auto first = random_values(engine, 10);
    const auto second = random_values(engine, 10, 1);
    std::vector<double> differences;
    for (const auto a : first) {
        for (const auto b : second) {
            differences.push_back(b - a);
        }
    }
    std::sort(differences.begin(), differences.end());

    const auto shift = estimate_shift(first, second, 0.95);

    EXPECT_EQ(shift.value, (differences[49] + differences[50]) / 2);
    EXPECT_EQ(shift.low, differences[23]);
    EXPECT_EQ(shift.high, differences[76]);
}

TEST(EstimateShift, IntervalContainsTheShiftOfLargeSamples)
{
    std::mt19937 engine{42};
    int num_missed{};
    constexpr int num_tests = 200;

    for (int test = 0; test < num_tests; ++test) {
        const auto shift = estimate_shift(random_values(engine, 60), random_values(engine, 50, 0.5), 0.95);
        num_missed += shift.low > 0.5 || shift.high < 0.5;
        EXPECT_LT(shift.high - shift.low, 1.5);
    }

    // The probability is 0.05, and 20 are 3 standard deviations more than expected.
    EXPECT_LT(num_missed, 20);
    EXPECT_GT(num_missed, 0);
}

TEST(AdjustByHolm, AgreesWithResultByHand)
{
    const auto adjusted = adjust_by_holm({0.01, 0.04, 0.03, 0.005});

    // In ascending order: 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04, which must not be smaller.
    const double expected[] = {0.03, 0.06, 0.06, 0.02};
    ASSERT_EQ(adjusted.size(), 4u);
    for (size_type i = 0; i < 4; ++i) {
        EXPECT_NEAR(adjusted[i], expected[i], 1e-15);
    }
    EXPECT_EQ(adjust_by_holm({0.6, 0.7}), (std::vector<double>{1, 1}));
    EXPECT_TRUE(adjust_by_holm({}).empty());
}

}  // namespace
