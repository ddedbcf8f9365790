// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cgs.hpp>

#include "test/solver/lanczos_suite.hpp"

namespace spruce::test {

// If A has eigenvalues of both signs, Cgs is limited: its residual polynomial is a square. In
// single precision it does not converge for some initial guesses, on any executor.
template <>
constexpr bool needs_one_sign<solver::Cgs<float>> = true;

SPRUCE_TEST_LANCZOS_SOLVER(Cgs);

template <typename Types>
using CgsSolver = SolverTest<Types>;
TYPED_TEST_SUITE(CgsSolver, solver_cases<solver::Cgs>, type_names);

TYPED_TEST(CgsSolver, RestartsWhereTheResidualIsOrthogonalToItsShadow)
{
    // After the first step r = (-1/2, 0) and r~ = (0, -1).
    const auto a = share(this->csr({{1, 1}, {0, 2}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a, 10);

    solver->apply(this->dense({{0}, {-1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));
    EXPECT_EQ(this->log->get_num_iterations(), 2u);
    EXPECT_MTX_NEAR(x, this->dense({{0.5}, {-0.5}}), 0.0);
}

TYPED_TEST(CgsSolver, SaysWhichBreakdownItWas)
{
    this->expect_breakdown(share(this->csr({{0, 1}, {-1, 0}})), this->dense({{1}, {0}}),
                           stop_reason::breakdown_curvature);
    this->expect_breakdown(share(this->csr({{1, 0}, {1, 0}})), this->dense({{1}, {0}}),
                           stop_reason::breakdown_inner_product);
}

}  // namespace spruce::test
