// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/idr_kernels.hpp"

#include "common/base/idr.hpp"
#include "reference/base/register.hpp"
#include "reference/base/sum_columns.hpp"

namespace spruce::kernels::reference {
namespace idr {

using kernels::idr::direction;
using kernels::idr::state;
using kernels::idr::vectors;
using matrix::Dense;

/// Calls finalize(i, col, (p_i, v)) for every vector of P and every column of v.
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

template <typename V>
remove_complex<V> scale_of_column(const Reduction& reduction, size_type col)
{
    return scale_of(reduction.get_scale<remove_complex<V>>(), col);
}

template <typename V>
void fill_random(const ReferenceExecutor&, Dense<V>& p, size_type first_row, bool with_imaginary_part)
{
    for (size_type row = 0; row < p.get_size()[0]; ++row) {
        for (size_type col = 0; col < p.get_size()[1]; ++col) {
            p.at(row, col) = random_entry<V>((first_row + row) * p.get_size()[1] + col, with_imaginary_part);
        }
    }
}

template <typename V>
void start(const ReferenceExecutor& exec, const Dense<V>& p, const Dense<V>& r, const state<V>& state,
           const array<stopping_status>&, const Reduction& reduction)
{
    shadow_products(exec, p, r, reduction,
                    [&](size_type i, size_type col, const V& product) { state.f.at(i, col) = product; });
    for (size_type col = 0; col < r.get_size()[1]; ++col) {
        start_idr(entries_of(state), col);
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
        [&](size_type row, size_type col) { return squared_norm(scale_of_column<V>(reduction, col) * g.at(row, col)); },
        [&](size_type col, const real& square) {
            const auto g_norm = std::sqrt(square) / scale_of_column<V>(reduction, col);
            finish_projection(g_norm, k, entries_of(state), col, status.get_data()[col]);
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
            return squared_norm(scale_of_column<V>(reduction, col) * r.at(row, col)) +
                   add_if_finite(x.at(row, col), beta * u.at(row, col));
        },
        [&](size_type col, const real& square) {
            finish_update(square, scale_of_column<V>(reduction, col), entries_of(state), col, status.get_data()[col]);
        });
}

template <typename V>
void compute_omega(const ReferenceExecutor& exec, const Dense<V>& t, const Dense<V>& r, remove_complex<V> kappa,
                   const state<V>& state, array<stopping_status>& status, const Reduction& reduction)
{
    using T = device_type<V>;
    sum_columns<sums<V, 2>>(
        exec, r.get_size()[0], r.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            const auto scale = scale_of_column<V>(reduction, col);
            const auto entry = scale * t.at(row, col);
            return sums<V, 2>{{spruce::conj(entry) * (scale * r.at(row, col)), V(squared_norm(entry))}};
        },
        [&](size_type col, const sums<V, 2>& products) {
            finish_omega(sums<T, 2>{{to_device(products[0]), to_device(products[1])}}, kappa,
                         scale_of_column<V>(reduction, col), entries_of(state), col, status.get_data()[col]);
        });
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
            const auto overflow = add_if_finite(x.at(row, col), omega * z.at(row, col));
            r.at(row, col) -= omega * t.at(row, col);
            return squared_norm(scale_of_column<V>(reduction, col) * r.at(row, col)) + overflow;
        },
        [&](size_type col, const real& square) {
            if (!status.get_const_data()[col].has_stopped()) {
                state.norm.at(0, col) = std::sqrt(square) / scale_of_column<V>(reduction, col);
            }
        });
    shadow_products(exec, p, r, reduction,
                    [&](size_type i, size_type col, const V& product) { state.f.at(i, col) = product; });
    for (size_type col = 0; col < r.get_size()[1]; ++col) {
        finish_idr_cycle(entries_of(state), col, status.get_data()[col]);
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
