// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>

namespace spruce::solver::detail {

template <typename ValueType>
class KrylovSolve;

/// Replaces the residual of a recurrence by the true one when all columns have stopped.
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

    explicit ResidualReplacement(KrylovSolve<ValueType>& solve);

    /// Records the norm of the true residual at which the recurrence starts.
    void begin(const RealScalar* norm);
    /// Computes the true residual and restarts every column that it requires to run again. Returns
    /// true if the solve goes on.
    bool resume_if_unconfirmed();

    /// Returns the norms of the true residuals at the last start of the recurrence.
    RealScalar* start_norm() const { return start_norm_; }
    /// Returns the norms of the last true residuals.
    RealScalar* true_norm() const { return true_norm_; }

private:
    KrylovSolve<ValueType>& solve_;
    RealScalar* start_norm_;
    RealScalar* true_norm_;
};

}  // namespace spruce::solver::detail
