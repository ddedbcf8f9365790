// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mutex>
#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::detail {

/// Large blocks of host memory that were given back, for whoever asks for as much next. The system clears each page that a process
/// gets anew, which takes longer than most kernels take to fill it. What is kept the system may have back whenever it runs short of memory.
class SPRUCE_EXPORT host_pool {
public:
    /// Blocks from this size on are kept, if they are aligned to huge pages.
    static constexpr size_type min_bytes = size_type{4} << 20;
    static constexpr size_type huge_page = size_type{2} << 20;

    /// That of the process, which keeps up to an eighth of the machine's memory, and nothing where a sanitizer looks for accesses to what was
    /// given back. It lives until the end, since blocks are given back by static objects, too.
    static host_pool& get();

    explicit host_pool(size_type max_bytes) : max_bytes_{max_bytes} {}
    ~host_pool() { this->release(); }
    host_pool(const host_pool&) = delete;

    /// A block of num_bytes or a little more; null if there is none.
    void* take(size_type num_bytes);
    /// Keeps what posix_memalign gave, or frees it; those that were kept longest make room.
    void give_back(void* ptr);
    /// Frees all that is kept.
    void release();

    size_type get_num_bytes() const;

private:
    struct block {
        void* ptr;
        size_type num_bytes;
    };

    const size_type max_bytes_;
    mutable std::mutex mutex_;
    std::vector<block> blocks_;  ///< in the order in which they came
    size_type num_bytes_{};
};

}  // namespace spruce::detail
