// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/workspace.hpp"

namespace spruce::solver::detail {

/// Keeps the iterate with the smallest residual of a solve, and stops columns that make no
/// progress.
///
/// At checkpoints (see schedule.hpp) the iterates of running columns are compared by the residual
/// norms of the recurrence. These may be smaller than the true residual norm ||b - A x||. Therefore
/// true residuals are computed as well, except in the first steps; the best iterate whose true
/// residual is known is kept separately, and progress is judged by it.
template <typename ValueType>
class BestIterate {
public:
    using Vector = matrix::Dense<ValueType>;
    using RealScalar = matrix::Dense<remove_complex<ValueType>>;
    /// Computes r = b - A x and its norm.
    using ComputeResidual = std::function<void(const Vector* x, Vector* r, RealScalar* norm)>;

    BestIterate(spruce::detail::Workspace::Impl& work, Vector* x, array<stopping_status>& status,
                ComputeResidual compute_residual);

    /// Takes x as the best iterate when a solve begins. norm is that of its true residual.
    void reset(const RealScalar* norm);
    /// Compares x with the best iterate if this iteration is a checkpoint. Stops columns
    /// (stagnation) whose residual norm has grown by the inverse of the machine precision. Computes
    /// the true residual of the best iterate, except in the first steps. At the end of a stagnation
    /// window also stops columns whose smallest true residual has not fallen enough.
    /// @param norm  of the residual in the recurrence
    void checkpoint(size_type iteration, const RealScalar* norm);
    /// Performs a checkpoint of a method that updates x only when it restarts.
    /// @param num_steps  steps since the last restart
    /// @param norm       of the true residual
    void checkpoint_at_restart(size_type iteration, size_type num_steps, const RealScalar* norm);
    /// Records x and the norm of its true residual in running columns, and takes x as the best
    /// iterate. The stagnation window in progress stops no column.
    void verify(const RealScalar* norm);
    /// Replaces x in the columns that did not converge by a kept iterate if its true residual is
    /// not larger.
    /// @param norm  of the true residual of x; updated with x
    void restore(RealScalar* norm);
    /// Returns true if restore() may find a better iterate. Waits for the device.
    bool is_worse(const RealScalar* norm) const;

private:
    void update_best(const RealScalar* norm);
    void end_window();
    RealScalar* scalar(const char* name) const;

    spruce::detail::Workspace::Impl& work_;
    std::shared_ptr<const Executor> exec_;
    Vector* x_;
    array<stopping_status>& status_;
    ComputeResidual compute_residual_;
    Vector* best_;
    RealScalar* best_norm_;
    Vector* verified_x_;             ///< the best iterate whose true residual is known
    RealScalar* verified_norm_;      ///< the norm of its true residual
    RealScalar* window_start_norm_;  ///< verified_norm_ when the stagnation window began
    Vector* candidate_residual_;     ///< b - A x of an iterate that is compared
    RealScalar* true_norm_;          ///< the norm of candidate_residual_
};

}  // namespace spruce::solver::detail
