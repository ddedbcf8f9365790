// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <ostream>

#include <spruce/stop/stopping_status.hpp>

namespace spruce {

std::ostream& operator<<(std::ostream& stream, stop_reason reason)
{
    switch (reason) {
    case stop_reason::running:
        return stream << "running";
    case stop_reason::converged:
        return stream << "converged";
    case stop_reason::iteration_limit:
        return stream << "iteration limit";
    case stop_reason::time_limit:
        return stream << "time limit";
    case stop_reason::criterion:
        return stream << "criterion";
    case stop_reason::breakdown_inner_product:
        return stream << "breakdown: inner product";
    case stop_reason::breakdown_curvature:
        return stream << "breakdown: curvature";
    case stop_reason::breakdown_stabilization:
        return stream << "breakdown: stabilization";
    case stop_reason::breakdown_subspace:
        return stream << "breakdown: subspace";
    case stop_reason::stagnation:
        return stream << "stagnation";
    case stop_reason::not_finite:
        return stream << "not finite";
    }
    return stream << "unknown stop_reason";
}

}  // namespace spruce
