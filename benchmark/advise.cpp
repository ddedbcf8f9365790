// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include <spruce/matrix/format_advice.hpp>

#include "benchmark/benchmark_run.hpp"
#include "benchmark/commands.hpp"

namespace spruce::bench {
namespace {

/// Recommends a format for a matrix, and measures how long the choice takes.
void advise(benchmark_run& run, matrix_source& source)
{
    matrix_input<double, int32> input{run, source};
    run.measure({{matrix_case("advise", source.get_name()), [&] {
                      const auto a = input.on_executor();
                      const auto advice = std::make_shared<std::optional<format_advice>>();
                      timed_operation op;
                      op.call = [=, exec = run.get_executor()] { *advice = advise_format(*a, exec); };
                      op.describe = [advice] {
                          return nlohmann::ordered_json{{"format", to_string((*advice)->format)},
                                                        {"reason", (*advice)->reason}};
                      };
                      return op;
                  }}});
}

int run_advise(const CLI::App& command, const matrix_run_options& options)
{
    auto sources = collect_sources(options, "advise");
    benchmark_run run{command, options, {sources.size(), 1}, false};
    run.measure_each(sources, [&](matrix_source& source) { advise(run, source); });
    return run.finish({text_column("format", "format"), text_column("reason", "reason")});
}

}  // namespace

void add_advise(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<matrix_run_options>();
    const auto command =
        program.add_subcommand("advise", "recommend a storage format for the product of each matrix with a vector");
    add_matrix_options(*command, *options);
    add_executor_options(*command, *options);
    add_measurement_options(*command, *options);
    command->footer(R"(
The recommendation is that of spruce::advise_format() for the executor. It depends on the lengths of the rows only.
"spmv --formats csr,coo,ell,sellp" measures how fast the formats are.

Examples:
  spruce-bench advise benchmark/matrices/*.mtx.gz
  spruce-bench advise --executor cuda --gen rmat:16,16 --gen poisson3d-7pt:64
)");
    command->callback([options, command, &exit_code] { exit_code = run_advise(*command, *options); });
}

}  // namespace spruce::bench
