// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/bicg.hpp>

#include "test/solver/lanczos_suite.hpp"

namespace spruce::test {

SPRUCE_TEST_LANCZOS_SOLVER(Bicg);

template <typename Types>
using BicgSolver = KrylovSolver<Types>;
TYPED_TEST_SUITE(BicgSolver, solver_cases<solver::Bicg>, type_names);

TYPED_TEST(BicgSolver, SaysWhichBreakdownItWas)
{
    this->expect_breakdown(share(this->csr({{0, 1}, {-1, 0}})), this->dense({{1}, {0}}),
                           stop_reason::breakdown_curvature);
    // r becomes (0, -1), r~ becomes (0, 0)
    this->expect_breakdown(share(this->csr({{1, 0}, {1, 0}})), this->dense({{1}, {0}}),
                           stop_reason::breakdown_inner_product);
}

TYPED_TEST(BicgSolver, TransposesWhatIsSetLater)
{
    const auto a = share(this->csr({{2, 1}, {0, 4}}));
    const auto b = this->dense({{4}, {8}});
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a);
    solver->set_preconditioner(share(this->csr({{0.25, 0}, {0.5, 0.125}})));
    solver->apply(b, x);
    x->fill(0);

    solver->set_preconditioner(share(this->csr({{0.5, -0.125}, {0, 0.25}})));  // the inverse
    solver->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_EQ(this->log->get_num_iterations(), 1u);
    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 20 * this->epsilon());
}

}  // namespace spruce::test
