// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#pragma once

// Contains the state of the host interface, and the functions through which it is entered.

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "internal.hpp"

namespace hip_host {
namespace detail {

struct Waiting_launch {
    Launch launch;
    std::function<void()> body;
};

}  // namespace detail
}  // namespace hip_host

// Streams execute operations before the call returns. But launches may wait for the next call of
// another kind, if they are not too many. For those calls every stream is always idle, and so is
// the device.
struct ihipGraph_t {
    std::vector<hip_host::detail::Waiting_launch> launches;
};

struct ihipGraphExec_t {
    std::vector<hip_host::detail::Waiting_launch> launches;
};

struct ihipStream_t {
    int device;
    ihipGraph_t* recording{};  // receives the launches of this stream instead of running them
};

struct ihipEvent_t {
    unsigned flags;
    bool recorded;
    std::chrono::steady_clock::time_point time;
};

struct ihipMemPool_t {
    int device;
};

namespace hip_host {
namespace detail {

constexpr int max_devices = 16;

struct Allocation {
    std::size_t size;
    hipMemoryType type;
    int device;
};

struct Platform {
    Platform();

    int num_devices;
    std::size_t total_memory;
    std::size_t used_memory[max_devices]{};
    ihipMemPool_t pools[max_devices]{};
    std::map<const char*, Allocation> allocations;  // by address
    std::set<hipStream_t> streams;
    std::set<hipEvent_t> events;
    std::set<hipGraph_t> graphs;
    std::set<hipGraphExec_t> executables;
    std::size_t max_waiting_launches;
    std::deque<Waiting_launch> waiting_launches;
    std::size_t launches{};
    std::size_t copies{};
};

Platform& platform();

extern thread_local int current_device;

using Lock = std::lock_guard<std::recursive_mutex>;

/// Keeps the error for hipGetLastError() and returns it.
hipError_t set_error(hipError_t error);

inline bool is_device(int device) { return device >= 0 && device < platform().num_devices; }

inline bool is_stream(hipStream_t stream) { return stream == nullptr || platform().streams.count(stream) != 0; }

/// Makes all device memory accessible to a kernel during the lifetime of the object.
class Device_works {
public:
    Device_works() { set_all_accessible(true); }
    ~Device_works() { set_all_accessible(false); }
    Device_works(const Device_works&) = delete;
    Device_works& operator=(const Device_works&) = delete;

private:
    static void set_all_accessible(bool accessible);
};

/// Runs the launches that wait, except the last max_left. The caller holds the lock.
void catch_up(std::size_t max_left);

// Each of these functions runs `body` under the platform's lock and keeps its error, if the handle
// is valid. They first run all waiting launches. Only queries of a device's properties do not.

template <typename Body>
hipError_t locked(Body body)
{
    const Lock lock{platform_mutex()};
    catch_up(0);
    return set_error(body());
}

/// Runs `body` for a valid stream that does not record: waiting and copying cannot be recorded.
template <typename Body>
hipError_t on_stream(hipStream_t stream, Body body)
{
    return locked([&] {
        if (!is_stream(stream)) {
            return hipErrorInvalidHandle;
        }
        return stream != nullptr && stream->recording != nullptr ? hipErrorStreamCaptureUnsupported : body();
    });
}

template <typename Body>
hipError_t on_event(hipEvent_t event, Body body)
{
    return locked([&] { return platform().events.count(event) != 0 ? body() : hipErrorInvalidHandle; });
}

/// Runs `body` for a valid device. `result` receives the answer and must not be null.
template <typename Body>
hipError_t on_device(int device, const void* result, Body body)
{
    const Lock lock{platform_mutex()};
    if (platform().num_devices == 0) {
        return set_error(hipErrorNoDevice);
    }
    if (!is_device(device)) {
        return set_error(hipErrorInvalidDevice);
    }
    return set_error(result != nullptr ? body() : hipErrorInvalidValue);
}

}  // namespace detail
}  // namespace hip_host
