// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/compare/document.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <zlib.h>

#include "benchmark/errors.hpp"
#include "benchmark/schema.hpp"

namespace spruce::bench {
namespace {

using json = nlohmann::ordered_json;

[[noreturn]] void reject(const std::string& path, const std::string& fault)
{
    throw std::runtime_error(path + ": " + fault);
}

std::string read_text(const std::string& path)
{
    errno = 0;
    const std::unique_ptr<std::remove_pointer_t<gzFile>, int (*)(gzFile)> file{gzopen(path.c_str(), "rb"), gzclose};
    if (!file) {
        reject(path, std::string{"cannot be opened: "} + std::strerror(errno));
    }
    std::string text;
    std::vector<char> buffer(size_t{1} << 16);
    int length{};
    while ((length = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(length));
    }
    int error{};
    const std::string message = gzerror(file.get(), &error);
    // A truncated gzip file is reported as Z_BUF_ERROR after its last bytes.
    if (length < 0 || error != Z_OK) {
        reject(path, "cannot be read: " + (error == Z_ERRNO ? std::string{std::strerror(errno)} : message));
    }
    return text;
}

json parse_text(const std::string& path, const std::string& text)
{
    try {
        return json::parse(text);
    } catch (const json::exception& error) {
        // The message begins with the name of the exception in brackets.
        const std::string message = error.what();
        const auto end = message.find("] ");
        reject(path, "no valid JSON: " + (end == std::string::npos ? message : message.substr(end + 2)));
    }
}

void check_head(const std::string& path, const json& document)
{
    if (!document.is_object() || document.value("program", json{}) != "spruce-bench") {
        reject(path, "not a document of spruce-bench");
    }
    const auto schema = document.value("schema", json{});
    if (schema != json_schema) {
        reject(path, "schema " + std::to_string(json_schema) + " is needed, but the document has " +
                         (schema.is_null() ? "none: an older spruce-bench wrote it, so measure again"
                                           : "schema " + schema.dump()));
    }
    if (!document.value("command", json{}).is_string()) {
        reject(path, "\"command\" is missing");
    }
    if (!document.value("results", json{}).is_array()) {
        reject(path, "the list \"results\" is missing");
    }
}

std::string string_of(const json& result, const std::string& key)
{
    const auto found = result.find(key);
    return found == result.end() ? std::string{} : text_of(*found);
}

/// Reads one result.
/// @param place  name of the file and of the result in it, for messages
measured_result to_result(const std::string& place, const json& result)
{
    const auto key = result.is_object() ? result.value("case", json{}) : json{};
    if (!key.is_object() || !key.value("operation", json{}).is_string()) {
        reject(place, "\"case\" is missing, or has no \"operation\"");
    }
    measured_result measured;
    measured.identity = key;
    measured.problem = result.value("problem", json{});
    measured.value_type = string_of(key, "value_type");
    const auto samples = result.value("seconds", json::array());
    if (!samples.is_array() ||
        !std::all_of(samples.begin(), samples.end(), [](const json& sample) { return sample.is_number(); })) {
        reject(place, "\"seconds\" is no list of numbers");
    }
    const auto failure = string_of(result, "failure");
    const auto skipped = string_of(result, "skipped");
    const auto is_wrong = result.value("correct", json{}) == false;
    measured.has_failed = !failure.empty() || is_wrong;
    if (!failure.empty()) {
        measured.reason = failure;
    } else if (!skipped.empty()) {
        measured.reason = "skipped: " + skipped;
    } else if (is_wrong) {
        measured.reason = "the result is wrong";
    } else if (samples.empty()) {
        measured.reason = "no samples";
    } else {
        measured.seconds = samples.get<std::vector<double>>();
    }
    return measured;
}

std::set<std::string> keys_of(const stored_document& document)
{
    std::set<std::string> keys;
    for (const auto& result : document.results) {
        for (const auto& item : result.identity.items()) {
            keys.insert(item.key());
        }
    }
    return keys;
}

void check_key(const std::string& key, const std::vector<const stored_document*>& documents)
{
    std::set<std::string> known;
    for (const auto document : documents) {
        known.merge(keys_of(*document));
    }
    if (!known.empty()) {
        check_name("key of a case", key, {known.begin(), known.end()});
    }
}

void select(stored_document& document, const selection& wanted)
{
    check_key(wanted.key, {&document});
    auto& results = document.results;
    const auto is_other = [&](const measured_result& result) {
        return string_of(result.identity, wanted.key) != wanted.value;
    };
    results.erase(std::remove_if(results.begin(), results.end(), is_other), results.end());
    if (results.empty()) {
        throw usage_error(document.path + " has no result with " + wanted.key + "=" + wanted.value);
    }
}

void ignore_keys(stored_document& document, const std::set<std::string>& ignored)
{
    std::set<std::string> seen;
    for (auto& result : document.results) {
        for (const auto& key : ignored) {
            result.identity.erase(key);
        }
        if (!seen.insert(identify(result.identity)).second) {
            throw usage_error(document.path + " has several results of the case " + result.identity.dump() +
                              " (--select KEY=VALUE chooses one of them)");
        }
    }
}

}  // namespace

std::string text_of(const nlohmann::ordered_json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string identify(const nlohmann::ordered_json& identity) { return nlohmann::json(identity).dump(); }

stored_document read_document(const std::string& path)
{
    stored_document document{path, parse_text(path, read_text(path)), {}};
    check_head(path, document.head);
    const auto results = std::move(document.head["results"]);
    document.head.erase("results");
    for (const auto& result : results) {
        const auto number = std::to_string(document.results.size());
        document.results.push_back(to_result(path + ", results[" + number + "]", result));
    }
    return document;
}

selection parse_selection(const std::string& text)
{
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw usage_error("--select needs KEY=VALUE, A.KEY=VALUE or B.KEY=VALUE, but got '" + text + "'");
    }
    const auto key = text.substr(0, equals);
    const auto document = key.size() > 2 && key[1] == '.' ? key[0] : ' ';
    const auto is_prefixed = document == 'A' || document == 'B';
    return {document != 'B', document != 'A', is_prefixed ? key.substr(2) : key, text.substr(equals + 1)};
}

void prepare_documents(stored_document& first, stored_document& second, const std::vector<selection>& selections,
                       const std::vector<std::string>& ignored)
{
    std::set<std::string> all_ignored;
    for (const auto& key : ignored) {
        check_key(key, {&first, &second});
        all_ignored.insert(key);
    }
    for (const auto& wanted : selections) {
        if (wanted.from_first) {
            select(first, wanted);
        }
        if (wanted.from_second) {
            select(second, wanted);
        }
        if (!wanted.from_first || !wanted.from_second) {
            all_ignored.insert(wanted.key);
        }
    }
    ignore_keys(first, all_ignored);
    ignore_keys(second, all_ignored);
}

}  // namespace spruce::bench
