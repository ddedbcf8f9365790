// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/base/kernel.hpp"

/// What happened in one check: all columns have stopped; at least one column's status changed.
namespace spruce::kernels::stop {

using matrix::Dense;

/// Stops the columns j that still run, where tau_j <= factor baseline_j, as converged. All are 1 x k and real.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& tau, const Dense<V>& baseline, V factor, uint8 id, bool finalize,
                                 array<stopping_status>& status, bool& all_stopped, bool& one_changed)>
    residual_norm{"stop::residual_norm"};

/// As residual_norm with sqrt(|tau_j|): tau holds squared norms as the recurrence gives them.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& tau, const Dense<remove_complex<V>>& baseline,
                                 remove_complex<V> factor, uint8 id, bool finalize, array<stopping_status>& status,
                                 bool& all_stopped, bool& one_changed)>
    implicit_residual_norm{"stop::implicit_residual_norm"};

/// Stops every column that still runs, without calling it converged.
SPRUCE_EXPORT inline Kernel<void(uint8 id, bool finalize, array<stopping_status>& status)> set_all_statuses{
    "stop::set_all_statuses"};

}  // namespace spruce::kernels::stop
