// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/pipe_cg_kernels.hpp"

#include "common/base/pipe_cg.hpp"
#include "common/base/scale.hpp"
#include "reference/base/register.hpp"
#include "reference/base/sum_columns.hpp"

namespace spruce::kernels::reference {
namespace pipe_cg {

using kernels::pipe_cg::scalars;
using kernels::pipe_cg::vectors;
using matrix::Dense;

template <typename V>
sums<V, 5> products_of(const vectors<V>& with, size_type row, size_type col, bool has_direction,
                       remove_complex<V> scale)
{
    const auto r = scale * with.r.at(row, col);
    const auto u = scale * with.u.at(row, col);
    const auto w = scale * with.w.at(row, col);
    const auto s = has_direction ? scale * with.s.at(row, col) : zero<V>();
    const auto p = has_direction ? scale * with.p.at(row, col) : zero<V>();
    return {{spruce::conj(r) * u, spruce::conj(w) * u, V(squared_norm(r)), spruce::conj(s) * u, spruce::conj(s) * p}};
}

template <typename V>
void finish(const sums<V, 5>& products, remove_complex<V> scale, const scalars<V>& by, size_type col, bool is_fresh,
            stopping_status& status)
{
    finish_pipe_cg_step(products, scale, is_fresh, by.prev_rho.at(0, col), by.prev_alpha.at(0, col), by.rho.at(0, col),
                        by.alpha.at(0, col), by.beta.at(0, col), by.norm.at(0, col), by.largest_norm.at(0, col),
                        by.start_norm.at(0, col), status);
}

template <typename V>
void start(const ReferenceExecutor& exec, const vectors<V>& with, const scalars<V>& coefficients,
           array<stopping_status>& status, const Reduction& reduction)
{
    const auto scale = reduction.get_scale<remove_complex<V>>();
    sum_columns<sums<V, 5>>(
        exec, with.r.get_size()[0], with.r.get_size()[1], reduction,
        [&](auto row, auto col) {
            return products_of(with, row, col, is_nonzero(coefficients.prev_rho.at(0, col)), scale_of(scale, col));
        },
        [&](auto col, const auto& products) {
            finish(products, scale_of(scale, col), coefficients, col, true, status.get_data()[col]);
        });
}

/// Updates the vectors of a row that is in progress. Returns zero, or NaN where x would overflow.
template <typename V>
remove_complex<V> update(const vectors<V>& with, size_type row, size_type col, const V& alpha, const V& beta)
{
    const auto advance = [&](Dense<V>& vector, const Dense<V>& fresh) {
        vector.at(row, col) = advanced(fresh.at(row, col), beta, vector.at(row, col));
    };
    advance(with.z, with.n);
    if (with.is_preconditioned()) {
        advance(with.q, with.m);
    }
    advance(with.s, with.w);
    advance(with.p, with.u);
    const auto overflow = add_if_finite(with.x.at(row, col), alpha * with.p.at(row, col));
    with.r.at(row, col) -= alpha * with.s.at(row, col);
    if (with.is_preconditioned()) {
        with.u.at(row, col) -= alpha * with.q.at(row, col);
    }
    with.w.at(row, col) -= alpha * with.z.at(row, col);
    return overflow;
}

template <typename V>
void step(const ReferenceExecutor& exec, const vectors<V>& with, const scalars<V>& coefficients,
          array<stopping_status>& status, const Reduction& reduction)
{
    const auto scale = reduction.get_scale<remove_complex<V>>();
    sum_columns<sums<V, 5>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [&](auto row, auto col) {
            const auto alpha = coefficients.prev_alpha.at(0, col);
            const auto moves = !status.get_data()[col].has_stopped() && is_nonzero(alpha);
            const auto overflow =
                moves ? update(with, row, col, alpha, coefficients.beta.at(0, col)) : remove_complex<V>{};
            auto products = products_of(with, row, col, moves, scale_of(scale, col));
            products[2] += overflow;
            return products;
        },
        [&](auto col, const auto& products) {
            finish(products, scale_of(scale, col), coefficients, col, false, status.get_data()[col]);
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
