// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>

#include <nlohmann/json_fwd.hpp>

#include "benchmark/spmv/result.hpp"

namespace spruce::bench {

/// A table for people, and what stands out.
void print_report(std::ostream& os, const spmv_result& result);

/// The same facts and the times of all repetitions, for programs. Times in seconds, sizes in bytes.
nlohmann::ordered_json to_json(const spmv_result& result);

}  // namespace spruce::bench
