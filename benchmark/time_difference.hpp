// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Holds the durations in seconds of a number of calls of a shorter and of a longer function.
struct pair_times {
    double shorter{};
    double longer{};

    double difference() const { return longer - shorter; }
    double total() const { return longer + shorter; }
};

/// Holds how much longer a call of one function takes than a call of another.
struct time_difference {
    double seconds{};                 ///< median of the pairs
    double standard_error{};          ///< of seconds, from the scatter of the pairs; NaN for fewer than three
    int64 num_calls{};                ///< calls of each function in a pair of measurements
    std::vector<double> differences;  ///< of each pair, divided by num_calls

    /// Returns true if the difference is positive and well above its standard error.
    bool is_significant() const;
};

/// Defines when the difference is known well enough.
struct difference_limits {
    int min_pairs{};
    double precision{0.02};   ///< standard error relative to the difference
    double max_seconds{2.0};  ///< of all pairs, unless min_pairs take longer
};

/// Measures the difference between the durations of two functions by pairs of measurements.
///
/// A measurement has enough calls for a difference well above the resolution of clocks. Pairs are
/// repeated until the standard error is small, up to a limit of time. doc/benchmarks.md has the
/// numbers.
///
/// @param measure  measure(n) performs n calls of each function and returns their total durations
time_difference measure_difference(const std::function<pair_times(int64)>& measure, const difference_limits& limits);

}  // namespace spruce::bench
