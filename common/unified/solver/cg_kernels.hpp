// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/cg_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/numeric/scalar_steps.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace cg {

using kernels::cg::solution;
using matrix::Dense;

template <typename V>
void update_direction(const DeviceExecutor& exec, Dense<V>& p, const Dense<V>& z, const Dense<V>& rho,
                      const Dense<V>& prev_rho, const array<stopping_status>& status)
{
    run_for_each_entry(exec, p.get_size()[0], p.get_size()[1],
                       per_column{[p = entries_of(p), z = entries_of(z), rho = as_device(rho.get_const_values()),
                                   prev_rho = as_device(prev_rho.get_const_values()),
                                   status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                           return [=, rho = rho[col], prev_rho = prev_rho[col],
                                   has_stopped = status[col].has_stopped()](size_type row) {
                               const auto z_entry = z(row, col);
                               const auto p_entry = p(row, col);
                               const auto factor = is_zero(prev_rho) ? device_type<V>{} : rho / prev_rho;
                               if (!has_stopped) {
                                   p(row, col) = z_entry + factor * p_entry;
                               }
                           };
                       }});
}

template <typename V>
void compute_step_length(const DeviceExecutor& exec, const Dense<V>& p, const Dense<V>& q, const Dense<V>& rho,
                         Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)
{
    run_sum_columns<device_type<V>>(
        exec, p.get_size()[0], p.get_size()[1], reduction,
        in_reverse{per_column{[p = entries_of(p), q = entries_of(q),
                               scale = reduction.get_scale<remove_complex<V>>()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, s = scale_of(scale, col)](size_type row) {
                return conj_of(scaled(s, p(row, col))) * scaled(s, q(row, col));
            };
        }}},
        [rho = as_device(rho.get_const_values()), alpha = as_device(alpha.get_values()),
         status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col, const device_type<V>& pq) {
            alpha[col] = step_or_stop(rho[col], pq, status[col]);
        });
}

/// Computes x = x + step p and r = r - step q where the step is not zero, and the norm of the new
/// r. Then it calls end(col). make_step(col) returns a function that computes the step. This
/// function is called after the entries are loaded (doc/tuning/solvers.md).
template <typename V, typename Step, typename End>
void axpy_and_norm(const DeviceExecutor& exec, const solution<V>& with, Step make_step, End end, Dense<V>& rr,
                   Dense<remove_complex<V>>& norm, const array<stopping_status>& status, const Reduction& reduction)
{
    const auto scale = reduction.get_scale<remove_complex<V>>();
    run_sum_columns<remove_complex<V>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        per_column{[x = entries_of(with.x), r = entries_of(with.r), p = entries_of(with.p), q = entries_of(with.q),
                    make_step, scale, status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, compute_step = make_step(col), s = scale_of(scale, col),
                    has_stopped = status[col].has_stopped()](size_type row) {
                auto r_entry = r(row, col);
                const auto x_entry = x(row, col);
                const auto p_entry = p(row, col);
                const auto q_entry = q(row, col);
                const auto step = compute_step();
                if (!has_stopped && !is_zero(step)) {
                    x(row, col) = x_entry + step * p_entry;
                    r_entry -= step * q_entry;
                    r(row, col) = r_entry;
                }
                return squared_abs(scaled(s, r_entry));
            };
        }},
        [rr = as_device(rr.get_values()), norm = norm.get_values(), end, scale] SPRUCE_KERNEL_LAMBDA(
            size_type col, const remove_complex<V>& sum) {
            rr[col] = sum;
            norm[col] = sqrt_of(sum) / scale_of(scale, col);
            end(col);
        });
}

template <typename V>
void update_x_and_r(const DeviceExecutor& exec, Dense<V>& x, Dense<V>& r, const Dense<V>& p, const Dense<V>& q,
                    const Dense<V>& alpha, Dense<V>& rr, Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                    const Reduction& reduction)
{
    axpy_and_norm(
        exec, solution<V>{x, r, p, q},
        [alpha = as_device(alpha.get_const_values())] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [step = alpha[col]] { return step; };
        },
        [norm = norm.get_const_values(), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            stop_if_zero_or_nonfinite(norm[col], status[col]);
        },
        rr, norm, status, reduction);
}

template <typename V>
void update_solution(const DeviceExecutor& exec, const solution<V>& with, const Dense<V>& rho, const Dense<V>& pq,
                     Dense<V>& rr, Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                     const kernels::stop::device_check<remove_complex<V>>& check, const Reduction& reduction)
{
    const auto rho_values = as_device(rho.get_const_values());
    const auto pq_values = as_device(pq.get_const_values());
    axpy_and_norm(
        exec, with,
        [=] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [rho = rho_values[col], pq = pq_values[col]] { return finite_or_zero(rho / pq); };
        },
        [=, norm = norm.get_const_values(), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            step_or_stop(rho_values[col], pq_values[col], status[col]);
            stop_if_zero_or_nonfinite(norm[col], status[col]);
            kernels::stop::run_fused_check(check, norm, status);
        },
        rr, norm, status, reduction);
}

}  // namespace cg

void register_cg()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::cg::update_direction<V>.template set<DeviceExecutor>(&cg::update_direction<V>);
        kernels::cg::update_solution<V>.template set<DeviceExecutor>(&cg::update_solution<V>);
        kernels::cg::compute_step_length<V>.template set<DeviceExecutor>(&cg::compute_step_length<V>);
        kernels::cg::update_x_and_r<V>.template set<DeviceExecutor>(&cg::update_x_and_r<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
