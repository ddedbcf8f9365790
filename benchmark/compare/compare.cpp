// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/compare/comparison.hpp"
#include "benchmark/compare/document.hpp"
#include "benchmark/compare/report.hpp"
#include "benchmark/environment.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/schema.hpp"

namespace spruce::bench {
namespace {

/// Exit code of the command if a case is SLOW.
constexpr int some_case_is_slow = 3;

/// Parses a share such as "2%" or "0.02".
/// @throws usage_error  if the text is neither, or the share is negative
double parse_share(const std::string& option, const std::string& text)
{
    const auto is_percent = !text.empty() && text.back() == '%';
    std::istringstream stream{is_percent ? text.substr(0, text.size() - 1) : text};
    double value{};
    // The condition is negated, so that it rejects NaN, too.
    if (!(stream >> value) || stream.peek() != std::istringstream::traits_type::eof() || !(value >= 0)) {
        throw usage_error(option + " needs a share such as 2% or 0.02, but got '" + text + "'");
    }
    return is_percent ? value / 100 : value;
}

void check_commands(const stored_document& first, const stored_document& second)
{
    const auto command_of_first = text_of(first.head["command"]);
    const auto command_of_second = text_of(second.head["command"]);
    if (command_of_first != command_of_second) {
        throw std::runtime_error(first.path + " is of the command " + command_of_first + ", but " + second.path +
                                 " is of " + command_of_second);
    }
}

void write_comparison(const compare_report& report)
{
    if (report.options.json.empty()) {
        return;
    }
    auto document = start_document(describe_environment(create_executor("reference", 0)));
    add_comparison(document, report);
    write_json(report.options.json, document);
}

int run_compare(const compare_options& options)
{
    compare_report report;
    report.options = options;
    report.limits = {parse_share("--threshold", options.threshold), options.significance};
    std::vector<selection> selections;
    for (const auto& text : options.selections) {
        selections.push_back(parse_selection(text));
    }
    report.first = read_document(options.first);
    report.second = read_document(options.second);
    check_commands(report.first, report.second);
    prepare_documents(report.first, report.second, selections, options.ignored);
    report.result = compare_documents(report.first, report.second, report.limits);
    if (report.result.cases.empty()) {
        throw std::runtime_error("no case was measured in both " + options.first + " (" +
                                 std::to_string(report.first.results.size()) + " cases) and " + options.second + " (" +
                                 std::to_string(report.second.results.size()) + " cases)");
    }
    // If JSON is written to standard output, the tables must not be mixed into it.
    print_report(options.json == "-" ? std::cerr : std::cout, report);
    write_comparison(report);
    if (report.result.count(verdict::slow) > 0) {
        return some_case_is_slow;
    }
    return report.result.num_new_failures > 0 ? exit_code::something_failed : exit_code::success;
}

constexpr auto footer = R"(
Two results are compared if their "case" is equal. Ratios are times of B divided by times of A.
  FAST, SLOW   a rank test of the samples is significant, and the ratio of the medians is beyond the threshold
  SAME         the confidence interval of the ratio is within the threshold
  UNDECIDED    neither
doc/comparing_results.md describes the tests.

Exit code: 0, or 3 if a case is SLOW; otherwise 1 if a case was measured in A and failed in B, or if a file cannot be
read or no case is in both; 2 for wrong usage.

Examples:
  spruce-bench compare before.json after.json
  spruce-bench compare cuda.json hip.json --threshold 3% --json comparison.json
  spruce-bench compare spmv.json spmv.json --select A.format=csr --select B.format=sellp
)";

}  // namespace

void add_compare(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<compare_options>();
    const auto command = program.add_subcommand("compare", "compare the times in two JSON documents, case by case");
    command->add_option("A", options->first, "the first document (JSON, also compressed by gzip)")->required();
    command->add_option("B", options->second, "the second document")->required();
    command->add_option("--threshold", options->threshold, "smallest effect that matters, such as 2% or 0.02")
        ->capture_default_str();
    command->add_option("--significance", options->significance, "probability of any wrong FAST or SLOW, at most")
        ->capture_default_str()
        ->check(CLI::Range(1e-12, 0.5));
    command
        ->add_option("--select", options->selections,
                     "KEY=VALUE: only cases with this value; A.KEY=VALUE or B.KEY=VALUE: in one document, and the "
                     "key is left out of the match; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--ignore", options->ignored, "a key of \"case\" that is left out of the match; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--worst", options->worst, "number of outliers to print")->capture_default_str();
    command->add_option("--json", options->json, "write the comparison as JSON to this file (- for standard output)");
    command->footer(footer);
    command->callback([options, &exit_code] { exit_code = run_compare(*options); });
}

}  // namespace spruce::bench
