// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Tests each iterative solver on every executor, with matrices that suit all.

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "test/solver/any_solver.hpp"

namespace spruce::test {

/// Bounds the iterations of most solves that only stagnation ends: a number of stagnation windows
/// of 10 n + 100 steps. Stationary iterations reduce the residual a little in each of many.
inline size_type max_iterations_without_limit(const tested_solver& solver, size_type num_rows)
{
    return (solver.is_stationary ? 80 : 8) * (10 * num_rows + 100);
}

template <typename Types>
class IterativeSolver : public SolverTest<Types> {
protected:
    using typename SolverTest<Types>::V;
    using typename SolverTest<Types>::I;
    using typename SolverTest<Types>::Csr;
    using typename SolverTest<Types>::Dense;
    using typename SolverTest<Types>::solver;

    /// Sets a preconditioner or inner solver near the identity. It gives well-conditioned matrices
    /// eigenvalues between 1.4 and 7.2.
    void precondition(solver& of) const
    {
        const auto size = of.get_size()[0];
        host_matrix data{of.get_size()};
        for (size_type i = 0; i < size; ++i) {
            if (i > 0) {
                data.nonzeros.emplace_back(i, i - 1, 0.05);
            }
            data.nonzeros.emplace_back(i, i, 0.95 + 0.15 * std::sin(static_cast<double>(i)));
            if (i + 1 < size) {
                data.nonzeros.emplace_back(i, i + 1, 0.05);
            }
        }
        const auto m = share(make_csr<V, I>(this->exec, data, std::make_shared<typename Csr::classical>()));
        of.set_preconditioner(m);
    }
    /// Generates a solver without a logger.
    std::unique_ptr<solver> make_silent_solver(std::shared_ptr<const LinOp> a, bool is_preconditioned) const
    {
        auto result = solver_parameters<solver>::make()
                          .with_criteria(stop::Iteration::build().with_max_iters(1))
                          .on(this->exec)
                          ->generate(std::move(a));
        if (is_preconditioned) {
            this->precondition(*result);
        }
        return result;
    }

    /// Takes about as many iterations as it has rows, where others take a few.
    std::shared_ptr<Csr> slow(size_type size) const
    {
        return this->tridiagonal(this->exec, std::vector<double>(size, 2.0));
    }
    /// Returns a singular matrix whose kernel consists of the constant vectors.
    std::shared_ptr<Csr> singular(size_type size) const
    {
        std::vector<double> diagonal(size, 2.0);
        diagonal.front() = diagonal.back() = 1.0;
        return this->tridiagonal(this->exec, diagonal);
    }
    /// Returns the matrix of entries 1 / (i + j + 1), whose condition number is 2e16 for size 12.
    std::shared_ptr<Dense> hilbert(size_type size) const
    {
        host_matrix data{dim<2>{size, size}};
        for (size_type i = 0; i < size; ++i) {
            for (size_type j = 0; j < size; ++j) {
                data.nonzeros.emplace_back(i, j, 1.0 / static_cast<double>(i + j + 1));
            }
        }
        return share(make_dense<V>(this->exec, data));
    }

    /// Solves from zero with a bound on the residual that rounding keeps out of reach, and without
    /// any limit. Returns the number of steps.
    template <typename Parameters>
    size_type solve_without_limit(std::shared_ptr<const LinOp> a, const std::unique_ptr<Dense>& b,
                                  Parameters parameters)
    {
        const auto x = clone(b);
        x->fill(zero<V>());
        const auto solver = parameters.with_criteria(stop::ResidualNorm<V>::build()).on(this->exec)->generate(a);
        solver->add_logger(this->log);

        solver->apply(b, x);

        const auto num_steps = this->log->get_num_iterations();
        EXPECT_TRUE(this->is_finite(x.get()));
        EXPECT_LE(static_cast<double>(num_steps), this->max_steps_to_residual_of(a, b, x));
        for (const auto reason : solver->get_stop_reasons()) {
            EXPECT_TRUE(reason == stop_reason::converged || is_failure(reason)) << reason;
        }
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1 + 10 * this->epsilon());
        return num_steps;
    }

private:
    /// Returns the bound of doc/solver_design.md on the number of steps from zero to x.
    double max_steps_to_residual_of(std::shared_ptr<const LinOp> a, const std::unique_ptr<Dense>& b,
                                    const std::unique_ptr<Dense>& x) const
    {
        const auto num_rows = b->get_size()[0];
        const auto window = ((10 * num_rows + 100) / 120 + 1) * 120;
        double num_windows{};
        for (size_type col = 0; col < b->get_size()[1]; ++col) {
            const auto part = [&](const std::unique_ptr<Dense>& of) {
                return of->create_submatrix({0, num_rows}, {col, col + 1});
            };
            const double quotient = this->relative_residual(a.get(), part(b).get(), part(x).get());
            const auto factor = 1 / std::max(quotient, std::numeric_limits<double>::epsilon() * 1e-16);
            num_windows += std::max(0.0, std::log(factor)) / std::log(1 / 0.99) + std::max(0.0, std::log2(factor)) + 2;
        }
        // Windows of Gmres and CbGmres end at restarts.
        return num_windows * static_cast<double>(window + num_rows);
    }
};
TYPED_TEST_SUITE_P(IterativeSolver);

/// Records the events of iterations.
struct iteration_log : log::Logger {
    void on_iteration_complete(const LinOp*, const LinOp*, const LinOp* x, const size_type& iteration, const LinOp*,
                               const LinOp* norm, const LinOp* implicit, const array<stopping_status>* status,
                               bool stopped) const override
    {
        // One whose end the true residual did not confirm is told of again.
        is_in_order = is_in_order && (iterations.empty() ? iteration == 0 : iteration - iterations.back() <= 1);
        iterations.push_back(iteration);
        has_all = has_all && x && status && norm && norm->get_size() == dim<2>(1, status->get_size());
        has_implicit = has_implicit && implicit && implicit->get_size() == norm->get_size();
        has_stopped = stopped;
    }
    mutable std::vector<size_type> iterations;
    mutable bool is_in_order{true};
    mutable bool has_all{true};
    mutable bool has_implicit{true};
    mutable bool has_stopped{};
};

/// Records the step before which each column has stopped finally.
struct column_log : log::Logger {
    void on_iteration_complete(const LinOp*, const LinOp*, const LinOp*, const size_type& iteration, const LinOp*,
                               const LinOp*, const LinOp*, const array<stopping_status>* status, bool) const override
    {
        iterations.resize(status->get_size());
        const auto on_host = status->copy_to_host();
        for (size_type col = 0; col < on_host.size(); ++col) {
            if (!on_host[col].has_stopped()) {
                iterations[col] = iteration + 1;
            }
        }
    }
    mutable std::vector<size_type> iterations;
};

/// Ends a solve at an iteration, as a criterion of an application may, without setting statuses.
class IgnoresStatus : public EnablePolymorphicObject<IgnoresStatus, stop::Criterion> {
    friend class EnablePolymorphicObject<IgnoresStatus, stop::Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(end, std::numeric_limits<size_type>::max());
    };
    SPRUCE_ENABLE_CRITERION_FACTORY(IgnoresStatus, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit IgnoresStatus(std::shared_ptr<const Executor> exec)
        : EnablePolymorphicObject<IgnoresStatus, stop::Criterion>(std::move(exec))
    {}
    IgnoresStatus(const Factory* factory, const stop::CriterionArgs&)
        : EnablePolymorphicObject<IgnoresStatus, stop::Criterion>(factory->get_executor()),
          parameters_{factory->get_parameters()}
    {}
    bool check_impl(uint8, bool, array<stopping_status>*, bool* one_changed, const Updater& updater) override
    {
        *one_changed = false;
        return updater.num_iterations_ >= parameters_.end;
    }
};

TYPED_TEST_P(IterativeSolver, SolvesForOneToSixtyFourRightHandSides)
{
    for (const size_type num_rhs : {1, 2, 5, 64}) {
        this->expect_solves(this->well_conditioned(19), num_rhs, num_rhs % 4);
    }
}

TYPED_TEST_P(IterativeSolver, SolvesWithCooAndDense)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a = this->well_conditioned(49);
    const auto as_coo = share(matrix::Coo<V, I>::create(this->exec));
    const auto as_dense = share(TestFixture::Dense::create(this->exec));
    a->convert_to(as_coo);
    a->convert_to(as_dense);
    this->expect_solves(as_coo, 2);
    this->expect_solves(as_dense, 2);
}

TYPED_TEST_P(IterativeSolver, ServesOperandsOnTheHost)
{
    const auto a = this->well_conditioned(36);
    const auto b = clone(this->ref, this->random_dense(36, 2));
    const auto x = clone(this->ref, this->random_dense(36, 2));

    this->make_solver(a)->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_LE(this->relative_residual(a.get(), clone(this->exec, b).get(), clone(this->exec, x).get()),
              2 * this->reduction());
}

TYPED_TEST_P(IterativeSolver, AddsScaledSolution)
{
    const auto a = this->well_conditioned(3);
    const auto b = this->dense({{1}, {9}, {5}});
    const auto x = this->dense({{0.5}, {1}, {2}});

    this->make_solver(a)->apply(this->dense({{2}}), b, this->dense({{-1}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1.5}, {5}, {2}}), 20 * this->reduction());
}

TYPED_TEST_P(IterativeSolver, TakesAsManyIterationsAsOnReferenceIfWellConditioned)
{
    const auto b = this->random_dense(70, 1);
    const auto num_iterations = [&](std::shared_ptr<const Executor> exec) {
        using V = typename TypeParam::value_type;
        const auto x = clone(exec, b);
        const auto solver = solver_parameters<typename TestFixture::solver>::make()
                                .with_criteria(stop::Iteration::build().with_max_iters(1000),
                                               stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
                                .on(exec)
                                ->generate(this->tridiagonal(exec, std::vector<double>(70, 4.0)));
        solver->add_logger(this->log);
        solver->apply(clone(exec, b), x);
        EXPECT_TRUE(this->log->has_converged());
        return static_cast<double>(this->log->get_num_iterations());
    };

    const auto expected = num_iterations(this->ref);

    EXPECT_NEAR(num_iterations(this->exec), expected, 0.05 * expected);
}

TYPED_TEST_P(IterativeSolver, RepeatsToTheSameBits)
{
    for (const auto is_preconditioned : {false, true}) {
        this->expect_the_same_bits_again([&](const auto& a) {
            auto solver = this->make_solver(a);
            if (is_preconditioned) {
                this->precondition(*solver);
            }
            return solver;
        });
    }
}

TYPED_TEST_P(IterativeSolver, SolvesLikeAFreshSolverAfterAnInterruptedApply)
{
    using V = typename TypeParam::value_type;
    const auto b = this->random_dense(6, 2);
    const auto start = this->random_dense(6, 2);
    const auto alpha = this->dense({{2}});
    const auto beta = this->dense({{-1}});
    const auto run = [&](const typename TestFixture::solver& solver, bool is_advanced) {
        auto x = clone(start);
        if (is_advanced) {
            solver.apply(alpha, b, beta, x);
        } else {
            solver.apply(b, x);
        }
        return x;
    };
    // Events of the executor alone; then also of operators and the solver, which need a stopping
    // test in each iteration.
    for (const bool listens_to_operators : {false, true}) {
        const auto a = this->well_conditioned(6);
        const auto make = [&] {
            auto solver = solver_parameters<typename TestFixture::solver>::make()
                              .with_criteria(stop::Iteration::build().with_max_iters(100),
                                             stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
                              .on(this->exec)
                              ->generate(a);
            this->precondition(*solver);
            return solver;
        };
        const auto other_solver = make();
        const auto expected = run(*other_solver, listens_to_operators);
        const size_type stride = this->is_simulated() ? 17 : 1;
        auto is_interrupted = true;
        for (size_type when = 1; is_interrupted; when += when < 50 ? 1 : stride) {
            SCOPED_TRACE(testing::Message() << "event " << when << (listens_to_operators ? ", also of operators" : ""));
            const auto solver = make();
            const auto interruption = std::make_shared<Interruption>(when);
            this->exec->add_logger(interruption);
            if (listens_to_operators) {
                a->add_logger(interruption);
                solver->add_logger(interruption);
            }
            is_interrupted = false;
            try {
                run(*solver, listens_to_operators);
            } catch (const Interruption::exception&) {
                is_interrupted = true;
            }
            this->exec->remove_logger(interruption);
            if (listens_to_operators) {
                a->remove_logger(interruption);
                solver->remove_logger(interruption);
            }

            EXPECT_MTX_NEAR(run(*solver, listens_to_operators), expected, 0.0);
            EXPECT_EQ(solver->get_stop_reasons(), other_solver->get_stop_reasons());
            if (this->HasFailure()) {
                return;
            }
        }
    }
}

TYPED_TEST_P(IterativeSolver, StopsColumnsOneByOneAndLeavesThemAsTheyAre)
{
    using V = typename TypeParam::value_type;
    const auto a = this->well_conditioned(40);
    // Columns: far from the solution, solved already, near it.
    const auto start = this->random_dense(40, 3);
    const auto b = this->apply(a, start);
    start->add_scaled(this->dense({{1, 0, V(4 * this->reduction())}}), this->random_dense(40, 3));
    const auto x = clone(start);
    const auto early = clone(start);
    const auto ends = std::make_shared<column_log>();
    const auto make = [&](size_type max_iters) {
        auto parameters = solver_parameters<typename TestFixture::solver>::make();
        return parameters
            .with_criteria(stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()),
                           stop::Iteration::build().with_max_iters(max_iters))
            .on(this->exec)
            ->generate(a);
    };
    const auto solver = make(1000);
    solver->add_logger(ends);

    solver->apply(b, x);
    const auto limited = make(ends->iterations.at(2));
    limited->apply(b, early);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(3, stop_reason::converged)));
    EXPECT_EQ(ends->iterations.at(1), 0u);
    EXPECT_GT(ends->iterations.at(2), 0u);
    EXPECT_LT(ends->iterations.at(2), ends->iterations.at(0));
    EXPECT_EQ(limited->get_stop_reasons(),
              (std::vector<stop_reason>{stop_reason::iteration_limit, stop_reason::converged, stop_reason::converged}));
    EXPECT_MTX_NEAR(early->create_submatrix({0, 40}, {1, 3}), x->create_submatrix({0, 40}, {1, 3}), 0.0);
    EXPECT_MTX_NEAR(early->create_submatrix({0, 40}, 1), start->create_submatrix({0, 40}, 1), 0.0);
}

TYPED_TEST_P(IterativeSolver, StaysAtAnExactInitialGuessWhateverTheCriterion)
{
    const auto a = this->well_conditioned(40);
    // Columns: integers, whose residual is exactly zero; others, which leave rounding errors.
    const auto x = this->random_dense(40, 2);
    host_matrix whole_numbers{dim<2>{40, 1}};
    for (size_type row = 0; row < 40; ++row) {
        whole_numbers.nonzeros.emplace_back(row, 0, static_cast<double>(row % 7) - 3.0);
    }
    x->create_submatrix({0, 40}, 0)->copy_from(make_dense<typename TypeParam::value_type>(this->exec, whole_numbers));
    const auto b = this->apply(a, x);
    const auto expected = clone(x);
    const auto solver = solver_parameters<typename TestFixture::solver>::make()
                            .with_criteria(stop::Iteration::build().with_max_iters(30))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons().at(0), stop_reason::converged);
    EXPECT_NE(solver->get_stop_reasons().at(1), stop_reason::running);
    EXPECT_MTX_NEAR(x->create_submatrix({0, 40}, 0), expected->create_submatrix({0, 40}, 0), 0.0);
    EXPECT_MTX_NEAR(x, expected, 20 * this->epsilon());
}

TYPED_TEST_P(IterativeSolver, NeedsNoIterationForExactInitialGuess)
{
    const auto a = this->well_conditioned(25);
    const auto x = this->random_dense(25, 2);
    const auto b = this->apply(a, x);
    const auto expected = clone(x);

    this->make_solver(a)->apply(b, x);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_EQ(this->log->get_num_iterations(), 0u);
    EXPECT_MTX_NEAR(x, expected, 0.0);
}

TYPED_TEST_P(IterativeSolver, CopiesWorkOnOtherExecutors)
{
    const auto a = this->well_conditioned(40);
    const auto b = this->random_dense(40, 2);
    const auto x = this->random_dense(40, 2);

    const auto copy = clone(this->ref, this->make_solver(a));
    copy->apply(b, x);

    EXPECT_EQ(copy->get_executor(), this->ref);
    EXPECT_EQ(copy->get_system_matrix()->get_executor()->get_backend(), this->ref->get_backend());
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
}

TYPED_TEST_P(IterativeSolver, IsEmptyAfterItWasMovedFrom)
{
    const auto a = this->well_conditioned(6);
    const auto b = this->random_dense(6, 1);
    const auto expected = clone(b);
    const auto source = this->make_silent_solver(a, true);
    source->apply(b, expected);
    for (const auto& exec : {this->exec, std::shared_ptr<Executor>{this->ref}}) {
        const auto solver = this->make_silent_solver(a, true);
        const auto target = solver->create_default(exec);
        const auto x = clone(b);

        target->move_from(*solver);
        target->apply(b, x);

        EXPECT_MTX_NEAR(x, expected, 10 * this->epsilon());  // one step, of a few products and sums of numbers near 1
        EXPECT_EQ(target->get_executor(), exec);
        EXPECT_EQ(solver->get_size(), dim<2>{});
        EXPECT_EQ(solver->get_system_matrix(), nullptr);
        EXPECT_EQ(solver->get_stop_criterion_factory(), nullptr);
        EXPECT_EQ(solver->get_preconditioner(), nullptr);
        EXPECT_NE(target->get_preconditioner(), nullptr);
        const auto nothing = TestFixture::Dense::create(this->exec, dim<2>{0, 1});
        EXPECT_NO_THROW(solver->apply(nothing, nothing));
        EXPECT_NO_THROW(solver->create_default()->apply(nothing, nothing));
        const auto cleared = clone(target);
        cleared->clear();
        const auto nothing_there = TestFixture::Dense::create(exec, dim<2>{0, 1});
        EXPECT_NO_THROW(cleared->apply(nothing_there, nothing_there));
        solver->move_assign(*target);
        solver->apply(b, x);
        EXPECT_EQ(target->get_system_matrix(), nullptr);
        EXPECT_EQ(solver->get_size(), a->get_size());
    }
}

TYPED_TEST_P(IterativeSolver, StaysAtTheSolutionHoweverLongItRuns)
{
    const auto a = this->well_conditioned(3);
    const auto x = this->dense({{0}, {0}, {0}});
    const auto solver = solver_parameters<typename TestFixture::solver>::make()
                            .with_criteria(stop::Iteration::build().with_max_iters(40))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(this->dense({{2}, {4}, {10}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}, {3}}), 20 * this->epsilon());
}

TYPED_TEST_P(IterativeSolver, GoesToZeroForZeroRightHandSide)
{
    const auto a = this->well_conditioned(25);
    const auto b = this->random_dense(25, 2);
    const auto x = this->dense_of_nan(25, 2);
    b->fill(0);
    x->fill(0);

    this->make_solver(a)->apply(b, x);
    EXPECT_TRUE(this->log->has_converged());
    EXPECT_EQ(this->log->get_num_iterations(), 0u);
    EXPECT_MTX_NEAR(x, b, 0.0);

    x->fill(1);
    this->make_solver(a, 60)->apply(b, x);
    EXPECT_MTX_NEAR(x, b, 1e-3 * this->reduction());
}

TYPED_TEST_P(IterativeSolver, SolvesEmptyProblems)
{
    const auto a = share(TestFixture::Csr::create(this->exec, dim<2>{0, 0}));
    const auto b = TestFixture::Dense::create(this->exec, dim<2>{0, 2});
    const auto x = TestFixture::Dense::create(this->exec, dim<2>{0, 2});

    const auto solver = this->make_solver(a);
    solver->apply(b, x);
    EXPECT_EQ(this->log->get_num_iterations(), 0u);
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));

    const auto no_rhs = TestFixture::Dense::create(this->exec, dim<2>{25, 0});
    const auto no_x = TestFixture::Dense::create(this->exec, dim<2>{25, 0});
    this->make_solver(this->well_conditioned(25))->apply(no_rhs, no_x);
    EXPECT_EQ(this->log->get_num_iterations(), 0u);
}

TYPED_TEST_P(IterativeSolver, SaysWhyItStopped)
{
    using V = typename TypeParam::value_type;
    const auto a = this->well_conditioned(36);
    const auto b = this->random_dense(36, 2);
    const auto solver = this->make_solver(a);
    EXPECT_TRUE(solver->get_stop_reasons().empty());

    solver->apply(b, this->random_dense(36, 2));
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));

    const auto limited = this->make_solver(a, 1);
    limited->apply(b, this->random_dense(36, 2));
    EXPECT_EQ(limited->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::iteration_limit)));

    solver->set_stop_criterion_factory(
        share(stop::Time::build().with_time_limit(std::chrono::nanoseconds{0}).on(this->exec)));
    solver->apply(b, this->random_dense(36, 2));
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::time_limit)));

    // Zero right-hand side and solution: exact whatever the criterion.
    const auto zeros = this->random_dense(36, 1);
    zeros->fill(zero<V>());
    limited->apply(zeros, zeros);
    EXPECT_EQ(limited->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));
}

TYPED_TEST_P(IterativeSolver, KeepsNanOfTheMatrixOutOfTheSolution)
{
    using V = typename TypeParam::value_type;
    const auto a = share(this->csr({{2, -1}, {-1, spruce::nan<V>()}}));
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a, 10);

    solver->apply(this->dense({{1}, {0}}), x);

    EXPECT_FALSE(this->log->has_converged());
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite}));
    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
}

TYPED_TEST_P(IterativeSolver, NeverCallsASingularSystemConverged)
{
    const auto a = share(this->csr({{1, 0}, {0, 0}}));  // and b is not in its range
    const auto x = this->dense({{0}, {0}});
    const auto solver = this->make_solver(a, 20);

    solver->apply(this->dense({{1}, {1}}), x);

    EXPECT_FALSE(this->log->has_converged());
    EXPECT_NE(solver->get_stop_reasons().at(0), stop_reason::converged);
    EXPECT_NE(solver->get_stop_reasons().at(0), stop_reason::running);
    EXPECT_TRUE(this->is_finite(x.get()));
}

TYPED_TEST_P(IterativeSolver, StopsColumnsWithNanAndSolvesTheOthers)
{
    using V = typename TypeParam::value_type;
    const auto b = this->dense({{spruce::nan<V>(), 3}, {1, 3}});
    const auto x = this->dense({{0.5, 0}, {0.25, 0}});
    const auto solver = this->make_solver(this->well_conditioned(2), 40);

    solver->apply(b, x);

    EXPECT_FALSE(this->log->has_converged());
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite, stop_reason::converged}));
    EXPECT_MTX_NEAR(x, this->dense({{0.5, 1}, {0.25, 1}}), 10 * this->reduction());
}

// Without a logger that needs each iteration, GPUs test the criteria and the host polls.
TYPED_TEST_P(IterativeSolver, EndsAlikeWhetherEachIterationIsListenedToOrNot)
{
    using V = typename TypeParam::value_type;
    const auto a = this->well_conditioned(40);
    const auto b = this->random_dense(40, 3);
    b->create_submatrix(span{0, 40}, span{1, 2})->fill(zero<V>());
    const auto start = this->random_dense(40, 3);
    start->create_submatrix(span{0, 40}, span{1, 2})->fill(zero<V>());
    const auto limit = [&](size_type iterations) {
        return share(stop::Iteration::build().with_max_iters(iterations).on(this->exec));
    };
    const auto reduction = [&](double factor) {
        return share(stop::ResidualNorm<V>::build().with_reduction_factor(factor).on(this->exec));
    };
    const auto tight = 1e3 * this->epsilon();
    std::vector<std::vector<std::shared_ptr<const stop::CriterionFactory>>> cases{
        {limit(200), reduction(tight)},
        {limit(3), reduction(tight)},
        {limit(14)},
        {reduction(this->reduction()), reduction(1e-2), limit(9)},
        {limit(0), reduction(tight)}};
    if (TestFixture::solver::tested.has_implicit_norm) {
        cases.push_back(
            {limit(200),
             stop::ImplicitResidualNorm<V>::build().with_reduction_factor(this->reduction()).on(this->exec)});
    }
    for (const auto& criteria : cases) {
        this->replays_with_the_same_results(a, b, start, criteria);
    }
}

// Columns break down, stagnate or reach the limit at different iterations, also in replayed graphs.
TYPED_TEST_P(IterativeSolver, EndsAlikeOnSmallSystemsThatBreakDown)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const unsigned seed : {1, 2, 4, 7, 16, 136}) {
        SCOPED_TRACE(seed);
        std::mt19937 random{seed};
        const auto draw = [&](unsigned count) { return static_cast<double>(random() % count); };
        const auto size = 2 + random() % 8;
        const auto is_symmetric = random() % 2 == 0;
        host_matrix data{dim<2>{size, size}};
        for (size_type i = 0; i < size; ++i) {
            for (size_type j = 0; j <= i; ++j) {
                const auto lower = draw(3) - 1;
                const auto upper = is_symmetric ? lower : draw(3) - 1;
                data.nonzeros.emplace_back(i, j, lower);
                if (i != j) {
                    data.nonzeros.emplace_back(j, i, upper);
                }
            }
        }
        const auto b = this->random_dense(size, 3);
        const auto start = this->random_dense(size, 3);

        this->replays_with_the_same_results(
            share(make_csr<V, I>(this->exec, data)), b, start,
            {share(stop::Iteration::build().with_max_iters(300).on(this->exec)),
             share(stop::ResidualNorm<V>::build().with_reduction_factor(draw(2) * 1e-6).on(this->exec))});
    }
}

// Recorded in blocks on devices; the end may fall anywhere.
TYPED_TEST_P(IterativeSolver, ReplaysStepsOnSmallSystemsWithTheSameResults)
{
    using V = typename TypeParam::value_type;
    const auto a = this->poisson(11);
    const auto b = this->random_dense(121, 2);
    const auto start = this->random_dense(121, 2);
    for (const auto& [iterations, factor] :
         std::vector<std::pair<size_type, double>>{{25, 0.0}, {40, 0.0}, {200, 1e2 * this->epsilon()}}) {
        SCOPED_TRACE(iterations);
        const auto replays = this->replays_with_the_same_results(
            a, b, start,
            {share(stop::Iteration::build().with_max_iters(iterations).on(this->exec)),
             share(stop::ResidualNorm<V>::build().with_reduction_factor(factor).on(this->exec))});
        if (iterations < 100) {
            EXPECT_EQ(replays > 0, is_device(*this->exec) && TestFixture::solver::tested.replays_steps) << replays;
        }
    }
}

TYPED_TEST_P(IterativeSolver, AllocatesNothingAndWaitsForNothingExtraInLaterApplies)
{
    const auto b = this->random_dense(64, 2);
    const auto x = this->random_dense(64, 2);
    const auto alpha = this->dense({{2}});
    const auto beta = this->dense({{-1}});
    for (const auto is_preconditioned : {false, true}) {
        const auto solver = this->make_silent_solver(this->slow(64), is_preconditioned);
        for (const auto is_advanced : {false, true}) {
            SCOPED_TRACE(testing::Message() << is_preconditioned << ", " << is_advanced);
            const auto counts_of = [&](size_type iterations) {
                solver->set_stop_criterion_factory(
                    share(stop::Iteration::build().with_max_iters(iterations).on(this->exec)));
                const auto before = this->exec->get_counters();
                if (is_advanced) {
                    solver->apply(alpha, b, beta, x);
                } else {
                    solver->apply(b, x);
                }
                return this->exec->get_counters() - before;
            };
            counts_of(TestFixture::solver::tested.iterations_until_all_is_allocated);

            const auto short_run = counts_of(4);
            const auto long_run = counts_of(12);

            EXPECT_EQ(short_run.allocations, 0u);
            EXPECT_EQ(long_run.allocations, 0u);
            // 8 more iterations bring neither copies nor waits.
            EXPECT_EQ(long_run.copies, short_run.copies);
            EXPECT_EQ(long_run.waits, short_run.waits);
        }
    }
}

TYPED_TEST_P(IterativeSolver, AllocatesNothingInLaterAppliesThatReadTheResidual)
{
    using V = typename TypeParam::value_type;
    for (const auto is_preconditioned : {false, true}) {
        const auto solver = this->make_silent_solver(this->well_conditioned(64), is_preconditioned);
        solver->set_stop_criterion_factory(stop::combine(
            {share(stop::Iteration::build().with_max_iters(1000).on(this->exec)),
             share(stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()).on(this->exec)),
             share(stop::ResidualNorm<V>::build()
                       .with_reduction_factor(this->reduction())
                       .with_baseline(stop::mode::initial_resnorm)
                       .on(this->exec))}));

        this->expect_no_allocation_in_later_applies(*solver);
    }
}

TYPED_TEST_P(IterativeSolver, DoesNotWaitForTheDeviceInAnIteration)
{
    using V = typename TypeParam::value_type;
    const auto a = this->slow(150);
    const auto b = this->random_dense(150, 1);
    const auto waits_of = [&](size_type iterations, auto norm) {
        auto parameters = solver_parameters<typename TestFixture::solver>::make();
        const auto solver =
            parameters
                .with_criteria(stop::Iteration::build().with_max_iters(iterations), norm.with_reduction_factor(1e-30))
                .on(this->exec)
                ->generate(a);
        const auto x = clone(b);
        x->fill(zero<V>());
        solver->apply(b, x);  // allocates
        x->fill(zero<V>());
        const auto before = this->exec->get_counters();
        solver->apply(b, x);
        return (this->exec->get_counters() - before).waits;
    };

    // More than the host may be late, and with steps that are recorded and replayed.
    // A wait in each would add 25. The number varies by one or two with the progress of the device.
    const auto expect_no_more = [&](auto norm) { EXPECT_LE(waits_of(55, norm), waits_of(30, norm) + 3); };
    expect_no_more(stop::ResidualNorm<V>::build());
    if (TestFixture::solver::tested.has_implicit_norm) {
        expect_no_more(stop::ImplicitResidualNorm<V>::build());
    }
}

TYPED_TEST_P(IterativeSolver, StopsByTheImplicitNormOrSaysThatItHasNone)
{
    using V = typename TypeParam::value_type;
    const auto b = this->random_dense(40, 2);
    const auto x = clone(b);
    const auto solver =
        solver_parameters<typename TestFixture::solver>::make()
            .with_criteria(stop::Iteration::build().with_max_iters(1000),
                           stop::ImplicitResidualNorm<V>::build().with_reduction_factor(this->reduction()))
            .on(this->exec)
            ->generate(this->well_conditioned(40));
    solver->add_logger(this->log);

    if (TestFixture::solver::tested.has_implicit_norm) {
        solver->apply(b, x);
        EXPECT_TRUE(this->log->has_converged());
        ASSERT_NE(this->log->get_implicit_sq_resnorm(), nullptr);
        EXPECT_LE(this->relative_residual(solver->get_system_matrix().get(), b.get(), x.get()), 2 * this->reduction());
    } else {
        const auto before = this->exec->get_counters();
        EXPECT_THROW_WITH(solver->apply(b, x), NotSupported, "without implicit residual norm");
        EXPECT_EQ((this->exec->get_counters() - before).kernels, 0u);  // refused before the solve begins
        EXPECT_THROW(solver->apply(this->dense({{1}}), b, this->dense({{0}}), x), NotSupported);
        EXPECT_MTX_NEAR(x, b, 0.0);
    }
}

// Scales that are powers of two change no digit, even if squares of norms overflow or underflow.
TYPED_TEST_P(IterativeSolver, StopsByTheImplicitNormWhateverItsSize)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    using limits = std::numeric_limits<real>;
    if (!TestFixture::solver::tested.has_implicit_norm) {
        return;  // StopsByTheImplicitNormOrSaysThatItHasNone
    }
    const auto a = this->well_conditioned(40);
    const auto first_b = this->random_dense(40, 1);
    std::vector<size_type> counts;
    for (const auto exponent : {0, limits::max_exponent / 2 + 10, limits::min_exponent / 2 - 10}) {
        SCOPED_TRACE(exponent);
        const auto b = clone(first_b);
        const auto x = clone(first_b);
        x->fill(zero<V>());
        b->scale(this->dense({{V(std::ldexp(real{1}, exponent))}}));

        this->replays_with_the_same_results(
            a, b, x,
            {share(stop::Iteration::build().with_max_iters(1000).on(this->exec)),
             share(stop::ImplicitResidualNorm<V>::build().with_reduction_factor(real(1e-3)).on(this->exec))});

        EXPECT_TRUE(this->log->has_converged());
        counts.push_back(this->log->get_num_iterations());
    }

    EXPECT_GT(counts[0], 0u);
    EXPECT_EQ(counts[1], counts[0]);
    EXPECT_EQ(counts[2], counts[0]);
}

// A scale that is a power of two changes no digit.
TYPED_TEST_P(IterativeSolver, ComparesWithTheFirstResidualWhateverItsSize)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto a = this->well_conditioned(40);
    const auto first_b = this->random_dense(40, 1);
    const auto first_x = this->random_dense(40, 1);
    std::vector<size_type> counts;
    for (const auto exponent : {0, -20, 20}) {
        const auto scale = this->dense({{V(std::ldexp(real{1}, exponent))}});
        const auto b = clone(first_b);
        const auto x = clone(first_x);
        b->scale(scale);
        x->scale(scale);
        const auto residual_norm = [&] {
            const auto r = clone(b);
            const auto norm = TestFixture::RealDense::create(this->ref, dim<2>{1, 1});
            a->apply(this->dense({{-1}}), x, this->dense({{1}}), r);
            r->compute_norm2(norm);
            return norm->at(0, 0);
        };
        const auto first_norm = residual_norm();
        const auto solver = solver_parameters<typename TestFixture::solver>::make()
                                .with_criteria(stop::Iteration::build().with_max_iters(1000),
                                               stop::ResidualNorm<V>::build()
                                                   .with_baseline(stop::mode::initial_resnorm)
                                                   .with_reduction_factor(this->reduction()))
                                .on(this->exec)
                                ->generate(a);
        solver->add_logger(this->log);

        solver->apply(b, x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));
        EXPECT_LE(residual_norm(), 2 * this->reduction() * first_norm);
        counts.push_back(this->log->get_num_iterations());
    }

    EXPECT_GT(counts[0], 0u);
    EXPECT_EQ(counts[1], counts[0]);
    EXPECT_EQ(counts[2], counts[0]);
}

// A scale that is a power of two changes no digit, of the result either.
TYPED_TEST_P(IterativeSolver, ScalesItsResultExactlyWithEachBaseline)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto is_float = std::is_same_v<real, float>;
    const auto tiny = is_float ? -63 : -531;  // 1e-19, 1e-160
    const auto huge = is_float ? 63 : 515;    // 1e19, 1e155
    const auto a = this->well_conditioned(40);
    const auto first_b = this->random_dense(40, 2);
    const auto first_x = this->random_dense(40, 2);
    for (const auto is_preconditioned : {true, false}) {
        if (!is_preconditioned && this->is_simulated()) {
            continue;
        }
        for (const auto baseline : {stop::mode::rhs_norm, stop::mode::initial_resnorm, stop::mode::absolute}) {
            const auto expected = this->dense_of_nan(40, 2);
            size_type num_iterations{};
            for (const auto exponent : {0, tiny, huge}) {
                SCOPED_TRACE(testing::Message() << "baseline " << static_cast<int>(baseline) << ", scale 2^" << exponent
                                                << (is_preconditioned ? ", preconditioned" : ""));
                const auto power = std::ldexp(real{1}, exponent);
                const auto b = clone(first_b);
                const auto x = clone(first_x);
                b->scale(this->dense({{V(power)}}));
                x->scale(this->dense({{V(power)}}));
                const auto factor = baseline == stop::mode::absolute ? this->reduction() * power : this->reduction();
                const auto solver = this->make_silent_solver(a, is_preconditioned);
                solver->set_stop_criterion_factory(stop::combine(
                    {share(stop::Iteration::build().with_max_iters(1000).on(this->exec)),
                     share(stop::ResidualNorm<V>::build().with_baseline(baseline).with_reduction_factor(factor).on(
                         this->exec))}));
                solver->add_logger(this->log);

                solver->apply(b, x);

                EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::converged)));
                x->inv_scale(this->dense({{V(power)}}));
                if (exponent == 0) {
                    EXPECT_GT(this->log->get_num_iterations(), 0u);
                    expected->copy_from(x);
                    num_iterations = this->log->get_num_iterations();
                }
                EXPECT_MTX_NEAR(x, expected, 0.0);
                EXPECT_EQ(this->log->get_num_iterations(), num_iterations);
            }
        }
    }
}

TYPED_TEST_P(IterativeSolver, SolvesWhereSquaresVanishOrOverflow)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    using limits = std::numeric_limits<real>;
    const auto tiny = std::sqrt(limits::min()) * limits::epsilon();
    const auto huge = std::sqrt(limits::max()) / limits::epsilon();
    const auto a = this->well_conditioned(2);  // rows add up to 3
    const auto x = this->dense({{0, 0, 0}, {0, 0, 0}});
    const auto solver = this->make_solver(a, 40);

    solver->apply(this->dense({{V(3 * tiny), 3, V(3 * huge)}, {V(3 * tiny), 3, V(3 * huge)}}), x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(3, stop_reason::converged)));
    x->inv_scale(this->dense({{V(tiny), 1, V(huge)}}));
    EXPECT_MTX_NEAR(x, this->dense({{1, 1, 1}, {1, 1, 1}}), 10 * this->reduction());
}

// Rounding errors exceed the bound: restarts must not continue forever.
TYPED_TEST_P(IterativeSolver, EndsOnIllConditionedSystemsWithoutAnyLimit)
{
    using Solver = typename TestFixture::solver;
    const auto solve = [&](std::shared_ptr<const LinOp> a, const std::unique_ptr<typename TestFixture::Dense>& b) {
        return this->solve_without_limit(a, b, solver_parameters<Solver>::make());
    };
    // B^T B with the entries of B below a thousand: the condition number is 1e7.
    const auto a =
        share(this->csr({{1740638, -173589, 112495}, {-173589, 564574, -971227}, {112495, -971227, 1695546}}));
    EXPECT_LE(solve(a, this->dense({{986}, {871}, {178}})),
              max_iterations_without_limit(TestFixture::solver::tested, 3));
    if (!this->is_simulated()) {
        EXPECT_LE(solve(this->tridiagonal(this->exec, std::vector<double>(100, 2.001)), this->random_dense(100, 40)),
                  max_iterations_without_limit(TestFixture::solver::tested, 100));
    }
    // Stationary methods take many windows for the larger one.
    const auto is_stationary = TestFixture::solver::tested.is_stationary;
    const auto hilbert = this->hilbert(is_stationary || this->is_simulated() ? 4 : 12);
    const auto size = hilbert->get_size()[0];
    solve(hilbert, this->apply(hilbert, this->random_dense(size, 2)));
    solve(hilbert, this->random_dense(size, 1));
}

TYPED_TEST_P(IterativeSolver, EndsOnSingularConsistentSystemsWithoutAnyLimit)
{
    using Solver = typename TestFixture::solver;
    const auto a = this->singular(14);
    const auto b = this->apply(a, this->random_dense(14, 2));

    EXPECT_LE(this->solve_without_limit(a, b, solver_parameters<Solver>::make()),
              max_iterations_without_limit(TestFixture::solver::tested, 14));
}

TYPED_TEST_P(IterativeSolver, EndsWithSmallSpacesWithoutAnyLimit)
{
    using Solver = typename TestFixture::solver;
    // Short cycles take thousands of steps, on each executor for the same reasons.
    const auto is_reference = std::dynamic_pointer_cast<const ReferenceExecutor>(this->exec) != nullptr;
    const size_type size = this->is_simulated() ? 3 : 12;
    const auto singular = this->singular(size);
    const auto hilbert = this->hilbert(size);
    const std::vector<size_type> some_dimensions{2};
    const std::vector<size_type> all_dimensions{1, 2, 3, 4, 5};
    for (const auto dimension : is_reference ? all_dimensions : some_dimensions) {
        SCOPED_TRACE(::testing::Message() << "dimension " << dimension);
        const auto solve_all = [&](auto parameters) {
            this->solve_without_limit(singular, this->apply(singular, this->random_dense(size, 1)), parameters);
            this->solve_without_limit(this->slow(size), this->random_dense(size, 1), parameters);
            if (!this->is_simulated()) {
                this->solve_without_limit(singular, this->random_dense(size, 1), parameters);
            }
            if (is_reference) {
                this->solve_without_limit(hilbert, this->apply(hilbert, this->random_dense(size, 1)), parameters);
            }
        };
        if (TestFixture::solver::tested.has_dimension) {
            solve_all(solver_parameters<Solver>::make().with_dimension(dimension));
        }
    }
}

TYPED_TEST_P(IterativeSolver, IsNoWorseThanAtFirstWithAPreconditionerThatChanges)
{
    using V = typename TypeParam::value_type;
    if (TestFixture::solver::tested.is_preconditionable) {
        const auto a = this->well_conditioned(12);
        for (int i = 0; i < 4; ++i) {
            const auto b = this->random_dense(12, 1);
            const auto x = clone(b);
            x->fill(zero<V>());
            const auto solver = this->make_solver(a, 3000);
            solver->set_preconditioner(Erratic<V>::create(this->exec, 12));

            solver->apply(b, x);

            if (is_failure(solver->get_stop_reasons().at(0))) {
                EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1 + 10 * this->epsilon());
            }
        }
    }
}

// (r, z) = 0 is a breakdown, of which the implicit norm must not make convergence.
TYPED_TEST_P(IterativeSolver, DoesNotCallBreakdownsConverged)
{
    using V = typename TypeParam::value_type;
    if (TestFixture::solver::tested.is_preconditionable) {
        const auto a = share(this->csr({{2, 0}, {0, 3}}));
        for (const auto& m : {share(this->csr({{0, 0}, {0, 0}})), share(this->csr({{1, 0}, {0, -1}}))}) {
            const auto expect_none = [&](auto criterion) {
                const auto x = this->dense({{0}, {0}});
                const auto solver = solver_parameters<typename TestFixture::solver>::make()
                                        .with_criteria(criterion, stop::Iteration::build().with_max_iters(50))
                                        .with_generated_preconditioner(m)
                                        .on(this->exec)
                                        ->generate(a);
                const auto b = this->dense({{1}, {1}});

                solver->apply(b, x);

                if (solver->get_stop_reasons().at(0) == stop_reason::converged) {
                    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
                }
            };
            expect_none(stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()));
            if (TestFixture::solver::tested.has_implicit_norm) {
                expect_none(stop::ImplicitResidualNorm<V>::build().with_reduction_factor(this->reduction()));
            }
        }
    }
}

TYPED_TEST_P(IterativeSolver, TellsLoggersOfEachIteration)
{
    const auto logger = std::make_shared<iteration_log>();
    const auto solver = this->make_solver(this->well_conditioned(40));
    solver->add_logger(logger);

    solver->apply(this->random_dense(40, 2), this->random_dense(40, 2));

    EXPECT_GT(logger->iterations.size(), 1u);
    EXPECT_TRUE(logger->is_in_order);
    EXPECT_EQ(logger->iterations.back(), this->log->get_num_iterations());
    EXPECT_TRUE(logger->has_all);
    EXPECT_EQ(logger->has_implicit, TestFixture::solver::tested.has_implicit_norm);
    EXPECT_TRUE(logger->has_stopped);
}

TYPED_TEST_P(IterativeSolver, TakesTheIdentityForAPreconditioner)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    if (TestFixture::solver::tested.is_preconditionable) {
        const auto a = this->well_conditioned(30);
        const auto b = this->random_dense(30, 2);
        const auto x = this->random_dense(30, 2);
        const auto start = clone(x);
        const auto solver = this->make_solver(a);
        host_matrix ones{dim<2>{30, 30}};
        for (size_type i = 0; i < 30; ++i) {
            ones.nonzeros.emplace_back(i, i, 1.0);
        }
        solver->apply(b, x);
        const auto without = static_cast<double>(this->log->get_num_iterations());

        for (const auto& identity : std::vector<std::shared_ptr<const LinOp>>{
                 share(make_csr<V, I>(this->exec, ones)), share(matrix::Identity<V>::create(this->exec, 30))}) {
            solver->set_preconditioner(identity);
            x->copy_from(start.get());
            solver->apply(b, x);

            EXPECT_TRUE(this->log->has_converged());
            EXPECT_NEAR(static_cast<double>(this->log->get_num_iterations()), without, 1 + 0.05 * without);
            EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
        }
    }
}

TYPED_TEST_P(IterativeSolver, RejectsWrongInputBeforeAnyWork)
{
    using V = typename TypeParam::value_type;
    const auto make = [] { return solver_parameters<typename TestFixture::solver>::make(); };
    const auto one_step = [&] {
        return make().with_criteria(stop::Iteration::build().with_max_iters(1)).on(this->exec);
    };
    const auto a = this->well_conditioned(4);
    const auto solver = one_step()->generate(a);
    const auto b = this->random_dense(4, 1);
    const auto short_x = this->dense({{1}, {2}});
    const auto wide_x = this->random_dense(4, 2);
    const auto original = clone(wide_x);

    EXPECT_THROW_WITH(make().on(this->exec)->generate(a), NotSupported, "with_criteria");
    EXPECT_THROW_WITH(one_step()->generate(share(this->csr({{1, 2, 3}}))), DimensionMismatch, "square");
    EXPECT_THROW(one_step()->generate(std::shared_ptr<LinOp>{}), NotSupported);
    EXPECT_THROW(solver->apply(b, short_x), DimensionMismatch);
    EXPECT_THROW(solver->apply(short_x, b), DimensionMismatch);
    EXPECT_THROW(solver->apply(b, wide_x), DimensionMismatch);
    EXPECT_THROW(solver->apply(b, static_cast<LinOp*>(nullptr)), NotSupported);
    EXPECT_THROW(solver->set_stop_criterion_factory(nullptr), NotSupported);
    EXPECT_MTX_NEAR(short_x, this->dense({{1}, {2}}), 0.0);
    EXPECT_MTX_NEAR(wide_x, original, 0.0);
    if (TestFixture::solver::tested.is_preconditionable) {
        const std::shared_ptr<LinOp> wrong = matrix::Identity<V>::create(this->exec, 7);
        EXPECT_THROW_WITH(solver->set_preconditioner(wrong), DimensionMismatch, "the preconditioner is 7 x 7");
        EXPECT_THROW(solver->set_preconditioner(nullptr), NotSupported);
        EXPECT_THROW(make()
                         .with_criteria(stop::Iteration::build().with_max_iters(1))
                         .with_generated_preconditioner(wrong)
                         .on(this->exec)
                         ->generate(a),
                     DimensionMismatch);
    }
    EXPECT_NO_THROW(solver->apply(b, clone(b)));  // still as it was
}

TYPED_TEST_P(IterativeSolver, EndsOnInconsistentSystemsWithoutAnyLimit)
{
    using V = typename TypeParam::value_type;
    const auto a = this->singular(14);
    const auto b = this->random_dense(14, 2);
    b->create_submatrix(span{0, 7}, span{0, 2})->fill(one<V>());  // not in the range
    b->create_submatrix(span{7, 14}, span{0, 2})->fill(V{0.5});
    const auto x = clone(b);
    x->fill(zero<V>());
    const auto solver = solver_parameters<typename TestFixture::solver>::make()
                            .with_criteria(stop::ResidualNorm<V>::build().with_reduction_factor(this->reduction()))
                            .on(this->exec)
                            ->generate(a);
    solver->add_logger(this->log);

    solver->apply(b, x);

    EXPECT_LE(this->log->get_num_iterations(), max_iterations_without_limit(TestFixture::solver::tested, 14));
    for (const auto reason : solver->get_stop_reasons()) {
        EXPECT_TRUE(is_failure(reason)) << reason;
    }
    // x is none that is worse than what was there at first.
    EXPECT_TRUE(this->is_finite(x.get()));
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1 + 10 * this->epsilon());
}

// b is nearly in the range of A: the iterates of most methods come close to a solution, then grow.
TYPED_TEST_P(IterativeSolver, ReturnsTheBestOfTheIteratesItCompares)
{
    using V = typename TypeParam::value_type;
    using I = typename TestFixture::I;
    using Solver = typename TestFixture::solver;
    if (TestFixture::solver::tested.rounds_what_it_keeps) {
        GTEST_SKIP() << "compares its iterates at restarts only";
    }
    for (const size_type size : {10, 18, 40}) {
        const auto a = share(make_csr<V, I>(this->exec, neumann_problem(size)));
        const auto constant = this->dense_of_nan(size, 1);
        constant->fill(V(100 * this->reduction()));
        const auto b = this->apply(a, this->random_dense(size, 1));
        b->add_scaled(this->dense({{1}}), constant);
        const auto residual_after = [&](size_type max_iters, bool with_residual) {
            const auto x = clone(b);
            x->fill(zero<V>());
            auto parameters = solver_parameters<Solver>::make();
            if (with_residual) {
                parameters.with_criteria(stop::Iteration::build().with_max_iters(max_iters),
                                         stop::ResidualNorm<V>::build().with_reduction_factor(this->epsilon() / 8));
            } else {
                parameters.with_criteria(stop::Iteration::build().with_max_iters(max_iters));
            }
            parameters.on(this->exec)->generate(a)->apply(b, x);
            return this->is_finite(x.get()) ? this->relative_residual(a.get(), b.get(), x.get())
                                            : std::numeric_limits<typename TestFixture::real>::infinity();
        };
        auto best = typename TestFixture::real{1};
        for (const size_type checkpoint : {8, 24, 48, 96}) {
            best = std::min(best, residual_after(checkpoint, false));
            for (const size_type later : {checkpoint + 1, size_type{130}}) {
                SCOPED_TRACE(::testing::Message() << size << " rows, checkpoint " << checkpoint << ", limit " << later);
                // Gmres compares at restarts, and x is large if A is nearly singular, which adds
                // rounding errors.
                EXPECT_LE(residual_after(later, true), 1.5 * best + 100 * this->epsilon());
            }
        }
    }
}

TYPED_TEST_P(IterativeSolver, KeepsNoIterateIfItsCriteriaAreLimits)
{
    using V = typename TypeParam::value_type;
    const auto a = this->well_conditioned(6);
    const auto b = this->random_dense(6, 1);
    const auto limit = stop::Iteration::build().with_max_iters(2u);
    const auto num_vectors = [&](auto... criteria) {
        const auto comparisons = std::make_shared<launches_of>("solver::update_best");
        const auto x = clone(b);
        const auto solver = solver_parameters<typename TestFixture::solver>::make()
                                .with_criteria(limit, criteria...)
                                .on(this->exec)
                                ->generate(a);
        const auto before = this->exec->get_counters();
        this->exec->add_logger(comparisons);
        solver->apply(b, x);
        this->exec->remove_logger(comparisons);
        EXPECT_TRUE(sizeof...(criteria) != 0 || comparisons->num == 0);
        return (this->exec->get_counters() - before).allocations;
    };

    EXPECT_GE(num_vectors(stop::ResidualNorm<V>::build().with_reduction_factor(this->epsilon())), num_vectors() + 2);
}

/// Counts the launches of each kernel.
struct launch_counts : log::Logger {
    launch_counts() : Logger(Logger::operation_launched_mask) {}
    void on_operation_launched(const Executor*, const Operation* op) const override { ++counts[op->get_name()]; }

    mutable std::map<std::string, int> counts;
};

// Smoothers and inner solvers pay for their steps alone.
TYPED_TEST_P(IterativeSolver, LaunchesNothingBesidesItsStepsIfItsCriteriaAreLimits)
{
    using V = typename TypeParam::value_type;
    const auto a = this->slow(64);
    const auto b = this->random_dense(64, 2);
    for (const auto is_preconditioned : {false, true}) {
        SCOPED_TRACE(is_preconditioned ? "preconditioned" : "not preconditioned");
        const auto solver = this->make_silent_solver(a, is_preconditioned);
        const auto count = [&](size_type num_steps) {
            solver->set_stop_criterion_factory(
                share(stop::Iteration::build().with_max_iters(num_steps).on(this->exec)));
            const auto x = clone(b);
            x->fill(zero<V>());
            const auto logger = std::make_shared<launch_counts>();
            this->exec->add_logger(logger);
            solver->apply(b, x);
            this->exec->remove_logger(logger);
            EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(2, stop_reason::iteration_limit)));
            return logger->counts;
        };
        count(12);  // some solvers prepare something in their first apply

        auto of_4_steps = count(4);
        auto of_8_steps = count(8);  // where others have a checkpoint
        auto of_12_steps = count(12);

        if (!TestFixture::solver::tested.takes_vectors_in_groups) {
            for (const auto& [name, num] : of_12_steps) {
                EXPECT_EQ(num - of_8_steps[name], of_8_steps[name] - of_4_steps[name]) << name;
            }
        }
        for (const auto name : {"solver::update_best", "solver::copy_unstopped_columns", "solver::stop_if_stagnated",
                                "solver::replace_if_better", "solver::resume_unconfirmed", "solver::stop_if_not_halved",
                                "stop::check_bounds"}) {
            EXPECT_EQ(of_12_steps.count(name), 0u) << name;
        }
        if (!is_preconditioned) {
            EXPECT_EQ(of_12_steps["csr::spmv"] + of_12_steps["csr::advanced_spmv"],
                      12 * TestFixture::solver::tested.products_per_step + TestFixture::solver::tested.other_products);
        }
    }
}

TYPED_TEST_P(IterativeSolver, EndsWhenItBreaksDownHoweverHighTheLimit)
{
    using V = typename TypeParam::value_type;
    const auto a = share(this->csr({{0, 0}, {0, 0}}));
    const auto x = this->dense({{3}, {4}});
    const auto solver = solver_parameters<typename TestFixture::solver>::make()
                            .with_criteria(stop::Iteration::build().with_max_iters(size_type{1} << 60),
                                           stop::ResidualNorm<V>::build().with_reduction_factor(0))
                            .on(this->exec)
                            ->generate(a);

    solver->apply(this->dense({{1}, {1}}), x);

    EXPECT_TRUE(is_failure(solver->get_stop_reasons().at(0)));
    EXPECT_MTX_NEAR(x, this->dense({{3}, {4}}), 0.0);

    x->fill(zero<V>());
    solver->apply(x, x);
    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::converged}));

    solver->set_stop_criterion_factory(IgnoresStatus::build().on(this->exec));
    solver->apply(this->dense({{1}, {1}}), x);
    EXPECT_TRUE(is_failure(solver->get_stop_reasons().at(0)));
    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
}

/// Applies an operator in another thread while the operator that it is attached to is applied.
class ApplyInOtherThread : public log::Logger {
public:
    explicit ApplyInOtherThread(std::function<void()> apply)
        : Logger(Logger::linop_apply_started_mask | Logger::linop_advanced_apply_started_mask), apply_{std::move(apply)}
    {}
    void on_linop_apply_started(const LinOp*, const LinOp*, const LinOp*) const override { std::thread{apply_}.join(); }
    void on_linop_advanced_apply_started(const LinOp*, const LinOp*, const LinOp*, const LinOp*,
                                         const LinOp*) const override
    {
        std::thread{apply_}.join();
    }

private:
    std::function<void()> apply_;
};

TYPED_TEST_P(IterativeSolver, RefusesTheApplyOfAnotherThread)
{
    if (!spruce::detail::Workspace::exclusive_use::is_checked()) {
        GTEST_SKIP() << "the library is built with NDEBUG";
    }
    const auto a = this->well_conditioned(5);
    const auto solver = this->make_solver(a, 2);
    const auto b = this->random_dense(5, 1);
    const auto x = this->random_dense(5, 1);
    const auto other_x = clone(x);
    std::atomic<int> num_refused{};
    const auto apply = [&] {
        const auto original = clone(other_x);
        EXPECT_THROW_WITH(solver->apply(b, other_x), InvalidStateError, "another apply()");
        EXPECT_THROW_WITH(solver->apply(this->dense({{1}}), b, this->dense({{1}}), other_x), InvalidStateError,
                          "another apply()");
        EXPECT_MTX_NEAR(other_x, original, 0.0);
        ++num_refused;
    };
    const auto logger = std::make_shared<ApplyInOtherThread>(apply);
    a->add_logger(logger);

    solver->apply(b, x);
    solver->apply(this->dense({{1}}), b, this->dense({{1}}), x);
    a->remove_logger(logger);

    EXPECT_GE(num_refused, 2);
    EXPECT_NO_THROW(solver->apply(b, x));
}

/// Calls a function before each iteration.
class BeforeIteration : public log::Logger {
public:
    explicit BeforeIteration(std::function<void(size_type)> function)
        : Logger(Logger::iteration_complete_mask), function_{std::move(function)}
    {}
    void on_iteration_complete(const LinOp*, const LinOp*, const LinOp*, const size_type& iteration, const LinOp*,
                               const LinOp*, const LinOp*, const array<stopping_status>*, bool) const override
    {
        function_(iteration);
    }

private:
    std::function<void(size_type)> function_;
};

TYPED_TEST_P(IterativeSolver, GetsAnotherPreconditionerDuringASolve)
{
    const auto a = this->well_conditioned(20);
    const auto solver = this->make_solver(a);
    this->precondition(*solver);
    const auto b = this->random_dense(20, 1);
    const auto x = this->random_dense(20, 1);
    const auto logger = std::make_shared<BeforeIteration>([&](size_type iteration) {
        if (iteration == 1) {
            this->precondition(*solver);  // nothing else refers to the first one
        }
    });
    solver->add_logger(logger);

    solver->apply(b, x);
    solver->remove_logger(logger);

    EXPECT_TRUE(this->log->has_converged());
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * this->reduction());
}

TYPED_TEST_P(IterativeSolver, EndsByACriterionThatSetsNoStatus)
{
    const auto a = share(this->csr({{1, 4, 0}, {4, 1, 4}, {0, 4, 1}}));
    const auto b = this->dense({{1}, {2}, {-3}});
    const auto x = this->dense({{0}, {0}, {0}});
    const auto solver = this->make_solver(a);
    solver->set_stop_criterion_factory(IgnoresStatus::build().with_end(2u).on(this->exec));

    solver->apply(b, x);

    EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::criterion}));
    EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 1 + 10 * this->epsilon());
}

TYPED_TEST_P(IterativeSolver, StartsProductsFromZeroWithAMatrixThatUsesAnInitialGuess)
{
    using V = typename TypeParam::value_type;
    using inner = solver::Gmres<V>;
    // The matrix is the inverse of a; x is therefore near a b.
    const auto a = this->well_conditioned(12);
    const std::shared_ptr<const LinOp> inverse =
        inner::build()
            .with_criteria(stop::ResidualNorm<V>::build().with_reduction_factor(30 * this->epsilon()))
            .on(this->exec)
            ->generate(a);
    const auto solver = this->make_solver(inverse, 50);
    const auto b = this->random_dense(12, 1);
    const auto x = this->dense_of_nan(12, 1);
    const auto again = this->dense_of_nan(12, 1);
    x->fill(zero<V>());
    again->fill(zero<V>());

    solver->apply(b, x);
    solver->apply(b, again);

    EXPECT_TRUE(this->is_finite(x.get()));
    EXPECT_MTX_NEAR(again, x, 0.0);
    const auto image = this->dense_of_nan(12, 1);
    image->fill(zero<V>());
    inverse->apply(x, image);
    image->add_scaled(this->dense({{-1}}), b);
    EXPECT_LE(this->norm_of(image), this->norm_of(b));
}

REGISTER_TYPED_TEST_SUITE_P(
    IterativeSolver, SolvesForOneToSixtyFourRightHandSides, SolvesWithCooAndDense, ServesOperandsOnTheHost,
    AddsScaledSolution, TakesAsManyIterationsAsOnReferenceIfWellConditioned, RepeatsToTheSameBits,
    SolvesLikeAFreshSolverAfterAnInterruptedApply, StopsColumnsOneByOneAndLeavesThemAsTheyAre,
    StaysAtAnExactInitialGuessWhateverTheCriterion, NeedsNoIterationForExactInitialGuess, CopiesWorkOnOtherExecutors,
    IsEmptyAfterItWasMovedFrom, StaysAtTheSolutionHoweverLongItRuns, GoesToZeroForZeroRightHandSide,
    SolvesEmptyProblems, SaysWhyItStopped, KeepsNanOfTheMatrixOutOfTheSolution, NeverCallsASingularSystemConverged,
    StopsColumnsWithNanAndSolvesTheOthers, EndsAlikeWhetherEachIterationIsListenedToOrNot,
    EndsAlikeOnSmallSystemsThatBreakDown, StopsByTheImplicitNormWhateverItsSize,
    ReplaysStepsOnSmallSystemsWithTheSameResults, AllocatesNothingAndWaitsForNothingExtraInLaterApplies,
    AllocatesNothingInLaterAppliesThatReadTheResidual, DoesNotWaitForTheDeviceInAnIteration,
    StopsByTheImplicitNormOrSaysThatItHasNone, ComparesWithTheFirstResidualWhateverItsSize,
    SolvesWhereSquaresVanishOrOverflow, EndsOnIllConditionedSystemsWithoutAnyLimit,
    IsNoWorseThanAtFirstWithAPreconditionerThatChanges, DoesNotCallBreakdownsConverged, TellsLoggersOfEachIteration,
    TakesTheIdentityForAPreconditioner, RejectsWrongInputBeforeAnyWork, EndsOnInconsistentSystemsWithoutAnyLimit,
    EndsOnSingularConsistentSystemsWithoutAnyLimit, EndsWithSmallSpacesWithoutAnyLimit,
    ScalesItsResultExactlyWithEachBaseline, LaunchesNothingBesidesItsStepsIfItsCriteriaAreLimits,
    ReturnsTheBestOfTheIteratesItCompares, KeepsNoIterateIfItsCriteriaAreLimits,
    EndsWhenItBreaksDownHoweverHighTheLimit, RefusesTheApplyOfAnotherThread, GetsAnotherPreconditionerDuringASolve,
    EndsByACriterionThatSetsNoStatus, StartsProductsFromZeroWithAMatrixThatUsesAnInitialGuess);

}  // namespace spruce::test
