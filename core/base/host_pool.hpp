// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mutex>
#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::detail {

/// Keeps large blocks of host memory after their release, for later requests of similar size. The
/// operating system may reclaim the kept memory at any time. It clears each new page of a process,
/// which takes longer than most kernels need to fill it (doc/tuning/cpu.md).
class SPRUCE_EXPORT host_pool {
public:
    /// Minimum size of blocks that are kept. They must also be aligned to huge pages.
    static constexpr size_type min_bytes = size_type{4} << 20;
    static constexpr size_type huge_page = size_type{2} << 20;

    /// Returns the pool of the process. It keeps at most an eighth of the memory of the machine,
    /// and nothing in builds with a sanitizer, which detects accesses to released memory. The pool
    /// is never destroyed, because static objects release blocks, too.
    static host_pool& get();

    explicit host_pool(size_type max_bytes) : max_bytes_{max_bytes} {}
    ~host_pool() { this->release(); }
    host_pool(const host_pool&) = delete;

    /// Returns a block of at least num_bytes, but not much more, or null if there is none.
    void* try_allocate(size_type num_bytes);
    /// Keeps or frees a block from posix_memalign. The oldest blocks are freed to make room.
    void deallocate(void* ptr);
    /// Frees all blocks.
    void release();

    size_type get_num_bytes() const;

private:
    struct block {
        void* ptr;
        size_type num_bytes;
    };

    const size_type max_bytes_;
    mutable std::mutex mutex_;
    std::vector<block> blocks_;  ///< in the order of their release
    size_type num_bytes_{};
};

}  // namespace spruce::detail
