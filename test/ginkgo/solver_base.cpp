// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Gets the system matrix of a solver of any type through the base class of solvers.

#include <ginkgo/ginkgo.hpp>

#include <memory>

#include "check.hpp"

int main()
{
    using Dense = gko::matrix::Dense<double>;
    using Base = gko::solver::detail::SolverBaseLinOp;
    const auto exec = gko::ReferenceExecutor::create();
    const std::shared_ptr<const gko::LinOp> a = gko::initialize<Dense>({{2.0, 0.0}, {0.0, 3.0}}, exec);
    const std::shared_ptr<const gko::LinOp> solver =
        gko::solver::Cg<>::build()
            .with_criteria(gko::stop::Iteration::build().with_max_iters(1u))
            .on(exec)
            ->generate(a);

    check(dynamic_cast<const Base*>(solver.get())->get_system_matrix() == a, "a solver has a matrix");
    check(dynamic_cast<const Base*>(a.get()) == nullptr, "a matrix is no solver");
    return exit_status();
}
