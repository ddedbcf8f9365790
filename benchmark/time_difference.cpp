// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/time_difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

constexpr double min_difference = 10e-3;   // of the calls in a pair, in seconds
constexpr double max_pair_seconds = 0.1;   // a pair has more only if single calls are slow
constexpr double min_total_seconds = 0.2;  // of all pairs
constexpr double significant = 3;          // difference relative to the standard error
constexpr size_type min_pairs_for_error = 3;
constexpr size_type max_pairs = 400;
constexpr int64 max_calls = 100000;

/// Returns the standard error of the median. The standard deviation is estimated from the median
/// absolute deviation, which single disturbed pairs do not change. The factors hold for a normal
/// distribution: 1.4826 for the standard deviation, sqrt(pi / 2) for the error of a median.
double standard_error_of_median(std::vector<double> values)
{
    if (values.size() < min_pairs_for_error) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const auto middle = median(values);
    for (auto& value : values) {
        value = std::abs(value - middle);
    }
    const auto num_values = static_cast<double>(values.size());
    return 1.2533 * 1.4826 * median(std::move(values)) / std::sqrt(num_values);
}

/// Returns the number of calls in a measurement. The first calls are slow, so their difference
/// counts only if it is far above the minimum.
int64 choose_num_calls(const std::function<pair_times(int64)>& measure)
{
    int64 num_calls = 1;
    if (measure(num_calls).difference() >= 10 * min_difference) {
        return num_calls;
    }
    for (;;) {
        std::vector<double> differences;
        double total{};
        for (size_type pair = 0; pair < min_pairs_for_error; ++pair) {
            const auto times = measure(num_calls);
            differences.push_back(times.difference());
            total = std::max(total, times.total());
        }
        const auto difference = median(std::move(differences));
        if (difference >= min_difference || total >= max_pair_seconds || num_calls == max_calls) {
            return num_calls;
        }
        auto growth = difference > 0 ? std::min(1.2 * min_difference / difference, 10.0) : 10.0;
        if (total > 0) {
            growth = std::min(growth, max_pair_seconds / total);
        }
        num_calls = std::min(max_calls, static_cast<int64>(growth * static_cast<double>(num_calls)) + 1);
    }
}

}  // namespace

bool time_difference::is_significant() const { return seconds > 0 && !(seconds < significant * standard_error); }

time_difference measure_difference(const std::function<pair_times(int64)>& measure, const difference_limits& limits)
{
    time_difference result;
    result.num_calls = choose_num_calls(measure);
    const auto min_pairs = static_cast<size_type>(limits.min_pairs);
    auto& differences = result.differences;
    double elapsed{};
    const auto is_finished = [&] {
        if (differences.size() < min_pairs || elapsed < min_total_seconds) {
            return false;
        }
        return result.standard_error <= limits.precision * result.seconds || elapsed >= limits.max_seconds;
    };
    do {
        const auto times = measure(result.num_calls);
        elapsed += times.total();
        differences.push_back(times.difference() / static_cast<double>(result.num_calls));
        result.seconds = median(differences);
        result.standard_error = standard_error_of_median(differences);
    } while (!is_finished() && differences.size() < std::max(max_pairs, min_pairs));
    return result;
}

}  // namespace spruce::bench
