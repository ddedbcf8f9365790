// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "benchmark/environment.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/sampler.hpp"

namespace spruce::bench {

/// Holds the results of a run in the form that doc/benchmark_schema.md describes, and writes them
/// to the file of --json.
class result_document {
public:
    using json = nlohmann::ordered_json;

    /// Begins a document. With --resume, the results of the file are kept until they are taken.
    /// @param values  the options on which results depend
    /// @throws usage_error  if the file has results of another command, commit, device or option
    result_document(const environment& where, const run_options& options, const json& values);

    const json& get() const { return document_; }
    json& get_results() { return document_["results"]; }
    void set_copy(const json& copy) { document_["copy"] = copy; }
    /// Returns the bandwidth of copies in bytes per second, or zero if it was not measured.
    double get_copy_bytes_per_second() const;
    void set_interrupted(bool value) { document_["interrupted"] = value; }

    /// Returns true if the resumed file has a complete result of the case.
    bool has(const json& identity) const { return previous_.count(identity.dump()) > 0; }
    /// Appends the result of the case that the resumed file has.
    void take(const json& identity);
    void add(const json& result) { this->get_results().push_back(result); }

    /// Replaces the file atomically. It also gets the results of the resumed file that were not
    /// taken yet.
    /// @throws std::runtime_error  if the file cannot be written; the earlier one is not changed
    void save() const;
    /// Writes the document to standard output, if that is where --json wants it.
    void print() const;

private:
    void resume(const std::string& path);

    json document_;
    std::string path_;
    std::map<std::string, json> previous_;  ///< by the text of the case
};

/// Adds the times of an operation, and what follows from them, to a result.
void add_samples(nlohmann::ordered_json& result, const sampled_operation& operation, double copy_bytes_per_second);

}  // namespace spruce::bench
