// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/numeric/scalar_steps.hpp"
#include "common/numeric/scale.hpp"

/// Decides, given ||b - A x||, whether a column restarts that stopped by the residual of a
/// recurrence.
namespace spruce::kernels {

/// Restarts a column if the true residual does not confirm its stop. Either it converged but
/// true_norm is greater than norm. Or the recurrence broke down after true_norm had become less
/// than half of start_norm, so that a restart may make progress.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE void resume_unconfirmed(const Real& true_norm, const Real& norm, const Real& start_norm,
                                                  stopping_status& status)
{
    constexpr auto rounding = Real(1.01);
    switch (status.get_reason()) {
    case stop_reason::converged:
        if (!(true_norm <= rounding * norm)) {
            status.reset();
        }
        break;
    case stop_reason::breakdown_inner_product:
    case stop_reason::breakdown_curvature:
    case stop_reason::breakdown_stabilization:
    case stop_reason::breakdown_subspace:
    case stop_reason::stagnation:
        if (true_norm < start_norm / 2) {
            status.reset();
        }
        break;
    default:
        break;
    }
}

/// Stops a running column (stagnation) if its norm is not less than half of start_norm. start_norm
/// becomes the smaller norm: each restart at least halves it, so the number of restarts is bounded.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE void stop_if_not_halved(const Real& norm, Real& start_norm, stopping_status& status)
{
    if (!status.has_stopped()) {
        if (!(norm < start_norm / 2)) {
            status.stop(stop_reason::stagnation);
        }
        if (norm < start_norm) {
            start_norm = norm;
        }
    }
}

/// Sets best_norm of a running column to the smaller of both norms. The column stops (stagnation)
/// if norm is so much larger that no digit of x is significant.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE void update_best_norm(const Real& norm, Real& best_norm, stopping_status& status)
{
    if (status.has_stopped()) {
        return;
    }
    if (norm < best_norm) {
        best_norm = norm;
    } else if (norm * std::numeric_limits<Real>::epsilon() > best_norm) {
        status.stop(stop_reason::stagnation);
    }
}

/// Returns true if a column that stopped without convergence is replaced by another x. The residual
/// of the other x must be finite and not larger.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE bool is_replaced(const Real& norm, const Real& other_norm, const stopping_status& status)
{
    return status.has_stopped() && !status.has_converged() && is_finite_value(other_norm) && !(norm < other_norm);
}

}  // namespace spruce::kernels
