// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/sampler.hpp"

#include <algorithm>

#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/interrupt.hpp"

namespace spruce::bench {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

}  // namespace

sampler::sampler(std::shared_ptr<const Executor> exec, const run_options& options)
    : exec_{exec},
      options_{options},
      watch_{exec},
      cache_contents_{options.cold_cache ? create_large_vector(exec) : nullptr}
{
    const auto before = exec_->get_counters();
    watch_.measure(1, [] {});
    waits_of_watch_ = static_cast<double>((exec_->get_counters() - before).waits);
}

double sampler::measure_calls(const timed_operation& op, sample_set& samples)
{
    if (op.prepare) {
        op.prepare();
    }
    if (cache_contents_) {
        cache_contents_->fill(1.0);
    }
    const auto before = exec_->get_counters();
    const auto seconds = watch_.measure(samples.calls, op.call);
    const auto done = exec_->get_counters() - before;
    const auto num_calls = static_cast<double>(samples.calls);
    samples.launches = static_cast<double>(is_device(*exec_) ? done.launches : done.kernels) / num_calls;
    samples.host_waits = (static_cast<double>(done.waits) - waits_of_watch_) / num_calls;
    return seconds;
}

void sampler::check(sampled_operation& operation) const
{
    if (operation.op.check && !options_.no_check) {
        operation.checked = operation.op.check();
    }
}

void sampler::warm_up(sampled_operation& operation)
{
    const auto& op = operation.op;
    if (op.sample) {
        return;
    }
    const auto start = clock::now();
    double seconds_of_call{};
    for (int i = 0; i < options_.warmup; ++i) {
        if (i > 0 && (was_interrupted() || seconds_since(start) > options_.max_seconds)) {
            break;
        }
        if (op.prepare) {
            op.prepare();
        }
        seconds_of_call = watch_.measure(1, op.call);
        if (i == 0) {
            this->check(operation);
        }
    }
    constexpr double slow = 0.02;  // a measurement has one call
    if (!op.prepare && !cache_contents_ && seconds_of_call < slow) {
        operation.samples.calls = watch_.calls_per_measurement(op.call);
    }
    operation.elapsed = seconds_since(start);
}

bool sampler::has_enough(const sampled_operation& operation) const
{
    const auto& seconds = operation.samples.seconds;
    const auto num = static_cast<int64>(seconds.size());
    if (operation.elapsed >= options_.max_seconds) {
        return true;
    }
    if (num < options_.repetitions || options_.until_relative == 0) {
        return num >= options_.repetitions;
    }
    const auto interval = median_interval(seconds);
    return num >= options_.max_repetitions ||
           (interval && (interval->second - interval->first) / 2 < options_.until_relative * median(seconds));
}

void sampler::measure(sampled_operation& operation)
{
    auto& op = operation.op;
    auto& samples = operation.samples;
    if (op.sample) {
        samples = op.sample();
        this->check(operation);
        operation.is_finished = true;
        return;
    }
    const auto start = clock::now();
    samples.seconds.push_back(this->measure_calls(op, samples));
    operation.elapsed += seconds_since(start);
    if (samples.seconds.size() == 1 && options_.warmup == 0) {
        this->check(operation);
    }
    operation.is_finished = this->has_enough(operation);
}

}  // namespace spruce::bench
