// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/profiler_hook.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <spruce/matrix/dense.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/stop/iteration.hpp>

namespace {

using namespace std::chrono_literals;
using spruce::dim;
using spruce::log::profile_event_category;
using spruce::log::ProfilerHook;

using Dense = spruce::matrix::Dense<double>;
using strings = std::vector<std::string>;
using nanoseconds = std::chrono::nanoseconds;

const char* to_string(profile_event_category category)
{
    constexpr const char* names[] = {"memory", "operation", "object", "linop",   "factory",
                                     "solver", "criterion", "user",   "internal"};
    return names[static_cast<int>(category)];
}

class Hook : public ::testing::Test {
protected:
    std::shared_ptr<ProfilerHook> create_tracing()
    {
        return ProfilerHook::create_custom(
            [this](const char* name, auto category) {
                trace.push_back(std::string("begin ") + to_string(category) + ' ' + name);
            },
            [this](const char* name, auto category) {
                trace.push_back(std::string("end ") + to_string(category) + ' ' + name);
            });
    }

    /// Returns true if each range ends before the range that contains it.
    bool is_nested() const
    {
        strings stack;
        for (const auto& line : trace) {
            if (line.substr(0, 5) == "begin") {
                stack.push_back(line.substr(5));
            } else if (stack.empty() || stack.back() != line.substr(3)) {
                return false;
            } else {
                stack.pop_back();
            }
        }
        return stack.empty();
    }

    auto count(const std::string& line) const { return std::count(trace.begin(), trace.end(), line); }

    strings trace;  // declared first: loggers use it until the last object is destroyed
    std::shared_ptr<spruce::Executor> exec = spruce::ReferenceExecutor::create();
    std::unique_ptr<Dense> a = spruce::initialize<Dense>({{2.0, 1.0}, {1.0, 2.0}}, exec);
    std::unique_ptr<Dense> b = spruce::initialize<Dense>({1.0, 2.0}, exec);
    std::unique_ptr<Dense> x = spruce::initialize<Dense>({0.0, 0.0}, exec);
};

TEST_F(Hook, AsksForPropagation) { EXPECT_TRUE(this->create_tracing()->needs_propagation()); }

TEST_F(Hook, TurnsExecutorEventsIntoRanges)
{
    exec->add_logger(this->create_tracing());
    const auto work = [&] { trace.emplace_back("work"); };
    const auto nothing = [] {};

    const auto data = exec->alloc<int>(1);
    exec->copy(1, data, data);
    exec->run("mine", work, nothing, nothing, nothing, nothing);
    exec->free(data);

    EXPECT_EQ(trace,
              (strings{"begin memory allocate", "end memory allocate", "begin memory copy", "end memory copy",
                       "begin operation mine", "work", "end operation mine", "begin memory free", "end memory free"}));
}

TEST_F(Hook, HasEachEventOfAnObjectOnTheExecutorOnce)
{
    const auto hook = this->create_tracing();
    hook->set_object_name(b, "b");
    hook->set_object_name(x, "x");
    exec->add_logger(hook);

    x->copy_from(b);

    EXPECT_TRUE(this->is_nested());
    EXPECT_EQ(this->count("begin object copy(b,x)"), 1);
    EXPECT_EQ(this->count("begin memory copy"), 1);
}

TEST_F(Hook, NamesObjectsByTypeOrAsTold)
{
    const auto hook = this->create_tracing();
    a->add_logger(hook);
    x->add_logger(hook);

    a->apply(b, x);
    hook->set_object_name(a, "stiffness");
    a->apply(b, x);
    x->copy_from(b);

    EXPECT_EQ(trace, (strings{"begin linop apply(spruce::matrix::Dense<double>)",
                              "end linop apply(spruce::matrix::Dense<double>)", "begin linop apply(stiffness)",
                              "end linop apply(stiffness)",
                              "begin object copy(spruce::matrix::Dense<double>,spruce::matrix::Dense<double>)",
                              "end object copy(spruce::matrix::Dense<double>,spruce::matrix::Dense<double>)"}));
}

TEST_F(Hook, ForgetsNamesOfDeletedObjects)
{
    const auto hook = this->create_tracing();
    hook->set_object_name(a, "stiffness");

    // The event represents a deletion, after which another object may have the same address.
    hook->on_polymorphic_object_deleted(exec.get(), a.get());
    hook->on_linop_apply_started(a.get(), b.get(), x.get());

    EXPECT_EQ(trace, strings{"begin linop apply(spruce::matrix::Dense<double>)"});
}

TEST_F(Hook, NestsTheRangesOfASolve)
{
    const auto hook = this->create_tracing();
    const auto criterion = spruce::share(spruce::stop::Iteration::build().with_max_iters(3).on(exec));
    const auto factory = spruce::solver::Cg<>::build().with_criteria(criterion).on(exec);
    hook->set_object_name(factory, "F");
    exec->add_logger(hook);

    const auto solver = factory->generate(std::move(a));
    hook->set_object_name(solver, "S");
    hook->set_object_name(solver->get_system_matrix(), "A");
    const auto start = clone(x);
    solver->apply(b, x);
    x->copy_from(start);
    solver->apply(spruce::initialize<Dense>({1.0}, exec), b, spruce::initialize<Dense>({1.0}, exec), x);

    EXPECT_TRUE(this->is_nested());
    EXPECT_EQ(this->count("begin factory generate(F)"), 1);
    EXPECT_EQ(this->count("begin linop apply(S)"), 1);
    EXPECT_EQ(this->count("begin linop advanced_apply(S)"), 1);
    EXPECT_EQ(this->count("begin solver iteration"), 6);
    EXPECT_EQ(this->count("begin linop apply(A)"), 6);           // one in each iteration
    EXPECT_EQ(this->count("begin linop advanced_apply(A)"), 2);  // the initial residuals
    EXPECT_EQ(this->count("begin criterion check(spruce::stop::Iteration)"), 8);
}

TEST_F(Hook, EndsIterationsNotMarkedAsLast)
{
    using spruce::log::Logger;
    const auto hook = this->create_tracing();
    const spruce::LinOp* const solver = a.get();
    const spruce::LinOp* const none{};
    const spruce::LinOp* const operand = b.get();

    hook->on<Logger::linop_apply_started>(solver, operand, operand);
    hook->on<Logger::iteration_complete>(solver, spruce::size_type{0}, none, none, none);
    hook->on<Logger::iteration_complete>(solver, spruce::size_type{1}, none, none, none);
    hook->on<Logger::linop_apply_completed>(solver, operand, operand);

    EXPECT_TRUE(this->is_nested());
    EXPECT_EQ(this->count("begin solver iteration"), 2);
}

TEST_F(Hook, OpensAndClosesUserRanges)
{
    const auto hook = this->create_tracing();
    {
        auto outer = hook->user_range("outer");
        spruce::log::profiling_scope_guard moved;
        {
            const auto inner = hook->user_range("inner");
        }
        moved = std::move(outer);
        trace.emplace_back("work");
    }

    EXPECT_EQ(trace, (strings{"begin user outer", "begin user inner", "end user inner", "work", "end user outer"}));
}

/// Collects the output of a summary.
struct Results {
    std::vector<ProfilerHook::summary_entry> entries;
    ProfilerHook::nested_summary_entry root;
    int num_calls{};

    const ProfilerHook::summary_entry& operator[](const std::string& name) const
    {
        return *std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
    }
    bool has(const std::string& name) const
    {
        return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
    }
};

class Writer : public ProfilerHook::SummaryWriter, public ProfilerHook::NestedSummaryWriter {
public:
    explicit Writer(Results& results) : results_{results} {}
    void write(const std::vector<ProfilerHook::summary_entry>& entries, nanoseconds overhead) override
    {
        EXPECT_GE(overhead.count(), 0);
        results_.entries = entries;
        ++results_.num_calls;
    }
    void write_nested(const ProfilerHook::nested_summary_entry& root, nanoseconds overhead) override
    {
        EXPECT_GE(overhead.count(), 0);
        results_.root = root;
        ++results_.num_calls;
    }

private:
    Results& results_;
};

class Summary : public Hook {
protected:
    static constexpr auto pause = 2ms;

    std::shared_ptr<ProfilerHook> create(bool check_nesting = false)
    {
        return ProfilerHook::create_summary(std::make_shared<spruce::CpuTimer>(), std::make_unique<Writer>(results),
                                            check_nesting);
    }
    std::shared_ptr<ProfilerHook> create_nested(bool check_nesting = false)
    {
        return ProfilerHook::create_nested_summary(std::make_shared<spruce::CpuTimer>(),
                                                   std::make_unique<Writer>(results), check_nesting);
    }

    Results results;
};

TEST_F(Summary, IsWrittenOnceWhenTheLastOwnerIsGone)
{
    auto hook = this->create();
    exec->add_logger(hook);

    hook.reset();
    EXPECT_EQ(results.num_calls, 0);
    exec->clear_loggers();

    EXPECT_EQ(results.num_calls, 1);
    EXPECT_EQ(results["total"].count, 1);
}

TEST_F(Summary, SeparatesInclusiveFromExclusiveTime)
{
    auto hook = this->create();
    {
        const auto outer = hook->user_range("outer");
        std::this_thread::sleep_for(pause);
        for (int i = 0; i < 2; ++i) {
            const auto inner = hook->user_range("inner");
            std::this_thread::sleep_for(pause);
        }
    }
    hook.reset();

    const auto& outer = results["outer"];
    const auto& inner = results["inner"];
    EXPECT_EQ(outer.count, 1);
    EXPECT_EQ(inner.count, 2);
    EXPECT_GE(inner.inclusive, 2 * pause);
    EXPECT_EQ(inner.exclusive, inner.inclusive);
    EXPECT_GE(outer.exclusive, pause);
    EXPECT_EQ(outer.exclusive, outer.inclusive - inner.inclusive);
    EXPECT_EQ(results["total"].exclusive, results["total"].inclusive - outer.inclusive);
}

TEST_F(Summary, CountsRecursionOnceInInclusiveTime)
{
    auto hook = this->create();
    {
        const auto outer = hook->user_range("same");
        const auto inner = hook->user_range("same");
        std::this_thread::sleep_for(pause);
    }
    hook.reset();

    const auto& same = results["same"];
    EXPECT_EQ(same.count, 2);
    EXPECT_EQ(same.exclusive, same.inclusive);
    EXPECT_LE(same.inclusive, results["total"].inclusive);
}

TEST_F(Summary, ClosesRangesThatAnExceptionLeftOpen)
{
    const auto use = [&](std::shared_ptr<ProfilerHook> hook) {
        exec->add_logger(hook);
        {
            const auto range = hook->user_range("outer");
            EXPECT_THROW(a->apply(b, spruce::initialize<Dense>({1.0, 2.0, 3.0}, exec)), spruce::DimensionMismatch);
        }
        {
            const auto range = hook->user_range("next");
        }
        exec->clear_loggers();
    };

    use(this->create_nested(true));

    strings names;
    for (const auto& child : results.root.children) {
        names.push_back(child.name);
    }
    EXPECT_EQ(names, (strings{"outer", "next", "mismatched ranges"}));
    EXPECT_EQ(results.root.children[2].count, 1);
    const auto& inner = results.root.children[0].children;
    EXPECT_TRUE(std::any_of(inner.begin(), inner.end(), [](const auto& child) {
        return child.name == "apply(spruce::matrix::Dense<double>)" && child.count == 1;
    }));

    use(this->create(false));
    EXPECT_FALSE(results.has("mismatched ranges"));
}

TEST_F(Summary, IgnoresEndsOfRangesThatItDidNotSeeBegin)
{
    auto hook = this->create(true);
    const spruce::uintptr location{};

    hook->on_free_completed(exec.get(), location);
    hook.reset();

    EXPECT_EQ(results["mismatched ranges"].count, 1);
    EXPECT_FALSE(results.has("free"));
}

TEST_F(Summary, CountsManyRanges)
{
    auto hook = this->create();
    for (int i = 0; i < 5000; ++i) {
        const auto range = hook->user_range("many");
    }
    hook.reset();

    EXPECT_EQ(results["many"].count, 5000);
    EXPECT_LE(results["many"].inclusive, results["total"].inclusive);
}

TEST_F(Summary, TakesEachThreadForItself)
{
    auto hook = this->create_nested(true);
    const auto work = [&hook](const char* name) {
        for (int i = 0; i < 100; ++i) {
            const auto outer = hook->user_range(name);
            const auto inner = hook->user_range("inner");
        }
    };

    std::thread first(work, "first");
    std::thread second(work, "second");
    first.join();
    second.join();
    hook.reset();

    ASSERT_EQ(results.root.children.size(), 2u);
    for (const auto& child : results.root.children) {
        EXPECT_EQ(child.count, 100);
        ASSERT_EQ(child.children.size(), 1u);
        EXPECT_EQ(child.children[0].count, 100);
    }
}

TEST_F(Summary, KeepsNesting)
{
    auto hook = this->create_nested();
    exec->add_logger(hook);
    hook->set_object_name(a, "A");
    {
        const auto range = hook->user_range("loop");
        a->apply(b, x);
        a->apply(b, x);
    }
    exec->clear_loggers();
    hook.reset();

    ASSERT_EQ(results.root.name, "total");
    ASSERT_EQ(results.root.children.size(), 1u);
    const auto& loop = results.root.children[0];
    EXPECT_EQ(loop.name, "loop");
    ASSERT_EQ(loop.children.size(), 1u);
    const auto& apply = loop.children[0];
    EXPECT_EQ(apply.name, "apply(A)");
    EXPECT_EQ(apply.count, 2);
    ASSERT_EQ(apply.children.size(), 1u);
    EXPECT_EQ(apply.children[0].name, "dense::simple_apply");
    EXPECT_EQ(apply.children[0].count, 2);
    EXPECT_LE(apply.children[0].elapsed, apply.elapsed);
    EXPECT_LE(apply.elapsed, loop.elapsed);
}

TEST_F(Summary, MeasuresWithTheTimerOfTheExecutor)
{
    exec->add_logger(
        ProfilerHook::create_summary(spruce::Timer::create_for_executor(exec), std::make_unique<Writer>(results)));

    a->apply(b, x);
    exec->clear_loggers();

    EXPECT_EQ(results["dense::simple_apply"].count, 1);
}

TEST_F(Summary, NeedsATimer)
{
    EXPECT_THROW(ProfilerHook::create_summary(nullptr), spruce::NotSupported);
    EXPECT_EQ(results.num_calls, 0);
}

TEST(TableSummaryWriter, WritesTheLongestFirst)
{
    std::ostringstream os;
    ProfilerHook::TableSummaryWriter writer{os, "Times"};

    writer.write({{"short", 10us, 10us, 2}, {"total", 3s, 2s, 1}, {"a long name", 5ms, 2500us, 10}}, 250ns);

    EXPECT_EQ(os.str(),
              "Times\n"
              "Overhead of the profiler: 250.0 ns\n"
              "| name        |   total | total (self) | count |  average | average (self) |\n"
              "|:------------|--------:|-------------:|------:|---------:|---------------:|\n"
              "| total       |   3.0 s |        2.0 s |     1 |    3.0 s |          2.0 s |\n"
              "| a long name |  5.0 ms |       2.5 ms |    10 | 500.0 us |       250.0 us |\n"
              "| short       | 10.0 us |      10.0 us |     2 |   5.0 us |         5.0 us |\n");
}

TEST(TableSummaryWriter, IndentsNestedRanges)
{
    std::ostringstream os;
    ProfilerHook::TableSummaryWriter writer{os};

    writer.write_nested({"total", 4s, 1, {{"x", 1s, 2, {}}, {"y", 2s, 1, {}}}}, 0ns);

    EXPECT_EQ(os.str(),
              "Runtime summary\n"
              "Overhead of the profiler: 0.0 ns\n"
              "| name     | total | fraction | count |  average |\n"
              "|:---------|------:|---------:|------:|---------:|\n"
              "| total    | 4.0 s |  100.0 % |     1 |    4.0 s |\n"
              "|   y      | 2.0 s |   50.0 % |     1 |    2.0 s |\n"
              "|   x      | 1.0 s |   25.0 % |     2 | 500.0 ms |\n"
              "|   (self) | 1.0 s |   25.0 % |     1 |    1.0 s |\n");
}

TEST(ProfilerHookForTools, ExistsOrSaysThatItDoesNot)
{
    EXPECT_THROW(ProfilerHook::create_tau(), spruce::NotCompiled);
    EXPECT_THROW(ProfilerHook::create_vtune(), spruce::NotCompiled);
    for (const auto create : {&ProfilerHook::create_nvtx, &ProfilerHook::create_roctx}) {
        try {
            const auto range = create()->user_range("test");
        } catch (const spruce::NotCompiled& error) {
            EXPECT_NE(std::string(error.what()).find(".so"), std::string::npos) << error.what();
        }
    }
}

TEST(ProfilerHookForExecutor, IsASummaryOnTheHost)
{
    ::testing::internal::CaptureStderr();
    {
        const auto hook = ProfilerHook::create_for_executor(spruce::ReferenceExecutor::create());
        const auto range = hook->user_range("mine");
    }
    const auto text = ::testing::internal::GetCapturedStderr();

    EXPECT_NE(text.find("Runtime summary"), std::string::npos) << text;
    EXPECT_NE(text.find("| mine "), std::string::npos) << text;
    EXPECT_THROW(ProfilerHook::create_for_executor(nullptr), spruce::NotSupported);
}

}  // namespace
