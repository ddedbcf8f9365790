// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Passes smart pointers to the setters of Criterion::Updater. The criterion requires a residual
// norm of 0.1.

#include <ginkgo/ginkgo.hpp>

#include <memory>

#include "check.hpp"

using Dense = gko::matrix::Dense<double>;

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const std::shared_ptr<gko::LinOp> rhs = gko::initialize<Dense>({1.0}, exec);
    const auto criterion = gko::stop::ResidualNorm<>::build()
                               .with_reduction_factor(0.1)
                               .with_baseline(gko::stop::mode::absolute)
                               .on(exec)
                               ->generate(nullptr, rhs, nullptr, rhs.get());
    gko::array<gko::stopping_status> status{exec, 1};
    status.fill(gko::stopping_status{});
    const auto large = gko::initialize<Dense>({1.0}, exec);
    const std::shared_ptr<const gko::LinOp> small = gko::initialize<Dense>({0.01}, exec);
    bool changed{};

    print("stops at residual 1", criterion->update().residual(large).check(1, true, &status, &changed));
    print("stops at norm 1",
          criterion->update().residual_norm(large).solution(large).check(1, true, &status, &changed));
    print("stops at norm 1 by plain pointers",
          criterion->update().residual_norm(large.get()).solution(nullptr).check(1, true, &status, &changed));
    print("a status has changed", changed);
    print("stops at norm 0.01", criterion->update().residual_norm(small).check(1, true, &status, &changed));
    print("a status has changed, has converged", changed, status.get_const_data()[0].has_converged());
    return exit_status();
}
