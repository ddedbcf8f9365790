// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/stop/criterion_kernels.hpp"

#include "reference/base/norms.hpp"
#include "reference/base/register.hpp"
#include "reference/stop/bounds.hpp"

namespace spruce::kernels::reference {
namespace stop {

// The comparison is false if a side is NaN, so such a column never counts as converged.

template <typename V>
void residual_norm(const ReferenceExecutor&, const matrix::Dense<V>& tau, const matrix::Dense<V>& baseline, V factor,
                   uint8 id, bool finalize, array<stopping_status>& status, bool& all_stopped, bool& one_changed,
                   array<char>&)
{
    stop_converged_columns([&](size_type col) { return tau.at(0, col) <= factor * baseline.at(0, col); }, id, finalize,
                           status, all_stopped, one_changed);
}

template <typename V>
void implicit_norm(const ReferenceExecutor&, const matrix::Dense<V>& sq_norm,
                   const matrix::Dense<remove_complex<V>>* norm, matrix::Dense<remove_complex<V>>& result)
{
    for (size_type col = 0; col < result.get_size()[1]; ++col) {
        result.at(0, col) = norm_of_square(sq_norm.at(0, col), norm ? norm->at(0, col) : 0);
    }
}

template <typename V>
void check_bounds(const ReferenceExecutor&, const matrix::Dense<remove_complex<V>>& norm,
                  const matrix::Dense<V>* sq_norm, const kernels::stop::device_check<remove_complex<V>>& check,
                  array<stopping_status>& status)
{
    const auto norm_of_bound = [&](size_type i, size_type col) {
        const auto scale = check.scale ? check.scale[col] : 1;
        return check.bounds.is_implicit[i] ? norm_of_square(sq_norm->at(0, col), scale * norm.at(0, col)) / scale
                                           : norm.at(0, col);
    };
    test_bounds(check, norm_of_bound, status);
}

void set_all_statuses(const ReferenceExecutor&, uint8 id, bool finalize, array<stopping_status>& status)
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
        kernels::stop::residual_norm<R>.template set<ReferenceExecutor>(&stop::residual_norm<R>);
        kernels::stop::check_bounds<V>.template set<ReferenceExecutor>(&stop::check_bounds<V>);
        kernels::stop::implicit_norm<V>.template set<ReferenceExecutor>(&stop::implicit_norm<V>);
    });
    kernels::stop::set_all_statuses.set<ReferenceExecutor>(&stop::set_all_statuses);
}

}  // namespace spruce::kernels::reference
