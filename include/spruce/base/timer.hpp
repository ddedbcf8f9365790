// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <memory>

#include <spruce/base/types.hpp>

namespace spruce {

class Executor;
class CudaExecutor;
class HipExecutor;

namespace detail {
class DeviceRuntime;
class GpuExecutor;
class GpuTimer;
}  // namespace detail

/// A moment on the host or in a device's stream; made by a Timer and to be used with timers of that kind.
class SPRUCE_EXPORT time_point {
public:
    time_point() = default;
    time_point(time_point&& other) noexcept;
    time_point& operator=(time_point&& other) noexcept;
    ~time_point();

private:
    friend class CpuTimer;
    friend class detail::GpuTimer;

    std::chrono::steady_clock::time_point host_{};
    detail::DeviceRuntime* runtime_{};
    void* event_{};
};

/// Measures the time between two moments; on a device without making it wait in between.
class SPRUCE_EXPORT Timer {
public:
    virtual ~Timer();

    /// The timer for work on exec: CpuTimer, CudaTimer or HipTimer.
    static std::unique_ptr<Timer> create_for_executor(std::shared_ptr<const Executor> exec);

    /// A moment that record() has to set.
    time_point create_time_point()
    {
        time_point result;
        this->init_time_point(result);
        return result;
    }

    /// Sets time to now: on a device, to when the work handed over so far is done. Does not wait for it.
    /// @throws InvalidStateError  if time was made by a timer of another kind; so do the other methods
    virtual void record(time_point& time) = 0;

    /// Waits until the moment has come.
    virtual void wait(time_point& time) = 0;

    /// The time from start to stop; waits for stop.
    std::chrono::nanoseconds difference(time_point& start, time_point& stop)
    {
        this->wait(stop);
        return this->difference_async(start, stop);
    }

    /// As difference(), but stop must have been waited for.
    virtual std::chrono::nanoseconds difference_async(const time_point& start, const time_point& stop) = 0;

protected:
    virtual void init_time_point(time_point& time) = 0;
};

/// The host's steady clock. Work that runs asynchronously is not waited for: synchronize the executor before.
class SPRUCE_EXPORT CpuTimer : public Timer {
public:
    void record(time_point& time) override;
    void wait(time_point& time) override;
    std::chrono::nanoseconds difference_async(const time_point& start, const time_point& stop) override;

protected:
    void init_time_point(time_point& time) override;
};

namespace detail {

/// Events in the stream of an executor. Keeps the device and the stream, not the executor, so that an executor may own
/// a logger that owns a timer.
class SPRUCE_EXPORT GpuTimer : public Timer {
public:
    void record(time_point& time) override;
    void wait(time_point& time) override;
    std::chrono::nanoseconds difference_async(const time_point& start, const time_point& stop) override;

protected:
    explicit GpuTimer(const GpuExecutor* exec);
    void init_time_point(time_point& time) override;

private:
    void check(const time_point& time) const;

    DeviceRuntime* runtime_;
    int device_id_;
    void* stream_;
};

}  // namespace detail

/// Time on a CUDA device, between events in the stream of an executor.
class SPRUCE_EXPORT CudaTimer : public detail::GpuTimer {
public:
    explicit CudaTimer(std::shared_ptr<const CudaExecutor> exec);
};

/// Time on a HIP device, between events in the stream of an executor.
class SPRUCE_EXPORT HipTimer : public detail::GpuTimer {
public:
    explicit HipTimer(std::shared_ptr<const HipExecutor> exec);
};

}  // namespace spruce
