// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/logger.hpp>

#include <atomic>

namespace spruce::log {
namespace {
std::atomic<size_type> num_caught_exceptions{};
}

size_type Logger::get_num_caught_exceptions() noexcept { return num_caught_exceptions.load(); }
void Logger::count_caught_exception() noexcept { num_caught_exceptions.fetch_add(1, std::memory_order_relaxed); }

Logger::~Logger() = default;
Loggable::~Loggable() = default;

void Logger::on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                          const LinOp* tau, const LinOp*, const LinOp* x, const uint8& id,
                                          const bool& finalized, const array<stopping_status>* status,
                                          const bool& one_changed, const bool& all_stopped) const
{
    this->on_criterion_check_completed(criterion, it, r, tau, x, id, finalized, status, one_changed, all_stopped);
}

void Logger::on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                                   const LinOp* tau, const LinOp*) const
{
    this->on_iteration_complete(solver, it, r, x, tau);
}

void Logger::on_iteration_complete(const LinOp* solver, const LinOp*, const LinOp* x, const size_type& it,
                                   const LinOp* r, const LinOp* tau, const LinOp* implicit_tau_sq,
                                   const array<stopping_status>*, bool) const
{
    this->on_iteration_complete(solver, it, r, x, tau, implicit_tau_sq);
}

}  // namespace spruce::log
