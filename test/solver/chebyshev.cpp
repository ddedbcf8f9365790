// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/chebyshev.hpp>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

using solver::initial_guess_mode;

template <typename ValueType>
struct solver_parameters<solver::Chebyshev<ValueType>> {
    static auto make()
    {
        return solver::Chebyshev<ValueType>::build().with_foci(std::pair<ValueType, ValueType>{2, 6});
    }
};

SPRUCE_TEST_SOLVER(Chebyshev, solver_cases);

template <typename Types>
class ChebyshevSolver : public SolverTest<Types> {
protected:
    using typename SolverTest<Types>::V;
    using typename SolverTest<Types>::real;
    using solver = spruce::solver::Chebyshev<V>;

    auto parameters(double first, double second, size_type max_iters = 1000) const
    {
        return solver::build()
            .with_foci(std::pair<V, V>{V(static_cast<real>(first)), V(static_cast<real>(second))})
            .with_criteria(stop::Iteration::build().with_max_iters(max_iters),
                           stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()));
    }

    /// Returns the smallest and the largest eigenvalue of the 5-point stencil on a square of this
    /// width.
    static std::pair<double, double> spectrum_of_poisson(size_type width)
    {
        const auto c = std::cos(3.14159265358979323846 / static_cast<double>(width + 1));
        return {4 - 4 * c, 4 + 4 * c};
    }
};
TYPED_TEST_SUITE(ChebyshevSolver, solver_cases<solver::Chebyshev>, type_names);

TYPED_TEST(ChebyshevSolver, TakesItsFirstStepsByHand)
{
    // Foci 1 and 3: centre 2, half-distance 1; alpha_0 = 1/2, beta_1 = 1/8, alpha_1 = 1 / (2 - 1/4)
    // = 4/7.
    const auto a = share(this->csr({{1, 0}, {0, 3}}));
    const auto one_step = this->dense({{0}, {0}});
    const auto two_steps = this->dense({{0}, {0}});
    const auto b = this->dense({{4}, {4}});

    this->parameters(1, 3, 1).on(this->exec)->generate(a)->apply(b, one_step);
    this->parameters(1, 3, 2).on(this->exec)->generate(a)->apply(b, two_steps);

    using V = typename TestFixture::V;
    using real = typename TestFixture::real;
    EXPECT_MTX_NEAR(one_step, this->dense({{2}, {2}}), this->epsilon());
    // r = (2, -2), p = r + p / 8 = (2.5, -1.5)
    EXPECT_MTX_NEAR(two_steps, this->dense({{V(real(2 + 2.5 * 4 / 7))}, {V(real(2 - 1.5 * 4 / 7))}}),
                    4 * this->epsilon());
}

TYPED_TEST(ChebyshevSolver, ConvergesAtTheRateOfTheTheory)
{
    for (const size_type num_rhs : {1, 5}) {
        const auto a = this->poisson(9);
        const auto [low, high] = this->spectrum_of_poisson(9);
        const auto b = this->random_dense(81, num_rhs, num_rhs + 3);
        const auto x = this->random_dense(81, num_rhs, num_rhs + 1);
        const auto solver = this->parameters(low, high).on(this->exec)->generate(a);
        solver->add_logger(this->log);

        solver->apply(b, x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(num_rhs, stop_reason::converged)));
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
        EXPECT_TRUE(padding_is_intact(*x));
        // Errors decrease as 2 ((sqrt(k) - 1) / (sqrt(k) + 1))^i; the initial residual may be 100
        // times b.
        const auto root = std::sqrt(high / low);
        const auto bound = std::log(200 * root / this->reduction()) / std::log((root + 1) / (root - 1));
        EXPECT_LE(static_cast<double>(this->log->get_num_iterations()), bound);
    }
}

TYPED_TEST(ChebyshevSolver, EndsWhereItStagnatesAgainAfterARestart)
{
    using V = typename TestFixture::V;
    // The component of the second eigenvalue, which is far from the foci, remains nearly unchanged.
    const auto a = share(this->csr({{1, 0}, {0, 1e-6}}));
    const auto b = this->dense({{10}, {1}});
    const auto x = this->dense({{0}, {0}});
    const auto solver = TestFixture::solver::build()
                            .with_foci(std::pair<V, V>{V(0.9F), V(1.1F)})
                            .with_criteria(stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
                            .on(this->exec)
                            ->generate(a);
    const auto log = share(log::Convergence<V>::create());
    solver->add_logger(log);

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::stagnation}));
    EXPECT_LT(log->get_num_iterations(), 1000u);
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 0.11);
}

TYPED_TEST(ChebyshevSolver, NeverReportsConvergenceThatTheTrueResidualDoesNotShow)
{
    using V = typename TestFixture::V;
    const auto a = this->poisson(8);
    const auto [low, high] = this->spectrum_of_poisson(8);
    const auto b = this->random_dense(64, 3);
    // A distant initial guess limits the accuracy to some epsilon times the initial residual.
    for (const auto& [distance, factor] :
         std::vector<std::pair<double, double>>{{1.0, 1e-3}, {1.0, 1e2 * this->epsilon()}, {1e4, this->epsilon()}}) {
        SCOPED_TRACE(testing::Message() << distance << ", " << factor);
        const auto x = this->random_dense(64, 3);
        x->scale(this->dense({{V(static_cast<typename TestFixture::real>(distance))}}));
        const auto solver = this->parameters(low, high).on(this->exec)->generate(a);
        solver->set_stop_criterion_factory(
            share(stop::ResidualNorm<V>::build().with_reduction_factor(factor).on(this->exec)));

        solver->apply(b, x);

        for (size_type col = 0; col < 3; ++col) {
            const auto found = this->relative_residual(a.get(), b->create_submatrix({0, 64}, col).get(),
                                                       x->create_submatrix({0, 64}, col).get());
            const auto reason = solver->get_stop_reasons().at(col);
            EXPECT_TRUE(reason == stop_reason::converged || reason == stop_reason::stagnation) << reason;
            EXPECT_LE(found, reason == stop_reason::converged ? 1.02 * factor : 1e3 * distance * this->epsilon());
        }
    }
}

TYPED_TEST(ChebyshevSolver, EndsWithoutAnyLimitWhenItGetsNoFurther)
{
    using V = typename TestFixture::V;
    const auto a = this->poisson(9);
    const auto [low, high] = this->spectrum_of_poisson(9);
    const auto b = this->random_dense(81, 2);
    const auto x = this->random_dense(81, 2);
    const auto solver = this->parameters(low, high).on(this->exec)->generate(a);
    solver->set_stop_criterion_factory(share(stop::ResidualNorm<V>::build().with_reduction_factor(0).on(this->exec)));

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::stagnation)));
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 100 * this->epsilon());
}

TYPED_TEST(ChebyshevSolver, UsesThePreconditioner)
{
    const auto a = share(this->csr({{100, 10, 0}, {10, 50, 1}, {0, 1, 5}}));
    const auto inverse = share(this->csr({{0.01, 0, 0}, {0, 0.02, 0}, {0, 0, 0.2}}));
    const auto b = this->random_dense(3, 2);
    const auto x = this->random_dense(3, 2);
    const auto solver =
        this->parameters(0.8, 1.2, 60).with_generated_preconditioner(inverse).on(this->exec)->generate(a);

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
}

TYPED_TEST(ChebyshevSolver, SolvesWithTheExactInverseInOneStep)
{
    const auto a = share(this->csr({{2, 1}, {0, 4}}));
    const auto x = this->dense({{7, 0}, {9, 0}});
    const auto inverse = share(this->csr({{0.5, -0.125}, {0, 0.25}}));
    const auto solver = this->parameters(1, 1).with_generated_preconditioner(inverse).on(this->exec)->generate(a);
    solver->add_logger(this->log);

    solver->apply(this->dense({{4, 1}, {8, 3}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
    EXPECT_EQ(this->log->get_num_iterations(), 1u);
    EXPECT_MTX_NEAR(x, this->dense({{1, 0.125}, {2, 0.75}}), 20 * this->epsilon());
}

TYPED_TEST(ChebyshevSolver, StartsFromTheGuessThatWasAskedFor)
{
    const auto a = share(this->csr({{2, 0}, {0, 2}}));
    const auto b = this->dense({{4}, {8}});
    const auto expect_start = [&](initial_guess_mode mode, const auto& start) {
        const auto x = this->dense({{1}, {1}});
        const auto advanced_x = this->dense({{1}, {1}});
        const auto solver = this->parameters(2, 2, 0).with_default_initial_guess(mode).on(this->exec)->generate(a);

        solver->apply(b, x);
        solver->apply(this->dense({{2}}), b, this->dense({{1}}), advanced_x);

        EXPECT_MTX_NEAR(x, start, 0.0);
        const auto expected = this->dense({{1}, {1}});
        expected->add_scaled(this->dense({{2}}), start);
        EXPECT_MTX_NEAR(advanced_x, expected, 0.0);
        EXPECT_EQ(solver->apply_uses_initial_guess(), mode == initial_guess_mode::provided);
    };
    expect_start(initial_guess_mode::zero, this->dense({{0}, {0}}));
    expect_start(initial_guess_mode::rhs, b);
    expect_start(initial_guess_mode::provided, this->dense({{1}, {1}}));
}

TYPED_TEST(ChebyshevSolver, SolvesInPlace)
{
    const auto a = share(this->csr({{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}));  // eigenvalues 2 and 2 +- sqrt(2)
    for (const auto mode : {initial_guess_mode::zero, initial_guess_mode::rhs, initial_guess_mode::provided}) {
        const auto x = this->dense({{-1}, {3}, {1}});

        this->parameters(0.5, 3.5).with_default_initial_guess(mode).on(this->exec)->generate(a)->apply(x, x);

        EXPECT_MTX_NEAR(x, this->dense({{1}, {3}, {2}}), 20 * this->reduction());
    }
}

TYPED_TEST(ChebyshevSolver, StopsWhenItDivergesOrMeetsNan)
{
    using V = typename TestFixture::V;
    const auto a = share(this->csr({{1000, 0}, {0, 1}}));
    const auto x = this->dense({{0, 1}, {0, 2}});
    const auto solver = this->parameters(1, 3, 500).on(this->exec)->generate(a);

    solver->apply(this->dense({{1, spruce::nan<V>()}, {1, 1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::stagnation, stop_reason::not_finite}));
    EXPECT_MTX_NEAR(x, this->dense({{0, 1}, {0, 2}}), 0.0);
}

TYPED_TEST(ChebyshevSolver, TransposedSolverSolvesTransposedProblem)
{
    const auto a = share(this->csr({{4, 1}, {0, 5}}));
    const auto x = this->dense({{0}, {0}});

    as<LinOp>(this->parameters(4, 5).on(this->exec)->generate(a)->transpose())->apply(this->dense({{4}, {11}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 10 * this->reduction());
}

TYPED_TEST(ChebyshevSolver, ConjTransposedSolverSolvesConjTransposedProblem)
{
    using V = typename TestFixture::V;
    const auto unit = this->unit();
    const auto conj_unit = spruce::conj(unit);
    const auto a = share(this->csr({{V{4} * unit, unit}, {0, V{5} * unit}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->parameters(4, 5).with_foci(std::pair<V, V>{V{4} * unit, V{5} * unit}).on(this->exec);

    solver->generate(a)->conj_transpose()->apply(this->dense({{V{4} * conj_unit}, {V{11} * conj_unit}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 10 * this->reduction());
}

TYPED_TEST(ChebyshevSolver, TakesFociAsPairOrAsTwoNumbers)
{
    using V = typename TestFixture::V;
    const auto build = [] { return solver::Chebyshev<V>::build(); };
    const std::pair<V, V> foci{V(0.5F), V(2)};

    EXPECT_EQ(build().foci, (std::pair<V, V>{V{0}, V{1}}));
    EXPECT_EQ(build().with_foci(foci).foci, foci);
    EXPECT_EQ(build().with_foci(std::pair<V, V>{foci}).foci, foci);
    EXPECT_EQ(build().with_foci(V(0.5F), V(2)).foci, foci);
    EXPECT_EQ(build().with_foci(0.5F, 2).foci, foci);
}

TYPED_TEST(ChebyshevSolver, RefusesFociAroundZero)
{
    EXPECT_THROW(this->parameters(-1, 1).on(this->exec)->generate(this->poisson(2)), InvalidStateError);
    EXPECT_THROW(this->parameters(spruce::nan<double>(), 1).on(this->exec)->generate(this->poisson(2)),
                 InvalidStateError);
}

#if !SPRUCE_TYPES_MINIMAL

TEST(ChebyshevOfComplexValues, HasConjugatedFociWhenItIsConjugated)
{
    using V = std::complex<double>;
    using Chebyshev = solver::Chebyshev<V>;
    const auto exec = ReferenceExecutor::create();
    const auto original = Chebyshev::build()
                              .with_foci(std::pair<V, V>{{1, 2}, {3, 4}})
                              .with_criteria(stop::Iteration::build().with_max_iters(1))
                              .on(exec)
                              ->generate(share(matrix::Identity<V>::create(exec, 2)));

    const auto foci_of = [](const auto& op) { return as<Chebyshev>(op.get())->get_parameters().foci; };
    EXPECT_EQ(foci_of(original->conj_transpose()), (std::pair<V, V>{{1, -2}, {3, -4}}));
    EXPECT_EQ(foci_of(original->transpose()), (std::pair<V, V>{{1, 2}, {3, 4}}));
}

#endif

}  // namespace spruce::test
