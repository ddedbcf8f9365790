// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace spruce::bench {

/// What the program ends with.
enum exit_code : int { success = 0, something_failed = 1, wrong_usage = 2, interrupted = 130 };

/// What the user asked for cannot be had on this machine or does not exist: the program ends before it measures.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// @throws usage_error  naming all accepted names and the nearest, if name is not one of them
void check_name(const std::string& kind, const std::string& name, const std::vector<std::string>& accepted);

/// "a, b, c"
std::string join(const std::vector<std::string>& names);

/// What the exception says, without the place in Spruce's sources that its message begins with.
std::string message_of(const std::exception& error);

}  // namespace spruce::bench
