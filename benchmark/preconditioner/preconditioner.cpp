// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/preconditioner/measurements.hpp"

#include <algorithm>
#include <iostream>

#include <CLI/CLI.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/json_file.hpp"

namespace spruce::bench {

bool preconditioner_options::contain(const std::string& name) const
{
    return operators.empty() || std::find(operators.begin(), operators.end(), name) != operators.end();
}

namespace {

int run_preconditioner(const preconditioner_options& options)
{
    auto sources = collect_sources(options.families, options.files, "preconditioner");
    const auto exec = create_executor(options.executor, options.device);
    const auto where = describe_environment(exec);
    const auto copy = measure_copy(exec, options.repetitions);
    auto document = start_document(where);
    document["copy"] = {{"bytes_per_second", copy.bytes_per_second}, {"method", copy.method}};
    auto triangles = report_of_triangles(document["results"]);
    auto preconditioners = report_of_preconditioners(document["results"]);
    const auto status = measure_each(sources, preconditioners.rows, [&](matrix_source& source) {
        source.open();
        const auto host = source.read<double, int32>(exec->get_master());
        source.close();
        measure_triangles(source.get_name(), *host, exec, options, copy, triangles);
        measure_preconditioners(source.get_name(), clone(exec, host.get()), options, copy, preconditioners);
    });
    std::cout << where.device << ", double/int32, copy " << to_text(1e-9 * copy.bytes_per_second) << " GB/s\n\n";
    triangles.rows.print(std::cout);
    std::cout << "\nSolves to " << options.tolerance << " times the norm of b, b_i = sin(i)\n\n";
    preconditioners.rows.print(std::cout);
    if (!options.json.empty()) {
        write_json(options.json, document);
    }
    return status;
}

}  // namespace

void add_preconditioner(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<preconditioner_options>();
    const auto command = program.add_subcommand(
        "preconditioner", "measure operators that approximate the inverse of a matrix: set-up, application and solves");
    add_matrix_run_options(*command, *options);
    command->add_option("--operators", options->operators, "only these operators")
        ->delimiter(',')
        ->check(CLI::IsMember(operator_names()));
    command->add_option("--tolerance", options->tolerance, "norm of the residual divided by that of b")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--max-iterations", options->max_iterations, "limit of iterations")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->callback([options, &exit_code] { exit_code = run_preconditioner(*options); });
}

}  // namespace spruce::bench
