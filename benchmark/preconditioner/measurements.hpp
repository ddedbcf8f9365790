// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "benchmark/benchmark_run.hpp"

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

/// Holds what the cases of a matrix have in common. The cases refer to it.
struct preconditioned_matrix {
    preconditioned_matrix(benchmark_run& run, matrix_source& source, const preconditioner_options& given)
        : exec{run.get_executor()}, name{source.get_name()}, options{given}, input{run, source, true}
    {}

    /// Returns the identity of a case.
    nlohmann::ordered_json identity(const std::string& preconditioner, const std::string& phase,
                                    const std::string& library = "spruce") const;
    /// Returns true if the matrix is equal to its transpose.
    bool is_symmetric();

    std::shared_ptr<Executor> exec;
    std::string name;
    const preconditioner_options& options;
    matrix_input<double, int32> input;
    std::optional<bool> symmetry;
};

/// Returns the entries of a matrix on a host executor for which keep(row, col) is true, and the
/// diagonal, with sorted rows. Where its diagonal entry is missing or zero, a row gets one that
/// exceeds the sum of its other entries.
std::unique_ptr<csr_matrix> with_diagonal(const csr_matrix& a, const std::function<bool(int32, int32)>& keep);

/// Returns the norm of b - a x divided by that of b.
double relative_residual(const csr_matrix& a, const vector& x, const vector& b);

/// Returns solves with the lower and the upper triangle of a matrix.
std::vector<benchmark_case> triangle_cases(preconditioned_matrix& given);

/// Names the factors by elimination, by 3, and by 5 sweeps.
constexpr const char* ilu_factors_names[] = {"ilu-factors", "ilu-factors-by-3-sweeps", "ilu-factors-by-5-sweeps"};

/// Returns the computation of the factors of ILU(0), without solves.
std::vector<benchmark_case> factor_cases(preconditioned_matrix& given);

/// Returns the generation and the application of preconditioners, and solves with them: by Cg if
/// the matrix is symmetric, otherwise by Bicgstab.
std::vector<benchmark_case> preconditioner_cases(preconditioned_matrix& given);

}  // namespace spruce::bench
