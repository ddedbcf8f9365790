// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/pipe_cg.hpp>

#include <spruce/solver/cg.hpp>

#include "test/solver/conjugate_gradients_suite.hpp"

namespace spruce::test {

// The tests use double precision. PipeCg is less accurate than Cg because rounding errors grow in
// its longer recurrences (Cools, Fatih Yetkin, Agullo, Giraud and Vanroose 2018). In float it does
// not reduce the residual of the 31 x 31 Laplacian to 1e-5, which these tests require.
SPRUCE_TEST_CONJUGATE_GRADIENTS(PipeCg, solver_cases_in_double);

template <typename Types>
using PipeCgSolver = HermitianSolver<Types>;
TYPED_TEST_SUITE(PipeCgSolver, solver_cases<solver::PipeCg>, type_names);

TYPED_TEST(PipeCgSolver, TakesAsManyIterationsAsCg)
{
    using V = typename TypeParam::value_type;
    const auto a = this->poisson(40);  // more than one replacement
    const auto b = this->random_dense(1600, 1);
    const auto x = this->dense_of_nan(1600, 1);
    x->fill(0);
    const auto other_log = share(TestFixture::convergence::create());
    const auto other = solver::Cg<V>::build()
                           .with_criteria(stop::Iteration::build().with_max_iters(1000),
                                          stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
                           .on(this->exec)
                           ->generate(a);
    other->add_logger(other_log);

    other->apply(b, x);
    x->fill(0);
    this->make_solver(a)->apply(b, x);

    const auto expected = static_cast<double>(other_log->get_num_iterations());
    EXPECT_TRUE(other_log->has_converged());
    EXPECT_GT(expected, 50);
    EXPECT_NEAR(static_cast<double>(this->log->get_num_iterations()), expected, 0.03 * expected + 1);
}

}  // namespace spruce::test
