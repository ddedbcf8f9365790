// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "common/numeric/device_check.hpp"
#include "core/base/kernel.hpp"

/// Declares kernels of stopping tests. Results are all_stopped, if all columns have stopped, and
/// one_changed, if the status of at least one column changed.
namespace spruce::kernels::stop {

using matrix::Dense;

/// Stops the running columns j in which tau_j <= factor baseline_j, as converged. All are 1 x k and
/// real.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& tau, const Dense<V>& baseline, V factor, uint8 id, bool finalize,
                                 array<stopping_status>& status, bool& all_stopped, bool& one_changed,
                                 array<char>& tmp)>
    residual_norm{"stop::residual_norm"};

/// Computes result_j = sqrt(|sq_norm_j|), where sq_norm_j is the squared residual norm in a
/// recurrence. Where it is zero or subnormal the recurrence has broken down: result_j is norm_j,
/// the norm of the residual, or 0 if that norm is not known (null). All are 1 x k.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& sq_norm, const Dense<remove_complex<V>>* norm,
                                 Dense<remove_complex<V>>& result)>
    implicit_norm{"stop::implicit_norm"};

/// Performs the next check of k columns, see check_columns(). norm_j is the norm of the residual,
/// and sq_norm_j its square in the recurrence. sq_norm is null if no bound needs it.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& norm, const Dense<V>* sq_norm,
                                 const device_check<remove_complex<V>>& check, array<stopping_status>& status)>
    check_bounds{"stop::check_bounds"};

/// Stops every running column without marking it as converged.
SPRUCE_EXPORT inline Kernel<void(uint8 id, bool finalize, array<stopping_status>& status)> set_all_statuses{
    "stop::set_all_statuses"};

}  // namespace spruce::kernels::stop
