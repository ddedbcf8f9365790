// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Tells on stderr how far the work is: a bar on a terminal, otherwise a line for each label.
class progress {
public:
    explicit progress(size_type num_steps);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress();

    /// What is being done now.
    void set_label(const std::string& label);
    void advance(size_type num_steps = 1);
    /// Goes to this step, whatever was done or left out before.
    void advance_to(size_type step);
    /// A line that stays.
    void note(const std::string& line);

private:
    void draw();
    void clear();

    size_type num_steps_;
    size_type step_{};
    std::string label_;
    bool is_terminal_;
};

}  // namespace spruce::bench
