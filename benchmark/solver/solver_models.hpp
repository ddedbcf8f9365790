// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <spruce/base/lin_op.hpp>
#include <spruce/solver/solver_base.hpp>
#include <spruce/stop/criterion.hpp>

namespace spruce::bench {

/// Holds a solver, and a pointer to its interface of iterative solvers.
struct generated_solver {
    std::unique_ptr<LinOp> op;
    const solver::IterativeBase* iteration;
};

/// Holds the amount of data that an iteration without preconditioner reads and writes.
struct iteration_traffic {
    double products;  ///< number of products with the matrix
    double vectors;   ///< number of vectors, including those in the products
};

struct iteration_model {
    iteration_traffic least;  ///< traffic that the method needs
    iteration_traffic moved;  ///< traffic of the kernels
};

/// Identifies the iterations begin, ..., end - 1 of a solve.
struct measured_iterations {
    size_type begin;
    size_type end;
    bool has_dots;  ///< products with the matrix compute inner products in one pass
};

struct solver_kind {
    /// Computes the mean traffic of these iterations.
    std::function<iteration_model(const measured_iterations&)> model;
    /// Generates the solver. The preconditioner may be null.
    std::function<generated_solver(std::shared_ptr<const LinOp> matrix, std::shared_ptr<const stop::CriterionFactory>,
                                   std::shared_ptr<const LinOp> preconditioner)>
        generate;
};

/// Returns the iterative solvers in double precision by name.
const std::map<std::string, solver_kind>& solver_kinds();

}  // namespace spruce::bench
