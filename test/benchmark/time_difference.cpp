// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/time_difference.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace {

using spruce::int64;
using spruce::bench::measure_difference;
using spruce::bench::pair_times;

/// Returns durations of two functions with normally distributed errors.
struct noisy_functions {
    double shorter;
    double longer;
    double noise{};  ///< standard deviation of the duration of a measurement, in seconds
    std::mt19937 engine{42};
    std::vector<int64> calls{};
    double elapsed{};

    pair_times operator()(int64 num_calls)
    {
        std::normal_distribution<double> error{0.0, noise > 0 ? noise : 1e-300};
        const auto n = static_cast<double>(num_calls);
        calls.push_back(num_calls);
        const pair_times times{n * shorter + error(engine), n * longer + error(engine)};
        elapsed += times.total();
        return times;
    }
};

TEST(TimeDifference, IsExactWithoutNoise)
{
    noisy_functions functions{0.25, 1.0};

    const auto difference = measure_difference(std::ref(functions), {5});

    EXPECT_DOUBLE_EQ(difference.seconds, 0.75);
    EXPECT_EQ(difference.standard_error, 0);
    EXPECT_EQ(difference.num_calls, 1);
    EXPECT_EQ(difference.differences.size(), 5u);
    EXPECT_EQ(functions.calls.size(), 6u);  // one pair warms up
    EXPECT_TRUE(difference.is_significant());
}

TEST(TimeDifference, RepeatsShortCallsUntilTheirDifferenceIsTenMilliseconds)
{
    noisy_functions functions{30e-6, 40e-6};

    const auto difference = measure_difference(std::ref(functions), {5});

    EXPECT_NEAR(difference.seconds, 10e-6, 1e-15);
    EXPECT_GE(static_cast<double>(difference.num_calls) * 10e-6, 10e-3);
    EXPECT_LE(static_cast<double>(difference.num_calls) * 10e-6, 20e-3);
    EXPECT_EQ(functions.calls.front(), 1);
}

TEST(TimeDifference, IsPositiveIfTheNoiseOfSingleCallsIsLarger)
{
    // The error of a measurement is ten times the difference of a single pair of calls.
    for (unsigned seed = 0; seed < 100; ++seed) {
        noisy_functions functions{0.4e-3, 0.5e-3, 1e-3, std::mt19937{seed}};

        const auto difference = measure_difference(std::ref(functions), {5});

        EXPECT_TRUE(difference.is_significant()) << "seed " << seed;
        EXPECT_NEAR(difference.seconds, 0.1e-3, 0.02e-3) << "seed " << seed;
    }
}

TEST(TimeDifference, NoiseIncreasesTheNumberOfPairs)
{
    noisy_functions exact{10e-3, 30e-3, 1e-6};
    noisy_functions noisy{10e-3, 30e-3, 5e-3};

    const auto with_few = measure_difference(std::ref(exact), {5});
    const auto with_many = measure_difference(std::ref(noisy), {5});

    EXPECT_GT(with_many.differences.size(), with_few.differences.size());
    EXPECT_LE(noisy.elapsed, 2.5);
}

TEST(TimeDifference, IsNotSignificantIfNoiseHidesIt)
{
    // Equal functions: the difference is noise of either sign.
    int num_significant{};
    for (unsigned seed = 0; seed < 100; ++seed) {
        noisy_functions functions{10e-3, 10e-3, 20e-3, std::mt19937{seed}};

        num_significant += measure_difference(std::ref(functions), {5}).is_significant();
    }

    // One of 741 values of a normal distribution is three standard deviations above the mean. The
    // estimate of the standard error has an error, too.
    EXPECT_LE(num_significant, 2);
}

TEST(TimeDifference, IsNotSignificantIfNegative)
{
    noisy_functions functions{0.5, 0.4};

    const auto difference = measure_difference(std::ref(functions), {1});

    EXPECT_LT(difference.seconds, 0);
    EXPECT_FALSE(difference.is_significant());
}

TEST(TimeDifference, EndsIfNothingTakesTime)
{
    noisy_functions functions{0, 0};

    const auto difference = measure_difference(std::ref(functions), {5});

    EXPECT_FALSE(difference.is_significant());
}

TEST(TimeDifference, HasNoStandardErrorOfOnePair)
{
    noisy_functions functions{1.0, 3.0};

    const auto difference = measure_difference(std::ref(functions), {1});

    EXPECT_EQ(difference.differences.size(), 1u);
    EXPECT_TRUE(std::isnan(difference.standard_error));
    EXPECT_TRUE(difference.is_significant());
}

}  // namespace
