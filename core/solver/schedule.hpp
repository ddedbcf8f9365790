// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include <spruce/base/types.hpp>
#include <spruce/stop/criterion.hpp>

/// Determines the iterations at which the iterates of a solve are compared (checkpoints), at which
/// stagnation windows end, and at which graphs of steps may begin.
namespace spruce::solver::detail {

/// Number of steps that one graph of launches contains. A multiple of 2 and 3: after this many
/// steps, vectors and scalars that steps exchange in pairs or in threes are in their places again
/// (doc/tuning/solvers.md).
constexpr size_type steps_per_graph = 12;

/// Number of iterations between checkpoints in a long solve. Each of these computes a true residual
/// and so costs a product with A besides some passes over vectors (doc/tuning/solvers.md).
constexpr size_type checkpoint_interval = stop::Criterion::checkpoint_interval;
static_assert(checkpoint_interval % steps_per_graph == 0, "graphs of steps end at checkpoints");

/// Returns the first checkpoint after this iteration: 1, 2, 4, 8, 24, 48, 96, then multiples of
/// checkpoint_interval (doc/tuning/solvers.md).
constexpr size_type next_checkpoint(size_type iteration)
{
    for (const size_type early : {1, 2, 4, 8, 24, 48, 96}) {
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

/// Returns true if the true residual is computed at this checkpoint. A solve of a few steps is too
/// short to justify the cost.
constexpr bool is_verifying_checkpoint(size_type iteration)
{
    constexpr size_type first = 8;
    return iteration >= first && is_checkpoint(iteration);
}

/// Returns the number of steps within which the residual has to fall by min_reduction(): more than
/// exact arithmetic needs, up to a limit, and a multiple of checkpoint_interval.
constexpr size_type stagnation_window(size_type num_rows)
{
    constexpr size_type limit = 100000;
    return (std::min(10 * num_rows + 100, limit) / checkpoint_interval + 1) * checkpoint_interval;
}

/// Returns the factor below which the residual norm has to fall within a stagnation window. A
/// residual that falls as 1 / k always falls, but ever more slowly; the factor ends such a solve,
/// too.
template <typename Real>
constexpr Real min_reduction()
{
    return Real(0.99);
}

}  // namespace spruce::solver::detail
