// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/spmv/report.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "benchmark/json_file.hpp"
#include "benchmark/table.hpp"

namespace spruce::bench {
namespace {

std::string error_text(const format_result& result)
{
    return scientific_text(result.error) + (result.is_correct() ? "" : " WRONG");
}

double bandwidth(const format_result& result) { return result.moved_bytes / result.median_seconds(); }

std::vector<std::string> to_cells(const format_result& result, const copy_bandwidth& copy, bool is_winner)
{
    const auto seconds = result.median_seconds();
    const auto percent = copy.bytes_per_second > 0 ? 100 * bandwidth(result) / copy.bytes_per_second : 0;
    // The name of a format that chose an algorithm by itself includes the algorithm.
    const auto chose = !result.detail.empty() && result.format == "csr" && result.detail != "classical";
    return {result.format + (chose ? " (" + result.detail + ")" : ""),
            time_text(seconds),
            time_text(*std::min_element(result.seconds.begin(), result.seconds.end())),
            to_text(1e-9 * result.flops / seconds),
            to_text(1e-9 * bandwidth(result)),
            percent > 0 ? to_text(percent, 3) + " %" : "-",
            bytes_text(static_cast<double>(result.storage_bytes)),
            error_text(result),
            is_winner ? "<- best" : ""};
}

nlohmann::ordered_json to_json(const format_result& result, const copy_bandwidth& copy, bool is_winner)
{
    nlohmann::ordered_json json{{"format", result.format}};
    if (!result.failure.empty()) {
        json["failure"] = result.failure;
        return json;
    }
    if (!result.detail.empty()) {
        json["strategy"] = result.detail;
    }
    json["storage_bytes"] = result.storage_bytes;
    json["moved_bytes"] = static_cast<size_type>(result.moved_bytes);
    json["flops"] = static_cast<size_type>(result.flops);
    json["error"] = result.error;
    json["error_bound"] = result.error_bound;
    json["correct"] = result.is_correct();
    if (result.imbalance > 0) {
        json["imbalance"] = result.imbalance;
    }
    json["products_per_repetition"] = result.products_per_repetition;
    json["seconds"] = result.seconds;
    if (result.was_measured()) {
        const auto seconds = result.median_seconds();
        json["seconds_median"] = seconds;
        json["seconds_min"] = *std::min_element(result.seconds.begin(), result.seconds.end());
        json["gflops"] = 1e-9 * result.flops / seconds;
        json["gigabytes_per_second"] = 1e-9 * bandwidth(result);
        json["fraction_of_copy"] = copy.bytes_per_second > 0 ? bandwidth(result) / copy.bytes_per_second : 0;
    }
    json["winner"] = is_winner;
    return json;
}

nlohmann::ordered_json to_json(const matrix_result& result, const copy_bandwidth& copy)
{
    nlohmann::ordered_json json{{"name", result.name}, {"source", result.source}};
    if (!result.failure.empty()) {
        json["failure"] = result.failure;
    }
    if (!result.skipped.empty()) {
        json["skipped"] = result.skipped;
    }
    if (result.num_rows > 0 || result.failure.empty()) {
        json["value_type"] = result.value_type;
        json["rows"] = result.num_rows;
        json["columns"] = result.num_cols;
        json["nonzeros"] = result.num_nonzeros;
        json["longest_row"] = result.longest_row;
    }
    json["formats"] = nlohmann::ordered_json::array();
    for (const auto& format : result.formats) {
        json["formats"].push_back(to_json(format, copy, &format == result.winner()));
    }
    return json;
}

}  // namespace

const format_result* matrix_result::winner() const
{
    const format_result* best = nullptr;
    for (const auto& format : formats) {
        if (format.was_measured() && format.is_correct() &&
            (!best || format.median_seconds() < best->median_seconds())) {
            best = &format;
        }
    }
    return best;
}

void print_report(std::ostream& os, const spmv_result& result)
{
    const auto& options = result.options;
    os << "Spruce " << result.where.version << ", " << result.where.device << ", " << result.where.processor << '\n'
       << options.value_type << '/' << options.index_type << ", " << options.num_rhs
       << (options.num_rhs == 1 ? " right-hand side" : " right-hand sides") << ", median of " << options.repetitions
       << " repetitions";
    if (result.copy.bytes_per_second > 0) {
        os << ", copy " << to_text(1e-9 * result.copy.bytes_per_second) << " GB/s (" << result.copy.method << ", 2 x "
           << bytes_text(static_cast<double>(result.copy.array_bytes)) << ')';
    }
    os << "\n\n";

    using side = table::align;
    table lines({{"matrix", side::left},
                 {"rows", side::right},
                 {"nonzeros", side::right},
                 {"format", side::left},
                 {"time", side::right},
                 {"min", side::right},
                 {"GFLOP/s", side::right},
                 {"GB/s", side::right},
                 {"of copy", side::right},
                 {"storage", side::right},
                 {"error", side::left},
                 {"", side::left}});
    for (const auto& matrix : result.matrices) {
        if (&matrix != &result.matrices.front()) {
            lines.add_rule();
        }
        const auto is_promoted = !matrix.value_type.empty() && matrix.value_type != options.value_type;
        std::vector<std::string> head{matrix.name + (is_promoted ? " [" + matrix.value_type + "]" : ""),
                                      std::to_string(matrix.num_rows), std::to_string(matrix.num_nonzeros)};
        if (!matrix.failure.empty()) {
            lines.add_row({matrix.name, "failed: " + matrix.failure});
            continue;
        }
        if (!matrix.skipped.empty()) {
            lines.add_row({matrix.name, "skipped: " + matrix.skipped});
            continue;
        }
        for (const auto& format : matrix.formats) {
            auto row = head;
            if (format.was_measured()) {
                const auto cells = to_cells(format, result.copy, &format == matrix.winner());
                row.insert(row.end(), cells.begin(), cells.end());
            } else {
                row.push_back(format.format);
                row.push_back(format.failure.empty() ? "interrupted" : format.failure);
            }
            lines.add_row(row);
            head = {"", "", ""};
        }
    }
    lines.print(os);
    for (const auto& matrix : result.matrices) {
        for (const auto& format : matrix.formats) {
            constexpr double tolerated = 1.2;
            if (format.imbalance > tolerated) {
                os << '\n'
                   << matrix.name << ", " << format.format << ": one thread has " << to_text(format.imbalance, 3)
                   << " times the mean work\n";
            }
        }
    }
    if (result.was_interrupted) {
        os << "\ninterrupted: only what was done until then\n";
    }
    os << std::flush;
}

nlohmann::ordered_json to_json(const spmv_result& result)
{
    const auto& options = result.options;
    auto json = to_json(result.where);
    json.update({{"value_type", options.value_type},
                 {"index_type", options.index_type},
                 {"nrhs", options.num_rhs},
                 {"warmup", options.warmup},
                 {"repetitions", options.repetitions},
                 {"copy",
                  {{"gigabytes_per_second", 1e-9 * result.copy.bytes_per_second},
                   {"array_bytes", result.copy.array_bytes},
                   {"method", result.copy.method}}},
                 {"interrupted", result.was_interrupted},
                 {"matrices", nlohmann::ordered_json::array()}});
    for (const auto& matrix : result.matrices) {
        json["matrices"].push_back(to_json(matrix, result.copy));
    }
    return json;
}

}  // namespace spruce::bench
