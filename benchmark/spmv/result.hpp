// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include <spruce/base/types.hpp>

#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/environment.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {

struct spmv_options {
    std::string executor{"omp"};
    int device{};
    std::vector<std::string> formats;
    std::string value_type{"double"};
    std::string index_type{"int32"};
    size_type num_rhs{1};
    int warmup{2};
    int repetitions{10};
    std::vector<std::string> families;
    std::vector<std::string> files;
    std::string json_path;  ///< empty: no file is written
};

/// Holds the results of one format with one matrix.
struct format_result {
    std::string format;
    std::string detail;   ///< parameters or algorithm that the format chose for this matrix
    std::string failure;  ///< reason why the measurement failed; empty otherwise
    int64 products_per_repetition{};
    std::vector<double> seconds;  ///< time of one product, for each repetition
    size_type storage_bytes{};
    double flops{};        ///< of one product
    double moved_bytes{};  ///< minimum that one product must read and write
    double error{};        ///< max |x - x_ref| / sum |a| |b|, each for one element of x
    double error_bound{};  ///< bound of rounding errors
    double imbalance{};    ///< largest work of a thread / mean work of the threads; 0 if unknown

    double median_seconds() const { return median(seconds); }
    /// Returns true if the error is within its bound. The result is false for NaN, too.
    bool is_correct() const { return error <= error_bound; }
    bool was_measured() const { return failure.empty() && !seconds.empty(); }
};

struct matrix_result {
    std::string name;
    std::string source;      ///< the path, or FAMILY:PARAMETERS
    std::string value_type;  ///< complex matrices use the complex type of the requested precision
    std::string failure;     ///< reason why no format was measured; empty otherwise
    std::string skipped;     ///< reason why the matrix was skipped without an error; empty otherwise
    size_type num_rows{};
    size_type num_cols{};
    size_type num_nonzeros{};
    size_type longest_row{};
    std::vector<format_result> formats;

    /// Returns the fastest format with correct results, or null if there is none.
    const format_result* winner() const;
};

struct spmv_result {
    environment where;
    spmv_options options;
    copy_bandwidth copy;
    bool was_interrupted{};
    std::vector<matrix_result> matrices;
};

}  // namespace spruce::bench
