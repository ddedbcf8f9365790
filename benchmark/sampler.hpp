// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <memory>

#include <spruce/base/executor.hpp>
#include <spruce/matrix/dense.hpp>

#include "benchmark/benchmark_case.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {

/// Holds an operation and its measurements until now.
struct sampled_operation {
    timed_operation op;
    sample_set samples;
    std::optional<accuracy> checked;  ///< empty if the operation is not checked
    double elapsed{};                 ///< seconds of warm-ups and measurements
    bool is_finished{};
};

/// Measures operations as the options of a run say.
class sampler {
public:
    sampler(std::shared_ptr<const Executor> exec, const run_options& options);

    /// Calls the operation without measuring it, checks the result of the first call, and chooses
    /// the number of calls in a measurement. Does nothing for an operation with its own sample():
    /// measure() then takes all its samples at once, without a check.
    void warm_up(sampled_operation& operation);
    /// Adds a measurement, and decides whether it was the last one. Without warm-up, the result of
    /// the first one is checked.
    void measure(sampled_operation& operation);

private:
    double measure_calls(const timed_operation& op, sample_set& samples);
    void check(sampled_operation& operation) const;
    bool has_enough(const sampled_operation& operation) const;

    std::shared_ptr<const Executor> exec_;
    const run_options& options_;
    stopwatch watch_;
    double waits_of_watch_{};                                ///< waits of the host in a measurement of nothing
    std::unique_ptr<matrix::Dense<double>> cache_contents_;  ///< null if caches are not cleared
};

}  // namespace spruce::bench
