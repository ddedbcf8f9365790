// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/bicgstab_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/numeric/shadow_residual.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace bicgstab {

using kernels::bicgstab::scalars;
using kernels::bicgstab::vectors;
using matrix::Dense;

template <typename V>
void update_p(const DeviceExecutor& exec, Dense<V>& p, Dense<V>& shadow, const Dense<V>& r, const Dense<V>& v,
              const Dense<V>& beta, const Dense<V>& omega, const array<stopping_status>& status)
{
    run_for_each_entry(exec, p.get_size()[0], p.get_size()[1],
                       [p = entries_of(p), shadow = entries_of(shadow), r = entries_of(r), v = entries_of(v),
                        beta = as_device(beta.get_const_values()), omega = as_device(omega.get_const_values()),
                        status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                           if (status[col].has_stopped()) {
                               return;
                           }
                           if (is_zero(beta[col])) {
                               p(row, col) = r(row, col);
                               shadow(row, col) = r(row, col);
                           } else {
                               p(row, col) = r(row, col) + beta[col] * (p(row, col) - omega[col] * v(row, col));
                           }
                       });
}

template <typename V>
void compute_alpha(const DeviceExecutor& exec, const Dense<V>& shadow, const Dense<V>& v, const Dense<V>& rho,
                   const Dense<V>& omega, Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)
{
    run_sum_columns<device_type<V>>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        in_reverse{per_column{[shadow = entries_of(shadow), v = entries_of(v),
                               scale = reduction.get_scale<remove_complex<V>>()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, s = scale_of(scale, col)](size_type row) {
                return conj_of(scaled(s, shadow(row, col))) * scaled(s, v(row, col));
            };
        }}},
        [rho = as_device(rho.get_const_values()), omega = as_device(omega.get_const_values()),
         alpha = as_device(alpha.get_values()),
         status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col, const device_type<V>& shadow_v) {
            if (is_zero(rho[col])) {
                status[col].stop(is_zero(alpha[col])   ? stop_reason::breakdown_curvature
                                 : is_zero(omega[col]) ? stop_reason::breakdown_stabilization
                                                       : stop_reason::breakdown_inner_product);
            }
            alpha[col] = divide_or_zero(rho[col], shadow_v, status[col]);
        });
}

template <typename V>
void update_s(const DeviceExecutor& exec, Dense<V>& s, const Dense<V>& r, const Dense<V>& v, const Dense<V>& alpha,
              const array<stopping_status>& status)
{
    run_for_each_entry(
        exec, s.get_size()[0], s.get_size()[1],
        [s = entries_of(s), r = entries_of(r), v = entries_of(v), alpha = as_device(alpha.get_const_values()),
         status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            if (!status[col].has_stopped()) {
                s(row, col) = r(row, col) - alpha[col] * v(row, col);
            }
        });
}

template <typename V>
void compute_omega(const DeviceExecutor& exec, const Dense<V>& s, const Dense<V>& t, Dense<V>& omega,
                   array<stopping_status>& status, const Reduction& reduction)
{
    using T = device_type<V>;
    run_sum_columns<sums<T, 2>>(
        exec, s.get_size()[0], s.get_size()[1], reduction,
        in_reverse{per_column{[s = entries_of(s), t = entries_of(t),
                               scale = reduction.get_scale<remove_complex<V>>()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, factor = scale_of(scale, col)](size_type row) {
                const auto entry = scaled(factor, t(row, col));
                return sums<T, 2>{{conj_of(entry) * scaled(factor, s(row, col)), T(squared_abs(entry))}};
            };
        }}},
        [omega = as_device(omega.get_values()), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(
            size_type col, const sums<T, 2>& products) {
            omega[col] = divide_or_zero(products[0], products[1], status[col]);
        });
}

template <typename V>
void update_x_and_r(const DeviceExecutor& exec, const vectors<V>& with, const scalars<V>& coefficients,
                    array<stopping_status>& status, const kernels::stop::device_check<remove_complex<V>>& check,
                    const Reduction& reduction)
{
    using T = device_type<V>;
    const auto scale = reduction.get_scale<remove_complex<V>>();
    run_sum_columns<sums<T, 2>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        per_column{[x = entries_of(with.x), r = entries_of(with.r), y = entries_of(with.y), z = entries_of(with.z),
                    s = entries_of(with.s), t = entries_of(with.t), shadow = entries_of(with.shadow),
                    alpha = as_device(coefficients.alpha.get_const_values()),
                    omega = as_device(coefficients.omega.get_const_values()), status = status.get_const_data(),
                    scale] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, alpha = alpha[col], omega = omega[col], has_stopped = status[col].has_stopped(),
                    factor = scale_of(scale, col)](size_type row) {
                if (has_stopped) {
                    return sums<T, 2>{{T{}, T(squared_abs(scaled(factor, r(row, col))))}};
                }
                const auto entry = s(row, col) - omega * t(row, col);
                const auto overflow = add_if_finite(x(row, col), alpha * y(row, col) + omega * z(row, col));
                r(row, col) = entry;
                const auto scaled_r = scaled(factor, entry);
                return sums<T, 2>{
                    {conj_of(scaled(factor, shadow(row, col))) * scaled_r, T(squared_abs(scaled_r) + overflow)}};
            };
        }},
        [alpha = as_device(coefficients.alpha.get_const_values()),
         omega = as_device(coefficients.omega.get_const_values()), rho = as_device(coefficients.rho.get_values()),
         beta = as_device(coefficients.beta.get_values()), rr = as_device(coefficients.rr.get_values()),
         norm = coefficients.norm.get_values(), shadow_norm = coefficients.shadow_norm.get_values(),
         status = status.get_data(), check, scale] SPRUCE_KERNEL_LAMBDA(size_type col, const sums<T, 2>& products) {
            finish_shadow_step(products, scale_of(scale, col), alpha[col] / omega[col], rho[col], beta[col], rr[col],
                               norm[col], shadow_norm[col], status[col]);
            kernels::stop::run_fused_check(check, norm, status);
        });
}

}  // namespace bicgstab

void register_bicgstab()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::bicgstab::update_p<V>.template set<DeviceExecutor>(&bicgstab::update_p<V>);
        kernels::bicgstab::compute_alpha<V>.template set<DeviceExecutor>(&bicgstab::compute_alpha<V>);
        kernels::bicgstab::update_s<V>.template set<DeviceExecutor>(&bicgstab::update_s<V>);
        kernels::bicgstab::compute_omega<V>.template set<DeviceExecutor>(&bicgstab::compute_omega<V>);
        kernels::bicgstab::update_x_and_r<V>.template set<DeviceExecutor>(&bicgstab::update_x_and_r<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
