// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/idr_kernels.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/scalar_steps.hpp"

namespace spruce::kernels::reference {
namespace idr {

using kernels::idr::direction;
using kernels::idr::state;
using kernels::idr::vectors;
using matrix::Dense;

/// Calls finalize(i, col, (p_i, v)) for each vector of P and each column of v.
template <typename V, typename Finalize>
void shadow_products(const ReferenceExecutor& exec, const Dense<V>& p, const Dense<V>& v, const Reduction& reduction,
                     Finalize finalize)
{
    for (size_type i = 0; i < p.get_size()[1]; ++i) {
        sum_columns<V>(
            exec, v.get_size()[0], v.get_size()[1], reduction,
            [&](size_type row, size_type col) { return spruce::conj(p.at(row, i)) * v.at(row, col); },
            [&](size_type col, const V& product) { finalize(i, col, product); });
    }
}

/// Returns number index of a fixed sequence that is uniformly distributed in (-1, 1): SplitMix64.
/// Source: Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
inline double random_number(uint64 index)
{
    const auto mix = [](uint64 bits, int shift, uint64 factor) { return (bits ^ (bits >> shift)) * factor; };
    const auto seed = (index + 1) * 0x9e3779b97f4a7c15u;
    const auto bits = mix(mix(mix(seed, 30, 0xbf58476d1ce4e5b9u), 27, 0x94d049bb133111ebu), 31, 1);
    const auto first_53_bits = static_cast<double>(bits >> 11);
    return std::ldexp(first_53_bits + 0.5, -52) - 1;
}

template <typename Real>
void set_random(Real& entry, uint64 index, bool)
{
    entry = static_cast<Real>(random_number(2 * index));
}
template <typename Real>
void set_random(std::complex<Real>& entry, uint64 index, bool with_imaginary_part)
{
    const auto imaginary_part = with_imaginary_part ? random_number(2 * index + 1) : 0;
    entry = {static_cast<Real>(random_number(2 * index)), static_cast<Real>(imaginary_part)};
}

template <typename V>
void fill_random(const ReferenceExecutor&, Dense<V>& p, size_type first_row, bool with_imaginary_part)
{
    const auto num_cols = p.get_size()[1];
    for (size_type row = 0; row < p.get_size()[0]; ++row) {
        for (size_type col = 0; col < num_cols; ++col) {
            set_random(p.at(row, col), (first_row + row) * num_cols + col, with_imaginary_part);
        }
    }
}

/// Refers to the scalars of one right-hand side.
template <typename V>
struct column_state {
    size_type size() const { return of.f.get_size()[0]; }
    V& m(size_type i, size_type j) const { return of.m.at(i + this->size() * j, col); }
    V& f(size_type i) const { return of.f.at(i, col); }
    V& c(size_type i) const { return of.c.at(i, col); }
    V& alpha(size_type i) const { return of.alpha.at(i, col); }
    V& beta() const { return of.beta.at(0, col); }
    V& omega() const { return of.omega.at(0, col); }
    remove_complex<V>& norm() const { return of.norm.at(0, col); }
    remove_complex<V>& start_norm() const { return of.start_norm.at(0, col); }
    size_type& breakdown() const { return of.breakdown.get_data()[col]; }
    /// Records the first breakdown of the cycle.
    void record_breakdown(stop_reason reason) const
    {
        if (this->breakdown() == 0) {
            this->breakdown() = static_cast<size_type>(reason);
        }
    }

    const state<V>& of;
    size_type col;
};

/// Restarts the recurrence without vectors g_i.
template <typename V>
void restart(const column_state<V>& column)
{
    column.start_norm() = column.norm();
    column.breakdown() = 0;
    column.omega() = one<V>();
    for (size_type i = 0; i < column.size(); ++i) {
        column.m(i, i) = zero<V>();
        column.c(i) = zero<V>();
    }
}

/// Solves m c = f for c_first, c_(first+1), ... by forward substitution. c_i = 0 if there is no
/// g_i.
template <typename V>
void solve_for_c(const column_state<V>& column, size_type first)
{
    for (auto i = first; i < column.size(); ++i) {
        column.c(i) = column.f(i);
    }
    for (auto j = first; j < column.size(); ++j) {
        column.c(j) = safe_divide(column.c(j), column.m(j, j));
        for (auto i = j + 1; i < column.size(); ++i) {
            column.c(i) -= column.m(i, j) * column.c(j);
        }
    }
}

/// Computes column k of m, which is P^H g, for g without its components along g_0, ..., g_(k-1).
/// Returns a bound for the terms of m_kk.
template <typename V>
remove_complex<V> orthogonalize(const column_state<V>& column, size_type k, remove_complex<V> g_norm)
{
    auto terms = g_norm;
    for (size_type j = 0; j < k; ++j) {
        const auto alpha = safe_divide(column.m(j, k), column.m(j, j));
        column.alpha(j) = alpha;
        terms += abs(alpha * column.m(k, j));
        for (auto i = j + 1; i < column.size(); ++i) {
            column.m(i, k) -= alpha * column.m(i, j);
        }
    }
    return terms;
}

template <typename V>
void finish_projection(const column_state<V>& column, size_type k, remove_complex<V> g_norm, stopping_status& status)
{
    column.beta() = zero<V>();
    if (!is_finite(g_norm)) {
        status.stop(stop_reason::not_finite);
    }
    if (status.has_stopped()) {
        return;
    }
    const auto rounding = 4 * std::numeric_limits<remove_complex<V>>::epsilon() * orthogonalize(column, k, g_norm);
    const auto pivot = column.m(k, k);
    const auto beta = column.f(k) / pivot;
    if (!(abs(pivot) > rounding) || !is_finite(beta)) {
        column.record_breakdown(stop_reason::breakdown_inner_product);
    }
    if (column.breakdown() != 0) {
        column.m(k, k) = zero<V>();
        for (size_type i = 0; i < column.size(); ++i) {
            column.alpha(i) = zero<V>();
            column.c(i) = zero<V>();
        }
        return;
    }
    column.beta() = beta;
    for (auto i = k + 1; i < column.size(); ++i) {
        column.f(i) -= beta * column.m(i, k);
    }
    solve_for_c(column, k + 1);
}

template <typename V>
void start(const ReferenceExecutor& exec, const Dense<V>& p, const Dense<V>& r, const state<V>& state,
           const array<stopping_status>&, const Reduction& reduction)
{
    shadow_products(exec, p, r, reduction,
                    [&](size_type i, size_type col, const V& product) { state.f.at(i, col) = product; });
    for (size_type col = 0; col < r.get_size()[1]; ++col) {
        restart(column_state<V>{state, col});
    }
}

template <typename V>
void compute_v(const ReferenceExecutor&, const state<V>& state, size_type k, const vectors<V>& gs, const Dense<V>& r,
               Dense<V>& v)
{
    for (size_type row = 0; row < v.get_size()[0]; ++row) {
        for (size_type col = 0; col < v.get_size()[1]; ++col) {
            v.at(row, col) = r.at(row, col);
            for (size_type i = 0; i < gs.size(); ++i) {
                if (is_nonzero(state.c.at(k + i, col))) {
                    v.at(row, col) -= state.c.at(k + i, col) * gs[i]->at(row, col);
                }
            }
        }
    }
}

template <typename V>
void compute_u(const ReferenceExecutor&, const state<V>& state, size_type k, const vectors<V>& gs, const vectors<V>& us,
               const Dense<V>& z, Dense<V>& u)
{
    for (size_type row = 0; row < u.get_size()[0]; ++row) {
        for (size_type col = 0; col < u.get_size()[1]; ++col) {
            auto residual = z.at(row, col);
            auto entry = zero<V>();
            for (size_type i = 0; i < us.size(); ++i) {
                const auto factor = state.c.at(k + i, col);
                if (is_nonzero(factor)) {
                    entry += factor * us[i]->at(row, col);
                    residual -= gs.empty() ? zero<V>() : factor * gs[i]->at(row, col);
                }
            }
            u.at(row, col) = entry + state.omega.at(0, col) * residual;
        }
    }
}

template <typename V>
void project_g(const ReferenceExecutor& exec, const Dense<V>& p, const Dense<V>& g, size_type k, const state<V>& state,
               array<stopping_status>& status, const Reduction& reduction)
{
    using real = remove_complex<V>;
    const auto size = p.get_size()[1];
    shadow_products(exec, p, g, reduction,
                    [&](size_type i, size_type col, const V& product) { state.m.at(i + size * k, col) = product; });
    sum_columns<real>(
        exec, g.get_size()[0], g.get_size()[1], reduction,
        [&](size_type row, size_type col) { return squared_norm(column_scale<V>(reduction, col) * g.at(row, col)); },
        [&](size_type col, const real& square) {
            const auto g_norm = std::sqrt(square) / column_scale<V>(reduction, col);
            finish_projection(column_state<V>{state, col}, k, g_norm, status.get_data()[col]);
        });
}

template <typename V>
void update_x_and_r(const ReferenceExecutor& exec, const vectors<V>& gs, const vectors<V>& us, const direction<V>& next,
                    const state<V>& state, Dense<V>& x, Dense<V>& r, array<stopping_status>& status,
                    const Reduction& reduction)
{
    auto& g = next.g;
    auto& u = next.u;
    using real = remove_complex<V>;
    sum_columns<real>(
        exec, r.get_size()[0], r.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            if (status.get_const_data()[col].has_stopped()) {
                return zero<real>();
            }
            for (size_type i = 0; i < gs.size(); ++i) {
                const auto alpha = state.alpha.at(i, col);
                if (is_nonzero(alpha)) {
                    g.at(row, col) -= alpha * gs[i]->at(row, col);
                    u.at(row, col) -= alpha * us[i]->at(row, col);
                }
            }
            const auto beta = state.beta.at(0, col);
            r.at(row, col) -= beta * g.at(row, col);
            return squared_norm(column_scale<V>(reduction, col) * r.at(row, col)) +
                   add_unless_overflow(x.at(row, col), beta * u.at(row, col));
        },
        [&](size_type col, const real& square) {
            auto& column = status.get_data()[col];
            if (!column.has_stopped()) {
                state.norm.at(0, col) = std::sqrt(square) / column_scale<V>(reduction, col);
                stop_at_norm(state.norm.at(0, col), column);
            }
        });
}

/// Returns the factor omega for scaled products tr = (t, r) and tt = (t, t), or zero if omega does
/// not exist.
/// @param least  least absolute value of omega ||t||
template <typename V>
V omega_for(const V& tr, const V& tt, remove_complex<V> least)
{
    const auto t_norm = sqrt(spruce::real(tt));
    if (!(t_norm > 0)) {
        return zero<V>();
    }
    if (abs(tr) < least * t_norm) {
        const auto phase = is_zero(tr) ? one<V>() : tr / abs(tr);
        const auto omega = phase * (least / t_norm);
        return is_finite(omega) ? omega : zero<V>();
    }
    return finite_quotient(tr, tt);
}

template <typename V>
void compute_omega(const ReferenceExecutor& exec, const Dense<V>& t, const Dense<V>& r, remove_complex<V> kappa,
                   const state<V>& state, array<stopping_status>& status, const Reduction& reduction)
{
    sum_columns<std::array<V, 2>>(
        exec, r.get_size()[0], r.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            const auto scale = column_scale<V>(reduction, col);
            return std::array<V, 2>{
                {scaled_product(t.at(row, col), r.at(row, col), scale), V(squared_norm(scale * t.at(row, col)))}};
        },
        [&](size_type col, const std::array<V, 2>& products) {
            const column_state<V> column{state, col};
            auto& status_of_column = status.get_data()[col];
            column.omega() = zero<V>();
            if (!is_finite(products[0]) || !is_finite(products[1])) {
                status_of_column.stop(stop_reason::not_finite);
            }
            if (status_of_column.has_stopped()) {
                return;
            }
            const auto factor = column.breakdown() == 0 ? kappa : 0;
            const auto least = factor * (column_scale<V>(reduction, col) * column.norm());
            column.omega() = omega_for(products[0], products[1], least);
            if (is_zero(column.omega())) {
                column.record_breakdown(stop_reason::breakdown_stabilization);
            }
        });
}

/// Prepares the next cycle of a column with this norm. Computes c, or restarts after a breakdown.
template <typename V>
void start_next_cycle(const column_state<V>& column, stopping_status& status)
{
    stop_at_norm(column.norm(), status);
    if (status.has_stopped()) {
        return;
    }
    if (column.breakdown() == 0) {
        solve_for_c(column, 0);
    } else if (column.norm() < column.start_norm()) {
        restart(column);
    } else {
        status.stop(static_cast<stop_reason>(column.breakdown()));
    }
}

template <typename V>
void finish_cycle(const ReferenceExecutor& exec, const Dense<V>& p, const Dense<V>& z, const Dense<V>& t,
                  const state<V>& state, Dense<V>& x, Dense<V>& r, array<stopping_status>& status,
                  const Reduction& reduction)
{
    using real = remove_complex<V>;
    sum_columns<real>(
        exec, r.get_size()[0], r.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            if (status.get_const_data()[col].has_stopped()) {
                return zero<real>();
            }
            const auto omega = state.omega.at(0, col);
            const auto overflow = add_unless_overflow(x.at(row, col), omega * z.at(row, col));
            r.at(row, col) -= omega * t.at(row, col);
            return squared_norm(column_scale<V>(reduction, col) * r.at(row, col)) + overflow;
        },
        [&](size_type col, const real& square) {
            if (!status.get_const_data()[col].has_stopped()) {
                state.norm.at(0, col) = std::sqrt(square) / column_scale<V>(reduction, col);
            }
        });
    shadow_products(exec, p, r, reduction,
                    [&](size_type i, size_type col, const V& product) { state.f.at(i, col) = product; });
    for (size_type col = 0; col < r.get_size()[1]; ++col) {
        start_next_cycle(column_state<V>{state, col}, status.get_data()[col]);
    }
}

}  // namespace idr

void register_idr()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::idr::fill_random<V>.template set<ReferenceExecutor>(&idr::fill_random<V>);
        kernels::idr::start<V>.template set<ReferenceExecutor>(&idr::start<V>);
        kernels::idr::compute_v<V>.template set<ReferenceExecutor>(&idr::compute_v<V>);
        kernels::idr::compute_u<V>.template set<ReferenceExecutor>(&idr::compute_u<V>);
        kernels::idr::project_g<V>.template set<ReferenceExecutor>(&idr::project_g<V>);
        kernels::idr::update_x_and_r<V>.template set<ReferenceExecutor>(&idr::update_x_and_r<V>);
        kernels::idr::compute_omega<V>.template set<ReferenceExecutor>(&idr::compute_omega<V>);
        kernels::idr::finish_cycle<V>.template set<ReferenceExecutor>(&idr::finish_cycle<V>);
    });
}

}  // namespace spruce::kernels::reference
