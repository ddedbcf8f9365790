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
                                 array<stopping_status>& status, bool& all_stopped, bool& one_changed,
                                 array<char>& tmp)>
    residual_norm{"stop::residual_norm"};

/// As residual_norm with sqrt(|tau_j|): tau holds squared norms as the recurrence gives them. Where tau_j is zero norm_j counts, the
/// residual's, unless it is not known (null): a recurrence that has broken down has not converged.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& tau, const Dense<remove_complex<V>>* norm,
                                 const Dense<remove_complex<V>>& baseline, remove_complex<V> factor, uint8 id,
                                 bool finalize, array<stopping_status>& status, bool& all_stopped, bool& one_changed,
                                 array<char>& tmp)>
    implicit_residual_norm{"stop::implicit_residual_norm"};

/// A few bounds on residual norms, each 1 x k, as they are handed to the device.
template <typename V>
struct residual_bounds {
    static constexpr size_type max_size = 4;
    const V* baseline[max_size]{};
    V factor[max_size]{};
    uint8 id[max_size]{};
    bool is_implicit[max_size]{};
    size_type size{};
};

/// How the checks before steps number 0, 1, 2, ... went: twice the number of the next one; or twice the number of the one that
/// found all columns stopped, and one.
using check_report = uint64;
constexpr check_report report_of_running(size_type next) { return 2 * static_cast<check_report>(next); }
constexpr bool is_end(check_report report) { return report % 2 == 1; }
constexpr size_type number_of_check(check_report report) { return static_cast<size_type>(report / 2); }

/// The next check: stops the columns j that still run, where norm_j <= factor baseline_j for one of the bounds, as converged; for
/// implicit bounds sqrt(|sq_norm_j|) takes the place of norm_j unless it is zero, and without any of them sq_norm may be null. state holds one report, which ends and stays as it is once all columns have stopped; it is written to report as well, which
/// may be memory of the host: nobody waits. Launched again with the same arguments it is the check after that.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& norm, const Dense<V>* sq_norm,
                                 const residual_bounds<remove_complex<V>>& bounds, array<stopping_status>& status,
                                 array<check_report>& state, volatile check_report* report)>
    check_bounds{"stop::check_bounds"};

/// Stops every column that still runs, without calling it converged.
SPRUCE_EXPORT inline Kernel<void(uint8 id, bool finalize, array<stopping_status>& status)> set_all_statuses{
    "stop::set_all_statuses"};

}  // namespace spruce::kernels::stop
