// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Tests Krylov solvers beyond iterative_suite.hpp, on every executor.

#include <fstream>
#include <vector>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

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
    EXPECT_LE(this->log->get_num_iterations(), 3 * TestFixture::solver::tested.num_cycles);
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

// The matrix is from magnetohydrodynamics. Its condition number is 5e12, nearly all of it due to
// the diagonal.
TYPED_TEST_P(KrylovSolver, SolvesHermitianMatrixFromPractice)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using real = typename TestFixture::real;
    if (!spruce::is_complex<V>() || this->is_simulated()) {
        GTEST_SKIP() << "complex, and large for the simulated device";
    }
    if (std::is_same_v<real, float> && TestFixture::solver::tested.is_gcr) {
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
    // In float, rounding of x alone leaves up to 5e-5, on every executor and with every solver.
    const auto reduction_factor = static_cast<real>(std::is_same_v<real, double> ? 1e-10 : 1e-4);
    const auto solver = solver_parameters<typename TestFixture::solver>::make()
                            .with_criteria(stop::Iteration::build().with_max_iters(4000),
                                           stop::ResidualNorm<V>::build().with_reduction_factor(reduction_factor))
                            .with_generated_preconditioner(share(make_csr<V, I>(this->exec, inverse)))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1.1 * reduction_factor);
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

        // The sums have another order, and the recurrence amplifies their rounding errors.
        const auto share = TestFixture::solver::tested.rounds_what_it_keeps ? 1.0 : 0.01;
        EXPECT_MTX_NEAR(one, x->create_submatrix({0, 81}, col), share * this->reduction() + 100 * this->epsilon())
            << col;
    }
}

TYPED_TEST_P(KrylovSolver, NeedsNoIterationWhenAppliedAgain)
{
    const auto a = this->poisson(8);
    const auto b = this->random_dense(64, 1);
    const auto x = this->dense_of_nan(64, 1);
    x->fill(0);
    // The tolerance of the second solve allows for rounding: recursive and true residual differ.
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
    EXPECT_LE(this->log->get_num_iterations(), 3 * TestFixture::solver::tested.num_cycles);
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
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

// Inner products contain squares of these scales. Coefficients that square them again would leave
// the range of float.
TYPED_TEST_P(KrylovSolver, SolvesAtEachScaleOfMatrixAndRightHandSide)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto scales = this->is_simulated()
                            ? std::vector<real>{real(1e-12), real(1), real(1e12)}
                            : std::vector<real>{real(1e-12), real(1e-9), real(1e-6), real(1e-3), real(1),
                                                real(1e3),   real(1e6),  real(1e9),  real(1e12)};
    for (const auto matrix_scale : scales) {
        const auto a = this->well_conditioned(8);
        a->scale(this->dense({{V(matrix_scale)}}));
        for (const auto vector_scale : scales) {
            SCOPED_TRACE(testing::Message() << "matrix " << matrix_scale << ", right-hand side " << vector_scale);
            const auto b = this->random_dense(8, 1);
            b->scale(this->dense({{V(vector_scale)}}));
            const auto x = clone(b);
            x->fill(zero<V>());

            this->make_solver(a, 100)->apply(b, x);

            EXPECT_TRUE(this->log->has_converged());
            EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
        }
    }
}

REGISTER_TYPED_TEST_SUITE_P(KrylovSolver, SolvesAtEachScaleOfMatrixAndRightHandSide, SolvesByHand, SolvesPoisson,
                            SolvesGeneratedPoissonProblems, SolvesForManyRightHandSides,
                            SolvesRandomPositiveDefiniteProblem, SolvesHermitianMatrixFromPractice,
                            TakesAsManyIterationsAsOnReference, GivesTheSameColumnsAsOneByOne,
                            NeedsNoIterationWhenAppliedAgain, ConvergesFasterWithPreconditioner, SolvesInPlace,
                            TransposedSolverSolvesTransposedProblem);

}  // namespace spruce::test
