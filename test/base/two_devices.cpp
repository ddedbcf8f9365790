// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests several devices: two simulated ones, or all CUDA and HIP devices together.

#include <cstdlib>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::clone;
using spruce::dim;
using Csr = spruce::matrix::Csr<double, spruce::int32>;
using Dense = spruce::matrix::Dense<double>;

/// Sets the number of simulated devices to two before a runtime is initialized.
const bool are_two = setenv("SPRUCE_HIP_HOST_DEVICES", "2", 1) == 0;

class TwoDevices : public ::testing::Test {
protected:
    TwoDevices()
    {
        this->add_devices<spruce::CudaExecutor>();
        this->add_devices<spruce::HipExecutor>();
    }

    void SetUp() override
    {
        ASSERT_TRUE(are_two);
        if (devices.size() < 2) {
            GTEST_SKIP() << "there are not two devices";
        }
    }

    /// Calls a function with each pair of different devices.
    template <typename Function>
    void for_each_pair(Function function)
    {
        for (const auto& first : devices) {
            for (const auto& second : devices) {
                if (first != second) {
                    SCOPED_TRACE(first->get_description() + " and " + second->get_description());
                    function(first, second);
                }
            }
        }
    }

    std::vector<std::shared_ptr<spruce::Executor>> devices;
    std::shared_ptr<spruce::Executor> ref{spruce::ReferenceExecutor::create()};

private:
    template <typename Exec>
    void add_devices()
    {
        for (int id = 0; id < Exec::get_num_devices(); ++id) {
            devices.push_back(Exec::create(id, ref));
        }
    }
};

TEST_F(TwoDevices, AreSimulatedWhereTheHostPlatformIs)
{
    if (spruce::HipExecutor::get_num_devices() == 0 ||
        spruce::HipExecutor::create(0, ref)->get_gpu_properties().architecture != "host") {
        GTEST_SKIP() << "HIP has no simulated device";
    }
    EXPECT_EQ(spruce::HipExecutor::get_num_devices(), 2);
    EXPECT_EQ(spruce::HipExecutor::create(1, ref)->get_device_id(), 1);
}

TEST_F(TwoDevices, DoNotUseEachOthersMemory)
{
    this->for_each_pair([](auto first, auto second) {
        EXPECT_FALSE(first->memory_accessible(second));
        EXPECT_FALSE(first->is_equivalent_to(second.get()));
    });
}

TEST_F(TwoDevices, CopyFromOneToTheOther)
{
    const std::vector<int> values{1, 2, 3, 4, 5};
    this->for_each_pair([&](auto first, auto second) {
        auto source = std::make_unique<spruce::array<int>>(first, values.begin(), values.end());
        const auto before = second->get_counters();

        const spruce::array<int> copy{second, *source};
        source->fill(-1);
        source.reset();

        EXPECT_EQ(copy.copy_to_host(), values);
        EXPECT_EQ((second->get_counters() - before).allocated_bytes, values.size() * sizeof(int));
    });
}

TEST_F(TwoDevices, CopyOnTheirStreamsToo)
{
    if (spruce::HipExecutor::get_num_devices() < 2) {
        GTEST_SKIP() << "HIP has not two devices";
    }
    const spruce::hip_stream first_stream{0};
    const spruce::hip_stream second_stream{1};
    const std::shared_ptr<spruce::Executor> first = spruce::HipExecutor::create(0, ref, nullptr, first_stream.get());
    const std::shared_ptr<spruce::Executor> second = spruce::HipExecutor::create(1, ref, nullptr, second_stream.get());
    const auto x = Dense::create(first, dim<2>{1000, 1});

    x->fill(2.0);
    const auto y = clone(second, x);
    y->scale(spruce::initialize<Dense>({3.0}, second));
    x->copy_from(y);

    EXPECT_EQ(clone(ref, x)->at(999, 0), 6.0);
    EXPECT_EQ(x->get_executor(), first);
}

TEST_F(TwoDevices, HoldTheSameMatrixAfterItWasCopied)
{
    this->for_each_pair([](auto first, auto second) {
        const auto a = spruce::initialize<Csr>({{1.0, 0.0, 2.0}, {0.0, 3.0, 0.0}}, first);

        const auto b = clone(second, a);
        const auto moved = Csr::create(second);
        moved->move_from(clone(first, a));

        EXPECT_EQ(b->get_executor(), second);
        EXPECT_MTX_NEAR(b, a, 0.0);
        EXPECT_MTX_NEAR(moved, a, 0.0);
    });
}

TEST_F(TwoDevices, TakeOperandsFromEachOther)
{
    this->for_each_pair([](auto first, auto second) {
        const auto a = spruce::initialize<Csr>({{1.0, 2.0}, {3.0, 4.0}}, first);
        const auto b = spruce::initialize<Dense>({1.0, 1.0}, second);
        const auto x = spruce::initialize<Dense>({9.0, 9.0}, second);
        const auto scalar = spruce::initialize<Dense>({2.0}, second);
        const auto before = first->get_counters();

        a->apply(b, x);
        EXPECT_GT((first->get_counters() - before).copies, 0u);
        EXPECT_MTX_NEAR(x, spruce::initialize<Dense>({3.0, 7.0}, first), 0.0);
        a->apply(scalar, b, scalar, x);
        EXPECT_MTX_NEAR(x, spruce::initialize<Dense>({12.0, 28.0}, first), 0.0);

        EXPECT_EQ(x->get_executor(), second);
    });
}

TEST_F(TwoDevices, WorkInTurns)
{
    this->for_each_pair([](auto first, auto second) {
        const auto x = Dense::create(first, dim<2>{100, 1});
        const auto y = Dense::create(second, dim<2>{100, 1});
        const auto first_result = Dense::create(first, dim<2>{1, 1});
        const auto second_result = Dense::create(second, dim<2>{1, 1});

        x->fill(1.0);
        y->fill(2.0);
        x->compute_dot(x, first_result);
        y->compute_dot(y, second_result);

        EXPECT_MTX_NEAR(first_result, spruce::initialize<Dense>({100.0}, second), 0.0);
        EXPECT_MTX_NEAR(second_result, spruce::initialize<Dense>({400.0}, first), 0.0);
    });
}

}  // namespace
