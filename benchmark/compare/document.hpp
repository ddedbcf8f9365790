// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace spruce::bench {

/// Holds one result of a document.
struct measured_result {
    nlohmann::ordered_json identity;  ///< "case" without the keys that the comparison ignores
    nlohmann::ordered_json problem;   ///< facts about the matrix; null if there are none
    std::string value_type;           ///< of "case", also if the comparison ignores it; may be empty
    std::vector<double> seconds;      ///< samples; empty if the case was not measured
    std::string reason;               ///< explains why the case was not measured, or is empty
    bool has_failed{};                ///< true if the case was tried and failed, or its result is wrong
};

/// Holds a JSON document that a command of spruce-bench has written.
struct stored_document {
    std::string path;
    nlohmann::ordered_json head;  ///< all but the results
    std::vector<measured_result> results;
};

/// Reads a document of the current schema, also compressed by gzip.
/// @throws std::runtime_error  if the file cannot be read, or is no such document
stored_document read_document(const std::string& path);

/// Selects the results of a document in which a key of "case" has a value.
struct selection {
    bool from_first{};
    bool from_second{};
    std::string key;
    std::string value;
};

/// Parses "KEY=VALUE", which selects from both documents, or "A.KEY=VALUE" or "B.KEY=VALUE".
/// @throws usage_error  for other texts
selection parse_selection(const std::string& text);

/// Removes all results but the selected ones from the documents, and then ignored keys from their
/// cases. A key that is selected from one document only is ignored, too.
/// @throws usage_error  if no case has a key, or if two results of a document have equal cases
void prepare_documents(stored_document& first, stored_document& second, const std::vector<selection>& selections,
                       const std::vector<std::string>& ignored);

/// Returns the text of a JSON value, which is a string without its quotes.
std::string text_of(const nlohmann::ordered_json& value);

/// Returns a text that is equal for equal cases, whatever the order of their keys.
std::string identify(const nlohmann::ordered_json& identity);

}  // namespace spruce::bench
