// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/stream.hpp>

#include <iomanip>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <spruce/matrix/dense.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/stop/iteration.hpp>

namespace {

using spruce::dim;
using spruce::log::Logger;

using Dense = spruce::matrix::Dense<double>;
using Stream = spruce::log::Stream<double>;

class StreamLogger : public ::testing::Test {
protected:
    std::string shown(const char* kind, const char* type, const void* address) const
    {
        std::ostringstream text;
        text << kind << '[' << type << ',' << address << ']';
        return text.str();
    }
    std::string shown_exec() const { return this->shown("Executor", "spruce::ReferenceExecutor", exec.get()); }
    std::string shown_dense(const Dense* dense) const
    {
        return this->shown("LinOp", "spruce::matrix::Dense<double>", dense);
    }
    bool contains(const std::string& part) const { return os.str().find(part) != std::string::npos; }

    std::ostringstream os;  // declared first: loggers use it until the last object is destroyed
    std::shared_ptr<spruce::Executor> exec = spruce::ReferenceExecutor::create();
    std::unique_ptr<Dense> a = spruce::initialize<Dense>({{1.0, 2.0}, {3.0, 4.5}}, exec);
    std::unique_ptr<Dense> b = spruce::initialize<Dense>({1.0, 1.0}, exec);
    std::unique_ptr<Dense> x = spruce::initialize<Dense>({0.0, 0.0}, exec);
};

TEST_F(StreamLogger, PrintsOneLineForEachEvent)
{
    exec->add_logger(Stream::create(Logger::executor_events_mask, os));

    const auto data = exec->alloc<int>(1);
    exec->copy(1, data, data);
    exec->free(data);

    std::ostringstream at;
    at << "Location[" << static_cast<const void*>(data) << ']';
    const auto where = at.str();
    EXPECT_EQ(os.str(), "[LOG] >>> allocation started on " + shown_exec() + " with Bytes[4]\n" +       //
                            "[LOG] >>> allocation completed on " + shown_exec() + " at " + where +     //
                            " with Bytes[4]\n" +                                                       //
                            "[LOG] >>> copy started from " + shown_exec() + " to " + shown_exec() +    //
                            " from " + where + " to " + where + " with Bytes[4]\n" +                   //
                            "[LOG] >>> copy completed from " + shown_exec() + " to " + shown_exec() +  //
                            " from " + where + " to " + where + " with Bytes[4]\n" +                   //
                            "[LOG] >>> free started on " + shown_exec() + " at " + where + "\n" +      //
                            "[LOG] >>> free completed on " + shown_exec() + " at " + where + "\n");
}

TEST_F(StreamLogger, NamesObjectsByTypeAndAddress)
{
    a->add_logger(Stream::create(Logger::linop_apply_started_mask, os));

    a->apply(b, x);

    EXPECT_EQ(os.str(), "[LOG] >>> apply started on A " + shown_dense(a.get()) + " with b " + shown_dense(b.get()) +
                            " and x " + shown_dense(x.get()) + "\n");
}

TEST_F(StreamLogger, NamesOperations)
{
    exec->add_logger(Stream::create(Logger::operation_events_mask, os));
    const auto nothing = [] {};

    exec->run("mine", nothing, nothing, nothing, nothing, nothing);

    EXPECT_TRUE(contains("Operation[mine,")) << os.str();
    EXPECT_TRUE(contains("completed on " + shown_exec())) << os.str();
}

TEST_F(StreamLogger, PrintsEntriesIfVerbose)
{
    a->add_logger(Stream::create(Logger::linop_advanced_apply_started_mask, os, true));
    const auto alpha = spruce::initialize<Dense>({2.0}, exec);
    const auto beta = spruce::initialize<Dense>({3.0}, exec);

    a->apply(alpha, b, beta, x);

    const auto text = os.str();
    EXPECT_EQ(text.substr(text.find('\n') + 1),
              "A = [\n1\t2\n3\t4.5\n]\n"
              "alpha = [\n2\n]\n"
              "b = [\n1\n1\n]\n"
              "beta = [\n3\n]\n"
              "x = [\n0\n0\n]\n");
}

TEST_F(StreamLogger, UsesTheFormatOfItsStream)
{
    os << std::scientific << std::setprecision(2);
    b->fill(0.125);
    a->add_logger(Stream::create(Logger::linop_apply_started_mask, os, true));

    a->apply(b, x);

    EXPECT_TRUE(contains("b = [\n1.25e-01\n1.25e-01\n]\n")) << os.str();
}

TEST_F(StreamLogger, DoesNotLogItself)
{
    // Printing the entries clones the operands, which causes more events on the executor and the
    // objects.
    const std::shared_ptr<Stream> logger = Stream::create(Logger::all_events_mask, os, true);
    exec->add_logger(logger);
    a->add_logger(logger);

    a->apply(b, x);

    EXPECT_TRUE(contains("apply started"));
    EXPECT_FALSE(contains("create started")) << os.str();
    EXPECT_FALSE(contains("allocation started")) << os.str();
}

TEST_F(StreamLogger, PrintsObjectsAndFactories)
{
    const std::shared_ptr<Stream> logger = Stream::create(Logger::all_events_mask, os);
    const auto factory = spruce::solver::Cg<>::build().with_criteria(spruce::stop::Iteration::build()).on(exec);
    factory->add_logger(logger);
    a->add_logger(logger);

    factory->generate(a->clone());
    const auto other = a->clone();
    a->copy_from(other);
    a->move_from(other);
    a.reset();

    for (const auto part :
         {"generate started for LinOpFactory[spruce::solver::Cg<double>::Factory,",
          "produced LinOp[spruce::solver::Cg<double>,", " create started on ", " create completed from ",
          " copy started to ", " copy completed to ", " move started to ", " move completed to ", " deleted on "}) {
        EXPECT_TRUE(contains(part)) << part << " in\n" << os.str();
    }
}

TEST_F(StreamLogger, PrintsTheCourseOfASolve)
{
    const auto criterion = spruce::share(spruce::stop::Iteration::build().with_max_iters(1).on(exec));
    const auto solver = spruce::solver::Cg<>::build().with_criteria(criterion).on(exec)->generate(
        spruce::initialize<Dense>({{2.0, 1.0}, {1.0, 2.0}}, exec));
    const std::shared_ptr<Stream> logger = Stream::create(Logger::all_events_mask, os);
    solver->add_logger(logger);
    criterion->add_logger(logger);

    solver->apply(b, x);

    for (const auto part :
         {"check started for Criterion[spruce::stop::Iteration,", " at iteration 0 with ID 1 and finalized set to 1",
          ": one changed 1, all stopped 1", "iteration 0 completed with solver LinOp[spruce::solver::Cg<double>,",
          "iteration 1 completed", ": stopped 0", ": stopped 1"}) {
        EXPECT_TRUE(contains(part)) << part << " in\n" << os.str();
    }
}

TEST_F(StreamLogger, ShowsMissingOperands)
{
    const auto logger = Stream::create(Logger::all_events_mask, os, true);
    const spruce::LinOp* none{};

    logger->on<Logger::iteration_complete>(none, spruce::size_type{3}, none, none, none);

    EXPECT_TRUE(contains("iteration 3 completed with solver LinOp[nullptr] with right-hand side LinOp[nullptr]"))
        << os.str();
}

TEST_F(StreamLogger, HasOlderFormsOfCreate)
{
    a->add_logger(Stream::create(exec, Logger::linop_events_mask, os));
    EXPECT_NE(Stream::create(), nullptr);
    EXPECT_NE(Stream::create(exec), nullptr);

    a->apply(b, x);

    EXPECT_TRUE(contains("apply completed"));
}

}  // namespace
