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

/// What is known of an iteration without preconditioner.
struct iteration_model {
    double products;  ///< with the matrix
    double vectors;   ///< that have to be read or written at least, those of the products included
};

struct solver_kind {
    iteration_model model;
    /// The preconditioner may be null.
    std::function<generated_solver(std::shared_ptr<const LinOp> matrix, std::shared_ptr<const stop::CriterionFactory>,
                                   std::shared_ptr<const LinOp> preconditioner)>
        generate;
};

/// The iterative solvers in double precision, by name.
const std::map<std::string, solver_kind>& solver_kinds();

}  // namespace spruce::bench
