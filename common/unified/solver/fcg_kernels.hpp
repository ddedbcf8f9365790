// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/fcg_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/numeric/scalar_steps.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace fcg {

using kernels::cg::solution;
using kernels::fcg::scalars;
using matrix::Dense;

template <typename V>
void update_solution(const DeviceExecutor& exec, const solution<V>& with, const scalars<V>& coefficients,
                     array<stopping_status>& status, const kernels::stop::device_check<remove_complex<V>>& check,
                     const Reduction& reduction)
{
    using T = device_type<V>;
    const auto rho_values = as_device(coefficients.rho.get_const_values());
    const auto pq_values = as_device(coefficients.pq.get_const_values());
    const auto scale = reduction.get_scale<remove_complex<V>>();
    run_sum_columns<sums<T, 2>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        per_column{[=, x = entries_of(with.x), r = entries_of(with.r), p = entries_of(with.p), q = entries_of(with.q),
                    status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, rho = rho_values[col], pq = pq_values[col], s = scale_of(scale, col),
                    has_stopped = status[col].has_stopped()](size_type row) {
                auto r_entry = r(row, col);
                auto x_entry = x(row, col);
                const auto p_entry = p(row, col);
                const auto q_entry = q(row, col);
                const auto step = finite_or_zero(rho / pq);
                remove_complex<V> overflow{};
                if (!has_stopped && !is_zero(step)) {
                    overflow = add_if_finite(x_entry, step * p_entry);
                    x(row, col) = x_entry;
                    r_entry -= step * q_entry;
                    r(row, col) = r_entry;
                }
                const auto scaled_r = scaled(s, r_entry);
                return sums<T, 2>{{conj_of(scaled(s, q_entry)) * scaled_r, T(squared_abs(scaled_r) + overflow)}};
            };
        }},
        [=, alpha = as_device(coefficients.alpha.get_values()),
         next_rho = as_device(coefficients.next_rho.get_values()),
         rho_change = as_device(coefficients.rho_change.get_values()), norm = coefficients.norm.get_values(),
         status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col, const sums<T, 2>& products) {
            alpha[col] = step_or_stop(rho_values[col], pq_values[col], status[col]);
            next_rho[col] = products[1];
            rho_change[col] = -(alpha[col] * products[0]);
            norm[col] = sqrt_of(real_of(products[1])) / scale_of(scale, col);
            stop_if_zero_or_nonfinite(norm[col], status[col]);
            kernels::stop::run_fused_check(check, norm, status);
        });
}

template <typename V>
void compute_rho(const DeviceExecutor& exec, const Dense<V>& z, const Dense<V>& r, const Dense<V>& q,
                 const Dense<V>& alpha, Dense<V>& rho, Dense<V>& rho_change, const Reduction& reduction)
{
    using T = device_type<V>;
    run_sum_columns<sums<T, 2>>(
        exec, z.get_size()[0], z.get_size()[1], reduction,
        per_column{[z = entries_of(z), r = entries_of(r), q = entries_of(q),
                    scale = reduction.get_scale<remove_complex<V>>()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, s = scale_of(scale, col)](size_type row) {
                const auto entry = scaled(s, z(row, col));
                return sums<T, 2>{{conj_of(entry) * scaled(s, r(row, col)), conj_of(scaled(s, q(row, col))) * entry}};
            };
        }},
        [alpha = as_device(alpha.get_const_values()), rho = as_device(rho.get_values()),
         rho_change = as_device(rho_change.get_values())] SPRUCE_KERNEL_LAMBDA(size_type col,
                                                                               const sums<T, 2>& products) {
            rho[col] = products[0];
            rho_change[col] = -(alpha[col] * products[1]);
        });
}

}  // namespace fcg

void register_fcg()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::fcg::update_solution<V>.template set<DeviceExecutor>(&fcg::update_solution<V>);
        kernels::fcg::compute_rho<V>.template set<DeviceExecutor>(&fcg::compute_rho<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
