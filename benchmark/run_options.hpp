// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "benchmark/environment.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/matrix_source.hpp"
#include "benchmark/table.hpp"

namespace CLI {
class App;
}

namespace spruce::bench {

/// Contains the options of a subcommand that measures on an executor.
struct run_options {
    std::string executor{"omp"};
    int device{};
    int repetitions{5};
    std::string json;
};
void add_run_options(CLI::App& command, run_options& options);

/// Contains the options of a subcommand that measures with matrices from files and generators.
struct matrix_run_options : run_options {
    std::vector<std::string> families;
    std::vector<std::string> files;
};
void add_matrix_run_options(CLI::App& command, matrix_run_options& options);

/// Returns a document with facts about the run and an empty list "results".
nlohmann::ordered_json start_document(const environment& where);

/// Calls measure(source) for each source. Failures are written to the report, and findings of
/// validate() about a file to stderr.
/// @return the exit code of the program
template <typename Measure>
int measure_each(std::vector<matrix_source>& sources, table& report, Measure measure)
{
    auto status = exit_code::success;
    for (auto& source : sources) {
        try {
            measure(source);
        } catch (const std::exception& error) {
            source.close();
            report.add_row({source.get_name(), message_of(error)});
            status = exit_code::something_failed;
        }
        if (!source.get_faults().empty()) {
            std::cerr << source.get_faults() << '\n';
        }
    }
    return status;
}

}  // namespace spruce::bench
