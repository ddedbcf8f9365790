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

/// A few bounds on residual norms, each 1 x k, as they are handed to the device.
template <typename V>
struct residual_bounds {
    static constexpr size_type max_size = 4;
    const V* baseline[max_size]{};
    V factor[max_size]{};
    uint8 id[max_size]{};
    size_type size{};
};

/// What the device reports of a check: twice the number of checks done; or twice the iteration in which the last column stopped,
/// and one.
using check_report = uint64;
inline check_report report_of_checks(size_type num_checks) { return 2 * static_cast<check_report>(num_checks); }
inline check_report report_of_end(size_type iteration) { return 2 * static_cast<check_report>(iteration) + 1; }

/// Stops the columns j that still run, where norm_j <= factor baseline_j for one of the bounds, as converged. end: one number,
/// which is zero until all columns have stopped and the report of that from then on. What there is to report is written to
/// report as well, which may be memory of the host: nobody waits.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& norm, const residual_bounds<V>& bounds, check_report if_running,
                                 check_report if_ended, array<stopping_status>& status, array<check_report>& end,
                                 volatile check_report* report)>
    check_bounds{"stop::check_bounds"};

/// Stops every column that still runs, without calling it converged.
SPRUCE_EXPORT inline Kernel<void(uint8 id, bool finalize, array<stopping_status>& status)> set_all_statuses{
    "stop::set_all_statuses"};

}  // namespace spruce::kernels::stop
