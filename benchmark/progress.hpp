// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <string>

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Reports the progress of the work on stderr, as a bar with the time left on a terminal and
/// otherwise as one line for each label.
class progress {
public:
    explicit progress(size_type num_steps);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress();

    /// Sets the description of the current work.
    void set_label(const std::string& label);
    /// Sets the number of completed steps, whatever was completed or skipped before.
    void advance_to(size_type step);
    /// Prints a line that remains visible.
    void note(const std::string& line);

private:
    void draw();
    void clear();
    std::string time_left() const;

    size_type num_steps_;
    size_type step_{};
    std::string label_;
    bool is_terminal_;
    std::chrono::steady_clock::time_point start_{std::chrono::steady_clock::now()};
};

}  // namespace spruce::bench
