// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cb_gmres.hpp>

#include <sstream>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

template <typename ValueType>
constexpr size_type iterations_until_all_is_allocated<solver::CbGmres<ValueType>> = 24;
template <typename ValueType>
constexpr size_type num_cycles<solver::CbGmres<ValueType>> = 3;

SPRUCE_TEST_KRYLOV_SOLVER(CbGmres, solver_cases);
SPRUCE_TEST_UNSYMMETRIC_SOLVER(CbGmres);

using solver::cb_gmres::storage_precision;

template <typename Types>
class CbGmresSolver : public SolverTest<Types> {
protected:
    using typename SolverTest<Types>::V;

    auto parameters(size_type max_iters, storage_precision precision, size_type krylov_dim = 0) const
    {
        auto result = Types::solver::build();
        result
            .with_criteria(stop::Iteration::build().with_max_iters(max_iters),
                           stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
            .with_storage_precision(precision)
            .with_krylov_dim(krylov_dim);
        return result;
    }

    static inline const std::vector<storage_precision> all_precisions{
        storage_precision::keep,    storage_precision::reduce1,  storage_precision::reduce2,
        storage_precision::integer, storage_precision::ireduce1, storage_precision::ireduce2};
};
TYPED_TEST_SUITE(CbGmresSolver, solver_cases<solver::CbGmres>, type_names);

TYPED_TEST(CbGmresSolver, SolvesWithEachStoragePrecision)
{
    const auto a = this->generated("poisson2d-5pt:8,convection=1");
    const auto b = this->random_dense(64, 2);
    for (const auto precision : this->all_precisions) {
        for (const size_type krylov_dim : {17, 100}) {
            std::ostringstream name;
            name << precision << ' ' << krylov_dim;
            SCOPED_TRACE(name.str());
            const auto x = this->random_dense(64, 2);
            const auto solver = this->parameters(1000, precision, krylov_dim).on(this->exec)->generate(a);
            solver->add_logger(this->log);

            solver->apply(b, x);

            EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
            // The true residual confirms convergence: the bound has no allowance for rounding of
            // the basis.
            EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1.1 * this->reduction());
        }
    }
}

TYPED_TEST(CbGmresSolver, KeepsNanOfThePreconditionerOutOfTheSolution)
{
    using V = typename TestFixture::V;
    const auto x = this->dense({{0, 1}, {0, 1}});
    const auto solver = this->make_solver(share(this->csr({{2, -1}, {-1, 2}})), 10);
    solver->set_preconditioner(share(this->csr({{0.5, 0}, {0, spruce::nan<V>()}})));

    solver->apply(this->dense({{1, 1}, {0, 1}}), x);  // the second column is solved already

    EXPECT_MTX_NEAR(x, this->dense({{0, 1}, {0, 1}}), 0.0);
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite, stop_reason::converged}));
}

TYPED_TEST(CbGmresSolver, OverflowStaysOutOfTheSolution)
{
    using V = typename TestFixture::V;
    constexpr auto huge = std::numeric_limits<typename TestFixture::real>::max();
    const auto root = std::sqrt(std::sqrt(huge));
    const auto x = this->dense({{V{huge / 4 * 3}}});
    const auto solver = this->make_solver(share(this->csr({{V{1 / (root * root * root)}}})), 10);
    solver->set_preconditioner(share(this->csr({{V{root * root * root}}})));

    solver->apply(this->dense({{V{root / 2 * 3}}}), x);  // the solution is 3 / 2 huge

    EXPECT_MTX_NEAR(x, this->dense({{V{huge / 4 * 3}}}), 0.0);
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::stagnation}));
}

TYPED_TEST(CbGmresSolver, ReportsTheTrueResidual)
{
    const auto a = this->generated("poisson2d-5pt:9,convection=1");
    const auto b = this->random_dense(81, 2);
    const auto x = this->random_dense(81, 2);
    const auto solver = this->parameters(12, storage_precision::ireduce2).on(this->exec)->generate(a);
    solver->add_logger(this->log);

    solver->apply(b, x);

    const auto r = clone(b);
    a->apply(this->dense({{-1}}), x, this->dense({{1}}), r);
    const auto norm = TestFixture::RealDense::create(this->exec, dim<2>{1, 2});
    r->compute_norm2(norm);
    EXPECT_EQ(this->log->get_num_iterations(), 12u);
    EXPECT_MTX_NEAR(spruce::as<typename TestFixture::RealDense>(this->log->get_residual_norm()), norm,
                    10 * this->epsilon());
}

TYPED_TEST(CbGmresSolver, KeepTakesTheStepsOfGmres)
{
    using V = typename TypeParam::value_type;
    const auto a = this->generated("poisson2d-5pt:9,convection=1");
    const auto b = this->random_dense(81, 2);
    const auto x = this->random_dense(81, 2);
    const auto expected = clone(x);

    this->parameters(15, storage_precision::keep, 10).on(this->exec)->generate(a)->apply(b, x);
    solver::Gmres<V>::build()
        .with_criteria(stop::Iteration::build().with_max_iters(15))
        .with_krylov_dim(10)
        .on(this->exec)
        ->generate(a)
        ->apply(b, expected);

    EXPECT_MTX_NEAR(x, expected, 100 * this->epsilon());
}

TYPED_TEST(CbGmresSolver, EachStoragePrecisionRepeatsToTheSameBitsAndAllocatesNothingLater)
{
    for (const auto precision : this->all_precisions) {
        SCOPED_TRACE(testing::Message() << precision);
        const auto make = [&](const auto& a) {
            return this->parameters(1000, precision)
                .with_generated_preconditioner(share(a->extract_diagonal()))
                .on(this->exec)
                ->generate(a);
        };

        this->expect_the_same_bits_again(make);
        this->expect_no_allocation_in_later_applies(*make(this->well_conditioned(64)));
    }
}

TYPED_TEST(CbGmresSolver, EndsWhenRestartsBringNothing)
{
    // A rotates vectors by a right angle: no single step reduces the residual.
    const auto a = share(this->csr({{0, 1}, {-1, 0}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->parameters(1000, storage_precision::reduce1, 1).on(this->exec)->generate(a);
    solver->add_logger(this->log);

    solver->apply(this->dense({{1}, {0}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::stagnation}));
    EXPECT_FALSE(this->log->has_converged());
    EXPECT_LT(this->log->get_num_iterations(), 5u);
    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
}

TYPED_TEST(CbGmresSolver, KnowsWhichColumnsConvergedBeforeTheLimit)
{
    using V = typename TestFixture::V;
    const auto a = this->well_conditioned(64);
    const auto b = this->random_dense(64, 2);
    const auto x = clone(b);
    x->fill(0);
    this->parameters(1000, storage_precision::keep).on(this->exec)->generate(a)->apply(b, x);
    // The first column needs a few more steps, and the second column starts from zero.
    x->create_submatrix({0, 64}, {0, 1})->scale(spruce::initialize<typename TestFixture::Dense>({0.99}, this->exec));
    x->create_submatrix({0, 64}, {1, 2})->fill(0);
    const auto solver =
        TypeParam::solver::build()
            .with_criteria(
                stop::Iteration::build().with_max_iters(5),
                stop::ResidualNorm<V>::build().with_reduction_factor(1e-3).with_baseline(stop::mode::rhs_norm))
            .on(this->exec)
            ->generate(a);

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons(),
              (std::vector<stop_reason>{stop_reason::converged, stop_reason::iteration_limit}));
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 0.1);
}

TYPED_TEST(CbGmresSolver, EndsWhereTheSpaceCannotGrowWithoutSolution)
{
    const auto a = share(this->csr({{1, 0}, {0, 0}}));
    for (const auto precision : this->all_precisions) {
        const auto x = this->dense({{0}, {0}});
        const auto solver = this->parameters(50, precision).on(this->exec)->generate(a);
        solver->apply(this->dense({{1}, {1}}), x);
        EXPECT_NE(solver->get_stop_reasons().at(0), stop_reason::converged);
        EXPECT_NE(solver->get_stop_reasons().at(0), stop_reason::iteration_limit);
        EXPECT_TRUE(this->is_finite(x.get()));

        x->fill(0);
        solver->apply(this->dense({{0}, {1}}), x);  // A b = 0
        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::breakdown_subspace}));
        EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
    }
}

TYPED_TEST(CbGmresSolver, KeepsInfinityOfAPreconditionerOutOfTheSolution)
{
    using V = typename TypeParam::value_type;
    const auto x = this->dense({{3}, {4}});
    const auto solver = this->make_solver(share(this->csr({{2, -1}, {-1, 2}})));
    solver->set_preconditioner(share(this->csr({{1, 0}, {0, spruce::nan<V>()}})));

    solver->apply(this->dense({{1}, {1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite}));
    EXPECT_MTX_NEAR(x, this->dense({{3}, {4}}), 0.0);
}

TYPED_TEST(CbGmresSolver, AllocatesVectorsOnlyWhenTheyAreNeeded)
{
    using V = typename TypeParam::value_type;
    const auto a = this->generated("poisson2d-5pt:40");
    const auto b = this->random_dense(1600, 1);
    const auto allocated = [&](storage_precision precision) {
        const auto x = this->random_dense(1600, 1);
        const auto solver = this->parameters(15, precision, 1000000000).on(this->exec)->generate(a);
        const auto before = this->exec->get_counters();
        solver->apply(b, x);
        return (this->exec->get_counters() - before).allocated_bytes;
    };

    const auto all = allocated(storage_precision::keep);
    const auto half = allocated(storage_precision::reduce1);

    EXPECT_LT(all, (25 + 8) * 1600 * sizeof(V));  // checks may be 8 steps late
    EXPECT_GE(all - half, 15 * 1600 * sizeof(V) / 2);
}

TYPED_TEST(CbGmresSolver, KnowsItsParameters)
{
    const auto a = this->poisson(3);
    const auto solver = TestFixture::solver::build()
                            .with_criteria(stop::Iteration::build().with_max_iters(1))
                            .on(this->exec)
                            ->generate(a);
    EXPECT_EQ(solver->get_krylov_dim(), 100u);
    EXPECT_EQ(solver->get_storage_precision(), storage_precision::reduce1);

    solver->set_krylov_dim(17);
    EXPECT_EQ(solver->get_parameters().krylov_dim, 17u);
    solver->set_krylov_dim(0);
    EXPECT_EQ(solver->get_krylov_dim(), 100u);
}

}  // namespace spruce::test
