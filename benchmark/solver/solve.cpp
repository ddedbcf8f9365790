// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <spruce/log/convergence.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/solver/solver_models.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

using csr = matrix::Csr<double, int32>;
using vector = matrix::Dense<double>;

struct solve_options : matrix_run_options {
    std::vector<std::string> solvers{"cg", "bicgstab", "gmres"};
    double tolerance{1e-10};
    size_type max_iterations{10000};
    bool diagonal{};

    solve_options() { repetitions = 1; }
};

struct solve_result {
    std::string outcome;
    size_type num_iterations{};
    double residual{};  ///< ||b - A x|| / ||b||
    double seconds{};   ///< median time of a solve
};

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

double norm_of(const vector& v)
{
    const auto norm = vector::create(v.get_executor()->get_master(), dim<2>{1, 1});
    v.compute_norm2(norm);
    return norm->at(0, 0);
}

solve_result solve(const solver_kind& kind, std::shared_ptr<const csr> a, const vector* b,
                   std::shared_ptr<const LinOp> preconditioner, const solve_options& options)
{
    const auto exec = a->get_executor();
    const std::shared_ptr<log::Convergence<double>> log = log::Convergence<double>::create();
    const auto solver = kind.generate(
        a,
        stop::combine({share(stop::Iteration::build().with_max_iters(options.max_iterations).on(exec)),
                       share(stop::ResidualNorm<double>::build().with_reduction_factor(options.tolerance).on(exec))}),
        std::move(preconditioner));
    solver.op->add_logger(log);
    const auto x = clone(b);
    solve_result result;
    stopwatch watch{exec};
    std::vector<double> times;
    for (int repetition = 0; repetition < options.repetitions; ++repetition) {
        x->fill(0.0);
        times.push_back(watch.measure(1, [&] { solver.op->apply(b, x); }));
    }
    result.seconds = median(times);
    std::ostringstream outcome;
    outcome << solver.iteration->get_stop_reasons().at(0);
    result.outcome = outcome.str();
    result.num_iterations = log->get_num_iterations();
    const auto r = clone(b);
    a->apply(initialize<vector>({-1.0}, exec), x, initialize<vector>({1.0}, exec), r);
    result.residual = norm_of(*r) / norm_of(*b);
    return result;
}

int run_solve(const solve_options& options)
{
    auto sources = collect_sources(options.families, options.files, "solve");
    const auto exec = create_executor(options.executor, options.device);
    const auto where = describe_environment(exec);
    using align = table::align;
    table report{std::vector<table::column>{{"matrix", align::left},
                                            {"rows", align::right},
                                            {"nonzeros", align::right},
                                            {"solver", align::left},
                                            {"outcome", align::left},
                                            {"iterations", align::right},
                                            {"||b - A x|| / ||b||", align::right},
                                            {"time", align::right}}};
    auto document = start_document(where);
    const auto status = measure_each(sources, report, [&](matrix_source& source) {
        source.open();
        const std::shared_ptr<csr> a = source.read<double, int32>(exec->get_master())->clone(exec);
        source.close();
        const auto num_rows = a->get_size()[0];
        const auto host_b = vector::create(exec->get_master(), dim<2>{num_rows, 1});
        for (size_type i = 0; i < num_rows; ++i) {
            host_b->at(i, 0) = std::sin(static_cast<double>(i + 1));  // without structure, equal on all machines
        }
        const auto b = clone(exec, host_b);
        const auto preconditioner = options.diagonal ? inverse_of_diagonal(*a) : nullptr;
        for (const auto& name : options.solvers) {
            const auto one = solve(solver_kinds().at(name), a, b.get(), preconditioner, options);
            report.add_row({source.get_name(), std::to_string(num_rows), std::to_string(a->get_num_stored_elements()),
                            name, one.outcome, std::to_string(one.num_iterations), scientific_text(one.residual),
                            time_text(one.seconds)});
            document["results"].push_back({{"matrix", source.get_name()},
                                           {"rows", num_rows},
                                           {"nonzeros", a->get_num_stored_elements()},
                                           {"solver", name},
                                           {"outcome", one.outcome},
                                           {"iterations", one.num_iterations},
                                           {"relative_residual", one.residual},
                                           {"seconds", one.seconds}});
        }
    });
    std::cout << where.device << ", double/int32, tolerance " << options.tolerance << ", b_i = sin(i), from x = 0, "
              << (options.diagonal ? "preconditioned by the diagonal" : "without preconditioner") << "\n\n";
    report.print(std::cout);
    if (!options.json.empty()) {
        write_json(options.json, document);
    }
    return status;
}

}  // namespace

void add_solve(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<solve_options>();
    const auto command = program.add_subcommand("solve", "solve systems with several solvers and say how that went");
    std::vector<std::string> names;
    for (const auto& [name, kind] : solver_kinds()) {
        names.push_back(name);
    }
    command->add_option("--solvers", options->solvers, "which, separated by commas")
        ->capture_default_str()
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(names));
    command->add_option("--tolerance", options->tolerance, "of the residual norm, relative to that of b")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    command->add_option("--max-iterations", options->max_iterations, "iterations of a solve at most")
        ->capture_default_str();
    command->add_flag("--diagonal", options->diagonal, "precondition by the inverse of the diagonal");
    add_matrix_run_options(*command, *options);
    command->callback([options, &exit_code] { exit_code = run_solve(*options); });
}

}  // namespace spruce::bench
