// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/result_document.hpp"

#include <algorithm>
#include <fstream>

#include "benchmark/errors.hpp"
#include "benchmark/json_file.hpp"
#include "benchmark/schema.hpp"

namespace spruce::bench {
namespace {

/// Returns true if nothing of the case needs to be measured any more.
bool is_complete(const nlohmann::ordered_json& result)
{
    const auto facts = result.find("facts");
    return !result.contains("failure") && (facts == result.end() || !facts->contains("interrupted"));
}

/// Checks that an old run and a new one have the same value.
/// @throws usage_error  if they differ
void require_equal(const std::string& path, const std::string& key, const nlohmann::ordered_json& old,
                   const nlohmann::ordered_json& now)
{
    const auto found = old.find(key);
    if (found == old.end() || *found != now.at(key)) {
        throw usage_error(path + " cannot be resumed: its " + key + " is " +
                          (found == old.end() ? "missing" : found->dump()) + ", but this run has " +
                          now.at(key).dump());
    }
}

nlohmann::ordered_json read_document(const std::string& path)
{
    std::ifstream file(path);
    if (!file) {
        return nullptr;
    }
    try {
        return nlohmann::ordered_json::parse(file);
    } catch (const std::exception& error) {
        throw usage_error(path + " cannot be resumed: it is not JSON (" + error.what() + ")");
    }
}

}  // namespace

result_document::result_document(const environment& where, const run_options& options, const json& values)
    : document_(start_document(where)), path_{options.json}
{
    document_.update({{"warmup", options.warmup},
                      {"repetitions", options.repetitions},
                      {"cold_cache", options.cold_cache},
                      {"options", values},
                      {"interrupted", false}});
    if (options.until_relative > 0) {
        document_["until_relative"] = options.until_relative;
    }
    document_["results"] = json::array();
    if (options.resume) {
        this->resume(path_);
    }
}

void result_document::resume(const std::string& path)
{
    auto old = read_document(path);
    if (old.is_null()) {
        return;
    }
    for (const auto key : {"schema", "command", "commit", "executor", "device"}) {
        require_equal(path, key, old, document_);
    }
    for (const auto& option : document_["options"].items()) {
        require_equal(path, option.key(), old["options"], document_["options"]);
    }
    if (old.contains("copy")) {
        document_["copy"] = old["copy"];
    }
    for (const auto& result : old["results"]) {
        if (is_complete(result)) {
            previous_[result["case"].dump()] = result;
        }
    }
}

double result_document::get_copy_bytes_per_second() const
{
    const auto copy = document_.find("copy");
    return copy == document_.end() ? 0.0 : 1e9 * copy->at("gigabytes_per_second").get<double>();
}

void result_document::take(const json& identity)
{
    const auto found = previous_.find(identity.dump());
    this->add(found->second);
    previous_.erase(found);
}

void result_document::save() const
{
    if (path_.empty() || path_ == "-") {
        return;
    }
    auto written = document_;
    for (const auto& [identity, result] : previous_) {
        written["results"].push_back(result);
    }
    write_json(path_, written);
}

void result_document::print() const
{
    if (path_ == "-") {
        write_json(path_, document_);
    }
}

void add_samples(nlohmann::ordered_json& result, const sampled_operation& operation, double copy_bytes_per_second)
{
    const auto& [op, samples, checked, elapsed, is_finished] = operation;
    const auto seconds = median(samples.seconds);
    result["seconds"] = samples.seconds;
    result["calls"] = samples.calls;
    result["seconds_median"] = seconds;
    result["seconds_min"] = *std::min_element(samples.seconds.begin(), samples.seconds.end());
    result["seconds_max"] = *std::max_element(samples.seconds.begin(), samples.seconds.end());
    if (const auto interval = median_interval(samples.seconds)) {
        result["seconds_interval"] = {interval->first, interval->second};
    }
    if (op.bytes > 0) {
        result["bytes"] = static_cast<size_type>(op.bytes);
        result["gigabytes_per_second"] = 1e-9 * op.bytes / seconds;
        if (copy_bytes_per_second > 0) {
            result["fraction_of_copy"] = op.bytes / seconds / copy_bytes_per_second;
        }
    }
    if (op.flops > 0) {
        result["flops"] = static_cast<size_type>(op.flops);
        result["gflops"] = 1e-9 * op.flops / seconds;
    }
    result["launches"] = samples.launches;
    result["host_waits"] = samples.host_waits;
    if (checked) {
        result["error"] = checked->error;
        result["error_bound"] = checked->bound;
        result["correct"] = checked->is_correct();
    }
    if (!is_finished) {
        result["facts"]["interrupted"] = true;
    }
}

}  // namespace spruce::bench
