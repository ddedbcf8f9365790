// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/polymorphic_object.hpp>

#include <memory>
#include <vector>

#include "test/utils/fixture.hpp"

namespace {

using spruce::dim;
using spruce::PolymorphicObject;

/// Implements the smallest polymorphic class.
struct Thing : spruce::EnablePolymorphicObject<Thing>,
               spruce::EnablePolymorphicAssignment<Thing>,
               spruce::EnableCreateMethod<Thing> {
    explicit Thing(std::shared_ptr<const spruce::Executor> exec, int value = 0)
        : EnablePolymorphicObject<Thing>(std::move(exec)), value{value}
    {}
    int value;
};

/// Converts to Thing, which does not convert back.
struct Seed : spruce::EnablePolymorphicObject<Seed>, spruce::ConvertibleTo<Thing> {
    explicit Seed(std::shared_ptr<const spruce::Executor> exec, int value = 0)
        : EnablePolymorphicObject<Seed>(std::move(exec)), value{value}
    {}
    void convert_to(Thing* result) const override { result->value = value; }
    void move_to(Thing* result) override { result->value = std::exchange(value, 0); }
    int value;
};

/// Holds a member that cannot be copied, so the class has no copy assignment.
struct Owner : spruce::EnablePolymorphicObject<Owner> {
    explicit Owner(std::shared_ptr<const spruce::Executor> exec) : EnablePolymorphicObject<Owner>(std::move(exec)) {}
    std::vector<std::unique_ptr<int>> values;
};

struct event_log : spruce::log::Logger {
    void on_polymorphic_object_create_started(const spruce::Executor*, const PolymorphicObject*) const override
    {
        text += "create; ";
    }
    void on_polymorphic_object_create_completed(const spruce::Executor*, const PolymorphicObject*,
                                                const PolymorphicObject*) const override
    {
        text += "created; ";
    }
    void on_polymorphic_object_copy_started(const spruce::Executor*, const PolymorphicObject*,
                                            const PolymorphicObject*) const override
    {
        text += "copy; ";
    }
    void on_polymorphic_object_copy_completed(const spruce::Executor*, const PolymorphicObject*,
                                              const PolymorphicObject*) const override
    {
        text += "copied; ";
    }
    void on_polymorphic_object_move_started(const spruce::Executor*, const PolymorphicObject*,
                                            const PolymorphicObject*) const override
    {
        text += "move; ";
    }
    void on_polymorphic_object_move_completed(const spruce::Executor*, const PolymorphicObject*,
                                              const PolymorphicObject*) const override
    {
        text += "moved; ";
    }
    void on_polymorphic_object_deleted(const spruce::Executor*, const PolymorphicObject*) const override
    {
        text += "deleted; ";
    }
    mutable std::string text;
};

class Polymorphic : public ::testing::Test {
protected:
    std::shared_ptr<spruce::Executor> ref{spruce::ReferenceExecutor::create()};
    std::shared_ptr<spruce::Executor> omp{spruce::OmpExecutor::create()};
    std::unique_ptr<Thing> thing{Thing::create(ref, 5)};
};

TEST_F(Polymorphic, NeedsAnExecutor) { EXPECT_THROW(Thing{nullptr}, spruce::NotSupported); }

TEST_F(Polymorphic, CreateDefaultMakesAnEmptyObjectOfItsType)
{
    EXPECT_EQ(thing->create_default()->value, 0);
    EXPECT_EQ(thing->create_default()->get_executor(), ref);
    EXPECT_EQ(thing->create_default(omp)->get_executor(), omp);
}

TEST_F(Polymorphic, ClonesHereAndElsewhere)
{
    const std::unique_ptr<Thing> here = thing->clone();
    const std::unique_ptr<PolymorphicObject> there = static_cast<PolymorphicObject&>(*thing).clone(omp);

    EXPECT_EQ(here->value, 5);
    EXPECT_EQ(here->get_executor(), ref);
    EXPECT_EQ(spruce::as<Thing>(there.get())->value, 5);
    EXPECT_EQ(there->get_executor(), omp);
}

TEST_F(Polymorphic, CopiesKeepTheExecutorOfTheTarget)
{
    const auto there = Thing::create(omp, 1);
    const std::shared_ptr<const Thing> shared = Thing::create(ref, 8);

    EXPECT_EQ(there->copy_from(thing.get()), there.get());
    EXPECT_EQ(there->value, 5);
    EXPECT_EQ(there->get_executor(), omp);
    there->copy_from(shared);
    EXPECT_EQ(there->value, 8);
    there->copy_from(thing);
    EXPECT_EQ(there->value, 5);
}

TEST_F(Polymorphic, CopyOfATemporaryMoves)
{
    const auto seed = std::make_unique<Seed>(ref, 9);

    thing->copy_from(std::make_unique<Seed>(ref, 7));
    EXPECT_EQ(thing->value, 7);
    thing->move_from(seed);
    EXPECT_EQ(thing->value, 9);
    EXPECT_EQ(seed->value, 0);
}

TEST_F(Polymorphic, ConvertsWhereItCanAndSaysWhereNot)
{
    Seed seed{ref, 3};

    thing->copy_from(&seed);
    EXPECT_EQ(thing->value, 3);
    EXPECT_THROW_WITH(seed.copy_from(thing.get()), spruce::NotSupported,
                      "a conversion to (anonymous namespace)::Seed is not supported");
    EXPECT_THROW_WITH((spruce::matrix::Csr<double, spruce::int32>::create(ref)->copy_from(
                          spruce::matrix::Csr<float, spruce::int64>::create(ref))),
                      spruce::NotSupported, "a conversion to spruce::matrix::Csr<double, int> is not supported");
    EXPECT_THROW(thing->copy_from(static_cast<const PolymorphicObject*>(nullptr)), spruce::NotSupported);
    EXPECT_THROW(thing->move_from(static_cast<PolymorphicObject*>(nullptr)), spruce::NotSupported);
    EXPECT_EQ(thing->value, 3);
}

TEST_F(Polymorphic, MayHoldWhatCannotBeCopied)
{
    Owner owner{ref};
    owner.values.push_back(std::make_unique<int>(3));
    Owner other{ref};

    EXPECT_THROW_WITH(other.copy_from(&owner), spruce::NotSupported, "Owner");
    EXPECT_THROW(other.move_from(&owner), spruce::NotSupported);
    EXPECT_THROW(owner.clone(), spruce::NotSupported);
    EXPECT_EQ(owner.values.size(), 1u);
    EXPECT_TRUE(owner.create_default(omp)->values.empty());
    owner.clear();
    EXPECT_TRUE(owner.values.empty());
}

TEST_F(Polymorphic, ClearMakesItAsNew)
{
    EXPECT_EQ(thing->clear(), thing.get());
    EXPECT_EQ(thing->value, 0);
    EXPECT_EQ(thing->get_executor(), ref);
}

TEST_F(Polymorphic, TellsItsLoggers)
{
    const auto log = std::make_shared<event_log>();
    auto other = Thing::create(ref, 1);
    thing->add_logger(log);

    other->copy_from(thing);  // the target notifies, and it has no logger
    EXPECT_EQ(log->text, "");
    thing->copy_from(other);
    EXPECT_EQ(log->text, "copy; copied; ");
    log->text.clear();
    thing->move_from(other);
    EXPECT_EQ(log->text, "move; moved; ");
    log->text.clear();
    const auto copy = thing->clone();
    EXPECT_EQ(log->text, "create; created; ");
    EXPECT_TRUE(copy->get_loggers().empty());  // loggers are not copied
    log->text.clear();
    thing.reset();
    EXPECT_EQ(log->text, "deleted; ");
}

TEST_F(Polymorphic, TellsTheLoggersOfItsExecutor)
{
    const auto log = std::make_shared<event_log>();
    ref->add_logger(log);

    thing->clone();

    EXPECT_EQ(log->text, "create; created; copy; copied; deleted; ");
    ref->remove_logger(log);
}

TEST_F(Polymorphic, RemovesLoggers)
{
    const std::shared_ptr<const spruce::log::Logger> log = std::make_shared<event_log>();
    thing->add_logger(log);
    EXPECT_EQ(thing->get_loggers().size(), 1u);

    thing->remove_logger(log);
    EXPECT_TRUE(thing->get_loggers().empty());
    EXPECT_THROW(thing->remove_logger(log.get()), spruce::OutOfBoundsError);
    thing->add_logger(log);
    thing->clear_loggers();
    EXPECT_TRUE(thing->get_loggers().empty());
}

}  // namespace
