// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/errors.hpp"

#include <algorithm>

#include "benchmark/generators/edit_distance.hpp"

namespace spruce::bench {

std::string join(const std::vector<std::string>& names)
{
    std::string result;
    for (const auto& name : names) {
        result += (result.empty() ? "" : ", ") + name;
    }
    return result;
}

void check_name(const std::string& kind, const std::string& name, const std::vector<std::string>& accepted)
{
    if (std::find(accepted.begin(), accepted.end(), name) != accepted.end()) {
        return;
    }
    const auto nearest = std::min_element(accepted.begin(), accepted.end(), [&](const auto& a, const auto& b) {
        return edit_distance(name, a) < edit_distance(name, b);
    });
    const auto is_near = edit_distance(name, *nearest) < name.size();  // at least one letter agrees
    throw usage_error("unknown " + kind + " '" + name + "'" + (is_near ? ": did you mean '" + *nearest + "'?" : ".") +
                      " Accepted are " + join(accepted));
}

std::string message_of(const std::exception& error)
{
    const std::string message = error.what();
    const auto end = message.find(": ");
    const auto source = message.substr(0, end);
    const auto is_source = source.find(".cpp:") != std::string::npos || source.find(".hpp:") != std::string::npos ||
                           source.find(".cu:") != std::string::npos;
    return end != std::string::npos && is_source ? message.substr(end + 2) : message;
}

}  // namespace spruce::bench
