// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace spruce::log {

/// Held by a logger while it handles an event. What it does meanwhile (cloning an operand, copying it to the host)
/// causes events as well; on the same thread these are not for such loggers, or they would go on for ever.
class own_work {
public:
    own_work() : is_nested_{active_} { active_ = true; }
    ~own_work() { active_ = is_nested_; }
    own_work(const own_work&) = delete;

    /// Whether the event was caused by a logger.
    bool is_nested() const { return is_nested_; }

private:
    static inline thread_local bool active_{};
    bool is_nested_;
};

}  // namespace spruce::log
