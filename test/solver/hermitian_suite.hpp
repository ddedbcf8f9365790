// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Tests solvers for Hermitian systems that confirm convergence by the true residual, beyond
// suites/krylov_suite.hpp. A solver's source file contains
// SPRUCE_TEST_HERMITIAN_SOLVER(Minres, solver_cases);

#include <fstream>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

template <typename Types>
class HermitianSolver : public SolverTest<Types> {
protected:
    using typename SolverTest<Types>::V;
    using typename SolverTest<Types>::I;
    using typename SolverTest<Types>::real;
    using typename SolverTest<Types>::solver;

    /// Returns 1e-10 in double and 1e-5 in float.
    static real tight() { return std::is_same_v<real, double> ? static_cast<real>(1e-10) : static_cast<real>(1e-5); }

    std::unique_ptr<solver> make_tight(std::shared_ptr<const LinOp> a, real factor = tight())
    {
        auto result = solver::build()
                          .with_criteria(stop::Iteration::build().with_max_iters(4000),
                                         stop::ResidualNorm<V>::build().with_reduction_factor(factor))
                          .on(this->exec)
                          ->generate(std::move(a));
        result->add_logger(this->log);
        return result;
    }

    void expect_solves_tightly(std::shared_ptr<const LinOp> a, size_type num_rhs,
                               std::shared_ptr<const LinOp> preconditioner = nullptr)
    {
        const auto size = a->get_size()[0];
        const auto b = this->random_dense(size, num_rhs);
        const auto x = this->random_dense(size, num_rhs);
        const auto solver = this->make_tight(a);
        if (preconditioner) {
            solver->set_preconditioner(preconditioner);
        }

        solver->apply(b, x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(num_rhs, stop_reason::converged)));
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1.02 * tight());
    }

    std::shared_ptr<const LinOp> inverse_diagonal(const host_matrix& data) const
    {
        host_matrix inverse{data.size};
        for (const auto& entry : data.nonzeros) {
            if (entry.row == entry.column) {
                inverse.nonzeros.emplace_back(entry.row, entry.row, 1.0 / entry.value);
            }
        }
        return make_csr<V, I>(this->exec, inverse);
    }
};
TYPED_TEST_SUITE_P(HermitianSolver);

TYPED_TEST_P(HermitianSolver, SolvesAccurately)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = random_positive_definite(this->engine, 190, 9);
    const auto a = share(make_csr<V, I>(this->exec, data));
    this->expect_solves_tightly(a, 1);
    this->expect_solves_tightly(a, 1, this->inverse_diagonal(data));
    this->expect_solves_tightly(this->poisson(31), 1);
    this->expect_solves_tightly(this->poisson(5), 64);
}

TYPED_TEST_P(HermitianSolver, SolvesMatrixFromPractice)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    if (!std::is_same_v<V, double>) {
        GTEST_SKIP() << "a real problem, of condition 1e7";
    }
    std::ifstream file{matrix_file("1138_bus")};
    const auto data = read_generic_raw<std::complex<double>, spruce::int64>(file);
    this->expect_solves_tightly(share(make_csr<V, I>(this->exec, data)), 1, this->inverse_diagonal(data));
    EXPECT_GT(this->log->get_num_iterations(), 200u);
}

TYPED_TEST_P(HermitianSolver, NeverReportsConvergenceThatTheTrueResidualDoesNotShow)
{
    using V = typename TypeParam::value_type;
    const auto a = this->poisson(8);
    const auto b = this->random_dense(64, 3);
    // A distant initial guess limits the accuracy to some epsilon times the initial residual.
    for (const auto& [distance, factor] :
         std::vector<std::pair<double, double>>{{1.0, 1e-3}, {1.0, 1e2 * this->epsilon()}, {1e4, this->epsilon()}}) {
        SCOPED_TRACE(testing::Message() << distance << ", " << factor);
        const auto x = this->random_dense(64, 3);
        x->scale(this->dense({{V(distance)}}));
        const auto solver = this->make_tight(a, factor);

        solver->apply(b, x);

        // The residuals of all columns are computed together, as the solver does: the rounding
        // errors of a product depend on the number of columns.
        using RealDense = typename TestFixture::RealDense;
        const auto residual = clone(this->exec, b);
        const auto norms = RealDense::create(this->ref, dim<2>{1, 3});
        const auto b_norms = RealDense::create(this->ref, dim<2>{1, 3});
        a->apply(this->dense({{-1}}), x, this->dense({{1}}), residual);
        residual->compute_norm2(norms);
        b->compute_norm2(b_norms);
        for (size_type col = 0; col < 3; ++col) {
            const auto reason = solver->get_stop_reasons().at(col);
            const auto found = norms->at(0, col) / b_norms->at(0, col);
            if (reason == stop_reason::converged) {
                EXPECT_LE(found, 1.02 * factor);
            }
            // This bound allows for recurrences longer than that of Cg, which stagnate earlier.
            EXPECT_LE(found, std::max(1.02 * factor, 1e5 * distance * this->epsilon()));
        }
    }
}

TYPED_TEST_P(HermitianSolver, EndsWithoutAnyLimitWhenItGetsNoFurther)
{
    using V = typename TypeParam::value_type;
    const auto a = this->poisson(9);
    const auto b = this->random_dense(81, 2);
    const auto x = this->random_dense(81, 2);
    const auto solver = TestFixture::solver::build()
                            .with_criteria(stop::ResidualNorm<V>::build().with_reduction_factor(0))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(b, x);

    for (const auto reason : solver->get_stop_reasons()) {
        // After convergence to rounding accuracy, the recurrence may break down before it
        // stagnates.
        EXPECT_TRUE(reason == stop_reason::stagnation || reason == stop_reason::breakdown_curvature ||
                    reason == stop_reason::breakdown_inner_product)
            << reason;
    }
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 100 * this->epsilon());
}

REGISTER_TYPED_TEST_SUITE_P(HermitianSolver, SolvesAccurately, SolvesMatrixFromPractice,
                            NeverReportsConvergenceThatTheTrueResidualDoesNotShow,
                            EndsWithoutAnyLimitWhenItGetsNoFurther);

#define SPRUCE_TEST_HERMITIAN_SOLVER(_solver, _cases) \
    SPRUCE_TEST_KRYLOV_SOLVER(_solver, _cases);       \
    INSTANTIATE_TYPED_TEST_SUITE_P(_solver, HermitianSolver, _cases<spruce::solver::_solver>, type_names)

}  // namespace spruce::test
