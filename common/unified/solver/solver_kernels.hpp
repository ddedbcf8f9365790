// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/solver_kernels.hpp"

#include "common/numeric/dense_entries.hpp"
#include "common/numeric/device_check.hpp"
#include "common/numeric/residual_replacement.hpp"
#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace solver {

template <typename V>
void start(const DeviceExecutor& exec, const matrix::Dense<V>& r, const matrix::Dense<remove_complex<V>>& norm,
           array<stopping_status>& status, const Reduction& reduction)
{
    using real = remove_complex<V>;
    // r is read only if squares may vanish.
    run_sum_columns<real>(
        exec, r.get_size()[0], r.get_size()[1], reduction,
        per_column{[r = entries_of(r), norm = norm.get_const_values(),
                    scale = reduction.get_scale<real>()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            const auto s = scale_of(scale, col);
            return [=, is_tiny = squared_abs(s * norm[col]) < std::numeric_limits<real>::min()](size_type row) {
                return is_tiny ? squared_abs(scaled(s, r(row, col))) : real{1};
            };
        }},
        [norm = norm.get_const_values(), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col,
                                                                                          const real& sum) {
            status[col].reset();
            if (norm[col] > 0 && sum == 0) {
                status[col].stop(stop_reason::breakdown_inner_product);
            }
            stop_if_zero_or_nonfinite(norm[col], status[col]);
        });
}

template <typename V>
void residual(const DeviceExecutor& exec, const matrix::Dense<V>& b, const matrix::Dense<V>& q, matrix::Dense<V>& r,
              matrix::Dense<remove_complex<V>>& norm, array<stopping_status>& status, const Reduction& reduction)
{
    const auto subtract = [b = entries_of(b), q = entries_of(q), r = entries_of(r)] SPRUCE_KERNEL_LAMBDA(
                              size_type row, size_type col) {
        const auto entry = b(row, col) - q(row, col);
        r(row, col) = entry;
        return entry;
    };
    run_norm_columns<remove_complex<V>>(
        exec, r.get_size()[0], r.get_size()[1], reduction,
        [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) { return squared_abs(subtract(row, col)); },
        [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) { return safe_squares(subtract(row, col)); },
        [norm = norm.get_values(), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(
            size_type col, const remove_complex<V>& column_norm) {
            norm[col] = column_norm;
            stop_if_zero_or_nonfinite(column_norm, status[col]);
        });
}

template <typename V>
void next_direction(const DeviceExecutor& exec, matrix::Dense<V>& p, const matrix::Dense<V>& z, V beta, V step,
                    matrix::Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)
{
    using real = remove_complex<V>;
    run_sum_columns<real>(exec, p.get_size()[0], p.get_size()[1], reduction,
                          per_column{[p = entries_of(p), z = entries_of(z), beta = to_device(beta),
                                      status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                              return [=, has_stopped = status[col].has_stopped()](size_type row) {
                                  const auto z_entry = z(row, col);
                                  const auto p_entry = p(row, col);
                                  const auto next = has_stopped ? p_entry : z_entry + beta * p_entry;
                                  p(row, col) = next;
                                  return is_finite_value(next) ? real{} : real{1};
                              };
                          }},
                          [step = to_device(step), alpha = as_device(alpha.get_values()),
                           status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col, const real& num_nonfinite) {
                              if (num_nonfinite > 0) {
                                  status[col].stop(stop_reason::not_finite);
                              }
                              alpha[col] = status[col].has_stopped() ? device_type<V>{} : step;
                          });
}

template <typename V>
void check_direction(const DeviceExecutor& exec, const matrix::Dense<V>& z, array<stopping_status>& status,
                     const Reduction& reduction)
{
    using real = remove_complex<V>;
    run_sum_columns<real>(exec, z.get_size()[0], z.get_size()[1], reduction,
                          in_reverse{[z = entries_of(z)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                              return is_finite_value(z(row, col)) ? real{} : real{1};
                          }},
                          [status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col, const real& num_nonfinite) {
                              if (num_nonfinite > 0) {
                                  status[col].stop(stop_reason::not_finite);
                              }
                          });
}

template <typename V>
void add_direction(const DeviceExecutor& exec, matrix::Dense<V>& x, const matrix::Dense<V>& z, V factor,
                   const array<stopping_status>& status)
{
    run_for_each_entry(exec, x.get_size()[0], x.get_size()[1],
                       per_column{[x = entries_of(x), z = entries_of(z), factor = to_device(factor),
                                   status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                           return [=, has_stopped = status[col].has_stopped()](size_type row) {
                               // There are no branches, so that the loop is vectorized.
                               const auto entry = x(row, col);
                               const auto next = entry + factor * z(row, col);
                               x(row, col) = has_stopped || !is_finite_value(next) ? entry : next;
                           };
                       }});
}

template <typename V>
void resume_unconfirmed(const DeviceExecutor& exec, const matrix::Dense<V>& true_norm, const matrix::Dense<V>& norm,
                        const matrix::Dense<V>& start_norm, array<stopping_status>& status)
{
    run_for_each(
        exec, status.get_size(),
        [true_norm = true_norm.get_const_values(), norm = norm.get_const_values(),
         start_norm = start_norm.get_const_values(), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
            kernels::resume_unconfirmed(true_norm[col], norm[col], start_norm[col], status[col]);
        });
}

template <typename V>
void stop_if_not_halved(const DeviceExecutor& exec, const matrix::Dense<V>& norm, matrix::Dense<V>& start_norm,
                        array<stopping_status>& status)
{
    run_for_each(exec, status.get_size(),
                 [norm = norm.get_const_values(), start_norm = start_norm.get_values(),
                  status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     kernels::stop_if_not_halved(norm[col], start_norm[col], status[col]);
                 });
}

template <typename V>
void stop_if_stagnated(const DeviceExecutor& exec, const matrix::Dense<V>& norm, V factor,
                       matrix::Dense<V>& earlier_norm, array<stopping_status>& status)
{
    run_for_each(exec, status.get_size(),
                 [norm = norm.get_const_values(), factor, earlier_norm = earlier_norm.get_values(),
                  status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     if (!(norm[col] < factor * earlier_norm[col])) {
                         status[col].stop(stop_reason::stagnation);
                     }
                     earlier_norm[col] = norm[col];
                 });
}

template <typename V>
void update_best(const DeviceExecutor& exec, const matrix::Dense<V>& x, const matrix::Dense<remove_complex<V>>& norm,
                 matrix::Dense<V>& best, matrix::Dense<remove_complex<V>>& best_norm, array<stopping_status>& status)
{
    run_for_each_entry(
        exec, x.get_size()[0], x.get_size()[1],
        [x = as_device(x.get_const_values()), x_stride = x.get_stride(), best = as_device(best.get_values()),
         best_stride = best.get_stride(), norm = norm.get_const_values(), best_norm = best_norm.get_const_values(),
         status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            if (norm[col] < best_norm[col] && !status[col].has_stopped()) {
                best[row * best_stride + col] = x[row * x_stride + col];
            }
        });
    run_for_each(exec, x.get_size()[1],
                 [norm = norm.get_const_values(), best_norm = best_norm.get_values(),
                  status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     kernels::update_best_norm(norm[col], best_norm[col], status[col]);
                 });
}

template <typename V>
void copy_unstopped_columns(const DeviceExecutor& exec, const matrix::Dense<V>& from, matrix::Dense<V>& to,
                            const array<stopping_status>& status)
{
    run_for_each(exec, status.get_size(),
                 [from = from.get_const_values(), to = to.get_values(),
                  status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     if (!status[col].has_stopped()) {
                         to[col] = from[col];
                     }
                 });
}

template <typename V>
void replace_if_better(const DeviceExecutor& exec, const matrix::Dense<V>& other,
                       const matrix::Dense<remove_complex<V>>& other_norm, matrix::Dense<V>& x,
                       matrix::Dense<remove_complex<V>>& norm, const array<stopping_status>& status)
{
    run_for_each_entry(
        exec, x.get_size()[0], x.get_size()[1],
        [other = as_device(other.get_const_values()), other_stride = other.get_stride(), x = as_device(x.get_values()),
         x_stride = x.get_stride(), norm = norm.get_const_values(), other_norm = other_norm.get_const_values(),
         status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            if (kernels::is_replaced(norm[col], other_norm[col], status[col])) {
                x[row * x_stride + col] = other[row * other_stride + col];
            }
        });
    run_for_each(exec, x.get_size()[1],
                 [norm = norm.get_values(), other_norm = other_norm.get_const_values(),
                  status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     if (kernels::is_replaced(norm[col], other_norm[col], status[col])) {
                         norm[col] = other_norm[col];
                     }
                 });
}

template <typename V>
void compute_scale(const DeviceExecutor& exec, const matrix::Dense<V>& norm, matrix::Dense<V>& scale)
{
    run_for_each(exec, norm.get_size()[1],
                 [norm = norm.get_const_values(), scale = scale.get_values()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     scale[col] = kernels::scale_for_norm(norm[col]);
                 });
}

template <typename V>
void unscale_sq_norm(const DeviceExecutor& exec, const matrix::Dense<V>& scaled,
                     const matrix::Dense<remove_complex<V>>& scale, const matrix::Dense<remove_complex<V>>& norm,
                     matrix::Dense<V>& sq_norm, matrix::Dense<remove_complex<V>>& implicit_norm)
{
    using T = device_type<V>;
    run_for_each(exec, scaled.get_size()[1],
                 [scaled = as_device(scaled.get_const_values()), scale = scale.get_const_values(),
                  norm = norm.get_const_values(), sq_norm = as_device(sq_norm.get_values()),
                  implicit_norm = implicit_norm.get_values()] SPRUCE_KERNEL_LAMBDA(size_type col) {
                     const auto s = scale[col];
                     sq_norm[col] = scaled[col] / T(s) / T(s);
                     implicit_norm[col] = kernels::stop::norm_of_square(scaled[col], s * norm[col]) / s;
                 });
}

}  // namespace solver

void register_solver()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        using real = remove_complex<V>;
        kernels::solver::start<V>.template set<DeviceExecutor>(&solver::start<V>);
        kernels::solver::residual<V>.template set<DeviceExecutor>(&solver::residual<V>);
        kernels::solver::next_direction<V>.template set<DeviceExecutor>(&solver::next_direction<V>);
        kernels::solver::check_direction<V>.template set<DeviceExecutor>(&solver::check_direction<V>);
        kernels::solver::add_direction<V>.template set<DeviceExecutor>(&solver::add_direction<V>);
        kernels::solver::resume_unconfirmed<real>.template set<DeviceExecutor>(&solver::resume_unconfirmed<real>);
        kernels::solver::stop_if_not_halved<real>.template set<DeviceExecutor>(&solver::stop_if_not_halved<real>);
        kernels::solver::stop_if_stagnated<real>.template set<DeviceExecutor>(&solver::stop_if_stagnated<real>);
        kernels::solver::update_best<V>.template set<DeviceExecutor>(&solver::update_best<V>);
        kernels::solver::replace_if_better<V>.template set<DeviceExecutor>(&solver::replace_if_better<V>);
        kernels::solver::compute_scale<real>.template set<DeviceExecutor>(&solver::compute_scale<real>);
        kernels::solver::copy_unstopped_columns<real>.template set<DeviceExecutor>(
            &solver::copy_unstopped_columns<real>);
        kernels::solver::unscale_sq_norm<V>.template set<DeviceExecutor>(&solver::unscale_sq_norm<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
