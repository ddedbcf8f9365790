// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Replaces operator new: include it in one source file of a program only.

#include <cstdlib>
#include <new>

#include <spruce/base/memory.hpp>

namespace spruce::test {

/// Lets one allocation of this thread fail: of memory of executors with a failing_allocator and, unless that is excluded, of
/// operator new.
class allocation_failure {
public:
    /// Makes the n-th allocation from now on fail, n = 1, 2, ...
    static void arm(long n, bool with_operator_new = true)
    {
        left_ = n;
        with_operator_new_ = with_operator_new;
    }
    /// Returns whether that allocation was reached.
    static bool disarm()
    {
        const auto was_reached = left_ == 0;
        left_ = not_armed;
        return was_reached;
    }
    static bool fails_now() { return left_ > 0 && --left_ == 0; }
    static bool operator_new_fails_now() { return with_operator_new_ && fails_now(); }

private:
    static constexpr long not_armed = -1;
    static inline thread_local long left_ = not_armed;
    static inline thread_local bool with_operator_new_ = true;
};

/// Allocates like Base, but for the failures of allocation_failure, and counts allocations.
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
    /// Returns the number of allocations that were not given back yet.
    long get_num_live() const { return num_live_; }

private:
    long num_live_{};
};

}  // namespace spruce::test

void* operator new(std::size_t size)
{
    const auto result =
        spruce::test::allocation_failure::operator_new_fails_now() ? nullptr : std::malloc(size > 0 ? size : 1);
    if (!result) {
        throw std::bad_alloc();
    }
    return result;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return spruce::test::allocation_failure::operator_new_fails_now() ? nullptr : std::malloc(size > 0 ? size : 1);
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept { return operator new(size, tag); }
void operator delete(void* ptr) noexcept { std::free(ptr); }
void operator delete[](void* ptr) noexcept { std::free(ptr); }
void operator delete(void* ptr, std::size_t) noexcept { std::free(ptr); }
void operator delete[](void* ptr, std::size_t) noexcept { std::free(ptr); }
