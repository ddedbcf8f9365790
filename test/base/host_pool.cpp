// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/host_pool.hpp"

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include <spruce/base/memory.hpp>

#include "test/utils/sanitizers.hpp"

namespace {

using spruce::size_type;
using spruce::detail::host_pool;

constexpr size_type mebibyte = size_type{1} << 20;

/// Allocates a block whose size according to malloc may exceed num_bytes by up to a huge page.
void* new_block(size_type num_bytes)
{
    void* result{};
    EXPECT_EQ(posix_memalign(&result, host_pool::huge_page, num_bytes), 0);
    std::memset(result, 1, num_bytes);
    return result;
}

TEST(HostPool, HandsOutWhatFitsBest)
{
    host_pool pool{100 * mebibyte};
    const auto large = new_block(16 * mebibyte);
    const auto small = new_block(8 * mebibyte);
    pool.deallocate(large);
    pool.deallocate(small);
    EXPECT_GE(pool.get_num_bytes(), 24 * mebibyte);

    EXPECT_EQ(pool.try_allocate(5 * mebibyte), nullptr);  // too much of the block would be unused
    EXPECT_EQ(pool.try_allocate(20 * mebibyte), nullptr);
    EXPECT_EQ(pool.try_allocate(8 * mebibyte), small);
    EXPECT_EQ(pool.try_allocate(8 * mebibyte), nullptr);
    EXPECT_EQ(pool.try_allocate(15 * mebibyte), large);
    EXPECT_EQ(pool.get_num_bytes(), 0u);

    std::free(large);
    std::free(small);
}

TEST(HostPool, KeepsNoMoreThanItMay)
{
    host_pool pool{25 * mebibyte};
    const auto first = new_block(8 * mebibyte);
    const auto second = new_block(8 * mebibyte);
    pool.deallocate(first);
    pool.deallocate(second);
    pool.deallocate(new_block(10 * mebibyte));  // replaces the first block
    pool.deallocate(new_block(26 * mebibyte));
    pool.deallocate(new_block(mebibyte));
    pool.deallocate(nullptr);

    EXPECT_LE(pool.get_num_bytes(), 25 * mebibyte);
    EXPECT_EQ(pool.try_allocate(26 * mebibyte), nullptr);
    const auto left = pool.try_allocate(8 * mebibyte);
    EXPECT_EQ(left, second);
    std::free(left);

    pool.release();
    EXPECT_EQ(pool.get_num_bytes(), 0u);
    EXPECT_EQ(pool.try_allocate(10 * mebibyte), nullptr);
}

TEST(HostPool, KeepsNothingThatIsNotAligned)
{
    host_pool pool{100 * mebibyte};
    pool.deallocate(std::malloc(8 * mebibyte));  // preceded by a header
    EXPECT_EQ(pool.get_num_bytes(), 0u);
}

// Sanitizers detect accesses to freed memory, so the pool is disabled under them.
TEST(HostPool, ServesTheAllocatorOfTheHost)
{
#if defined(__linux__)
    constexpr auto is_kept = !has_address_sanitizer;
#else
    constexpr auto is_kept = false;
#endif
    auto& pool = host_pool::get();
    pool.release();
    spruce::CpuAllocator allocator;
    const auto block = allocator.allocate(8 * mebibyte);
    std::memset(block, 1, 8 * mebibyte);

    allocator.deallocate(block);

    EXPECT_EQ(pool.get_num_bytes() >= 8 * mebibyte, is_kept);
    const auto next = allocator.allocate(8 * mebibyte);
    if (is_kept) {
        EXPECT_EQ(next, block);
    }
    std::memset(next, 2, 8 * mebibyte);
    EXPECT_EQ(pool.get_num_bytes(), 0u);
    allocator.deallocate(next);
    EXPECT_THROW(allocator.allocate(size_type{1} << 60), spruce::AllocationError);
    EXPECT_EQ(pool.get_num_bytes(), 0u);  // retried after the pool was emptied
}

}  // namespace
