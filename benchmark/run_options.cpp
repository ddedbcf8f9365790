// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/run_options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "benchmark/errors.hpp"

namespace spruce::bench {
namespace {

/// Returns the value of a fraction such as "0.005" or "0.5%".
/// @throws CLI::ValidationError  if it is not between 0 and 1
double parse_fraction(const std::string& text)
{
    const auto is_percentage = !text.empty() && text.back() == '%';
    double value{};
    if (!CLI::detail::lexical_cast(is_percentage ? text.substr(0, text.size() - 1) : text, value) || value <= 0 ||
        value >= (is_percentage ? 100 : 1)) {
        throw CLI::ValidationError("--until-relative", "expected a fraction like 0.5% or 0.005, found '" + text + "'");
    }
    return is_percentage ? value / 100 : value;
}

}  // namespace

difference_limits limits_of(const run_options& options)
{
    difference_limits limits{options.repetitions};
    if (options.until_relative > 0) {
        limits.precision = options.until_relative / 1.96;  // half-width of the 95 % interval, if it is normal
        limits.max_seconds = options.max_seconds;
    }
    return limits;
}

void add_executor_options(CLI::App& command, run_options& options)
{
    command.add_option("--executor", options.executor, "reference, omp, cuda or hip")->capture_default_str();
    command.add_option("--device", options.device, "which GPU")->capture_default_str()->check(CLI::NonNegativeNumber);
}

void add_measurement_options(CLI::App& command, run_options& options)
{
    command.add_option("--warmup", options.warmup, "calls of each case before its measurements")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    command.add_option("--repetitions", options.repetitions, "measurements of each case")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command.add_option_function<std::string>(
        "--until-relative", [&options](const std::string& text) { options.until_relative = parse_fraction(text); },
        "repeat until the half-width of the 95 % interval of the median is below this fraction of it, such as 0.5%");
    command.add_option("--max-repetitions", options.max_repetitions, "limit of measurements with --until-relative")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command
        .add_option("--max-seconds", options.max_seconds,
                    "a case is not repeated any more after this time; it has at least one measurement")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command.add_flag("--cold-cache", options.cold_cache,
                     "measure single calls, before each of which a large array replaces the contents of the caches");
    command.add_flag("--no-check", options.no_check, "do not compare results to those of the reference");
    const auto json =
        command.add_option("--json", options.json, "write results as JSON to this file (- for standard output)");
    command.add_flag("--resume", options.resume, "measure only the cases that the file of --json does not have yet")
        ->needs(json);
}

CLI::Option* add_names_option(CLI::App& command, const std::string& option, std::vector<std::string>& names,
                              const std::string& description)
{
    // The next argument may be a file.
    return command.add_option(option, names, description)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME,NAME");
}

void add_matrix_options(CLI::App& command, matrix_run_options& options)
{
    command.add_option("files", options.files, "matrix files: Matrix Market or binary, also compressed by gzip");
    command.add_option("--gen", options.families, "a generated matrix, FAMILY:PARAMETERS; may be repeated")
        ->allow_extra_args(false);
    command.add_option("--suite", options.suite,
                       "a text file with a path, FAMILY:PARAMETERS, or the name GROUP/NAME of a matrix in each line; # "
                       "begins a comment");
    command.add_option("--suite-folder", options.suite_folder, "where matrices named GROUP/NAME are")
        ->capture_default_str();
}

nlohmann::ordered_json values_of_options(const CLI::App& command)
{
    const std::vector<std::string> others{"--help",       "--json",         "--resume",     "files",     "cases",
                                          "--gen",        "--suite",        "--formats",    "--solvers", "--operators",
                                          "--operations", "--suite-folder", "--structures", "--worst"};
    auto values = nlohmann::ordered_json::object();
    for (const auto option : command.get_options()) {
        const auto name = option->get_name();
        if (std::find(others.begin(), others.end(), name) == others.end()) {
            values[name] = option->count() > 0 ? join(option->results()) : option->get_default_str();
        }
    }
    return values;
}

}  // namespace spruce::bench
