// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/solver/dependency_levels.hpp"
#include "common/gpu/solver/triangular_analysis.hpp"
#include "common/gpu/solver/triangular_block.hpp"
#include "common/gpu/solver/triangular_slices.hpp"

#include SPRUCE_BACKEND_FILE(base, binding)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace triangular {

template <typename V, typename I>
void analyze(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, triangular_schedule<V, I>& schedule)
{
    schedule.is_solved_in_block = !schedule.avoids_blocks && fits_block(a);
    if (!schedule.is_solved_in_block) {
        analyze_slices(exec, a, upper, schedule);
    }
}

template <typename V, typename I>
void solve(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, bool upper, bool,
           const triangular_schedule<V, I>& schedule, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    if (schedule.is_solved_in_block) {
        solve_in_block(exec, a, upper, schedule, b, x);
    } else {
        solve_slices(exec, schedule, b, x);
    }
}

}  // namespace triangular

void register_triangular()
{
    for_each_value_and_index_type([](auto tag) {
        using V = typename decltype(tag)::value_type;
        using I = typename decltype(tag)::index_type;
        kernels::triangular::compute_levels<V, I>.template set<DeviceExecutor>(&triangular::compute_levels<V, I>);
        kernels::triangular::analyze<V, I>.template set<DeviceExecutor>(&triangular::analyze<V, I>);
        kernels::triangular::update_values<V, I>.template set<DeviceExecutor>(&triangular::update_values<V, I>);
        kernels::triangular::solve<V, I>.template set<DeviceExecutor>(&triangular::solve<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
