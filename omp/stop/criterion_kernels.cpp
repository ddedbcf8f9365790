// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/stop/criterion_kernels.hpp"

#include "omp/base/register.hpp"

namespace spruce::kernels::omp {
namespace stop {

/// Stops as converged the running columns for which is_reached(column) holds, and says what happened. Done by one
/// thread: there are only as many columns as right-hand sides.
template <typename Predicate>
void converge_where(Predicate is_reached, uint8 id, bool finalize, array<stopping_status>& status, bool& all_stopped,
                    bool& one_changed)
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

// Both comparisons are false where a side is NaN: such a column never counts as converged.

template <typename V>
void residual_norm(const OmpExecutor&, const matrix::Dense<V>& tau, const matrix::Dense<V>& baseline, V factor,
                   uint8 id, bool finalize, array<stopping_status>& status, bool& all_stopped, bool& one_changed)
{
    converge_where([&](size_type col) { return tau.at(0, col) <= factor * baseline.at(0, col); }, id, finalize, status,
                   all_stopped, one_changed);
}

template <typename V>
void implicit_residual_norm(const OmpExecutor&, const matrix::Dense<V>& tau,
                            const matrix::Dense<remove_complex<V>>& baseline, remove_complex<V> factor, uint8 id,
                            bool finalize, array<stopping_status>& status, bool& all_stopped, bool& one_changed)
{
    converge_where([&](size_type col) { return sqrt(abs(tau.at(0, col))) <= factor * baseline.at(0, col); }, id,
                   finalize, status, all_stopped, one_changed);
}

void set_all_statuses(const OmpExecutor&, uint8 id, bool finalize, array<stopping_status>& status)
{
    for (size_type col = 0; col < status.get_size(); ++col) {
        status.get_data()[col].stop(id, finalize);
    }
}

}  // namespace stop

void register_stop()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        using R = remove_complex<V>;
        kernels::stop::residual_norm<R>.template set<OmpExecutor>(&stop::residual_norm<R>);
        kernels::stop::implicit_residual_norm<V>.template set<OmpExecutor>(&stop::implicit_residual_norm<V>);
    });
    kernels::stop::set_all_statuses.set<OmpExecutor>(&stop::set_all_statuses);
}

}  // namespace spruce::kernels::omp
