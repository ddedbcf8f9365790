// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include <spruce/stop/stopping_status.hpp>

#include "common/numeric/complex.hpp"
#include "common/numeric/scale.hpp"

/// Contains stopping tests that run on the device and report to the host.
namespace spruce::kernels::stop {

/// Holds bounds of residual norms, as kernels use them. Baselines are 1 x k.
template <typename V>
struct residual_bounds {
    static constexpr size_type max_size = 4;
    const V* baseline[max_size]{};
    V factor[max_size]{};
    uint8 id[max_size]{};
    bool is_implicit[max_size]{};
    size_type size{};
};

/// Encodes the progress of the tests before steps 0, 1, 2, ... The value is 2 i if all tests before
/// that of iteration i found a running column. It is 2 i + 1 if the test of iteration i found that
/// all columns have stopped.
using check_report = uint64;
constexpr check_report encode_running(size_type next) { return 2 * static_cast<check_report>(next); }
constexpr bool is_end(check_report report) { return report % 2 == 1; }
constexpr size_type iteration_of(check_report report) { return static_cast<size_type>(report / 2); }

/// Describes the next test. A second run performs the test of the next iteration, and so on.
template <typename V>
struct device_check {
    /// Returns true if there are bounds to test.
    SPRUCE_HOST_DEVICE_INLINE explicit operator bool() const { return bounds.size > 0; }

    residual_bounds<V> bounds;
    const V* scale{};                 ///< of squared norms, 1 x k: see Reduction::set_scale(); null: ones
    check_report* state{};            ///< the report so far; the end of a solve is not overwritten
    volatile check_report* report{};  ///< receives a copy of the report; may lie in host memory
};

/// Returns the norm by the recurrence. If its square is zero or a subnormal number, which has lost
/// digits, the norm of the residual is returned.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE remove_complex<T> norm_of_square(const T& squared, const remove_complex<T>& norm)
{
    const auto square = abs_of(squared);
    return square < std::numeric_limits<remove_complex<T>>::min() ? norm : sqrt_of(square);
}

/// Stops the running columns that satisfy a bound, norm_j <= factor baseline_j, as converged, and
/// writes the report. Implicit bounds compare sqrt(|sq_norm_j|). NaN satisfies no bound.
/// @param sq_norm  may be null if no bound is implicit
template <typename Real, typename T>
SPRUCE_HOST_DEVICE_INLINE void check_columns(const device_check<Real>& check, size_type num_cols, const Real* norm,
                                             const T* sq_norm, stopping_status* status)
{
    const auto& bounds = check.bounds;
    auto all_stopped = true;
    for (size_type col = 0; col < num_cols; ++col) {
        auto column_status = status[col];
        const auto column_norm = norm[col];
        const auto s = scale_of(check.scale, col);
        for (size_type i = 0; i < bounds.size; ++i) {
            const auto tested_norm =
                bounds.is_implicit[i] ? norm_of_square(sq_norm[col], s * column_norm) / s : column_norm;
            if (tested_norm <= bounds.factor[i] * bounds.baseline[i][col]) {
                column_status.converge(bounds.id[i]);
            }
        }
        status[col] = column_status;
        all_stopped = all_stopped && column_status.has_stopped();
    }
    auto current = *check.state;
    if (current % 2 == 0) {
        current += all_stopped ? 1 : 2;
    }
    *check.state = current;
    *check.report = current;
}

/// Runs the test of a single column, if there is one, in the kernel that computes the residual
/// norm.
template <typename Real>
SPRUCE_HOST_DEVICE_INLINE void run_fused_check(const device_check<Real>& check, const Real* norm,
                                               stopping_status* status)
{
    if (check) {
        check_columns<Real, Real>(check, 1, norm, nullptr, status);
    }
}

}  // namespace spruce::kernels::stop
