// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/result_table.hpp"

#include <algorithm>
#include <iostream>
#include <map>

#include "benchmark/table.hpp"

namespace spruce::bench {
namespace {

using json = nlohmann::ordered_json;

std::string to_cell(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// Returns a function that writes a number of a result.
template <typename Function>
std::function<std::string(const json&)> number_of(const std::string& key, Function to_text)
{
    return [=](const json& result) {
        const auto value = result.find(key);
        return value == result.end() || !value->is_number() ? std::string{} : to_text(value->template get<double>());
    };
}

std::string problem_text(const json& result, const std::string& key)
{
    const auto problem = result.find("problem");
    return problem == result.end() || !problem->contains(key) ? std::string{} : to_cell((*problem)[key]);
}

bool is_wrong(const json& result) { return result.contains("correct") && !result["correct"].get<bool>(); }

std::string error_text(const json& result)
{
    return result.contains("correct")
               ? (result["error"].is_number() ? scientific_text(result["error"].get<double>()) : "nan") +
                     (is_wrong(result) ? " WRONG" : "")
               : std::string{};
}

std::string count_text(double value) { return to_text(value, 3); }

/// Returns the columns that all subcommands have in common, besides those of the case.
std::vector<fact_column> measured_columns(const std::vector<fact_column>& facts)
{
    std::vector<fact_column> columns{
        {"time", number_of("seconds_median", time_text)},
        {"min", number_of("seconds_min", time_text)},
        {"GFLOP/s", number_of("gflops", [](double value) { return to_text(value); })},
        {"GB/s", number_of("gigabytes_per_second", [](double value) { return to_text(value); })},
        {"of copy", number_of("fraction_of_copy", [](double value) { return to_text(100 * value, 3) + " %"; })},
        {"kernels", number_of("launches", count_text)},
        {"waits", number_of("host_waits", [](double value) { return value > 0 ? count_text(value) : std::string{}; })},
        {"error", error_text}};
    columns.insert(columns.end(), facts.begin(), facts.end());
    columns.push_back({"", [](const json& result) {
                           const auto is_best = result.contains("facts") && result["facts"].value("best", false);
                           return std::string(is_best ? "<- best" : "");
                       }});
    return columns;
}

/// Separates the keys of the cases into those that differ, which get columns, and those in common.
struct case_keys {
    std::vector<std::string> columns;
    json common = json::object();
};

case_keys find_keys(const json& results)
{
    std::map<std::string, json> values;
    case_keys keys;
    for (const auto& result : results) {
        for (const auto& [key, value] : result["case"].items()) {
            const auto is_new = values.emplace(key, value).second;
            if (is_new) {
                keys.common[key] = value;
            } else if (keys.common.contains(key) && values[key] != value) {
                keys.common.erase(key);
            }
        }
    }
    // Operations and formats follow the matrix.
    std::vector<std::string> order{"matrix"};
    for (const auto& result : results) {
        for (const auto& [key, value] : result["case"].items()) {
            if (std::find(order.begin(), order.end(), key) == order.end()) {
                order.push_back(key);
            }
        }
    }
    keys.common.erase("matrix");
    for (const auto& key : order) {
        if (values.count(key) && !keys.common.contains(key)) {
            keys.columns.push_back(key);
        }
    }
    return keys;
}

std::string describe_run(const json& document, const json& common)
{
    auto text = "Spruce " + to_cell(document["version"]) + ", " + to_cell(document["device"]) + ", " +
                to_cell(document["processor"]) + '\n';
    for (const auto& [key, value] : common.items()) {
        text += (value.is_string() ? to_cell(value) : key + ' ' + to_cell(value)) + ", ";
    }
    text += "median of " + to_cell(document["repetitions"]) + " repetitions";
    if (document.contains("copy")) {
        const auto& copy = document["copy"];
        text += ", copy " + to_text(copy["gigabytes_per_second"].get<double>()) + " GB/s (" + to_cell(copy["method"]) +
                ", 2 x " + bytes_text(copy["array_bytes"].get<double>()) + ')';
    }
    return text;
}

/// Returns the reason why a result has no times, or an empty text.
std::string reason_of(const json& result)
{
    if (result.contains("failure")) {
        return "failed: " + to_cell(result["failure"]);
    }
    return result.contains("skipped") ? "skipped: " + to_cell(result["skipped"]) : std::string{};
}

void print_counts(std::ostream& os, const json& document)
{
    std::size_t failed{};
    std::size_t skipped{};
    std::size_t wrong{};
    for (const auto& result : document["results"]) {
        failed += result.contains("failure");
        skipped += result.contains("skipped");
        wrong += is_wrong(result);
    }
    if (failed + skipped + wrong > 0) {
        os << "\nOf " << document["results"].size() << " results, " << failed << " failed, " << skipped
           << " were skipped, and " << wrong << " are wrong.\n";
    }
    if (document["interrupted"].get<bool>()) {
        os << "\ninterrupted: only what was done until then\n";
    }
}

}  // namespace

fact_column number_column(const std::string& title, const std::string& fact, std::string (*to_text)(double))
{
    return {title, [=](const json& result) {
                return result.contains("facts") ? number_of(fact, to_text)(result["facts"]) : std::string{};
            }};
}

fact_column text_column(const std::string& title, const std::string& fact)
{
    return {title, [=](const json& result) {
                return result.contains("facts") && result["facts"].contains(fact) ? to_cell(result["facts"][fact])
                                                                                  : std::string{};
            }};
}

void print_results(std::ostream& os, const json& document, const std::vector<fact_column>& facts, std::size_t max_rows)
{
    const auto& results = document["results"];
    const auto keys = find_keys(results);
    std::vector<table::column> columns;
    for (const auto& key : keys.columns) {
        columns.push_back({key, table::align::left});
    }
    const auto has = [&](const auto& text) {
        return std::any_of(results.begin(), results.end(), [&](const json& one) { return !text(one).empty(); });
    };
    std::vector<fact_column> shown;
    for (const std::string key : {"rows", "nonzeros"}) {
        shown.push_back({key, [key](const json& result) { return problem_text(result, key); }});
    }
    const auto measured = measured_columns(facts);
    shown.insert(shown.end(), measured.begin(), measured.end());
    shown.erase(std::remove_if(shown.begin(), shown.end(), [&](const auto& column) { return !has(column.text); }),
                shown.end());
    for (const auto& column : shown) {
        columns.push_back(
            {column.title, column.title == "error" || column.title.empty() ? table::align::left : table::align::right});
    }

    table lines{columns};
    std::string matrix;
    std::size_t num_rows{};
    for (const auto& result : results) {
        const auto reason = reason_of(result);
        if (reason.empty() && num_rows++ >= max_rows) {
            continue;
        }
        const auto& identity = result["case"];
        const auto name = identity.contains("matrix") ? to_cell(identity["matrix"]) : "";
        if (name != matrix && &result != &results.front()) {
            lines.add_rule();
        }
        std::vector<std::string> row;
        for (const auto& key : keys.columns) {
            const auto repeats = key == "matrix" && name == matrix && &result != &results.front();
            row.push_back(repeats || !identity.contains(key) ? "" : to_cell(identity[key]));
        }
        if (reason.empty()) {
            for (const auto& column : shown) {
                row.push_back(column.text(result));
            }
        } else {
            row.push_back(reason);
        }
        lines.add_row(row);
        matrix = name;
    }
    os << describe_run(document, keys.common) << "\n\n";
    if (!columns.empty()) {
        lines.print(os);
    }
    print_counts(os, document);
    os << std::flush;
}

}  // namespace spruce::bench
