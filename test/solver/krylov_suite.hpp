// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// What every Krylov solver has to do beyond solver_suite.hpp, on every executor and for every value type: a file for each solver includes this and says
// SPRUCE_TEST_KRYLOV_SOLVER(Cg, solver_cases);

#include <fstream>

#include "test/solver/solver_suite.hpp"

namespace spruce::test {

/// How many iterations it takes until a solver has all vectors that it keeps. Those that make a vector at a step when it is first
/// needed say more.
template <typename Solver>
constexpr size_type iterations_until_all_is_allocated = 4;

template <typename Types>
using KrylovSolver = SolverTest<Types>;
TYPED_TEST_SUITE_P(KrylovSolver);

TYPED_TEST_P(KrylovSolver, SolvesByHand)
{
    const auto a = share(this->csr({{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}));
    const auto x = this->dense({{0}, {0}, {0}});

    this->make_solver(a)->apply(this->dense({{-1}, {3}, {1}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {3}, {2}}), 10 * this->reduction());
    EXPECT_TRUE(this->log->has_converged());
    EXPECT_LE(this->log->get_num_iterations(), 3 * num_cycles<typename TestFixture::solver>);
}

TYPED_TEST_P(KrylovSolver, SolvesPoisson) { this->expect_solves(this->poisson(this->smaller(23)), 1); }

TYPED_TEST_P(KrylovSolver, SolvesGeneratedPoissonProblems)
{
    this->expect_solves(this->generated("poisson2d-5pt:" + std::to_string(this->smaller(17))), 1);
    this->expect_solves(this->generated("poisson3d-7pt:" + std::to_string(this->smaller(9))), 2);
}

TYPED_TEST_P(KrylovSolver, SolvesForManyRightHandSides)
{
    this->expect_solves(this->poisson(8), 7);
    this->expect_solves(this->poisson(8), 5, 3);
}

TYPED_TEST_P(KrylovSolver, SolvesRandomPositiveDefiniteProblem)  // Hermitian where values are complex
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    this->expect_solves(make_csr<V, I>(this->exec, random_positive_definite(this->engine, this->smaller(301), 12)), 2);
}

// From magnetohydrodynamics: its condition number is 5e12, but nearly all of that is in the diagonal.
TYPED_TEST_P(KrylovSolver, SolvesHermitianMatrixFromPractice)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using real = typename TestFixture::real;
    if (!spruce::is_complex<V>() || this->is_simulated()) {
        GTEST_SKIP() << "complex, and large for the simulated device";
    }
    if (std::is_same_v<real, float> && is_one_of<typename TestFixture::solver, solver::Gcr>) {
        GTEST_SKIP() << "in float the first directions hardly make the residual smaller, and the next are the same but "
                        "for rounding";
    }
    std::ifstream file{matrix_file("mhd1280b")};
    const auto data = read_generic_raw<std::complex<double>, spruce::int64>(file);
    host_matrix inverse{data.size};
    for (const auto& entry : data.nonzeros) {
        if (entry.row == entry.column) {
            inverse.nonzeros.emplace_back(entry.row, entry.row, 1.0 / entry.value);
        }
    }
    const std::shared_ptr<const LinOp> a = make_csr<V, I>(this->exec, data);
    const auto b = this->random_dense(1280, 2);
    const auto x = this->random_dense(1280, 2);
    x->fill(zero<V>());
    // In float rounding x alone leaves up to 5e-5, on every executor and with every solver.
    const auto wanted = static_cast<real>(std::is_same_v<real, double> ? 1e-10 : 1e-4);
    const auto solver = solver_parameters<typename TestFixture::solver>::make()
                            .with_criteria(stop::Iteration::build().with_max_iters(4000),
                                           stop::ResidualNorm<V>::build().with_reduction_factor(wanted))
                            .with_generated_preconditioner(share(make_csr<V, I>(this->exec, inverse)))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1.1 * wanted);
}

TYPED_TEST_P(KrylovSolver, TakesAsManyIterationsAsOnReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& data : {random_positive_definite(this->engine, 90, 9), poisson_2d(12)}) {
        const auto b = this->random_dense(data.size[0], 1);
        const auto num_iterations = [&](std::shared_ptr<const Executor> exec) {
            const auto x = clone(exec, b);
            const auto solver =
                TestFixture::solver::build()
                    .with_criteria(stop::Iteration::build().with_max_iters(1000),
                                   stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
                    .on(exec)
                    ->generate(share(make_csr<V, I>(exec, data)));
            solver->add_logger(this->log);
            solver->apply(clone(exec, b), x);
            EXPECT_TRUE(this->log->has_converged());
            return static_cast<double>(this->log->get_num_iterations());
        };

        const auto expected = num_iterations(this->ref);

        EXPECT_NEAR(num_iterations(this->exec), expected, std::max(1.0, 0.05 * expected));
    }
}

TYPED_TEST_P(KrylovSolver, SolvesWithCooAndDense)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = poisson_2d(7);
    this->expect_solves(make_coo<V, I>(this->exec, data), 2);
    this->expect_solves(make_dense<V>(this->exec, data), 2);
}

TYPED_TEST_P(KrylovSolver, GivesTheSameColumnsAsOneByOne)
{
    const auto a = this->poisson(9);
    const auto b = this->random_dense(81, 3);
    const auto x = this->random_dense(81, 3);
    const auto start = clone(x);
    this->make_solver(a)->apply(b, x);

    for (size_type col = 0; col < 3; ++col) {
        const auto one = start->create_submatrix({0, 81}, col);
        this->make_solver(a)->apply(b->create_submatrix({0, 81}, col), one);

        // Sums in another order: their rounding grows along the recurrence.
        const auto share = rounds_what_it_keeps<typename TestFixture::solver> ? 1.0 : 0.01;
        EXPECT_MTX_NEAR(one, x->create_submatrix({0, 81}, col), share * this->reduction() + 100 * this->epsilon())
            << col;
    }
}

TYPED_TEST_P(KrylovSolver, NeedsNoIterationForExactInitialGuess)
{
    const auto a = this->poisson(5);
    const auto x = this->random_dense(25, 2);
    const auto b = this->apply(a, x);
    const auto expected = clone(x);

    this->make_solver(a)->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_EQ(this->log->get_num_iterations(), 0u);
    EXPECT_MTX_NEAR(x, expected, 0.0);
}

TYPED_TEST_P(KrylovSolver, NeedsNoIterationWhenAppliedAgain)
{
    const auto a = this->poisson(8);
    const auto b = this->random_dense(64, 1);
    const auto x = this->dense_of_nan(64, 1);
    x->fill(0);
    // With a little room: the recurrence's residual and the true one differ by rounding.
    const auto solver = this->make_solver(a);
    solver->apply(b, x);
    EXPECT_GT(this->log->get_num_iterations(), 0u);
    solver->set_stop_criterion_factory(share(stop::ResidualNorm<typename TypeParam::value_type>::build()
                                                 .with_reduction_factor(2 * this->reduction())
                                                 .on(this->exec)));

    solver->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_EQ(this->log->get_num_iterations(), 0u);
}

TYPED_TEST_P(KrylovSolver, StaysAtTheSolutionHoweverLongItRuns)
{
    const auto a = share(this->csr({{4, 1, 0}, {1, 3, 1}, {0, 1, 5}}));
    const auto x = this->dense({{0}, {0}, {0}});
    const auto solver = TestFixture::solver::build()
                            .with_criteria(stop::Iteration::build().with_max_iters(40))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(this->dense({{6}, {10}, {17}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}, {3}}), 20 * this->epsilon());
}

TYPED_TEST_P(KrylovSolver, GoesToZeroForZeroRightHandSide)
{
    const auto a = this->poisson(5);
    const auto b = this->random_dense(25, 2);
    const auto x = this->dense_of_nan(25, 2);
    b->fill(0);
    x->fill(0);

    this->make_solver(a)->apply(b, x);
    EXPECT_TRUE(this->log->has_converged());
    EXPECT_EQ(this->log->get_num_iterations(), 0u);
    EXPECT_MTX_NEAR(x, b, 0.0);

    x->fill(1);
    this->make_solver(a, 60)->apply(b, x);
    EXPECT_MTX_NEAR(x, b, 1e-3 * this->reduction());
}

TYPED_TEST_P(KrylovSolver, SolvesEmptyProblems)
{
    const auto a = share(TestFixture::Csr::create(this->exec, dim<2>{0, 0}));
    const auto b = TestFixture::Dense::create(this->exec, dim<2>{0, 2});
    const auto x = TestFixture::Dense::create(this->exec, dim<2>{0, 2});

    this->make_solver(a)->apply(b, x);
    EXPECT_EQ(this->log->get_num_iterations(), 0u);

    const auto no_rhs = TestFixture::Dense::create(this->exec, dim<2>{25, 0});
    const auto no_x = TestFixture::Dense::create(this->exec, dim<2>{25, 0});
    this->make_solver(this->poisson(5))->apply(no_rhs, no_x);
    EXPECT_EQ(this->log->get_num_iterations(), 0u);
}

TYPED_TEST_P(KrylovSolver, AddsScaledSolution)
{
    const auto a = share(this->csr({{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}));
    const auto b = this->dense({{-1}, {3}, {1}});
    const auto x = this->dense({{0.5}, {1}, {2}});

    this->make_solver(a)->apply(this->dense({{2}}), b, this->dense({{-1}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1.5}, {5}, {2}}), 20 * this->reduction());
}

TYPED_TEST_P(KrylovSolver, ConvergesFasterWithPreconditioner)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // A badly scaled diagonal, and its inverse as the preconditioner.
    constexpr size_type size = 200;
    host_matrix data{dim<2>{size, size}};
    host_matrix inverse{dim<2>{size, size}};
    for (size_type i = 0; i < size; ++i) {
        const auto value = 1.0 + static_cast<double>(i * i);
        data.nonzeros.emplace_back(i, i, value);
        inverse.nonzeros.emplace_back(i, i, 1.0 / value);
    }
    const std::shared_ptr<typename TestFixture::Csr> a = make_csr<V, I>(this->exec, data);
    const std::shared_ptr<typename TestFixture::Csr> m = make_csr<V, I>(this->exec, inverse);
    const auto b = this->random_dense(size, 3);
    const auto x = this->dense_of_nan(size, 3);
    x->fill(0);
    const auto solver = this->make_solver(a);
    solver->set_preconditioner(m);

    solver->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_LE(this->log->get_num_iterations(), 3 * num_cycles<typename TestFixture::solver>);
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
}

TYPED_TEST_P(KrylovSolver, ServesOperandsOnTheHost)
{
    const auto a = this->poisson(6);
    const auto b = clone(this->ref, this->random_dense(36, 2));
    const auto x = clone(this->ref, this->random_dense(36, 2));

    this->make_solver(a)->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_LE(this->relative_residual(a.get(), clone(this->exec, b).get(), clone(this->exec, x).get()),
              2 * this->reduction());
}

TYPED_TEST_P(KrylovSolver, SolvesInPlace)
{
    const auto a = share(this->csr({{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}));
    const auto x = this->dense({{-1}, {3}, {1}});

    this->make_solver(a)->apply(x, x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {3}, {2}}), 20 * this->reduction());
}

TYPED_TEST_P(KrylovSolver, TransposedSolverSolvesTransposedProblem)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const std::shared_ptr<typename TestFixture::Csr> a =
        make_csr<V, I>(this->exec, random_positive_definite(this->engine, 50, 8));
    const auto b = this->random_dense(50, 1);
    for (const auto conjugate : {false, true}) {
        const auto solver = this->make_solver(a);
        const auto transposed = conjugate ? solver->conj_transpose() : solver->transpose();
        const auto a_transposed = conjugate ? a->conj_transpose() : a->transpose();
        const auto x = this->dense_of_nan(50, 1);
        x->fill(0);

        transposed->apply(b, x);

        EXPECT_LE(this->relative_residual(a_transposed.get(), b.get(), x.get()), 2 * this->reduction());
    }
}

TYPED_TEST_P(KrylovSolver, AllocatesNothingAndWaitsForNothingExtraInLaterApplies)
{
    const auto a = this->poisson(8);
    const auto b = this->random_dense(64, 2);
    const auto x = this->dense_of_nan(64, 2);
    const auto limit = [&](size_type iterations) {
        return share(stop::Iteration::build().with_max_iters(iterations).on(this->exec));
    };
    const auto solver = TestFixture::solver::build()
                            .with_criteria(limit(iterations_until_all_is_allocated<typename TestFixture::solver>))
                            .on(this->exec)
                            ->generate(a);
    x->fill(0);
    solver->apply(b, x);
    solver->set_stop_criterion_factory(limit(4));
    const auto before = this->exec->get_counters();
    solver->apply(b, x);
    const auto short_run = this->exec->get_counters() - before;
    solver->set_stop_criterion_factory(limit(12));

    const auto middle = this->exec->get_counters();
    solver->apply(b, x);
    const auto long_run = this->exec->get_counters() - middle;

    EXPECT_EQ(short_run.allocations, 0u);
    EXPECT_EQ(long_run.allocations, 0u);
    // 8 more iterations bring neither copies nor waits.
    EXPECT_EQ(long_run.copies, short_run.copies);
    EXPECT_EQ(long_run.waits, short_run.waits);
}

TYPED_TEST_P(KrylovSolver, AllocatesNothingInLaterAppliesThatLookAtTheResidual)
{
    using V = typename TypeParam::value_type;
    using Csr = typename TestFixture::Csr;
    const auto a = this->poisson(8);
    a->set_strategy(std::make_shared<typename Csr::classical>());  // as many iterations each time
    const auto b = this->random_dense(64, 2);
    const auto start = this->random_dense(64, 2);
    const auto x = clone(start);
    const auto solver = TestFixture::solver::build()
                            .with_criteria(stop::Iteration::build().with_max_iters(1000),
                                           stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()),
                                           stop::ResidualNorm<V>::build()
                                               .with_reduction_factor(this->reduction())
                                               .with_baseline(stop::mode::initial_resnorm))
                            .on(this->exec)
                            ->generate(a);
    solver->apply(b, x);
    x->copy_from(start);

    const auto before = this->exec->get_counters();
    solver->apply(b, x);

    EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
}

TYPED_TEST_P(KrylovSolver, SaysWhyItStopped)
{
    using V = typename TypeParam::value_type;
    const auto a = this->poisson(6);
    const auto b = this->random_dense(36, 2);
    const auto solver = this->make_solver(a);
    EXPECT_TRUE(solver->get_stop_reasons().empty());

    solver->apply(b, this->random_dense(36, 2));
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));

    const auto limited = this->make_solver(a, 1);
    limited->apply(b, this->random_dense(36, 2));
    EXPECT_EQ(limited->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::iteration_limit)));

    solver->set_stop_criterion_factory(
        share(stop::Time::build().with_time_limit(std::chrono::nanoseconds{0}).on(this->exec)));
    solver->apply(b, this->random_dense(36, 2));
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::time_limit)));

    // Zero right-hand side and solution: exact whatever the criterion.
    const auto zeros = this->random_dense(36, 1);
    zeros->fill(zero<V>());
    limited->apply(zeros, zeros);
    EXPECT_EQ(limited->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));
}

TYPED_TEST_P(KrylovSolver, KeepsNanOfTheMatrixOutOfTheSolution)
{
    using V = typename TypeParam::value_type;
    const auto a = share(this->csr({{2, -1}, {-1, spruce::nan<V>()}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a, 10);

    solver->apply(this->dense({{1}, {0}}), x);

    EXPECT_FALSE(this->log->has_converged());
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite}));
    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
}

TYPED_TEST_P(KrylovSolver, NeverCallsASingularSystemConverged)
{
    const auto a = share(this->csr({{1, 0}, {0, 0}}));  // and b is not in its range
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a, 20);

    solver->apply(this->dense({{1}, {1}}), x);

    EXPECT_FALSE(this->log->has_converged());
    EXPECT_NE(solver->get_stop_reasons().at(0), stop_reason::converged);
    EXPECT_NE(solver->get_stop_reasons().at(0), stop_reason::running);
    EXPECT_TRUE(this->is_finite(x.get()));
}

REGISTER_TYPED_TEST_SUITE_P(KrylovSolver, SolvesByHand, SolvesPoisson, SolvesGeneratedPoissonProblems,
                            SolvesForManyRightHandSides, SolvesRandomPositiveDefiniteProblem,
                            SolvesHermitianMatrixFromPractice, TakesAsManyIterationsAsOnReference,
                            SolvesWithCooAndDense, GivesTheSameColumnsAsOneByOne, NeedsNoIterationForExactInitialGuess,
                            NeedsNoIterationWhenAppliedAgain, StaysAtTheSolutionHoweverLongItRuns,
                            GoesToZeroForZeroRightHandSide, SolvesEmptyProblems, AddsScaledSolution,
                            ConvergesFasterWithPreconditioner, ServesOperandsOnTheHost, SolvesInPlace,
                            TransposedSolverSolvesTransposedProblem,
                            AllocatesNothingAndWaitsForNothingExtraInLaterApplies,
                            AllocatesNothingInLaterAppliesThatLookAtTheResidual, SaysWhyItStopped,
                            KeepsNanOfTheMatrixOutOfTheSolution, NeverCallsASingularSystemConverged);

#define SPRUCE_TEST_KRYLOV_SOLVER(_solver, _cases) \
    SPRUCE_TEST_SOLVER(_solver, _cases);           \
    INSTANTIATE_TYPED_TEST_SUITE_P(_solver, KrylovSolver, _cases<spruce::solver::_solver>, type_names)

}  // namespace spruce::test
