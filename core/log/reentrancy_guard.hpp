// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace spruce::log {

/// Marks the time in which a logger handles an event. The logger itself causes events (such as
/// cloning an operand or copying it to the host). Loggers with this guard ignore such events on the
/// same thread, because the recursion would not end.
class reentrancy_guard {
public:
    reentrancy_guard() : is_nested_{active_} { active_ = true; }
    ~reentrancy_guard() { active_ = is_nested_; }
    reentrancy_guard(const reentrancy_guard&) = delete;

    /// Returns true if a logger caused the event.
    bool is_nested() const { return is_nested_; }

private:
    static inline thread_local bool active_{};
    bool is_nested_;
};

}  // namespace spruce::log
