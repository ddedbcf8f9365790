// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/types.hpp>

/// Contains a test and an estimate for two samples that use only the order of the values. They
/// assume no distribution, and single outliers have little influence.
namespace spruce::bench {

/// Holds the result of the rank test of Mann and Whitney.
struct rank_test {
    double u{};         ///< pairs in which the second value is larger, plus half of those in which both are equal
    double p{1};        ///< two-sided
    bool is_exact{};    ///< true if p is that of the exact distribution of u
    double least_p{1};  ///< smallest p of samples of these sizes
};

/// Tests whether values of one sample tend to be larger than those of another one.
///
/// Small samples without equal values have an exact p, from the recursion of Mann and Whitney, On a
/// Test of Whether One of Two Random Variables is Stochastically Larger than the Other, Annals of
/// Mathematical Statistics 18, 1947. Otherwise p comes from the normal distribution, with
/// corrections for continuity and for equal values (Lehmann, Nonparametrics: Statistical Methods
/// Based on Ranks, 1975, section 1.4), but it is at least the smallest exact value. If a sample is
/// empty, p is 1.
rank_test compare_ranks(std::vector<double> first, std::vector<double> second);

/// Holds an estimate and its confidence interval.
struct estimate {
    double value{};
    double low{};   ///< minus infinity if the samples are too small for an interval
    double high{};  ///< infinity if the samples are too small for an interval
};

/// Estimates the shift between two samples, which are not empty.
///
/// The estimate is the median of all differences second - first (Hodges and Lehmann, Estimates of
/// Location Based on Rank Tests, Annals of Mathematical Statistics 34, 1963). The bounds of its
/// interval are the differences whose numbers follow from the distribution of compare_ranks()
/// (Lehmann 1975, section 2.6).
/// @param confidence  probability that the interval contains the shift, at least; such as 0.95
estimate estimate_shift(std::vector<double> first, std::vector<double> second, double confidence);

/// Returns adjusted p-values of several tests: comparing each of them with the significance level
/// bounds the probability of any wrong rejection (Holm, A Simple Sequentially Rejective Multiple
/// Test Procedure, Scandinavian Journal of Statistics 6, 1979).
std::vector<double> adjust_by_holm(const std::vector<double>& p_values);

}  // namespace spruce::bench
