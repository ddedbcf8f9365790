// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Replaces operator new: include this file in only one source file of a program.

#include <cstdlib>
#include <cstring>
#include <new>

#include <dlfcn.h>
#include <execinfo.h>

#include <spruce/base/memory.hpp>

namespace spruce::test {

/// Selects the callers whose operator new fails. Device libraries allocate in functions that no
/// exception may leave.
enum class failing_callers { all, outside_backends };

/// Makes one allocation of this thread fail: of memory of an executor with a failing_allocator, or
/// by operator new.
class allocation_failure {
public:
    /// Makes the n-th allocation after this call fail, n = 1, 2, ...
    static void arm(long n, failing_callers callers = failing_callers::all)
    {
        left_ = n;
        callers_ = callers;
    }
    /// Returns true if the selected allocation was reached, and selects no other.
    static bool disarm()
    {
        const auto was_reached = left_ == 0;
        left_ = not_armed;
        return was_reached;
    }
    static bool fails_now() { return left_ > 0 && --left_ == 0; }
    /// Returns true if this call of operator new has to fail.
    /// @param caller  return address of operator new
    static bool operator_new_fails_now(const void* caller)
    {
        if (left_ <= 0) {
            return false;
        }
        if (callers_ == failing_callers::all) {
            return fails_now();
        }
        // The stack is inspected last because this is slow.
        return !is_in_backend(caller) && (left_ > 1 || !is_called_by_backend()) && fails_now();
    }

private:
    static bool is_in_backend(const void* address)
    {
        Dl_info info{};
        return dladdr(address, &info) == 0 || std::strstr(info.dli_fname, "libspruce_") != nullptr ||
               std::strstr(info.dli_fname, "libcu") != nullptr || std::strstr(info.dli_fname, "libstdc++") != nullptr;
    }
    /// Returns true if a backend is on the stack: instances of templates that it calls may be
    /// located in other libraries.
    static bool is_called_by_backend()
    {
        constexpr int max_depth = 64;
        void* frames[max_depth];
        const auto depth = ::backtrace(frames, max_depth);
        for (int i = 0; i < depth; ++i) {
            Dl_info info{};
            if (dladdr(frames[i], &info) != 0 && std::strstr(info.dli_fname, "libspruce_") != nullptr) {
                return true;
            }
        }
        return false;
    }

    static constexpr long not_armed = -1;
    static inline thread_local long left_ = not_armed;
    static inline thread_local failing_callers callers_ = failing_callers::all;
};

/// Allocates like Base, counts allocations, and fails if allocation_failure selects the allocation.
template <typename Base>
class failing_allocator : public Base {
public:
    void* allocate(size_type num_bytes) override
    {
        if (allocation_failure::fails_now()) {
            throw AllocationError(__FILE__, __LINE__, "a failing allocator", num_bytes);
        }
        const auto result = Base::allocate(num_bytes);
        ++num_live_;
        return result;
    }
    void deallocate(void* ptr) override
    {
        --num_live_;
        Base::deallocate(ptr);
    }
    /// Returns the number of allocations that have not been freed yet.
    long get_num_live() const { return num_live_; }

private:
    long num_live_{};
};

}  // namespace spruce::test

namespace spruce::test {

/// Returns null if this allocation fails.
inline void* allocate_unless_failing(std::size_t size, const void* caller)
{
    return allocation_failure::operator_new_fails_now(caller) ? nullptr : std::malloc(size > 0 ? size : 1);
}
inline void* allocate_or_throw(std::size_t size, const void* caller)
{
    const auto result = allocate_unless_failing(size, caller);
    if (!result) {
        throw std::bad_alloc();
    }
    return result;
}

}  // namespace spruce::test

void* operator new(std::size_t size) { return spruce::test::allocate_or_throw(size, __builtin_return_address(0)); }
void* operator new[](std::size_t size) { return spruce::test::allocate_or_throw(size, __builtin_return_address(0)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return spruce::test::allocate_unless_failing(size, __builtin_return_address(0));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept
{
    return spruce::test::allocate_unless_failing(size, __builtin_return_address(0));
}
void operator delete(void* ptr) noexcept { std::free(ptr); }
void operator delete[](void* ptr) noexcept { std::free(ptr); }
void operator delete(void* ptr, std::size_t) noexcept { std::free(ptr); }
void operator delete[](void* ptr, std::size_t) noexcept { std::free(ptr); }
