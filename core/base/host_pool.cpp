// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/host_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#ifdef __linux__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace spruce::detail {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif
#else
constexpr bool is_sanitized = false;
#endif

/// Returns the size of a block, or 0 if it is unknown.
size_type size_of([[maybe_unused]] void* ptr)
{
#ifdef __linux__
    return malloc_usable_size(ptr);
#else
    return 0;
#endif
}

/// Allows the system to reclaim the pages until the next write to them.
void advise_free([[maybe_unused]] void* ptr, [[maybe_unused]] size_type num_bytes)
{
#if defined(__linux__) && defined(MADV_FREE)
    madvise(ptr, num_bytes / host_pool::huge_page * host_pool::huge_page, MADV_FREE);  // this is only advice
#endif
}

/// Returns an eighth of the memory of the machine, or 0 with a sanitizer or if it is unknown.
size_type max_bytes_of_process()
{
#ifdef __linux__
    const auto num_pages = sysconf(_SC_PHYS_PAGES);
    const auto page_size = sysconf(_SC_PAGESIZE);
    if (!is_sanitized && num_pages > 0 && page_size > 0) {
        return static_cast<size_type>(num_pages) / 8 * static_cast<size_type>(page_size);
    }
#endif
    return 0;
}

}  // namespace

host_pool& host_pool::get()
{
    static auto& pool = *new host_pool{max_bytes_of_process()};
    return pool;
}

void* host_pool::try_allocate(size_type num_bytes)
{
    if (num_bytes < min_bytes) {
        return nullptr;
    }
    const std::lock_guard<std::mutex> guard{mutex_};
    auto best = blocks_.end();
    for (auto it = blocks_.begin(); it != blocks_.end(); ++it) {
        if (it->num_bytes >= num_bytes && it->num_bytes - num_bytes <= num_bytes / 4 &&
            (best == blocks_.end() ||
             it->num_bytes <= best->num_bytes)) {  // of equal blocks the latest, which may be in a cache
            best = it;
        }
    }
    if (best == blocks_.end()) {
        return nullptr;
    }
    const auto result = best->ptr;
    num_bytes_ -= best->num_bytes;
    blocks_.erase(best);
    return result;
}

void host_pool::deallocate(void* ptr)
{
    const auto is_aligned = reinterpret_cast<std::uintptr_t>(ptr) % huge_page == 0;
    const auto num_bytes = ptr ? size_of(ptr) : 0;
    if (!is_aligned || num_bytes < min_bytes || num_bytes > max_bytes_) {
        std::free(ptr);
        return;
    }
    advise_free(ptr, num_bytes);
    const std::lock_guard<std::mutex> guard{mutex_};
    blocks_.push_back({ptr, num_bytes});
    num_bytes_ += num_bytes;
    auto end = blocks_.begin();
    for (; num_bytes_ > max_bytes_; ++end) {
        num_bytes_ -= end->num_bytes;
        std::free(end->ptr);
    }
    blocks_.erase(blocks_.begin(), end);
}

void host_pool::release()
{
    const std::lock_guard<std::mutex> guard{mutex_};
    for (const auto& one : blocks_) {
        std::free(one.ptr);
    }
    blocks_.clear();
    num_bytes_ = 0;
}

size_type host_pool::get_num_bytes() const
{
    const std::lock_guard<std::mutex> guard{mutex_};
    return num_bytes_;
}

}  // namespace spruce::detail
