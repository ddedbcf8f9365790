// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <spruce/base/executor.hpp>
#include <spruce/base/timer.hpp>

namespace spruce::bench {

/// Measures the duration of work on an executor, on a device by two events in its stream and on a
/// host by the steady clock.
class stopwatch {
public:
    explicit stopwatch(std::shared_ptr<const Executor> exec)
        : exec_{exec},
          timer_{Timer::create_for_executor(exec)},
          start_{timer_->create_time_point()},
          stop_{timer_->create_time_point()}
    {}

    /// Returns the mean duration of num_calls calls in seconds.
    template <typename Function>
    double measure(int64 num_calls, Function function)
    {
        exec_->synchronize();
        timer_->record(start_);
        for (int64 call = 0; call < num_calls; ++call) {
            function();
        }
        timer_->record(stop_);
        const std::chrono::duration<double> elapsed = timer_->difference(start_, stop_);
        return elapsed.count() / static_cast<double>(num_calls);
    }

    /// Returns the number of calls in one measurement. They take at least a millisecond, so that
    /// the resolution of the clock and the launch on an idle device are negligible.
    template <typename Function>
    int64 calls_per_measurement(Function function)
    {
        constexpr double min_seconds = 1e-3;
        int64 num_calls = 1;
        for (;;) {
            const auto elapsed = static_cast<double>(num_calls) * this->fastest(num_calls, function, 20 * min_seconds);
            if (elapsed >= min_seconds || num_calls == max_calls) {
                return num_calls;
            }
            const auto growth = elapsed > 0 ? std::min(1.1 * min_seconds / elapsed, 10.0) : 10.0;
            num_calls = std::min(max_calls, static_cast<int64>(growth * static_cast<double>(num_calls)) + 1);
        }
    }

private:
    static constexpr int64 max_calls = 100000;

    /// Returns the shortest of up to five measurements. The first calls are slow, and so is a call
    /// that the system interrupts.
    /// @param enough  seconds: no further measurement follows if the calls of the fastest one
    ///                take this long in total
    template <typename Function>
    double fastest(int64 num_calls, Function function, double enough)
    {
        auto best = this->measure(num_calls, function);
        for (int more = 0; more < 4 && best * static_cast<double>(num_calls) < enough; ++more) {
            best = std::min(best, this->measure(num_calls, function));
        }
        return best;
    }

    std::shared_ptr<const Executor> exec_;
    std::unique_ptr<Timer> timer_;
    time_point start_;
    time_point stop_;
};

/// Returns the median of the values. For an even number it is the mean of the two in the middle,
/// and for no values it is 0.
double median(std::vector<double> values);

/// Returns two of the values between which the median of their distribution is with a probability
/// of at least 95 %, whatever the distribution (order statistics; David and Nagaraja 2003, section
/// 7.1). For fewer than six values there are none, and the result is empty.
std::optional<std::pair<double, double>> median_interval(std::vector<double> values);

}  // namespace spruce::bench
