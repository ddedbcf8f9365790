// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Which device is current while guards are created, moved and destroyed.

#include <gtest/gtest.h>

#include "core/base/device_runtime.hpp"

namespace {

using guard = spruce::scoped_device_id_guard;
using spruce::size_type;

/// A runtime that only keeps track of the current device.
class Devices final : public spruce::detail::DeviceRuntime {
public:
    int current{};

    int exchange_device(int device) noexcept override { return std::exchange(current, device); }

    int get_num_devices() noexcept override { return 3; }
    spruce::detail::device_facts get_facts(int) override { return {}; }
    int get_built_warp_size() const noexcept override { return 0; }
    void* allocate(spruce::detail::memory_kind, size_type, void*) override { return nullptr; }
    void deallocate(spruce::detail::memory_kind, void*, void*) noexcept override {}
    void copy(void*, const void*, size_type, void*) override {}
    void synchronize(void*) override {}
    void* create_stream(int) override { return nullptr; }
    void destroy_stream(int, void*) noexcept override {}
    void* create_event() override { return nullptr; }
    void destroy_event(void*) noexcept override {}
    void record_event(void*, void*) override {}
    void wait_event(void*) override {}
    double elapsed_milliseconds(void*, void*) override { return 0.0; }
    void* create_sparselib_handle(void*) override { return nullptr; }
    void destroy_sparselib_handle(void*) noexcept override {}
    void* create_blas_handle(void*) override { return nullptr; }
    void destroy_blas_handle(void*) noexcept override {}
    void* create_ticket(void*) override { return nullptr; }
    void destroy_ticket(void*) noexcept override {}
    void* begin_recording(int) override { return nullptr; }
    void* end_recording(void*, bool) override { return nullptr; }
    void replay(void*, void*) override {}
    void destroy_recording(void*) noexcept override {}
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
