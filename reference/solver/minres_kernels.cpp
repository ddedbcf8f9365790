// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/minres_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/scalar_steps.hpp"

namespace spruce::kernels::reference {
namespace minres {

using namespace kernels::minres;
using matrix::Dense;

/// Calls finalize(col, scale^2 (v, z), scale^2 (v, v)) for each column.
template <typename V, typename Scale, typename Finalize>
void sum_products(const ReferenceExecutor& exec, const Dense<V>& v, const Dense<V>& z, Scale scale,
                  const Reduction& reduction, Finalize finalize)
{
    sum_columns<std::array<V, 2>>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            return std::array<V, 2>{{scaled_product(v.at(row, col), z.at(row, col), scale(col)),
                                     V(squared_norm(scale(col) * v.at(row, col)))}};
        },
        [&](size_type col, const std::array<V, 2>& products) {
            finalize(col, products[0], spruce::real(products[1]));
        });
}

/// Returns true if (v, z) is the square of a norm: real and positive, or v is zero.
template <typename V>
bool is_squared_norm(const V& vz, remove_complex<V> vv)
{
    return vv == 0 || (spruce::real(vz) > 0 && std::abs(spruce::imag(vz)) <= spruce::real(vz));
}

template <typename V>
void start(const ReferenceExecutor& exec, const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
           Dense<remove_complex<V>>& norm, Dense<V>& rho, array<stopping_status>& status, const Reduction& reduction)
{
    const auto scale = [&](size_type col) { return column_scale<V>(reduction, col); };
    sum_products(exec, v, z, scale, reduction, [&](size_type col, const V& vz, remove_complex<V> vv) {
        if (status.get_const_data()[col].has_stopped()) {
            return;
        }
        const auto square = spruce::real(vz);
        const auto has_norm = !is_finite(square) || is_squared_norm(vz, vv);
        const auto gamma = has_norm ? std::sqrt(square) / scale(col) : 0;
        // After a restart at an exhausted space, the residual consists of the part that A cannot
        // reduce and possibly of rounding errors.
        if (state.at(exhausted_row, col) == 0) {
            state.at(start_eta_row, col) = gamma;
            state.at(size_row, col) = 0;
            state.at(x_x_row, col) = 0;
        }
        for (const auto row : {beta_row, sin_row, prev_sin_row, exhausted_row, x_w_row, x_prev_w_row, w_w_row,
                               w_prev_w_row, prev_w_prev_w_row}) {
            state.at(row, col) = 0;
        }
        for (const auto row : {prev_gamma_row, cos_row, prev_cos_row}) {
            state.at(row, col) = 1;
        }
        state.at(gamma_row, col) = gamma;
        state.at(eta_row, col) = gamma;
        norm.at(0, col) = std::sqrt(vv) / scale(col);
        rho.at(0, col) = square;
    });
}

/// Returns the reason for which a column stops if a quotient with divisor gamma overflows. A
/// residual near the smallest normal number cannot become smaller.
template <typename Real>
stop_reason reason_of_overflow(Real gamma)
{
    using limits = std::numeric_limits<Real>;
    return gamma < limits::min() / limits::epsilon() ? stop_reason::stagnation : stop_reason::not_finite;
}

template <typename V>
void compute_delta(const ReferenceExecutor& exec, const Dense<V>& y, const Dense<V>& z, Dense<remove_complex<V>>& state,
                   array<stopping_status>& status, const Reduction& reduction)
{
    // The magnitude of y is that of A times gamma. Without a scale, products would overflow before
    // delta does.
    const auto scale = [&](size_type col) { return power_of_two_scale(state.at(gamma_row, col)); };
    sum_columns<V>(
        exec, y.get_size()[0], y.get_size()[1], reduction,
        [&](size_type row, size_type col) { return scaled_product(y.at(row, col), z.at(row, col), scale(col)); },
        [&](size_type col, const V& yz) {
            auto& column = status.get_data()[col];
            if (column.has_stopped()) {
                return;
            }
            const auto gamma = state.at(gamma_row, col);
            const auto scaled_gamma = scale(col) * gamma;
            const auto delta = spruce::real(yz) / scaled_gamma / scaled_gamma;
            state.at(delta_row, col) = delta;
            if (gamma == 0) {
                column.stop(stop_reason::breakdown_inner_product);
            } else if (!is_finite(delta)) {
                column.stop(stop_reason::not_finite);
            } else if (!is_finite(delta / gamma)) {
                column.stop(reason_of_overflow(gamma));
            }
        });
}

/// Returns the reason for which a column stops before a step, or running. No x has a smaller
/// residual if ||A r|| consists of rounding errors. The rounding errors of r = b - A x are epsilon
/// ||r_0|| and epsilon ||A|| ||x - x_0||.
/// @param image  ||A r|| / ||r||
/// @param size  ||A||
/// @param reduction  ||r|| / ||r_0||
/// @param growth  ||A|| ||x - x_0|| / ||r_0||
template <typename Real>
stop_reason find_limit_of_accuracy(Real image, Real size, Real reduction, Real growth)
{
    using limits = std::numeric_limits<Real>;
    const auto rounding = limits::epsilon() * size * (1 + growth);
    const auto change = image * reduction;  // ||A r|| / ||r_0||
    const auto is_small = image <= std::ldexp(size, -limits::digits / 3);
    // The rounding errors of many steps accumulate to 64 rounding errors.
    if (image <= 4 * limits::epsilon() * size || (is_small && change <= 64 * rounding)) {
        return stop_reason::breakdown_subspace;
    }
    return change <= rounding ? stop_reason::stagnation : stop_reason::running;
}

/// Updates the inner products of w, prev_w and x - x_0 for w_new = z_factor z - w_factor w -
/// prev_w_factor prev_w and x = x + step w_new. z / gamma has the norm 1 and is orthogonal to the
/// other vectors, in the inner product of M.
/// @param z  z_factor gamma unit
template <typename Real>
void update_inner_products(Dense<Real>& state, size_type col, Real z, Real step)
{
    const auto f = state.at(w_factor_row, col);
    const auto g = state.at(prev_w_factor_row, col);
    const auto w_w = state.at(w_w_row, col);
    const auto w_p = state.at(w_prev_w_row, col);
    const auto p_p = state.at(prev_w_prev_w_row, col);
    const auto x_w = state.at(x_w_row, col);
    const auto x_p = state.at(x_prev_w_row, col);
    const auto new_new = z * z + f * f * w_w + g * g * p_p + 2 * f * g * w_p;
    const auto new_w = -(f * w_w + g * w_p);
    const auto x_new = -(f * x_w + g * x_p);
    const auto x_x = state.at(x_x_row, col) + 2 * step * x_new + step * step * new_new;
    state.at(x_x_row, col) = std::max(Real{}, x_x);
    state.at(x_w_row, col) = x_new + step * new_new;
    state.at(x_prev_w_row, col) = x_w + step * new_w;
    state.at(w_w_row, col) = new_new;
    state.at(w_prev_w_row, col) = new_w;
    state.at(prev_w_prev_w_row, col) = w_w;
}

/// Completes a column of the tridiagonal matrix. Applies the two previous rotations, and the
/// rotation that eliminates next_gamma. Computes the resulting coefficients.
template <typename Real>
void add_column(Dense<Real>& state, size_type col, Real next_gamma, stopping_status& status)
{
    const auto of = [&](state_row row) -> Real& { return state.at(row, col); };
    const auto gamma = of(gamma_row);
    const auto delta = of(delta_row);
    const auto eta = of(eta_row);
    const auto cos = of(cos_row);
    const auto sin = of(sin_row);
    const auto beta = of(beta_row);
    const auto prev_cos = of(prev_cos_row);
    // The two rotations turn the column (0, beta, delta) into (top, above, last).
    const auto top = of(prev_sin_row) * beta;
    const auto above = sin * delta + prev_cos * cos * beta;
    const auto last = cos * delta - prev_cos * sin * beta;
    const auto diagonal = std::hypot(last, next_gamma);
    const auto row_sum = beta + std::abs(delta) + next_gamma;
    if (of(size_row) == 0) {
        of(unit_row) = row_sum;
    }
    of(size_row) = std::max(of(size_row), row_sum);
    const auto growth = of(size_row) / of(unit_row) * std::sqrt(of(x_x_row));
    const auto reason = find_limit_of_accuracy(std::hypot(last, cos * next_gamma), of(size_row),
                                               std::abs(eta) / of(start_eta_row), growth);
    if (reason != stop_reason::running) {
        of(exhausted_row) = reason == stop_reason::breakdown_subspace ? 1 : 0;
        status.stop(reason);
        return;
    }
    const auto next_cos = last / diagonal;
    const auto next_sin = next_gamma / diagonal;
    const auto next_eta = -next_sin * eta;
    const auto step = next_cos * eta;
    const auto z_factor = 1 / diagonal / gamma;
    if (!is_finite(z_factor) || !is_finite(step) || !is_finite(next_gamma / gamma)) {
        status.stop(reason_of_overflow(gamma));
        return;
    }
    of(z_factor_row) = z_factor;
    of(w_factor_row) = above / diagonal;
    of(prev_w_factor_row) = top / diagonal;
    of(step_row) = step;
    update_inner_products(state, col, of(unit_row) / diagonal, step / of(start_eta_row));
    of(r_factor_row) = next_sin * next_sin;
    of(v_factor_row) = next_gamma == 0 ? 0 : next_cos * next_eta / next_gamma;
    of(prev_cos_row) = cos;
    of(prev_sin_row) = sin;
    of(cos_row) = next_cos;
    of(sin_row) = next_sin;
    of(eta_row) = next_eta;
    of(prev_gamma_row) = gamma;
    of(gamma_row) = next_gamma;
    of(beta_row) = next_gamma;
}

template <typename V>
void rotate(const ReferenceExecutor& exec, const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
            array<stopping_status>& status, const Reduction& reduction)
{
    using real = remove_complex<V>;
    const auto no_scale = [](size_type) { return real{1}; };
    sum_products(exec, v, z, no_scale, reduction, [&](size_type col, const V& vz, real vv) {
        auto& column = status.get_data()[col];
        if (!is_finite(vz)) {
            column.stop(stop_reason::not_finite);
        } else if (!is_squared_norm(vz, vv)) {
            column.stop(stop_reason::breakdown_inner_product);
        }
        if (!column.has_stopped()) {
            add_column(state, col, std::sqrt(spruce::real(vz)), column);
        }
    });
}

template <typename V>
void compute_next_v(const ReferenceExecutor& exec, const Dense<V>& y, const Dense<V>& v, Dense<V>& prev_v,
                    Dense<remove_complex<V>>& state, bool is_preconditioned, array<stopping_status>& status,
                    const Reduction& reduction)
{
    for (size_type col = 0; col < v.get_size()[1]; ++col) {
        if (status.get_const_data()[col].has_stopped()) {
            continue;
        }
        const auto gamma = state.at(gamma_row, col);
        const auto v_factor = state.at(delta_row, col) / gamma;
        const auto prev_factor = state.at(beta_row, col) / state.at(prev_gamma_row, col);
        for (size_type row = 0; row < v.get_size()[0]; ++row) {
            const auto entry = y.at(row, col) / gamma - v_factor * v.at(row, col);
            prev_v.at(row, col) = add_multiple(entry, -prev_factor, prev_v.at(row, col));
        }
    }
    if (!is_preconditioned) {
        rotate(exec, prev_v, prev_v, state, status, reduction);
    }
}

template <typename V>
void update_solution(const ReferenceExecutor& exec, const solution_vectors<V>& with, const solution_scalars<V>& scalars,
                     bool is_preconditioned, array<stopping_status>& status, const Reduction& reduction)
{
    using real = remove_complex<V>;
    sum_columns<real>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            if (status.get_const_data()[col].has_stopped()) {
                return zero<real>();
            }
            auto entry = scalars.state.at(z_factor_row, col) * with.z.at(row, col);
            entry = add_multiple(entry, -scalars.state.at(w_factor_row, col), with.w.at(row, col));
            entry = add_multiple(entry, -scalars.state.at(prev_w_factor_row, col), with.prev_w.at(row, col));
            with.prev_w.at(row, col) = entry;
            const auto overflow = add_unless_overflow(with.x.at(row, col), scalars.state.at(step_row, col) * entry);
            if (!is_preconditioned) {
                return overflow;
            }
            with.r.at(row, col) = scalars.state.at(r_factor_row, col) * with.r.at(row, col) +
                                  scalars.state.at(v_factor_row, col) * with.next_v.at(row, col);
            return squared_norm(column_scale<V>(reduction, col) * with.r.at(row, col)) + overflow;
        },
        [&](size_type col, const real& sum) {
            auto& column = status.get_data()[col];
            if (column.has_stopped()) {
                return;
            }
            constexpr auto rounding = 10 * std::numeric_limits<real>::epsilon();
            const auto eta = scalars.state.at(eta_row, col);
            const auto scale = column_scale<V>(reduction, col);
            auto& norm = scalars.norm.at(0, col);
            norm = is_preconditioned ? std::sqrt(sum) / scale : std::abs(eta) + sum;
            scalars.rho.at(0, col) = (scale * eta) * (scale * eta);
            stop_at_norm(norm, column);
            // The norm from the recurrence has rounding errors of the first norm.
            if (norm <= rounding * scalars.start_norm.at(0, col)) {
                column.stop(stop_reason::stagnation);
            }
        });
}

}  // namespace minres

void register_minres()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::minres::start<V>.template set<ReferenceExecutor>(&minres::start<V>);
        kernels::minres::compute_delta<V>.template set<ReferenceExecutor>(&minres::compute_delta<V>);
        kernels::minres::compute_next_v<V>.template set<ReferenceExecutor>(&minres::compute_next_v<V>);
        kernels::minres::rotate<V>.template set<ReferenceExecutor>(&minres::rotate<V>);
        kernels::minres::update_solution<V>.template set<ReferenceExecutor>(&minres::update_solution<V>);
    });
}

}  // namespace spruce::kernels::reference
