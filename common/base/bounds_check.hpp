// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/stop/stopping_status.hpp>

#include "common/base/complex.hpp"

/// How a device finds out whether residuals are small enough, for the host to look at later.
namespace spruce::kernels::stop {

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

/// The next check. Done again it is the check after that.
template <typename V>
struct bounds_check {
    /// Whether there is anything to check.
    SPRUCE_FN explicit operator bool() const { return bounds.size > 0; }

    residual_bounds<V> bounds;
    check_report* state{};            ///< how the checks went; an end stays as it is
    volatile check_report* report{};  ///< receives the same, and may be memory of the host: nobody waits
};

/// What the recurrence says, or the residual's norm where that is zero.
template <typename T>
SPRUCE_FN remove_complex<T> implicit_norm(const T& squared, const remove_complex<T>& norm)
{
    return is_zero(squared) ? norm : sqrt_of(abs_of(squared));
}

/// Stops the columns j that still run, where norm_j, for implicit bounds sqrt(|sq_norm_j|), <= factor baseline_j for one of the bounds, as
/// converged, and reports. Both sides may be NaN: such a column never counts as converged.
/// @param sq_norm  may be null if no bound is implicit
template <typename Real, typename T>
SPRUCE_FN void check_columns(const bounds_check<Real>& check, size_type num_cols, const Real* norm, const T* sq_norm,
                             stopping_status* status)
{
    const auto& bounds = check.bounds;
    auto all_stopped = true;
    for (size_type col = 0; col < num_cols; ++col) {
        auto my_status = status[col];
        const auto my_norm = norm[col];
        for (size_type i = 0; i < bounds.size; ++i) {
            const auto norm_here = bounds.is_implicit[i] ? implicit_norm(sq_norm[col], my_norm) : my_norm;
            if (norm_here <= bounds.factor[i] * bounds.baseline[i][col]) {
                my_status.converge(bounds.id[i]);
            }
        }
        status[col] = my_status;
        all_stopped = all_stopped && my_status.has_stopped();
    }
    auto current = *check.state;
    if (current % 2 == 0) {
        current += all_stopped ? 1 : 2;
    }
    *check.state = current;
    *check.report = current;
}

/// For the kernel that finishes the residual norm of a single column: it takes the check along, if there is one.
template <typename Real>
SPRUCE_FN void take_along(const bounds_check<Real>& check, const Real* norm, stopping_status* status)
{
    if (check) {
        check_columns<Real, Real>(check, 1, norm, nullptr, status);
    }
}

}  // namespace spruce::kernels::stop
