// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#include "platform.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace hip_host {
namespace detail {

thread_local int current_device = 0;

std::recursive_mutex& platform_mutex()
{
    static auto& mutex = *new std::recursive_mutex;
    return mutex;
}

namespace {

thread_local hipError_t last_error = hipSuccess;
thread_local std::string failure_message;
thread_local std::string error_string;

std::size_t number_from_environment(const char* name, std::size_t otherwise)
{
    const auto* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Returns the result of a wait: the failure of a kernel, until it has been fetched.
hipError_t pending_error() { return last_error == hipErrorLaunchFailure ? last_error : hipSuccess; }

const char* error_name(hipError_t error)
{
#define SPRUCE_HIP_HOST_CASE(name) \
    case name:                     \
        return #name
    switch (error) {
        SPRUCE_HIP_HOST_CASE(hipSuccess);
        SPRUCE_HIP_HOST_CASE(hipErrorInvalidValue);
        SPRUCE_HIP_HOST_CASE(hipErrorOutOfMemory);
        SPRUCE_HIP_HOST_CASE(hipErrorNotInitialized);
        SPRUCE_HIP_HOST_CASE(hipErrorInvalidConfiguration);
        SPRUCE_HIP_HOST_CASE(hipErrorInvalidDevicePointer);
        SPRUCE_HIP_HOST_CASE(hipErrorInvalidMemcpyDirection);
        SPRUCE_HIP_HOST_CASE(hipErrorInvalidDeviceFunction);
        SPRUCE_HIP_HOST_CASE(hipErrorNoDevice);
        SPRUCE_HIP_HOST_CASE(hipErrorInvalidDevice);
        SPRUCE_HIP_HOST_CASE(hipErrorNoBinaryForGpu);
        SPRUCE_HIP_HOST_CASE(hipErrorInvalidHandle);
        SPRUCE_HIP_HOST_CASE(hipErrorNotReady);
        SPRUCE_HIP_HOST_CASE(hipErrorLaunchFailure);
        SPRUCE_HIP_HOST_CASE(hipErrorNotSupported);
        SPRUCE_HIP_HOST_CASE(hipErrorStreamCaptureUnsupported);
        SPRUCE_HIP_HOST_CASE(hipErrorUnknown);
    }
#undef SPRUCE_HIP_HOST_CASE
    return "hipErrorUnknown";
}

hipError_t check(const Launch& launch)
{
    const auto& p = platform();
    const auto& grid = launch.grid;
    const auto& block = launch.block;
    const auto threads = [](std::uint32_t blocks, std::uint32_t size) { return std::uint64_t{blocks} * size; };
    constexpr std::uint64_t max_threads = 0xffffffff;  // in each direction: AMD's limit
    if (p.num_devices == 0) {
        return hipErrorNoDevice;
    }
    if (!is_stream(launch.stream)) {
        return hipErrorInvalidHandle;
    }
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0 ||
        block.x > max_block_size || block.y > max_block_size || block.z > max_block_size ||
        block.x * block.y * block.z > max_block_size || grid.x > 0x7fffffff || grid.y > max_grid_yz ||
        grid.z > max_grid_yz || threads(grid.x, block.x) > max_threads) {
        return hipErrorInvalidConfiguration;
    }
    if (launch.shared_bytes > max_shared_bytes) {
        return hipErrorInvalidValue;
    }
    return in_kernel() ? hipErrorNotSupported : hipSuccess;
}

}  // namespace

Platform::Platform()
    : num_devices{static_cast<int>(
          std::min<std::size_t>(number_from_environment("SPRUCE_HIP_HOST_DEVICES", 1), max_devices))},
      total_memory{number_from_environment("SPRUCE_HIP_HOST_MEMORY_MIB", 16 * 1024) << 20},
      max_waiting_launches{number_from_environment("SPRUCE_HIP_HOST_LATE", 0)}
{}

/// Returns the platform. It is never destroyed, since static objects of users free memory at exit.
Platform& platform()
{
    static auto& instance = *new Platform;
    return instance;
}

hipError_t set_error(hipError_t error)
{
    if (error != hipSuccess) {
        last_error = error;
    }
    return error;
}

namespace {

void start(Waiting_launch launch)
{
    auto& p = platform();
    ++p.launches;
    p.waiting_launches.push_back(std::move(launch));
    catch_up(p.max_waiting_launches);
}

}  // namespace

void launch(const Launch& launch, std::function<void()> body)
{
    const Lock lock{platform_mutex()};
    if (set_error(check(launch)) != hipSuccess) {
        return;
    }
    if (launch.stream != nullptr && launch.stream->recording != nullptr) {
        launch.stream->recording->launches.push_back({launch, std::move(body)});
        return;
    }
    start({launch, std::move(body)});
}

void catch_up(std::size_t max_left)
{
    auto& waiting = platform().waiting_launches;
    while (!in_kernel() && waiting.size() > max_left) {
        const auto next = std::move(waiting.front());
        waiting.pop_front();
        const Device_works guard;
        auto failure = run_grid(next.launch, next.body);
        if (!failure.empty()) {
            failure_message = std::move(failure);
            set_error(hipErrorLaunchFailure);
        }
    }
}

}  // namespace detail

const char* last_error_message() { return detail::failure_message.c_str(); }

Counters counters()
{
    const detail::Lock lock{detail::platform_mutex()};
    const auto& p = detail::platform();
    std::size_t bytes{};
    for (const auto used : p.used_memory) {
        bytes += used;
    }
    return {p.allocations.size(), bytes,    p.streams.size(),      p.events.size(),
            p.launches,           p.copies, detail::num_shuffles()};
}

}  // namespace hip_host

using namespace hip_host::detail;

extern "C" {

const char* hipGetErrorName(hipError_t error) { return error_name(error); }

const char* hipGetErrorString(hipError_t error)
{
    if (error != hipErrorLaunchFailure) {
        return error_name(error);
    }
    auto& text = error_string;
    text = std::string{error_name(error)} + ": " + hip_host::last_error_message();
    return text.c_str();
}

hipError_t hipGetLastError() { return std::exchange(last_error, hipSuccess); }

hipError_t hipPeekAtLastError() { return last_error; }

hipError_t hipInit(unsigned flags) { return set_error(flags == 0 ? hipSuccess : hipErrorInvalidValue); }

hipError_t hipDriverGetVersion(int* version)
{
    *version = 50000000;  // the interface is that of HIP 5
    return hipSuccess;
}

hipError_t hipRuntimeGetVersion(int* version) { return hipDriverGetVersion(version); }

hipError_t hipGetDeviceCount(int* count)
{
    return locked([&] {
        if (count == nullptr) {
            return hipErrorInvalidValue;
        }
        *count = platform().num_devices;
        return *count > 0 ? hipSuccess : hipErrorNoDevice;
    });
}

hipError_t hipSetDevice(int device)
{
    return on_device(device, &device, [&] {
        current_device = device;
        return hipSuccess;
    });
}

hipError_t hipGetDevice(int* device)
{
    return on_device(current_device, device, [&] {
        *device = current_device;
        return hipSuccess;
    });
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device)
{
    return on_device(device, properties, [&] {
        constexpr int block = max_block_size;
        constexpr int grid_yz = max_grid_yz;
        auto& p = *properties;
        p = {};
        std::snprintf(p.name, sizeof(p.name), "Spruce host platform");
        std::snprintf(p.gcnArchName, sizeof(p.gcnArchName), "host");
        p.totalGlobalMem = platform().total_memory;
        p.sharedMemPerBlock = p.maxSharedMemoryPerMultiProcessor = max_shared_bytes;
        p.regsPerBlock = 65536;
        p.warpSize = warpSize;
        p.maxThreadsPerBlock = block;
        std::fill_n(p.maxThreadsDim, 3, block);
        p.maxGridSize[0] = 0x7fffffff;
        p.maxGridSize[1] = p.maxGridSize[2] = grid_yz;
        p.clockRate = p.memoryClockRate = 1'000'000;
        p.memoryBusWidth = 64;
        p.major = 9;
        p.minor = 0;
        p.multiProcessorCount = 4;
        p.l2CacheSize = 4 << 20;
        p.maxThreadsPerMultiProcessor = 2 * block;
        p.pciBusID = device;
        p.canMapHostMemory = p.managedMemory = 1;
        return hipSuccess;
    });
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device)
{
    return on_device(device, value, [&] {
        hipDeviceProp_t p;
        hipGetDeviceProperties(&p, device);
        switch (attribute) {
        case hipDeviceAttributeClockRate:
            *value = p.clockRate;
            break;
        case hipDeviceAttributeComputeCapabilityMajor:
            *value = p.major;
            break;
        case hipDeviceAttributeComputeCapabilityMinor:
            *value = p.minor;
            break;
        case hipDeviceAttributeCooperativeLaunch:
            *value = p.cooperativeLaunch;
            break;
        case hipDeviceAttributeL2CacheSize:
            *value = p.l2CacheSize;
            break;
        case hipDeviceAttributeManagedMemory:
            *value = p.managedMemory;
            break;
        case hipDeviceAttributeMaxBlockDimX:
            *value = p.maxThreadsDim[0];
            break;
        case hipDeviceAttributeMaxBlockDimY:
            *value = p.maxThreadsDim[1];
            break;
        case hipDeviceAttributeMaxBlockDimZ:
            *value = p.maxThreadsDim[2];
            break;
        case hipDeviceAttributeMaxGridDimX:
            *value = p.maxGridSize[0];
            break;
        case hipDeviceAttributeMaxGridDimY:
            *value = p.maxGridSize[1];
            break;
        case hipDeviceAttributeMaxGridDimZ:
            *value = p.maxGridSize[2];
            break;
        case hipDeviceAttributeMaxRegistersPerBlock:
            *value = p.regsPerBlock;
            break;
        case hipDeviceAttributeMaxSharedMemoryPerBlock:
        case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
            *value = static_cast<int>(p.sharedMemPerBlock);
            break;
        case hipDeviceAttributeMaxThreadsPerBlock:
            *value = p.maxThreadsPerBlock;
            break;
        case hipDeviceAttributeMaxThreadsPerMultiProcessor:
            *value = p.maxThreadsPerMultiProcessor;
            break;
        case hipDeviceAttributeMemoryPoolsSupported:
            *value = 1;
            break;
        case hipDeviceAttributeMultiprocessorCount:
            *value = p.multiProcessorCount;
            break;
        case hipDeviceAttributeWarpSize:
            *value = p.warpSize;
            break;
        default:
            return hipErrorInvalidValue;
        }
        return hipSuccess;
    });
}

hipError_t hipDeviceGetPCIBusId(char* id, int length, int device)
{
    return on_device(device, id, [&] {
        const auto needed = std::snprintf(id, length > 0 ? static_cast<std::size_t>(length) : 0, "0000:%02x:00.0",
                                          static_cast<unsigned>(device) & 0xff);
        return needed < length ? hipSuccess : hipErrorInvalidValue;
    });
}

hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer)
{
    return on_device(device, can, [&] {
        *can = device != peer && is_device(peer);
        return is_device(peer) ? hipSuccess : hipErrorInvalidDevice;
    });
}

hipError_t hipDeviceSynchronize()
{
    return locked([] { return pending_error(); });
}

hipError_t hipStreamCreate(hipStream_t* stream) { return hipStreamCreateWithFlags(stream, hipStreamDefault); }

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags)
{
    return on_device(current_device, stream, [&] {
        if (flags > hipStreamNonBlocking) {
            return hipErrorInvalidValue;
        }
        *stream = new ihipStream_t{current_device, nullptr};
        platform().streams.insert(*stream);
        return hipSuccess;
    });
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
    return locked([&] {
        if (platform().streams.erase(stream) == 0) {
            return hipErrorInvalidHandle;
        }
        delete stream->recording;
        delete stream;
        return hipSuccess;
    });
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    return on_stream(stream, [] { return pending_error(); });
}

hipError_t hipStreamQuery(hipStream_t stream) { return hipStreamSynchronize(stream); }

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned)
{
    return on_stream(stream, [&] { return on_event(event, [] { return hipSuccess; }); });
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode)
{
    return on_stream(stream, [&] {
        if (stream == nullptr) {
            return hipErrorStreamCaptureUnsupported;  // the default stream cannot record
        }
        stream->recording = new ihipGraph_t;
        return hipSuccess;
    });
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph)
{
    return locked([&] {
        if (stream == nullptr || !is_stream(stream) || stream->recording == nullptr || graph == nullptr) {
            return hipErrorInvalidValue;
        }
        *graph = std::exchange(stream->recording, nullptr);
        platform().graphs.insert(*graph);
        return hipSuccess;
    });
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph, unsigned long long)
{
    return locked([&] {
        if (executable == nullptr || platform().graphs.count(graph) == 0) {
            return hipErrorInvalidValue;
        }
        *executable = new ihipGraphExec_t{graph->launches};
        platform().executables.insert(*executable);
        return hipSuccess;
    });
}

hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream)
{
    const Lock lock{platform_mutex()};
    if (!is_stream(stream) || platform().executables.count(executable) == 0) {
        return set_error(hipErrorInvalidValue);
    }
    for (const auto& recorded : executable->launches) {
        start(recorded);
    }
    return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    return locked([&] {
        if (platform().graphs.erase(graph) == 0) {
            return hipErrorInvalidValue;
        }
        delete graph;
        return hipSuccess;
    });
}

hipError_t hipGraphExecDestroy(hipGraphExec_t executable)
{
    return locked([&] {
        if (platform().executables.erase(executable) == 0) {
            return hipErrorInvalidValue;
        }
        delete executable;
        return hipSuccess;
    });
}

hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, hipEventDefault); }

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags)
{
    return on_device(current_device, event, [&] {
        *event = new ihipEvent_t{flags, false, {}};
        platform().events.insert(*event);
        return hipSuccess;
    });
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    return on_event(event, [&] {
        platform().events.erase(event);
        delete event;
        return hipSuccess;
    });
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    return on_stream(stream, [&] {
        return on_event(event, [&] {
            event->recorded = true;
            event->time = std::chrono::steady_clock::now();
            return hipSuccess;
        });
    });
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    return on_event(event, [] { return pending_error(); });
}

hipError_t hipEventQuery(hipEvent_t event) { return hipEventSynchronize(event); }

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop)
{
    return on_event(start, [&] {
        return on_event(stop, [&] {
            if (milliseconds == nullptr) {
                return hipErrorInvalidValue;
            }
            if (!start->recorded || !stop->recorded || ((start->flags | stop->flags) & hipEventDisableTiming) != 0) {
                return hipErrorInvalidHandle;
            }
            *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
            return hipSuccess;
        });
    });
}

hipError_t hipFuncSetAttribute(const void* kernel, hipFuncAttribute attribute, int value)
{
    const bool too_much = attribute == hipFuncAttributeMaxDynamicSharedMemorySize &&
                          (value < 0 || static_cast<std::size_t>(value) > max_shared_bytes);
    return set_error(kernel == nullptr ? hipErrorInvalidDeviceFunction : too_much ? hipErrorInvalidValue : hipSuccess);
}

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* kernel)
{
    if (attributes == nullptr || kernel == nullptr) {
        return set_error(attributes == nullptr ? hipErrorInvalidValue : hipErrorInvalidDeviceFunction);
    }
    *attributes = {max_block_size, static_cast<int>(max_shared_bytes), 32, 0};
    return hipSuccess;
}

}  // extern "C"
