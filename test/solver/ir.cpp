// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/ir.hpp>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

using solver::initial_guess_mode;

template <typename ValueType>
struct solver_parameters<solver::Ir<ValueType>> {
    static auto make()
    {
        return solver::Ir<ValueType>::build().with_relaxation_factor(
            ValueType{static_cast<remove_complex<ValueType>>(0.25)});
    }
};

SPRUCE_TEST_SOLVER(Ir, solver_cases);

template <typename Types>
class IrSolver : public SolverTest<Types> {
protected:
    using typename SolverTest<Types>::V;
    using solver = spruce::solver::Ir<V>;

    auto criteria(size_type max_iters = 1000) const
    {
        return stop::combine(
            {share(stop::Iteration::build().with_max_iters(max_iters).on(this->exec)),
             share(stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()).on(this->exec))});
    }

    /// Returns the factory of a refinement with some steps of Cg as the inner solver.
    auto refinement(size_type max_iters = 1000) const
    {
        return solver::build()
            .with_solver(spruce::solver::Cg<V>::build().with_criteria(stop::Iteration::build().with_max_iters(10)))
            .with_criteria(this->criteria(max_iters));
    }
};
TYPED_TEST_SUITE(IrSolver, solver_cases<solver::Ir>, type_names);

TYPED_TEST(IrSolver, IsRichardsonsIterationByHand)
{
    const auto a = share(this->csr({{2, 1}, {0, 4}}));
    const auto x = this->dense({{1}, {1}});
    const auto solver = TestFixture::solver::build()
                            .with_relaxation_factor(typename TestFixture::V{0.25})
                            .with_criteria(this->criteria(1))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(this->dense({{7}, {8}}), x);  // r = (4, 4)

    EXPECT_MTX_NEAR(x, this->dense({{2}, {2}}), 0.0);
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::iteration_limit}));
}

TYPED_TEST(IrSolver, SolvesWithInnerSolver)
{
    for (const size_type num_rhs : {1, 3, 17}) {
        const auto a = this->poisson(15);
        const auto b = this->random_dense(225, num_rhs, num_rhs + 2);
        const auto x = this->random_dense(225, num_rhs, num_rhs + 1);
        const auto solver = this->refinement().on(this->exec)->generate(a);

        solver->apply(b, x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(num_rhs, stop_reason::converged)));
        // Ir computes the true residual, so the bound needs no allowance for the drift of a
        // recurrence.
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1.01 * this->reduction());
        EXPECT_TRUE(padding_is_intact(*x));
    }
}

TYPED_TEST(IrSolver, EndsWhereItGainsNextToNothing)
{
    using V = typename TestFixture::V;
    const auto x = this->dense({{0}, {0}});
    const auto solver = TestFixture::solver::build()
                            .with_relaxation_factor(V(1e-6))  // each step removes this fraction of the residual
                            .with_criteria(this->criteria(10000))
                            .on(this->exec)
                            ->generate(share(this->csr({{1, 0}, {0, 1}})));

    solver->apply(this->dense({{4}, {8}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::stagnation}));
}

TYPED_TEST(IrSolver, StartsFromTheGuessThatWasAskedFor)
{
    using V = typename TestFixture::V;
    const auto a = share(this->csr({{2, 0}, {0, 4}}));
    const auto b = this->dense({{4}, {8}});
    const auto expect_step_to = [&](const auto& expected, initial_guess_mode mode) {
        const auto x = this->dense({{1}, {1}});
        const auto advanced_x = clone(x);
        const auto solver = TestFixture::solver::build()
                                .with_relaxation_factor(V{0.5})
                                .with_default_initial_guess(mode)
                                .with_criteria(this->criteria(1))
                                .on(this->exec)
                                ->generate(a);
        EXPECT_EQ(solver->apply_uses_initial_guess(), mode == initial_guess_mode::provided);

        solver->apply(b, x);
        solver->apply(this->dense({{2}}), b, this->dense({{3}}), advanced_x);

        EXPECT_MTX_NEAR(x, expected, 0.0);
        const auto sum = this->dense({{3}, {3}});
        sum->add_scaled(this->dense({{2}}), expected);
        EXPECT_MTX_NEAR(advanced_x, sum, 0.0);
    };
    expect_step_to(this->dense({{2}, {4}}), initial_guess_mode::zero);
    expect_step_to(this->dense({{2}, {-4}}), initial_guess_mode::rhs);
    expect_step_to(this->dense({{2}, {3}}), initial_guess_mode::provided);
}

TYPED_TEST(IrSolver, RefusesImplicitNormsBeforeItChangesAnything)
{
    const auto a = share(this->csr({{2, 0}, {0, 4}}));
    const auto b = this->dense({{4}, {8}});
    for (const auto mode : {initial_guess_mode::zero, initial_guess_mode::rhs, initial_guess_mode::provided}) {
        const auto x = this->dense({{1}, {3}});
        const auto solver = TestFixture::solver::build()
                                .with_default_initial_guess(mode)
                                .with_criteria(stop::Iteration::build().with_max_iters(2u),
                                               stop::ImplicitResidualNorm<typename TestFixture::V>::build())
                                .on(this->exec)
                                ->generate(a);

        EXPECT_THROW(solver->apply(b, x), NotSupported);
        EXPECT_MTX_NEAR(x, this->dense({{1}, {3}}), 0.0);
    }
}

TYPED_TEST(IrSolver, SolvesInPlace)
{
    const auto a = share(this->csr({{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}));
    for (const auto mode : {initial_guess_mode::zero, initial_guess_mode::rhs, initial_guess_mode::provided}) {
        const auto x = this->dense({{-1}, {3}, {1}});

        this->refinement().with_default_initial_guess(mode).on(this->exec)->generate(a)->apply(x, x);

        EXPECT_MTX_NEAR(x, this->dense({{1}, {3}, {2}}), 20 * this->reduction());
    }
}

TYPED_TEST(IrSolver, KeepsNanOfTheInnerSolverOutOfTheSolution)
{
    using V = typename TestFixture::V;
    const auto a = share(this->csr({{2, 0}, {0, 4}}));
    const auto x = this->dense({{1, 1}, {3, 2}});
    const auto solver = TestFixture::solver::build()
                            .with_generated_solver(share(this->csr({{0.5, 0}, {0, spruce::nan<V>()}})))
                            .with_criteria(this->criteria(7))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(this->dense({{2, 2}, {8, 8}}), x);  // the second column is solved already

    EXPECT_MTX_NEAR(x, this->dense({{1, 1}, {3, 2}}), 0.0);
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite, stop_reason::converged}));
}

TYPED_TEST(IrSolver, StopsWhenItDiverges)
{
    const auto a = share(this->csr({{1000}}));
    const auto x = this->dense({{1}});
    const auto solver = TestFixture::solver::build().with_criteria(this->criteria()).on(this->exec)->generate(a);

    solver->apply(this->dense({{1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::stagnation}));
    EXPECT_MTX_NEAR(x, this->dense({{1}}), 0.0);
}

TYPED_TEST(IrSolver, EndsWithoutAnyLimitWhenItGetsNoFurther)
{
    using V = typename TestFixture::V;
    const auto a = share(this->csr({{2, 0}, {0, 0}}));  // only the first column of b lies in its range
    const auto x = this->dense({{0, 0}, {0, 0}});
    const auto solver = TestFixture::solver::build()
                            .with_relaxation_factor(V{0.25})
                            .with_criteria(stop::Iteration::build().with_max_iters(1000),
                                           stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
                            .on(this->exec)
                            ->generate(a);
    solver->add_logger(this->log);

    solver->apply(this->dense({{4, 4}, {0, 1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged, stop_reason::stagnation}));
    EXPECT_EQ(this->log->get_num_iterations(), 480u);
    EXPECT_MTX_NEAR(x->create_submatrix(span{0, 1}, span{0, 2}), this->dense({{2, 2}}), 10 * this->reduction());
}

TYPED_TEST(IrSolver, DoesNotTakeSlowConvergenceForStagnation)
{
    using V = typename TestFixture::V;
    const auto x = this->dense({{0}});
    // Each step reduces the residual by 1 / 500. Halving it takes three times as many steps as the
    // solver waits for progress.
    const auto solver = TestFixture::solver::build()
                            .with_relaxation_factor(V{static_cast<typename TestFixture::real>(0.002)})
                            .with_criteria(stop::ResidualNorm<V>::build().with_reduction_factor(0.25))
                            .on(this->exec)
                            ->generate(share(this->csr({{1}})));

    solver->apply(this->dense({{1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));
}

TYPED_TEST(IrSolver, TransposedSolverSolvesTransposedProblem)
{
    const auto a = share(this->csr({{4, 1}, {0, 5}}));
    const auto b = this->dense({{4}, {11}});
    const auto x = this->dense({{0}, {0}});
    const auto solver = TestFixture::solver::build()
                            .with_generated_solver(share(this->csr({{0.25, -0.05}, {0, 0.2}})))
                            .with_criteria(this->criteria(3))
                            .on(this->exec)
                            ->generate(a);

    as<typename TestFixture::solver>(solver->transpose())->apply(b, x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 10 * this->reduction());
}

TYPED_TEST(IrSolver, ConjTransposedSolverSolvesConjTransposedProblem)
{
    using V = typename TestFixture::V;
    const auto unit = this->unit();
    const auto conj_unit = spruce::conj(unit);
    const auto a = share(this->csr({{V{4} * unit, unit}, {0, V{5} * unit}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = TestFixture::solver::build()
                            .with_relaxation_factor(V{1} / (V{4.5} * unit))
                            .with_criteria(this->criteria(100))
                            .on(this->exec)
                            ->generate(a);

    solver->conj_transpose()->apply(this->dense({{V{4} * conj_unit}, {V{11} * conj_unit}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 10 * this->reduction());
}

TYPED_TEST(IrSolver, CopiesTakeTheInnerSolverAlong)
{
    const auto a = share(this->csr({{4, 1}, {0, 5}}));
    const auto solver = this->refinement().on(this->exec)->generate(a);

    const auto copy = clone(this->ref, solver);

    EXPECT_EQ(copy->get_solver()->get_executor()->get_backend(), this->ref->get_backend());
    EXPECT_EQ(copy->get_system_matrix()->get_executor()->get_backend(), this->ref->get_backend());
    EXPECT_EQ(copy->get_parameters().relaxation_factor, solver->get_parameters().relaxation_factor);
}

TYPED_TEST(IrSolver, SmootherTakesItsStepsAndNoMore)
{
    using V = typename TestFixture::V;
    const auto a = share(this->csr({{2, 0}, {0, 4}}));
    const std::shared_ptr<const LinOp> inverse = this->csr({{0.5, 0}, {0, 0.25}});
    const std::shared_ptr<const LinOpFactory> exact =
        spruce::solver::LowerTrs<V, typename TypeParam::index_type>::build().on(this->exec);
    const auto from_solver = share(spruce::solver::build_smoother<V>(inverse, 2u, V{0.5}));
    const auto from_factory = share(spruce::solver::build_smoother<V>(exact, 2u, V{0.5}));
    for (const auto& factory : {from_solver, from_factory}) {
        const auto x = this->dense({{0}, {0}});
        const auto smoother = factory->generate(a);

        smoother->apply(this->dense({{2}, {8}}), x);

        EXPECT_MTX_NEAR(x, this->dense({{0.75}, {1.5}}), this->epsilon());
        EXPECT_EQ(smoother->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::iteration_limit}));
    }
}

TYPED_TEST(IrSolver, SolvesWithTheExactInverseInOneStep)
{
    const auto a = share(this->csr({{2, 1}, {0, 4}}));
    const auto x = this->dense({{7, 0}, {9, 0}});
    const auto solver = TestFixture::solver::build()
                            .with_generated_solver(share(this->csr({{0.5, -0.125}, {0, 0.25}})))
                            .with_criteria(this->criteria())
                            .on(this->exec)
                            ->generate(a);
    solver->add_logger(this->log);

    solver->apply(this->dense({{4, 1}, {8, 3}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
    EXPECT_EQ(this->log->get_num_iterations(), 1u);
    EXPECT_MTX_NEAR(x, this->dense({{1, 0.125}, {2, 0.75}}), 20 * this->epsilon());
}

TYPED_TEST(IrSolver, TakesAnotherInnerSolverOrKeepsTheOneItHas)
{
    using V = typename TestFixture::V;
    static_assert(std::is_same_v<spruce::solver::Richardson<V>, typename TestFixture::solver>);
    const auto solver = spruce::solver::Richardson<V>::build()
                            .with_criteria(this->criteria(1))
                            .on(this->exec)
                            ->generate(share(this->csr({{2, 1}, {0, 4}})));
    const auto inverse = share(this->csr({{0.5, -0.125}, {0, 0.25}}));
    const auto x = this->dense({{0}, {0}});
    solver->set_solver(inverse);

    EXPECT_THROW(solver->set_solver(nullptr), NotSupported);
    EXPECT_THROW(solver->set_solver(share(this->csr({{1}}))), DimensionMismatch);

    EXPECT_EQ(solver->get_solver(), inverse);
    solver->apply(this->dense({{4}, {8}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 0.0);
}

TYPED_TEST(IrSolver, AllocatesNothingInLaterAppliesWithAnInnerSolver)
{
    this->expect_no_allocation_in_later_applies(
        *this->refinement().on(this->exec)->generate(this->well_conditioned(64)));
    this->expect_no_allocation_in_later_applies(*this->refinement()
                                                     .with_default_initial_guess(initial_guess_mode::zero)
                                                     .on(this->exec)
                                                     ->generate(this->well_conditioned(64)));
}

class IrWithInnerSolver : public kernel_test<types<double, int32>> {};

TEST_F(IrWithInnerSolver, RefusesASolverOfAnotherSize)
{
    const std::shared_ptr<Csr> a = make_csr<double, int32>(exec, poisson_2d(3));
    const std::shared_ptr<Csr> other = make_csr<double, int32>(exec, poisson_2d(2));
    const auto factory = solver::Ir<double>::build()
                             .with_generated_solver(other)
                             .with_criteria(stop::Iteration::build().with_max_iters(1))
                             .on(exec);

    EXPECT_THROW(factory->generate(a), DimensionMismatch);
}

TEST_F(IrWithInnerSolver, RefusesAFactorThatIsNotFinite)
{
    const auto factory = solver::Ir<double>::build()
                             .with_relaxation_factor(spruce::nan<double>())
                             .with_criteria(stop::Iteration::build().with_max_iters(1))
                             .on(exec);

    EXPECT_THROW(factory->generate(share(make_csr<double, int32>(exec, poisson_2d(3)))), InvalidStateError);
}

#if !SPRUCE_TYPES_MINIMAL

TEST(IrOfComplexValues, HasAConjugatedFactorWhenItIsConjugated)
{
    using V = std::complex<double>;
    using Ir = solver::Ir<V>;
    const auto exec = ReferenceExecutor::create();
    const auto original = Ir::build()
                              .with_relaxation_factor(V{1, 2})
                              .with_criteria(stop::Iteration::build().with_max_iters(1))
                              .on(exec)
                              ->generate(share(matrix::Identity<V>::create(exec, 2)));

    const auto factor_of = [](const auto& op) { return as<Ir>(op.get())->get_parameters().relaxation_factor; };
    EXPECT_EQ(factor_of(original->conj_transpose()), (V{1, -2}));
    EXPECT_EQ(factor_of(original->transpose()), (V{1, 2}));
}

TEST_F(IrWithInnerSolver, RefinesAnInnerSolverInFloatToDoubleAccuracy)
{
    const std::shared_ptr<Csr> a = make_csr<double, int32>(exec, poisson_2d(20));
    const std::shared_ptr<matrix::Csr<float, int32>> float_a = matrix::Csr<float, int32>::create(exec);
    a->convert_to(float_a);
    const auto inner = share(solver::Cg<float>::build()
                                 .with_criteria(stop::Iteration::build().with_max_iters(200),
                                                stop::ResidualNorm<float>::build().with_reduction_factor(1e-3f))
                                 .on(exec)
                                 ->generate(float_a));
    const auto solver = solver::Ir<double>::build()
                            .with_generated_solver(inner)
                            .with_criteria(stop::Iteration::build().with_max_iters(30),
                                           stop::ResidualNorm<double>::build().with_reduction_factor(1e-13))
                            .on(exec)
                            ->generate(a);
    const auto b = random_dense(400, 2);
    const auto x = random_dense(400, 2);

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
}

#endif

}  // namespace spruce::test
