// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace spruce::bench {

/// Lists the exit codes of the program.
enum exit_code : int { success = 0, something_failed = 1, wrong_usage = 2, interrupted = 130 };

/// Reports a request that is invalid or not supported on this machine. The program ends before it
/// measures.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Checks that the name is accepted.
/// @throws usage_error  with all accepted names and the nearest one, if name is not one of them
void check_name(const std::string& kind, const std::string& name, const std::vector<std::string>& accepted);

/// Returns the names separated by commas, such as "a, b, c".
std::string join(const std::vector<std::string>& names);

/// Returns the message of the exception without the position in Spruce's sources at its beginning.
std::string message_of(const std::exception& error);

}  // namespace spruce::bench
