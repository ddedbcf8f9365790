// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>

#include "benchmark/benchmark_run.hpp"
#include "benchmark/commands.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/solver/measurement.hpp"
#include "benchmark/solver/solver_models.hpp"
#include "benchmark/table.hpp"

namespace spruce::bench {
namespace {

using csr = matrix::Csr<double, int32>;

template <typename Format>
std::shared_ptr<const LinOp> convert(const std::shared_ptr<const csr>& a)
{
    auto result = Format::create(a->get_executor());
    result->copy_from(a);
    return result;
}

using converter = std::shared_ptr<const LinOp> (*)(const std::shared_ptr<const csr>&);

/// Returns the conversions to the storage formats of the system matrix, by name.
const std::map<std::string, converter>& converters()
{
    static const std::map<std::string, converter> all{
        {"coo", convert<matrix::Coo<double, int32>>},
        {"csr", [](const std::shared_ptr<const csr>& a) -> std::shared_ptr<const LinOp> { return a; }},
        {"ell", convert<matrix::Ell<double, int32>>},
        {"hybrid", convert<matrix::Hybrid<double, int32>>},
        {"sellp", convert<matrix::Sellp<double, int32>>}};
    return all;
}

template <typename Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& values)
{
    std::vector<std::string> names;
    for (const auto& [name, value] : values) {
        names.push_back(name);
    }
    return names;
}

/// Describes a value of the option --until.
struct solver_mode {
    timed_operation (*create)(const system_matrix&, const solver_kind&, const solver_options&);
    std::string phase;                 ///< in the identity of a case
    std::vector<std::string> solvers;  ///< default of --solvers
};

const std::map<std::string, solver_mode>& modes()
{
    static const std::map<std::string, solver_mode> all{
        {"convergence", {create_solves, "solve", {"cg", "bicgstab", "gmres"}}},
        {"iterations", {create_iterations, "iteration", {"cg"}}}};
    return all;
}

/// Measures all solvers with one matrix in one format.
void measure_format(benchmark_run& run, const std::string& name, matrix_input<double, int32>& input,
                    const std::string& format, const solver_options& options)
{
    const auto& mode = modes().at(options.until);
    std::optional<system_matrix> system;
    for (const auto& solver : options.solvers) {
        auto identity = matrix_case("solver", name);
        identity.update({{"format", format}, {"solver", solver}, {"phase", mode.phase}});
        if (options.diagonal) {
            identity["preconditioner"] = "diagonal";
        }
        run.measure({{identity, [&] {
                          if (!system) {
                              const auto entries = input.on_executor();
                              system = system_matrix{entries, format, converters().at(format)(entries)};
                          }
                          return mode.create(*system, solver_kinds().at(solver), options);
                      }}});
    }
}

void check_names(const std::string& kind, const std::vector<std::string>& names, const std::vector<std::string>& valid)
{
    for (const auto& name : names) {
        check_name(kind, name, valid);
    }
}

int run_solver(const CLI::App& command, const solver_options& options)
{
    auto sources = collect_sources(options, "solver");
    check_names("solver", options.solvers, names_of(solver_kinds()));
    check_names("format", options.formats, names_of(converters()));
    const run_size size{sources.size(), options.formats.size() * options.solvers.size()};
    const auto has_bytes = options.until == "iterations";  // only these are compared to copies
    benchmark_run run{command, options, size, has_bytes};
    run.measure_each(sources, [&](matrix_source& source) {
        matrix_input<double, int32> input{run, source, true};
        for (const auto& format : options.formats) {
            measure_format(run, source.get_name(), input, format, options);
        }
    });
    const auto count_text = [](double value) { return to_text(value); };
    return run.finish({text_column("outcome", "outcome"), text_column("iterations", "iterations"),
                       number_column("||b - A x|| / ||b||", "relative_residual", scientific_text),
                       number_column("products", "products", count_text),
                       number_column("vectors", "vectors", count_text),
                       number_column("moved", "bytes_moved", bytes_text)});
}

/// Holds the options that only one value of --until has.
struct mode_options {
    std::string until;
    std::vector<const CLI::Option*> options;
};

mode_options add_iteration_options(CLI::App& command, solver_options& options)
{
    const auto iterations = command.add_option(
        "--iterations", options.iterations, "until iterations: of the longer solves; the shorter ones have a quarter");
    iterations->capture_default_str()->check(CLI::Range(4, 1000000));
    return {"iterations", {iterations}};
}

mode_options add_convergence_options(CLI::App& command, solver_options& options)
{
    const auto tolerance = command.add_option("--tolerance", options.tolerance,
                                              "until convergence: of the residual norm, relative to that of b");
    tolerance->capture_default_str()->check(CLI::NonNegativeNumber);
    const auto max_iterations = command.add_option("--max-iterations", options.max_iterations,
                                                   "until convergence: iterations of a solve at most");
    max_iterations->capture_default_str();
    const auto diagonal = command.add_flag("--diagonal", options.diagonal,
                                           "until convergence: precondition by the inverse of the diagonal");
    return {"convergence", {tolerance, max_iterations, diagonal}};
}

/// Checks that only options of the selected mode are given.
/// @throws usage_error  if an option belongs to another mode
void check_mode(const std::string& until, const std::vector<mode_options>& all)
{
    for (const auto& mode : all) {
        for (const auto option : mode.options) {
            if (mode.until != until && option->count() > 0) {
                throw usage_error(option->get_name() + " needs --until " + mode.until + ", but it is --until " + until);
            }
        }
    }
}

}  // namespace

void add_solver(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<solver_options>();
    const auto command = program.add_subcommand(
        "solver", "measure an iteration of iterative solvers, or solves until convergence and how they end");
    add_matrix_options(*command, *options);
    add_executor_options(*command, *options);
    command
        ->add_option("--until", options->until,
                     "iterations: measure the time of an iteration, from solves with fixed numbers of iterations; "
                     "convergence: measure solves until the tolerance")
        ->capture_default_str()
        ->check(CLI::IsMember(names_of(modes())));
    const auto solvers = add_names_option(*command, "--solvers", options->solvers, "which, separated by commas")
                             ->default_str(join(modes().at("iterations").solvers) +
                                           "; until convergence: " + join(modes().at("convergence").solvers));
    add_names_option(*command, "--formats", options->formats, "of the system matrix, separated by commas")
        ->capture_default_str();
    const auto of_iterations = add_iteration_options(*command, *options);
    const auto of_convergence = add_convergence_options(*command, *options);
    add_measurement_options(*command, *options);
    command->footer(R"(
Until iterations, pairs of a longer and a shorter solve are measured, each repeated until the difference is at least
10 ms, and the number of pairs grows with the noise (--repetitions at least). A time that the noise hides is reported
as a failure. Bytes are those of the matrix for each product, and of the vectors that the method needs; "moved" are
those that the kernels move. Until convergence, b_i = sin(i), from x = 0.

Examples:
  spruce-bench solver --solvers cg,gmres --formats csr,sellp --gen poisson3d-7pt:64
  spruce-bench solver --until convergence --diagonal --solvers cg,minres benchmark/matrices/1138_bus.mtx.gz
)");
    command->callback([=, &exit_code] {
        check_mode(options->until, {of_iterations, of_convergence});
        if (solvers->count() == 0) {
            options->solvers = modes().at(options->until).solvers;
        }
        exit_code = run_solver(*command, *options);
    });
}

}  // namespace spruce::bench
