// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests a machine without a GPU or without its driver: only the devices are missing, and the
// program continues.

#include <cstdlib>

#include "test/utils/fixture.hpp"

namespace {

/// Hides every device from this program before a runtime is initialized.
const bool are_hidden = [] {
    setenv("SPRUCE_HIP_HOST_DEVICES", "0", 1);
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    setenv("HIP_VISIBLE_DEVICES", "-1", 1);
    return true;
}();

using Dense = spruce::matrix::Dense<double>;

TEST(WithoutDevices, ThereAreNone)
{
    ASSERT_TRUE(are_hidden);

    EXPECT_EQ(spruce::CudaExecutor::get_num_devices(), 0);
    EXPECT_EQ(spruce::HipExecutor::get_num_devices(), 0);
    EXPECT_EQ(spruce::HipExecutor::get_num_devices(), 0);  // a second call is harmless
}

template <typename Exec, typename Exception>
void expect_says_that_there_is_no_device(bool is_compiled)
{
    const auto ref = spruce::ReferenceExecutor::create();
    if (is_compiled) {
        EXPECT_THROW_WITH(Exec::create(0, ref), Exception, "device 0 was asked for, but there are 0 devices");
        EXPECT_THROW_WITH(Exec::create(7, ref), Exception, "device 7 was asked for, but there are 0 devices");
        EXPECT_THROW(Exec::create(-1, ref), Exception);
    } else {
        EXPECT_THROW(Exec::create(0, ref), spruce::NotCompiled);
    }
}

TEST(WithoutDevices, ExecutorsSaySo)
{
    // A backend without the vendor's libraries is treated as not compiled.
    const auto can_load = [](auto make_allocator) {
        try {
            make_allocator()->allocate(1);
        } catch (const spruce::NotCompiled&) {
            return false;
        } catch (const spruce::Error&) {
        }
        return true;
    };
    expect_says_that_there_is_no_device<spruce::CudaExecutor, spruce::CudaError>(
        can_load([] { return std::make_unique<spruce::CudaAllocator>(); }));
    expect_says_that_there_is_no_device<spruce::HipExecutor, spruce::HipError>(
        can_load([] { return std::make_unique<spruce::HipAllocator>(); }));
}

TEST(WithoutDevices, MemoryAndStreamsOfDevicesCannotBeHad)
{
    EXPECT_THROW(spruce::HipAllocator().allocate(100), spruce::Error);
    EXPECT_THROW(spruce::HipUnifiedAllocator(0).allocate(100), spruce::Error);
    EXPECT_THROW(spruce::HipHostAllocator(0).allocate(100), spruce::Error);
    EXPECT_THROW(spruce::HipAsyncAllocator(nullptr).allocate(100), spruce::Error);
    EXPECT_THROW(spruce::hip_stream(0), spruce::Error);
    EXPECT_THROW(spruce::CudaAllocator().allocate(100), spruce::Error);
    EXPECT_THROW(spruce::CudaUnifiedAllocator(0).allocate(100), spruce::Error);
    EXPECT_THROW(spruce::CudaHostAllocator(0).allocate(100), spruce::Error);
    EXPECT_THROW(spruce::CudaAsyncAllocator(nullptr).allocate(100), spruce::Error);
    EXPECT_THROW(spruce::cuda_stream(0), spruce::Error);
}

TEST(WithoutDevices, TheHostWorksOn)
{
    for (const auto& exec : spruce::test::all_executors()) {
        EXPECT_FALSE(spruce::test::is_device(*exec));
        const auto a = spruce::initialize<Dense>({{1.0, 2.0}, {3.0, 4.0}}, exec);
        const auto x = spruce::initialize<Dense>({1.0, 1.0}, exec);
        const auto y = Dense::create(exec, spruce::dim<2>{2, 1});

        a->apply(x, y);

        EXPECT_MTX_NEAR(y, spruce::initialize<Dense>({3.0, 7.0}, exec), 0.0);
    }
}

}  // namespace
