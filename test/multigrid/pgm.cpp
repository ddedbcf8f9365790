// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests levels by pairwise aggregation and by given rows, on all executors.

#include <limits>
#include <string>
#include <vector>

#include <spruce/multigrid/fixed_coarsening.hpp>
#include <spruce/multigrid/pgm.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/solver/multigrid.hpp>

#include "test/graph/grids.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::as;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class UnsmoothedLevels : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::real;
    using pgm = spruce::multigrid::Pgm<V, I>;
    using fixed_coarsening = spruce::multigrid::FixedCoarsening<V, I>;

    static std::shared_ptr<const Csr> csr_of(const std::shared_ptr<const spruce::LinOp>& op) { return as<Csr>(op); }
    std::unique_ptr<fixed_coarsening> coarsen(const std::shared_ptr<const spruce::LinOp>& a, std::vector<I> rows) const
    {
        return fixed_coarsening::build()
            .with_coarse_rows(array<I>{this->exec, rows.begin(), rows.end()})
            .on(this->exec)
            ->generate(a);
    }
};
TYPED_TEST_SUITE(UnsmoothedLevels, value_and_index_types, type_names);

TYPED_TEST(UnsmoothedLevels, PgmAddsUpPairs)
{
    const auto a = share(this->csr({{4, -3, 0, 0}, {-3, 4, -1, 0}, {0, -1, 4, -2}, {0, 0, -2, 4}}));

    const auto level = TestFixture::pgm::build().on(this->exec)->generate(a);

    EXPECT_MTX_NEAR(this->csr_of(level->get_prolong_op()), this->csr({{1, 0}, {1, 0}, {0, 1}, {0, 1}}), 0.0);
    EXPECT_MTX_NEAR(this->csr_of(level->get_restrict_op()), this->csr({{1, 1, 0, 0}, {0, 0, 1, 1}}), 0.0);
    EXPECT_MTX_NEAR(this->csr_of(level->get_coarse_op()), this->csr({{2, -1}, {-1, 4}}), 0.0);
    EXPECT_EQ(level->get_fine_op(), a);
    EXPECT_EQ(this->exec->copy_val_to_host(level->get_const_agg() + 3), 1);
    // P A_c R b
    EXPECT_MTX_NEAR(this->apply(level, this->dense({{1}, {0}, {0}, {2}})), this->dense({{0}, {0}, {7}, {7}}), 0.0);
}

TYPED_TEST(UnsmoothedLevels, PgmPreconditionsCgInMultigrid)
{
    using V = typename TestFixture::V;
    const auto a = share(make_csr<V, typename TestFixture::I>(this->exec, grid(24, 2, 1)));
    const auto b = this->random_dense(576, 1);
    const auto x = clone(b);
    x->fill(spruce::zero<V>());
    const auto solver =
        spruce::solver::Cg<V>::build()
            .with_criteria(spruce::stop::Iteration::build().with_max_iters(40u),
                           spruce::stop::ResidualNorm<V>::build().with_reduction_factor(
                               static_cast<typename TestFixture::real>(1e-5)))
            .with_preconditioner(spruce::solver::Multigrid::build().with_mg_level(TestFixture::pgm::build()))
            .on(this->exec)
            ->generate(a);

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons()[0], spruce::stop_reason::converged);
}

TYPED_TEST(UnsmoothedLevels, PgmRefreshes)
{
    const auto level = TestFixture::pgm::build()
                           .on(this->exec)
                           ->generate(this->csr({{4, -3, 0, 0}, {-3, 4, -1, 0}, {0, -1, 4, -2}, {0, 0, -2, 4}}));
    const auto changed = share(this->csr({{5, -3, 0, 0}, {-3, 4, -2, 0}, {0, -2, 4, -2}, {0, 0, -2, 4}}));
    level->refresh(changed);
    const auto before = this->exec->get_counters();

    level->refresh(changed);

    if (this->exec->get_master() == this->exec) {  // GPUs allocate workspace of sparse products
        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
    }
    EXPECT_MTX_NEAR(this->csr_of(level->get_coarse_op()), this->csr({{3, -2}, {-2, 4}}), 0.0);
}

TYPED_TEST(UnsmoothedLevels, FixedCoarseningSelectsRowsAndColumns)
{
    const auto a = share(this->csr({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}));

    const auto level = this->coarsen(a, {2, 0});

    EXPECT_MTX_NEAR(this->csr_of(level->get_coarse_op()), this->csr({{9, 7}, {3, 1}}), 0.0);
    EXPECT_MTX_NEAR(this->csr_of(level->get_prolong_op()), this->csr({{0, 1}, {0, 0}, {1, 0}}), 0.0);
}

TYPED_TEST(UnsmoothedLevels, RefuseUnsuitableInput)
{
    const auto nan = std::numeric_limits<typename TestFixture::real>::quiet_NaN();
    const auto a = share(this->csr({{1, 2}, {3, 4}}));
    const auto generate = [&](const auto& parameters, const auto& matrix) {
        return parameters.on(this->exec)->generate(matrix);
    };

    EXPECT_THROW(generate(TestFixture::pgm::build().with_max_unassigned_ratio(2), a), spruce::OutOfBoundsError);
    EXPECT_THROW(generate(TestFixture::pgm::build(), share(this->csr({{1, 2, 3}}))), spruce::DimensionMismatch);
    EXPECT_THROW(generate(TestFixture::pgm::build(), share(this->csr({{1, nan}, {3, 4}}))), spruce::InvalidStateError);
    EXPECT_THROW(this->coarsen(a, {0, 2}), spruce::OutOfBoundsError);
    EXPECT_THROW(this->coarsen(a, {-1}), spruce::OutOfBoundsError);
    EXPECT_THROW(this->coarsen(a, {1, 1}), spruce::UnsupportedMatrixProperty);
}

}  // namespace
