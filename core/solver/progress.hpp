// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include <spruce/base/types.hpp>
#include <spruce/stop/criterion.hpp>

#include "core/solver/recorded_steps.hpp"

/// For solvers that keep the best x: when to look at how a solve goes.
namespace spruce::solver::detail {

/// So often, in the long run, x is compared with the best one. It costs some three vectors of memory traffic.
constexpr size_type look_period = stop::Criterion::period_of_looks;
static_assert(look_period % recorded_steps_at_once == 0, "blocks of steps end where somebody looks");

/// The step before which a solve is looked at after it has come to step number iteration: 1, 2, 4, 8, then where blocks of recorded
/// steps begin, further and further apart.
constexpr size_type next_look(size_type iteration)
{
    for (const size_type early : {1, 2, 4, 8, 24, 48, 96}) {
        if (iteration < early) {
            return early;
        }
    }
    return (iteration / look_period + 1) * look_period;
}
constexpr bool is_looked_at(size_type iteration) { return iteration == 0 || next_look(iteration - 1) == iteration; }

/// For so many steps the residual may go without becoming smaller: more than exact arithmetic would ever take, within reason.
constexpr size_type patience(size_type num_rows)
{
    constexpr size_type most = 100000;
    return (std::min(10 * num_rows + 100, most) / look_period + 1) * look_period;
}

/// By this factor at least the residual has to become smaller in the meantime. A method that gains less would go on for ever: a
/// residual that falls as 1 / k loses less and less of itself, but does not cease to.
template <typename Real>
constexpr Real least_decrease()
{
    return Real(0.99);
}

/// Whether a column ended without what it was to reach, and not by a limit.
constexpr bool has_failed(stop_reason reason) { return reason >= stop_reason::breakdown_inner_product; }

}  // namespace spruce::solver::detail
