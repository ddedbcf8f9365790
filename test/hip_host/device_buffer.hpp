// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hip/hip_runtime.h>

/// Owns an array in device memory.
template <typename T>
class Buffer {
public:
    explicit Buffer(std::size_t size) : size_{size} { EXPECT_EQ(hipMalloc(&data_, size * sizeof(T)), hipSuccess); }
    explicit Buffer(const std::vector<T>& host) : Buffer(host.size())
    {
        EXPECT_EQ(hipMemcpy(data_, host.data(), size_ * sizeof(T), hipMemcpyHostToDevice), hipSuccess);
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { EXPECT_EQ(hipFree(data_), hipSuccess); }

    T* get() const { return data_; }

    std::vector<T> host() const
    {
        std::vector<T> result(size_);
        EXPECT_EQ(hipMemcpy(result.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost), hipSuccess);
        return result;
    }

private:
    T* data_{};
    std::size_t size_;
};

/// Expects that no error remains, and restores the forward schedule.
class HipHost : public ::testing::Test {
protected:
    void TearDown() override
    {
        EXPECT_EQ(hipGetLastError(), hipSuccess) << hip_host::last_error_message();
        hip_host::set_schedule("forward");
    }

    /// Returns the message of the last launch, which has failed.
    static std::string failure()
    {
        EXPECT_EQ(hipPeekAtLastError(), hipErrorLaunchFailure);
        EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
        EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
        return hip_host::last_error_message();
    }
};

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
