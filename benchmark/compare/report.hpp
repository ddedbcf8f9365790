// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "benchmark/compare/comparison.hpp"
#include "benchmark/compare/document.hpp"

namespace spruce::bench {

struct compare_options {
    std::string first;
    std::string second;
    std::string threshold{"2%"};
    double significance{0.05};
    std::vector<std::string> selections;
    std::vector<std::string> ignored;
    size_type worst{20};
    std::string json;
};

/// Holds what a comparison shows.
struct compare_report {
    compare_options options;
    decision_limits limits;
    stored_document first;
    stored_document second;
    comparison result;
};

/// Prints facts in which the documents differ, the decision for each case, statistics of the
/// ratios, and the cases that could not be compared.
void print_report(std::ostream& os, const compare_report& report);

/// Adds the comparison to a document, which start_document() has created.
void add_comparison(nlohmann::ordered_json& document, const compare_report& report);

}  // namespace spruce::bench
