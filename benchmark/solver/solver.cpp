// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include <spruce/matrix/dense.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

struct solver_options : matrix_run_options {
    size_type iterations{100};
};

struct solver_result {
    std::string matrix;
    size_type num_rows{};
    size_type num_nonzeros{};
    double seconds_per_iteration{};
    double bytes_per_iteration{};  ///< the fewest: the matrix once, and 11 vectors
    double launches_per_iteration{};
};

/// An iteration moves at least: p and q in the product; z, p and p in the update of p; x, x, r, r, p and q in that of x and
/// r, whose norm is taken on the way. p's product with q could be taken on the way, too.
constexpr double vectors_per_iteration = 11;

/// The time of one iteration is the difference between solves of different length, so that what happens once in a solve does
/// not count.
solver_result measure_cg(matrix_source& source, const solver_options& options,
                         const std::shared_ptr<const Executor>& exec)
{
    using vector = matrix::Dense<double>;
    source.open();
    const std::shared_ptr<matrix::Csr<double, int32>> a = source.read<double, int32>(exec->get_master())->clone(exec);
    source.close();
    solver_result result;
    result.matrix = source.get_name();
    result.num_rows = a->get_size()[0];
    result.num_nonzeros = a->get_num_stored_elements();
    const auto rows = static_cast<double>(result.num_rows);
    result.bytes_per_iteration = static_cast<double>(result.num_nonzeros) * (sizeof(double) + sizeof(int32)) +
                                 (rows + 1) * sizeof(int32) + vectors_per_iteration * rows * sizeof(double);

    const auto b = vector::create(exec, dim<2>{result.num_rows, 1});
    const auto x = vector::create(exec, dim<2>{result.num_rows, 1});
    b->fill(1.0);
    const auto solve_with = [&](size_type iterations) {
        return solver::Cg<double>::build()
            .with_criteria(stop::Iteration::build().with_max_iters(iterations),
                           stop::ResidualNorm<double>::build().with_reduction_factor(1e-300))
            .on(exec)
            ->generate(a);
    };
    const auto short_solver = solve_with(options.iterations / 4);
    const auto long_solver = solve_with(options.iterations);
    const auto difference = static_cast<double>(options.iterations - options.iterations / 4);
    stopwatch watch{exec};
    std::vector<double> times;
    for (int repetition = -1; repetition < options.repetitions; ++repetition) {
        x->fill(0.0);
        const auto short_time = watch.measure(1, [&] { short_solver->apply(b, x); });
        x->fill(0.0);
        const auto before = exec->get_counters();
        const auto long_time = watch.measure(1, [&] { long_solver->apply(b, x); });
        result.launches_per_iteration =
            static_cast<double>((exec->get_counters() - before).launches) / static_cast<double>(options.iterations);
        if (repetition >= 0) {  // the first warms up
            times.push_back((long_time - short_time) / difference);
        }
    }
    result.seconds_per_iteration = median(times);
    return result;
}

int run_solver(const solver_options& options)
{
    auto sources = collect_sources(options.families, options.files, "solver");
    const auto exec = create_executor(options.executor, options.device);
    const auto where = describe_environment(exec);
    using align = table::align;
    table report{{{"matrix", align::left},
                  {"rows", align::right},
                  {"nonzeros", align::right},
                  {"solver", align::left},
                  {"per iteration", align::right},
                  {"GB/s", align::right},
                  {"model", align::right},
                  {"of model", align::right},
                  {"launches", align::right}}};
    auto document = start_document(where);
    const auto status = measure_each(sources, report, [&](matrix_source& source) {
        // Copies are measured beside each matrix: machines that are shared change from minute to minute.
        const auto copy = measure_copy(exec, options.repetitions);
        const auto one = measure_cg(source, options, exec);
        const auto model = one.bytes_per_iteration / copy.bytes_per_second;
        report.add_row({one.matrix, std::to_string(one.num_rows), std::to_string(one.num_nonzeros), "cg",
                        time_text(one.seconds_per_iteration),
                        to_text(1e-9 * one.bytes_per_iteration / one.seconds_per_iteration), time_text(model),
                        to_text(one.seconds_per_iteration / model, 3) + " x", to_text(one.launches_per_iteration, 3)});
        document["results"].push_back({{"matrix", one.matrix},
                                       {"rows", one.num_rows},
                                       {"nonzeros", one.num_nonzeros},
                                       {"solver", "cg"},
                                       {"seconds_per_iteration", one.seconds_per_iteration},
                                       {"bytes_per_iteration", one.bytes_per_iteration},
                                       {"copy_bytes_per_second", copy.bytes_per_second},
                                       {"time_over_model", one.seconds_per_iteration / model},
                                       {"launches_per_iteration", one.launches_per_iteration}});
    });
    std::cout << where.device << ", double/int32, " << options.iterations
              << " iterations; model: the matrix and 11 vectors at copy bandwidth\n\n";
    report.print(std::cout);
    if (!options.json.empty()) {
        write_json(options.json, document);
    }
    return status;
}

}  // namespace

void add_solver(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<solver_options>();
    const auto command = program.add_subcommand("solver", "measure an iteration of conjugate gradients");
    command->add_option("--iterations", options->iterations, "iterations of a solve")
        ->capture_default_str()
        ->check(CLI::Range(4, 1000000));
    add_matrix_run_options(*command, *options);
    command->callback([options, &exit_code] { exit_code = run_solver(*options); });
}

}  // namespace spruce::bench
