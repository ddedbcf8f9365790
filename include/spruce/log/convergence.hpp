// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/log/logger.hpp>

namespace spruce {
namespace log {

/// Stores how the last solve ended. It is added to a solver, or to the factory of its stopping
/// criterion. It changes only when all columns have stopped. It copies the logged data and keeps
/// the copies on the executors of the data. Only one thread at a time may use it.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Convergence : public Logger {
public:
    static std::unique_ptr<Convergence> create(const mask_type& enabled_events = criterion_events_mask |
                                                                                 iteration_complete_mask);
    /// Creates a logger. The executor is ignored; this form exists for compatibility.
    static std::unique_ptr<Convergence> create(std::shared_ptr<const Executor> exec,
                                               const mask_type& enabled_events = criterion_events_mask |
                                                                                 iteration_complete_mask);
    ~Convergence() override;

    bool needs_every_iteration() const override { return false; }

    /// Returns true if every column of the last solve converged. Reaching a limit on iterations or
    /// time is not convergence.
    bool has_converged() const noexcept { return has_converged_; }
    void reset_convergence_status() { has_converged_ = false; }

    /// Returns the number of completed iterations; 0 if the initial guess satisfied the criterion.
    const size_type& get_num_iterations() const noexcept { return num_iterations_; }

    /// Returns the final residual, n x k; null if the solver did not provide it.
    const LinOp* get_residual() const noexcept { return residual_.get(); }

    /// Returns the 2-norms of the columns of the residual as real numbers, 1 x k. If the event did
    /// not contain them, they are computed from the residual, which has to be dense. Returns null
    /// if neither is available.
    const LinOp* get_residual_norm() const noexcept { return residual_norm_.get(); }

    /// Returns the squared norms of the recurrence of the solver, 1 x k; null if the solver has
    /// none.
    const LinOp* get_implicit_sq_resnorm() const noexcept { return implicit_sq_resnorm_.get(); }

    void on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                      const LinOp* tau, const LinOp* x, const uint8& id, const bool& finalized,
                                      const array<stopping_status>* status, const bool& one_changed,
                                      const bool& all_stopped) const override;
    void on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                      const LinOp* tau, const LinOp* implicit_tau_sq, const LinOp* x, const uint8& id,
                                      const bool& finalized, const array<stopping_status>* status,
                                      const bool& one_changed, const bool& all_stopped) const override;

    /// Stores nothing, because these two earlier forms do not contain whether the solve ended.
    void on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                               const LinOp* tau) const override;
    void on_iteration_complete(const LinOp* solver, const size_type& it, const LinOp* r, const LinOp* x,
                               const LinOp* tau, const LinOp* implicit_tau_sq) const override;
    void on_iteration_complete(const LinOp* solver, const LinOp* b, const LinOp* x, const size_type& it, const LinOp* r,
                               const LinOp* tau, const LinOp* implicit_tau_sq, const array<stopping_status>* status,
                               bool stopped) const override;

protected:
    explicit Convergence(const mask_type& enabled_events);

private:
    void keep(const size_type& it, const LinOp* r, const LinOp* tau, const LinOp* implicit_tau_sq,
              const array<stopping_status>* status) const;

    mutable bool has_converged_{};
    mutable size_type num_iterations_{};
    mutable std::unique_ptr<LinOp> residual_;
    mutable std::unique_ptr<LinOp> residual_norm_;
    mutable std::unique_ptr<LinOp> implicit_sq_resnorm_;
};

}  // namespace log
}  // namespace spruce
