// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace spruce::log {

/// Held by a logger while it handles an event. What it does meanwhile (cloning an operand, copying it to the host)
/// causes events as well; on the same thread these are not for such loggers, or they would go on for ever.
class reentrancy_guard {
public:
    reentrancy_guard() : is_nested_{active_} { active_ = true; }
    ~reentrancy_guard() { active_ = is_nested_; }
    reentrancy_guard(const reentrancy_guard&) = delete;

    /// Whether the event was caused by a logger.
    bool is_nested() const { return is_nested_; }

private:
    static inline thread_local bool active_{};
    bool is_nested_;
};

}  // namespace spruce::log
