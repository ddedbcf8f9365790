// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// What every iterative solver has to do, on every executor and for every value type, with a matrix that all of them can take:
// SPRUCE_TEST_SOLVER(Chebyshev, solver_cases);

#include "test/solver/solver_fixture.hpp"

namespace spruce::test {

template <typename Types>
class IterativeSolver : public SolverTest<Types> {
protected:
    using typename SolverTest<Types>::V;
    using typename SolverTest<Types>::I;
    using typename SolverTest<Types>::Csr;
    using typename SolverTest<Types>::Dense;

    /// Tridiagonal: -1 beside the diagonal. Its product is the same in each run: no atomics.
    static std::shared_ptr<Csr> tridiagonal(std::shared_ptr<const Executor> exec, const std::vector<double>& diagonal)
    {
        const auto size = diagonal.size();
        host_matrix data{dim<2>{size, size}};
        for (size_type i = 0; i < size; ++i) {
            if (i > 0) {
                data.nonzeros.emplace_back(i, i - 1, -1.0);
            }
            data.nonzeros.emplace_back(i, i, diagonal[i]);
            if (i + 1 < size) {
                data.nonzeros.emplace_back(i, i + 1, -1.0);
            }
        }
        std::shared_ptr<Csr> result = make_csr<V, I>(std::move(exec), data);
        result->set_strategy(std::make_shared<typename Csr::classical>());
        return result;
    }
    /// Eigenvalues between 2 and 6.
    std::shared_ptr<Csr> well_conditioned(size_type size) const
    {
        return tridiagonal(this->exec, std::vector<double>(size, 4.0));
    }
    /// Constant vectors are its kernel.
    std::shared_ptr<Csr> singular(size_type size) const
    {
        std::vector<double> diagonal(size, 2.0);
        diagonal.front() = diagonal.back() = 1.0;
        return tridiagonal(this->exec, diagonal);
    }
};
TYPED_TEST_SUITE_P(IterativeSolver);

TYPED_TEST_P(IterativeSolver, SolvesForOneToSixtyFourRightHandSides)
{
    for (const size_type num_rhs : {1, 2, 5, 64}) {
        this->expect_solves(this->well_conditioned(19), num_rhs, num_rhs % 4);
    }
}

TYPED_TEST_P(IterativeSolver, TakesAsManyIterationsAsOnReferenceIfWellConditioned)
{
    const auto b = this->random_dense(70, 1);
    const auto num_iterations = [&](std::shared_ptr<const Executor> exec) {
        using V = typename TypeParam::value_type;
        const auto x = clone(exec, b);
        const auto solver = solver_parameters<typename TestFixture::solver>::make()
                                .with_criteria(stop::Iteration::build().with_max_iters(1000),
                                               stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
                                .on(exec)
                                ->generate(this->tridiagonal(exec, std::vector<double>(70, 4.0)));
        solver->add_logger(this->log);
        solver->apply(clone(exec, b), x);
        EXPECT_TRUE(this->log->has_converged());
        return static_cast<double>(this->log->get_num_iterations());
    };

    const auto expected = num_iterations(this->ref);

    EXPECT_NEAR(num_iterations(this->exec), expected, 0.05 * expected);
}

TYPED_TEST_P(IterativeSolver, RepeatsToTheSameBits)
{
    const auto a = this->well_conditioned(121);
    const auto b = this->random_dense(121, 2);
    const auto first = this->random_dense(121, 2);
    const auto second = clone(first);

    this->make_solver(a)->apply(b, first);
    this->make_solver(a)->apply(b, second);

    EXPECT_MTX_NEAR(second, first, 0.0);
}

TYPED_TEST_P(IterativeSolver, StopsColumnsWithNanAndSolvesTheOthers)
{
    using V = typename TypeParam::value_type;
    const auto b = this->dense({{spruce::nan<V>(), 3}, {1, 3}});
    const auto x = this->dense({{0.5, 0}, {0.25, 0}});
    const auto solver = this->make_solver(this->well_conditioned(2), 40);

    solver->apply(b, x);

    EXPECT_FALSE(this->log->has_converged());
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite, stop_reason::converged}));
    EXPECT_MTX_NEAR(x, this->dense({{0.5, 1}, {0.25, 1}}), 10 * this->reduction());
}

// Where nobody listens to each iteration, GPUs check for themselves and the host looks later.
TYPED_TEST_P(IterativeSolver, EndsAlikeWhetherEachIterationIsListenedToOrNot)
{
    struct listener : spruce::log::Logger {};
    using V = typename TypeParam::value_type;
    const auto a = this->well_conditioned(40);
    const auto b = this->random_dense(40, 3);
    b->create_submatrix(span{0, 40}, span{1, 2})->fill(zero<V>());
    const auto start = this->random_dense(40, 3);
    start->create_submatrix(span{0, 40}, span{1, 2})->fill(zero<V>());
    const auto limit = [&](size_type iterations) {
        return share(stop::Iteration::build().with_max_iters(iterations).on(this->exec));
    };
    const auto reduction = [&](double factor) {
        return share(stop::ResidualNorm<V>::build().with_reduction_factor(factor).on(this->exec));
    };
    const auto tight = 1e3 * this->epsilon();
    std::vector<std::vector<std::shared_ptr<const stop::CriterionFactory>>> cases{
        {limit(200), reduction(tight)},
        {limit(3), reduction(tight)},
        {limit(14)},
        {reduction(this->reduction()), reduction(1e-2), limit(9)},
        {limit(0), reduction(tight)}};
    if (has_implicit_norm<typename TestFixture::solver>) {
        cases.push_back(
            {limit(200),
             stop::ImplicitResidualNorm<V>::build().with_reduction_factor(this->reduction()).on(this->exec)});
    }
    for (const auto& criteria : cases) {
        const auto make = [&] {
            auto parameters = solver_parameters<typename TestFixture::solver>::make();
            return parameters.with_criteria(criteria).on(this->exec)->generate(a);
        };
        const auto listened = make();
        const auto not_listened = make();
        const auto end = share(TestFixture::convergence::create());
        listened->add_logger(std::make_shared<listener>());
        listened->add_logger(this->log);
        not_listened->add_logger(end);
        const auto expected = clone(start);
        const auto x = clone(start);
        const auto again = clone(start);

        listened->apply(b, expected);
        not_listened->apply(b, x);
        not_listened->apply(b, again);  // nothing is left behind for the next

        EXPECT_MTX_NEAR(x, expected, 0.0);
        EXPECT_MTX_NEAR(again, expected, 0.0);
        EXPECT_EQ(end->get_num_iterations(), this->log->get_num_iterations());
        EXPECT_EQ(end->has_converged(), this->log->has_converged());
        EXPECT_MTX_NEAR(end->get_residual_norm(), this->log->get_residual_norm(), 0.0);
        EXPECT_EQ(not_listened->get_stop_reasons(), listened->get_stop_reasons());
    }
}

TYPED_TEST_P(IterativeSolver, DoesNotWaitForTheDeviceInAnIteration)
{
    using V = typename TypeParam::value_type;
    const auto a = this->well_conditioned(300);
    const auto b = this->random_dense(300, 1);
    const auto waits_of = [&](size_type iterations, auto norm) {
        auto parameters = solver_parameters<typename TestFixture::solver>::make();
        const auto solver =
            parameters
                .with_criteria(stop::Iteration::build().with_max_iters(iterations), norm.with_reduction_factor(1e-30))
                .on(this->exec)
                ->generate(a);
        const auto x = this->random_dense(300, 1);
        x->fill(zero<V>());
        solver->apply(b, x);  // allocates
        const auto before = this->exec->get_counters();
        solver->apply(b, x);
        return (this->exec->get_counters() - before).waits;
    };

    const auto norm = stop::ResidualNorm<V>::build();
    EXPECT_EQ(waits_of(3, norm), waits_of(7, norm));
    if (has_implicit_norm<typename TestFixture::solver>) {
        const auto implicit_norm = stop::ImplicitResidualNorm<V>::build();
        EXPECT_EQ(waits_of(3, implicit_norm), waits_of(7, implicit_norm));
    }
}

TYPED_TEST_P(IterativeSolver, StopsByTheImplicitNormOrSaysThatItHasNone)
{
    using V = typename TypeParam::value_type;
    const auto b = this->random_dense(40, 2);
    const auto x = clone(b);
    const auto solver =
        solver_parameters<typename TestFixture::solver>::make()
            .with_criteria(stop::Iteration::build().with_max_iters(1000),
                           stop::ImplicitResidualNorm<V>::build().with_reduction_factor(this->reduction()))
            .on(this->exec)
            ->generate(this->well_conditioned(40));
    solver->add_logger(this->log);

    if (has_implicit_norm<typename TestFixture::solver>) {
        solver->apply(b, x);
        EXPECT_TRUE(this->log->has_converged());
        ASSERT_NE(this->log->get_implicit_sq_resnorm(), nullptr);
        EXPECT_LE(this->relative_residual(solver->get_system_matrix().get(), b.get(), x.get()), 2 * this->reduction());
    } else {
        EXPECT_THROW_WITH(solver->apply(b, x), NotSupported, "without implicit residual norm");
    }
}

TYPED_TEST_P(IterativeSolver, EndsOnInconsistentSystemsWithoutAnyLimit)
{
    using V = typename TypeParam::value_type;
    const auto a = this->singular(14);
    const auto b = this->random_dense(14, 2);
    b->create_submatrix(span{0, 7}, span{0, 2})->fill(one<V>());  // not in the range
    b->create_submatrix(span{7, 14}, span{0, 2})->fill(V{0.5});
    const auto x = clone(b);
    x->fill(zero<V>());
    const auto solver = solver_parameters<typename TestFixture::solver>::make()
                            .with_criteria(stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(b, x);

    for (const auto reason : solver->get_stop_reasons()) {
        EXPECT_GE(reason, stop_reason::breakdown_inner_product) << reason;
    }
    // x is none that is worse than what was there at first.
    EXPECT_TRUE(this->is_finite(x.get()));
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1 + 10 * this->epsilon());
}

TYPED_TEST_P(IterativeSolver, EndsWhenItBreaksDownHoweverHighTheLimit)
{
    using V = typename TypeParam::value_type;
    const auto a = share(this->csr({{0, 0}, {0, 0}}));
    const auto x = this->dense({{3}, {4}});
    const auto solver = solver_parameters<typename TestFixture::solver>::make()
                            .with_criteria(stop::Iteration::build().with_max_iters(size_type{1} << 60))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(this->dense({{1}, {1}}), x);

    EXPECT_GE(solver->get_stop_reasons().at(0), stop_reason::breakdown_inner_product);
    EXPECT_MTX_NEAR(x, this->dense({{3}, {4}}), 0.0);

    x->fill(zero<V>());
    solver->apply(x, x);
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));
}

REGISTER_TYPED_TEST_SUITE_P(IterativeSolver, SolvesForOneToSixtyFourRightHandSides,
                            TakesAsManyIterationsAsOnReferenceIfWellConditioned, RepeatsToTheSameBits,
                            StopsColumnsWithNanAndSolvesTheOthers, EndsAlikeWhetherEachIterationIsListenedToOrNot,
                            DoesNotWaitForTheDeviceInAnIteration, StopsByTheImplicitNormOrSaysThatItHasNone,
                            EndsOnInconsistentSystemsWithoutAnyLimit, EndsWhenItBreaksDownHoweverHighTheLimit);

#define SPRUCE_TEST_SOLVER(_solver, _cases) \
    INSTANTIATE_TYPED_TEST_SUITE_P(_solver, IterativeSolver, _cases<spruce::solver::_solver>, type_names)

}  // namespace spruce::test
