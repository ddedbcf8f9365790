// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "benchmark/benchmark_run.hpp"

namespace spruce::bench {

struct spmv_options : matrix_run_options {
    std::vector<std::string> formats;
    std::string value_type{"double"};
    std::string index_type{"int32"};
    size_type num_rhs{1};
};

/// Measures all formats with one matrix, compares their results to those of the reference, and
/// marks the fastest one that is correct.
/// @param identity  the case without the format
template <typename ValueType, typename IndexType>
void measure_formats(benchmark_run& run, matrix_source& source, const std::vector<std::string>& formats,
                     const nlohmann::ordered_json& identity);

}  // namespace spruce::bench
