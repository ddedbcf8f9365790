// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/json_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include <unistd.h>
#include <nlohmann/json.hpp>

namespace spruce::bench {

nlohmann::ordered_json to_json(const environment& where)
{
    nlohmann::ordered_json document{
        {"program", "spruce-bench"},    {"command", where.arguments.empty() ? "" : where.arguments.front()},
        {"arguments", where.arguments}, {"version", where.version},
        {"commit", where.commit},       {"date", where.date},
        {"compiler", where.compiler},   {"executor", where.executor},
        {"device", where.device},       {"processor", where.processor},
        {"threads", where.num_threads}};
    if (!where.device_state.empty()) {
        document["device_state"] = where.device_state;
    }
    return document;
}

void write_json(const std::string& path, const nlohmann::ordered_json& document)
{
    constexpr int indent = 1;
    // Texts come from files and drivers: bytes that are not UTF-8 are replaced instead of rejected.
    const auto text = document.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    if (path == "-") {
        std::cout << text << std::endl;
        return;
    }
    // A file that is not regular (a pipe, /dev/null) must not be replaced by a regular one.
    const auto in_place = std::filesystem::exists(path) && !std::filesystem::is_regular_file(path);
    const auto target = in_place ? path : path + ".tmp" + std::to_string(getpid());
    std::ofstream file(target);
    file << text << '\n';
    file.close();
    if (!file || (!in_place && std::rename(target.c_str(), path.c_str()) != 0)) {
        const std::string reason = std::strerror(errno);
        if (!in_place) {
            std::remove(target.c_str());
        }
        throw std::runtime_error(path + " cannot be written: " + reason);
    }
}

}  // namespace spruce::bench
