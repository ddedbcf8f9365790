// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/pipe_cg_kernels.hpp"

#include <algorithm>
#include <limits>

#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/scalar_steps.hpp"

namespace spruce::kernels::reference {
namespace pipe_cg {

using kernels::pipe_cg::scalars;
using kernels::pipe_cg::vectors;
using matrix::Dense;

/// Contains (r, u), (w, u), (r, r), (s, u) and (s, p).
template <typename V>
using products = std::array<V, 5>;

template <typename V>
products<V> products_of(const vectors<V>& with, size_type row, size_type col, bool has_direction,
                        remove_complex<V> scale)
{
    const auto r = with.r.at(row, col);
    const auto u = with.u.at(row, col);
    const auto w = with.w.at(row, col);
    const auto s = has_direction ? with.s.at(row, col) : zero<V>();
    const auto p = has_direction ? with.p.at(row, col) : zero<V>();
    return {{scaled_product(r, u, scale), scaled_product(w, u, scale), V(squared_norm(scale * r)),
             scaled_product(s, u, scale), scaled_product(s, p, scale)}};
}

/// Computes rho, alpha and beta of a column for the next step from scaled products.
template <typename V>
void compute_coefficients(const products<V>& of, const scalars<V>& by, size_type col, const stopping_status& status)
{
    const auto& [ru, wu, rr, su, sp] = of;
    const auto is_first = is_zero(by.prev_rho.at(0, col));
    const auto beta = is_first ? zero<V>() : -(su / sp);
    const auto alpha = is_first ? ru / wu : ru / (wu + beta * spruce::conj(su));
    const auto has_step = !status.has_stopped() && is_finite(alpha) && is_finite(beta);
    by.rho.at(0, col) = ru;
    by.alpha.at(0, col) = has_step ? alpha : zero<V>();
    by.beta.at(0, col) = has_step ? beta : zero<V>();
}

/// Sets norm to the norm of r. Stops a column whose norm is zero or not finite.
template <typename V>
void update_norm(const V& rr, remove_complex<V> scale, remove_complex<V>& norm, stopping_status& status)
{
    norm = sqrt(spruce::real(rr)) / scale;
    stop_at_norm(norm, status);
}

template <typename V>
void start(const ReferenceExecutor& exec, const vectors<V>& with, const scalars<V>& by, array<stopping_status>& status,
           const Reduction& reduction)
{
    sum_columns<products<V>>(
        exec, with.r.get_size()[0], with.r.get_size()[1], reduction,
        [&](auto row, auto col) {
            const auto has_direction = is_nonzero(by.prev_rho.at(0, col));
            return products_of(with, row, col, has_direction, column_scale<V>(reduction, col));
        },
        [&](auto col, const auto& products) {
            auto& column = status.get_data()[col];
            if (!column.has_stopped()) {
                auto& norm = by.norm.at(0, col);
                const auto norm_of_recurrence = norm;
                update_norm(products[2], column_scale<V>(reduction, col), norm, column);
                by.largest_norm.at(0, col) = norm;
                if (norm > 2 * norm_of_recurrence) {
                    stop_unless_halved(norm, by.start_norm.at(0, col), column);
                }
            }
            compute_coefficients(products, by, col, column);
        });
}

/// Updates the vectors of a row of a running column. Returns zero, or NaN if x would overflow.
template <typename V>
remove_complex<V> update(const vectors<V>& with, size_type row, size_type col, const V& alpha, const V& beta)
{
    const auto xpay = [&](Dense<V>& vector, const Dense<V>& current) {
        vector.at(row, col) = add_multiple(current.at(row, col), beta, vector.at(row, col));
    };
    xpay(with.z, with.n);
    if (with.is_preconditioned()) {
        xpay(with.q, with.m);
    }
    xpay(with.s, with.w);
    xpay(with.p, with.u);
    const auto overflow = add_unless_overflow(with.x.at(row, col), alpha * with.p.at(row, col));
    with.r.at(row, col) -= alpha * with.s.at(row, col);
    if (with.is_preconditioned()) {
        with.u.at(row, col) -= alpha * with.q.at(row, col);
    }
    with.w.at(row, col) -= alpha * with.z.at(row, col);
    return overflow;
}

/// Stops a running column without a step length. Also stops a running column whose residual
/// consists of the rounding errors of the recurrence.
template <typename V>
void stop_without_progress(const V& ru, const V& wu, const scalars<V>& by, size_type col, stopping_status& status)
{
    constexpr auto rounding = 10 * std::numeric_limits<remove_complex<V>>::epsilon();
    if (is_nonzero(by.prev_alpha.at(0, col))) {
        if (by.norm.at(0, col) <= rounding * by.largest_norm.at(0, col)) {
            status.stop(stop_reason::stagnation);
        }
    } else if (!is_finite(ru) || !is_finite(wu)) {
        status.stop(stop_reason::not_finite);
    } else {
        status.stop(is_zero(ru) ? stop_reason::breakdown_inner_product : stop_reason::breakdown_curvature);
    }
}

template <typename V>
void step(const ReferenceExecutor& exec, const vectors<V>& with, const scalars<V>& by, array<stopping_status>& status,
          const Reduction& reduction)
{
    sum_columns<products<V>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [&](auto row, auto col) {
            const auto alpha = by.prev_alpha.at(0, col);
            const auto moves = !status.get_data()[col].has_stopped() && is_nonzero(alpha);
            const auto overflow = moves ? update(with, row, col, alpha, by.beta.at(0, col)) : remove_complex<V>{};
            auto products = products_of(with, row, col, moves, column_scale<V>(reduction, col));
            products[2] += overflow;
            return products;
        },
        [&](auto col, const auto& products) {
            auto& column = status.get_data()[col];
            if (!column.has_stopped()) {
                update_norm(products[2], column_scale<V>(reduction, col), by.norm.at(0, col), column);
                by.largest_norm.at(0, col) = std::max(by.largest_norm.at(0, col), by.norm.at(0, col));
                stop_without_progress(products[0], products[1], by, col, column);
            }
            compute_coefficients(products, by, col, column);
        });
}

}  // namespace pipe_cg

void register_pipe_cg()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::pipe_cg::start<V>.template set<ReferenceExecutor>(&pipe_cg::start<V>);
        kernels::pipe_cg::step<V>.template set<ReferenceExecutor>(&pipe_cg::step<V>);
    });
}

}  // namespace spruce::kernels::reference
