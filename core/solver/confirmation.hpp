// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <vector>

#include <spruce/base/array.hpp>
#include <spruce/stop/stopping_status.hpp>

/// For solvers whose recurrence drifts from the true residual: is an end an end?
namespace spruce::solver::detail {

/// Whether the true residual could say otherwise of one of these.
inline bool needs_confirmation(const std::vector<stop_reason>& reasons)
{
    return std::any_of(reasons.begin(), reasons.end(), [](stop_reason reason) {
        return reason == stop_reason::converged || reason == stop_reason::stagnation ||
               (reason >= stop_reason::breakdown_inner_product && reason <= stop_reason::breakdown_subspace);
    });
}

/// Whether the recurrence's norms are what the columns ended with: those that converged, that is.
inline bool all_converged(const std::vector<stop_reason>& reasons)
{
    return std::all_of(reasons.begin(), reasons.end(),
                       [](stop_reason reason) { return reason == stop_reason::converged; });
}

/// Waits for the device.
inline bool any_runs(const array<stopping_status>& status)
{
    const auto on_host = status.copy_to_host();
    return std::any_of(on_host.begin(), on_host.end(), [](stopping_status column) { return !column.has_stopped(); });
}

}  // namespace spruce::solver::detail
