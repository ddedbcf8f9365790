// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/fcg.hpp>

#include <spruce/solver/cg.hpp>

#include "test/solver/conjugate_gradients_suite.hpp"

namespace spruce::test {

SPRUCE_TEST_CONJUGATE_GRADIENTS(Fcg, solver_cases);

template <typename Types>
using FcgSolver = SolverTest<Types>;
TYPED_TEST_SUITE(FcgSolver, solver_cases<solver::Fcg>, type_names);

TYPED_TEST(FcgSolver, TakesAnotherSolverAsPreconditioner)
{
    using V = typename TypeParam::value_type;
    // The preconditioner is a few steps of Cg, which are no linear operator.
    const auto a = this->poisson(15);
    const auto b = this->random_dense(225, 2);
    const auto x = this->random_dense(225, 2);
    const auto solver = this->make_solver(a);
    solver->set_preconditioner(share(
        solver::Cg<V>::build().with_criteria(stop::Iteration::build().with_max_iters(5)).on(this->exec)->generate(a)));

    solver->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_LT(this->log->get_num_iterations(), 20u);
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
}

}  // namespace spruce::test
