// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/minres.hpp>

#include "test/solver/hermitian_suite.hpp"

namespace spruce::test {

SPRUCE_TEST_HERMITIAN_SOLVER(Minres, solver_cases);

template <typename Types>
class MinresSolver : public HermitianSolver<Types> {
protected:
    using typename HermitianSolver<Types>::V;
    using typename HermitianSolver<Types>::I;

    /// Creates an indefinite matrix. It is Hermitian and diagonally dominant, and half of its rows
    /// change their sign together with their columns.
    host_matrix random_indefinite(size_type size)
    {
        auto data = random_positive_definite(this->engine, size, 7);
        for (auto& entry : data.nonzeros) {
            if (entry.row == entry.column && entry.row % 2 == 1) {
                entry.value = -entry.value;
            }
        }
        return data;
    }

    std::shared_ptr<const LinOp> inverse_absolute_diagonal(host_matrix data) const
    {
        for (auto& entry : data.nonzeros) {
            entry.value = std::abs(entry.value);
        }
        return this->inverse_diagonal(data);
    }
};
TYPED_TEST_SUITE(MinresSolver, solver_cases<solver::Minres>, type_names);

TYPED_TEST(MinresSolver, SolvesIndefiniteProblems)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = this->random_indefinite(301);
    const auto a = share(make_csr<V, I>(this->exec, data));
    for (const size_type num_rhs : {1, 5}) {
        this->expect_solves_tightly(a, num_rhs);
        this->expect_solves_tightly(a, num_rhs, this->inverse_absolute_diagonal(data));
    }
}

TYPED_TEST(MinresSolver, SolvesSaddlePointProblem)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [A B; B^H 0]
    auto data = poisson_2d(8);
    host_matrix saddle{dim<2>{80, 80}};
    saddle.nonzeros = data.nonzeros;
    for (size_type i = 0; i < 16; ++i) {
        for (const auto& [row, value] : {std::pair<size_type, double>{4 * i, 1.0}, {(4 * i + 9) % 64, -2.0}}) {
            saddle.nonzeros.emplace_back(row, 64 + i, value);
            saddle.nonzeros.emplace_back(64 + i, row, value);
        }
    }
    saddle.sort_row_major();
    this->expect_solves_tightly(share(make_csr<V, I>(this->exec, saddle)), 3);
}

TYPED_TEST(MinresSolver, NeedsOneIterationForEachEigenvalue)
{
    const auto a = share(this->csr({{0, 2}, {2, 0}}));  // eigenvalues 2 and -2; Cg breaks down
    const auto x = this->dense({{0}, {0}});

    this->make_solver(a)->apply(this->dense({{2}, {6}}), x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_LE(this->log->get_num_iterations(), 2u);
    EXPECT_MTX_NEAR(x, this->dense({{3}, {1}}), 10 * this->epsilon());
}

TYPED_TEST(MinresSolver, SolvesSingularSystemsThatHaveASolution)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    constexpr size_type size = 60;
    const auto a = share(make_csr<V, I>(this->exec, neumann_problem(size)));
    const auto b = this->apply(a, this->random_dense(size, 2));
    const auto x = this->dense_of_nan(size, 2);
    x->fill(zero<V>());

    this->make_solver(a)->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1.02 * this->reduction());
}

TYPED_TEST(MinresSolver, GivesTheLeastResidualOfSystemsThatNearlyHaveASolution)
{
    this->expect_least_residual_where_nearly_compatible(1.1);
}

TYPED_TEST(MinresSolver, GivesTheLeastResidualWhereThereIsNoSolution)
{
    const auto solver = this->make_solver(share(this->csr({{3, 0, 0}, {0, -1, 0}, {0, 0, 0}})), 20);
    const auto x = this->dense({{0}, {0}, {0}});

    solver->apply(this->dense({{6}, {4}, {1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::breakdown_subspace}));
    const auto image = this->apply(solver->get_system_matrix(), x);
    EXPECT_MTX_NEAR(image, this->dense({{6}, {4}, {0}}), 30 * this->epsilon());
}

TYPED_TEST(MinresSolver, StopsAsStagnatedWhereTheResidualIsSubnormal)
{
    using real = typename TestFixture::real;
    const auto tiny = 3 * std::numeric_limits<real>::denorm_min();
    for (const auto& a : {share(this->csr({{2, -1}, {-1, 2}})), share(this->csr({{0, 1}, {1, 0}}))}) {
        const auto solver = this->make_solver(a, 20);
        solver->set_stop_criterion_factory(
            stop::ResidualNorm<typename TypeParam::value_type>::build().with_reduction_factor(0.0).on(this->exec));
        const auto x = this->dense({{0}, {0}});

        solver->apply(this->dense({{tiny}, {-tiny}}), x);

        const auto reason = solver->get_stop_reasons()[0];
        EXPECT_TRUE(reason == stop_reason::stagnation || reason == stop_reason::converged) << reason;
        EXPECT_TRUE(this->is_finite(x.get()));
    }
}

TYPED_TEST(MinresSolver, SaysWhichBreakdownItWas)
{
    // A is zero: its range contains only zero.
    this->expect_breakdown(share(this->csr({{0, 0}, {0, 0}})), this->dense({{1}, {1}}),
                           stop_reason::breakdown_subspace);
    // (r, M r) is zero, negative, imaginary for complex values, or becomes negative in a later
    // step.
    const auto a = share(this->csr({{2, 1}, {1, 3}}));
    const auto expect_inner_product = [&](auto m, bool moves) {
        const auto x = this->dense({{0}, {0}});
        const auto solver = this->make_solver(a, 10);
        solver->set_preconditioner(share(std::move(m)));
        solver->apply(this->dense({{1}, {1}}), x);
        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::breakdown_inner_product}));
        EXPECT_TRUE(this->is_finite(x.get()));
        if (!moves) {
            EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
        }
    };
    expect_inner_product(this->csr({{1, 0}, {0, -1}}), false);
    expect_inner_product(this->csr({{-1, 0}, {0, -1}}), false);
    expect_inner_product(this->csr({{2, 0}, {0, -1}}), true);
}

}  // namespace spruce::test
