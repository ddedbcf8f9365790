// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/solver/measurement.hpp"
#include "benchmark/solver/solver_models.hpp"

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
    std::unique_ptr<solver_measurement> (*create)(const solver_options&);
    std::vector<std::string> solvers;  ///< default of --solvers
    int repetitions;                   ///< default of --repetitions
};

const std::map<std::string, solver_mode>& modes()
{
    static const std::map<std::string, solver_mode> all{
        {"convergence", {create_convergence_measurement, {"cg", "bicgstab", "gmres"}, 1}},
        {"iterations", {create_iteration_measurement, {"cg"}, 5}}};
    return all;
}

/// Measures a solver. A failure is a result, too.
solver_facts attempt(const solver_measurement& measurement, const system_matrix& system, const std::string& solver)
{
    solver_facts facts;
    try {
        facts = measurement.measure(system, solver_kinds().at(solver));
    } catch (const std::exception& error) {
        facts.failure = message_of(error);
    }
    if (!facts.failure.empty()) {
        facts.cells = {facts.failure};
        facts.json["failure"] = facts.failure;
    }
    return facts;
}

int run_solver(const solver_options& options)
{
    auto sources = collect_sources(options.families, options.files, "solver");
    const auto exec = create_executor(options.executor, options.device);
    const auto where = describe_environment(exec);
    const auto measurement = modes().at(options.until).create(options);
    using align = table::align;
    std::vector<table::column> columns{{"matrix", align::left},
                                       {"rows", align::right},
                                       {"nonzeros", align::right},
                                       {"format", align::left},
                                       {"solver", align::left}};
    const auto more_columns = measurement->get_columns();
    columns.insert(columns.end(), more_columns.begin(), more_columns.end());
    table report{columns};
    auto document = start_document(where);
    bool has_failed{};
    const auto status = measure_each(sources, report, [&](matrix_source& source) {
        source.open();
        const std::shared_ptr<const csr> entries = source.read<double, int32>(exec->get_master())->clone(exec);
        source.close();
        const auto num_rows = entries->get_size()[0];
        const auto num_nonzeros = entries->get_num_stored_elements();
        for (const auto& format : options.formats) {
            const system_matrix system{entries, format, converters().at(format)(entries)};
            for (const auto& solver : options.solvers) {
                const auto facts = attempt(*measurement, system, solver);
                std::vector<std::string> row{source.get_name(), std::to_string(num_rows), std::to_string(num_nonzeros),
                                             format, solver};
                row.insert(row.end(), facts.cells.begin(), facts.cells.end());
                report.add_row(row);
                nlohmann::ordered_json result{{"matrix", source.get_name()},
                                              {"rows", num_rows},
                                              {"nonzeros", num_nonzeros},
                                              {"format", format},
                                              {"solver", solver}};
                result.update(facts.json);
                document["results"].push_back(result);
                has_failed = has_failed || !facts.failure.empty();
            }
        }
    });
    std::cout << where.device << ", double/int32, " << measurement->get_conditions() << "\n\n";
    report.print(std::cout);
    if (!options.json.empty()) {
        write_json(options.json, document);
    }
    return has_failed ? exit_code::something_failed : status;
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
    const auto detailed =
        command.add_flag("--detailed", options.detailed, "until iterations: what an iteration launches and moves, too");
    return {"iterations", {iterations, detailed}};
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

/// @throws usage_error  if an option is given that the selected mode does not have
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
    const auto by_mode = [](const std::string& iterations, const std::string& convergence) {
        return iterations + "; until convergence: " + convergence;
    };
    const auto& iterations = modes().at("iterations");
    const auto& convergence = modes().at("convergence");
    command
        ->add_option("--until", options->until,
                     "iterations: measure the time of an iteration, from solves with fixed numbers of iterations; "
                     "convergence: measure solves until the tolerance")
        ->capture_default_str()
        ->check(CLI::IsMember(names_of(modes())));
    const auto solvers = command->add_option("--solvers", options->solvers, "which, separated by commas")
                             ->default_str(by_mode(join(iterations.solvers), join(convergence.solvers)))
                             ->delimiter(',')
                             ->allow_extra_args(false)
                             ->check(CLI::IsMember(names_of(solver_kinds())));
    command->add_option("--formats", options->formats, "of the system matrix, separated by commas")
        ->capture_default_str()
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(names_of(converters())));
    const auto of_iterations = add_iteration_options(*command, *options);
    const auto of_convergence = add_convergence_options(*command, *options);
    add_matrix_run_options(*command, *options);
    const auto repetitions = command->get_option("--repetitions");
    repetitions->default_str(by_mode(std::to_string(iterations.repetitions), std::to_string(convergence.repetitions)));
    command->footer(R"(
Until iterations, pairs of a longer and a shorter solve are measured, each repeated until the difference is at least
10 ms, and the number of pairs grows with the noise (--repetitions at least). A time that the noise hides is reported
as a failure, and as null in JSON.

Examples:
  spruce-bench solver --solvers cg,gmres --formats csr,sellp --gen poisson3d-7pt:64
  spruce-bench solver --until convergence --diagonal --solvers cg,minres benchmark/matrices/1138_bus.mtx.gz
)");
    command->callback([=, &exit_code] {
        check_mode(options->until, {of_iterations, of_convergence});
        const auto& mode = modes().at(options->until);
        if (solvers->count() == 0) {
            options->solvers = mode.solvers;
        }
        if (repetitions->count() == 0) {
            options->repetitions = mode.repetitions;
        }
        exit_code = run_solver(*options);
    });
}

}  // namespace spruce::bench
