// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/log/logger.hpp>

namespace spruce {
namespace log {

/// Keeps how the last solve ended. Add it to a solver, or to the factory of its stopping criterion; it changes only
/// when all columns have stopped. The data are copies on the executor of what was logged. For one thread at a time.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Convergence : public Logger {
public:
    static std::unique_ptr<Convergence> create(const mask_type& enabled_events = criterion_events_mask |
                                                                                 iteration_complete_mask);
    /// The executor plays no part; kept for code written to the older form.
    static std::unique_ptr<Convergence> create(std::shared_ptr<const Executor> exec,
                                               const mask_type& enabled_events = criterion_events_mask |
                                                                                 iteration_complete_mask);
    ~Convergence() override;

    bool needs_every_iteration() const override { return false; }

    /// Whether every column of the last solve converged; a limit on iterations or time is no convergence.
    bool has_converged() const noexcept { return has_converged_; }
    void reset_convergence_status() { has_converged_ = false; }

    /// Completed iterations: 0 if the initial guess was good enough.
    const size_type& get_num_iterations() const noexcept { return num_iterations_; }

    /// The final residual, n x k; null if the solver did not give it.
    const LinOp* get_residual() const noexcept { return residual_.get(); }

    /// The 2-norms of its columns, 1 x k and real: as logged, or else computed from the residual, for which that has to
    /// be dense; null if neither was there.
    const LinOp* get_residual_norm() const noexcept { return residual_norm_.get(); }

    /// The squared norms of the solver's recurrence, 1 x k; null if the solver has none.
    const LinOp* get_implicit_sq_resnorm() const noexcept { return implicit_sq_resnorm_.get(); }

    void on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                      const LinOp* tau, const LinOp* x, const uint8& id, const bool& finalized,
                                      const array<stopping_status>* status, const bool& one_changed,
                                      const bool& all_stopped) const override;
    void on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it, const LinOp* r,
                                      const LinOp* tau, const LinOp* implicit_tau_sq, const LinOp* x, const uint8& id,
                                      const bool& finalized, const array<stopping_status>* status,
                                      const bool& one_changed, const bool& all_stopped) const override;

    /// The two earlier forms do not say whether this is the end: nothing is kept.
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
