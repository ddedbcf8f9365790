// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// The setters of Criterion::Updater take smart pointers.

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

    check(!criterion->update().residual(large).check(1, true, &status, &changed), "a unique_ptr to a residual");
    check(!criterion->update().residual_norm(large).solution(large).check(1, true, &status, &changed),
          "unique_ptrs to a norm and a solution");
    check(!criterion->update().residual_norm(large.get()).solution(nullptr).check(1, true, &status, &changed),
          "plain pointers");
    check(criterion->update().residual_norm(small).check(1, true, &status, &changed), "a shared_ptr to a norm");
    check(changed && status.get_const_data()[0].has_converged(), "the last norm is small enough");
    return exit_status();
}
