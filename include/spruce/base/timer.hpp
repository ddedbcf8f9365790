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

/// Holds a moment on the host or in the stream of a device. A Timer creates it, and only timers of
/// this kind can use it.
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

/// Measures the time between two moments. A device does not wait between them.
class SPRUCE_EXPORT Timer {
public:
    virtual ~Timer();

    /// Creates the timer for work on exec: CpuTimer, CudaTimer or HipTimer.
    static std::unique_ptr<Timer> create_for_executor(std::shared_ptr<const Executor> exec);

    /// Creates a moment that record() has to set.
    time_point create_time_point()
    {
        time_point result;
        this->init_time_point(result);
        return result;
    }

    /// Sets time to now. On a device this is the moment at which all work launched so far is
    /// completed; record() does not wait for it.
    /// @throws InvalidStateError  if time was created by a timer of another kind; the other member
    ///     functions throw it, too
    virtual void record(time_point& time) = 0;

    /// Waits until the moment is reached.
    virtual void wait(time_point& time) = 0;

    /// Returns the time from start to stop. Waits for stop.
    std::chrono::nanoseconds difference(time_point& start, time_point& stop)
    {
        this->wait(stop);
        return this->difference_async(start, stop);
    }

    /// Returns the time from start to stop. wait(stop) must have been called before.
    virtual std::chrono::nanoseconds difference_async(const time_point& start, const time_point& stop) = 0;

protected:
    virtual void init_time_point(time_point& time) = 0;
};

/// Measures with the steady clock of the host. It does not wait for asynchronous work, so the
/// executor has to be synchronized before record().
class SPRUCE_EXPORT CpuTimer : public Timer {
public:
    void record(time_point& time) override;
    void wait(time_point& time) override;
    std::chrono::nanoseconds difference_async(const time_point& start, const time_point& stop) override;

protected:
    void init_time_point(time_point& time) override;
};

namespace detail {

/// Measures with events in the stream of an executor. It refers to the device and the stream but
/// does not own the executor. So an executor may own a logger that owns a timer.
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

/// Measures time on a CUDA device by events in the stream of an executor.
class SPRUCE_EXPORT CudaTimer : public detail::GpuTimer {
public:
    explicit CudaTimer(std::shared_ptr<const CudaExecutor> exec);
};

/// Measures time on a HIP device by events in the stream of an executor.
class SPRUCE_EXPORT HipTimer : public detail::GpuTimer {
public:
    explicit HipTimer(std::shared_ptr<const HipExecutor> exec);
};

}  // namespace spruce
