// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <utility>

#include <spruce/base/exception.hpp>
#include <spruce/base/types.hpp>

namespace spruce::detail {

/// Reports that an allocation would exceed an allocation_limit.
class allocation_limit_exceeded : public Error {
public:
    /// @param num_bytes  sum of all allocations under the limit, including the refused one
    allocation_limit_exceeded(const char* file, int line, size_type num_bytes)
        : Error{file, line,
                "an allocation exceeds the limit of this operation: " + std::to_string(num_bytes) + " bytes"},
          num_bytes_{num_bytes}
    {}

    size_type get_num_bytes() const noexcept { return num_bytes_; }

private:
    size_type num_bytes_;
};

/// Limits the memory that the thread which created the limit allocates from all executors together,
/// as long as the limit exists. Memory that is freed in the meantime still counts. Limits may be
/// nested.
class allocation_limit {
public:
    explicit allocation_limit(size_type num_bytes) noexcept
        : num_bytes_{num_bytes}, outer_{std::exchange(current_, this)}
    {}
    allocation_limit(const allocation_limit&) = delete;
    allocation_limit& operator=(const allocation_limit&) = delete;
    ~allocation_limit() { current_ = outer_; }

    /// Counts an allocation before it is made.
    /// @throws allocation_limit_exceeded  if this thread has a limit that the allocation exceeds
    static void count(size_type num_bytes)
    {
        for (auto limit = current_; limit; limit = limit->outer_) {
            if (num_bytes > limit->num_bytes_ - limit->used_) {
                throw allocation_limit_exceeded(__FILE__, __LINE__, limit->used_ + num_bytes);
            }
            limit->used_ += num_bytes;
        }
    }

private:
    size_type num_bytes_;
    size_type used_{};
    allocation_limit* outer_;

    static inline thread_local allocation_limit* current_ = nullptr;
};

}  // namespace spruce::detail
