// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <spruce/log/convergence.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

#include "benchmark/executors.hpp"
#include "benchmark/solver/measurement.hpp"
#include "benchmark/spmv/formats.hpp"
#include "benchmark/stopwatch.hpp"
#include "benchmark/table.hpp"
#include "benchmark/time_difference.hpp"

namespace spruce::bench {
namespace {

using vector = matrix::Dense<double>;

/// Counts what a solve does.
struct solve_work {
    double kernels{};
    double waits{};  ///< of the host
};

/// Performs solves of a fixed number of iterations.
class fixed_solves {
public:
    fixed_solves(const solver_kind& kind, const std::shared_ptr<const LinOp>& a, size_type num_iterations)
        : exec_{a->get_executor()},
          num_iterations_{num_iterations},
          b_{vector::create(exec_, dim<2>{a->get_size()[0], 1})},
          x_{vector::create(exec_, dim<2>{a->get_size()[0], 1})},
          log_{log::Convergence<double>::create()},
          solver_{
              kind.generate(a,
                            stop::combine(
                                {share(stop::Iteration::build().with_max_iters(num_iterations).on(exec_)),
                                 share(stop::ResidualNorm<double>::build().with_reduction_factor(1e-300).on(exec_))}),
                            nullptr)
                  .op}
    {
        b_->fill(1.0);
        solver_->add_logger(log_);
    }

    /// Solves the system num_solves times and returns the time that this takes in seconds. This
    /// includes setting x to zero, which cancels in a difference.
    /// @throws std::runtime_error  if a solve performs fewer iterations
    double measure(stopwatch& watch, int64 num_solves)
    {
        const auto before = exec_->get_counters();
        const auto seconds = watch.measure(num_solves, [&] {
            x_->fill(0.0);
            solver_->apply(b_, x_);
            this->require_iterations();
        });
        const auto done = exec_->get_counters() - before;
        const auto per_solve = [&](size_type count) {
            return static_cast<double>(count) / static_cast<double>(num_solves);
        };
        work_ = {per_solve(is_device(*exec_) ? done.launches : done.kernels), per_solve(done.waits)};
        return seconds * static_cast<double>(num_solves);
    }

    /// Returns what each of the last solves did.
    const solve_work& get_work() const { return work_; }

private:
    void require_iterations() const
    {
        if (log_->get_num_iterations() != num_iterations_) {
            throw std::runtime_error("the solve ended after " + std::to_string(log_->get_num_iterations()) + " of " +
                                     std::to_string(num_iterations_) +
                                     " iterations, because no further progress was possible; choose fewer "
                                     "(--iterations)");
        }
    }

    std::shared_ptr<const Executor> exec_;
    size_type num_iterations_;
    std::unique_ptr<vector> b_;
    std::unique_ptr<vector> x_;
    std::shared_ptr<log::Convergence<double>> log_;
    std::unique_ptr<LinOp> solver_;
    solve_work work_;
};

/// Measures the time of one iteration by the difference between solves of different length. This
/// excludes the operations that a solve performs once.
class iteration_measurement {
public:
    iteration_measurement(const system_matrix& system, const solver_kind& kind, const solver_options& options)
        : options_{options},
          short_iterations_{options.iterations / 4},
          num_iterations_{static_cast<double>(options.iterations - short_iterations_)},
          short_solves_{kind, system.a, short_iterations_},
          long_solves_{kind, system.a, options.iterations},
          watch_{system.a->get_executor()}
    {}

    /// Measures pairs of solves until their difference is known well enough.
    /// @throws std::runtime_error  if the noise hides the time of an iteration
    sample_set sample()
    {
        difference_ = measure_difference(
            [&](int64 num_solves) {
                const auto short_seconds = short_solves_.measure(watch_, num_solves);
                return pair_times{short_seconds, long_solves_.measure(watch_, num_solves)};
            },
            limits_of(options_));
        if (!difference_.is_significant()) {
            throw std::runtime_error("the noise hides the time of an iteration: a solve of " +
                                     std::to_string(options_.iterations) + " iterations took " +
                                     time_text(difference_.seconds) + " (standard error " +
                                     time_text(difference_.standard_error) + ") longer than one of " +
                                     std::to_string(short_iterations_) + "; choose more iterations (--iterations)");
        }
        sample_set samples;
        for (const auto seconds : difference_.differences) {
            samples.seconds.push_back(seconds / num_iterations_);
        }
        samples.calls = difference_.num_calls;
        samples.launches = (long_solves_.get_work().kernels - short_solves_.get_work().kernels) / num_iterations_;
        samples.host_waits = (long_solves_.get_work().waits - short_solves_.get_work().waits) / num_iterations_;
        return samples;
    }

    double get_standard_error() const { return difference_.standard_error / num_iterations_; }
    measured_iterations get_iterations(bool has_dots) const
    {
        return {short_iterations_, options_.iterations, has_dots};
    }

private:
    const solver_options& options_;
    size_type short_iterations_;
    double num_iterations_;
    fixed_solves short_solves_;
    fixed_solves long_solves_;
    stopwatch watch_;
    time_difference difference_;
};

}  // namespace

timed_operation create_iterations(const system_matrix& system, const solver_kind& kind, const solver_options& options)
{
    const auto measurement = std::make_shared<iteration_measurement>(system, kind, options);
    const auto has_dots =
        is_device(*system.a->get_executor()) && dynamic_cast<const DotApplicable<double>*>(system.a.get());
    const auto model = kind.model(measurement->get_iterations(has_dots));
    const auto matrix_bytes = create_product<double, int32>(system.format, system.entries)->get_storage_bytes();
    const auto rows = static_cast<double>(system.a->get_size()[0]);
    const auto bytes_of = [&](const iteration_traffic& traffic) {
        return traffic.products * static_cast<double>(matrix_bytes) + traffic.vectors * rows * sizeof(double);
    };
    timed_operation op;
    op.bytes = bytes_of(model.least);
    op.sample = [=] { return measurement->sample(); };
    op.describe = [=, moved = bytes_of(model.moved)] {
        return nlohmann::ordered_json{{"iterations", options.iterations},
                                      {"standard_error", measurement->get_standard_error()},
                                      {"products", model.moved.products},
                                      {"vectors", model.moved.vectors},
                                      {"bytes_moved", moved}};
    };
    return op;
}

}  // namespace spruce::bench
