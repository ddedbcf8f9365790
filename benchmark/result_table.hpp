// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace spruce::bench {

/// Describes a column of a table of results that only some subcommands have.
struct fact_column {
    std::string title;
    /// Returns the text of a result, which may be empty.
    std::function<std::string(const nlohmann::ordered_json& result)> text;
};

/// Returns a column with a number of "facts".
/// @param to_text  writes the number with its unit
fact_column number_column(const std::string& title, const std::string& fact, std::string (*to_text)(double));
/// Returns a column with a text of "facts".
fact_column text_column(const std::string& title, const std::string& fact);

/// Prints the results of a document as a table, and how many cases failed, were skipped, or have
/// wrong results. What all cases have in common stands above the table.
/// @param max_rows  prints only the first results; failures are printed, too
void print_results(std::ostream& os, const nlohmann::ordered_json& document, const std::vector<fact_column>& facts,
                   std::size_t max_rows);

}  // namespace spruce::bench
