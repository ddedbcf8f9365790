// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <memory>

#include <CLI/CLI.hpp>

#include "benchmark/benchmark_run.hpp"
#include "benchmark/commands.hpp"
#include "benchmark/copy_bandwidth.hpp"

namespace spruce::bench {
namespace {

int run_copy(const CLI::App& command, const run_options& options)
{
    benchmark_run run{command, options, {1, 4}, false};
    run.measure_part("", {{"operation", "copy"}}, [&] {
        const auto exec = run.get_executor();
        const auto from = create_large_vector(exec);
        const auto to = create_large_vector(exec);
        const auto norm = matrix::Dense<double>::create(exec, dim<2>{1, 1});
        array<char> tmp{exec};
        const auto bytes = static_cast<double>(from->get_size()[0] * sizeof(double));
        const auto describe = [bytes] {
            return nlohmann::ordered_json{{"array_bytes", static_cast<size_type>(bytes)}};
        };
        std::vector<benchmark_case> cases;
        for (const auto& method : copy_methods(*from, *to)) {
            cases.push_back({{{"operation", "copy"}, {"method", method.name}}, [&, call = method.copy] {
                                 const auto check = [&] {
                                     to->add_scaled(initialize<matrix::Dense<double>>({-1.0}, exec), from);
                                     to->compute_norm2(norm);
                                     return accuracy{exec->copy_val_to_host(norm->get_const_values()), 0};
                                 };
                                 return timed_operation{call, 2 * bytes, 0, {}, check, describe, {}};
                             }});
        }
        cases.push_back({{{"operation", "read"}, {"method", "norm of a vector"}}, [&] {
                             const auto call = [&] { from->compute_norm2(norm, tmp); };
                             return timed_operation{call, bytes, 0, {}, {}, describe, {}};
                         }});
        run.measure(cases);
    });
    return run.finish({});
}

}  // namespace

void add_copy(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<run_options>();
    const auto command =
        program.add_subcommand("copy", "measure the bandwidth of copies and reads in an executor's memory");
    add_executor_options(*command, *options);
    add_measurement_options(*command, *options);
    command->callback([options, command, &exit_code] { exit_code = run_copy(*command, *options); });
}

}  // namespace spruce::bench
