// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <vector>

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/workspace.hpp"

namespace spruce::solver::detail {

/// Decides which columns continue from the true residual when all columns have stopped.
///
/// In finite precision the residual of a recurrence deviates from the true residual b - A x. A
/// column that converged is restarted if its true residual is larger than that of the recurrence by
/// more than 1 %. A column that stopped by breakdown or stagnation is restarted if its true
/// residual is less than half of that at the last start. A restart at a true residual that is not
/// below this half ends the column as stagnated, unless it satisfies the criteria.
template <typename ValueType>
class ResidualReplacement {
public:
    using RealScalar = matrix::Dense<remove_complex<ValueType>>;

    ResidualReplacement(spruce::detail::Workspace::Impl& work, std::shared_ptr<const Executor> exec,
                        array<stopping_status>& status);

    /// Records the norm of the true residual at which the recurrence starts.
    void begin(const RealScalar* norm);
    /// Returns true if true residuals could contradict the reasons why the columns stopped.
    /// @param depends_on_residual  whether a criterion depends on the residual; otherwise a column
    ///                             has converged only if its residual is zero
    static bool is_needed(const std::vector<stop_reason>& reasons, bool depends_on_residual);
    /// Restarts every column that true_norm() requires to run again. Returns true if there is one.
    /// Waits for the device.
    /// @param norm  of the residual in the recurrence
    bool resume_unconfirmed(const RealScalar& norm);
    /// Stops the running columns (stagnation) whose norm is not below half of start_norm(), which
    /// becomes the smaller of both.
    void stop_if_not_halved(const RealScalar& norm);

    /// Returns the norms of the true residuals at the last start of the recurrence.
    RealScalar* start_norm() const { return start_norm_; }
    /// Returns the norms of the last true residuals.
    RealScalar* true_norm() const { return true_norm_; }

private:
    std::shared_ptr<const Executor> exec_;
    array<stopping_status>& status_;
    RealScalar* start_norm_;
    RealScalar* true_norm_;
};

}  // namespace spruce::solver::detail
