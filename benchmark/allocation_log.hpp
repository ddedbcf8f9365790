// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <map>

#include <spruce/log/logger.hpp>

namespace spruce::bench {

/// Counts the bytes that are allocated on an executor after this logger was added.
class allocation_log : public log::Logger {
public:
    allocation_log() : Logger{allocation_completed_mask | free_completed_mask} {}

    /// Returns what is allocated now.
    size_type get_current() const { return now_; }
    /// Returns the largest number of bytes that were allocated at once.
    size_type get_peak() const { return peak_; }

    void on_allocation_completed(const Executor*, const size_type& num_bytes, const uintptr& location) const override
    {
        sizes_[location] = num_bytes;
        now_ += num_bytes;
        peak_ = std::max(peak_, now_);
    }
    void on_free_completed(const Executor*, const uintptr& location) const override
    {
        const auto found = sizes_.find(location);
        if (found != sizes_.end()) {
            now_ -= found->second;
            sizes_.erase(found);
        }
    }

private:
    mutable std::map<uintptr, size_type> sizes_;
    mutable size_type now_{};
    mutable size_type peak_{};
};

}  // namespace spruce::bench
