// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that each iterative solver takes new values of its matrix together with its preconditioner.

#include <spruce/base/name_demangling.hpp>
#include <spruce/factorization/par_ilut.hpp>
#include <spruce/preconditioner/gauss_seidel.hpp>
#include <spruce/preconditioner/ic.hpp>
#include <spruce/preconditioner/ilu.hpp>
#include <spruce/preconditioner/isai.hpp>
#include <spruce/preconditioner/sor.hpp>

#include "test/solver/iterative_solvers.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
namespace solver = spruce::solver;
namespace stop = spruce::stop;

template <typename Types>
class SolverRefresh : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using Jacobi = spruce::preconditioner::Jacobi<V, I>;

    std::shared_ptr<Csr> first() const { return share(this->csr({{4, 1, 0}, {1, 5, 1}, {0, 1, 6}})); }
    std::shared_ptr<Csr> second() const { return share(this->csr({{8, 3, 0}, {3, 20, 2}, {0, 2, 4}})); }
    /// Creates the inverse of the diagonal of a matrix.
    std::shared_ptr<Jacobi> jacobi(std::shared_ptr<const Csr> a) const
    {
        return share(Jacobi::build().with_max_block_size(1u).on(this->exec)->generate(std::move(a)));
    }

    /// Generates a solver of three steps.
    template <typename Solver>
    std::shared_ptr<Solver> generate(std::shared_ptr<const Csr> a,
                                     std::shared_ptr<const spruce::LinOp> preconditioner) const
    {
        auto parameters = build_for_spectrum<Solver>(0.5, 1.5);
        parameters.with_criteria(stop::Iteration::build().with_max_iters(3u));
        if constexpr (std::is_base_of_v<spruce::Preconditionable, Solver>) {
            parameters.with_generated_preconditioner(std::move(preconditioner));
        } else {
            parameters.with_generated_solver(std::move(preconditioner));
        }
        return share(parameters.on(this->exec)->generate(std::move(a)));
    }
    std::unique_ptr<Dense> solve(const spruce::LinOp& op) const
    {
        auto x = this->dense({{0}, {0}, {0}});
        op.apply(this->dense({{1}, {2}, {3}}), x);
        return x;
    }
    template <typename Function>
    static void for_each_solver(Function function)
    {
        for_each_iterative_solver<V>([&](auto tag) {
            using Solver = typename decltype(tag)::type;
            SCOPED_TRACE(spruce::name_demangling::get_type_name(typeid(Solver)));
            function(tag);
        });
    }
};
TYPED_TEST_SUITE(SolverRefresh, value_and_index_types, type_names);

TYPED_TEST(SolverRefresh, EqualsANewSolverWithoutAllocations)
{
    this->for_each_solver([&](auto tag) {
        using Solver = typename decltype(tag)::type;
        const auto op = this->template generate<Solver>(this->first(), this->jacobi(this->first()));
        this->solve(*op);
        const auto second = this->second();
        const auto before = this->exec->get_counters();

        op->refresh(second);

        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
        EXPECT_EQ(op->get_system_matrix(), second);
        const auto expected = this->template generate<Solver>(second, this->jacobi(second));
        EXPECT_MTX_NEAR(this->solve(*op), this->solve(*expected), 0.0);
    });
}

TYPED_TEST(SolverRefresh, TakesEachPreconditionerAlong)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    namespace preconditioner = spruce::preconditioner;
    using Solver = solver::Bicgstab<V>;
    const auto check = [&](const char* name, auto parameters) {
        SCOPED_TRACE(name);
        const auto factory = share(parameters.on(this->exec));
        const auto op = this->template generate<Solver>(this->first(), share(factory->generate(this->first())));
        this->solve(*op);
        const auto second = this->second();

        op->refresh(second);

        const auto expected = this->template generate<Solver>(second, share(factory->generate(second)));
        EXPECT_MTX_NEAR(this->solve(*op), this->solve(*expected), 0.0);
    };
    using lower_isai = preconditioner::LowerIsai<V, I>;
    using upper_isai = preconditioner::UpperIsai<V, I>;
    using ilu = preconditioner::Ilu<solver::LowerTrs<V, I>, solver::UpperTrs<V, I>, false, I>;

    check("Ilu", ilu::build());
    check("Ilu with fill-in", ilu::build().with_factorization(spruce::factorization::ParIlut<V, I>::build()));
    check("Ilu with Isai", preconditioner::Ilu<lower_isai, upper_isai, false, I>::build());
    check("Ic", preconditioner::Ic<solver::LowerTrs<V, I>, I>::build());
    check("LowerIsai", lower_isai::build());
    check("UpperIsai", upper_isai::build());
    check("GeneralIsai", preconditioner::GeneralIsai<V, I>::build());
    check("SpdIsai", preconditioner::SpdIsai<V, I>::build());
    check("Sor", preconditioner::Sor<V, I>::build());
    check("GaussSeidel", preconditioner::GaussSeidel<V, I>::build().with_symmetric(true).with_multicolor(true));
}

TYPED_TEST(SolverRefresh, TakesTheMatrixAloneWithoutPreconditioner)
{
    const auto identity = share(spruce::matrix::Identity<typename TestFixture::V>::create(this->exec, 3));
    this->for_each_solver([&](auto tag) {
        using Solver = typename decltype(tag)::type;
        const auto op = this->template generate<Solver>(this->first(), identity);
        this->solve(*op);
        const auto second = this->second();

        op->refresh(second);

        const auto expected = this->template generate<Solver>(second, identity);
        EXPECT_MTX_NEAR(this->solve(*op), this->solve(*expected), 0.0);
    });
}

TYPED_TEST(SolverRefresh, RefusesWithoutAnyChange)
{
    const auto fixed = share(this->csr({{0.25, 0, 0}, {0, 0.2, 0}, {0, 0, 0.125}}));
    this->for_each_solver([&](auto tag) {
        using Solver = typename decltype(tag)::type;
        const auto first = this->first();
        const auto op = this->template generate<Solver>(first, this->jacobi(first));
        const auto of_fixed = this->template generate<Solver>(first, fixed);
        const auto expected = this->solve(*op);
        const auto other_pattern = share(this->csr({{4, 1, 1}, {1, 5, 0}, {1, 0, 6}}));

        EXPECT_THROW(op->refresh(nullptr), spruce::NotSupported);
        EXPECT_THROW(op->refresh(share(this->csr({{4, 1}, {1, 4}}))), spruce::DimensionMismatch);
        EXPECT_THROW(op->refresh(other_pattern), spruce::UnsupportedMatrixProperty);
        EXPECT_THROW_WITH(of_fixed->refresh(this->second()), spruce::NotSupported,
                          "preconditioner or inner solver of type");

        EXPECT_EQ(op->get_system_matrix(), first);
        EXPECT_EQ(of_fixed->get_system_matrix(), first);
        EXPECT_MTX_NEAR(this->solve(*op), expected, 0.0);
    });
}

TYPED_TEST(SolverRefresh, RefusesIfTheSolverIsEmpty)
{
    const auto empty_matrix = share(TestFixture::Csr::create(this->exec));
    this->for_each_solver([&](auto tag) {
        using Solver = typename decltype(tag)::type;
        const auto op = this->template generate<Solver>(this->first(), this->jacobi(this->first()));
        EXPECT_TRUE(op->can_be_refreshed());
        op->clear();

        EXPECT_FALSE(op->can_be_refreshed());
        EXPECT_THROW_WITH(op->refresh(empty_matrix), spruce::NotSupported, "empty solver");
        EXPECT_THROW(op->refresh(this->first()), spruce::NotSupported);
    });
}

TYPED_TEST(SolverRefresh, RefreshesNestedSolversThroughTheInterface)
{
    using V = typename TestFixture::V;
    const auto generate = [&](auto a) {
        const auto inner = this->template generate<solver::Ir<V>>(a, this->jacobi(a));
        return this->template generate<solver::Gmres<V>>(a, inner);
    };
    const auto op = generate(this->first());
    const auto second = this->second();

    dynamic_cast<spruce::Refreshable&>(*op).refresh(second);

    EXPECT_MTX_NEAR(this->solve(*op), this->solve(*generate(second)), 0.0);
}

}  // namespace
