// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/table.hpp"

namespace spruce::bench {
namespace {

struct copy_options {
    std::string executor{"omp"};
    int device{};
    int repetitions{10};
};

int run_copy(const copy_options& options)
{
    const auto exec = create_executor(options.executor, options.device);
    const auto copy = measure_copy(exec, options.repetitions);
    std::cout << exec->get_description() << ": " << to_text(1e-9 * copy.bytes_per_second) << " GB/s read and written ("
              << copy.method << ", 2 x " << bytes_text(static_cast<double>(copy.array_bytes)) << "), "
              << to_text(1e-9 * measure_read(exec, options.repetitions)) << " GB/s read (norm of a vector)\n";
    return exit_code::success;
}

}  // namespace

void add_copy(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<copy_options>();
    const auto command =
        program.add_subcommand("copy", "measure the bandwidth of copies and reads in an executor's memory");
    command->add_option("--executor", options->executor, "reference, omp, cuda or hip")->capture_default_str();
    command->add_option("--device", options->device, "which GPU")->capture_default_str()->check(CLI::NonNegativeNumber);
    command->add_option("--repetitions", options->repetitions, "measurements of each way to copy")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command->callback([options, &exit_code] { exit_code = run_copy(*options); });
}

}  // namespace spruce::bench
