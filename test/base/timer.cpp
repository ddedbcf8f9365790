// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/timer.hpp>

#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <spruce/base/executor.hpp>
#include <spruce/base/stream.hpp>

namespace {

using namespace std::chrono_literals;

constexpr auto pause = 5ms;

/// Creates the executors that exist on this machine.
std::vector<std::shared_ptr<spruce::Executor>> all_executors()
{
    const auto reference = spruce::ReferenceExecutor::create();
    std::vector<std::shared_ptr<spruce::Executor>> result{reference, spruce::OmpExecutor::create()};
    if (spruce::CudaExecutor::get_num_devices() > 0) {
        result.push_back(spruce::CudaExecutor::create(0, reference));
    }
    if (spruce::HipExecutor::get_num_devices() > 0) {
        result.push_back(spruce::HipExecutor::create(0, reference));
    }
    return result;
}

TEST(CpuTimer, MeasuresElapsedTime)
{
    spruce::CpuTimer timer;
    auto start = timer.create_time_point();
    auto stop = timer.create_time_point();

    timer.record(start);
    std::this_thread::sleep_for(pause);
    timer.record(stop);

    const auto elapsed = timer.difference(start, stop);
    EXPECT_GE(elapsed, pause);
    EXPECT_EQ(elapsed, timer.difference_async(start, stop));
    EXPECT_EQ(timer.difference(stop, start), -elapsed);
}

TEST(CpuTimer, TimePointsCanBeMoved)
{
    spruce::CpuTimer timer;
    auto start = timer.create_time_point();
    timer.record(start);
    auto stop = timer.create_time_point();
    timer.record(stop);
    const auto elapsed = timer.difference(start, stop);

    auto moved = std::move(stop);
    spruce::time_point assigned;
    assigned = std::move(moved);

    EXPECT_EQ(timer.difference(start, assigned), elapsed);
}

TEST(Timer, IsOfTheExecutorsKind)
{
    for (const auto& exec : all_executors()) {
        const auto timer = spruce::Timer::create_for_executor(exec);

        const auto which = exec->get_backend();
        EXPECT_EQ(dynamic_cast<spruce::CudaTimer*>(timer.get()) != nullptr, which == spruce::backend::cuda);
        EXPECT_EQ(dynamic_cast<spruce::HipTimer*>(timer.get()) != nullptr, which == spruce::backend::hip);
        EXPECT_EQ(dynamic_cast<spruce::CpuTimer*>(timer.get()) != nullptr,
                  which == spruce::backend::reference || which == spruce::backend::omp);
    }
}

TEST(Timer, MeasuresOnEveryExecutor)
{
    for (const auto& exec : all_executors()) {
        SCOPED_TRACE(exec->get_description());
        const auto timer = spruce::Timer::create_for_executor(exec);
        auto start = timer->create_time_point();
        auto stop = timer->create_time_point();

        timer->record(start);
        timer->wait(start);
        std::this_thread::sleep_for(pause);
        timer->record(stop);

        const auto elapsed = timer->difference(start, stop);
        EXPECT_GT(elapsed, pause / 2);  // a device's clock may have a low resolution
        EXPECT_LT(elapsed, 60s);
        EXPECT_EQ(elapsed, timer->difference_async(start, stop));
    }
}

TEST(Timer, OutlivesItsExecutor)
{
    for (auto& exec : all_executors()) {
        const auto timer = spruce::Timer::create_for_executor(exec);
        exec.reset();

        auto start = timer->create_time_point();
        timer->record(start);

        EXPECT_EQ(timer->difference(start, start), 0ns);
    }
}

TEST(Timer, ThrowsOnTimePointOfAnotherKind)
{
    spruce::CpuTimer host_timer;
    auto on_host = host_timer.create_time_point();
    for (const auto& exec : all_executors()) {
        if (exec->get_master() == exec) {
            continue;
        }
        const auto timer = spruce::Timer::create_for_executor(exec);
        auto on_device = timer->create_time_point();

        EXPECT_THROW(timer->record(on_host), spruce::InvalidStateError);
        EXPECT_THROW(timer->wait(on_host), spruce::InvalidStateError);
        EXPECT_THROW(timer->difference(on_device, on_host), spruce::InvalidStateError);
        EXPECT_THROW(host_timer.record(on_device), spruce::InvalidStateError);
        EXPECT_THROW(host_timer.difference(on_host, on_device), spruce::InvalidStateError);
    }
}

TEST(Timer, ThrowsWithoutExecutor)
{
    EXPECT_THROW(spruce::Timer::create_for_executor(nullptr), spruce::NotSupported);
    EXPECT_THROW(spruce::CudaTimer(nullptr), spruce::NotSupported);
}

/// Checks the common properties of the streams of both GPU backends.
template <typename Stream, typename Executor>
void check_stream()
{
    if (Executor::get_num_devices() == 0) {
        // Without the backend the error is NotCompiled, without a device that of the vendor's
        // library.
        EXPECT_THROW(Stream{}, spruce::Error);
        return;
    }
    Stream stream{0};
    const auto handle = stream.get();
    ASSERT_NE(handle, nullptr);

    auto moved = std::move(stream);

    EXPECT_EQ(stream.get(), nullptr);
    EXPECT_EQ(moved.get(), handle);
    const auto exec = Executor::create(0, spruce::ReferenceExecutor::create(), nullptr, moved.get());
    EXPECT_EQ(exec->get_stream(), handle);
    const auto data = exec->template alloc<int>(1);
    const int value = 4;
    exec->copy_from(exec->get_master(), 1, &value, data);
    EXPECT_EQ(exec->copy_val_to_host(data), 4);
    exec->free(data);
}

TEST(Stream, OfCudaCarriesAnExecutor) { check_stream<spruce::cuda_stream, spruce::CudaExecutor>(); }

TEST(Stream, OfHipCarriesAnExecutor) { check_stream<spruce::hip_stream, spruce::HipExecutor>(); }

}  // namespace
