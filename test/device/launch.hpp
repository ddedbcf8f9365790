// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Tests launches of the library that the runtime rejects. This file is included after the
// configuration of a backend.

#include <string>

#include <gtest/gtest.h>

#include <spruce/spruce.hpp>

#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {
namespace {

__global__ void number(int* numbers) { numbers[threadIdx.x] = static_cast<int>(threadIdx.x); }

TEST(DeviceLaunch, OfBlocksThatAreTooLargeIsRefusedAndLeavesTheExecutorUsable)
{
    constexpr int too_large = 4096;  // no device supports more than 1024 threads in a block
    const std::shared_ptr<DeviceExecutor> exec = DeviceExecutor::create(0, ReferenceExecutor::create());
    array<int> numbers{exec, warp_size};
    numbers.fill(-1);

    try {
        launch_blocks<too_large>(*exec, number, 1, numbers.get_data());
        FAIL() << "nothing was thrown";
    } catch (const device_error& error) {
        EXPECT_NE(std::string{error.what()}.find("launching "), std::string::npos) << error.what();
        EXPECT_NE(std::string{error.what()}.find(SPRUCE_GPU_ARCHITECTURES), std::string::npos) << error.what();
    }
    EXPECT_NO_THROW(exec->synchronize());
    EXPECT_EQ(numbers.copy_to_host(), std::vector<int>(warp_size, -1));

    launch_blocks<warp_size>(*exec, number, 1, numbers.get_data());
    const auto result = numbers.copy_to_host();
    for (int i = 0; i < warp_size; ++i) {
        EXPECT_EQ(result[i], i);
    }
}

}  // namespace
}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
