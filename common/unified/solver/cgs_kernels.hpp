// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/cgs_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/numeric/shadow_residual.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace cgs {

using kernels::cgs::scalars;
using kernels::cgs::vectors;
using matrix::Dense;

template <typename V>
void update_u_and_p(const DeviceExecutor& exec, Dense<V>& u, Dense<V>& p, Dense<V>& shadow, const Dense<V>& r,
                    const Dense<V>& q, const Dense<V>& beta, const array<stopping_status>& status)
{
    run_for_each_entry(exec, p.get_size()[0], p.get_size()[1],
                       [u = entries_of(u), p = entries_of(p), shadow = entries_of(shadow), r = entries_of(r),
                        q = entries_of(q), beta = as_device(beta.get_const_values()),
                        status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                           if (status[col].has_stopped()) {
                               return;
                           }
                           const auto r_entry = r(row, col);
                           if (is_zero(beta[col])) {
                               u(row, col) = r_entry;
                               p(row, col) = r_entry;
                               shadow(row, col) = r_entry;
                           } else {
                               const auto q_entry = q(row, col);
                               const auto u_entry = r_entry + beta[col] * q_entry;
                               u(row, col) = u_entry;
                               p(row, col) = u_entry + beta[col] * (q_entry + beta[col] * p(row, col));
                           }
                       });
}

template <typename V>
void compute_alpha(const DeviceExecutor& exec, const Dense<V>& shadow, const Dense<V>& v, const Dense<V>& rho,
                   Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)
{
    run_sum_columns<device_type<V>>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        in_reverse{per_column{[shadow = entries_of(shadow), v = entries_of(v),
                               scale = reduction.get_scale<remove_complex<V>>()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, s = scale_of(scale, col)](size_type row) {
                return conj_of(scaled(s, shadow(row, col))) * scaled(s, v(row, col));
            };
        }}},
        [rho = as_device(rho.get_const_values()), alpha = as_device(alpha.get_values()),
         status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col, const device_type<V>& shadow_v) {
            if (is_zero(rho[col])) {
                status[col].stop(is_zero(alpha[col]) ? stop_reason::breakdown_curvature
                                                     : stop_reason::breakdown_inner_product);
            }
            alpha[col] = divide_or_zero(rho[col], shadow_v, status[col]);
        });
}

template <typename V>
void update_q(const DeviceExecutor& exec, Dense<V>& q, Dense<V>& t, const Dense<V>& u, const Dense<V>& v,
              const Dense<V>& alpha, const array<stopping_status>& status)
{
    run_for_each_entry(exec, q.get_size()[0], q.get_size()[1],
                       [q = entries_of(q), t = entries_of(t), u = entries_of(u), v = entries_of(v),
                        alpha = as_device(alpha.get_const_values()),
                        status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                           if (!status[col].has_stopped()) {
                               const auto u_entry = u(row, col);
                               const auto q_entry = u_entry - alpha[col] * v(row, col);
                               q(row, col) = q_entry;
                               t(row, col) = u_entry + q_entry;
                           }
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
        per_column{[x = entries_of(with.x), r = entries_of(with.r), z = entries_of(with.z), w = entries_of(with.w),
                    shadow = entries_of(with.shadow), alpha = as_device(coefficients.alpha.get_const_values()),
                    status = status.get_const_data(), scale] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, alpha = alpha[col], has_stopped = status[col].has_stopped(),
                    s = scale_of(scale, col)](size_type row) {
                auto entry = r(row, col);
                remove_complex<V> overflow{};
                if (!has_stopped && is_nonzero(alpha)) {
                    overflow = add_if_finite(x(row, col), alpha * z(row, col));
                    entry -= alpha * w(row, col);
                    r(row, col) = entry;
                }
                const auto scaled_r = scaled(s, entry);
                return sums<T, 2>{
                    {conj_of(scaled(s, shadow(row, col))) * scaled_r, T(squared_abs(scaled_r) + overflow)}};
            };
        }},
        [alpha = as_device(coefficients.alpha.get_const_values()), rho = as_device(coefficients.rho.get_values()),
         beta = as_device(coefficients.beta.get_values()), rr = as_device(coefficients.rr.get_values()),
         norm = coefficients.norm.get_values(), shadow_norm = coefficients.shadow_norm.get_values(),
         status = status.get_data(), check, scale] SPRUCE_KERNEL_LAMBDA(size_type col, const sums<T, 2>& products) {
            finish_shadow_step(products, scale_of(scale, col), T(is_zero(alpha[col]) ? 0 : 1), rho[col], beta[col],
                               rr[col], norm[col], shadow_norm[col], status[col]);
            kernels::stop::run_fused_check(check, norm, status);
        });
}

}  // namespace cgs

void register_cgs()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::cgs::update_u_and_p<V>.template set<DeviceExecutor>(&cgs::update_u_and_p<V>);
        kernels::cgs::compute_alpha<V>.template set<DeviceExecutor>(&cgs::compute_alpha<V>);
        kernels::cgs::update_q<V>.template set<DeviceExecutor>(&cgs::update_q<V>);
        kernels::cgs::update_x_and_r<V>.template set<DeviceExecutor>(&cgs::update_x_and_r<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
