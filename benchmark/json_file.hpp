// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace spruce::bench {

/// Writes the file atomically: even if the program is interrupted, readers see either the old or
/// the new content.
/// @param path  "-" for standard output
/// @throws std::runtime_error  if the file cannot be written
void write_json(const std::string& path, const nlohmann::ordered_json& document);

}  // namespace spruce::bench
