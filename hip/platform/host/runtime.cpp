// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#include "internal.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#if SPRUCE_HIP_HOST_ASAN
#include <sanitizer/asan_interface.h>
#endif

// Streams run what they are given before the call returns: every stream is always idle, and so is the device.
struct ihipStream_t {
    int device;
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

std::recursive_mutex& platform_mutex()
{
    static auto& mutex = *new std::recursive_mutex;
    return mutex;
}

namespace {

constexpr int max_devices = 16;

std::size_t number_from_environment(const char* name, std::size_t otherwise)
{
    const auto* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Allocation {
    std::size_t size;
    hipMemoryType type;
    int device;
};

struct Platform {
    int num_devices = static_cast<int>(
        std::min<std::size_t>(number_from_environment("SPRUCE_HIP_HOST_DEVICES", 1), max_devices));
    std::size_t total_memory = number_from_environment("SPRUCE_HIP_HOST_MEMORY_MIB", 16 * 1024) << 20;
    std::size_t used_memory[max_devices]{};
    ihipMemPool_t pools[max_devices]{};
    std::map<const char*, Allocation> allocations;  // by address
    std::set<hipStream_t> streams;
    std::set<hipEvent_t> events;
    std::size_t launches{};
    std::size_t copies{};
};

/// Never destroyed, for the sake of users' static objects that free memory at exit.
Platform& platform()
{
    static auto& instance = *new Platform;
    return instance;
}

using Lock = std::lock_guard<std::recursive_mutex>;

thread_local int current_device = 0;
thread_local hipError_t last_error = hipSuccess;
thread_local std::string failure_message;
thread_local std::string error_string;

hipError_t set_error(hipError_t error)
{
    if (error != hipSuccess) {
        last_error = error;
    }
    return error;
}

bool is_device(int device) { return device >= 0 && device < platform().num_devices; }

bool is_stream(hipStream_t stream) { return stream == nullptr || platform().streams.count(stream) != 0; }

/// What waiting returns: the failure of a kernel, until it has been fetched.
hipError_t pending_error() { return last_error == hipErrorLaunchFailure ? last_error : hipSuccess; }

/// Device memory is poisoned for AddressSanitizer, except while the device works on it.
void set_accessible(const char* pointer, const Allocation& allocation, bool accessible)
{
#if SPRUCE_HIP_HOST_ASAN
    if (allocation.type == hipMemoryTypeDevice) {
        if (accessible) {
            ASAN_UNPOISON_MEMORY_REGION(pointer, allocation.size);
        } else {
            ASAN_POISON_MEMORY_REGION(pointer, allocation.size);
        }
    }
#else
    (void)pointer;
    (void)allocation;
    (void)accessible;
#endif
}

/// While it lives, a kernel may use all memory.
class Device_works {
public:
    Device_works() { set_all(true); }
    ~Device_works() { set_all(false); }
    Device_works(const Device_works&) = delete;
    Device_works& operator=(const Device_works&) = delete;

private:
    static void set_all(bool accessible)
    {
        if (SPRUCE_HIP_HOST_ASAN) {
            for (const auto& entry : platform().allocations) {
                set_accessible(entry.first, entry.second, accessible);
            }
        }
    }
};

using Entry = std::map<const char*, Allocation>::value_type;

/// The allocation that `pointer` lies in, or null: unregistered memory of the host.
const Entry* find(const void* pointer)
{
    auto& allocations = platform().allocations;
    auto next = allocations.upper_bound(static_cast<const char*>(pointer));
    if (next == allocations.begin()) {
        return nullptr;
    }
    --next;
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(pointer) - next->first);
    return offset < next->second.size ? &*next : nullptr;
}

/// While it lives, a copy may use the allocation that `pointer` lies in.
class Accessible {
public:
    explicit Accessible(const void* pointer) : entry_{find(pointer)} { set(true); }
    ~Accessible() { set(in_kernel()); }
    Accessible(const Accessible&) = delete;
    Accessible& operator=(const Accessible&) = delete;

private:
    void set(bool accessible)
    {
        if (entry_ != nullptr) {
            set_accessible(entry_->first, entry_->second, accessible);
        }
    }

    const Entry* entry_;
};

bool contains(const Entry& entry, const void* pointer, std::size_t size)
{
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(pointer) - entry.first);
    return size <= entry.second.size - offset;
}

/// Whether the range may be used as what a copy's kind says it is.
bool fits(const void* pointer, std::size_t size, bool as_device, bool any)
{
    const auto* const entry = find(pointer);
    if (entry == nullptr) {
        return any || !as_device;
    }
    const auto is_device_only = entry->second.type == hipMemoryTypeDevice;
    return contains(*entry, pointer, size) && (any || as_device || !is_device_only);
}

hipError_t allocate(void** pointer, std::size_t size, hipMemoryType type)
{
    if (pointer == nullptr) {
        return hipErrorInvalidValue;
    }
    auto& p = platform();
    *pointer = nullptr;
    if (p.num_devices == 0) {
        return hipErrorNoDevice;
    }
    if (size == 0) {
        return hipSuccess;
    }
    const bool counts = type != hipMemoryTypeHost;
    if (size > p.total_memory - (counts ? p.used_memory[current_device] : 0) ||
        posix_memalign(pointer, 256, size) != 0) {
        *pointer = nullptr;
        return hipErrorOutOfMemory;
    }
    std::memset(*pointer, uninitialized_byte, size);
    const Allocation allocation{size, type, current_device};
    p.allocations.emplace(static_cast<const char*>(*pointer), allocation);
    p.used_memory[current_device] += counts ? size : 0;
    set_accessible(static_cast<const char*>(*pointer), allocation, false);
    return hipSuccess;
}

hipError_t release(void* pointer, bool pinned)
{
    if (pointer == nullptr) {
        return hipSuccess;
    }
    auto& p = platform();
    const auto entry = p.allocations.find(static_cast<const char*>(pointer));
    if (entry == p.allocations.end() || (entry->second.type == hipMemoryTypeHost) != pinned) {
        return pinned ? hipErrorInvalidValue : hipErrorInvalidDevicePointer;
    }
    set_accessible(entry->first, entry->second, true);
    p.used_memory[entry->second.device] -= pinned ? 0 : entry->second.size;
    p.allocations.erase(entry);
    std::free(pointer);
    return hipSuccess;
}

hipError_t copy(void* to, const void* from, std::size_t size, hipMemcpyKind kind)
{
    if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault) {
        return hipErrorInvalidMemcpyDirection;
    }
    if (size == 0) {
        return hipSuccess;
    }
    const bool any = kind == hipMemcpyDefault;
    const bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
    const bool from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
    if (to == nullptr || from == nullptr || !fits(to, size, to_device, any) || !fits(from, size, from_device, any)) {
        return hipErrorInvalidValue;
    }
    ++platform().copies;
    const Accessible target{to};
    const Accessible source{from};
    std::memmove(to, from, size);
    return hipSuccess;
}

hipError_t set(void* pointer, int value, std::size_t size)
{
    if (size == 0) {
        return hipSuccess;
    }
    if (pointer == nullptr || !fits(pointer, size, true, false)) {
        return hipErrorInvalidValue;
    }
    const Accessible target{pointer};
    std::memset(pointer, value, size);
    return hipSuccess;
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

void launch(const Launch& launch, void (*body)(void*), void* context)
{
    const Lock lock{platform_mutex()};
    if (set_error(check(launch)) != hipSuccess) {
        return;
    }
    ++platform().launches;
    const Device_works guard;
    auto failure = run_grid(launch, body, context);
    if (!failure.empty()) {
        failure_message = std::move(failure);
        set_error(hipErrorLaunchFailure);
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
    return {p.allocations.size(), bytes, p.streams.size(), p.events.size(), p.launches, p.copies};
}

}  // namespace hip_host

using hip_host::detail::platform;
using hip_host::detail::set_error;

namespace {

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
        SPRUCE_HIP_HOST_CASE(hipErrorUnknown);
    }
#undef SPRUCE_HIP_HOST_CASE
    return "hipErrorUnknown";
}

/// Runs `body` under the platform's lock and keeps its error.
template <typename Body>
hipError_t locked(Body body)
{
    const hip_host::detail::Lock lock{hip_host::detail::platform_mutex()};
    return set_error(body());
}

template <typename Body>
hipError_t on_stream(hipStream_t stream, Body body)
{
    return locked([&] { return hip_host::detail::is_stream(stream) ? body() : hipErrorInvalidHandle; });
}

template <typename Body>
hipError_t on_event(hipEvent_t event, Body body)
{
    return locked([&] { return platform().events.count(event) != 0 ? body() : hipErrorInvalidHandle; });
}

template <typename Body>
hipError_t on_device(int device, const void* result, Body body)
{
    return locked([&] {
        if (platform().num_devices == 0) {
            return hipErrorNoDevice;
        }
        if (!hip_host::detail::is_device(device)) {
            return hipErrorInvalidDevice;
        }
        return result != nullptr ? body() : hipErrorInvalidValue;
    });
}

}  // namespace

extern "C" {

const char* hipGetErrorName(hipError_t error) { return error_name(error); }

const char* hipGetErrorString(hipError_t error)
{
    if (error != hipErrorLaunchFailure) {
        return error_name(error);
    }
    auto& text = hip_host::detail::error_string;
    text = std::string{error_name(error)} + ": " + hip_host::last_error_message();
    return text.c_str();
}

hipError_t hipGetLastError() { return std::exchange(hip_host::detail::last_error, hipSuccess); }

hipError_t hipPeekAtLastError() { return hip_host::detail::last_error; }

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
        hip_host::detail::current_device = device;
        return hipSuccess;
    });
}

hipError_t hipGetDevice(int* device)
{
    return on_device(hip_host::detail::current_device, device, [&] {
        *device = hip_host::detail::current_device;
        return hipSuccess;
    });
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device)
{
    return on_device(device, properties, [&] {
        constexpr int block = hip_host::detail::max_block_size;
        constexpr int grid_yz = hip_host::detail::max_grid_yz;
        auto& p = *properties;
        p = {};
        std::snprintf(p.name, sizeof(p.name), "Spruce host platform");
        std::snprintf(p.gcnArchName, sizeof(p.gcnArchName), "host");
        p.totalGlobalMem = platform().total_memory;
        p.sharedMemPerBlock = p.maxSharedMemoryPerMultiProcessor = hip_host::detail::max_shared_bytes;
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
        case hipDeviceAttributeClockRate: *value = p.clockRate; break;
        case hipDeviceAttributeComputeCapabilityMajor: *value = p.major; break;
        case hipDeviceAttributeComputeCapabilityMinor: *value = p.minor; break;
        case hipDeviceAttributeCooperativeLaunch: *value = p.cooperativeLaunch; break;
        case hipDeviceAttributeL2CacheSize: *value = p.l2CacheSize; break;
        case hipDeviceAttributeManagedMemory: *value = p.managedMemory; break;
        case hipDeviceAttributeMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
        case hipDeviceAttributeMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
        case hipDeviceAttributeMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
        case hipDeviceAttributeMaxGridDimX: *value = p.maxGridSize[0]; break;
        case hipDeviceAttributeMaxGridDimY: *value = p.maxGridSize[1]; break;
        case hipDeviceAttributeMaxGridDimZ: *value = p.maxGridSize[2]; break;
        case hipDeviceAttributeMaxRegistersPerBlock: *value = p.regsPerBlock; break;
        case hipDeviceAttributeMaxSharedMemoryPerBlock:
        case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
            *value = static_cast<int>(p.sharedMemPerBlock);
            break;
        case hipDeviceAttributeMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
        case hipDeviceAttributeMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
        case hipDeviceAttributeMemoryPoolsSupported: *value = 1; break;
        case hipDeviceAttributeMultiprocessorCount: *value = p.multiProcessorCount; break;
        case hipDeviceAttributeWarpSize: *value = p.warpSize; break;
        default: return hipErrorInvalidValue;
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
        *can = device != peer && hip_host::detail::is_device(peer);
        return hip_host::detail::is_device(peer) ? hipSuccess : hipErrorInvalidDevice;
    });
}

hipError_t hipDeviceSynchronize()
{
    return locked([] { return hip_host::detail::pending_error(); });
}

hipError_t hipDeviceReset()
{
    return locked([] {
        std::vector<std::pair<const char*, hip_host::detail::Allocation>> all(platform().allocations.begin(),
                                                                              platform().allocations.end());
        for (const auto& entry : all) {
            if (entry.second.device == hip_host::detail::current_device) {
                hip_host::detail::release(const_cast<char*>(entry.first), entry.second.type == hipMemoryTypeHost);
            }
        }
        return hipSuccess;
    });
}

hipError_t hipMalloc(void** pointer, std::size_t size)
{
    return locked([&] { return hip_host::detail::allocate(pointer, size, hipMemoryTypeDevice); });
}

hipError_t hipMallocAsync(void** pointer, std::size_t size, hipStream_t stream)
{
    return on_stream(stream, [&] { return hip_host::detail::allocate(pointer, size, hipMemoryTypeDevice); });
}

hipError_t hipMallocManaged(void** pointer, std::size_t size, unsigned)
{
    return locked([&] { return hip_host::detail::allocate(pointer, size, hipMemoryTypeManaged); });
}

hipError_t hipHostMalloc(void** pointer, std::size_t size, unsigned)
{
    return locked([&] { return hip_host::detail::allocate(pointer, size, hipMemoryTypeHost); });
}

hipError_t hipFree(void* pointer)
{
    return locked([&] { return hip_host::detail::release(pointer, false); });
}

hipError_t hipFreeAsync(void* pointer, hipStream_t stream)
{
    return on_stream(stream, [&] { return hip_host::detail::release(pointer, false); });
}

hipError_t hipHostFree(void* pointer)
{
    return locked([&] { return hip_host::detail::release(pointer, true); });
}

hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total)
{
    return on_device(hip_host::detail::current_device, free, [&] {
        *free = platform().total_memory - platform().used_memory[hip_host::detail::current_device];
        if (total != nullptr) {
            *total = platform().total_memory;
        }
        return hipSuccess;
    });
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer)
{
    return locked([&] {
        const auto* const entry = hip_host::detail::find(pointer);
        if (attributes == nullptr || entry == nullptr) {
            return hipErrorInvalidValue;
        }
        const auto type = entry->second.type;
        auto* const address = const_cast<void*>(pointer);
        *attributes = {type,
                       entry->second.device,
                       address,
                       type == hipMemoryTypeDevice ? nullptr : address,
                       type == hipMemoryTypeManaged,
                       0};
        return hipSuccess;
    });
}

hipError_t hipMemcpy(void* to, const void* from, std::size_t size, hipMemcpyKind kind)
{
    return locked([&] { return hip_host::detail::copy(to, from, size, kind); });
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t size, hipMemcpyKind kind, hipStream_t stream)
{
    return on_stream(stream, [&] { return hip_host::detail::copy(to, from, size, kind); });
}

hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t size)
{
    return hipMemcpyPeerAsync(to, to_device, from, from_device, size, nullptr);
}

hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t size,
                              hipStream_t stream)
{
    return on_stream(stream, [&] {
        return hip_host::detail::is_device(to_device) && hip_host::detail::is_device(from_device)
                   ? hip_host::detail::copy(to, from, size, hipMemcpyDeviceToDevice)
                   : hipErrorInvalidDevice;
    });
}

hipError_t hipMemset(void* pointer, int value, std::size_t size)
{
    return locked([&] { return hip_host::detail::set(pointer, value, size); });
}

hipError_t hipMemsetAsync(void* pointer, int value, std::size_t size, hipStream_t stream)
{
    return on_stream(stream, [&] { return hip_host::detail::set(pointer, value, size); });
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device)
{
    return on_device(device, pool, [&] {
        *pool = &platform().pools[device];
        return hipSuccess;
    });
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr, void* value)
{
    return set_error(pool != nullptr && value != nullptr ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t)
{
    return set_error(pool != nullptr ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipStreamCreate(hipStream_t* stream) { return hipStreamCreateWithFlags(stream, hipStreamDefault); }

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags)
{
    return on_device(hip_host::detail::current_device, stream, [&] {
        if (flags > hipStreamNonBlocking) {
            return hipErrorInvalidValue;
        }
        *stream = new ihipStream_t{hip_host::detail::current_device};
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
        delete stream;
        return hipSuccess;
    });
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    return on_stream(stream, [] { return hip_host::detail::pending_error(); });
}

hipError_t hipStreamQuery(hipStream_t stream) { return hipStreamSynchronize(stream); }

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned)
{
    return on_stream(stream, [&] { return on_event(event, [] { return hipSuccess; }); });
}

hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, hipEventDefault); }

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags)
{
    return on_device(hip_host::detail::current_device, event, [&] {
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
    return on_event(event, [] { return hip_host::detail::pending_error(); });
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
                          (value < 0 || static_cast<std::size_t>(value) > hip_host::detail::max_shared_bytes);
    return set_error(kernel == nullptr ? hipErrorInvalidDeviceFunction
                     : too_much        ? hipErrorInvalidValue
                                       : hipSuccess);
}

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* kernel)
{
    if (attributes == nullptr || kernel == nullptr) {
        return set_error(attributes == nullptr ? hipErrorInvalidValue : hipErrorInvalidDeviceFunction);
    }
    *attributes = {hip_host::detail::max_block_size, static_cast<int>(hip_host::detail::max_shared_bytes), 32, 0};
    return hipSuccess;
}

}  // extern "C"
