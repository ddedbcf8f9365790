// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "benchmark/commands.hpp"
#include "benchmark/environment.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/interrupt.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/matrix_source.hpp"
#include "benchmark/progress.hpp"
#include "benchmark/read_matrix.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/schema.hpp"
#include "benchmark/statistics/statistics.hpp"
#include "benchmark/table.hpp"
#include "benchmark/types.hpp"

namespace spruce::bench {
namespace {

using json = nlohmann::ordered_json;

struct statistics_options : matrix_run_options {
    std::string value_type{"double"};
    std::string index_type{"int32"};
};

json to_json(const std::optional<double>& value) { return value ? json(*value) : json{}; }

json to_json(const length_distribution& lengths)
{
    return {{"min", lengths.min},
            {"quartile_1", lengths.quartile_1},
            {"median", lengths.median},
            {"quartile_3", lengths.quartile_3},
            {"max", lengths.max},
            {"mean", lengths.mean},
            {"standard_deviation", lengths.standard_deviation},
            {"skewness", to_json(lengths.skewness)},
            {"kurtosis", to_json(lengths.kurtosis)},
            {"empty", lengths.num_empty}};
}

/// Returns the mean number of entries in a block, or nothing for a matrix without entries.
std::optional<double> entries_per_block(const matrix_statistics& matrix, const block_statistics& blocks)
{
    if (blocks.num_blocks == 0) {
        return std::nullopt;
    }
    return static_cast<double>(matrix.num_nonzeros) / static_cast<double>(blocks.num_blocks);
}

json to_json(const matrix_statistics& matrix)
{
    json facts{{"row_lengths", to_json(matrix.rows)},
               {"column_lengths", to_json(matrix.cols)},
               {"stored_zeros", matrix.num_zeros},
               {"lower_bandwidth", matrix.lower_bandwidth},
               {"upper_bandwidth", matrix.upper_bandwidth},
               {"profile", matrix.profile},
               {"diagonal",
                {{"length", matrix.diagonal.length},
                 {"stored", matrix.diagonal.stored},
                 {"positive", matrix.diagonal.positive},
                 {"dominant", matrix.diagonal.dominant},
                 {"strictly_dominant", matrix.diagonal.strictly_dominant}}}};
    if (matrix.symmetry) {
        facts["symmetry"] = {{"structural", matrix.symmetry->structural},
                             {"numerical", matrix.symmetry->numerical},
                             {"conjugate", matrix.symmetry->conjugate}};
    }
    for (const auto& storage : matrix.storage) {
        const auto is_integer = storage.bytes < 0x1p63;
        facts["storage_bytes"][storage.format] =
            is_integer ? json(static_cast<uint64>(storage.bytes)) : json(storage.bytes);
    }
    for (const auto& blocks : matrix.blocks) {
        facts["entries_per_block"][std::to_string(blocks.size)] = to_json(entries_per_block(matrix, blocks));
    }
    return facts;
}

std::string number_text(const std::optional<double>& value)
{
    if (!value) {
        return "-";
    }
    return *value == std::floor(*value) ? to_text(*value, 1) : to_text(*value);
}

void print_lengths(std::ostream& os, const matrix_statistics& matrix)
{
    using align = table::align;
    table lengths{{{"entries in", align::left},
                   {"min", align::right},
                   {"quartile 1", align::right},
                   {"median", align::right},
                   {"quartile 3", align::right},
                   {"max", align::right},
                   {"mean", align::right},
                   {"deviation", align::right},
                   {"skewness", align::right},
                   {"kurtosis", align::right},
                   {"empty", align::right}}};
    const auto add = [&](const std::string& name, const length_distribution& one) {
        lengths.add_row({name, std::to_string(one.min), number_text(one.quartile_1), number_text(one.median),
                         number_text(one.quartile_3), std::to_string(one.max), number_text(one.mean),
                         number_text(one.standard_deviation), number_text(one.skewness), number_text(one.kurtosis),
                         std::to_string(one.num_empty)});
    };
    add("rows", matrix.rows);
    add("columns", matrix.cols);
    lengths.print(os);
}

void print_properties(std::ostream& os, const matrix_statistics& matrix)
{
    const auto& diagonal = matrix.diagonal;
    table properties{{{"property", table::align::left}, {"", table::align::left}}};
    properties.add_row({"bandwidth", std::to_string(matrix.lower_bandwidth) + " below, " +
                                         std::to_string(matrix.upper_bandwidth) + " above the diagonal"});
    properties.add_row({"profile", std::to_string(matrix.profile)});
    properties.add_row({"stored zeros", std::to_string(matrix.num_zeros)});
    properties.add_row({"diagonal", std::to_string(diagonal.stored) + " of " + std::to_string(diagonal.length) +
                                        " stored, " + std::to_string(diagonal.positive) + " positive"});
    properties.add_row({"dominant rows", std::to_string(diagonal.dominant) +
                                             ", strictly: " + std::to_string(diagonal.strictly_dominant)});
    if (matrix.symmetry) {
        const auto percent = [](double share) { return to_text(100 * share) + " %"; };
        properties.add_row({"symmetry", percent(matrix.symmetry->structural) + " in structure, " +
                                            percent(matrix.symmetry->numerical) + " equal, " +
                                            percent(matrix.symmetry->conjugate) + " conjugate"});
    }
    for (const auto& blocks : matrix.blocks) {
        const auto size = std::to_string(blocks.size);
        properties.add_row(
            {"block of " + size + " x " + size, number_text(entries_per_block(matrix, blocks)) + " entries"});
    }
    for (const auto& storage : matrix.storage) {
        properties.add_row({"storage, " + storage.format, bytes_text(storage.bytes)});
    }
    properties.print(os);
}

/// Reads matrices and collects their statistics.
class statistics_run {
public:
    explicit statistics_run(const statistics_options& options)
        : options_{options}, document_(start_document(describe_environment(create_executor("reference", 0))))
    {
        document_["interrupted"] = false;
        document_["results"] = json::array();
    }

    /// Adds the result for one matrix; it does not throw for a faulty matrix.
    void add(matrix_source& source, progress& bar)
    {
        json result{{"case", {{"operation", "statistics"}, {"matrix", source.get_name()}}}};
        bar.set_label(source.get_name());
        try {
            this->compute(source, bar, result);
        } catch (const std::bad_alloc&) {
            this->fail(source, "out of memory", bar, result);
        } catch (const std::exception& error) {
            this->fail(source, message_of(error), bar, result);
        }
        source.close();
        document_["results"].push_back(std::move(result));
        document_["interrupted"] = was_interrupted();
        bar.advance_to(document_["results"].size());
    }

    size_type get_num_failures() const { return num_failures_; }
    const json& get_document() const { return document_; }
    std::string get_tables() const { return tables_.str(); }

private:
    void compute(matrix_source& source, progress& bar, json& result)
    {
        source.open();
        const auto value_type = value_type_of(source, options_.value_type);
        result["case"]["value_type"] = value_type;
        result["case"]["index_type"] = options_.index_type;
        const auto missing = missing_types(value_type, options_.index_type);
        if (!missing.empty()) {
            result["skipped"] = missing;
            bar.note(source.get_text() + " skipped: " + missing);
            return;
        }
        const auto matrix =
            use_matrix(source, value_type, options_.index_type, [](const auto& a) { return compute_statistics(a); });
        if (!source.get_faults().empty()) {
            bar.note(source.get_faults());
        }
        result["problem"] = {{"rows", matrix.num_rows},
                             {"columns", matrix.num_cols},
                             {"nonzeros", matrix.num_nonzeros},
                             {"longest_row", matrix.rows.max}};
        result["facts"] = to_json(matrix);
        tables_ << source.get_name() << ": " << matrix.num_rows << " x " << matrix.num_cols << ", "
                << matrix.num_nonzeros << " entries, " << value_type << '/' << options_.index_type << "\n\n";
        print_lengths(tables_, matrix);
        tables_ << '\n';
        print_properties(tables_, matrix);
        tables_ << '\n';
    }

    void fail(const matrix_source& source, const std::string& message, progress& bar, json& result)
    {
        ++num_failures_;
        result["failure"] = message;
        bar.note(source.get_text() + " failed: " + message);
    }

    const statistics_options& options_;
    json document_;
    std::ostringstream tables_;
    size_type num_failures_{};
};

/// Computes the statistics of all matrices and prints their tables after the last one.
/// @return the number of matrices that failed
size_type describe_matrices(std::vector<matrix_source>& sources, const statistics_options& options)
{
    statistics_run run{options};
    const auto save = [&] {
        if (!options.json.empty() && options.json != "-") {
            write_json(options.json, run.get_document());
        }
    };
    save();  // reports a path that cannot be written before the matrices are read
    catch_interrupts();
    {
        progress bar{sources.size()};
        for (auto& source : sources) {
            run.add(source, bar);
            save();
            if (was_interrupted()) {
                break;
            }
        }
    }
    // If JSON is written to standard output, the tables must not be mixed into it.
    (options.json == "-" ? std::cerr : std::cout) << run.get_tables();
    if (options.json == "-") {
        write_json("-", run.get_document());
    }
    return run.get_num_failures();
}

int run_statistics(const statistics_options& options)
{
    auto sources = collect_sources(options, "statistics");
    check_name("value type", options.value_type, value_type_names());
    check_name("index type", options.index_type, index_type_names());
    const auto missing = missing_types(options.value_type, options.index_type);
    if (!missing.empty()) {
        throw usage_error(missing);
    }
    const auto num_failures = describe_matrices(sources, options);
    if (was_interrupted()) {
        return exit_code::interrupted;
    }
    if (num_failures > 0) {
        std::cerr << num_failures << " of " << sources.size() << " matrices failed\n";
        return exit_code::something_failed;
    }
    return exit_code::success;
}

constexpr auto statistics_footer = R"(
Quartiles interpolate linearly between lengths. Deviation, skewness and kurtosis (3 for a normal distribution) are
those of the lengths themselves. The profile is the sum over the rows of the distance from the first entry to the
diagonal. A row is dominant if its diagonal entry is at least as large as the sum of the others' magnitudes. Symmetry
counts the positions (i, j) off the diagonal for which (j, i) has an entry, an equal one, and a conjugate one. Blocks
begin at multiples of their size. Storage counts the arrays that a product reads, in the types that are given; sellp
has slices of 64 rows and sellp-32 of 32 rows, hybrid has the strategy automatic, and fbcsr-B needs sizes that B
divides.

Examples:
  spruce-bench statistics benchmark/matrices/*.mtx.gz --json statistics.json
  spruce-bench statistics --gen rmat:16,16 --gen poisson3d-7pt:64 --value-type float
)";

}  // namespace

void add_statistics(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<statistics_options>();
    const auto command = program.add_subcommand(
        "statistics", "describe matrices: lengths of rows, bandwidth, diagonal, symmetry, storage in each format");
    add_matrix_options(*command, *options);
    command->add_option("--value-type", options->value_type, "float, double, cfloat or cdouble")->capture_default_str();
    command->add_option("--index-type", options->index_type, "int32 or int64")->capture_default_str();
    command->add_option("--json", options->json, "write results as JSON to this file (- for standard output)");
    command->footer(statistics_footer);
    command->callback([options, &exit_code] { exit_code = run_statistics(*options); });
}

}  // namespace spruce::bench
