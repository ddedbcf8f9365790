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

/// A solver and its two faces.
struct generated_solver {
    std::unique_ptr<LinOp> op;
    const solver::IterativeBase* iteration;
};

/// What an iteration without preconditioner reads and writes.
struct iteration_traffic {
    double products;  ///< with the matrix
    double vectors;   ///< those of the products included
};

struct iteration_model {
    iteration_traffic least;  ///< what the method needs
    iteration_traffic moved;  ///< what the kernels move
};

/// Iterations number begin, ..., end - 1 of a solve.
struct measured_iterations {
    size_type begin;
    size_type end;
    bool has_dots;  ///< products with the matrix come with inner products, in one pass
};

struct solver_kind {
    /// Of the mean of these iterations.
    std::function<iteration_model(const measured_iterations&)> model;
    /// The preconditioner may be null.
    std::function<generated_solver(std::shared_ptr<const LinOp> matrix, std::shared_ptr<const stop::CriterionFactory>,
                                   std::shared_ptr<const LinOp> preconditioner)>
        generate;
};

/// The iterative solvers in double precision, by name.
const std::map<std::string, solver_kind>& solver_kinds();

}  // namespace spruce::bench
