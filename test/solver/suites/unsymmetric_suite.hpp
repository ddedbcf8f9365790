// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Tests solvers for general matrices beyond krylov_suite.hpp, on every executor.

#include <fstream>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

template <typename Types>
class UnsymmetricSolver : public SolverTest<Types> {
protected:
    using typename SolverTest<Types>::V;
    using typename SolverTest<Types>::I;
    using typename SolverTest<Types>::Csr;

    /// Creates random values and a diagonal that is larger than the sum of all others of its row.
    std::shared_ptr<Csr> random_dominant(size_type size, size_type max_nnz_per_row)
    {
        auto data = random_sparse(this->engine, size, size, nnz_per_row{0, max_nnz_per_row});
        std::vector<double> sums(size);
        for (const auto& entry : data.nonzeros) {
            sums[entry.row] += std::abs(entry.value);
        }
        for (size_type row = 0; row < size; ++row) {
            const auto sign = row % 3 == 0 && !SolverTest<Types>::solver::tested.needs_one_sign ? -1.0 : 1.0;
            data.nonzeros.emplace_back(row, row, sign * (1.0 + 1.5 * sums[row]));
        }
        data.sum_duplicates();
        return make_csr<V, I>(this->exec, data);
    }
};
TYPED_TEST_SUITE_P(UnsymmetricSolver);

TYPED_TEST_P(UnsymmetricSolver, SolvesRandomProblems)
{
    this->expect_solves(this->random_dominant(1, 0), 1);
    this->expect_solves(this->random_dominant(33, 5), 1);
    this->expect_solves(this->random_dominant(130, 12), 2);
}

TYPED_TEST_P(UnsymmetricSolver, SolvesConvectionDiffusion)
{
    this->expect_solves(this->generated("poisson2d-5pt:15,convection=0.5"), 2);
    this->expect_solves(this->generated("poisson3d-7pt:6,convection=5"), 1);
}

TYPED_TEST_P(UnsymmetricSolver, SolvesMatrixFromPractice)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    if (this->is_simulated() && is_complex<V>()) {
        GTEST_SKIP() << "a real problem: complex numbers bring nothing but time on the simulated device";
    }
    std::ifstream file{matrix_file("add20")};
    const auto a = share(spruce::read_generic<typename TestFixture::Csr>(file, this->exec));
    const auto size = a->get_size()[0];
    // The preconditioner is the inverse of the diagonal.
    const auto diagonal = clone(this->ref, a->extract_diagonal());
    host_matrix inverse{a->get_size()};
    for (size_type row = 0; row < size; ++row) {
        inverse.nonzeros.emplace_back(row, row, 1.0 / std::complex<double>(diagonal->get_const_values()[row]));
    }
    const auto b = this->random_dense(size, 1);
    const auto x = this->random_dense(size, 1);
    const auto at_first = this->relative_residual(a.get(), b.get(), x.get());
    // In float, rounding of the solution leaves 8.5e-6 of b in this system, and rounding of a
    // product with it up to 4e-5.
    const auto reduction_factor = std::is_same_v<remove_complex<V>, double> ? 1e-10 : 1e-3;
    const auto solver = TestFixture::solver::build()
                            .with_criteria(stop::Iteration::build().with_max_iters(3000),
                                           stop::ResidualNorm<V>::build().with_reduction_factor(reduction_factor))
                            .with_generated_preconditioner(share(make_csr<V, I>(this->exec, inverse)))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(b, x);

    const auto reason = solver->get_stop_reasons().at(0);
    const auto found = this->relative_residual(a.get(), b.get(), x.get());
    if (TestFixture::solver::tested.may_break_down && is_failure(reason)) {
        EXPECT_LT(found, at_first);
    } else {
        EXPECT_EQ(reason, stop_reason::converged);
        EXPECT_LE(found, 1.1 * reduction_factor);
    }
}

TYPED_TEST_P(UnsymmetricSolver, SolvesWithTheExactInverseInOneStep)
{
    const auto a = share(this->csr({{2, 1}, {0, 4}}));
    const auto b = this->dense({{4, 1}, {8, 3}});
    const auto x = this->dense({{7, 0}, {9, 0}});
    const auto solver = this->make_solver(a);
    solver->set_preconditioner(share(this->csr({{0.5, -0.125}, {0, 0.25}})));

    solver->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    const auto max_iterations = TestFixture::solver::tested.num_cycles;
    EXPECT_GE(this->log->get_num_iterations(), 1u);
    EXPECT_LE(this->log->get_num_iterations(), max_iterations);
    EXPECT_MTX_NEAR(x, this->dense({{1, 0.125}, {2, 0.75}}),
                    max_iterations == 1 ? 20 * this->epsilon() : this->reduction());
}

TYPED_TEST_P(UnsymmetricSolver, TransposedSolverSolvesTransposedUnsymmetricProblem)
{
    const auto a = this->random_dominant(40, 8);
    const auto b = this->random_dense(40, 2);
    for (const auto conjugate : {false, true}) {
        const auto solver = this->make_solver(a);
        const auto transposed = conjugate ? solver->conj_transpose() : solver->transpose();
        const auto a_transposed = conjugate ? a->conj_transpose() : a->transpose();
        const auto x = this->random_dense(40, 2);

        transposed->apply(b, x);

        EXPECT_LE(this->relative_residual(a_transposed.get(), b.get(), x.get()), 2 * this->reduction());
    }
}

TYPED_TEST_P(UnsymmetricSolver, ReportsConvergenceOnlyWhereTheTrueResidualShowsIt)
{
    using V = typename TypeParam::value_type;
    const auto a = this->generated("poisson2d-5pt:8,convection=1");
    const auto b = this->random_dense(64, 3);
    const auto epsilon = this->epsilon();
    // A distant initial guess limits the accuracy to some epsilon times the largest residual in
    // between, which is largest for squared polynomials.
    const auto attainable = (TestFixture::solver::tested.needs_one_sign ? 1e3 : 1e2) * epsilon;
    for (const auto& [distance, factor] :
         std::vector<std::pair<double, double>>{{1.0, 1e-3}, {1e3, attainable}, {1e3, epsilon / 100}}) {
        SCOPED_TRACE(testing::Message() << distance << ", " << factor);
        const auto x = this->random_dense(64, 3);
        x->scale(this->dense({{V(distance)}}));
        const auto at_first = this->relative_residual(a.get(), b.get(), x.get());
        const auto solver = TestFixture::solver::build()
                                .with_criteria(stop::Iteration::build().with_max_iters(500),
                                               stop::ResidualNorm<V>::build().with_reduction_factor(factor))
                                .on(this->exec)
                                ->generate(a);

        solver->apply(b, x);

        for (size_type col = 0; col < 3; ++col) {
            const auto reason = solver->get_stop_reasons().at(col);
            const auto has_converged = reason == stop_reason::converged;
            const auto found = this->relative_residual(a.get(), b->create_submatrix({0, 64}, col).get(),
                                                       x->create_submatrix({0, 64}, col).get());
            if (reason != stop_reason::iteration_limit) {  // before convergence residuals may have any size
                EXPECT_LE(found, has_converged ? 1.02 * factor : at_first);
            }
            EXPECT_EQ(has_converged, factor > epsilon);
        }
    }
}

REGISTER_TYPED_TEST_SUITE_P(UnsymmetricSolver, SolvesRandomProblems, ReportsConvergenceOnlyWhereTheTrueResidualShowsIt,
                            SolvesConvectionDiffusion, SolvesMatrixFromPractice, SolvesWithTheExactInverseInOneStep,
                            TransposedSolverSolvesTransposedUnsymmetricProblem);

}  // namespace spruce::test
