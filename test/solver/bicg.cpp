// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/bicg.hpp>

#include "test/solver/lanczos_suite.hpp"

namespace spruce::test {

SPRUCE_TEST_LANCZOS_SOLVER(Bicg);

template <typename Types>
using BicgSolver = SolverTest<Types>;
TYPED_TEST_SUITE(BicgSolver, solver_cases<solver::Bicg>, type_names);

/// Applies the identity without an implementation of transpose().
template <typename V>
class OneWay : public EnableLinOp<OneWay<V>> {
    friend class EnablePolymorphicObject<OneWay, LinOp>;

public:
    static std::shared_ptr<OneWay> create(std::shared_ptr<const Executor> exec, size_type size)
    {
        return std::shared_ptr<OneWay>(new OneWay(std::move(exec), dim<2>{size, size}));
    }

protected:
    explicit OneWay(std::shared_ptr<const Executor> exec, dim<2> size = {})
        : EnableLinOp<OneWay>(std::move(exec), size),
          identity_{matrix::Identity<V>::create(this->get_executor(), size[0])}
    {}
    void apply_impl(const LinOp* b, LinOp* x) const override { identity_->apply(b, x); }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        identity_->apply(alpha, b, beta, x);
    }

private:
    std::shared_ptr<const LinOp> identity_;
};

TYPED_TEST(BicgSolver, RefusesOperatorsWithoutTransposeBeforeAnythingIsChanged)
{
    const std::shared_ptr<const LinOp> one_way = OneWay<typename TypeParam::value_type>::create(this->exec, 2);
    const auto a = share(this->csr({{2, 1}, {0, 4}}));
    const auto inverse = share(this->csr({{0.5, -0.125}, {0, 0.25}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a);
    solver->set_preconditioner(inverse);
    auto with_one_way = TestFixture::solver::build()
                            .with_criteria(stop::Iteration::build().with_max_iters(1))
                            .with_generated_preconditioner(one_way);

    EXPECT_THROW(this->make_solver(one_way), NotSupported);
    EXPECT_THROW(with_one_way.on(this->exec)->generate(a), NotSupported);
    EXPECT_THROW(solver->set_preconditioner(one_way), NotSupported);

    EXPECT_EQ(solver->get_preconditioner(), inverse);
    solver->apply(this->dense({{4}, {8}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 20 * this->epsilon());
}

TYPED_TEST(BicgSolver, SaysWhichBreakdownItWas)
{
    this->expect_breakdown(share(this->csr({{0, 1}, {-1, 0}})), this->dense({{1}, {0}}),
                           stop_reason::breakdown_curvature);
    // r becomes (0, -1), and r~ becomes (0, 0).
    this->expect_breakdown(share(this->csr({{1, 0}, {1, 0}})), this->dense({{1}, {0}}),
                           stop_reason::breakdown_inner_product);
}

TYPED_TEST(BicgSolver, TransposesWhatIsSetLater)
{
    const auto a = share(this->csr({{2, 1}, {0, 4}}));
    const auto b = this->dense({{4}, {8}});
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a);
    solver->set_preconditioner(share(this->csr({{0.25, 0}, {0.5, 0.125}})));
    solver->apply(b, x);
    x->fill(0);

    solver->set_preconditioner(share(this->csr({{0.5, -0.125}, {0, 0.25}})));  // the inverse
    solver->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_EQ(this->log->get_num_iterations(), 1u);
    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}}), 20 * this->epsilon());
}

}  // namespace spruce::test
