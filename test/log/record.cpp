// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/record.hpp>

#include <gtest/gtest.h>
#include <spruce/matrix/dense.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/stop/iteration.hpp>

namespace {

using spruce::as;
using spruce::dim;
using spruce::uintptr;
using spruce::log::Logger;

using Dense = spruce::matrix::Dense<double>;

class Record : public ::testing::Test {
protected:
    ~Record() override
    {
        exec->clear_loggers();
        logger->get() = {};  // a recorded solver holds its criterion, which holds the logger
    }

    const spruce::log::Record::logged_data& data() const { return logger->get(); }

    std::shared_ptr<spruce::Executor> exec = spruce::ReferenceExecutor::create();
    std::unique_ptr<Dense> a = spruce::initialize<Dense>({{2.0, 0.0}, {0.0, 3.0}}, exec);
    std::unique_ptr<Dense> b = spruce::initialize<Dense>({1.0, 1.0}, exec);
    std::unique_ptr<Dense> x = spruce::initialize<Dense>({5.0, 6.0}, exec);
    std::shared_ptr<spruce::log::Record> logger = spruce::log::Record::create();
};

TEST_F(Record, KeepsExecutorEvents)
{
    exec->add_logger(logger);

    const auto place = exec->alloc<int>(2);
    exec->copy(2, place, place);
    exec->free(place);

    const auto location = reinterpret_cast<uintptr>(place);
    ASSERT_EQ(data().allocation_started.size(), 1u);
    EXPECT_EQ(data().allocation_started[0]->exec, exec.get());
    EXPECT_EQ(data().allocation_started[0]->num_bytes, 8u);
    EXPECT_EQ(data().allocation_completed[0]->location, location);
    EXPECT_EQ(data().copy_started[0]->first.exec, exec.get());
    EXPECT_EQ(data().copy_started[0]->second.location, location);
    EXPECT_EQ(data().copy_completed[0]->first.num_bytes, 8u);
    EXPECT_EQ(data().free_started[0]->location, location);
    EXPECT_EQ(data().free_completed[0]->location, location);
}

TEST_F(Record, KeepsOperations)
{
    exec->add_logger(logger);
    const auto nothing = [] {};

    exec->run("mine", nothing, nothing, nothing, nothing, nothing);

    ASSERT_EQ(data().operation_launched.size(), 1u);
    EXPECT_EQ(data().operation_launched[0]->exec, exec.get());
    EXPECT_EQ(data().operation_launched[0]->op, data().operation_completed[0]->op);
}

TEST_F(Record, KeepsCopiesOfOperands)
{
    a->add_logger(logger);

    a->apply(b, x);

    ASSERT_EQ(data().linop_apply_started.size(), 1u);
    const auto& before = *data().linop_apply_started[0];
    const auto& after = *data().linop_apply_completed[0];
    EXPECT_NE(before.A.get(), a.get());
    EXPECT_EQ(as<Dense>(before.A.get())->at(1, 1), 3.0);
    EXPECT_EQ(as<Dense>(before.b.get())->at(0, 0), 1.0);
    EXPECT_EQ(as<Dense>(before.x.get())->at(0, 0), 5.0);
    EXPECT_EQ(as<Dense>(after.x.get())->at(0, 0), 2.0);
    EXPECT_EQ(before.alpha, nullptr);
    EXPECT_EQ(before.beta, nullptr);
    EXPECT_EQ(after.x->get_executor(), exec);
}

TEST_F(Record, KeepsCopiesOfScalars)
{
    a->add_logger(logger);

    a->apply(spruce::initialize<Dense>({2.0}, exec), b, spruce::initialize<Dense>({1.0}, exec), x);

    const auto& after = *data().linop_advanced_apply_completed.at(0);
    EXPECT_EQ(as<Dense>(after.alpha.get())->at(0, 0), 2.0);
    EXPECT_EQ(as<Dense>(after.beta.get())->at(0, 0), 1.0);
    EXPECT_EQ(as<Dense>(after.x.get())->at(0, 0), 9.0);
    EXPECT_EQ(data().linop_advanced_apply_started.size(), 1u);
}

TEST_F(Record, KeepsObjectEvents)
{
    x->add_logger(logger);

    const auto created = x->create_default();
    x->copy_from(b);
    const auto source = a->clone();
    x->move_from(source);

    EXPECT_EQ(as<Dense>(data().polymorphic_object_create_started.at(0)->input.get())->at(0, 0), 5.0);
    EXPECT_EQ(data().polymorphic_object_create_started[0]->output, nullptr);
    EXPECT_EQ(data().polymorphic_object_create_completed.at(0)->output_address, created.get());
    EXPECT_EQ(as<Dense>(data().polymorphic_object_copy_started.at(0)->output.get())->at(0, 0), 5.0);
    EXPECT_EQ(as<Dense>(data().polymorphic_object_copy_completed.at(0)->output.get())->at(0, 0), 1.0);
    EXPECT_EQ(data().polymorphic_object_copy_completed[0]->input_address, b.get());
    EXPECT_EQ(as<Dense>(data().polymorphic_object_move_started.at(0)->input.get())->at(0, 0), 2.0);
    EXPECT_EQ(as<Dense>(data().polymorphic_object_move_completed.at(0)->output.get())->at(1, 1), 3.0);
}

TEST_F(Record, KeepsDeletionByAddressOnly)
{
    const spruce::PolymorphicObject* const where = x.get();
    x->add_logger(logger);

    x.reset();

    ASSERT_EQ(data().polymorphic_object_deleted.size(), 1u);
    EXPECT_EQ(data().polymorphic_object_deleted[0]->input_address, where);
    EXPECT_EQ(data().polymorphic_object_deleted[0]->input, nullptr);
    EXPECT_EQ(data().polymorphic_object_deleted[0]->exec, exec.get());
}

TEST_F(Record, KeepsSolve)
{
    const auto criterion = spruce::share(spruce::stop::Iteration::build().with_max_iters(1).on(exec));
    criterion->add_logger(logger);
    const auto factory = spruce::solver::Cg<>::build().with_criteria(criterion).with_loggers(logger).on(exec);

    const auto solver = factory->generate(std::move(a));
    solver->apply(b, x);

    EXPECT_EQ(data().linop_factory_generate_started.at(0)->factory, factory.get());
    EXPECT_EQ(as<Dense>(data().linop_factory_generate_started[0]->input.get())->at(0, 0), 2.0);
    EXPECT_EQ(data().linop_factory_generate_started[0]->output, nullptr);
    EXPECT_NE(data().linop_factory_generate_completed.at(0)->output, nullptr);

    const auto& check = *data().criterion_check_completed.at(0);
    EXPECT_EQ(data().criterion_check_started.at(0)->num_iterations, 1u);
    EXPECT_EQ(data().criterion_check_started[0]->status, nullptr);
    EXPECT_EQ(check.num_iterations, 1u);
    EXPECT_EQ(check.stopping_id, 1);
    EXPECT_TRUE(check.set_finalized);
    EXPECT_TRUE(check.oneChanged);
    EXPECT_TRUE(check.converged);
    EXPECT_NE(check.residual, nullptr);
    EXPECT_NE(check.residual_norm, nullptr);
    EXPECT_NE(check.implicit_sq_residual_norm, nullptr);
    EXPECT_EQ(as<Dense>(check.solution.get())->at(0, 0), x->at(0, 0));
    ASSERT_EQ(check.status->get_size(), 1u);
    EXPECT_TRUE(check.status->get_const_data()->has_stopped());

    const auto& iteration = *data().iteration_completed.at(0);
    ASSERT_NE(dynamic_cast<const spruce::solver::Cg<>*>(iteration.solver.get()), nullptr);
    EXPECT_NE(iteration.solver.get(), solver.get());
    EXPECT_EQ(as<spruce::solver::Cg<>>(iteration.solver.get())->get_system_matrix(), solver->get_system_matrix());
    EXPECT_EQ(iteration.num_iterations, 1u);
    EXPECT_EQ(as<Dense>(iteration.right_hand_side.get())->at(0, 0), 1.0);
    EXPECT_EQ(as<Dense>(iteration.solution.get())->at(0, 0), x->at(0, 0));
    EXPECT_NE(iteration.residual, nullptr);
    EXPECT_NE(iteration.residual_norm, nullptr);
    EXPECT_NE(iteration.implicit_sq_residual_norm, nullptr);
    EXPECT_TRUE(iteration.status->get_const_data()->has_stopped());
    EXPECT_TRUE(iteration.all_stopped);
}

TEST_F(Record, AcceptsOlderFormsWithoutOperands)
{
    const spruce::LinOp* none{};

    logger->on<Logger::iteration_complete>(none, spruce::size_type{3}, none, none, none);

    ASSERT_EQ(data().iteration_completed.size(), 1u);
    EXPECT_EQ(data().iteration_completed[0]->num_iterations, 3u);
    EXPECT_EQ(data().iteration_completed[0]->solution, nullptr);
    EXPECT_EQ(data().iteration_completed[0]->status, nullptr);
}

TEST_F(Record, ForgetsTheOldestBeyondItsStorage)
{
    logger = spruce::log::Record::create(exec, Logger::allocation_started_mask, 2);
    exec->add_logger(logger);

    for (const auto size : {1, 2, 3}) {
        exec->free(exec->alloc<char>(size));
    }

    ASSERT_EQ(data().allocation_started.size(), 2u);
    EXPECT_EQ(data().allocation_started[0]->num_bytes, 2u);
    EXPECT_EQ(data().allocation_started[1]->num_bytes, 3u);
    EXPECT_TRUE(data().free_started.empty());
}

TEST_F(Record, KeepsEverythingWithoutLimit)
{
    logger = spruce::log::Record::create(Logger::all_events_mask, 0);
    exec->add_logger(logger);

    for (int i = 0; i < 10; ++i) {
        exec->free(exec->alloc<char>(1));
    }

    EXPECT_EQ(data().allocation_started.size(), 10u);
}

TEST_F(Record, DoesNotRecordItself)
{
    // Cloning the operands causes events on the executor and on the operands.
    logger = spruce::log::Record::create(Logger::all_events_mask, 0);
    a->add_logger(logger);
    b->add_logger(logger);
    exec->add_logger(logger);

    a->apply(b, x);

    EXPECT_EQ(data().linop_apply_started.size(), 1u);
    EXPECT_TRUE(data().polymorphic_object_create_started.empty());
    EXPECT_TRUE(data().allocation_started.empty());
    EXPECT_TRUE(data().copy_started.empty());
}

}  // namespace
