// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "benchmark/environment.hpp"

namespace spruce::bench {

/// Returns the facts about a run with which each file begins. They contain the arguments and the
/// commit that reproduce it.
nlohmann::ordered_json to_json(const environment& where);

/// Writes the file atomically: even if the program is interrupted, readers see either the old or
/// the new content.
/// @param path  "-" for standard output
/// @throws std::runtime_error  if the file cannot be written
void write_json(const std::string& path, const nlohmann::ordered_json& document);

}  // namespace spruce::bench
