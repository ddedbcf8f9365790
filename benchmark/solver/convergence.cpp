// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <spruce/log/convergence.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

#include "benchmark/solver/measurement.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

using csr = matrix::Csr<double, int32>;
using vector = matrix::Dense<double>;

/// Returns the inverse of the diagonal, with 1 for zeros on it.
std::shared_ptr<const LinOp> inverse_of_diagonal(const csr& a)
{
    const auto exec = a.get_executor();
    const auto host = clone(exec->get_master(), a.extract_diagonal());
    for (size_type i = 0; i < host->get_size()[0]; ++i) {
        auto& value = host->get_values()[i];
        value = value == 0.0 ? 1.0 : 1.0 / value;
    }
    return clone(exec, host);
}

/// Returns b with b_i = sin(i), which has no structure and is equal on all machines.
std::unique_ptr<vector> create_rhs(std::shared_ptr<const Executor> exec, size_type num_rows)
{
    const auto host = vector::create(exec->get_master(), dim<2>{num_rows, 1});
    for (size_type i = 0; i < num_rows; ++i) {
        host->at(i, 0) = std::sin(static_cast<double>(i + 1));
    }
    return clone(exec, host);
}

double norm_of(const vector& v)
{
    const auto norm = vector::create(v.get_executor()->get_master(), dim<2>{1, 1});
    v.compute_norm2(norm);
    return norm->at(0, 0);
}

/// Measures the time of a solve until convergence, and describes how it ended.
class convergence_measurement : public solver_measurement {
public:
    explicit convergence_measurement(const solver_options& options) : options_{options} {}

    std::vector<table::column> get_columns() const override
    {
        using align = table::align;
        return {{"outcome", align::left},
                {"iterations", align::right},
                {"||b - A x|| / ||b||", align::right},
                {"time", align::right}};
    }

    std::string get_conditions() const override
    {
        std::ostringstream text;
        text << "tolerance " << options_.tolerance << ", b_i = sin(i), from x = 0, "
             << (options_.diagonal ? "preconditioned by the diagonal" : "without preconditioner");
        return text.str();
    }

    solver_facts measure(const system_matrix& system, const solver_kind& kind) const override
    {
        const auto exec = system.a->get_executor();
        const std::shared_ptr<log::Convergence<double>> log = log::Convergence<double>::create();
        const auto solver = kind.generate(
            system.a,
            stop::combine(
                {share(stop::Iteration::build().with_max_iters(options_.max_iterations).on(exec)),
                 share(stop::ResidualNorm<double>::build().with_reduction_factor(options_.tolerance).on(exec))}),
            options_.diagonal ? inverse_of_diagonal(*system.entries) : nullptr);
        solver.op->add_logger(log);
        const auto b = create_rhs(exec, system.a->get_size()[0]);
        const auto x = clone(b);
        stopwatch watch{exec};
        std::vector<double> times;
        for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
            x->fill(0.0);
            times.push_back(watch.measure(1, [&] { solver.op->apply(b, x); }));
        }
        const auto seconds = median(std::move(times));
        std::ostringstream outcome;
        outcome << solver.iteration->get_stop_reasons().at(0);
        const auto num_iterations = log->get_num_iterations();
        const auto r = clone(b);
        system.entries->apply(initialize<vector>({-1.0}, exec), x, initialize<vector>({1.0}, exec), r);
        const auto residual = norm_of(*r) / norm_of(*b);

        solver_facts facts;
        facts.cells = {outcome.str(), std::to_string(num_iterations), scientific_text(residual), time_text(seconds)};
        facts.json = {{"outcome", outcome.str()},
                      {"iterations", num_iterations},
                      {"relative_residual", residual},
                      {"seconds", seconds}};
        return facts;
    }

private:
    const solver_options& options_;
};

}  // namespace

std::unique_ptr<solver_measurement> create_convergence_measurement(const solver_options& options)
{
    return std::make_unique<convergence_measurement>(options);
}

}  // namespace spruce::bench
