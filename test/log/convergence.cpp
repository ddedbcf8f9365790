// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/convergence.hpp>

#include <complex>

#include <gtest/gtest.h>
#include <spruce/base/array.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

namespace {

using spruce::dim;
using spruce::stopping_status;
using spruce::log::Logger;

template <typename ValueType>
class Convergence : public ::testing::Test {
protected:
    using real = spruce::remove_complex<ValueType>;
    using Dense = spruce::matrix::Dense<ValueType>;
    using RealDense = spruce::matrix::Dense<real>;
    using convergence = spruce::log::Convergence<ValueType>;

    static ValueType value(real part) { return part; }

    static spruce::array<stopping_status> statuses(std::shared_ptr<const spruce::Executor> exec,
                                                   std::initializer_list<bool> converged)
    {
        spruce::array<stopping_status> result{exec, converged.size()};
        auto status = result.get_data();
        for (const auto column : converged) {
            status->reset();
            column ? status->converge(1) : status->stop(1);
            ++status;
        }
        return result;
    }

    /// Reports an iteration to the logger as a solver does.
    void log_iteration(spruce::size_type it, const spruce::LinOp* residual, const spruce::LinOp* norm,
                       const spruce::LinOp* implicit, bool stopped)
    {
        logger->template on<Logger::iteration_complete>(residual, residual, residual, it, residual, norm, implicit,
                                                        &status, stopped);
    }

    /// Reports a check to the logger as a criterion does.
    void log_check(spruce::size_type it, const spruce::LinOp* residual, const spruce::LinOp* norm,
                   const spruce::LinOp* implicit, bool stopped)
    {
        const spruce::stop::Criterion* criterion{};
        logger->template on<Logger::criterion_check_completed>(criterion, it, residual, norm, implicit, residual,
                                                               spruce::uint8{1}, true, &status, true, stopped);
    }

    std::shared_ptr<spruce::Executor> exec = spruce::ReferenceExecutor::create();
    std::unique_ptr<convergence> logger = convergence::create();
    std::unique_ptr<Dense> residual = spruce::initialize<Dense>({{value(3), value(0)}, {value(4), value(2)}}, exec);
    std::unique_ptr<RealDense> norm = spruce::initialize<RealDense>({{7.0, 8.0}}, exec);
    std::unique_ptr<Dense> implicit = spruce::initialize<Dense>({{value(49), value(64)}}, exec);
    spruce::array<stopping_status> status = statuses(exec, {true, true});
};

#if SPRUCE_TYPES_MINIMAL
using ValueTypes = ::testing::Types<double>;
#else
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
#endif
TYPED_TEST_SUITE(Convergence, ValueTypes, );

TYPED_TEST(Convergence, IsEmptyAtFirst)
{
    EXPECT_FALSE(this->logger->has_converged());
    EXPECT_EQ(this->logger->get_num_iterations(), 0u);
    EXPECT_EQ(this->logger->get_residual(), nullptr);
    EXPECT_EQ(this->logger->get_residual_norm(), nullptr);
    EXPECT_EQ(this->logger->get_implicit_sq_resnorm(), nullptr);
}

TYPED_TEST(Convergence, TakesFinalIteration)
{
    this->log_iteration(6, this->residual.get(), this->norm.get(), this->implicit.get(), true);

    EXPECT_TRUE(this->logger->has_converged());
    EXPECT_EQ(this->logger->get_num_iterations(), 6u);
    EXPECT_NE(this->logger->get_residual(), this->residual.get());
    const auto residual = spruce::as<typename TestFixture::Dense>(this->logger->get_residual());
    EXPECT_EQ(residual->at(1, 0), this->residual->at(1, 0));
    EXPECT_EQ(residual->get_executor(), this->exec);
    EXPECT_EQ(spruce::as<typename TestFixture::RealDense>(this->logger->get_residual_norm())->at(0, 1), 8.0);
    EXPECT_EQ(spruce::as<typename TestFixture::Dense>(this->logger->get_implicit_sq_resnorm())->at(0, 0),
              TypeParam(49.0));
}

TYPED_TEST(Convergence, TakesFinalCheck)
{
    this->log_check(6, this->residual.get(), this->norm.get(), this->implicit.get(), true);

    EXPECT_TRUE(this->logger->has_converged());
    EXPECT_EQ(this->logger->get_num_iterations(), 6u);
    EXPECT_NE(this->logger->get_residual(), nullptr);
    EXPECT_EQ(spruce::as<typename TestFixture::RealDense>(this->logger->get_residual_norm())->at(0, 0), 7.0);
    EXPECT_NE(this->logger->get_implicit_sq_resnorm(), nullptr);
}

TYPED_TEST(Convergence, TakesOlderFormOfFinalCheck)
{
    const spruce::stop::Criterion* criterion{};

    this->logger->template on<Logger::criterion_check_completed>(criterion, spruce::size_type{6}, this->residual.get(),
                                                                 this->norm.get(), this->residual.get(),
                                                                 spruce::uint8{1}, true, &this->status, true, true);

    EXPECT_TRUE(this->logger->has_converged());
    EXPECT_EQ(this->logger->get_num_iterations(), 6u);
    EXPECT_EQ(this->logger->get_implicit_sq_resnorm(), nullptr);
}

TYPED_TEST(Convergence, IgnoresWhatIsNotFinal)
{
    this->log_iteration(6, this->residual.get(), this->norm.get(), this->implicit.get(), false);
    this->log_check(6, this->residual.get(), this->norm.get(), this->implicit.get(), false);

    EXPECT_FALSE(this->logger->has_converged());
    EXPECT_EQ(this->logger->get_num_iterations(), 0u);
    EXPECT_EQ(this->logger->get_residual(), nullptr);
}

TYPED_TEST(Convergence, ComputesNormFromResidual)
{
    using real = typename TestFixture::real;

    this->log_iteration(1, this->residual.get(), nullptr, nullptr, true);

    const auto norm = spruce::as<typename TestFixture::RealDense>(this->logger->get_residual_norm());
    ASSERT_EQ(norm->get_size(), dim<2>(1, 2));
    EXPECT_NEAR(norm->at(0, 0), real{5}, 5 * std::numeric_limits<real>::epsilon());
    EXPECT_NEAR(norm->at(0, 1), real{2}, 5 * std::numeric_limits<real>::epsilon());
}

TYPED_TEST(Convergence, ComputesNormFromResidualInOtherPrecision)
{
    if (SPRUCE_TYPES_MINIMAL) {
        GTEST_SKIP() << "there are no kernels for the other precision";
    }
    using other = spruce::matrix::Dense<spruce::next_precision<TypeParam>>;
    const auto residual = spruce::initialize<other>({3.0, 4.0}, this->exec);

    this->log_iteration(1, residual.get(), nullptr, nullptr, true);

    const auto norm = spruce::as<typename TestFixture::RealDense>(this->logger->get_residual_norm());
    EXPECT_NEAR(norm->at(0, 0), 5.0, 25 * std::numeric_limits<float>::epsilon());
}

TYPED_TEST(Convergence, ForgetsWhatTheLastSolveDoesNotGive)
{
    this->log_iteration(1, this->residual.get(), this->norm.get(), this->implicit.get(), true);

    this->log_iteration(2, nullptr, nullptr, nullptr, true);

    EXPECT_EQ(this->logger->get_num_iterations(), 2u);
    EXPECT_EQ(this->logger->get_residual(), nullptr);
    EXPECT_EQ(this->logger->get_residual_norm(), nullptr);
    EXPECT_EQ(this->logger->get_implicit_sq_resnorm(), nullptr);
}

TYPED_TEST(Convergence, NeedsEveryColumnToConverge)
{
    this->status = this->statuses(this->exec, {true, false});

    this->log_iteration(1, this->residual.get(), this->norm.get(), nullptr, true);

    EXPECT_FALSE(this->logger->has_converged());
    EXPECT_NE(this->logger->get_residual_norm(), nullptr);
}

TYPED_TEST(Convergence, StatusCanBeReset)
{
    this->log_iteration(1, this->residual.get(), this->norm.get(), nullptr, true);

    this->logger->reset_convergence_status();

    EXPECT_FALSE(this->logger->has_converged());
    EXPECT_EQ(this->logger->get_num_iterations(), 1u);
}

TYPED_TEST(Convergence, KeepsToItsMask)
{
    this->logger = TestFixture::convergence::create(this->exec, Logger::iteration_complete_mask);

    this->log_check(6, this->residual.get(), this->norm.get(), nullptr, true);
    EXPECT_EQ(this->logger->get_num_iterations(), 0u);

    this->log_iteration(5, this->residual.get(), this->norm.get(), nullptr, true);
    EXPECT_EQ(this->logger->get_num_iterations(), 5u);
}

class ConvergenceOfSolve : public ::testing::Test {
protected:
    using Dense = spruce::matrix::Dense<double>;

    /// Solves diag(1, 2, 3) x = (1, 1, 1) from x = 0, for which CG needs three iterations.
    void solve(spruce::size_type max_iters, bool listen_to_solver)
    {
        const std::shared_ptr<const spruce::stop::CriterionFactory> criterion = spruce::stop::combine(
            {spruce::share(spruce::stop::Iteration::build().with_max_iters(max_iters).on(exec)),
             spruce::share(spruce::stop::ResidualNorm<>::build().with_reduction_factor(1e-10).on(exec))});
        if (!listen_to_solver) {
            std::const_pointer_cast<spruce::stop::CriterionFactory>(criterion)->add_logger(logger);
        }
        const auto solver = spruce::solver::Cg<>::build().with_criteria(criterion).on(exec)->generate(
            spruce::initialize<Dense>({{1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 3.0}}, exec));
        if (listen_to_solver) {
            solver->add_logger(logger);
        }
        solver->apply(spruce::initialize<Dense>({1.0, 1.0, 1.0}, exec), x);
    }

    std::shared_ptr<spruce::Executor> exec = spruce::ReferenceExecutor::create();
    std::shared_ptr<spruce::log::Convergence<>> logger = spruce::log::Convergence<>::create();
    std::unique_ptr<Dense> x = spruce::initialize<Dense>({0.0, 0.0, 0.0}, exec);
};

TEST_F(ConvergenceOfSolve, IsSeenFromSolverAndFromCriterion)
{
    for (const auto listen_to_solver : {true, false}) {
        SCOPED_TRACE(listen_to_solver);
        x->fill(0.0);

        this->solve(10, listen_to_solver);

        EXPECT_TRUE(logger->has_converged());
        EXPECT_EQ(logger->get_num_iterations(), 3u);
        EXPECT_LE(spruce::as<Dense>(logger->get_residual_norm())->at(0, 0), 1e-9);

        this->solve(10, listen_to_solver);  // starts at the solution

        EXPECT_TRUE(logger->has_converged());
        EXPECT_EQ(logger->get_num_iterations(), 0u);
    }
}

TEST_F(ConvergenceOfSolve, IsNotReachedAtTheIterationLimit)
{
    for (const auto listen_to_solver : {true, false}) {
        SCOPED_TRACE(listen_to_solver);
        x->fill(0.0);

        this->solve(2, listen_to_solver);

        EXPECT_FALSE(logger->has_converged());
        EXPECT_EQ(logger->get_num_iterations(), 2u);
        EXPECT_GT(spruce::as<Dense>(logger->get_residual_norm())->at(0, 0), 1e-3);
    }
}

}  // namespace
