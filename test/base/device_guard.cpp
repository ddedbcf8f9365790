// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the current device while guards are created, moved and destroyed.

#include <gtest/gtest.h>

#include "test/base/idle_runtime.hpp"

namespace {

using guard = spruce::scoped_device_id_guard;

/// Implements a runtime that only tracks the current device.
class Devices final : public spruce::test::IdleRuntime {
public:
    int current{};

    int exchange_device(int device) noexcept override { return std::exchange(current, device); }
};

class DeviceGuard : public ::testing::Test {
protected:
    Devices devices;
    Devices others;
};

TEST_F(DeviceGuard, EndsWithTheDeviceBefore)
{
    {
        const guard outer{&devices, 2};
        EXPECT_EQ(devices.current, 2);
        {
            const guard inner{&devices, 1};
            EXPECT_EQ(devices.current, 1);
        }
        EXPECT_EQ(devices.current, 2);
    }
    EXPECT_EQ(devices.current, 0);
}

TEST_F(DeviceGuard, ChangesNothingIfItIsEmpty)
{
    {
        guard first;
        guard second{std::move(first)};
        first = std::move(second);
        first = guard{};
    }
    EXPECT_EQ(devices.current, 0);
}

TEST_F(DeviceGuard, HandsItsTaskOn)
{
    {
        guard last;
        {
            guard first{&devices, 2};
            guard second{std::move(first)};
            last = std::move(second);
            EXPECT_EQ(devices.current, 2);
        }
        EXPECT_EQ(devices.current, 2);
    }
    EXPECT_EQ(devices.current, 0);
}

TEST_F(DeviceGuard, IsReplacedByALaterOne)
{
    {
        guard outer{&devices, 2};
        outer = guard{&devices, 1};
        EXPECT_EQ(devices.current, 1);
        outer = guard{&devices, 2};
        EXPECT_EQ(devices.current, 2);
    }
    EXPECT_EQ(devices.current, 0);
}

TEST_F(DeviceGuard, IsReplacedByAnEarlierOne)
{
    {
        guard outer{&devices, 2};
        guard inner{&devices, 1};
        inner = std::move(outer);
        EXPECT_EQ(devices.current, 2);
    }
    EXPECT_EQ(devices.current, 0);
}

TEST_F(DeviceGuard, IsReplacedByOneOfAnotherRuntime)
{
    {
        guard outer{&devices, 2};
        outer = guard{&others, 1};
        EXPECT_EQ(devices.current, 0);
        EXPECT_EQ(others.current, 1);
        outer = guard{};
        EXPECT_EQ(others.current, 0);
    }
    EXPECT_EQ(devices.current, 0);
}

TEST_F(DeviceGuard, StaysAsItIsIfItIsAssignedToItself)
{
    {
        guard only{&devices, 2};
        auto& same = only;
        only = std::move(same);
        EXPECT_EQ(devices.current, 2);
    }
    EXPECT_EQ(devices.current, 0);
}

}  // namespace
