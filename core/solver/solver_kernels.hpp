// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/kernel.hpp"

/// What all iterative solvers need.
namespace spruce::kernels::solver {

/// Every column runs, but for those whose initial residual is zero (converged) or not finite. norm: 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& norm, array<stopping_status>& status)> start{"solver::start"};

/// Ends the columns that run and whose residual is zero (converged) or not finite. norm: 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& norm, array<stopping_status>& status)> stop_at_end{
    "solver::stop_at_end"};

/// p = z + beta p in the columns that run; n x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(matrix::Dense<V>& p, const matrix::Dense<V>& z, V beta,
                                 const array<stopping_status>& status)>
    next_direction{"solver::next_direction"};

/// factor_j = step where column j of z runs and is finite; where it is not, the column stops (not finite), and for columns that
/// have stopped, factor_j = 0. z: n x k, factor: 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const matrix::Dense<V>& z, V step, matrix::Dense<V>& factor,
                                 array<stopping_status>& status, array<char>& tmp)>
    check_direction{"solver::check_direction"};

/// x_j = x_j + factor_j z_j in the columns that run.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(matrix::Dense<V>& x, const matrix::Dense<V>& z, const matrix::Dense<V>& factor,
                                 const array<stopping_status>& status)>
    add_direction{"solver::add_direction"};

}  // namespace spruce::kernels::solver
