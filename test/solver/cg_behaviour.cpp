// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests what applications rely on besides the solution: the number of stopping tests and events,
// input that is refused, and what objects share.

#include <spruce/matrix/sellp.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/solver/chebyshev.hpp>
#include <spruce/solver/ir.hpp>

#include "test/solver/solver_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::LinOp;
using spruce::share;
using spruce::size_type;

namespace stop = spruce::stop;

struct event_counts : spruce::log::Logger {
    void on_criterion_check_completed(const stop::Criterion*, const size_type& it, const LinOp*, const LinOp*,
                                      const LinOp*, const spruce::uint8&, const bool&,
                                      const spruce::array<spruce::stopping_status>*, const bool&,
                                      const bool&) const override
    {
        checks.push_back(it);
    }
    void on_iteration_complete(const LinOp*, const size_type& it, const LinOp* r, const LinOp*,
                               const LinOp*) const override
    {
        iterations.push_back(it);
        residual_size = r->get_size();
    }
    void on_linop_apply_completed(const LinOp*, const LinOp*, const LinOp*) const override { ++applies; }
    void on_linop_factory_generate_completed(const spruce::LinOpFactory*, const LinOp*, const LinOp*) const override
    {
        ++generates;
    }
    mutable std::vector<size_type> checks;
    mutable std::vector<size_type> iterations;
    mutable dim<2> residual_size;
    mutable int applies{};
    mutable int generates{};
};

using real_types = spruce::test::types<double, spruce::int32>;

class CgBehaviour : public kernel_test<real_types> {
protected:
    using Solver = spruce::solver::Cg<double>;

    static auto limit(size_type iterations) { return stop::Iteration::build().with_max_iters(iterations); }
    static auto reduction(double factor) { return stop::ResidualNorm<double>::build().with_reduction_factor(factor); }

    std::unique_ptr<Dense> zeros(size_type cols = 1) const
    {
        auto x = Dense::create(exec, dim<2>{36, cols});
        x->fill(0.0);
        return x;
    }

    size_type replays_with_the_same_results(std::shared_ptr<const LinOp> system,
                                            std::shared_ptr<const LinOp> preconditioner, size_type iterations,
                                            double factor)
    {
        const auto rhs = this->random_dense(system->get_size()[0], 2);
        const auto start = clone(rhs);
        start->fill(0.0);
        const auto make = [&] {
            auto parameters = Solver::build().with_criteria(limit(iterations), reduction(factor));
            return parameters.with_generated_preconditioner(preconditioner).on(exec)->generate(system);
        };
        return spruce::test::replays_with_the_same_results<double>(make, *rhs, *start, convergence);
    }

    std::shared_ptr<Csr> a{make_csr<double, spruce::int32>(exec, poisson_2d(6))};
    std::shared_ptr<Dense> b{this->random_dense(36, 1)};
    std::shared_ptr<event_counts> counts{std::make_shared<event_counts>()};
    std::shared_ptr<spruce::log::Convergence<double>> convergence{spruce::log::Convergence<double>::create()};
};

using numbers = std::vector<size_type>;

TEST_F(CgBehaviour, ChecksBeforeTheFirstStepAndAfterEach)
{
    const auto factory = share(limit(4).on(exec));
    factory->add_logger(counts);
    const auto solver = Solver::build().with_criteria(factory).on(exec)->generate(a);
    solver->add_logger(counts);
    solver->add_logger(convergence);

    solver->apply(b, this->zeros());

    EXPECT_EQ(counts->checks, (numbers{0, 1, 2, 3, 4}));
    EXPECT_EQ(counts->iterations, (numbers{0, 1, 2, 3, 4}));
    EXPECT_EQ(convergence->get_num_iterations(), 4u);
    EXPECT_FALSE(convergence->has_converged());
    ASSERT_NE(convergence->get_residual_norm(), nullptr);  // filled in, converged or not
}

/// Applies A and counts products, with and without an inner product.
class CountingOperator : public spruce::EnableLinOp<CountingOperator>, public spruce::DotApplicable<double> {
    friend class spruce::EnablePolymorphicObject<CountingOperator, LinOp>;

public:
    using Dense = spruce::matrix::Dense<double>;

    explicit CountingOperator(std::shared_ptr<const spruce::Executor> exec) : EnableLinOp(std::move(exec)) {}
    explicit CountingOperator(std::shared_ptr<const LinOp> a) : EnableLinOp(a->get_executor(), a->get_size()), a_{a} {}

    void apply_with_dot(const Dense* b, Dense* x, Dense* dot, const spruce::Reduction& reduction) const override
    {
        ++num_dots;
        a_->apply(b, x);
        b->compute_conj_dot(x, dot, reduction.get_workspace());
        if (const auto scale = reduction.get_scale<double>()) {
            const auto num_columns = dot->get_size()[1];
            const auto factors = Dense::create_const(
                this->get_executor(), dim<2>{1, num_columns},
                spruce::array<double>::const_view(this->get_executor(), num_columns, scale), num_columns);
            dot->scale(factors);
            dot->scale(factors);
        }
    }

    mutable int num_products{};
    mutable int num_dots{};

protected:
    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        ++num_products;
        a_->apply(b, x);
    }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        ++num_products;
        a_->apply(alpha, b, beta, x);
    }

private:
    std::shared_ptr<const LinOp> a_;
};

TEST_F(CgBehaviour, TakesDotsFromOperatorsThatOfferThem)
{
    const auto op = std::make_shared<CountingOperator>(a);
    const auto x = this->zeros();
    const auto expected = this->zeros();

    Solver::build().with_criteria(limit(4)).on(exec)->generate(op)->apply(b, x);
    Solver::build().with_criteria(limit(4)).on(exec)->generate(a)->apply(b, expected);

    EXPECT_EQ(op->num_dots, 4);
    EXPECT_EQ(op->num_products, 1);  // for the residual at first
    EXPECT_MTX_NEAR(x, expected, 0.0);
}

TEST_F(CgBehaviour, ProductsWithDotsAreAppliesForLoggers)
{
    const auto sellp = share(spruce::matrix::Sellp<double, spruce::int32>::create(exec));
    sellp->copy_from(a);
    sellp->add_logger(counts);
    const auto x = this->zeros();
    const auto expected = this->zeros();

    Solver::build().with_criteria(limit(4)).on(exec)->generate(sellp)->apply(b, x);
    Solver::build().with_criteria(limit(4)).on(exec)->generate(a)->apply(b, expected);

    EXPECT_EQ(counts->applies, 4);  // the first residual's is an advanced one
    EXPECT_MTX_NEAR(x, expected, 100 * this->epsilon());
}

TEST_F(CgBehaviour, LoggersOfTheSolverSeeNoChecks)
{
    const auto solver = Solver::build().with_criteria(limit(4)).on(exec)->generate(a);
    solver->add_logger(counts);

    solver->apply(b, this->zeros());

    EXPECT_TRUE(counts->checks.empty());
    EXPECT_EQ(counts->iterations.size(), 5u);
    EXPECT_EQ(counts->applies, 1);  // its own, not the matrix's
}

TEST_F(CgBehaviour, LoggersOfTheCriterionFactorySeeEveryLaterApply)
{
    const auto factory = share(limit(1).on(exec));
    const auto solver = Solver::build().with_criteria(factory).on(exec)->generate(a);
    factory->add_logger(counts);  // after generate
    factory->add_logger(convergence);

    solver->apply(b, this->zeros());
    solver->apply(b, this->zeros());

    EXPECT_EQ(counts->checks, (numbers{0, 1, 0, 1}));
    EXPECT_TRUE(counts->iterations.empty());
    EXPECT_EQ(convergence->get_num_iterations(), 1u);
}

TEST_F(CgBehaviour, LoggersOfTheFactorySeeGenerateAndPassToTheProduct)
{
    const auto factory = Solver::build().with_criteria(limit(1)).on(exec);
    factory->add_logger(counts);

    const auto solver = factory->generate(a);
    solver->apply(b, this->zeros());

    EXPECT_EQ(counts->generates, 1);
    EXPECT_EQ(counts->applies, 1);
    EXPECT_EQ(counts->iterations, (numbers{0, 1}));
}

TEST_F(CgBehaviour, ReportsTheNormsOfTheLastApply)
{
    const auto solver = Solver::build().with_criteria(limit(100), reduction(1e-10)).on(exec)->generate(a);
    solver->add_logger(convergence);
    const auto b3 = this->random_dense(36, 3);

    solver->apply(b, this->zeros());
    EXPECT_EQ(convergence->get_residual_norm()->get_size(), (dim<2>{1, 1}));
    const auto x = this->zeros(3);
    solver->apply(b3, x);

    EXPECT_TRUE(convergence->has_converged());
    EXPECT_EQ(convergence->get_residual_norm()->get_size(), (dim<2>{1, 3}));
    EXPECT_EQ(convergence->get_residual()->get_size(), (dim<2>{36, 3}));
    const auto r = clone(b3);
    const auto norm = this->real_dense({{0, 0, 0}});
    a->apply(this->dense({{-1}}), x, this->dense({{1}}), r);
    r->compute_norm2(norm);
    EXPECT_MTX_NEAR(convergence->get_residual_norm(), norm, 1e-13);
    const auto before = convergence->get_num_iterations();
    EXPECT_GT(before, 0u);
    solver->apply(b3, x);  // at the solution already
    EXPECT_LE(convergence->get_num_iterations(), 1u);
}

TEST_F(CgBehaviour, StopsByImplicitNorm)
{
    const auto solver =
        Solver::build()
            .with_criteria(limit(200), stop::ImplicitResidualNorm<double>::build().with_reduction_factor(1e-8))
            .on(exec)
            ->generate(a);
    solver->add_logger(convergence);

    solver->apply(b, this->zeros());

    EXPECT_TRUE(convergence->has_converged());
    EXPECT_NE(convergence->get_implicit_sq_resnorm(), nullptr);
}

// Without a logger that needs each iteration, GPUs test the criteria and the host polls.
TEST_F(CgBehaviour, EndsAlikeWhetherEachIterationIsListenedToOrNot)
{
    const auto b3 = this->random_dense(36, 3);
    b3->create_submatrix(spruce::span{0, 36}, spruce::span{1, 2})->fill(0.0);
    const auto solved = this->zeros(3);
    share(Solver::build().with_criteria(limit(100), reduction(1e-14)).on(exec)->generate(a))->apply(b3, solved);

    for (const auto& criteria : std::vector<std::vector<std::shared_ptr<const stop::CriterionFactory>>>{
             {share(limit(100).on(exec)), share(reduction(1e-10).on(exec))},
             {share(limit(5).on(exec)), share(reduction(1e-10).on(exec))},
             {share(reduction(1e-5).on(exec)), share(reduction(1e-3).on(exec)), share(limit(7).on(exec))},
             {share(reduction(1e-10).on(exec))},
             {share(limit(0).on(exec)), share(reduction(1e-10).on(exec))},
             {share(stop::Time::build().with_time_limit(std::chrono::hours(1)).on(exec)),
              share(reduction(1e-10).on(exec))}}) {
        for (const auto& start : {this->zeros(3), clone(solved)}) {
            const auto listened = Solver::build().with_criteria(criteria).on(exec)->generate(a);
            listened->add_logger(counts);
            listened->add_logger(convergence);
            const auto not_listened = Solver::build().with_criteria(criteria).on(exec)->generate(a);
            const auto end = spruce::share(spruce::log::Convergence<double>::create());
            not_listened->add_logger(end);
            const auto expected = clone(start);
            const auto x = clone(start);

            listened->apply(b3, expected);
            not_listened->apply(b3, x);
            not_listened->apply(b3, this->zeros(3));  // leaves nothing behind for the next
            x->copy_from(start);
            not_listened->apply(b3, x);

            EXPECT_MTX_NEAR(x, expected, 0.0);
            EXPECT_EQ(end->get_num_iterations(), convergence->get_num_iterations());
            EXPECT_EQ(end->has_converged(), convergence->has_converged());
            EXPECT_MTX_NEAR(end->get_residual_norm(), convergence->get_residual_norm(), 0.0);
            EXPECT_MTX_NEAR(end->get_residual(), convergence->get_residual(), 0.0);
            EXPECT_EQ(not_listened->get_stop_reasons(), listened->get_stop_reasons());
        }
    }
}

/// Counts the iterations that a solver reports to a logger that does not ask for each of them.
struct reports : spruce::log::Logger {
    reports() : Logger(Logger::iteration_complete_mask) {}
    bool needs_every_iteration() const override { return false; }
    void on_iteration_complete(const LinOp*, const size_type&, const LinOp*, const LinOp*, const LinOp*) const override
    {
        ++num;
    }
    mutable size_type num{};
};

TEST_F(CgBehaviour, DefersItsTestsIfThePreconditionerTakesAFixedNumberOfSteps)
{
    constexpr size_type num_steps = 10;
    const auto num_reports = [&](auto preconditioner) {
        const auto logger = std::make_shared<reports>();
        const auto solver = Solver::build()
                                .with_criteria(limit(num_steps), reduction(1e-30))
                                .with_preconditioner(preconditioner)
                                .on(exec)
                                ->generate(a);
        solver->add_logger(logger);
        solver->apply(b, this->zeros());
        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<spruce::stop_reason>{spruce::stop_reason::iteration_limit}));
        return logger->num;
    };
    namespace solvers = spruce::solver;
    const auto chebyshev = [] { return solvers::Chebyshev<double>::build().with_foci(0.3, 7.7); };
    const auto ir = [] { return solvers::Ir<double>::build().with_relaxation_factor(0.2); };
    const auto day = stop::Time::build().with_time_limit(std::chrono::hours(24));
    const auto num_if_deferred = is_device(*exec) ? 1 : num_steps + 1;  // the end alone

    EXPECT_EQ(num_reports(chebyshev().with_criteria(limit(2))), num_if_deferred);
    EXPECT_EQ(num_reports(ir().with_criteria(limit(2))), num_if_deferred);
    EXPECT_EQ(num_reports(ir().with_criteria(limit(2), day)), num_if_deferred);
    EXPECT_EQ(num_reports(chebyshev().with_criteria(limit(2), reduction(1e-20))), num_steps + 1);
    EXPECT_EQ(num_reports(ir().with_criteria(reduction(1e-20), limit(2))), num_steps + 1);
}

TEST_F(CgBehaviour, DoesNotWaitForTheDeviceInAnIteration)
{
    const auto matrix = share(make_csr<double, spruce::int32>(exec, poisson_2d(30)));
    const auto rhs = this->random_dense(900, 1);
    const auto waits_of = [&](size_type iterations) {
        const auto solver =
            Solver::build().with_criteria(limit(iterations), reduction(1e-12)).on(exec)->generate(matrix);
        const auto x = Dense::create(exec, dim<2>{900, 1});
        x->fill(0.0);
        solver->apply(rhs, x);  // allocates
        const auto before = exec->get_counters();
        solver->apply(rhs, x);
        return (exec->get_counters() - before).waits;
    };

    EXPECT_EQ(waits_of(5), waits_of(11));
    EXPECT_EQ(waits_of(30), waits_of(55));  // with steps that are recorded and replayed
}

// On devices, the step of a single column includes the next stopping test, except at checkpoints.
TEST_F(CgBehaviour, FusesChecksIntoSteps)
{
    const auto matrix = share(make_csr<double, spruce::int32>(exec, poisson_2d(30)));
    const auto separate_checks_of = [&](const LinOp* rhs) {
        const auto x = Dense::create(exec, rhs->get_size());
        x->fill(0.0);
        const auto solver = Solver::build().with_criteria(limit(47), reduction(1e-40)).on(exec)->generate(matrix);
        const auto counts = std::make_shared<launches_of>("stop::check_bounds");
        exec->add_logger(counts);
        solver->apply(rhs, x);
        exec->remove_logger(counts);
        return counts->num;
    };

    EXPECT_EQ(separate_checks_of(this->random_dense(900, 1).get()),
              is_device(*exec) ? 6 : 0);  // before steps 0, 1, 2, 4, 8, 24
    EXPECT_EQ(separate_checks_of(this->random_dense(900, 2).get()), is_device(*exec) ? 47 : 0);
}

// Steps on small systems are recorded and replayed in blocks on devices: the end may fall anywhere.
TEST_F(CgBehaviour, ReplaysStepsWithTheSameResults)
{
    const auto matrix = share(make_csr<double, spruce::int32>(exec, poisson_2d(17)));
    const auto sellp = share(spruce::matrix::Sellp<double, spruce::int32>::create(exec));
    sellp->copy_from(matrix);
    const auto diagonal = share(matrix->extract_diagonal());
    for (const size_type iterations : {12, 13, 24, 25, 26, 38, 200}) {
        SCOPED_TRACE(iterations);
        for (const auto& [system, preconditioner] :
             std::vector<std::pair<std::shared_ptr<const LinOp>, std::shared_ptr<const LinOp>>>{{matrix, nullptr},
                                                                                                {sellp, diagonal}}) {
            const auto replays = this->replays_with_the_same_results(system, preconditioner, iterations, 1e-12);
            EXPECT_EQ(replays > 0, is_device(*exec) && iterations >= 24) << replays;
        }
    }
}

TEST_F(CgBehaviour, ReplaysStepsWithEachFormatAndWithNoOperatorOfAnApplication)
{
    const auto matrix = share(make_csr<double, spruce::int32>(exec, poisson_2d(17)));
    const auto convert = [&](auto format) {
        format->copy_from(matrix);
        return std::shared_ptr<const LinOp>(std::move(format));
    };
    const auto num_replays = [&](std::shared_ptr<const LinOp> system) {
        const auto rhs = this->random_dense(system->get_size()[0], 1);
        const auto x = clone(rhs);
        x->fill(0.0);
        const auto solver = Solver::build().with_criteria(limit(100), reduction(1e-10)).on(exec)->generate(system);
        const auto before = exec->get_counters();
        solver->apply(rhs, x);
        EXPECT_EQ(solver->get_stop_reasons()[0], spruce::stop_reason::converged);
        return (exec->get_counters() - before).replays;
    };
    namespace formats = spruce::matrix;
    using spruce::int32;

    const auto expects_replays = is_device(*exec);
    EXPECT_EQ(num_replays(matrix) > 0, expects_replays);
    EXPECT_EQ(num_replays(convert(formats::Coo<double, int32>::create(exec))) > 0, expects_replays);
    EXPECT_EQ(num_replays(convert(formats::Ell<double, int32>::create(exec))) > 0, expects_replays);
    EXPECT_EQ(num_replays(convert(formats::Sellp<double, int32>::create(exec))) > 0, expects_replays);
    EXPECT_EQ(num_replays(convert(formats::Hybrid<double, int32>::create(exec))) > 0, expects_replays);
    EXPECT_EQ(num_replays(convert(formats::Fbcsr<double, int32>::create(exec, 1))) > 0, expects_replays);
    EXPECT_EQ(num_replays(std::make_shared<CountingOperator>(matrix)), 0u);
}

// A bound that cannot be reached restarts the recurrence from the true residual.
TEST_F(CgBehaviour, ReplaysStepsAfterRestartsWithTheSameResults)
{
    host_matrix tridiagonal{dim<2>{150, 150}};
    for (size_type row = 0; row < 150; ++row) {
        tridiagonal.nonzeros.emplace_back(row, row, 2.0 + 0.001 * static_cast<double>(row % 7));
        if (row > 0) {
            tridiagonal.nonzeros.emplace_back(row, row - 1, -1.0);
        }
        if (row < 149) {
            tridiagonal.nonzeros.emplace_back(row, row + 1, -1.0);
        }
    }
    const auto system = share(make_csr<double, spruce::int32>(exec, tridiagonal));
    for (const auto factor : {1e-14, 1e-16}) {
        SCOPED_TRACE(factor);
        EXPECT_EQ(this->replays_with_the_same_results(system, nullptr, 3000, factor) > 0, is_device(*exec));
        EXPECT_GT(convergence->get_num_iterations(), 75u);
    }
}

TEST_F(CgBehaviour, TakesANewCriterionLater)
{
    const auto solver = Solver::build().with_criteria(limit(1)).on(exec)->generate(a);
    solver->add_logger(convergence);

    solver->set_stop_criterion_factory(share(limit(3).on(exec)));
    solver->apply(b, this->zeros());

    EXPECT_EQ(convergence->get_num_iterations(), 3u);
    EXPECT_THROW(solver->set_stop_criterion_factory(nullptr), spruce::NotSupported);
}

TEST_F(CgBehaviour, GivesOutWhatItWasMadeFrom)
{
    const std::shared_ptr<LinOp> m = spruce::matrix::Identity<double>::create(exec, 36);
    const auto factory = share(limit(7).on(exec));

    const auto solver = Solver::build().with_criteria(factory).with_generated_preconditioner(m).on(exec)->generate(a);

    EXPECT_EQ(solver->get_size(), (dim<2>{36, 36}));
    EXPECT_EQ(solver->get_system_matrix(), a);
    EXPECT_EQ(solver->get_preconditioner(), m);
    EXPECT_EQ(solver->get_stop_criterion_factory(), factory);
    EXPECT_EQ(solver->get_parameters().criteria.size(), 1u);
    EXPECT_TRUE(solver->apply_uses_initial_guess());
}

TEST_F(CgBehaviour, MakesItsPreconditionerFromTheMatrix)
{
    const auto inner = Solver::build().with_criteria(limit(5));
    const auto solver =
        Solver::build().with_criteria(limit(200), reduction(1e-10)).with_preconditioner(inner).on(exec)->generate(a);
    solver->add_logger(convergence);

    EXPECT_NE(dynamic_cast<const Solver*>(solver->get_preconditioner().get()), nullptr);
    EXPECT_EQ(solver->get_preconditioner()->get_size(), a->get_size());
}

TEST_F(CgBehaviour, ParametersGoRoundAndCanBeChanged)
{
    const auto factory = Solver::build().with_criteria(limit(2)).on(exec);
    auto parameters = factory->get_parameters();

    const auto solver = parameters.with_criteria(limit(5)).on(exec)->generate(a);
    const auto same = factory->get_parameters().on(exec)->generate(a);
    solver->add_logger(convergence);
    solver->apply(b, this->zeros());
    EXPECT_EQ(convergence->get_num_iterations(), 5u);

    same->add_logger(convergence);
    same->apply(b, this->zeros());
    EXPECT_EQ(convergence->get_num_iterations(), 2u);
}

TEST_F(CgBehaviour, CanBeClonedToOtherExecutors)
{
    const auto solver = Solver::build().with_criteria(limit(200), reduction(1e-12)).on(exec)->generate(a);
    for (const auto& other : all_executors()) {
        SCOPED_TRACE(other->get_description());
        const auto copy = solver->clone(other);
        const auto x = this->zeros();
        const auto residual = clone(b);

        copy->apply(b, x);

        EXPECT_EQ(copy->get_executor(), other);
        EXPECT_EQ(copy->get_system_matrix()->get_executor()->get_backend(), other->get_backend());
        a->apply(this->dense({{-1}}), x, this->dense({{1}}), residual);
        EXPECT_MTX_NEAR(residual, this->zeros(), 1e-11);
    }
}

TEST_F(CgBehaviour, ClearedSolverDoesNothing)
{
    const auto solver = Solver::build().with_criteria(limit(2)).on(exec)->generate(a);
    solver->clear();
    const auto nothing = Dense::create(exec);

    EXPECT_EQ(solver->get_system_matrix(), nullptr);
    EXPECT_NO_THROW(solver->apply(nothing, nothing));
}

TEST_F(CgBehaviour, ServesVectorsInAnotherPrecision)
{
    const auto solver = Solver::build().with_criteria(limit(200), reduction(1e-6)).on(exec)->generate(a);
    solver->add_logger(convergence);
    const auto float_b = spruce::matrix::Dense<float>::create(exec);
    const auto float_x = spruce::matrix::Dense<float>::create(exec);
    float_b->copy_from(b);
    float_x->copy_from(this->zeros());
    const auto x = this->zeros();

    solver->apply(float_b, float_x);
    solver->apply(b, x);

    EXPECT_TRUE(convergence->has_converged());
    EXPECT_MTX_NEAR(float_x, x, 1e-5);
}

/// Stands for a vector type of an application, of which solvers create their vectors.
class Wrapped : public spruce::matrix::Dense<double> {
public:
    explicit Wrapped(std::shared_ptr<const spruce::Executor> exec, dim<2> size = {}) : Dense(exec, size)
    {
        ++num_created;
    }
    static inline int num_created{};

protected:
    std::unique_ptr<Dense> create_with_same_config() const override
    {
        return std::make_unique<Wrapped>(this->get_executor(), this->get_size());
    }
};

/// Applies an operator to such vectors only.
struct Twice : spruce::EnableLinOp<Twice>, spruce::EnableCreateMethod<Twice> {
    explicit Twice(std::shared_ptr<const spruce::Executor> exec, dim<2> size = {}) : EnableLinOp<Twice>(exec, size) {}
    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        const auto out = spruce::as<Wrapped>(x);
        out->copy_from(spruce::as<Wrapped>(b));
        out->scale(spruce::initialize<spruce::matrix::Dense<double>>({2.0}, this->get_executor()));
    }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        const auto product = std::make_unique<Wrapped>(this->get_executor(), b->get_size());
        this->apply_impl(b, product.get());
        const auto out = spruce::as<Wrapped>(x);
        out->scale(beta);
        out->add_scaled(alpha, product.get());
    }
};

TEST_F(CgBehaviour, MakesItsVectorsOfTheTypeOfTheRightHandSide)
{
    const std::shared_ptr<LinOp> twice = Twice::create(exec, dim<2>{36, 36});
    const auto solver = Solver::build().with_criteria(limit(5), reduction(1e-10)).on(exec)->generate(twice);
    Wrapped rhs{exec};
    Wrapped x{exec};
    rhs.copy_from(b);
    x.copy_from(this->zeros());
    const auto num_before = Wrapped::num_created;

    solver->apply(&rhs, &x);

    EXPECT_GT(Wrapped::num_created, num_before);
    const auto half = clone(b);
    half->scale(this->dense({{0.5}}));
    EXPECT_MTX_NEAR(&x, half, 1e-14);
}

}  // namespace
