// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests Multigrid as a preconditioner and as a solver, on all executors.

#include <cmath>
#include <string>
#include <vector>

#include <spruce/multigrid/sa.hpp>
#include <spruce/preconditioner/jacobi.hpp>
#include <spruce/solver/multigrid.hpp>

#include "test/graph/grids.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::as;
using spruce::dim;
using spruce::size_type;
using spruce::solver::Multigrid;

/// Stores what solvers report about themselves and their iterations.
struct MultigridEvents : spruce::log::Logger {
    MultigridEvents() : Logger(hierarchy_generated_mask | iteration_complete_mask) {}
    using Logger::on_iteration_complete;
    void on_hierarchy_generated(const spruce::LinOp* solver, const std::string& explanation) const override
    {
        solvers.push_back(solver);
        explanations.push_back(explanation);
    }
    void on_iteration_complete(const spruce::LinOp* solver, const spruce::LinOp*, const spruce::LinOp*,
                               const size_type& it, const spruce::LinOp*, const spruce::LinOp*, const spruce::LinOp*,
                               const spruce::array<spruce::stopping_status>*, bool) const override
    {
        solvers.push_back(solver);
        iterations.push_back(it);
    }

    mutable std::vector<const spruce::LinOp*> solvers;
    mutable std::vector<std::string> explanations;
    mutable std::vector<size_type> iterations;
};

template <typename Types>
class MultigridSolver : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using typename kernel_test<Types>::real;
    using sa = spruce::multigrid::Sa<V, I>;
    using jacobi = spruce::preconditioner::Jacobi<V, I>;

    std::shared_ptr<Csr> make(const host_matrix& data) const { return make_csr<V, I>(this->exec, data); }
    std::shared_ptr<Multigrid> generate(const std::shared_ptr<const spruce::LinOp>& a) const
    {
        return Multigrid::build().on(this->exec)->generate(a);
    }
    static real reduction() { return static_cast<real>(std::is_same<real, float>::value ? 1e-5 : 1e-8); }

    /// Solves with a random right-hand side. Returns the number of iterations.
    template <typename Solver>
    size_type iterations_with(const std::shared_ptr<const spruce::LinOp>& a,
                              const std::shared_ptr<const spruce::LinOp>& preconditioner)
    {
        const auto solver =
            Solver::build()
                .with_criteria(spruce::stop::Iteration::build().with_max_iters(100u),
                               spruce::stop::ResidualNorm<V>::build().with_reduction_factor(reduction()))
                .with_generated_preconditioner(preconditioner)
                .on(this->exec)
                ->generate(a);
        const std::shared_ptr<spruce::log::Convergence<V>> log = spruce::log::Convergence<V>::create();
        solver->add_logger(log);
        const auto b = this->random_dense(a->get_size()[0], 1);
        const auto x = clone(b);
        x->fill(spruce::zero<V>());
        solver->apply(b, x);
        EXPECT_TRUE(log->has_converged());
        return log->get_num_iterations();
    }
    size_type cg_iterations(const host_matrix& data)
    {
        const auto a = this->make(data);
        return this->template iterations_with<spruce::solver::Cg<V>>(a, this->generate(a));
    }
};
TYPED_TEST_SUITE(MultigridSolver, value_and_index_types, type_names);

TYPED_TEST(MultigridSolver, NeedsFewIterationsOfCgWithNothingSet)
{
    EXPECT_LE(this->cg_iterations(grid(24, 2, 1)), 11u);
    EXPECT_LE(this->cg_iterations(grid(32, 2, 1)), 11u);
    EXPECT_LE(this->cg_iterations(grid(10, 3, 1)), 11u);
    EXPECT_LE(this->cg_iterations(grid(9, 3, 3)), 9u);
}

TYPED_TEST(MultigridSolver, IsOneVCycleWithNothingSet)
{
    const auto a = this->make(grid(24, 2, 1));
    const auto m = this->generate(a);
    const auto levels = m->get_mg_level_list();

    ASSERT_EQ(levels.size(), 1u);
    EXPECT_EQ(levels[0]->get_fine_op(), a);
    EXPECT_NE(dynamic_cast<const typename TestFixture::sa*>(levels[0].get()), nullptr);
    EXPECT_EQ(m->get_pre_smoother_list().size(), 1u);
    EXPECT_EQ(m->get_pre_smoother_list(), m->get_post_smoother_list());
    EXPECT_EQ(m->get_mid_smoother_list()[0], nullptr);
    EXPECT_EQ(m->get_coarsest_solver()->get_size(), levels[0]->get_coarse_op()->get_size());
    EXPECT_EQ(m->get_cycle(), spruce::multigrid::cycle::v);
    EXPECT_FALSE(m->apply_uses_initial_guess());
    EXPECT_NE(m->explain().find("576"), std::string::npos);
    EXPECT_TRUE(m->launches_are_static());
}

TYPED_TEST(MultigridSolver, IsHermitianPositiveDefinite)
{
    using V = typename TestFixture::V;
    const auto m = this->generate(this->make(grid(24, 2, 1)));
    const auto b = this->random_dense(576, 1);
    const auto c = this->random_dense(576, 1);
    const auto dot = [&](const auto& left, const auto& right) {
        const auto result = this->dense_of_nan(1, 1);
        left->compute_conj_dot(right, result);
        return clone(this->ref, result)->at(0, 0);
    };
    const auto mb = this->apply(m, b);

    const V left = dot(c, mb);
    const V right = dot(this->apply(m, c), b);
    const V product = dot(b, mb);

    EXPECT_NEAR(std::abs(left - right), 0, 1000 * this->epsilon() * std::abs(product));
    EXPECT_GT(spruce::real(product), 0);
    EXPECT_NEAR(spruce::imag(product), 0, 1000 * this->epsilon() * std::abs(product));
}

TYPED_TEST(MultigridSolver, SolvesByCycles)
{
    using V = typename TestFixture::V;
    const auto a = this->make(grid(24, 2, 1));
    const auto b = this->random_dense(576, 2);
    const auto m =
        Multigrid::build()
            .with_criteria(spruce::stop::Iteration::build().with_max_iters(50u),
                           spruce::stop::ResidualNorm<V>::build().with_reduction_factor(TestFixture::reduction()))
            .on(this->exec)
            ->generate(a);
    const auto x = this->apply(m, b);  // starts from zero, not from NaN

    const auto r = clone(b);
    a->apply(this->dense({{-1}}), x, this->dense({{1}}), r);
    EXPECT_EQ(m->get_stop_reasons(), std::vector<spruce::stop_reason>(2, spruce::stop_reason::converged));
    const auto norms = this->real_dense({{0, 0}});
    const auto b_norms = this->real_dense({{0, 0}});
    r->compute_norm2(norms);
    b->compute_norm2(b_norms);
    for (const int col : {0, 1}) {
        EXPECT_LE(clone(this->ref, norms)->at(0, col),
                  2 * TestFixture::reduction() * clone(this->ref, b_norms)->at(0, col));
    }
}

TYPED_TEST(MultigridSolver, StartsFromTheChosenGuess)
{
    using spruce::solver::initial_guess_mode;
    const auto a = this->make(grid(24, 2, 1));
    const auto m = this->generate(a);
    const auto b = this->random_dense(576, 1);
    const auto guess = this->random_dense(576, 1);
    // x + M^-1 (b - A x)
    const auto improve = [&](const auto& x) {
        const auto r = clone(b);
        a->apply(this->dense({{-1}}), x, this->dense({{1}}), r);
        auto result = this->apply(m, r);
        result->add_scaled(this->dense({{1}}), x);
        return result;
    };
    const auto from = [&](initial_guess_mode mode) {
        const auto x = clone(guess);
        Multigrid::build().with_default_initial_guess(mode).on(this->exec)->generate(a)->apply(b, x);
        auto y = clone(guess);
        m->apply_with_initial_guess(b, y, mode);
        EXPECT_MTX_NEAR(x, y, 0.0);
        return y;
    };
    const auto tolerance = 100 * this->epsilon();

    EXPECT_MTX_NEAR(from(initial_guess_mode::zero), this->apply(m, b), tolerance);
    EXPECT_MTX_NEAR(from(initial_guess_mode::rhs), improve(b), tolerance);
    EXPECT_MTX_NEAR(from(initial_guess_mode::provided), improve(guess), tolerance);
}

TYPED_TEST(MultigridSolver, WritesASolutionIntoTheMemoryOfItsMatrix)
{
    using V = typename TestFixture::V;
    const auto a = this->make(grid(24, 2, 1));
    const auto m = this->generate(a);
    const auto b = this->random_dense(576, 1);
    const auto expected = this->apply(m, b);
    const auto x = TestFixture::Dense::create(this->exec, dim<2>{576, 1},
                                              spruce::array<V>::view(this->exec, 576, a->get_values()), 1);

    m->apply(b, x);

    EXPECT_MTX_NEAR(x, expected, 0.0);
}

TYPED_TEST(MultigridSolver, AddsToScaledResult)
{
    const auto m = this->generate(this->make(grid(24, 2, 1)));
    const auto b = this->random_dense(576, 3);
    const auto x = this->random_dense(576, 3);
    const auto expected = this->apply(m, b);
    expected->scale(this->dense({{2}}));
    expected->add_scaled(this->dense({{-3}}), x);

    m->apply(this->dense({{2}}), b, this->dense({{-3}}), x);

    EXPECT_MTX_NEAR(x, expected, 20 * this->epsilon());
}

TYPED_TEST(MultigridSolver, TakesLevelsSmoothersAndSolvers)
{
    using V = typename TestFixture::V;
    const auto a = this->make(grid(24, 2, 1));
    const auto smoother = share(
        spruce::solver::build_smoother<V>(share(TestFixture::jacobi::build().with_max_block_size(1u).on(this->exec)),
                                          2u, V(typename TestFixture::real(0.8))));
    const auto iterations = [&](spruce::multigrid::cycle cycle) {
        const auto m = Multigrid::build()
                           .with_mg_level(TestFixture::sa::build())
                           .with_pre_smoother(smoother)
                           .with_coarsest_solver(spruce::solver::Cg<V>::build().with_criteria(
                               spruce::stop::Iteration::build().with_max_iters(10u)))
                           .with_min_coarse_rows(10u)
                           .with_cycle(cycle)
                           .on(this->exec)
                           ->generate(a);
        EXPECT_EQ(m->get_mg_level_list().size(), 2u);
        EXPECT_EQ(m->get_cycle(), cycle);
        return this->template iterations_with<spruce::solver::Fcg<V>>(a, share(m->clone()));
    };

    const auto v = iterations(spruce::multigrid::cycle::v);
    EXPECT_LE(v, 20u);
    EXPECT_LE(iterations(spruce::multigrid::cycle::f), v);
    EXPECT_LE(iterations(spruce::multigrid::cycle::w), v);
}

TYPED_TEST(MultigridSolver, SelectsFactories)
{
    const auto a = this->make(grid(24, 2, 1));
    std::vector<size_type> asked;
    const auto build = [&](size_type level_index, size_type solver_index) {
        return Multigrid::build()
            .with_mg_level(TestFixture::sa::build(), TestFixture::sa::build().with_strength_threshold(0.1))
            .with_level_selector([&asked, level_index](size_type level, const spruce::LinOp*) {
                asked.push_back(level);
                return level_index;
            })
            .with_solver_selector([solver_index](size_type, const spruce::LinOp*) { return solver_index; })
            .with_coarsest_solver(TestFixture::jacobi::build(), TestFixture::sa::build())
            .on(this->exec)
            ->generate(a);
    };

    const auto m = build(1, 0);

    EXPECT_EQ(asked, (std::vector<size_type>{0, 1}));
    EXPECT_NE(dynamic_cast<const typename TestFixture::jacobi*>(m->get_coarsest_solver().get()), nullptr);
    const auto first = as<typename TestFixture::sa>(m->get_mg_level_list()[0]);
    EXPECT_EQ(first->get_parameters().strength_threshold, 0.1);
    EXPECT_THROW(build(2, 0), spruce::OutOfBoundsError);
    EXPECT_THROW(build(0, 2), spruce::OutOfBoundsError);
}

TYPED_TEST(MultigridSolver, SolvesSmallAndUncoarsenableSystemsInOneLevel)
{
    host_matrix diagonal{dim<2>{1030}};
    for (int row = 0; row < 1030; ++row) {
        diagonal.nonzeros.emplace_back(row, row, 1.0 + row);
    }

    EXPECT_LE(this->cg_iterations(grid(10, 2, 1)), 2u);
    EXPECT_LE(this->cg_iterations(diagonal), 2u);
    EXPECT_NE(this->generate(this->make(diagonal))->explain().find("not coarsened further"), std::string::npos);
    EXPECT_LE(this->cg_iterations(host_matrix{dim<2>{}}), 1u);
    const auto x = this->apply(this->generate(this->csr({{4}})), this->dense({{2}}));
    EXPECT_MTX_NEAR(x, this->dense({{0.5}}), this->epsilon());
}

TYPED_TEST(MultigridSolver, SolvesSingularSystems)
{
    using V = typename TestFixture::V;
    // Neumann conditions: each diagonal entry is the number of neighbours.
    constexpr int width = 24;
    auto data = grid(width, 2, 1);
    std::vector<double> sums(data.size[0]);
    for (const auto& entry : data.nonzeros) {
        sums[entry.row] += entry.row == entry.column ? 0 : 1;
    }
    for (auto& entry : data.nonzeros) {
        if (entry.row == entry.column) {
            entry.value = sums[entry.row];
        }
    }
    const auto a = this->make(data);
    const auto solution = this->random_dense(data.size[0], 1);
    const auto b = this->apply(a, solution);
    const auto x = clone(b);
    x->fill(spruce::zero<V>());
    const auto solver =
        spruce::solver::Cg<V>::build()
            .with_criteria(spruce::stop::Iteration::build().with_max_iters(30u),
                           spruce::stop::ResidualNorm<V>::build().with_reduction_factor(TestFixture::reduction()))
            .with_preconditioner(Multigrid::build())
            .on(this->exec)
            ->generate(a);

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons()[0], spruce::stop_reason::converged);
}

TYPED_TEST(MultigridSolver, PreconditionsNonsymmetricSystems)
{
    using V = typename TestFixture::V;
    auto data = grid(24, 2, 1);
    for (auto& entry : data.nonzeros) {  // convection along the rows of the grid
        entry.value += entry.column == entry.row + 1 ? 0.5 : entry.column == entry.row - 1 ? -0.5 : 0.0;
    }
    const auto a = this->make(data);

    EXPECT_LE(this->template iterations_with<spruce::solver::Gmres<V>>(a, this->generate(a)), 20u);
}

TYPED_TEST(MultigridSolver, Refreshes)
{
    auto data = grid(24, 2, 1);
    const auto m = this->generate(this->make(data));
    for (auto& entry : data.nonzeros) {  // D A D has the same aggregates as A
        entry.value *= std::ldexp(1.0, static_cast<int>(entry.row % 3 + entry.column % 3));
    }
    const auto changed = this->make(data);
    const auto b = this->random_dense(576, 1);
    const auto expected = this->apply(this->generate(changed), b);
    m->refresh(changed);
    const auto before = this->exec->get_counters();

    m->refresh(changed);

    if (this->exec->get_master() == this->exec) {  // GPUs allocate workspace of sparse products
        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
    }
    EXPECT_MTX_NEAR(this->apply(m, b), expected, 0.0);
    EXPECT_EQ(m->get_system_matrix(), changed);
    EXPECT_THROW(m->refresh(this->make(grid(25, 2, 1))), spruce::UnsupportedMatrixProperty);
    EXPECT_MTX_NEAR(this->apply(m, b), expected, 0.0);
}

TYPED_TEST(MultigridSolver, RefreshComparesWithTheFirstPattern)
{
    const auto data = grid(24, 2, 1);
    const auto a = this->make(data);
    const auto unsorted = this->make(with_unsorted_columns(this->engine, data));
    const auto m = this->generate(a);
    const auto of_unsorted = this->generate(unsorted);
    const auto b = this->random_dense(576, 1);
    const auto expected = this->apply(of_unsorted, b);

    EXPECT_THROW(of_unsorted->refresh(a), spruce::UnsupportedMatrixProperty);
    EXPECT_MTX_NEAR(this->apply(of_unsorted, b), expected, 0.0);
    a->copy_from(this->make(grid(24, 2, 2)));  // changes the matrix of the finest level
    EXPECT_THROW(m->refresh(a), spruce::UnsupportedMatrixProperty);
}

TYPED_TEST(MultigridSolver, DoesNotReadUnusedElementsOfArrays)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = this->make(grid(24, 2, 1));
    const auto nnz = a->get_num_stored_elements();
    const auto lengthened = [&](const auto* begin, auto filling) {
        spruce::array<std::decay_t<decltype(filling)>> result{this->exec, nnz + 40};
        result.fill(filling);
        this->exec->copy_from(this->exec, nnz, begin, result.get_data());
        return result;
    };
    const auto longer = share(TestFixture::Csr::create(
        this->exec, a->get_size(), lengthened(a->get_const_values(), spruce::nan<V>()),
        lengthened(a->get_const_col_idxs(), I{0}),
        spruce::array<I>::const_view(this->exec, 577, a->get_const_row_ptrs()).copy_to_array()));
    const auto m = this->generate(longer);
    const auto b = this->random_dense(576, 1);
    const auto expected = this->apply(this->generate(a), b);

    EXPECT_MTX_NEAR(this->apply(m, b), expected, 1000 * this->epsilon());
    m->refresh(longer);
    EXPECT_MTX_NEAR(this->apply(m, b), expected, 1000 * this->epsilon());
    m->refresh(a);
    EXPECT_MTX_NEAR(this->apply(m, b), expected, 1000 * this->epsilon());
}

/// Returns a matrix of 600 pairs of rows with 1 on the diagonal and another value beside it.
host_matrix pairs_of(double beside)
{
    host_matrix pairs{dim<2>{1200}};
    for (int row = 0; row < 1200; ++row) {
        pairs.nonzeros.emplace_back(row, row / 2 * 2, row % 2 == 0 ? 1.0 : beside);
        pairs.nonzeros.emplace_back(row, row / 2 * 2 + 1, row % 2 == 0 ? beside : 1.0);
    }
    return pairs;
}

TYPED_TEST(MultigridSolver, StopsCoarseningAtAnUnsuitableMatrix)
{
    if (spruce::is_complex<typename TestFixture::V>()) {
        GTEST_SKIP() << "negative diagonal entries of complex matrices are accepted";
    }
    const auto m = this->generate(this->make(pairs_of(-2.0)));

    EXPECT_TRUE(m->get_mg_level_list().empty());
    EXPECT_NE(m->explain().find("unsuitable diagonal entry"), std::string::npos);
}

TYPED_TEST(MultigridSolver, CoarsensPartsThatFloat)
{
    const auto m = this->generate(this->make(pairs_of(-1.0)));  // A maps constants on each pair to zero

    EXPECT_EQ(m->get_mg_level_list().size(), 1);
    const auto b = TestFixture::Dense::create(this->ref, dim<2>{1200, 1});
    for (size_type row = 0; row < 1200; ++row) {
        b->at(row, 0) = row % 2 == 0 ? 1.0 : -1.0;
    }
    const auto x = clone(this->ref, this->apply(m, clone(this->exec, b)));
    for (size_type row = 0; row < 1200; row += 2) {
        // The difference of 1 between the two is the solution, up to the error of one cycle.
        EXPECT_NEAR(std::abs(x->at(row, 0) - x->at(row + 1, 0)), 1, 0.2);
    }
}

TYPED_TEST(MultigridSolver, SolvesNegativeDefiniteComplexSystems)
{
    using V = typename TestFixture::V;
    if (!spruce::is_complex<V>()) {
        GTEST_SKIP() << "negative diagonal entries of real matrices are refused";
    }
    auto data = grid(24, 2, 1);
    for (auto& entry : data.nonzeros) {
        entry.value = -entry.value;
    }
    const auto a = this->make(data);

    EXPECT_LE(this->template iterations_with<spruce::solver::Gmres<V>>(a, this->generate(a)), 20u);
}

TYPED_TEST(MultigridSolver, RefreshesASmallMatrix)
{
    const auto m = this->generate(this->csr({{2, 1}, {1, 2}}));

    m->refresh(share(this->csr({{4, 0}, {1, 2}})));

    EXPECT_MTX_NEAR(this->apply(m, this->dense({{4}, {3}})), this->dense({{1}, {1}}), 4 * this->epsilon());
    EXPECT_THROW(m->refresh(this->make(grid(5, 2, 1))), spruce::UnsupportedMatrixProperty);
    EXPECT_THROW(m->refresh(share(this->csr({{1, 1}, {1, 0}}))), spruce::InvalidStateError);
    EXPECT_MTX_NEAR(this->apply(m, this->dense({{4}, {3}})), this->dense({{1}, {1}}), 4 * this->epsilon());
}

TYPED_TEST(MultigridSolver, CopiesAndMoves)
{
    const auto m = this->generate(this->make(grid(24, 2, 1)));
    const auto b = this->random_dense(576, 1);
    const auto expected = this->apply(m, b);
    const auto copy = clone(m);
    const auto on_reference = clone(this->ref, m);

    EXPECT_MTX_NEAR(this->apply(copy, b), expected, 0.0);
    EXPECT_MTX_NEAR(this->apply(on_reference, clone(this->ref, b)), expected, 1000 * this->epsilon());
    EXPECT_TRUE(
        on_reference->get_mg_level_list()[0]->get_coarse_op()->get_executor()->is_equivalent_to(this->ref.get()));
    const auto moved = Multigrid::build().on(this->exec)->generate(this->csr({{1}}));
    moved->move_from(copy);
    EXPECT_MTX_NEAR(this->apply(moved, b), expected, 0.0);
    EXPECT_EQ(copy->get_size(), dim<2>{});
    EXPECT_TRUE(copy->get_mg_level_list().empty());
    EXPECT_FALSE(copy->can_be_refreshed());
    EXPECT_EQ(copy->explain(), "no matrix\n");
}

TYPED_TEST(MultigridSolver, HasTheSmoothersOfTheFactoriesOfItsLevels)
{
    using sa = typename TestFixture::sa;
    using jacobi = typename TestFixture::jacobi;
    const auto block_size = [](const std::shared_ptr<const spruce::LinOp>& smoother) {
        return as<jacobi>(smoother.get())->get_parameters().max_block_size;
    };
    const auto m =
        Multigrid::build()
            .with_mg_level(sa::build(), sa::build().with_strength_threshold(0.0))
            .with_level_selector([](auto level, auto) { return level == 1 ? 0 : 1; })
            .with_pre_smoother(jacobi::build().with_max_block_size(1u), jacobi::build().with_max_block_size(2u))
            .with_min_coarse_rows(2u)
            .on(this->exec)
            ->generate(this->make(grid(24, 2, 1)));

    const auto smoothers = m->get_pre_smoother_list();
    ASSERT_GE(smoothers.size(), 3u);
    EXPECT_EQ(block_size(smoothers[0]), 2u);
    EXPECT_EQ(block_size(smoothers[1]), 1u);
    EXPECT_EQ(block_size(smoothers[2]), 2u);
}

#if !SPRUCE_TYPES_MINIMAL

TYPED_TEST(MultigridSolver, HasLevelsOfAnotherPrecision)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using sa = typename TestFixture::sa;
    using other = spruce::next_precision<V>;
    const auto a = this->make(grid(24, 2, 1));
    const auto m = share(Multigrid::build()
                             .with_mg_level(sa::build(), spruce::multigrid::Sa<other, I>::build())
                             .with_min_coarse_rows(2u)
                             .on(this->exec)
                             ->generate(a));
    const auto expected = this->template iterations_with<spruce::solver::Cg<V>>(a, this->generate(a));

    const auto iterations = this->template iterations_with<spruce::solver::Cg<V>>(a, m);
    m->refresh(a);

    EXPECT_LE(iterations, expected + 2);
    EXPECT_EQ((this->template iterations_with<spruce::solver::Cg<V>>(a, m)), iterations);
    EXPECT_EQ(m->get_mg_level_list()[0]->get_fine_op(), a);
    using other_csr = spruce::matrix::Csr<other, I>;
    EXPECT_NE(dynamic_cast<const other_csr*>(m->get_mg_level_list()[1]->get_fine_op().get()), nullptr);
}

#endif

TYPED_TEST(MultigridSolver, RefusesWhatItCannotMeet)
{
    using sa = typename TestFixture::sa;
    const auto a = this->make(grid(24, 2, 1));
    const auto generate = [&](const auto& parameters, const auto& matrix) {
        return parameters.on(this->exec)->generate(matrix);
    };
    const auto small = this->make(grid(5, 2, 1));

    EXPECT_THROW(generate(Multigrid::build().with_mg_level(sa::build()), small), spruce::ValueMismatch);
    EXPECT_THROW(generate(Multigrid::build().with_mg_level(sa::build()).with_max_levels(0u), a), spruce::ValueMismatch);
    EXPECT_THROW(generate(Multigrid::build().with_mg_level(TestFixture::jacobi::build()), a), spruce::NotSupported);
    EXPECT_THROW(generate(Multigrid::build()
                              .with_mg_level(sa::build())
                              .with_min_coarse_rows(10u)
                              .with_max_levels(1u)
                              .with_pre_smoother(TestFixture::jacobi::build(), TestFixture::jacobi::build()),
                          a),
                 spruce::ValueMismatch);
    EXPECT_THROW(generate(Multigrid::build().with_smoother_iters(0u), a), spruce::OutOfBoundsError);
    EXPECT_THROW(generate(Multigrid::build(), share(this->csr({{1, 2}}))), spruce::DimensionMismatch);
    EXPECT_THROW(this->generate(TestFixture::Csr::create(this->exec, dim<2>{1},
                                                         spruce::array<typename TestFixture::V>{this->exec, {2, 2}},
                                                         spruce::array<typename TestFixture::I>{this->exec, {0, 0}},
                                                         spruce::array<typename TestFixture::I>{this->exec, {0, 2}})),
                 spruce::UnsupportedMatrixProperty);
    EXPECT_THROW(this->generate(this->csr({{1, 1}, {1, 0}})), spruce::InvalidStateError);
}

TYPED_TEST(MultigridSolver, ReportsItsLevelsToLoggers)
{
    using strings = std::vector<std::string>;
    const auto a = this->make(grid(24, 2, 1));
    const auto events = std::make_shared<MultigridEvents>();
    const auto factory = Multigrid::build().on(this->exec);
    factory->add_logger(events);

    const auto solver = factory->generate(a);

    EXPECT_EQ(events->explanations, strings{solver->explain()});
    EXPECT_EQ(events->solvers, (std::vector<const spruce::LinOp*>{solver.get()}));
    solver->refresh(a);  // generate() has passed the loggers of the factory on
    EXPECT_EQ(events->explanations, strings(2, solver->explain()));
}

TYPED_TEST(MultigridSolver, ReportsItsIterationsToLoggers)
{
    using V = typename TypeParam::value_type;
    const auto a = this->make(grid(24, 2, 1));
    const auto solver = Multigrid::build()
                            .with_criteria(spruce::stop::Iteration::build().with_max_iters(3u))
                            .on(this->exec)
                            ->generate(a);
    const auto events = std::make_shared<MultigridEvents>();
    const std::shared_ptr<spruce::log::Convergence<V>> log = spruce::log::Convergence<V>::create();
    solver->add_logger(events);
    solver->add_logger(log);
    const auto b = this->random_dense(576, 1);

    this->apply(solver, b);

    EXPECT_EQ(events->iterations, (std::vector<size_type>{0, 1, 2, 3}));
    EXPECT_EQ(events->solvers, std::vector<const spruce::LinOp*>(4, solver.get()));
    EXPECT_EQ(log->get_num_iterations(), 3u);
    solver->remove_logger(events.get());
    this->apply(clone(solver), b);  // copies have no loggers
    solver->set_stop_criterion_factory(spruce::stop::Iteration::build().with_max_iters(5u).on(this->exec));
    this->apply(solver, b);
    EXPECT_EQ(events->iterations.size(), 4u);
    EXPECT_EQ(log->get_num_iterations(), 5u);
}

}  // namespace
