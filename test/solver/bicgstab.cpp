// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/bicgstab.hpp>

#include "test/solver/lanczos_suite.hpp"

namespace spruce::test {

SPRUCE_TEST_LANCZOS_SOLVER(Bicgstab);

template <typename Types>
using BicgstabSolver = SolverTest<Types>;
TYPED_TEST_SUITE(BicgstabSolver, solver_cases<solver::Bicgstab>, type_names);

TYPED_TEST(BicgstabSolver, RestartsWhereTheResidualIsOrthogonalToItsShadow)
{
    // After the first step r = (1/2, 0, 0) and r~ = (0, -1, 0).
    const auto a = share(this->csr({{-1, -1, -1}, {0, -2, 0}, {0, 1, -1}}));
    const auto x = this->dense({{0}, {0}, {0}});
    const auto solver = this->make_solver(a, 10);

    solver->apply(this->dense({{0}, {-1}, {0}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));
    EXPECT_EQ(this->log->get_num_iterations(), 2u);
    EXPECT_MTX_NEAR(x, this->dense({{-1}, {0.5}, {0.5}}), 0.0);
}

TYPED_TEST(BicgstabSolver, SaysWhichBreakdownItWas)
{
    this->expect_breakdown(share(this->csr({{0, 1}, {-1, 0}})), this->dense({{1}, {0}}),
                           stop_reason::breakdown_curvature);
    this->expect_breakdown(share(this->csr({{2, 0, 0}, {0, 2, 0}, {0, 0, -1}})), this->dense({{1}, {1}, {1}}),
                           stop_reason::breakdown_stabilization);
    this->expect_breakdown(share(this->csr({{1, 0, 0}, {-1, 0, 0}, {2, 1, 0}})), this->dense({{1}, {0}, {0}}),
                           stop_reason::breakdown_inner_product);
}

}  // namespace spruce::test
