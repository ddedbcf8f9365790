// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests loggers that throw: the exceptions that callers receive, and correct results after the
// loggers are removed.

#include "test/utils/fixture.hpp"

namespace {

using spruce::dim;
using spruce::Executor;
using spruce::LinOp;
using spruce::LinOpFactory;
using spruce::Operation;
using spruce::PolymorphicObject;
using spruce::size_type;
using spruce::uintptr;
using spruce::log::Logger;
using Csr = spruce::matrix::Csr<double, int>;
using Dense = spruce::matrix::Dense<double>;

struct bomb_exploded {};

/// Throws at one of the events that it is enabled for, counted from 1.
class Bomb : public Logger {
public:
    Bomb(const mask_type& events, int when) : Logger(events), when_{when} {}

    bool needs_propagation() const override { return true; }
    bool has_exploded() const { return count_ >= when_; }

    void on_allocation_started(const Executor*, const size_type&) const override { this->tick(); }
    void on_allocation_completed(const Executor*, const size_type&, const uintptr&) const override { this->tick(); }
    void on_free_started(const Executor*, const uintptr&) const override { this->tick(); }
    void on_free_completed(const Executor*, const uintptr&) const override { this->tick(); }
    void on_copy_started(const Executor*, const Executor*, const uintptr&, const uintptr&,
                         const size_type&) const override
    {
        this->tick();
    }
    void on_copy_completed(const Executor*, const Executor*, const uintptr&, const uintptr&,
                           const size_type&) const override
    {
        this->tick();
    }
    void on_operation_launched(const Executor*, const Operation*) const override { this->tick(); }
    void on_operation_completed(const Executor*, const Operation*) const override { this->tick(); }
    void on_polymorphic_object_create_started(const Executor*, const PolymorphicObject*) const override
    {
        this->tick();
    }
    void on_polymorphic_object_create_completed(const Executor*, const PolymorphicObject*,
                                                const PolymorphicObject*) const override
    {
        this->tick();
    }
    void on_polymorphic_object_copy_started(const Executor*, const PolymorphicObject*,
                                            const PolymorphicObject*) const override
    {
        this->tick();
    }
    void on_polymorphic_object_copy_completed(const Executor*, const PolymorphicObject*,
                                              const PolymorphicObject*) const override
    {
        this->tick();
    }
    void on_polymorphic_object_move_started(const Executor*, const PolymorphicObject*,
                                            const PolymorphicObject*) const override
    {
        this->tick();
    }
    void on_polymorphic_object_move_completed(const Executor*, const PolymorphicObject*,
                                              const PolymorphicObject*) const override
    {
        this->tick();
    }
    void on_polymorphic_object_deleted(const Executor*, const PolymorphicObject*) const override { this->tick(); }
    void on_linop_apply_started(const LinOp*, const LinOp*, const LinOp*) const override { this->tick(); }
    void on_linop_apply_completed(const LinOp*, const LinOp*, const LinOp*) const override { this->tick(); }
    void on_linop_advanced_apply_started(const LinOp*, const LinOp*, const LinOp*, const LinOp*,
                                         const LinOp*) const override
    {
        this->tick();
    }
    void on_linop_advanced_apply_completed(const LinOp*, const LinOp*, const LinOp*, const LinOp*,
                                           const LinOp*) const override
    {
        this->tick();
    }
    void on_linop_factory_generate_started(const LinOpFactory*, const LinOp*) const override { this->tick(); }
    void on_linop_factory_generate_completed(const LinOpFactory*, const LinOp*, const LinOp*) const override
    {
        this->tick();
    }
    void on_criterion_check_started(const spruce::stop::Criterion*, const size_type&, const LinOp*, const LinOp*,
                                    const LinOp*, const spruce::uint8&, const bool&) const override
    {
        this->tick();
    }
    void on_criterion_check_completed(const spruce::stop::Criterion*, const size_type&, const LinOp*, const LinOp*,
                                      const LinOp*, const spruce::uint8&, const bool&,
                                      const spruce::array<spruce::stopping_status>*, const bool&,
                                      const bool&) const override
    {
        this->tick();
    }
    void on_iteration_complete(const LinOp*, const size_type&, const LinOp*, const LinOp*, const LinOp*) const override
    {
        this->tick();
    }

private:
    void tick() const
    {
        if (++count_ == when_) {
            throw bomb_exploded{};
        }
    }

    int when_;
    mutable int count_{};
};

struct event {
    const char* name;
    Logger::mask_type mask;
    bool is_caught;  ///< exceptions of its handlers do not reach the caller
};

const event events[]{
    {"allocation_started", Logger::allocation_started_mask, false},
    {"allocation_completed", Logger::allocation_completed_mask, false},
    {"free_started", Logger::free_started_mask, true},
    {"free_completed", Logger::free_completed_mask, true},
    {"copy_started", Logger::copy_started_mask, false},
    {"copy_completed", Logger::copy_completed_mask, false},
    {"operation_launched", Logger::operation_launched_mask, false},
    {"operation_completed", Logger::operation_completed_mask, true},
    {"polymorphic_object_create_started", Logger::polymorphic_object_create_started_mask, false},
    {"polymorphic_object_create_completed", Logger::polymorphic_object_create_completed_mask, false},
    {"polymorphic_object_copy_started", Logger::polymorphic_object_copy_started_mask, false},
    {"polymorphic_object_copy_completed", Logger::polymorphic_object_copy_completed_mask, false},
    {"polymorphic_object_move_started", Logger::polymorphic_object_move_started_mask, false},
    {"polymorphic_object_move_completed", Logger::polymorphic_object_move_completed_mask, false},
    {"polymorphic_object_deleted", Logger::polymorphic_object_deleted_mask, true},
    {"linop_apply_started", Logger::linop_apply_started_mask, false},
    {"linop_apply_completed", Logger::linop_apply_completed_mask, false},
    {"linop_advanced_apply_started", Logger::linop_advanced_apply_started_mask, false},
    {"linop_advanced_apply_completed", Logger::linop_advanced_apply_completed_mask, false},
    {"linop_factory_generate_started", Logger::linop_factory_generate_started_mask, false},
    {"linop_factory_generate_completed", Logger::linop_factory_generate_completed_mask, false},
    {"criterion_check_started", Logger::criterion_check_started_mask, false},
    {"criterion_check_completed", Logger::criterion_check_completed_mask, false},
    {"iteration_complete", Logger::iteration_complete_mask, false},
};

/// Returns tridiag(-1, 4, -1) with 8 rows.
spruce::matrix_data<double, int> tridiagonal()
{
    spruce::matrix_data<double, int> data{dim<2>{8, 8}};
    for (int row = 0; row < 8; ++row) {
        if (row > 0) {
            data.nonzeros.emplace_back(row, row - 1, -1.0);
        }
        data.nonzeros.emplace_back(row, row, 4.0);
        if (row < 7) {
            data.nonzeros.emplace_back(row, row + 1, -1.0);
        }
    }
    return data;
}

class ThrowingLoggers : public ::testing::Test {
protected:
    ThrowingLoggers() { a->read(tridiagonal()); }

    /// Runs work(x), which writes its result to x, with a logger that throws at the n-th event of
    /// each kind. n increases up to the number of events, on devices in larger steps. Then runs
    /// work(x) without the logger. Expects the right result, no leaked memory and no current
    /// operation.
    template <typename Work>
    void expect_unharmed_by_exceptions(const Work& make_work)
    {
        const auto stride = exec == exec->get_master() ? 1 : 17;  // a simulated device is slow
        const auto expected = Dense::create(exec);
        {
            const auto work = make_work();
            work(expected);
        }
        for (const auto& [name, mask, is_caught] : events) {
            auto num_events = 0;
            for (auto when = 1;; when += stride) {
                SCOPED_TRACE(std::string(name) + " number " + std::to_string(when));
                const auto x = Dense::create(exec);
                const auto before = exec->get_counters();
                const auto caught_before = Logger::get_num_caught_exceptions();
                auto has_thrown = false;
                auto has_exploded = false;
                {
                    const auto work = make_work();
                    const auto y = Dense::create(exec);
                    const auto bomb = std::make_shared<Bomb>(mask, when);
                    exec->add_logger(bomb);
                    try {
                        work(y);
                    } catch (const bomb_exploded&) {
                        has_thrown = true;
                    }
                    exec->remove_logger(bomb);
                    has_exploded = bomb->has_exploded();
                    EXPECT_EQ(has_thrown, has_exploded && !is_caught);
                    EXPECT_EQ(Logger::get_num_caught_exceptions() - caught_before, has_exploded && is_caught ? 1 : 0);
                    EXPECT_STREQ(Executor::get_current_operation_name(), "");
                    work(x);
                    EXPECT_MTX_NEAR(x, expected, 1e-13);  // some ten additions, in another order after a restart
                }
                x->clear();
                const auto after = exec->get_counters() - before;
                EXPECT_EQ(after.allocations, after.frees);
                if (!has_exploded || HasFailure()) {
                    break;
                }
                ++num_events;
            }
            RecordProperty(name, num_events);
        }
    }

    std::shared_ptr<Executor> exec{spruce::test::test_executor()};
    std::shared_ptr<Csr> a{Csr::create(exec)};
    std::shared_ptr<Dense> b{spruce::initialize<Dense>({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}, exec)};
    std::shared_ptr<Dense> two{spruce::initialize<Dense>({2.0}, exec)};
};

TEST_F(ThrowingLoggers, DoNotHarmProducts)
{
    this->expect_unharmed_by_exceptions([&] {
        return [&](const auto& x) {
            x->copy_from(Dense::create(exec, dim<2>{8, 1}));
            x->fill(1.0);
            a->apply(b, x);
            a->apply(two, b, two, x);
        };
    });
}

/// Assigns a matrix with as many rows and fewer entries to one of type M, while copies end with
/// exceptions.
template <typename M>
void expect_old_or_new(std::shared_ptr<Executor> exec)
{
    const auto values_of = [](const M& matrix) {
        spruce::matrix_data<double, int> data;
        matrix.write(data);
        data.remove_zeros();
        return data.nonzeros;
    };
    const auto other = M::create(exec);
    other->read(spruce::matrix_data<double, int>{dim<2>{8, 8}, {{0, 0, 5.0}, {7, 7, 6.0}}});
    const auto after = values_of(*other);
    auto has_thrown = true;
    for (auto when = 1; has_thrown; ++when) {
        SCOPED_TRACE("copy number " + std::to_string(when));
        const auto matrix = M::create(exec);
        matrix->read(tridiagonal());
        const auto before = values_of(*matrix);
        const auto bomb = std::make_shared<Bomb>(Logger::copy_started_mask, when);
        exec->add_logger(bomb);
        has_thrown = false;
        try {
            matrix->copy_from(other);
        } catch (const bomb_exploded&) {
            has_thrown = true;
        }
        exec->remove_logger(bomb);
        EXPECT_EQ(values_of(*matrix), has_thrown ? before : after);
    }
}

TEST_F(ThrowingLoggers, LeaveTheTargetsOfCopiesAsTheyWere)
{
    expect_old_or_new<Csr>(exec);
    expect_old_or_new<spruce::matrix::Coo<double, int>>(exec);
    expect_old_or_new<spruce::matrix::Ell<double, int>>(exec);
    expect_old_or_new<spruce::matrix::Sellp<double, int>>(exec);
    expect_old_or_new<spruce::matrix::Hybrid<double, int>>(exec);
    expect_old_or_new<Dense>(exec);
}

TEST_F(ThrowingLoggers, DoNotHarmCompositions)
{
    this->expect_unharmed_by_exceptions([&] {
        return [&, op = spruce::share(spruce::Composition<double>::create(a, a, a))](const auto& x) {
            x->copy_from(b);
            op->apply(b, x);
            op->apply(two, b, two, x);
        };
    });
}

TEST_F(ThrowingLoggers, DoNotHarmCombinations)
{
    this->expect_unharmed_by_exceptions([&] {
        return [&, op = spruce::share(spruce::Combination<double>::create(two, a, two, a))](const auto& x) {
            x->copy_from(b);
            op->apply(b, x);
            op->apply(two, b, two, x);
        };
    });
}

TEST_F(ThrowingLoggers, DoNotHarmConversions)
{
    this->expect_unharmed_by_exceptions([&] {
        return [&](const auto& x) {
            const auto hybrid = spruce::matrix::Hybrid<double, int>::create(exec);
            hybrid->copy_from(a);
            const auto sellp = spruce::matrix::Sellp<double, int>::create(exec);
            sellp->copy_from(hybrid);
            const auto csr = Csr::create(exec);
            csr->move_from(sellp);
            x->copy_from(b);
            csr->transpose()->apply(b, x);
        };
    });
}

TEST_F(ThrowingLoggers, DoNotHarmSolvers)
{
    this->expect_unharmed_by_exceptions([&] {
        const auto solver =
            spruce::share(spruce::solver::Cg<double>::build()
                              .with_criteria(spruce::stop::Iteration::build().with_max_iters(6u),
                                             spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-14))
                              .on(exec)
                              ->generate(a));
        return [&, solver](const auto& x) {
            const auto copy = spruce::clone(solver);
            const auto generated = spruce::solver::Gmres<double>::build()
                                       .with_criteria(spruce::stop::Iteration::build().with_max_iters(4u))
                                       .on(exec)
                                       ->generate(a);
            x->copy_from(Dense::create(exec, dim<2>{8, 1}));
            x->fill(0.0);
            generated->apply(b, x);
            copy->apply(b, x);
            solver->apply(b, x);
        };
    });
}

TEST_F(ThrowingLoggers, DoNotKeepOthersFromTheEventsOfDestructors)
{
    constexpr auto mask =
        Logger::free_started_mask | Logger::free_completed_mask | Logger::polymorphic_object_deleted_mask;
    const auto first = std::make_shared<Bomb>(mask, 1);
    const auto second = std::make_shared<Bomb>(mask, 2);
    const auto third = std::make_shared<Bomb>(mask, 4);
    for (const auto& logger : {first, second, third}) {
        exec->add_logger(logger);
    }
    const auto before = Logger::get_num_caught_exceptions();

    spruce::clone(b).reset();  // three events

    EXPECT_EQ(Logger::get_num_caught_exceptions() - before, 2);
    EXPECT_FALSE(third->has_exploded());
    exec->free(exec->alloc<char>(1));
    EXPECT_TRUE(third->has_exploded());
}

TEST_F(ThrowingLoggers, AreFollowedByTheCompletionOfAnOperation)
{
    const auto record = spruce::share(spruce::log::Record::create(Logger::operation_events_mask, 10));
    const auto bomb = std::make_shared<Bomb>(Logger::operation_launched_mask, 1);
    exec->add_logger(record);
    exec->add_logger(bomb);

    EXPECT_THROW(b->fill(1.0), bomb_exploded);

    EXPECT_EQ(record->get().operation_launched.size(), 1u);
    EXPECT_EQ(record->get().operation_completed.size(), 1u);
}

TEST_F(ThrowingLoggers, LeaveTheOuterOperationCurrent)
{
    const auto nested = [&] {
        EXPECT_THROW(b->fill(1.0), bomb_exploded);
        EXPECT_STREQ(Executor::get_current_operation_name(), "outer");
    };
    exec->add_logger(std::make_shared<Bomb>(Logger::operation_launched_mask, 2));

    exec->run("outer", nested, nested, nested, nested, nested);

    EXPECT_STREQ(Executor::get_current_operation_name(), "");
}

TEST_F(ThrowingLoggers, DoNotEndTheProgramFromRangesOfAProfile)
{
    const auto hook = spruce::log::ProfilerHook::create_custom([](const char*, auto) {},
                                                               [](const char*, auto) { throw bomb_exploded{}; });
    const auto before = Logger::get_num_caught_exceptions();

    {
        const auto range = hook->user_range("range");
    }

    EXPECT_EQ(Logger::get_num_caught_exceptions() - before, 1);
}

}  // namespace
