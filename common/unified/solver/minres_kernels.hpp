// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/minres_kernels.hpp"

#include "common/unified/base/prelude.hpp"
#include "common/unified/solver/minres.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace minres {

using kernels::minres::solution_scalars;
using kernels::minres::solution_vectors;
using matrix::Dense;

/// Calls finalize(col, {scale^2 (v, z), scale^2 (v, v)}) for every column.
/// @param scale  null for ones
template <typename V, typename Finalize>
void sum_products(const DeviceExecutor& exec, const Dense<V>& v, const Dense<V>& z, const remove_complex<V>* scale,
                  const Reduction& reduction, Finalize finalize)
{
    using T = device_type<V>;
    run_sum_columns<sums<T, 2>>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        per_column{[v = entries_of(v), z = entries_of(z), scale] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, factor = T(scale_of(scale, col))](size_type row) {
                const auto entry = factor * v(row, col);
                return sums<T, 2>{{conj_of(entry) * (factor * z(row, col)), T(squared_abs(entry))}};
            };
        }},
        finalize);
}

template <typename V>
void start(const DeviceExecutor& exec, const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
           Dense<remove_complex<V>>& norm, Dense<V>& rho, array<stopping_status>& status, const Reduction& reduction)
{
    using T = device_type<V>;
    const auto scale = reduction.get_scale<remove_complex<V>>();
    sum_products(exec, v, z, scale, reduction,
                 [scale, state = entries_of(state), norm = norm.get_values(), rho = as_device(rho.get_values()),
                  status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type col, const sums<T, 2>& products) {
                     start_lanczos(products[0], real_of(products[1]), scale_of(scale, col), state, norm[col], rho[col],
                                   col, status[col]);
                 });
}

template <typename V>
void compute_delta(const DeviceExecutor& exec, const Dense<V>& y, const Dense<V>& z, Dense<remove_complex<V>>& state,
                   array<stopping_status>& status, const Reduction& reduction)
{
    using T = device_type<V>;
    run_sum_columns<T>(exec, y.get_size()[0], y.get_size()[1], reduction,
                       per_column{[y = entries_of(y), z = entries_of(z),
                                   state = entries_of(state)] SPRUCE_KERNEL_LAMBDA(size_type col) {
                           return [=, factor = T(lanczos_scale(state(kernels::minres::gamma_row, col)))](
                                      size_type row) { return conj_of(factor * y(row, col)) * (factor * z(row, col)); };
                       }},
                       [state = entries_of(state), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(
                           size_type col, const T& product) { finish_product(product, state, col, status[col]); });
}

template <typename V>
void compute_next_v(const DeviceExecutor& exec, const Dense<V>& y, const Dense<V>& v, Dense<V>& prev_v,
                    Dense<remove_complex<V>>& state, bool is_preconditioned, array<stopping_status>& status,
                    const Reduction& reduction)
{
    using T = device_type<V>;
    using real = remove_complex<V>;
    using namespace kernels::minres;
    const auto next_entry = [y = entries_of(y), v = entries_of(v), prev_v = entries_of(prev_v),
                             state = entries_of(state),
                             status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
        if (!status[col].has_stopped()) {
            const auto gamma = state(gamma_row, col);
            const auto entry = y(row, col) / T(gamma) - T(state(delta_row, col) / gamma) * v(row, col);
            prev_v(row, col) = reduced(entry, state(beta_row, col) / state(prev_gamma_row, col), prev_v(row, col));
        }
        return squared_abs(prev_v(row, col));
    };
    if (is_preconditioned) {
        run_for_each_entry(exec, v.get_size()[0], v.get_size()[1], next_entry);
        return;
    }
    run_sum_columns<real>(
        exec, v.get_size()[0], v.get_size()[1], reduction, next_entry,
        [state = entries_of(state), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(
            size_type col, const real& square) { kernels::rotate(square, square, state, col, status[col]); });
}

template <typename V>
void rotate(const DeviceExecutor& exec, const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
            array<stopping_status>& status, const Reduction& reduction)
{
    using T = device_type<V>;
    sum_products(exec, v, z, nullptr, reduction,
                 [state = entries_of(state), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(
                     size_type col, const sums<T, 2>& products) {
                     kernels::rotate(products[0], real_of(products[1]), state, col, status[col]);
                 });
}

template <typename V>
void update_solution(const DeviceExecutor& exec, const solution_vectors<V>& with, const solution_scalars<V>& scalars,
                     bool is_preconditioned, array<stopping_status>& status, const Reduction& reduction)
{
    using T = device_type<V>;
    using real = remove_complex<V>;
    using namespace kernels::minres;
    const auto scale = reduction.get_scale<real>();
    run_sum_columns<real>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [z = entries_of(with.z), w = entries_of(with.w), next_v = entries_of(with.next_v),
         prev_w = entries_of(with.prev_w), x = entries_of(with.x), r = entries_of(with.r),
         state = entries_of(scalars.state), is_preconditioned, scale,
         status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            if (status[col].has_stopped()) {
                return real{};
            }
            const auto entry =
                reduced(reduced(T(state(z_factor_row, col)) * z(row, col), state(w_factor_row, col), w(row, col)),
                        state(prev_w_factor_row, col), prev_w(row, col));
            prev_w(row, col) = entry;
            const auto overflow = add_if_finite(x(row, col), T(state(step_row, col)) * entry);
            if (!is_preconditioned) {
                return overflow;
            }
            const auto r_entry =
                T(state(r_factor_row, col)) * r(row, col) + T(state(v_factor_row, col)) * next_v(row, col);
            r(row, col) = r_entry;
            return squared_abs(T(scale_of(scale, col)) * r_entry) + overflow;
        },
        [state = entries_of(scalars.state), start_norm = scalars.start_norm.get_const_values(), is_preconditioned,
         scale, norm = scalars.norm.get_values(), rho = as_device(scalars.rho.get_values()),
         status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col, const real& sum) {
            const auto eta = state(eta_row, col);
            const auto factor = scale_of(scale, col);
            const auto new_norm = is_preconditioned ? sqrt_of(sum) / factor : abs_of(eta) + sum;
            finish_update(new_norm, eta, factor, start_norm[col], norm[col], rho[col], status[col]);
        });
}

}  // namespace minres

void register_minres()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::minres::start<V>.template set<DeviceExecutor>(&minres::start<V>);
        kernels::minres::compute_delta<V>.template set<DeviceExecutor>(&minres::compute_delta<V>);
        kernels::minres::compute_next_v<V>.template set<DeviceExecutor>(&minres::compute_next_v<V>);
        kernels::minres::rotate<V>.template set<DeviceExecutor>(&minres::rotate<V>);
        kernels::minres::update_solution<V>.template set<DeviceExecutor>(&minres::update_solution<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
