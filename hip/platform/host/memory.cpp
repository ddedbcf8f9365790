// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#include "platform.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

#if SPRUCE_HIP_HOST_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace hip_host {
namespace detail {

namespace {

/// Marks device memory as poisoned for AddressSanitizer, except while the device works on it.
void set_accessible(const char* pointer, const Allocation& allocation, bool accessible)
{
#if SPRUCE_HIP_HOST_ASAN
    // The macros of the interface do nothing in sources that are not instrumented.
    if (allocation.type == hipMemoryTypeDevice) {
        if (accessible) {
            __asan_unpoison_memory_region(pointer, allocation.size);
        } else {
            __asan_poison_memory_region(pointer, allocation.size);
        }
    }
#else
    (void)pointer;
    (void)allocation;
    (void)accessible;
#endif
}

using Entry = std::map<const char*, Allocation>::value_type;

/// Returns the allocation that contains `pointer`, or null for unregistered host memory.
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

/// Makes the allocation that contains `pointer` accessible to a copy during the lifetime of the
/// object.
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

/// Returns true if the range may be used as the kind of a copy requires.
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

}  // namespace

void Device_works::set_all_accessible(bool accessible)
{
    if (SPRUCE_HIP_HOST_ASAN) {
        for (const auto& entry : platform().allocations) {
            set_accessible(entry.first, entry.second, accessible);
        }
    }
}

}  // namespace detail
}  // namespace hip_host

using namespace hip_host::detail;

extern "C" {

hipError_t hipMalloc(void** pointer, std::size_t size)
{
    return locked([&] { return allocate(pointer, size, hipMemoryTypeDevice); });
}

hipError_t hipMallocAsync(void** pointer, std::size_t size, hipStream_t stream)
{
    return on_stream(stream, [&] { return allocate(pointer, size, hipMemoryTypeDevice); });
}

hipError_t hipMallocManaged(void** pointer, std::size_t size, unsigned)
{
    return locked([&] { return allocate(pointer, size, hipMemoryTypeManaged); });
}

hipError_t hipHostMalloc(void** pointer, std::size_t size, unsigned)
{
    return locked([&] { return allocate(pointer, size, hipMemoryTypeHost); });
}

hipError_t hipFree(void* pointer)
{
    return locked([&] { return release(pointer, false); });
}

hipError_t hipFreeAsync(void* pointer, hipStream_t stream)
{
    return on_stream(stream, [&] { return release(pointer, false); });
}

hipError_t hipHostFree(void* pointer)
{
    return locked([&] { return release(pointer, true); });
}

hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total)
{
    return on_device(current_device, free, [&] {
        *free = platform().total_memory - platform().used_memory[current_device];
        if (total != nullptr) {
            *total = platform().total_memory;
        }
        return hipSuccess;
    });
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer)
{
    return locked([&] {
        const auto* const entry = find(pointer);
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
    return locked([&] { return copy(to, from, size, kind); });
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t size, hipMemcpyKind kind, hipStream_t stream)
{
    return on_stream(stream, [&] { return copy(to, from, size, kind); });
}

hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t size)
{
    return hipMemcpyPeerAsync(to, to_device, from, from_device, size, nullptr);
}

hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t size,
                              hipStream_t stream)
{
    return on_stream(stream, [&] {
        return is_device(to_device) && is_device(from_device) ? copy(to, from, size, hipMemcpyDeviceToDevice)
                                                              : hipErrorInvalidDevice;
    });
}

hipError_t hipMemset(void* pointer, int value, std::size_t size)
{
    return locked([&] { return set(pointer, value, size); });
}

hipError_t hipMemsetAsync(void* pointer, int value, std::size_t size, hipStream_t stream)
{
    return on_stream(stream, [&] { return set(pointer, value, size); });
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

hipError_t hipDeviceReset()
{
    return locked([] {
        std::vector<std::pair<const char*, Allocation>> all(platform().allocations.begin(),
                                                            platform().allocations.end());
        for (const auto& entry : all) {
            if (entry.second.device == current_device) {
                release(const_cast<char*>(entry.first), entry.second.type == hipMemoryTypeHost);
            }
        }
        return hipSuccess;
    });
}

}  // extern "C"
