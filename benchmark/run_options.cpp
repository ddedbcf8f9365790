// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/run_options.hpp"

#include <CLI/CLI.hpp>

#include "benchmark/json_file.hpp"

namespace spruce::bench {

void add_run_options(CLI::App& command, run_options& options)
{
    command.add_option("--executor", options.executor, "reference, omp, cuda or hip")->capture_default_str();
    command.add_option("--device", options.device, "which GPU")->capture_default_str()->check(CLI::NonNegativeNumber);
    command.add_option("--repetitions", options.repetitions, "measurements")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command.add_option("--json", options.json, "write all facts to this file (- for standard output)");
}

void add_matrix_run_options(CLI::App& command, matrix_run_options& options)
{
    command.add_option("files", options.files, "matrix files");
    command.add_option("--gen", options.families, "a generated matrix, FAMILY:PARAMETERS; may be repeated");
    add_run_options(command, options);
}

nlohmann::ordered_json start_document(const environment& where)
{
    auto document = to_json(where);
    document["results"] = nlohmann::ordered_json::array();
    return document;
}

}  // namespace spruce::bench
