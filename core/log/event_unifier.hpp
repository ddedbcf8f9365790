// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/log/logger.hpp>

namespace spruce::log {

/// Forwards all versions of an event to the latest version, which has the most arguments. Logger
/// itself forwards in the opposite direction.
template <typename Base>
class EventUnifier : public Base {
public:
    using Base::Base;
    using Base::on_criterion_check_completed;
    using Base::on_iteration_complete;

    void on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                      const LinOp* tau, const LinOp* x, const uint8& id, const bool& finalized,
                                      const array<stopping_status>* status, const bool& one_changed,
                                      const bool& all_stopped) const final
    {
        this->on_criterion_check_completed(criterion, it, r, tau, nullptr, x, id, finalized, status, one_changed,
                                           all_stopped);
    }
    void on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                               const LinOp* tau) const final
    {
        this->on_iteration_complete(solver, nullptr, x, it, r, tau, nullptr, nullptr, false);
    }
    void on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                               const LinOp* tau, const LinOp* implicit_tau_sq) const final
    {
        this->on_iteration_complete(solver, nullptr, x, it, r, tau, implicit_tau_sq, nullptr, false);
    }
};

}  // namespace spruce::log
