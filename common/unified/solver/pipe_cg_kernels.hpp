// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/pipe_cg_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/unified/base/prelude.hpp"
#include "common/unified/solver/pipe_cg.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace pipe_cg {

using kernels::pipe_cg::scalars;
using kernels::pipe_cg::vectors;

template <typename V>
pipe_cg_step<device_type<V>> finish_with(const scalars<V>& coefficients, bool is_recomputed,
                                         array<stopping_status>& status, const Reduction& reduction)
{
    return {is_recomputed,
            reduction.get_scale<remove_complex<V>>(),
            as_device(coefficients.prev_rho.get_const_values()),
            as_device(coefficients.prev_alpha.get_const_values()),
            as_device(coefficients.rho.get_values()),
            as_device(coefficients.alpha.get_values()),
            as_device(coefficients.beta.get_values()),
            coefficients.norm.get_values(),
            coefficients.largest_norm.get_values(),
            coefficients.start_norm.get_values(),
            status.get_data()};
}

/// Returns the contribution of a row to (r, u), (w, u), (r, r), (s, u), (s, p) of vectors that are
/// multiplied by scale. Three inner products are not enough (doc/tuning/solvers.md).
template <typename T>
SPRUCE_HOST_DEVICE_INLINE sums<T, 5> products_of(const remove_complex<T>& scale, T r, T u, T w, T p, T s)
{
    r = scaled(scale, r);
    u = scaled(scale, u);
    w = scaled(scale, w);
    p = scaled(scale, p);
    s = scaled(scale, s);
    return {{conj_of(r) * u, conj_of(w) * u, T(squared_abs(r)), conj_of(s) * u, conj_of(s) * p}};
}

template <typename V>
void start(const DeviceExecutor& exec, const vectors<V>& with, const scalars<V>& coefficients,
           array<stopping_status>& status, const Reduction& reduction)
{
    using T = device_type<V>;
    run_sum_columns<sums<T, 5>>(
        exec, with.r.get_size()[0], with.r.get_size()[1], reduction,
        per_column{[r = entries_of(with.r), u = entries_of(with.u), w = entries_of(with.w), p = entries_of(with.p),
                    s = entries_of(with.s), prev_rho = as_device(coefficients.prev_rho.get_const_values()),
                    scale = reduction.get_scale<remove_complex<V>>()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, is_first = is_zero(prev_rho[col]), factor = scale_of(scale, col)](size_type row) {
                return products_of(factor, r(row, col), u(row, col), w(row, col), is_first ? T{} : p(row, col),
                                   is_first ? T{} : s(row, col));
            };
        }},
        finish_with(coefficients, true, status, reduction));
}

template <bool is_preconditioned, typename V>
void step_of_kind(const DeviceExecutor& exec, const vectors<V>& with, const scalars<V>& coefficients,
                  array<stopping_status>& status, const Reduction& reduction)
{
    using T = device_type<V>;
    run_sum_columns<sums<T, 5>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        per_column{[x = entries_of(with.x), r = entries_of(with.r), u = entries_of(with.u), w = entries_of(with.w),
                    p = entries_of(with.p), s = entries_of(with.s), q = entries_of(with.q), z = entries_of(with.z),
                    m = entries_of(with.m), n = entries_of(with.n),
                    alphas = as_device(coefficients.prev_alpha.get_const_values()),
                    betas = as_device(coefficients.beta.get_const_values()), status = status.get_const_data(),
                    scale = reduction.get_scale<remove_complex<V>>()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, alpha = alphas[col], beta = betas[col], has_stopped = status[col].has_stopped(),
                    factor = scale_of(scale, col)](size_type row) {
                auto r_entry = r(row, col);
                auto u_entry = is_preconditioned ? u(row, col) : r_entry;
                auto w_entry = w(row, col);
                T p_entry{};
                T s_entry{};
                remove_complex<T> overflow{};
                if (!has_stopped && !is_zero(alpha)) {
                    p_entry = xpay(u_entry, beta, p(row, col));
                    s_entry = xpay(w_entry, beta, s(row, col));
                    const auto z_entry = xpay(n(row, col), beta, z(row, col));
                    p(row, col) = p_entry;
                    s(row, col) = s_entry;
                    z(row, col) = z_entry;
                    overflow = add_if_finite(x(row, col), alpha * p_entry);
                    r_entry -= alpha * s_entry;
                    w_entry -= alpha * z_entry;
                    r(row, col) = r_entry;
                    w(row, col) = w_entry;
                    if (is_preconditioned) {
                        const auto q_entry = xpay(m(row, col), beta, q(row, col));
                        q(row, col) = q_entry;
                        u_entry -= alpha * q_entry;
                        u(row, col) = u_entry;
                    } else {
                        u_entry = r_entry;
                    }
                }
                auto products = products_of(factor, r_entry, u_entry, w_entry, p_entry, s_entry);
                products[2] += T(overflow);
                return products;
            };
        }},
        finish_with(coefficients, false, status, reduction));
}

template <typename V>
void step(const DeviceExecutor& exec, const vectors<V>& with, const scalars<V>& coefficients,
          array<stopping_status>& status, const Reduction& reduction)
{
    if (with.is_preconditioned()) {
        step_of_kind<true>(exec, with, coefficients, status, reduction);
    } else {
        step_of_kind<false>(exec, with, coefficients, status, reduction);
    }
}

}  // namespace pipe_cg

void register_pipe_cg()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::pipe_cg::start<V>.template set<DeviceExecutor>(&pipe_cg::start<V>);
        kernels::pipe_cg::step<V>.template set<DeviceExecutor>(&pipe_cg::step<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
