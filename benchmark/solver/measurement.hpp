// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/csr.hpp>

#include "benchmark/benchmark_case.hpp"
#include "benchmark/run_options.hpp"
#include "benchmark/solver/solver_models.hpp"

namespace spruce::bench {

struct solver_options : matrix_run_options {
    std::string until{"iterations"};
    std::vector<std::string> solvers;
    std::vector<std::string> formats{"csr"};
    // Until iterations:
    size_type iterations{100};
    // Until convergence:
    double tolerance{1e-10};
    size_type max_iterations{10000};
    bool diagonal{};
};

/// Holds the matrix of a linear system in Csr and in the format that the solver multiplies with.
struct system_matrix {
    std::shared_ptr<const matrix::Csr<double, int32>> entries;
    std::string format;
    std::shared_ptr<const LinOp> a;
};

/// Sets up the measurement of one iteration. It refers to the options.
timed_operation create_iterations(const system_matrix& system, const solver_kind& kind, const solver_options& options);
/// Sets up the measurement of a solve until convergence. It refers to the options.
timed_operation create_solves(const system_matrix& system, const solver_kind& kind, const solver_options& options);

}  // namespace spruce::bench
