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

#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/solver/measurement.hpp"
#include "benchmark/spmv/formats.hpp"
#include "benchmark/stopwatch.hpp"
#include "benchmark/time_difference.hpp"

namespace spruce::bench {
namespace {

using vector = matrix::Dense<double>;

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
        num_kernels_ =
            static_cast<double>(is_device(*exec_) ? done.launches : done.kernels) / static_cast<double>(num_solves);
        return seconds * static_cast<double>(num_solves);
    }

    /// Returns the number of kernels of each of the last solves.
    double get_num_kernels() const { return num_kernels_; }

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
    double num_kernels_{};
};

/// Measures the time of one iteration by the difference between solves of different length. This
/// excludes the operations that a solve performs once.
class iteration_measurement : public solver_measurement {
public:
    explicit iteration_measurement(const solver_options& options) : options_{options} {}

    std::vector<table::column> get_columns() const override
    {
        using align = table::align;
        std::vector<table::column> columns{{"per iteration", align::right},
                                           {"GB/s", align::right},
                                           {"model", align::right},
                                           {"of model", align::right}};
        if (options_.detailed) {
            for (const auto name : {"kernels", "products", "vectors", "MB moved"}) {
                columns.push_back({name, align::right});
            }
        }
        return columns;
    }

    std::string get_conditions() const override
    {
        return std::to_string(options_.iterations) +
               " iterations; model: the matrix for each product, and the vectors that the method needs, at copy "
               "bandwidth";
    }

    solver_facts measure(const system_matrix& system, const solver_kind& kind) const override
    {
        const auto exec = system.a->get_executor();
        // The copy bandwidth is measured for each solver, because the speed of shared machines
        // varies.
        const auto copy = measure_copy(exec, options_.repetitions);
        const auto long_iterations = options_.iterations;
        const auto short_iterations = options_.iterations / 4;
        fixed_solves short_solves{kind, system.a, short_iterations};
        fixed_solves long_solves{kind, system.a, long_iterations};
        stopwatch watch{exec};
        const auto difference = measure_difference(
            [&](int64 num_solves) {
                const auto short_seconds = short_solves.measure(watch, num_solves);
                return pair_times{short_seconds, long_solves.measure(watch, num_solves)};
            },
            options_.repetitions);
        const auto num_iterations = static_cast<double>(long_iterations - short_iterations);
        const auto seconds = difference.seconds / num_iterations;
        const auto kernels = (long_solves.get_num_kernels() - short_solves.get_num_kernels()) / num_iterations;

        const auto has_dots = is_device(*exec) && dynamic_cast<const DotApplicable<double>*>(system.a.get());
        const auto model = kind.model({short_iterations, long_iterations, has_dots});
        const auto matrix_bytes = create_product<double, int32>(system.format, system.entries)->get_storage_bytes();
        const auto bytes_of = [&](const iteration_traffic& traffic) {
            const auto rows = static_cast<double>(system.a->get_size()[0]);
            return traffic.products * static_cast<double>(matrix_bytes) + traffic.vectors * rows * sizeof(double);
        };
        const auto least_bytes = bytes_of(model.least);
        const auto moved_bytes = bytes_of(model.moved);
        const auto model_seconds = least_bytes / copy.bytes_per_second;

        solver_facts facts;
        facts.json = {{"seconds_per_iteration", seconds},
                      {"standard_error", difference.standard_error / num_iterations},
                      {"solves_per_measurement", difference.num_calls},
                      {"measurements", difference.num_pairs},
                      {"bytes_per_iteration", least_bytes},
                      {"bytes_moved_per_iteration", moved_bytes},
                      {"copy_bytes_per_second", copy.bytes_per_second},
                      {"time_over_model", seconds / model_seconds},
                      {"kernels_per_iteration", kernels}};
        if (!difference.is_significant()) {
            facts.json["seconds_per_iteration"] = nullptr;
            facts.json["time_over_model"] = nullptr;
            facts.failure = "the noise hides the time of an iteration: a solve of " + std::to_string(long_iterations) +
                            " iterations took " + time_text(difference.seconds) + " (standard error " +
                            time_text(difference.standard_error) + ") longer than one of " +
                            std::to_string(short_iterations) + "; choose more iterations (--iterations)";
            return facts;
        }
        facts.cells = {time_text(seconds), to_text(1e-9 * least_bytes / seconds), time_text(model_seconds),
                       to_text(seconds / model_seconds, 3) + " x"};
        if (options_.detailed) {
            facts.cells.insert(facts.cells.end(), {to_text(kernels, 3), to_text(model.moved.products),
                                                   to_text(model.moved.vectors), to_text(1e-6 * moved_bytes)});
        }
        return facts;
    }

private:
    const solver_options& options_;
};

}  // namespace

std::unique_ptr<solver_measurement> create_iteration_measurement(const solver_options& options)
{
    return std::make_unique<iteration_measurement>(options);
}

}  // namespace spruce::bench
