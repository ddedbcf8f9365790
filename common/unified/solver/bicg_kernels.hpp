// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/bicg_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/numeric/scalar_steps.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace bicg {

using kernels::bicg::vectors;
using matrix::Dense;

template <typename V>
void update_directions(const DeviceExecutor& exec, Dense<V>& p, Dense<V>& shadow_p, const Dense<V>& z,
                       const Dense<V>& shadow_z, const Dense<V>& rho, const Dense<V>& prev_rho,
                       const array<stopping_status>& status)
{
    run_for_each_entry(
        exec, p.get_size()[0], p.get_size()[1],
        [p = entries_of(p), shadow_p = entries_of(shadow_p), z = entries_of(z), shadow_z = entries_of(shadow_z),
         rho = as_device(rho.get_const_values()), prev_rho = as_device(prev_rho.get_const_values()),
         status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            if (!status[col].has_stopped()) {
                const auto beta = is_zero(prev_rho[col]) ? device_type<V>{} : rho[col] / prev_rho[col];
                p(row, col) = z(row, col) + beta * p(row, col);
                shadow_p(row, col) = shadow_z(row, col) + conj_of(beta) * shadow_p(row, col);
            }
        });
}

template <typename V>
void update_solution(const DeviceExecutor& exec, const vectors<V>& with, const Dense<V>& alpha, Dense<V>& rho,
                     Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                     const kernels::stop::device_check<remove_complex<V>>& check, const Reduction& reduction)
{
    using T = device_type<V>;
    const auto scale = reduction.get_scale<remove_complex<V>>();
    run_sum_columns<sums<T, 2>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        per_column{[x = entries_of(with.x), r = entries_of(with.r), shadow_r = entries_of(with.shadow_r),
                    p = entries_of(with.p), q = entries_of(with.q), shadow_q = entries_of(with.shadow_q),
                    alpha = as_device(alpha.get_const_values()), status = status.get_const_data(),
                    scale] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, alpha = alpha[col], has_stopped = status[col].has_stopped(),
                    s = scale_of(scale, col)](size_type row) {
                auto entry = r(row, col);
                auto shadow_entry = shadow_r(row, col);
                remove_complex<V> overflow{};
                if (!has_stopped) {
                    overflow = add_if_finite(x(row, col), alpha * p(row, col));
                    entry -= alpha * q(row, col);
                    shadow_entry -= conj_of(alpha) * shadow_q(row, col);
                    r(row, col) = entry;
                    shadow_r(row, col) = shadow_entry;
                }
                const auto scaled_r = scaled(s, entry);
                return sums<T, 2>{{conj_of(scaled(s, shadow_entry)) * scaled_r, T(squared_abs(scaled_r) + overflow)}};
            };
        }},
        [rho = as_device(rho.get_values()), norm = norm.get_values(), status = status.get_data(), check,
         scale] SPRUCE_KERNEL_LAMBDA(size_type col, const sums<T, 2>& products) {
            rho[col] = products[0];
            norm[col] = sqrt_of(real_of(products[1])) / scale_of(scale, col);
            stop_if_zero_or_nonfinite(norm[col], status[col]);
            kernels::stop::run_fused_check(check, norm, status);
        });
}

}  // namespace bicg

void register_bicg()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::bicg::update_directions<V>.template set<DeviceExecutor>(&bicg::update_directions<V>);
        kernels::bicg::update_solution<V>.template set<DeviceExecutor>(&bicg::update_solution<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
