// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "benchmark/benchmark_run.hpp"
#include "benchmark/commands.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/spmv/formats.hpp"
#include "benchmark/spmv/measure.hpp"
#include "benchmark/table.hpp"
#include "benchmark/types.hpp"

namespace spruce::bench {
namespace {

/// Measures all formats with one matrix. Complex matrices are measured in the complex type of the
/// precision asked for.
void measure_matrix(benchmark_run& run, matrix_source& source, const std::vector<std::string>& formats,
                    const spmv_options& options)
{
    const auto value_type = source.is_complex() ? complex_type_name(options.value_type) : options.value_type;
    const auto missing = missing_types(value_type, options.index_type);
    if (!missing.empty()) {
        throw case_skipped(missing);
    }
    with_types(value_type, options.index_type, [&](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        auto identity = matrix_case("spmv", source.get_name(), value_type, options.index_type);
        identity["num_rhs"] = options.num_rhs;
        measure_formats<V, I>(run, source, formats, identity);
    });
}

int run_spmv(const CLI::App& command, const spmv_options& options)
{
    auto sources = collect_sources(options, "spmv");
    check_types(options.value_type, options.index_type);
    check_name("executor", options.executor, executor_names());
    // Unknown names are reported before a device is opened.
    const auto num_formats = choose_formats(options.formats, backend::reference).size();
    benchmark_run run{command, options, {sources.size(), num_formats}};
    const auto chosen = choose_formats(options.formats, run.get_executor()->get_backend());
    run.measure_each(sources, [&](matrix_source& source) { measure_matrix(run, source, chosen, options); });
    return run.finish({number_column("storage", "storage_bytes", bytes_text), text_column("strategy", "strategy"),
                       number_column("imbalance", "imbalance", [](double value) { return to_text(value, 3); })});
}

std::string footer()
{
    std::string text = "Formats (--formats; 'all' for all that the executor has; *: measured by default):\n";
    for (const auto& format : formats()) {
        text += (format.is_default ? "* " : "  ") + format.name +
                std::string(20 - std::min<std::size_t>(format.name.size(), 19), ' ') + format.description + '\n';
    }
    text += "\nFamilies (--gen FAMILY:PARAMETERS):\n";
    for (const auto& family : families()) {
        text += std::string("  ") + family.name + ':' + family.parameters + "\n      " + family.description + '\n';
    }
    return text + R"(
Columns: time of one product (median of the repetitions; min: the fastest), GFLOP/s (2 operations for each nonzero and
right-hand side, 8 if complex), GB/s (the fewest bytes that a product must move: the matrix once, b and x once),
their fraction of the copy bandwidth measured in the same run, storage of the matrix, error (the largest |x - x_ref|
relative to sum |a||b| of its row, against the reference), imbalance (the largest work of a thread, divided by the
mean). Complex matrices are measured in the complex type of the precision asked for.

Examples:
  spruce-bench spmv benchmark/matrices/*.mtx.gz
  spruce-bench spmv --gen poisson3d-7pt:160 --gen rmat:20,16 --formats csr,coo,eigen-csr
  spruce-bench spmv --executor cuda --formats all --gen poisson3d-27pt:128 --json result.json
  spruce-bench spmv --suite names.txt --suite-folder matrices --until-relative 0.5% --json result.json --resume
)";
}

}  // namespace

void add_spmv(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<spmv_options>();
    const auto command = program.add_subcommand("spmv", "measure the product of sparse matrices with vectors");
    add_matrix_options(*command, *options);
    add_executor_options(*command, *options);
    add_names_option(*command, "--formats", options->formats, "formats (default: those with a * below)");
    command->add_option("--value-type", options->value_type, "float, double, cfloat or cdouble")->capture_default_str();
    command->add_option("--index-type", options->index_type, "int32 or int64")->capture_default_str();
    command->add_option("--nrhs", options->num_rhs, "right-hand sides")
        ->capture_default_str()
        ->check(CLI::Range(1, 4096));
    add_measurement_options(*command, *options);
    command->footer(footer);
    command->callback([options, command, &exit_code] { exit_code = run_spmv(*command, *options); });
}

}  // namespace spruce::bench
