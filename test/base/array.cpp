// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/array.hpp>

#include <algorithm>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::int32;
using spruce::int64;
using spruce::size_type;

using vec = std::vector<int32>;

class Array : public ::testing::Test {
protected:
    std::shared_ptr<const spruce::Executor> ref{spruce::ReferenceExecutor::create()};
    std::shared_ptr<const spruce::Executor> exec{test_executor()};
    vec storage{1, 2, 3, 4, 5};
    array<int32> host_view{array<int32>::view(ref, 5, storage.data())};
};

TEST_F(Array, IsEmptyWithoutExecutorByDefault)
{
    array<int32> a;

    EXPECT_EQ(a.get_executor(), nullptr);
    EXPECT_EQ(a.get_size(), 0u);
    EXPECT_EQ(a.get_data(), nullptr);
    EXPECT_TRUE(a.copy_to_host().empty());
}

TEST_F(Array, TakesExecutorOfFirstSource)
{
    array<int32> copied;
    array<int32> moved;
    array<int64> converted;

    copied = array<int32>{exec, {1, 2}};
    moved = array<int32>{exec, {3}};
    const array<int32> source{exec, {4, 5}};
    converted = source;

    EXPECT_EQ(copied.get_executor(), exec);
    EXPECT_EQ(copied.copy_to_host(), (vec{1, 2}));
    EXPECT_EQ(moved.get_executor(), exec);
    EXPECT_EQ(moved.copy_to_host(), (vec{3}));
    EXPECT_EQ(converted.get_executor(), exec);
    EXPECT_EQ(converted.copy_to_host(), (std::vector<int64>{4, 5}));
}

TEST_F(Array, BecomesEmptyFromArrayWithoutExecutorButKeepsItsOwn)
{
    array<int32> a{exec, {1, 2}};
    array<int32> b{exec, {1, 2}};
    const array<int32> none;

    a = none;
    b = array<int32>{};

    EXPECT_EQ(a.get_size(), 0u);
    EXPECT_EQ(a.get_executor(), exec);
    EXPECT_EQ(b.get_size(), 0u);
    EXPECT_EQ(b.get_executor(), exec);
}

TEST_F(Array, IsMadeFromListsAndRanges)
{
    const std::vector<int> ints{7, 8};

    EXPECT_EQ((array<int32>{exec, {1, 2, 3}}.copy_to_host()), (vec{1, 2, 3}));
    EXPECT_EQ((array<int32>{exec, ints.begin(), ints.end()}.copy_to_host()), (vec{7, 8}));
    EXPECT_EQ((array<double>{exec, {1, 2}}.copy_to_host()), (std::vector<double>{1.0, 2.0}));  // another element type
    EXPECT_EQ((array<int32>{exec, 3}.get_size()), 3u);
    EXPECT_EQ((array<int32>{exec}.get_size()), 0u);
    EXPECT_EQ((array<int32>{exec, ints.begin(), ints.begin()}.get_size()), 0u);
}

TEST_F(Array, OwnsDataThatItIsGiven)
{
    const auto before = exec->get_counters();
    {
        array<int32> a{exec, 3, exec->alloc<int32>(3)};
        EXPECT_TRUE(a.is_owning());
    }
    const auto did = exec->get_counters() - before;
    EXPECT_EQ(did.allocations, 1u);
    EXPECT_EQ(did.frees, 1u);
}

TEST_F(Array, UsesCustomDeleterAndDoesNotCountAsOwning)
{
    int num_deletes = 0;
    {
        array<int32> a{ref, 5, storage.data(), [&](int32*) { ++num_deletes; }};
        EXPECT_FALSE(a.is_owning());
        EXPECT_EQ(num_deletes, 0);
    }
    EXPECT_EQ(num_deletes, 1);
}

TEST_F(Array, CopiesToOtherExecutors)
{
    const array<int32> here{exec, host_view};
    const array<int32> copy{here};
    const array<int32> back{ref, here};

    EXPECT_EQ(here.get_executor(), exec);
    EXPECT_EQ(copy.get_executor(), exec);
    EXPECT_NE(copy.get_const_data(), here.get_const_data());
    EXPECT_EQ(copy.copy_to_host(), storage);
    EXPECT_EQ(back.get_executor(), ref);
    EXPECT_EQ(back.copy_to_host(), storage);
}

TEST_F(Array, CopyAssignmentKeepsExecutorAndReplacesSize)
{
    array<int32> a{exec, {9}};

    a = host_view;

    EXPECT_EQ(a.get_executor(), exec);
    EXPECT_EQ(a.copy_to_host(), storage);
}

TEST_F(Array, SelfAssignmentChangesNothing)
{
    array<int32> a{exec, {1, 2}};
    auto& same = a;

    a = same;
    a = std::move(same);

    EXPECT_EQ(a.copy_to_host(), (vec{1, 2}));
}

TEST_F(Array, MoveOnOneExecutorStealsStorage)
{
    array<int32> source{exec, {1, 2}};
    const auto data = source.get_const_data();
    array<int32> target{exec, {7}};

    target = std::move(source);

    EXPECT_EQ(target.get_const_data(), data);
    EXPECT_EQ(target.get_size(), 2u);
    EXPECT_EQ(source.get_size(), 0u);
    EXPECT_EQ(source.get_executor(), exec);
    source = target;  // usable again
    EXPECT_EQ(source.copy_to_host(), (vec{1, 2}));
}

TEST_F(Array, MoveStealsViewsToo)
{
    array<int32> target{ref};

    target = std::move(host_view);

    EXPECT_EQ(target.get_data(), storage.data());
    EXPECT_FALSE(target.is_owning());
    EXPECT_EQ(host_view.get_size(), 0u);
    EXPECT_TRUE(host_view.is_owning());
}

TEST_F(Array, MoveAcrossExecutorsCopiesAndEmptiesTheSource)
{
    array<int32> source{ref, {1, 2}};
    array<int32> target{exec, {7}};

    target = std::move(source);

    EXPECT_EQ(target.copy_to_host(), (vec{1, 2}));
    EXPECT_EQ(target.get_executor(), exec);
    EXPECT_EQ(source.get_size(), 0u);
}

TEST_F(Array, AViewIsZeroCopy)
{
    host_view.get_data()[1] = 22;

    EXPECT_EQ(storage[1], 22);
    EXPECT_FALSE(host_view.is_owning());
    EXPECT_EQ(spruce::make_array_view(ref, 2, storage.data()).get_data(), storage.data());
    EXPECT_EQ(host_view.as_view().get_data(), storage.data());
}

TEST_F(Array, AViewKeepsItsSizeAndMemoryWhenAssigned)
{
    host_view = array<int32>{exec, {7, 8}};

    EXPECT_EQ(host_view.get_size(), 5u);
    EXPECT_EQ(storage, (vec{7, 8, 3, 4, 5}));
    EXPECT_FALSE(host_view.is_owning());
}

TEST_F(Array, AViewRefusesWhatDoesNotFitAndStaysAsItWas)
{
    const array<int32> longer{exec, {1, 1, 1, 1, 1, 1}};
    const array<int64> longer_converted{exec, {1, 1, 1, 1, 1, 1}};

    EXPECT_THROW_WITH(host_view = longer, spruce::OutOfBoundsError, "index 6 is not below the bound 5");
    EXPECT_THROW(host_view = longer_converted, spruce::OutOfBoundsError);
    EXPECT_EQ(storage, (vec{1, 2, 3, 4, 5}));
}

TEST_F(Array, AConvertedArrayFillsTheFrontOfAView)
{
    host_view = array<int64>{exec, {7, 8}};

    EXPECT_EQ(storage, (vec{7, 8, 3, 4, 5}));
    EXPECT_EQ(host_view.get_size(), 5u);
}

TEST_F(Array, ConvertsElementByElement)
{
    array<int64> longs{exec};

    longs = host_view;
    EXPECT_EQ(longs.copy_to_host(), (std::vector<int64>{1, 2, 3, 4, 5}));
    EXPECT_EQ(longs.get_executor(), exec);

    array<float> floats{exec};
    floats = array<double>{ref, {0.5, -2.0}};
    EXPECT_EQ(floats.copy_to_host(), (std::vector<float>{0.5f, -2.0f}));
}

TEST_F(Array, ConstViewsCanBeCopiedOnly)
{
    const auto view = spruce::make_const_array_view(ref, 5, storage.data());
    array<int32> assigned{exec};

    assigned = view;

    EXPECT_EQ(view.get_const_data(), storage.data());
    EXPECT_EQ(view.get_size(), 5u);
    EXPECT_EQ(view.get_executor(), ref);
    EXPECT_FALSE(view.is_owning());
    EXPECT_EQ(assigned.copy_to_host(), storage);
    EXPECT_EQ(view.copy_to_array().copy_to_host(), storage);
    EXPECT_EQ(host_view.as_const_view().get_const_data(), storage.data());
    static_assert(!std::is_copy_constructible_v<decltype(array<int32>::const_view(ref, 5, storage.data()))>);
    auto source = array<int32>::const_view(ref, 5, storage.data());
    const auto moved = std::move(source);
    EXPECT_EQ(moved.get_size(), 5u);
    EXPECT_EQ(source.get_size(), 0u);
}

TEST_F(Array, ResizeForgetsContentsUnlessTheSizeIsTheSame)
{
    array<int32> a{exec, {1, 2, 3}};
    const auto before = exec->get_counters();

    a.resize_and_reset(3);
    EXPECT_EQ(a.copy_to_host(), (vec{1, 2, 3}));
    EXPECT_EQ((exec->get_counters() - before).allocations, 0u);

    a.resize_and_reset(70);
    EXPECT_EQ(a.get_size(), 70u);
    a.fill(5);
    EXPECT_EQ(a.copy_to_host(), vec(70, 5));

    a.resize_and_reset(0);
    EXPECT_EQ(a.get_size(), 0u);
}

TEST_F(Array, ResizeNeedsOwnershipAndAnExecutor)
{
    array<int32> none;

    EXPECT_THROW_WITH(host_view.resize_and_reset(3), spruce::NotSupported, "a view");
    EXPECT_THROW_WITH(none.resize_and_reset(3), spruce::NotSupported, "without an executor");
    EXPECT_NO_THROW(host_view.resize_and_reset(5));
    EXPECT_EQ(host_view.get_size(), 5u);
}

TEST_F(Array, KeepsItsStateWhenMemoryRunsOut)
{
    array<char> a{exec, 3};
    a.fill('x');
    constexpr auto terabytes = size_type{1} << 50;

    EXPECT_THROW(a.resize_and_reset(terabytes), spruce::AllocationError);

    EXPECT_EQ(a.copy_to_host(), (std::vector<char>{'x', 'x', 'x'}));
}

TEST_F(Array, FillsElementsOfAnyTypeOfOneByte)
{
    spruce::stopping_status stopped;
    stopped.converge(3);
    array<spruce::stopping_status> statuses{exec, 70};
    array<bool> flags{exec, 70};

    statuses.fill(stopped);
    flags.fill(true);

    EXPECT_EQ(statuses.copy_to_host(), std::vector<spruce::stopping_status>(70, stopped));
    EXPECT_EQ(flags.copy_to_host(), std::vector<bool>(70, true));
    flags.set_executor(ref);
    EXPECT_EQ(std::count(flags.get_const_data(), flags.get_const_data() + 70, true), 70);
}

TEST_F(Array, CopiesBoolsToTheHost)
{
    const array<bool> flags{exec, {true, false, true}};

    EXPECT_EQ(flags.copy_to_host(), (std::vector<bool>{true, false, true}));
    EXPECT_TRUE(array<bool>{}.copy_to_host().empty());
    EXPECT_TRUE(array<bool>{exec}.copy_to_host().empty());
}

TEST_F(Array, SetExecutorMovesElements)
{
    array<int32> a{ref, {1, 2, 3}};
    const auto data = a.get_const_data();

    a.set_executor(ref);
    EXPECT_EQ(a.get_const_data(), data);

    a.set_executor(exec);
    EXPECT_EQ(a.get_executor(), exec);
    EXPECT_EQ(a.copy_to_host(), (vec{1, 2, 3}));
    EXPECT_TRUE(a.is_owning());

    host_view.set_executor(exec);
    EXPECT_TRUE(host_view.is_owning());
    EXPECT_EQ(host_view.copy_to_host(), storage);
}

TEST_F(Array, ClearGivesMemoryBack)
{
    array<int32> a{exec, {1, 2, 3}};
    const auto before = exec->get_counters();

    a.clear();

    EXPECT_EQ(a.get_size(), 0u);
    EXPECT_EQ(a.get_executor(), exec);
    EXPECT_EQ((exec->get_counters() - before).frees, 1u);
}

TEST_F(Array, MovedFromAViewOfItsOwnMemoryCopiesIt)
{
    array<int32> a{exec, {1, 2, 3}};

    a = array<int32>::view(exec, 2, a.get_data() + 1);

    EXPECT_TRUE(a.is_owning());
    EXPECT_EQ(a.copy_to_host(), (vec{2, 3}));
    a = a.as_view();
    EXPECT_EQ(a.copy_to_host(), (vec{2, 3}));
}

TEST_F(Array, FillAndSumOfNothing)
{
    array<double> a{exec};

    a.fill(3.0);

    EXPECT_EQ(reduce_add(a), 0.0);
    EXPECT_EQ(reduce_add(a, 2.0), 2.0);
}

TEST_F(Array, SumNeedsOneElementForTheResult)
{
    const array<double> a{exec, {1.0, 2.0}};
    array<double> two{exec, 2};

    EXPECT_THROW(reduce_add(a, two), spruce::ValueMismatch);
}

TEST_F(Array, OfElementsNeedsAnExecutor)
{
    const std::shared_ptr<const spruce::Executor> none;
    const std::vector<double> values{1.0, 2.0};
    array<double> result{exec, {1.0}};

    EXPECT_THROW_WITH((array<double>{none, 3}), spruce::NotSupported, "null");
    EXPECT_THROW_WITH((array<double>{none, values.begin(), values.end()}), spruce::NotSupported, "null");
    EXPECT_THROW_WITH((array<double>{none, {1.0, 2.0}}), spruce::NotSupported, "null");
    EXPECT_EQ((array<double>{none, 0}).get_size(), 0u);
    EXPECT_THROW_WITH(reduce_add(array<double>{}), spruce::NotSupported, "null");
    EXPECT_THROW_WITH(reduce_add(array<double>{}, result), spruce::NotSupported, "null");
    EXPECT_EQ(result.copy_to_host(), std::vector<double>{1.0});
}

}  // namespace
