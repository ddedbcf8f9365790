// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/idr.hpp>

#include <string>
#include <utility>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

template <>
constexpr bool may_break_down<solver::Idr<float>> = true;

SPRUCE_TEST_KRYLOV_SOLVER(Idr, solver_cases);
SPRUCE_TEST_UNSYMMETRIC_SOLVER(Idr);

template <typename Types>
class IdrSolver : public SolverTest<Types> {
protected:
    using typename SolverTest<Types>::V;
    using typename SolverTest<Types>::Dense;

    auto parameters(size_type max_iters = 1000) const
    {
        auto result = Types::solver::build();
        result.with_criteria(stop::Iteration::build().with_max_iters(max_iters),
                             stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()));
        return result;
    }
};
TYPED_TEST_SUITE(IdrSolver, solver_cases<solver::Idr>, type_names);

TYPED_TEST(IdrSolver, SolvesWithEachSubspaceDimension)
{
    const auto a = this->generated("poisson2d-5pt:12,convection=1");
    const auto b = this->random_dense(144, 3);
    for (const size_type subspace_dim : {1, 2, 4, 5, 9}) {
        SCOPED_TRACE(subspace_dim);
        const auto x = this->random_dense(144, 3);
        const auto solver = this->parameters().with_subspace_dim(subspace_dim).on(this->exec)->generate(a);

        solver->apply(b, x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(3, stop_reason::converged)));
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
    }
}

TYPED_TEST(IdrSolver, SolvesWithTheParametersThatItWasAssigned)
{
    const auto a = this->generated("poisson2d-5pt:12,convection=1");
    const auto b = this->random_dense(144, 1);
    const auto generate = [&](size_type subspace_dim) {
        constexpr size_type few = 5;
        return this->parameters(few)
            .with_subspace_dim(subspace_dim)
            .with_deterministic(true)
            .on(this->exec)
            ->generate(a);
    };
    const auto solve = [&](const auto& solver) {
        auto x = clone(b);
        solver->apply(b, x);
        return x;
    };
    const auto expected = solve(generate(2));
    for (const size_type former : {1, 2, 3, 4}) {
        for (const bool moves : {false, true}) {
            SCOPED_TRACE(std::to_string(former) + (moves ? ", moved" : ", copied"));
            const auto source = generate(2);
            const auto target = generate(former);
            solve(target);

            if (moves) {
                *target = std::move(*source);
            } else {
                *target = *source;
            }

            EXPECT_MTX_NEAR(solve(target), expected, this->reduction());
        }
    }
}

TYPED_TEST(IdrSolver, EndsInOneCycleWhereTheSubspaceIsAll)
{
    const auto a = share(this->csr({{4, 1, 0, 0}, {0, 3, 0, 1}, {0, 0, 2, 1}, {1, 0, 0, 2}}));
    for (const size_type subspace_dim : {4, 50}) {
        const auto x = this->dense({{0}, {0}, {0}, {0}});
        const auto solver = this->parameters().with_subspace_dim(subspace_dim).on(this->exec)->generate(a);
        solver->add_logger(this->log);

        solver->apply(this->dense({{6}, {10}, {10}, {9}}), x);

        EXPECT_TRUE(this->log->has_converged());
        EXPECT_EQ(this->log->get_num_iterations(), 1u);
        EXPECT_MTX_NEAR(x, this->dense({{1}, {2}, {3}, {4}}), 100 * this->epsilon());
    }
}

TYPED_TEST(IdrSolver, LargerSubspacesTakeFewerProducts)
{
    if (std::is_same_v<typename TestFixture::real, float>) {
        GTEST_SKIP() << "in single precision rounding has as much say as the subspace";
    }
    const auto a = this->generated("poisson2d-5pt:20,convection=0.5");
    const auto b = this->random_dense(400, 1);
    const auto num_products = [&](size_type subspace_dim) {
        const auto x = this->random_dense(400, 1);
        x->fill(0);
        const auto solver = this->parameters().with_subspace_dim(subspace_dim).on(this->exec)->generate(a);
        solver->add_logger(this->log);
        solver->apply(b, x);
        EXPECT_TRUE(this->log->has_converged());
        return this->log->get_num_iterations() * (subspace_dim + 1);
    };

    EXPECT_LT(num_products(8), num_products(1));
}

TYPED_TEST(IdrSolver, DeterministicTakesTheSameStepsOnEveryExecutor)
{
    const auto a = this->generated("poisson2d-5pt:9,convection=0.5");
    const auto b = this->random_dense(81, 2);
    const auto x = this->random_dense(81, 2);
    const auto on_host = clone(this->ref, x);

    this->parameters(3).with_deterministic(true).on(this->exec)->generate(a)->apply(b, x);
    this->parameters(3).with_deterministic(true).on(this->ref)->generate(clone(this->ref, a))->apply(b, on_host);

    // Each executor adds products in another order, and the recurrences amplify the different
    // rounding: to 1040 epsilon on an H200.
    EXPECT_MTX_NEAR(x, on_host, 10000 * this->epsilon());
}

TYPED_TEST(IdrSolver, SolvesWithComplexSubspace)
{
    if (SPRUCE_TYPES_MINIMAL) {
        GTEST_SKIP() << "complex numbers are not part of this build";
    }
    const auto a = this->generated("poisson2d-5pt:9,convection=1");
    for (const auto deterministic : {false, true}) {
        const auto b = this->random_dense(81, 3);
        const auto x = this->random_dense(81, 3);
        const auto solver = this->parameters().with_deterministic(deterministic).on(this->exec)->generate(a);
        solver->apply(b, x);

        solver->set_complex_subspace(true);
        x->fill(0);
        solver->apply(b, x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(3, stop_reason::converged)));
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
        EXPECT_TRUE(this->is_finite(x.get()));
    }
}

TYPED_TEST(IdrSolver, SolvesWithComplexSubspaceAndPreconditioner)
{
    if (SPRUCE_TYPES_MINIMAL) {
        GTEST_SKIP() << "complex numbers are not part of this build";
    }
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a = this->generated("poisson2d-5pt:9,convection=1");
    host_matrix m{dim<2>{81, 81}};
    for (size_type i = 0; i < 81; ++i) {
        m.nonzeros.emplace_back(i, i, 0.25);
    }
    const auto b = this->random_dense(81, 2);
    const auto x = this->random_dense(81, 2);
    const auto solver = this->parameters().with_complex_subspace(true).on(this->exec)->generate(a);
    solver->set_preconditioner(share(make_csr<V, I>(this->exec, m)));

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
}

TYPED_TEST(IdrSolver, EachSubspaceRepeatsToTheSameBitsAndAllocatesNothingLater)
{
    for (const size_type subspace_dim : {1, 4, 5}) {
        for (const auto complex_subspace : {false, true}) {
            if (complex_subspace && SPRUCE_TYPES_MINIMAL) {
                continue;
            }
            SCOPED_TRACE(testing::Message() << subspace_dim << ", " << complex_subspace);
            const auto make = [&](const auto& a) {
                return this->parameters()
                    .with_subspace_dim(subspace_dim)
                    .with_complex_subspace(complex_subspace)
                    .with_generated_preconditioner(share(a->extract_diagonal()))
                    .on(this->exec)
                    ->generate(a);
            };

            this->expect_the_same_bits_again(make);
            this->expect_no_allocation_in_later_applies(*make(this->well_conditioned(64)));
        }
    }
}

TYPED_TEST(IdrSolver, SolvesSkewSymmetricProblem)
{
    // A rotates the vectors of two planes by a right angle: (A v, v) = 0 for all real v.
    const auto a = share(this->csr({{0, 1, 0, 0}, {-1, 0, 0, 0}, {0, 0, 0, 2}, {0, 0, -2, 0}}));
    for (const auto complex_subspace : {false, true}) {
        if (complex_subspace && SPRUCE_TYPES_MINIMAL) {
            continue;
        }
        const auto x = this->dense({{0}, {0}, {0}, {0}});
        const auto solver = this->parameters(50).with_complex_subspace(complex_subspace).on(this->exec)->generate(a);

        solver->apply(this->dense({{2}, {-1}, {8}, {-6}}), x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));
        EXPECT_MTX_NEAR(x, this->dense({{1}, {2}, {3}, {4}}), 20 * this->reduction());
    }
}

TYPED_TEST(IdrSolver, IsNoWorseThanAtFirstWhereTheComplexSubspaceBreaksDown)
{
    if (SPRUCE_TYPES_MINIMAL) {
        GTEST_SKIP() << "complex numbers are not part of this build";
    }
    const auto a = share(this->csr({{-1, 0, 0}, {0, -2, -1}, {1, 2, 1}}));  // singular
    const auto b = this->dense({{-1}, {-1}, {0}});
    for (const auto& m :
         {share(this->csr({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})), share(this->csr({{1, 0, 0}, {0, 0, 0}, {0, 0, -1}}))}) {
        const auto x = this->dense({{0}, {0}, {0}});
        const auto solver = this->parameters().with_complex_subspace(true).on(this->exec)->generate(a);
        solver->set_preconditioner(m);

        solver->apply(b, x);

        EXPECT_GE(solver->get_stop_reasons().at(0), stop_reason::breakdown_inner_product);
        EXPECT_TRUE(this->is_finite(x.get()));
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1 + 10 * this->epsilon());
    }
}

TYPED_TEST(IdrSolver, SaysWhichBreakdownItWas)
{
    // A b = 0
    this->expect_breakdown(share(this->csr({{0, 1}, {0, 0}})), this->dense({{1}, {0}}),
                           stop_reason::breakdown_inner_product);
}

TYPED_TEST(IdrSolver, EndsWhereTheSmoothingStepVanishes)
{
    // For s = 1 and kappa = 0 every residual is orthogonal to its image. No later step undoes the
    // first one.
    const auto a = share(this->csr({{0, 1}, {-1, 0}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->parameters(50).with_subspace_dim(1).with_kappa(0).on(this->exec)->generate(a);

    solver->apply(this->dense({{1}, {0}}), x);

    using V = typename TypeParam::value_type;
    const auto reasons = solver->get_stop_reasons();
    const auto is_solved =
        this->relative_residual(a.get(), this->dense({{V(1)}, {V(0)}}).get(), x.get()) <= 2 * this->reduction();
    EXPECT_EQ(reasons.at(0), is_solved ? stop_reason::converged : stop_reason::breakdown_stabilization);
    EXPECT_TRUE(this->is_finite(x.get()));
}

TYPED_TEST(IdrSolver, SolvesConsistentSingularProblem)
{
    const auto a = share(this->csr({{2, -2}, {-2, 2}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a);

    solver->apply(this->dense({{4}, {-4}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));
    EXPECT_MTX_NEAR(x, this->dense({{1}, {-1}}), 10 * this->epsilon());
}

TYPED_TEST(IdrSolver, KeepsInfinityOfAPreconditionerOutOfTheSolution)
{
    using V = typename TypeParam::value_type;
    const auto x = this->dense({{3}, {4}});
    const auto solver = this->make_solver(share(this->csr({{2, -1}, {-1, 2}})));
    solver->set_preconditioner(share(this->csr({{1, 0}, {0, spruce::nan<V>()}})));

    solver->apply(this->dense({{1}, {1}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite}));
    EXPECT_MTX_NEAR(x, this->dense({{3}, {4}}), 0.0);
}

TYPED_TEST(IdrSolver, KnowsItsParameters)
{
    using real = typename TestFixture::real;
    using solver_type = typename TestFixture::solver;
    const auto a = this->poisson(3);
    const auto solver = this->parameters().on(this->exec)->generate(a);
    EXPECT_EQ(solver->get_subspace_dim(), 2u);
    EXPECT_EQ(solver->get_kappa(), static_cast<real>(0.7));
    EXPECT_FALSE(solver->get_deterministic());
    EXPECT_FALSE(solver->get_complex_subspace());

    solver->set_subspace_dim(5);
    solver->set_kappa(0.5);
    solver->set_deterministic(true);
    solver->set_complex_subspace(true);

    const auto transposed = solver->transpose();
    const auto other = spruce::as<solver_type>(transposed.get());
    EXPECT_EQ(other->get_subspace_dim(), 5u);
    EXPECT_EQ(other->get_kappa(), real{0.5});
    EXPECT_TRUE(other->get_deterministic());
    EXPECT_TRUE(other->get_complex_subspace());
    EXPECT_EQ(other->get_parameters().subspace_dim, 5u);
}

TYPED_TEST(IdrSolver, SolvesAfterItsParametersChange)
{
    const auto a = this->generated("poisson2d-5pt:7,convection=1");
    const auto b = this->random_dense(49, 2);
    const auto solver = this->parameters().with_subspace_dim(6).on(this->exec)->generate(a);
    for (const size_type subspace_dim : {6, 2, 7}) {
        const auto x = this->random_dense(49, 2);
        solver->set_subspace_dim(subspace_dim);

        solver->apply(b, x);

        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
    }
}

TYPED_TEST(IdrSolver, RejectsParametersWithoutMeaning)
{
    const auto a = this->poisson(3);
    EXPECT_THROW(this->parameters().with_subspace_dim(0).on(this->exec)->generate(a), spruce::InvalidStateError);
    EXPECT_THROW(this->parameters().with_kappa(-1).on(this->exec)->generate(a), spruce::InvalidStateError);
    const auto solver = this->parameters().on(this->exec)->generate(a);
    EXPECT_THROW(solver->set_kappa(2), spruce::InvalidStateError);
    EXPECT_EQ(solver->get_kappa(), static_cast<typename TestFixture::real>(0.7));
}

}  // namespace spruce::test
