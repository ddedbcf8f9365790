// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Applies Sor and GaussSeidel, whose factories generate compositions of triangular solvers.

#include <ginkgo/ginkgo.hpp>

#include <cmath>
#include <memory>

#include "check.hpp"

namespace {

using Csr = gko::matrix::Csr<double, int>;
using Vec = gko::matrix::Dense<double>;
using Sor = gko::preconditioner::Sor<double, int>;
using GaussSeidel = gko::preconditioner::GaussSeidel<double, int>;

/// Checks the result of an operator for b = (2, 12, 18).
void check_result(const gko::LinOp& op, double x_0, double x_1, double x_2, const char* name)
{
    const auto exec = op.get_executor();
    const auto b = gko::initialize<Vec>({2.0, 12.0, 18.0}, exec);
    const auto x = gko::clone(b);

    op.apply(b, x);

    check(std::abs(x->at(0, 0) - x_0) < 1e-14, name);
    check(std::abs(x->at(1, 0) - x_1) < 1e-14, name);
    check(std::abs(x->at(2, 0) - x_2) < 1e-14, name);
}

}  // namespace

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto a = gko::share(gko::initialize<Csr>({{2.0, 1.0, 0.0}, {4.0, 4.0, 2.0}, {2.0, 0.0, 8.0}}, exec));

    const std::shared_ptr<GaussSeidel> factory = GaussSeidel::build().on(exec);
    const std::unique_ptr<gko::Composition<double>> forward = factory->generate(a);
    check_result(*forward, 1.0, 2.0, 2.0, "GaussSeidel");
    check_result(*GaussSeidel::build().with_symmetric(true).on(exec)->generate(a), 0.5, 1.0, 2.0,
                 "symmetric GaussSeidel");
    check_result(*Sor::build().with_skip_sorting(true).with_relaxation_factor(0.5).on(exec)->generate(a), 0.5, 1.25,
                 1.0625, "Sor");
    check(std::abs(Sor::build().on(exec)->get_parameters().relaxation_factor - 1.2) < 1e-15, "default of Sor");

    auto parameters = gko::preconditioner::Sor<>::build().with_symmetric(true).with_relaxation_factor(1.0);
    const std::shared_ptr<const gko::LinOpFactory> as_factory =
        parameters.with_l_solver(gko::solver::LowerTrs<double, int>::build())
            .with_u_solver(gko::solver::UpperTrs<double, int>::build())
            .on(exec);
    check_result(*as_factory->generate(a), 0.5, 1.0, 2.0, "Sor with factories of solvers");
    const auto solver = gko::solver::Bicgstab<double>::build()
                            .with_preconditioner(GaussSeidel::build())
                            .with_criteria(gko::stop::Iteration::build().with_max_iters(20u),
                                           gko::stop::ResidualNorm<double>::build().with_reduction_factor(1e-15))
                            .on(exec)
                            ->generate(a);
    check(dynamic_cast<const gko::Composition<double>*>(solver->get_preconditioner().get()) != nullptr,
          "the preconditioner of a solver");
    return exit_status();
}
