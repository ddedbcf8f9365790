// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include <spruce/base/types.hpp>
#include <spruce/stop/criterion.hpp>

/// Determines when a solve is looked at, for all that depends on the number of the iteration.
namespace spruce::solver::detail {

/// Number of steps that one graph of launches contains. A multiple of 2 and 3: vectors and scalars that a step exchanges in pairs or
/// in threes are in their places again after so many steps.
constexpr size_type steps_per_graph = 12;

/// Distance of checkpoints in a long solve. A checkpoint costs the memory traffic of about three vectors.
constexpr size_type checkpoint_interval = stop::Criterion::period_of_looks;
static_assert(checkpoint_interval % steps_per_graph == 0, "graphs of steps end at checkpoints");

/// Returns the first checkpoint after this iteration: 1, 2, 4, 8, then multiples of steps_per_graph.
constexpr size_type next_checkpoint(size_type iteration)
{
    for (const size_type early : {1, 2, 4, 8, 24, 36, 48, 60, 72, 84, 96}) {
        if (iteration < early) {
            return early;
        }
    }
    return (iteration / checkpoint_interval + 1) * checkpoint_interval;
}

/// Returns true if the iterate before this step is compared with the best one.
constexpr bool is_checkpoint(size_type iteration)
{
    return iteration == 0 || next_checkpoint(iteration - 1) == iteration;
}

/// Returns the number of steps within which the residual has to fall by min_reduction(): more than exact arithmetic needs, with an upper
/// limit, and a multiple of the checkpoint interval.
constexpr size_type stagnation_window(size_type num_rows)
{
    constexpr size_type limit = 100000;
    return (std::min(10 * num_rows + 100, limit) / checkpoint_interval + 1) * checkpoint_interval;
}

/// Returns the factor by which the residual has to fall within a stagnation window. A residual that falls as 1 / k always falls, but
/// ever more slowly; the factor ends such a solve, too.
template <typename Real>
constexpr Real min_reduction()
{
    return Real(0.99);
}

}  // namespace spruce::solver::detail
