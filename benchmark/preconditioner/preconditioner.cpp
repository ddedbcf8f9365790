// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/preconditioner/measurements.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/table.hpp"

namespace spruce::bench {

bool preconditioner_options::contain(const std::string& name) const
{
    return operators.empty() || std::find(operators.begin(), operators.end(), name) != operators.end();
}

nlohmann::ordered_json preconditioned_matrix::identity(const std::string& preconditioner, const std::string& phase,
                                                       const std::string& library) const
{
    auto result = matrix_case("preconditioner", name);
    result.update({{"preconditioner", preconditioner}, {"phase", phase}, {"library", library}});
    return result;
}

bool preconditioned_matrix::is_symmetric()
{
    if (!symmetry) {
        const auto host = clone(input.on_host());
        host->sort_by_column_index();
        const auto transposed = as<csr_matrix>(host->transpose());
        const auto n = host->get_size()[0];
        const auto nnz = host->get_num_stored_elements();
        symmetry = std::equal(host->get_const_row_ptrs(), host->get_const_row_ptrs() + n + 1,
                              transposed->get_const_row_ptrs()) &&
                   std::equal(host->get_const_col_idxs(), host->get_const_col_idxs() + nnz,
                              transposed->get_const_col_idxs()) &&
                   std::equal(host->get_const_values(), host->get_const_values() + nnz, transposed->get_const_values());
    }
    return *symmetry;
}

double relative_residual(const csr_matrix& a, const vector& x, const vector& b)
{
    const auto exec = a.get_executor();
    const auto r = clone(&b);
    const auto norm = vector::create(exec, dim<2>{1, 1});
    const auto norm_of = [&](const vector& v) {
        v.compute_norm2(norm);
        return exec->copy_val_to_host(norm->get_const_values());
    };
    const auto norm_of_b = norm_of(b);
    a.apply(initialize<vector>({-1.0}, exec), &x, initialize<vector>({1.0}, exec), r);
    return norm_of(*r) / norm_of_b;
}

namespace {

int run_preconditioner(const CLI::App& command, const preconditioner_options& options)
{
    auto sources = collect_sources(options, "preconditioner");
    for (const auto& name : options.operators) {
        check_name("operator", name, operator_names());
    }
    constexpr size_type phases = 4;
    const auto num_operators = options.operators.empty() ? operator_names().size() : options.operators.size();
    benchmark_run run{command, options, {sources.size(), phases * num_operators}};
    run.measure_each(sources, [&](matrix_source& source) {
        preconditioned_matrix given{run, source, options};
        for (const auto cases_of : {triangle_cases, factor_cases, preconditioner_cases}) {
            auto cases = cases_of(given);
            std::reverse(cases.begin(), cases.end());
            for (; !cases.empty(); cases.pop_back()) {  // the memory of operators is freed as soon as possible
                run.measure({cases.back()});
            }
        }
    });
    return run.finish({number_column("levels", "levels", [](double value) { return to_text(value); }),
                       number_column("storage", "storage_bytes", bytes_text), text_column("solver", "solver"),
                       text_column("iterations", "iterations"), text_column("outcome", "outcome"),
                       number_column("residual", "relative_residual", scientific_text),
                       number_column("difference", "difference", scientific_text)});
}

}  // namespace

void add_preconditioner(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<preconditioner_options>();
    const auto command = program.add_subcommand(
        "preconditioner", "measure operators that approximate the inverse of a matrix: set-up, application and solves");
    add_matrix_options(*command, *options);
    add_executor_options(*command, *options);
    add_names_option(*command, "--operators", options->operators, "only these of " + join(operator_names()));
    command->add_option("--tolerance", options->tolerance, "norm of the residual divided by that of b")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--max-iterations", options->max_iterations, "limit of iterations")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    add_measurement_options(*command, *options);
    command->footer("\nSolves are with b = (1, ..., 1), from x = 0.");
    command->callback([options, command, &exit_code] { exit_code = run_preconditioner(*command, *options); });
}

}  // namespace spruce::bench
