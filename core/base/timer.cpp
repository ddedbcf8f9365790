// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/timer.hpp>

#include <utility>

#include <spruce/base/executor.hpp>

#include "core/base/device_runtime.hpp"

namespace spruce {
namespace {

[[noreturn]] void throw_foreign_time_point()
{
    throw InvalidStateError(__FILE__, __LINE__, "Timer",
                            "the time point was made by a timer of another kind; use create_time_point() of this one");
}

template <typename Pointer>
auto checked(const Pointer& exec)
{
    if (!exec) {
        detail::throw_null_pointer("Timer (the executor)");
    }
    return exec.get();
}

}  // namespace

time_point::time_point(time_point&& other) noexcept
    : host_{other.host_}, runtime_{std::exchange(other.runtime_, nullptr)}, event_{std::exchange(other.event_, nullptr)}
{}

time_point& time_point::operator=(time_point&& other) noexcept
{
    std::swap(host_, other.host_);
    std::swap(runtime_, other.runtime_);
    std::swap(event_, other.event_);
    return *this;
}

time_point::~time_point()
{
    if (event_) {
        runtime_->destroy_event(event_);
    }
}

Timer::~Timer() = default;

std::unique_ptr<Timer> Timer::create_for_executor(std::shared_ptr<const Executor> exec)
{
    switch (checked(exec)->get_backend()) {
    case backend::cuda:
        return std::make_unique<CudaTimer>(std::static_pointer_cast<const CudaExecutor>(std::move(exec)));
    case backend::hip:
        return std::make_unique<HipTimer>(std::static_pointer_cast<const HipExecutor>(std::move(exec)));
    default:
        return std::make_unique<CpuTimer>();
    }
}

void CpuTimer::init_time_point(time_point&) {}

void CpuTimer::record(time_point& time)
{
    if (time.event_) {
        throw_foreign_time_point();
    }
    time.host_ = std::chrono::steady_clock::now();
}

void CpuTimer::wait(time_point& time)
{
    if (time.event_) {
        throw_foreign_time_point();
    }
}

std::chrono::nanoseconds CpuTimer::difference_async(const time_point& start, const time_point& stop)
{
    if (start.event_ || stop.event_) {
        throw_foreign_time_point();
    }
    return std::chrono::duration_cast<std::chrono::nanoseconds>(stop.host_ - start.host_);
}

namespace detail {

GpuTimer::GpuTimer(const GpuExecutor* exec)
    : runtime_{&exec->get_runtime()}, device_id_{exec->get_device_id()}, stream_{exec->get_raw_stream()}
{}

void GpuTimer::init_time_point(time_point& time)
{
    const scoped_device_id_guard guard{runtime_, device_id_};
    time.event_ = runtime_->create_event();
    time.runtime_ = runtime_;
}

void GpuTimer::check(const time_point& time) const
{
    if (time.runtime_ != runtime_) {
        throw_foreign_time_point();
    }
}

void GpuTimer::record(time_point& time)
{
    this->check(time);
    const scoped_device_id_guard guard{runtime_, device_id_};
    runtime_->record_event(time.event_, stream_);
}

void GpuTimer::wait(time_point& time)
{
    this->check(time);
    const scoped_device_id_guard guard{runtime_, device_id_};
    runtime_->wait_event(time.event_);
}

std::chrono::nanoseconds GpuTimer::difference_async(const time_point& start, const time_point& stop)
{
    this->check(start);
    this->check(stop);
    const scoped_device_id_guard guard{runtime_, device_id_};
    const std::chrono::duration<double, std::milli> elapsed{runtime_->elapsed_milliseconds(start.event_, stop.event_)};
    return std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed);
}

}  // namespace detail

CudaTimer::CudaTimer(std::shared_ptr<const CudaExecutor> exec) : GpuTimer{checked(exec)} {}
HipTimer::HipTimer(std::shared_ptr<const HipExecutor> exec) : GpuTimer{checked(exec)} {}

}  // namespace spruce
