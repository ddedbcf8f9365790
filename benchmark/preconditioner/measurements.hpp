// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "benchmark/copy_bandwidth.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/table.hpp"

namespace spruce::bench {

using csr_matrix = matrix::Csr<double, int32>;
using vector = matrix::Dense<double>;

struct preconditioner_options : matrix_run_options {
    std::vector<std::string> operators;  ///< all if it is empty
    double tolerance{1e-8};
    int64 max_iterations{5000};

    bool contain(const std::string& name) const;
};

/// Returns the names of all operators, in the order of the measurements.
std::vector<std::string> operator_names();

/// Collects the results of one kind of measurement.
struct preconditioner_report {
    table rows;
    nlohmann::ordered_json& results;
};

/// Returns a report without rows, with the columns of measure_triangles().
preconditioner_report report_of_triangles(nlohmann::ordered_json& results);
/// Measures solves with the lower and the upper triangle of a matrix.
/// @param host  the matrix on a host executor
void measure_triangles(const std::string& name, const csr_matrix& host, const std::shared_ptr<const Executor>& exec,
                       const preconditioner_options& options, const copy_bandwidth& copy,
                       preconditioner_report& report);

/// Returns a report without rows, with the columns of measure_preconditioners().
preconditioner_report report_of_preconditioners(nlohmann::ordered_json& results);
/// Measures the generation and the application of preconditioners, and solves with them: by Cg if
/// the matrix is symmetric, otherwise by Bicgstab.
void measure_preconditioners(const std::string& name, const std::shared_ptr<const csr_matrix>& a,
                             const preconditioner_options& options, const copy_bandwidth& copy,
                             preconditioner_report& report);

}  // namespace spruce::bench
