// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>

namespace spruce::solver::detail {

template <typename ValueType>
class KrylovSolve;

/// Replaces the residual of a recurrence by the true one when all columns have stopped.
///
/// In finite precision the residual of a recurrence drifts from b - A x. A column that converged is restarted if its true residual
/// is larger by more than 1 %, and one that broke down if its true residual has been halved since the last restart. A restart that
/// does not halve the residual ends the column as stagnated.
template <typename ValueType>
class ResidualReplacement {
public:
    using RealScalar = matrix::Dense<remove_complex<ValueType>>;

    explicit ResidualReplacement(KrylovSolve<ValueType>& solve);

    /// Notes the norm of the true residual at which the recurrence starts.
    void begin(const RealScalar* norm);
    /// Computes the true residual and restarts every column whose end it does not confirm. Returns true if the solve goes on.
    bool resume_if_unconfirmed();

    RealScalar* start_norm() const { return start_norm_; }
    RealScalar* true_norm() const { return true_norm_; }

private:
    KrylovSolve<ValueType>& solve_;
    RealScalar* start_norm_;
    RealScalar* true_norm_;
};

}  // namespace spruce::solver::detail
