// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/gcr.hpp>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

template <typename ValueType>
constexpr size_type iterations_until_all_is_allocated<solver::Gcr<ValueType>> = 24;

SPRUCE_TEST_KRYLOV_SOLVER(Gcr, solver_cases);
SPRUCE_TEST_UNSYMMETRIC_SOLVER(Gcr);

template <typename Types>
class GcrSolver : public SolverTest<Types> {
protected:
    auto parameters(size_type max_iters, size_type krylov_dim) const
    {
        auto result = Types::solver::build();
        result
            .with_criteria(
                stop::Iteration::build().with_max_iters(max_iters),
                stop::ResidualNorm<typename Types::value_type>::build().with_reduction_factor(this->reduction()))
            .with_krylov_dim(krylov_dim);
        return result;
    }
};
TYPED_TEST_SUITE(GcrSolver, solver_cases<solver::Gcr>, type_names);

TYPED_TEST(GcrSolver, SolvesWithRestarts)
{
    const auto a = this->generated("poisson2d-5pt:9,convection=1");
    const auto b = this->random_dense(81, 3);
    for (const size_type krylov_dim : {1, 7, 16, 17, 100}) {
        SCOPED_TRACE(krylov_dim);
        const auto x = this->random_dense(81, 3);
        const auto solver = this->parameters(2000, krylov_dim).on(this->exec)->generate(a);

        solver->apply(b, x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(3, stop_reason::converged)));
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
    }
}

TYPED_TEST(GcrSolver, GivesTheLeastResidualOfSystemsThatNearlyHaveASolution)
{
    this->expect_least_residual_where_nearly_compatible(1.1);
}

TYPED_TEST(GcrSolver, TakesTheStepOfLeastResidual)
{
    const auto a = share(this->csr({{1, 2}, {0, 1}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->parameters(1, 5).on(this->exec)->generate(a);

    solver->apply(this->dense({{2}, {2}}), x);

    // A b = (6, 2): alpha = (A b, b) / (A b, A b) = 16 / 40
    EXPECT_MTX_NEAR(x, this->dense({{0.8}, {0.8}}), 10 * this->epsilon());
}

TYPED_TEST(GcrSolver, EndsWhereTheResidualIsOrthogonalToItsImage)
{
    const auto a = share(this->csr({{0, 1}, {-1, 0}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->parameters(1000, 2).on(this->exec)->generate(a);
    solver->add_logger(this->log);

    solver->apply(this->dense({{1}, {0}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::breakdown_subspace}));
    EXPECT_FALSE(this->log->has_converged());
    EXPECT_LT(this->log->get_num_iterations(), 5u);
    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);

    solver->set_krylov_dim(1);
    solver->apply(this->dense({{1}, {0}}), x);
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::stagnation}));
    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
}

TYPED_TEST(GcrSolver, KeepsInfinityOfAPreconditionerOutOfTheSolution)
{
    using V = typename TypeParam::value_type;
    const auto a = share(this->csr({{2, -1}, {-1, 2}}));
    const auto x = this->dense({{3}, {4}});
    const auto solver = this->make_solver(a);
    solver->set_preconditioner(share(this->csr({{1, 0}, {0, spruce::nan<V>()}})));

    solver->apply(this->dense({{1}, {1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite}));
    EXPECT_MTX_NEAR(x, this->dense({{3}, {4}}), 0.0);
}

TYPED_TEST(GcrSolver, CountsOneHundredStepsAsDefault)
{
    const auto solver = this->parameters(3, 0).on(this->exec)->generate(this->poisson(3));
    EXPECT_EQ(solver->get_krylov_dim(), solver::gcr_default_krylov_dim);
    EXPECT_EQ(solver->get_krylov_dim(), 100u);
    solver->set_krylov_dim(17);
    EXPECT_EQ(solver->get_parameters().krylov_dim, 17u);
}

}  // namespace spruce::test
