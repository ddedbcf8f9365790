// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>

#include <nlohmann/json_fwd.hpp>

#include "benchmark/spmv/result.hpp"

namespace spruce::bench {

/// Prints a table for readers, and remarkable results.
void print_report(std::ostream& os, const spmv_result& result);

/// Returns the results for programs, including the times of all repetitions. Times are in seconds
/// and sizes in bytes.
nlohmann::ordered_json to_json(const spmv_result& result);

}  // namespace spruce::bench
