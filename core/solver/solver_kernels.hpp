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

}  // namespace spruce::kernels::solver
