// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "benchmark/time_difference.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace spruce::bench {

/// Contains the options that all subcommands have.
struct run_options {
    std::string executor{"omp"};
    int device{};
    int warmup{2};
    int repetitions{10};
    double until_relative{};  ///< half-width of the interval of the median, relative to it; 0 if not asked for
    int max_repetitions{1000};
    double max_seconds{60};
    bool cold_cache{};
    bool no_check{};
    std::string json;
    bool resume{};
};

/// Contains the options of a subcommand that measures with matrices from files and generators.
struct matrix_run_options : run_options {
    std::vector<std::string> families;
    std::vector<std::string> files;
    std::string suite;
    std::string suite_folder{"."};
};

/// Returns when the difference between two times is known well enough for the options.
difference_limits limits_of(const run_options& options);

/// Adds the options that select an executor.
void add_executor_options(CLI::App& command, run_options& options);
/// Adds the options that control the measurements and where their results are written.
void add_measurement_options(CLI::App& command, run_options& options);
/// Adds the options that select matrices.
void add_matrix_options(CLI::App& command, matrix_run_options& options);
/// Adds an option that takes one argument: names separated by commas.
CLI::Option* add_names_option(CLI::App& command, const std::string& option, std::vector<std::string>& names,
                              const std::string& description);

/// Returns the values of the options on which each result depends, by name. Options that select
/// cases or files are not included.
nlohmann::ordered_json values_of_options(const CLI::App& command);

}  // namespace spruce::bench
