// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <spruce/matrix/format_advice.hpp>

#include "benchmark/benchmark_run.hpp"
#include "benchmark/commands.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/executors.hpp"

namespace spruce::bench {
namespace {

struct advise_options : matrix_run_options {
    std::string target;  ///< backend; empty: that of the executor
};

/// Returns the backend of this name.
backend target_of(const std::string& name)
{
    check_name("target", name, executor_names());
    for (const auto one : {backend::omp, backend::cuda, backend::hip}) {
        if (name == to_string(one)) {
            return one;
        }
    }
    return backend::reference;
}

/// Chooses a format for a matrix, and measures how long that takes.
void advise(benchmark_run& run, matrix_source& source, const std::string& target)
{
    matrix_input<double, int32> input{run, source};
    auto identity = matrix_case("advise", source.get_name());
    identity["target"] = target;
    run.measure({{identity, [&] {
                      const auto a = input.on_executor();
                      const auto advice = std::make_shared<std::optional<format_advice>>();
                      timed_operation op;
                      if (target == to_string(run.get_executor()->get_backend())) {
                          op.call = [=, exec = run.get_executor()] { *advice = advise_format(*a, exec); };
                      } else {
                          op.call = [=] { *advice = advise_format(*a, target_of(target)); };
                      }
                      op.describe = [advice] {
                          return nlohmann::ordered_json{{"format", to_string((*advice)->format)},
                                                        {"reason", (*advice)->reason}};
                      };
                      return op;
                  }}});
}

int run_advise(const CLI::App& command, const advise_options& options)
{
    auto sources = collect_sources(options, "advise");
    const auto target = options.target.empty() ? options.executor : options.target;
    target_of(target);  // reports an unknown name
    benchmark_run run{command, options, {sources.size(), 1}, false};
    run.measure_each(sources, [&](matrix_source& source) { advise(run, source, target); });
    return run.finish({text_column("format", "format"), text_column("reason", "reason")});
}

}  // namespace

void add_advise(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<advise_options>();
    const auto command =
        program.add_subcommand("advise", "recommend a storage format for the product of each matrix with a vector");
    add_matrix_options(*command, *options);
    add_executor_options(*command, *options);
    command->add_option("--target", options->target,
                        "where the products are to run: reference, omp, cuda or hip, which need not be on this machine "
                        "(default: the executor)");
    add_measurement_options(*command, *options);
    command->footer(R"(
The recommendation is that of spruce::advise_format(). It depends on the lengths of the rows only.
"spmv --formats csr,coo,ell,sellp" measures how fast the formats are.

Examples:
  spruce-bench advise benchmark/matrices/*.mtx.gz
  spruce-bench advise --target cuda --gen rmat:16,16 --gen poisson3d-7pt:64
)");
    command->callback([options, command, &exit_code] { exit_code = run_advise(*command, *options); });
}

}  // namespace spruce::bench
