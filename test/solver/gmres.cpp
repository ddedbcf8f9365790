// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/gmres.hpp>

#include <sstream>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

template <typename ValueType>
constexpr size_type iterations_until_all_is_allocated<solver::Gmres<ValueType>> = 24;

SPRUCE_TEST_KRYLOV_SOLVER(Gmres, solver_cases);
SPRUCE_TEST_UNSYMMETRIC_SOLVER(Gmres);

using solver::gmres::ortho_method;

template <typename Types>
class GmresSolver : public SolverTest<Types> {
protected:
    using typename SolverTest<Types>::V;
    using typename SolverTest<Types>::Dense;

    auto parameters(size_type max_iters, size_type krylov_dim) const
    {
        auto result = Types::solver::build();
        result
            .with_criteria(stop::Iteration::build().with_max_iters(max_iters),
                           stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
            .with_krylov_dim(krylov_dim);
        return result;
    }
};
TYPED_TEST_SUITE(GmresSolver, solver_cases<solver::Gmres>, type_names);

TYPED_TEST(GmresSolver, SolvesWithEachWayToMakeVectorsOrthogonal)
{
    const auto a = this->generated("poisson2d-5pt:8,convection=1");
    const auto b = this->random_dense(64, 2);
    for (const auto method : {ortho_method::mgs, ortho_method::cgs, ortho_method::cgs2}) {
        for (const size_type krylov_dim : {7, 17, 100}) {
            std::ostringstream name;
            name << method << ' ' << krylov_dim;
            SCOPED_TRACE(name.str());
            const auto x = this->random_dense(64, 2);
            const auto solver =
                this->parameters(1000, krylov_dim).with_ortho_method(method).on(this->exec)->generate(a);

            solver->apply(b, x);

            EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
            EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
        }
    }
}

TYPED_TEST(GmresSolver, KeepsNanOfThePreconditionerOutOfTheSolution)
{
    using V = typename TestFixture::V;
    const auto x = this->dense({{0, 1}, {0, 1}});
    const auto solver = this->make_solver(share(this->csr({{2, -1}, {-1, 2}})), 10);
    solver->set_preconditioner(share(this->csr({{0.5, 0}, {0, spruce::nan<V>()}})));

    solver->apply(this->dense({{1, 1}, {0, 1}}), x);  // the second column is solved already

    EXPECT_MTX_NEAR(x, this->dense({{0, 1}, {0, 1}}), 0.0);
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite, stop_reason::converged}));
}

TYPED_TEST(GmresSolver, OverflowStaysOutOfTheSolution)
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

TYPED_TEST(GmresSolver, TakesTheStepOfLeastResidual)
{
    const auto a = share(this->csr({{1, 2}, {0, 1}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->parameters(1, 5).on(this->exec)->generate(a);
    solver->add_logger(this->log);

    solver->apply(this->dense({{2}, {2}}), x);

    // A b = (6, 2): y = (A b, b) / (A b, A b) = 16 / 40, residual (2, 2) - 0.4 (6, 2) = (-0.4, 1.2)
    EXPECT_MTX_NEAR(x, this->dense({{0.8}, {0.8}}), 10 * this->epsilon());
    using real = typename TestFixture::real;
    EXPECT_MTX_NEAR(this->log->get_residual_norm(), this->real_dense({{static_cast<real>(std::sqrt(1.6))}}),
                    10 * this->epsilon());
}

TYPED_TEST(GmresSolver, EndsAfterAsManyStepsAsTheMatrixHasRows)
{
    const auto a = share(this->csr({{1, 1, 0, 0}, {0, 2, 0, 1}, {0, 0, 1, 1}, {0, 0, 0, 2}}));
    const auto x = this->dense({{0}, {0}, {0}, {0}});
    const auto solver = this->parameters(100, 0).on(this->exec)->generate(a);
    solver->add_logger(this->log);

    solver->apply(this->dense({{3}, {8}, {7}, {8}}), x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_LE(this->log->get_num_iterations(), 4u);
    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}, {3}, {4}}), 1000 * this->epsilon());
}

TYPED_TEST(GmresSolver, RestartsAfterOneStep)
{
    const auto a = this->generated("poisson2d-5pt:4,convection=1");
    const auto b = this->random_dense(16, 2);
    for (const auto method : {ortho_method::mgs, ortho_method::cgs, ortho_method::cgs2}) {
        const auto x = this->random_dense(16, 2);
        const auto solver = this->parameters(1000, 1).with_ortho_method(method).on(this->exec)->generate(a);

        solver->apply(b, x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
    }
}

TYPED_TEST(GmresSolver, EachWayToMakeVectorsOrthogonalRepeatsToTheSameBitsAndAllocatesNothingLater)
{
    for (const auto method : {ortho_method::mgs, ortho_method::cgs, ortho_method::cgs2}) {
        for (const auto flexible : {false, true}) {
            SCOPED_TRACE(testing::Message() << method << ' ' << flexible);
            const auto make = [&](const auto& a) {
                return this->parameters(1000, 7)
                    .with_ortho_method(method)
                    .with_flexible(flexible)
                    .with_generated_preconditioner(share(a->extract_diagonal()))
                    .on(this->exec)
                    ->generate(a);
            };

            this->expect_the_same_bits_again(make);
            this->expect_no_allocation_in_later_applies(*make(this->well_conditioned(64)));
        }
    }
}

TYPED_TEST(GmresSolver, EndsWhenRestartsBringNothing)
{
    // A rotates vectors by a right angle: no single step reduces the residual.
    const auto a = share(this->csr({{0, 1}, {-1, 0}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->parameters(1000, 1).on(this->exec)->generate(a);
    solver->add_logger(this->log);

    solver->apply(this->dense({{1}, {0}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::stagnation}));
    EXPECT_FALSE(this->log->has_converged());
    EXPECT_LT(this->log->get_num_iterations(), 5u);
    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
    // Two steps span the space.
    solver->set_krylov_dim(2);
    solver->apply(this->dense({{1}, {0}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{0}, {1}}), 10 * this->epsilon());
}

TYPED_TEST(GmresSolver, EndsWhereTheSpaceCannotGrowWithoutSolution)
{
    const auto a = share(this->csr({{1, 0}, {0, 0}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a);

    solver->apply(this->dense({{1}, {1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::breakdown_subspace}));
    EXPECT_MTX_NEAR(x, this->dense({{1}, {1}}), 10 * this->epsilon());  // minimizes the residual, as does each (1, t)

    x->fill(0);
    solver->apply(this->dense({{0}, {1}}), x);  // A b = 0
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::breakdown_subspace}));
    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
}

TYPED_TEST(GmresSolver, SolvesConsistentSingularProblem)
{
    const auto a = share(this->csr({{2, -2}, {-2, 2}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a);

    solver->apply(this->dense({{4}, {-4}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));
    EXPECT_MTX_NEAR(x, this->dense({{1}, {-1}}), 10 * this->epsilon());
}

/// Applies a different preconditioner each time: the inverse of the diagonal times 1, 2, 3, ...
template <typename ValueType>
struct Fickle : spruce::EnableLinOp<Fickle<ValueType>>, spruce::EnableCreateMethod<Fickle<ValueType>> {
    using Dense = spruce::matrix::Dense<ValueType>;
    explicit Fickle(std::shared_ptr<const spruce::Executor> exec, dim<2> size = {})
        : spruce::EnableLinOp<Fickle>(exec, size)
    {}
    void apply_impl(const spruce::LinOp* b, spruce::LinOp* x) const override
    {
        const auto out = spruce::as<Dense>(x);
        out->copy_from(spruce::as<Dense>(b));
        out->scale(spruce::initialize<Dense>({ValueType(++count)}, this->get_executor()));
    }
    void apply_impl(const spruce::LinOp*, const spruce::LinOp*, const spruce::LinOp*, spruce::LinOp*) const override {}
    mutable int count{};
};

TYPED_TEST(GmresSolver, FlexibleSolvesWithPreconditionersThatChange)
{
    using V = typename TypeParam::value_type;
    const auto a = this->generated("poisson2d-5pt:8,convection=1");
    const auto b = this->random_dense(64, 2);
    const std::shared_ptr<spruce::LinOp> fickle = Fickle<V>::create(this->exec, dim<2>{64, 64});
    const std::shared_ptr<spruce::LinOp> inner = this->parameters(4, 4).on(this->exec)->generate(a);
    for (const auto& m : {fickle, inner}) {
        const auto x = this->random_dense(64, 2);
        const auto solver =
            this->parameters(1000, 20).with_flexible(true).with_generated_preconditioner(m).on(this->exec)->generate(a);

        solver->apply(b, x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
    }
}

TYPED_TEST(GmresSolver, KeepsInfinityOfAPreconditionerOutOfTheSolution)
{
    using V = typename TypeParam::value_type;
    const auto a = share(this->csr({{2, -1}, {-1, 2}}));
    for (const auto flexible : {false, true}) {
        const auto x = this->dense({{3}, {4}});
        const auto solver = this->parameters(10, 0)
                                .with_flexible(flexible)
                                .with_generated_preconditioner(share(this->csr({{1, 0}, {0, spruce::nan<V>()}})))
                                .on(this->exec)
                                ->generate(a);

        solver->apply(this->dense({{1}, {1}}), x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite}));
        EXPECT_MTX_NEAR(x, this->dense({{3}, {4}}), 0.0);
    }
}

TYPED_TEST(GmresSolver, AllocatesVectorsOnlyWhenTheyAreNeeded)
{
    const auto a = this->poisson(10);
    const auto b = this->random_dense(100, 1);
    const auto x = this->random_dense(100, 1);
    const auto solver = this->parameters(3, 1000000000).on(this->exec)->generate(a);
    const auto before = this->exec->get_counters();

    solver->apply(b, x);

    const auto used = this->exec->get_counters() - before;
    EXPECT_LT(used.allocated_bytes, 100 * 100 * sizeof(typename TypeParam::value_type));
    EXPECT_EQ(solver->get_krylov_dim(), 1000000000u);
}

TYPED_TEST(GmresSolver, CountsOneHundredStepsAsDefault)
{
    const auto a = this->poisson(3);
    const auto solver = this->parameters(3, 0).on(this->exec)->generate(a);
    EXPECT_EQ(solver->get_krylov_dim(), solver::gmres_default_krylov_dim);
    EXPECT_EQ(solver->get_krylov_dim(), 100u);

    solver->set_krylov_dim(17);
    EXPECT_EQ(solver->get_krylov_dim(), 17u);
    EXPECT_EQ(solver->get_parameters().krylov_dim, 17u);
    EXPECT_EQ(spruce::as<typename TestFixture::solver>(solver->transpose())->get_krylov_dim(), 17u);
}

}  // namespace spruce::test
