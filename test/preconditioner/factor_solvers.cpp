// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <stdexcept>
#include <string>

#include <spruce/preconditioner/gauss_seidel.hpp>
#include <spruce/preconditioner/ic.hpp>
#include <spruce/preconditioner/ilu.hpp>
#include <spruce/preconditioner/isai.hpp>
#include <spruce/preconditioner/jacobi.hpp>
#include <spruce/preconditioner/sor.hpp>

#include "test/factorization/factorization_fixture.hpp"
#include "test/solver/solver_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::as;
using spruce::dim;
using spruce::LinOp;
using spruce::share;
using spruce::size_type;

template <typename Types>
class FactorSolvers : public factorization_test<Types> {
protected:
    using typename factorization_test<Types>::V;
    using typename factorization_test<Types>::I;
    using typename factorization_test<Types>::Csr;
    using typename factorization_test<Types>::Dense;
    using Composition = spruce::Composition<V>;
    using lower = spruce::solver::LowerTrs<V, I>;
    using upper = spruce::solver::UpperTrs<V, I>;
    using gmres = spruce::solver::Gmres<V>;
    using Ilu = spruce::preconditioner::Ilu<lower, upper, false, I>;
    using ReverseIlu = spruce::preconditioner::Ilu<lower, upper, true, I>;
    using IluOfValue = spruce::preconditioner::Ilu<V, V, false, I>;
    using Ic = spruce::preconditioner::Ic<lower, I>;
    using IcOfValue = spruce::preconditioner::Ic<V, I>;

    /// Creates a band matrix, whose factorization without fill-in is exact.
    host_matrix band(size_type size) const
    {
        return matrix_of_pattern(size, [](size_type i, size_type j) { return i <= j + 1 && j <= i + 1; });
    }

    /// Calls check(preconditioner, matrix) for each class, generated from a matrix that is
    /// factorized exactly.
    template <typename Function>
    void for_each_exact(Function check)
    {
        const auto a = this->make(this->band(70));
        const auto hermitian = this->make(hermitian_from_lower(this->band(70)));
        check(Ilu::build().on(this->exec)->generate(a), a);
        check(IluOfValue::build().on(this->exec)->generate(a), a);
        check(Ic::build().on(this->exec)->generate(hermitian), hermitian);
        check(IcOfValue::build().on(this->exec)->generate(hermitian), hermitian);
        check(Ic::build()
                  .with_factorization(spruce::factorization::Ic<V, I>::build().with_both_factors(false))
                  .on(this->exec)
                  ->generate(hermitian),
              hermitian);
    }

    double tolerance() const { return 1000 * this->tolerance_of_sum(10); }
};
TYPED_TEST_SUITE(FactorSolvers, one_of_each_type, type_names);

TYPED_TEST(FactorSolvers, ApplyTheInverseOfFactors)
{
    this->for_each_exact([&](const auto& preconditioner, const auto& a) {
        for (const size_type num_rhs : {1, 3, 17}) {
            const auto expected = this->random_dense(70, num_rhs);
            const auto b = this->apply(a, expected);

            const auto x = this->apply(preconditioner, b);

            EXPECT_MTX_NEAR(x, expected, this->tolerance());
            const auto y = clone(expected);
            preconditioner->apply(this->dense({{2}}), b, this->dense({{-1}}), y);
            EXPECT_MTX_NEAR(y, expected, this->tolerance());
        }
    });
}

TYPED_TEST(FactorSolvers, ApplyTransposes)
{
    this->for_each_exact([&](const auto& preconditioner, const auto& a) {
        const auto expected = this->random_dense(70, 2);

        const auto x = this->apply(preconditioner->transpose(), this->apply(a->transpose(), expected));
        const auto y = this->apply(preconditioner->conj_transpose(), this->apply(a->conj_transpose(), expected));

        EXPECT_MTX_NEAR(x, expected, this->tolerance());
        EXPECT_MTX_NEAR(y, expected, this->tolerance());
    });
}

TYPED_TEST(FactorSolvers, TakeGivenFactors)
{
    const auto l = share(this->csr({{2, 0}, {1, 1}}));
    const auto u = share(this->csr({{1, 1}, {0, 2}}));
    const auto product = share(TestFixture::Composition::create(l, u));
    const auto forward = TestFixture::Ilu::build().on(this->exec)->generate(product);
    const auto backward = TestFixture::ReverseIlu::build().on(this->exec)->generate(product);
    const auto b = this->dense({{2}, {5}});

    EXPECT_EQ(forward->get_l_solver()->get_system_matrix(), l);
    EXPECT_EQ(forward->get_u_solver()->get_system_matrix(), u);
    EXPECT_MTX_NEAR(this->apply(forward, b), this->dense({{-1}, {2}}), this->epsilon());
    EXPECT_MTX_NEAR(this->apply(backward, b), this->dense({{-0.25}, {2.75}}), this->epsilon());
    const auto transposed = backward->transpose();
    EXPECT_MTX_NEAR(this->apply(transposed, b), this->dense({{-1.5}, {3.25}}), this->epsilon());
}

TYPED_TEST(FactorSolvers, UseIterativeSolversOfDefaultAccuracy)
{
    using gmres = typename TestFixture::gmres;
    using Ilu = spruce::preconditioner::Ilu<gmres, gmres, false, typename TestFixture::I>;
    using Ic = spruce::preconditioner::Ic<gmres, typename TestFixture::I>;
    const auto a = this->make(hermitian_from_lower(this->band(70)));
    const auto expected = this->random_dense(70, 2);
    const auto b = this->apply(a, expected);
    const auto check = [&](const auto& preconditioner) {
        auto x = clone(expected);
        x->fill(spruce::nan<typename TestFixture::V>());  // the solvers do not start from it

        preconditioner->apply(b, x);

        EXPECT_MTX_NEAR(x, expected, 1e-2);
        EXPECT_FALSE(preconditioner->launches_are_static());
    };

    check(Ilu::build().on(this->exec)->generate(a));
    check(Ic::build().on(this->exec)->generate(a));
    check(TestFixture::IluOfValue::build()
              .with_l_solver(TestFixture::lower::build().with_unit_diagonal(true))
              .with_u_solver(gmres::build().with_criteria(
                  spruce::stop::ResidualNorm<typename TestFixture::V>::build().with_reduction_factor(1e-4)))
              .on(this->exec)
              ->generate(a));
}

TYPED_TEST(FactorSolvers, RefuseWrongOperators)
{
    using spruce::DimensionMismatch;
    using spruce::NotSupported;
    const auto a = share(this->csr({{4, 1}, {1, 4}}));
    const auto ilu = TestFixture::Ilu::build().on(this->exec);
    const auto ic = TestFixture::Ic::build().on(this->exec);

    EXPECT_THROW(ilu->generate(share(this->csr({{1, 2, 3}, {4, 5, 6}}))), DimensionMismatch);
    EXPECT_THROW(ic->generate(share(this->csr({{1, 2, 3}, {4, 5, 6}}))), DimensionMismatch);
    EXPECT_THROW(ilu->generate(share(TestFixture::Composition::create(a))), NotSupported);
    EXPECT_THROW(ilu->generate(share(TestFixture::Composition::create(a, a, a))), NotSupported);
    EXPECT_THROW(ic->generate(share(TestFixture::Composition::create(a, a, a))), NotSupported);
    EXPECT_NO_THROW(ic->generate(share(TestFixture::Composition::create(a))));
}

TYPED_TEST(FactorSolvers, AllocateNothingInLaterAppliesAndRefreshes)
{
    const auto data = hermitian_from_lower(random_sparse(this->engine, 90, 90, nnz_per_row(0, 8)));
    auto other_data = data;
    for (auto& entry : other_data.nonzeros) {
        entry.value *= entry.row == entry.column ? 3.0 : 0.5;
    }
    const auto a = this->make(data);
    const auto other = this->make(other_data);
    const auto b = this->random_dense(90, 3);
    const auto check = [&](const auto& factory) {
        const auto preconditioner = factory->generate(a);
        const auto x = this->apply(preconditioner, b);
        const auto expected = this->apply(factory->generate(other), b);
        const auto before = this->exec->get_counters();

        preconditioner->refresh(other);
        preconditioner->apply(b, x);

        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
        EXPECT_MTX_NEAR(x, expected, 0.0);
        EXPECT_THROW_WITH(preconditioner->refresh(this->make(with_dominant_diagonal(host_matrix{dim<2>{90, 90}}))),
                          spruce::UnsupportedMatrixProperty, "pattern");
        EXPECT_MTX_NEAR(this->apply(preconditioner, b), expected, 0.0);
        if (!this->exec->is_equivalent_to(this->ref.get())) {
            EXPECT_THROW(clone(this->ref, preconditioner)->refresh(clone(this->ref, a)), spruce::NotSupported);
        }
    };

    check(TestFixture::Ilu::build().on(this->exec));
    check(TestFixture::IluOfValue::build().on(this->exec));
    check(TestFixture::Ic::build().on(this->exec));
    check(TestFixture::IcOfValue::build().on(this->exec));
}

TYPED_TEST(FactorSolvers, AreRefreshedWithGivenFactors)
{
    const auto factorization = spruce::factorization::Ilu<typename TestFixture::V, typename TestFixture::I>::build();
    const auto a = this->make(this->band(40));
    const auto other = share(clone(a));
    other->scale(this->dense({{2}}));
    const auto b = this->random_dense(40, 1);
    const auto preconditioner =
        TestFixture::Ilu::build().on(this->exec)->generate(share(factorization.on(this->exec)->generate(a)));

    EXPECT_THROW(preconditioner->refresh(other), spruce::NotSupported);
    preconditioner->refresh(share(factorization.on(this->exec)->generate(other)));

    EXPECT_MTX_NEAR(this->apply(preconditioner, b),
                    this->apply(TestFixture::Ilu::build().on(this->exec)->generate(other), b), 0.0);
}

TYPED_TEST(FactorSolvers, AreRefreshedWithFactorsAndMatricesInTurn)
{
    const auto b = this->random_dense(40, 1);
    const auto check = [&](const auto& factory, const auto& factorization, const host_matrix& data) {
        const auto a = this->make(data);
        const auto other = share(clone(a));
        other->scale(this->dense({{2}}));
        const auto old = this->apply(factory->generate(a), b);
        const auto expected = this->apply(factory->generate(other), b);
        const auto preconditioner = factory->generate(a);

        preconditioner->refresh(share(factorization->generate(other)));
        EXPECT_MTX_NEAR(this->apply(preconditioner, b), expected, 0.0);
        preconditioner->refresh(a);
        EXPECT_MTX_NEAR(this->apply(preconditioner, b), old, 0.0);
        preconditioner->refresh(share(factorization->generate(other)));
        EXPECT_MTX_NEAR(this->apply(preconditioner, b), expected, 0.0);
    };

    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    check(TestFixture::Ilu::build().on(this->exec), spruce::factorization::Ilu<V, I>::build().on(this->exec),
          this->band(40));
    const auto both = share(spruce::factorization::Ic<V, I>::build().on(this->exec));
    const auto lower_only = share(spruce::factorization::Ic<V, I>::build().with_both_factors(false).on(this->exec));
    const auto hermitian = hermitian_from_lower(this->band(40));
    check(TestFixture::Ic::build().on(this->exec), both, hermitian);
    check(TestFixture::Ic::build().on(this->exec), lower_only, hermitian);
    check(TestFixture::Ic::build().with_factorization(lower_only).on(this->exec), both, hermitian);
}

TYPED_TEST(FactorSolvers, AreRefreshedWithIterativeSolvers)
{
    using V = typename TestFixture::V;
    using gmres = typename TestFixture::gmres;
    const auto a = this->make(this->band(40));
    const auto other = share(clone(a));
    other->scale(this->dense({{2}}));
    const auto b = this->random_dense(40, 1);
    const auto expected = this->apply(TestFixture::Ilu::build().on(this->exec)->generate(other), b);
    const auto accurate = gmres::build().with_criteria(
        spruce::stop::ResidualNorm<V>::build().with_reduction_factor(100 * this->epsilon()));
    auto preconditioned = accurate;
    preconditioned.with_preconditioner(TestFixture::lower::build());
    const auto steps = spruce::solver::Ir<V>::build()
                           .with_solver(TestFixture::lower::build())
                           .with_criteria(spruce::stop::Iteration::build().with_max_iters(2u));
    const auto check = [&](auto l_solver, auto u_solver) {
        const auto preconditioner = TestFixture::IluOfValue::build()
                                        .with_l_solver(l_solver)
                                        .with_u_solver(u_solver)
                                        .on(this->exec)
                                        ->generate(a);
        EXPECT_TRUE(preconditioner->can_be_refreshed());

        preconditioner->refresh(other);

        EXPECT_MTX_NEAR(this->apply(preconditioner, b), expected, 1e4 * this->epsilon());
    };

    check(accurate, accurate);
    check(preconditioned, accurate);
    check(steps, accurate);
    const auto hermitian = this->make(hermitian_from_lower(this->band(40)));
    const auto other_hermitian = share(clone(hermitian));
    other_hermitian->scale(this->dense({{2}}));
    const auto ic = TestFixture::IcOfValue::build().with_l_solver(preconditioned).on(this->exec)->generate(hermitian);
    ic->refresh(other_hermitian);
    EXPECT_MTX_NEAR(this->apply(ic, b),
                    this->apply(TestFixture::Ic::build().on(this->exec)->generate(other_hermitian), b),
                    1e4 * this->epsilon());
}

TYPED_TEST(FactorSolvers, RefuseToRefreshOperatorsThatCannotBe)
{
    const auto a = this->make(this->band(40));
    const auto other = share(clone(a));
    other->scale(this->dense({{2}}));
    const auto b = this->random_dense(40, 1);
    auto fixed = TestFixture::gmres::build().with_criteria(spruce::stop::Iteration::build().with_max_iters(3u));
    fixed.with_generated_preconditioner(share(clone(a)));
    const auto preconditioner = TestFixture::IluOfValue::build().with_u_solver(fixed).on(this->exec)->generate(a);
    const auto x = this->apply(preconditioner, b);
    const auto transposed = TestFixture::Ilu::build().on(this->exec)->generate(a)->transpose();
    const auto empty = TestFixture::Ilu::build().on(this->exec)->generate(a)->create_default();

    EXPECT_THROW_WITH(preconditioner->refresh(other), spruce::NotSupported, "Gmres");
    EXPECT_THROW(as<spruce::Refreshable>(transposed.get())->refresh(other), spruce::NotSupported);
    EXPECT_THROW(empty->refresh(other), spruce::NotSupported);
    EXPECT_THROW(empty->refresh(nullptr), spruce::NotSupported);

    EXPECT_FALSE(preconditioner->can_be_refreshed());
    EXPECT_FALSE(as<spruce::Refreshable>(transposed.get())->can_be_refreshed());
    EXPECT_FALSE(empty->can_be_refreshed());
    EXPECT_MTX_NEAR(this->apply(preconditioner, b), x, 0.0);
}

/// Solves with the diagonal of a factor. The next failures calls of refresh() fail.
template <typename V, typename I>
class DiagonalSolver : public spruce::preconditioner::Jacobi<V, I> {
public:
    explicit DiagonalSolver(const spruce::preconditioner::Jacobi<V, I>& other, std::shared_ptr<int> failures)
        : spruce::preconditioner::Jacobi<V, I>(other), failures_{std::move(failures)}
    {}
    void refresh(std::shared_ptr<const LinOp> matrix) override
    {
        if (*failures_ > 0) {
            --*failures_;
            throw std::runtime_error("this refresh fails");
        }
        spruce::preconditioner::Jacobi<V, I>::refresh(std::move(matrix));
    }

private:
    std::shared_ptr<int> failures_;
};

/// Creates DiagonalSolver.
template <typename V, typename I>
class DiagonalSolverFactory
    : public spruce::EnablePolymorphicObject<DiagonalSolverFactory<V, I>, spruce::LinOpFactory> {
public:
    using Base = spruce::EnablePolymorphicObject<DiagonalSolverFactory, spruce::LinOpFactory>;
    explicit DiagonalSolverFactory(std::shared_ptr<const spruce::Executor> exec, std::shared_ptr<int> failures = {})
        : Base(std::move(exec)), failures_{std::move(failures)}
    {}

protected:
    std::unique_ptr<LinOp> generate_impl(std::shared_ptr<const LinOp> matrix) const override
    {
        const auto jacobi =
            spruce::preconditioner::Jacobi<V, I>::build().with_max_block_size(1u).on(this->get_executor());
        return std::make_unique<DiagonalSolver<V, I>>(*jacobi->generate(std::move(matrix)), failures_);
    }

private:
    std::shared_ptr<int> failures_;
};

TYPED_TEST(FactorSolvers, AreNeverAppliedWithFactorsOfTwoMatrices)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using factorization = spruce::factorization::Ilu<V, I>;
    const auto a = this->make(this->band(40));
    const auto other = share(clone(a));
    other->scale(this->dense({{2}}));
    const auto b = this->random_dense(40, 1);
    const auto failures = std::make_shared<int>(0);
    const auto factory = TestFixture::IluOfValue::build()
                             .with_u_solver(std::make_shared<DiagonalSolverFactory<V, I>>(this->exec, failures))
                             .on(this->exec);
    const auto of_matrix = factory->generate(a);
    const auto copy = clone(of_matrix);
    const auto of_factors = factory->generate(share(factorization::build().on(this->exec)->generate(a)));
    const auto other_factors = share(factorization::build().on(this->exec)->generate(other));
    const auto old = this->apply(of_factors, b);
    const auto expected = this->apply(factory->generate(other), b);

    *failures = 1;
    EXPECT_THROW(of_factors->refresh(other_factors), std::runtime_error);
    EXPECT_MTX_NEAR(this->apply(of_factors, b), old, 0.0);
    *failures = 2;
    EXPECT_THROW(of_factors->refresh(other_factors), std::runtime_error);
    EXPECT_THROW_WITH(this->apply(of_factors, b), spruce::InvalidStateError, "refresh");
    *failures = 1;
    EXPECT_THROW(of_matrix->refresh(other), std::runtime_error);
    EXPECT_THROW(this->apply(of_matrix, b), spruce::InvalidStateError);
    EXPECT_THROW(copy->apply(this->dense({{2}}), b, this->dense({{1}}), clone(b)), spruce::InvalidStateError);
    EXPECT_THROW(this->apply(of_matrix->transpose(), b), spruce::InvalidStateError);

    of_matrix->refresh(other);
    of_factors->refresh(other_factors);

    EXPECT_MTX_NEAR(this->apply(of_matrix, b), expected, 0.0);
    EXPECT_MTX_NEAR(this->apply(copy, b), expected, 0.0);
    EXPECT_MTX_NEAR(this->apply(of_factors, b), expected, 0.0);
}

TYPED_TEST(FactorSolvers, AreCopiedAndMoved)
{
    this->for_each_exact([&](const auto& preconditioner, const auto&) {
        const auto b = this->random_dense(70, 1);
        const auto expected = this->apply(preconditioner, b);

        const auto copy = clone(preconditioner);
        const auto host_copy = clone(this->ref, preconditioner);
        const auto moved = preconditioner->create_default();
        moved->move_from(preconditioner);

        EXPECT_MTX_NEAR(this->apply(copy, b), expected, 0.0);
        EXPECT_MTX_NEAR(this->apply(host_copy, b), expected, this->tolerance());
        EXPECT_MTX_NEAR(this->apply(moved, b), expected, 0.0);
        EXPECT_EQ(preconditioner->get_size(), dim<2>{});
        EXPECT_EQ(preconditioner->get_l_solver(), nullptr);
    });
}

TYPED_TEST(FactorSolvers, HaveStaticLaunchesThatSolversReplay)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    namespace factorization = spruce::factorization;
    namespace preconditioner = spruce::preconditioner;
    const auto a = share(make_csr<V, I>(this->exec, poisson_2d(7)));
    const auto b = this->random_dense(a->get_size()[0], 1);
    const auto start = this->random_dense(a->get_size()[0], 1);
    const auto check = [&](const std::string& name, auto solver_parameters, auto parameters) {
        SCOPED_TRACE(name);
        const auto m = share(parameters.on(this->exec)->generate(a));
        EXPECT_TRUE(m->launches_are_static());
        const auto make = [&] {
            return solver_parameters.with_criteria(spruce::stop::Iteration::build().with_max_iters(30u))
                .with_generated_preconditioner(m)
                .on(this->exec)
                ->generate(a);
        };
        const auto replays =
            replays_with_the_same_results<V>(make, *b, *start, share(spruce::log::Convergence<V>::create()));
        EXPECT_EQ(replays > 0, is_device(*this->exec));
    };
    const auto check_with_cg = [&](const std::string& name, auto parameters) {
        check(name, spruce::solver::Cg<V>::build(), parameters);
    };
    const auto check_with_bicgstab = [&](const std::string& name, auto parameters) {
        check(name, spruce::solver::Bicgstab<V>::build(), parameters);
    };
    using LowerIsai = preconditioner::LowerIsai<V, I>;
    using UpperIsai = preconditioner::UpperIsai<V, I>;
    using GaussSeidel = preconditioner::GaussSeidel<V, I>;

    check_with_cg("Ic", TestFixture::Ic::build());
    check_with_cg("Ic by sweeps", TestFixture::Ic::build().with_factorization(factorization::ParIc<V, I>::build()));
    check_with_cg("Ic with Isai", preconditioner::Ic<LowerIsai, I>::build());
    check_with_bicgstab("Ilu", TestFixture::Ilu::build());
    check_with_bicgstab("Ilu by sweeps",
                        TestFixture::Ilu::build().with_factorization(factorization::ParIlu<V, I>::build()));
    check_with_bicgstab("Ilu with fill-in",
                        TestFixture::Ilu::build().with_factorization(factorization::ParIlut<V, I>::build()));
    check_with_bicgstab("Ilu with Isai", preconditioner::Ilu<LowerIsai, UpperIsai, false, I>::build());
    check_with_bicgstab("LowerTrs", TestFixture::lower::build());
    check_with_bicgstab("UpperTrs", TestFixture::upper::build());
    check_with_bicgstab("LowerIsai", LowerIsai::build());
    check_with_bicgstab("UpperIsai", UpperIsai::build());
    check_with_bicgstab("GeneralIsai", preconditioner::GeneralIsai<V, I>::build());
    check_with_cg("SpdIsai", preconditioner::SpdIsai<V, I>::build());
    check_with_bicgstab("Sor", preconditioner::Sor<V, I>::build());
    for (const auto multicolor : {false, true}) {
        check_with_cg("symmetric GaussSeidel", GaussSeidel::build().with_symmetric(true).with_multicolor(multicolor));
    }
    for (const unsigned max_block_size : {1, 4}) {
        check_with_cg("Jacobi", preconditioner::Jacobi<V, I>::build().with_max_block_size(max_block_size));
    }
}

TYPED_TEST(FactorSolvers, ReduceIterationsAsMuchAsOnReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto data = poisson_2d(24);
    const auto host_b = clone(this->ref, this->random_dense(data.size[0], 1));
    const auto iterations = [&](auto builder, const std::shared_ptr<const spruce::Executor>& exec,
                                std::shared_ptr<const spruce::LinOpFactory> preconditioner) {
        const auto log = share(spruce::log::Convergence<V>::create());
        const auto solver =
            builder
                .with_criteria(spruce::stop::Iteration::build().with_max_iters(400u),
                               spruce::stop::ResidualNorm<V>::build().with_reduction_factor(1e3 * this->epsilon()))
                .with_preconditioner(std::move(preconditioner))
                .on(exec)
                ->generate(share(make_csr<V, I>(exec, data)));
        solver->add_logger(log);
        const auto b = clone(exec, host_b);
        const auto x = clone(b);
        x->fill(V{});
        solver->apply(b, x);
        EXPECT_TRUE(log->has_converged());
        return static_cast<double>(log->get_num_iterations());
    };
    const auto check = [&](auto builder, auto preconditioner) {
        const auto expected = iterations(builder, this->ref, preconditioner.on(this->ref));
        const auto without = iterations(builder, this->ref, spruce::matrix::IdentityFactory<V>::create(this->ref));

        EXPECT_NEAR(iterations(builder, this->exec, preconditioner.on(this->exec)), expected, 0.1 * expected);
        EXPECT_LT(expected, 0.6 * without);
    };

    check(spruce::solver::Cg<V>::build(), TestFixture::Ic::build());
    check(spruce::solver::Cg<V>::build(), TestFixture::Ilu::build());
    check(spruce::solver::Bicgstab<V>::build(), TestFixture::Ilu::build());
}

}  // namespace
