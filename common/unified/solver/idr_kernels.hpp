// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/solver/idr_kernels.hpp"

#include "common/unified/base/prelude.hpp"
#include "common/unified/solver/idr.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace idr {

using kernels::idr::direction;
using kernels::idr::state;
using kernels::idr::vectors;
using matrix::Dense;

/// Maximum number of vectors of P in one pass.
constexpr int per_pass = 4;

template <typename V>
void fill_random(const DeviceExecutor& exec, Dense<V>& p, size_type first_row, bool with_imaginary_part)
{
    run_for_each_entry(exec, p.get_size()[0], p.get_size()[1],
                       [p = entries_of(p), size = p.get_size()[1], first_row, with_imaginary_part] SPRUCE_KERNEL_LAMBDA(
                           size_type row, size_type col) {
                           p(row, col) =
                               random_entry<device_type<V>>((first_row + row) * size + col, with_imaginary_part);
                       });
}

/// Returns the products of an entry with a row of P, for vectors first, ..., and the square of
/// scale times its absolute value.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE auto row_products(const dense_entries<const T>& p, size_type first, size_type size,
                                            size_type row, const T& entry, const remove_complex<T>& scale)
{
    sums<T, per_pass + 1> result{};
    for (int i = 0; i < per_pass; ++i) {
        if (first + i < size) {
            result[i] = conj_of(p(row, first + i)) * entry;
        }
    }
    result[per_pass] = T(squared_abs(T(scale) * entry));
    return result;
}

/// Computes f = P^H r in several passes.
/// @param step  is called by the first pass; returns the entry of r, and its contribution to the
///     sum of squares
/// @param finish  is called at the end of each pass, with scale^2 (r, r)
template <typename V, typename Step, typename Finish>
void project_residual(const DeviceExecutor& exec, const Dense<V>& p, const Dense<V>& r, const state<V>& state,
                      const Reduction& reduction, Step step, Finish finish)
{
    using T = device_type<V>;
    using sum_type = sums<T, per_pass + 1>;
    const auto size = p.get_size()[1];
    const auto scale = reduction.get_scale<remove_complex<V>>();
    for (size_type first = 0; first < size; first += per_pass) {
        run_sum_columns<sum_type>(
            exec, r.get_size()[0], r.get_size()[1], reduction,
            [first, size, step, scale, p = entries_of(p), r = entries_of(r)] SPRUCE_KERNEL_LAMBDA(size_type row,
                                                                                                  size_type col) {
                remove_complex<V> overflow{};
                const auto entry = first == 0 ? step(row, col, overflow) : r(row, col);
                auto result = row_products(p, first, size, row, entry, scale_of(scale, col));
                result[per_pass] += T(overflow);
                return result;
            },
            [first, size, finish, f = entries_of(state.f)] SPRUCE_KERNEL_LAMBDA(size_type col,
                                                                                const sum_type& products) {
                for (int i = 0; i < per_pass; ++i) {
                    if (first + i < size) {
                        f(first + i, col) = products[i];
                    }
                }
                finish(col, first == 0, first + per_pass >= size, real_of(products[per_pass]));
            });
    }
}

template <typename V>
void start(const DeviceExecutor& exec, const Dense<V>& p, const Dense<V>& r, const state<V>& state,
           const array<stopping_status>&, const Reduction& reduction)
{
    project_residual(
        exec, p, r, state, reduction,
        [r = entries_of(r)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col, remove_complex<V>&) {
            return r(row, col);
        },
        [state = entries_of(state)] SPRUCE_KERNEL_LAMBDA(size_type col, bool, bool is_last, const remove_complex<V>&) {
            if (is_last) {
                start_idr(state, col);
            }
        });
}

template <typename V>
void compute_v(const DeviceExecutor& exec, const state<V>& state, size_type k, const vectors<V>& gs, const Dense<V>& r,
               Dense<V>& v)
{
    for (const auto& block : blocks_of<V, per_pass>(gs)) {
        run_for_each_entry(exec, v.get_size()[0], v.get_size()[1],
                           [block, k, c = entries_of(std::as_const(state.c)), r = entries_of(r),
                            v = entries_of(v)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                               auto entry = block.first == 0 ? r(row, col) : v(row, col);
                               for (int i = 0; i < per_pass; ++i) {
                                   if (i < block.size && !is_zero(c(k + block.first + i, col))) {
                                       entry -= c(k + block.first + i, col) * block(i, row, col);
                                   }
                               }
                               v(row, col) = entry;
                           });
    }
}

template <typename V>
void compute_u(const DeviceExecutor& exec, const state<V>& state, size_type k, const vectors<V>& gs,
               const vectors<V>& us, const Dense<V>& z, Dense<V>& u)
{
    using T = device_type<V>;
    const auto g_blocks = blocks_of<V, per_pass>(gs);
    const auto u_blocks = blocks_of<V, per_pass>(us);
    for (size_type i = 0; i < u_blocks.size(); ++i) {
        const auto g_block = gs.empty() ? dense_block<T, per_pass>{} : g_blocks[i];
        run_for_each_entry(exec, u.get_size()[0], u.get_size()[1],
                           [g_block, u_block = u_blocks[i], k, c = entries_of(std::as_const(state.c)),
                            omega = entries_of(std::as_const(state.omega)), z = entries_of(z),
                            u = entries_of(u)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                               const auto is_first = u_block.first == 0;
                               auto residual = is_first ? z(row, col) : T{};
                               auto entry = is_first ? T{} : u(row, col);
                               for (int i = 0; i < per_pass; ++i) {
                                   if (i < u_block.size) {
                                       const auto factor = c(k + u_block.first + i, col);
                                       if (!is_zero(factor)) {
                                           entry += factor * u_block(i, row, col);
                                           if (i < g_block.size) {
                                               residual -= factor * g_block(i, row, col);
                                           }
                                       }
                                   }
                               }
                               u(row, col) = entry + omega(0, col) * residual;
                           });
    }
}

template <typename V>
void project_g(const DeviceExecutor& exec, const Dense<V>& p, const Dense<V>& g, size_type k, const state<V>& state,
               array<stopping_status>& status, const Reduction& reduction)
{
    using T = device_type<V>;
    using sum_type = sums<T, per_pass + 1>;
    const auto size = p.get_size()[1];
    const auto scale = reduction.get_scale<remove_complex<V>>();
    for (size_type first = 0; first < size; first += per_pass) {
        run_sum_columns<sum_type>(
            exec, g.get_size()[0], g.get_size()[1], reduction,
            [first, size, scale, p = entries_of(p), g = entries_of(g)] SPRUCE_KERNEL_LAMBDA(size_type row,
                                                                                            size_type col) {
                return row_products(p, first, size, row, g(row, col), scale_of(scale, col));
            },
            [first, size, k, scale, state = entries_of(state), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(
                size_type col, const sum_type& products) {
                for (int i = 0; i < per_pass; ++i) {
                    if (first + i < size) {
                        state.m(first + i, k, col) = products[i];
                    }
                }
                if (first + per_pass >= size) {
                    finish_projection(sqrt_of(real_of(products[per_pass])) / scale_of(scale, col), k, state, col,
                                      status[col]);
                }
            });
    }
}

/// Returns an entry of g or u minus its components along some preceding vectors.
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T without(const dense_block<T, per_pass>& block, const dense_entries<const T>& alpha,
                                    size_type row, size_type col, T entry)
{
    for (int i = 0; i < per_pass; ++i) {
        if (i < block.size && !is_zero(alpha(block.first + i, col))) {
            entry -= alpha(block.first + i, col) * block(i, row, col);
        }
    }
    return entry;
}

template <typename V>
void update_x_and_r(const DeviceExecutor& exec, const vectors<V>& gs, const vectors<V>& us, const direction<V>& next,
                    const state<V>& state, Dense<V>& x, Dense<V>& r, array<stopping_status>& status,
                    const Reduction& reduction)
{
    auto& g = next.g;
    auto& u = next.u;
    using T = device_type<V>;
    using real = remove_complex<V>;
    const auto g_blocks = blocks_of<V, per_pass>(gs);
    const auto u_blocks = blocks_of<V, per_pass>(us);
    const auto alpha = entries_of(std::as_const(state.alpha));
    for (size_type i = 0; i + 1 < g_blocks.size(); ++i) {
        run_for_each_entry(exec, g.get_size()[0], g.get_size()[1],
                           [g_block = g_blocks[i], u_block = u_blocks[i], alpha, g = entries_of(g), u = entries_of(u),
                            status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                               if (!status[col].has_stopped()) {
                                   g(row, col) = without(g_block, alpha, row, col, g(row, col));
                                   u(row, col) = without(u_block, alpha, row, col, u(row, col));
                               }
                           });
    }
    const auto last_g = gs.empty() ? dense_block<T, per_pass>{} : g_blocks.back();
    const auto last_u = gs.empty() ? dense_block<T, per_pass>{} : u_blocks.back();
    const auto scale = reduction.get_scale<real>();
    run_sum_columns<real>(
        exec, r.get_size()[0], r.get_size()[1], reduction,
        [last_g, last_u, alpha, scale, g = entries_of(g), u = entries_of(u), x = entries_of(x), r = entries_of(r),
         beta = entries_of(std::as_const(state.beta)),
         status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
            if (status[col].has_stopped()) {
                return real{};
            }
            const auto image = without(last_g, alpha, row, col, g(row, col));
            const auto direction = without(last_u, alpha, row, col, u(row, col));
            if (last_g.size > 0) {
                g(row, col) = image;
                u(row, col) = direction;
            }
            const auto entry = r(row, col) - beta(0, col) * image;
            const auto overflow = add_if_finite(x(row, col), beta(0, col) * direction);
            r(row, col) = entry;
            return squared_abs(T(scale_of(scale, col)) * entry) + overflow;
        },
        [scale, state = entries_of(state), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(size_type col,
                                                                                            const real& square) {
            finish_update(square, scale_of(scale, col), state, col, status[col]);
        });
}

template <typename V>
void compute_omega(const DeviceExecutor& exec, const Dense<V>& t, const Dense<V>& r, remove_complex<V> kappa,
                   const state<V>& state, array<stopping_status>& status, const Reduction& reduction)
{
    using T = device_type<V>;
    const auto scale = reduction.get_scale<remove_complex<V>>();
    run_sum_columns<sums<T, 2>>(
        exec, r.get_size()[0], r.get_size()[1], reduction,
        per_column{[scale, t = entries_of(t), r = entries_of(r)] SPRUCE_KERNEL_LAMBDA(size_type col) {
            return [=, factor = T(scale_of(scale, col))](size_type row) {
                const auto entry = factor * t(row, col);
                return sums<T, 2>{{conj_of(entry) * (factor * r(row, col)), T(squared_abs(entry))}};
            };
        }},
        [kappa, scale, state = entries_of(state), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(
            size_type col, const sums<T, 2>& products) {
            finish_omega(products, kappa, scale_of(scale, col), state, col, status[col]);
        });
}

template <typename V>
void finish_cycle(const DeviceExecutor& exec, const Dense<V>& p, const Dense<V>& z, const Dense<V>& t,
                  const state<V>& state, Dense<V>& x, Dense<V>& r, array<stopping_status>& status,
                  const Reduction& reduction)
{
    const auto scale = reduction.get_scale<remove_complex<V>>();
    project_residual(
        exec, p, r, state, reduction,
        [z = entries_of(z), t = entries_of(t), x = entries_of(x), r = entries_of(r),
         omega = entries_of(std::as_const(state.omega)),
         status = status.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col,
                                                                remove_complex<V> & overflow) {
            auto entry = r(row, col);
            if (!status[col].has_stopped()) {
                overflow = add_if_finite(x(row, col), omega(0, col) * z(row, col));
                entry -= omega(0, col) * t(row, col);
                r(row, col) = entry;
            }
            return entry;
        },
        [scale, state = entries_of(state), status = status.get_data()] SPRUCE_KERNEL_LAMBDA(
            size_type col, bool is_first, bool is_last, const remove_complex<V>& square) {
            if (is_first && !status[col].has_stopped()) {
                state.norm(0, col) = sqrt_of(square) / scale_of(scale, col);
            }
            if (is_last) {
                finish_idr_cycle(state, col, status[col]);
            }
        });
}

}  // namespace idr

void register_idr()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::idr::fill_random<V>.template set<DeviceExecutor>(&idr::fill_random<V>);
        kernels::idr::start<V>.template set<DeviceExecutor>(&idr::start<V>);
        kernels::idr::compute_v<V>.template set<DeviceExecutor>(&idr::compute_v<V>);
        kernels::idr::compute_u<V>.template set<DeviceExecutor>(&idr::compute_u<V>);
        kernels::idr::project_g<V>.template set<DeviceExecutor>(&idr::project_g<V>);
        kernels::idr::update_x_and_r<V>.template set<DeviceExecutor>(&idr::update_x_and_r<V>);
        kernels::idr::compute_omega<V>.template set<DeviceExecutor>(&idr::compute_omega<V>);
        kernels::idr::finish_cycle<V>.template set<DeviceExecutor>(&idr::finish_cycle<V>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
