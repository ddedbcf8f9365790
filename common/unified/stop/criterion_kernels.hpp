// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/stop/criterion_kernels.hpp"

#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace stop {

using kernels::stop::device_check;
using matrix::Dense;

/// Bits of the result of a check: some column still runs; some status changed.
constexpr int32 still_running = 1;
constexpr int32 changed = 2;

/// Stops as converged the running columns for which is_done(column) holds, and reports the outcome.
template <typename IsDone>
void stop_converged_columns(const DeviceExecutor& exec, array<stopping_status>& status, uint8 id, bool finalize,
                            IsDone is_done, bool& all_stopped, bool& one_changed, array<char>& tmp)
{
    const auto found = run_or(exec, status.get_size(), tmp,
                              [=, status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) -> int32 {
                                  if (status[col].has_stopped()) {
                                      return 0;
                                  }
                                  if (!is_done(col)) {
                                      return still_running;
                                  }
                                  status[col].converge(id, finalize);
                                  return changed;
                              });
    all_stopped = (found & still_running) == 0;
    one_changed = (found & changed) != 0;
}

// Both comparisons are false if a side is NaN: such a column never counts as converged.

template <typename V>
void residual_norm(const DeviceExecutor& exec, const Dense<V>& tau, const Dense<V>& baseline, V factor, uint8 id,
                   bool finalize, array<stopping_status>& status, bool& all_stopped, bool& one_changed,
                   array<char>& tmp)
{
    stop_converged_columns(
        exec, status, id, finalize,
        [tau = tau.get_const_values(), baseline = baseline.get_const_values(),
         factor] SPRUCE_KERNEL_LAMBDA(size_type col) { return tau[col] <= factor * baseline[col]; },
        all_stopped, one_changed, tmp);
}

template <typename V>
void implicit_norm(const DeviceExecutor& exec, const Dense<V>& sq_norm, const Dense<remove_complex<V>>* norm,
                   Dense<remove_complex<V>>& result)
{
    run_for_each(exec, result.get_size()[1],
                 [sq_norm = as_device(sq_norm.get_const_values()), norm = norm ? norm->get_const_values() : nullptr,
                  result = result.get_values()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     result[col] = kernels::stop::norm_of_square(sq_norm[col], norm ? norm[col] : 0);
                 });
}

template <typename V>
void check_bounds(const DeviceExecutor& exec, const Dense<remove_complex<V>>& norm, const Dense<V>* sq_norm,
                  const device_check<remove_complex<V>>& check, array<stopping_status>& status)
{
    // One thread tests all columns. They are few, and no other kernel is needed to determine if all
    // have stopped.
    run_for_each(exec, 1,
                 [norm = norm.get_const_values(), sq_norm = as_device(sq_norm ? sq_norm->get_const_values() : nullptr),
                  check, num_cols = status.get_size(), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type) {
                     kernels::stop::check_columns(check, num_cols, norm, sq_norm, status);
                 });
}

void set_all_statuses(const DeviceExecutor& exec, uint8 id, bool finalize, array<stopping_status>& status)
{
    run_for_each(exec, status.get_size(), [=, status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
        status[col].stop(id, finalize);
    });
}

}  // namespace stop

void register_stop()
{
    kernels::stop::set_all_statuses.set<DeviceExecutor>(&stop::set_all_statuses);
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        using real = remove_complex<V>;
        kernels::stop::residual_norm<real>.template set<DeviceExecutor>(&stop::residual_norm<real>);
        kernels::stop::check_bounds<V>.template set<DeviceExecutor>(&stop::check_bounds<V>);
        kernels::stop::implicit_norm<V>.template set<DeviceExecutor>(&stop::implicit_norm<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
