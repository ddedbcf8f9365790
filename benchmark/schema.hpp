// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "benchmark/environment.hpp"

namespace spruce::bench {

/// Version of the form of the JSON documents that the commands write.
constexpr int json_schema = 2;

/// Returns a document of the current schema with facts about the run.
nlohmann::ordered_json start_document(const environment& where);

}  // namespace spruce::bench
