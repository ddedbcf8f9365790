// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

#include "core/stop/criterion_kernels.hpp"

namespace spruce::kernels::reference {

/// Stops as converged the running columns for which is_reached(column) is true. Sets all_stopped
/// and one_changed.
template <typename Predicate>
void stop_converged_columns(Predicate is_reached, uint8 id, bool finalize, array<stopping_status>& status,
                            bool& all_stopped, bool& one_changed)
{
    all_stopped = true;
    one_changed = false;
    for (size_type col = 0; col < status.get_size(); ++col) {
        auto& column = status.get_data()[col];
        if (!column.has_stopped() && is_reached(col)) {
            column.converge(id, finalize);
            one_changed = true;
        }
        all_stopped = all_stopped && column.has_stopped();
    }
}

/// Performs the next test: stops as converged the running columns whose tested_norm(bound, column)
/// satisfies a bound, and writes the report. NaN satisfies no bound.
template <typename Real, typename Norm>
void test_bounds(const kernels::stop::device_check<Real>& check, Norm tested_norm, array<stopping_status>& status)
{
    const auto& bounds = check.bounds;
    auto all_stopped = true;
    for (size_type i = 0; i < bounds.size; ++i) {
        bool one_changed{};
        stop_converged_columns(
            [&](size_type col) { return tested_norm(i, col) <= bounds.factor[i] * bounds.baseline[i][col]; },
            bounds.id[i], true, status, all_stopped, one_changed);
    }
    auto& report = *check.state;
    // An odd report belongs to the end of the solve and does not change.
    if (report % 2 == 0) {
        report += all_stopped ? 1 : 2;
    }
    *check.report = report;
}

/// Performs the test of a step with a single column, if check has bounds.
template <typename Real>
void test_single_column(const kernels::stop::device_check<Real>& check, const matrix::Dense<Real>& norm,
                        array<stopping_status>& status)
{
    if (check.bounds.size > 0) {
        test_bounds(
            check, [&](size_type, size_type col) { return norm.at(0, col); }, status);
    }
}

}  // namespace spruce::kernels::reference
