// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Tests Cg and its variants beyond hermitian_suite.hpp. A solver's source file contains
// SPRUCE_TEST_CONJUGATE_GRADIENTS(PipeCg, solver_cases_in_double);

#include "test/solver/hermitian_suite.hpp"

namespace spruce::test {

template <typename Types>
using ConjugateGradients = SolverTest<Types>;
TYPED_TEST_SUITE_P(ConjugateGradients);

TYPED_TEST_P(ConjugateGradients, SaysWhichBreakdownItWas)
{
    this->expect_breakdown(share(this->csr({{1, 0}, {0, -1}})), this->dense({{1}, {1}}),
                           stop_reason::breakdown_curvature);
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(share(this->csr({{2, 0}, {0, 3}})), 10);
    solver->set_preconditioner(share(this->csr({{1, 0}, {0, -1}})));

    solver->apply(this->dense({{1}, {1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::breakdown_inner_product}));
    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
}

REGISTER_TYPED_TEST_SUITE_P(ConjugateGradients, SaysWhichBreakdownItWas);

#define SPRUCE_TEST_CONJUGATE_GRADIENTS(_solver, _cases) \
    SPRUCE_TEST_HERMITIAN_SOLVER(_solver, _cases);       \
    INSTANTIATE_TYPED_TEST_SUITE_P(_solver, ConjugateGradients, solver_cases<spruce::solver::_solver>, type_names)

}  // namespace spruce::test
