// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/idr_kernels.hpp"

#include "common/base/induced_dimension.hpp"
#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace idr {

using kernels::idr::state;
using kernels::idr::vectors;
using matrix::Dense;

/// (p_i, v) and (v, v) for one column.
template <typename V>
V shadow_product(const Dense<V>& p, size_type i, const Dense<V>& v, size_type col)
{
    auto sum = zero<V>();
    for (size_type row = 0; row < v.get_size()[0]; ++row) {
        sum += spruce::conj(p.at(row, i)) * v.at(row, col);
    }
    return sum;
}
template <typename V>
remove_complex<V> squared_length(const Dense<V>& v, size_type col)
{
    auto sum = zero<remove_complex<V>>();
    for (size_type row = 0; row < v.get_size()[0]; ++row) {
        sum += squared_norm(v.at(row, col));
    }
    return sum;
}

template <typename V>
void fill_random(const ReferenceExecutor&, Dense<V>& p, bool with_imaginary_part)
{
    for (size_type row = 0; row < p.get_size()[0]; ++row) {
        for (size_type col = 0; col < p.get_size()[1]; ++col) {
            p.at(row, col) = random_entry<V>(row * p.get_size()[1] + col, with_imaginary_part);
        }
    }
}

template <typename V>
void start(const ReferenceExecutor&, const Dense<V>& p, const Dense<V>& r, const state<V>& state,
           const array<stopping_status>&, const Reduction&)
{
    for (size_type col = 0; col < r.get_size()[1]; ++col) {
        for (size_type i = 0; i < p.get_size()[1]; ++i) {
            state.f.at(i, col) = shadow_product(p, i, r, col);
        }
        start_idr(entries_of(state), col);
    }
}

template <typename V>
void subtract(const ReferenceExecutor&, const state<V>& state, size_type k, const vectors<V>& gs, const Dense<V>& r,
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
void next_direction(const ReferenceExecutor&, const state<V>& state, size_type k, const vectors<V>& gs,
                    const vectors<V>& us, const Dense<V>& z, Dense<V>& u)
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
void project(const ReferenceExecutor&, const Dense<V>& p, const Dense<V>& g, size_type k, const state<V>& state,
             array<stopping_status>& status, const Reduction&)
{
    const auto size = p.get_size()[1];
    for (size_type col = 0; col < g.get_size()[1]; ++col) {
        for (size_type i = 0; i < size; ++i) {
            state.m.at(i + size * k, col) = shadow_product(p, i, g, col);
        }
        finish_projection(std::sqrt(squared_length(g, col)), k, entries_of(state), col, status.get_data()[col]);
    }
}

template <typename V>
void update(const ReferenceExecutor&, const vectors<V>& gs, const vectors<V>& us, Dense<V>& g, Dense<V>& u,
            const state<V>& state, Dense<V>& x, Dense<V>& r, array<stopping_status>& status, const Reduction&)
{
    for (size_type col = 0; col < r.get_size()[1]; ++col) {
        if (status.get_data()[col].has_stopped()) {
            continue;
        }
        const auto beta = state.beta.at(0, col);
        auto square = zero<remove_complex<V>>();
        for (size_type row = 0; row < r.get_size()[0]; ++row) {
            for (size_type i = 0; i < gs.size(); ++i) {
                const auto alpha = state.alpha.at(i, col);
                if (is_nonzero(alpha)) {
                    g.at(row, col) -= alpha * gs[i]->at(row, col);
                    u.at(row, col) -= alpha * us[i]->at(row, col);
                }
            }
            r.at(row, col) -= beta * g.at(row, col);
            square += squared_norm(r.at(row, col)) + add_if_finite(x.at(row, col), beta * u.at(row, col));
        }
        finish_update(square, entries_of(state), col, status.get_data()[col]);
    }
}

template <typename V>
void compute_omega(const ReferenceExecutor&, const Dense<V>& t, const Dense<V>& r, remove_complex<V> kappa,
                   const state<V>& state, array<stopping_status>& status, const Reduction&)
{
    for (size_type col = 0; col < r.get_size()[1]; ++col) {
        auto product = zero<V>();
        for (size_type row = 0; row < r.get_size()[0]; ++row) {
            product += spruce::conj(t.at(row, col)) * r.at(row, col);
        }
        finish_omega({{to_device(product), squared_length(t, col)}}, kappa, entries_of(state), col,
                     status.get_data()[col]);
    }
}

template <typename V>
void finish_cycle(const ReferenceExecutor&, const Dense<V>& p, const Dense<V>& z, const Dense<V>& t,
                  const state<V>& state, Dense<V>& x, Dense<V>& r, array<stopping_status>& status, const Reduction&)
{
    for (size_type col = 0; col < r.get_size()[1]; ++col) {
        if (status.get_data()[col].has_stopped()) {
            continue;
        }
        const auto omega = state.omega.at(0, col);
        auto overflow = zero<remove_complex<V>>();
        for (size_type row = 0; row < r.get_size()[0]; ++row) {
            overflow += add_if_finite(x.at(row, col), omega * z.at(row, col));
            r.at(row, col) -= omega * t.at(row, col);
        }
        state.norm.at(0, col) = std::sqrt(squared_length(r, col) + overflow);
        for (size_type i = 0; i < p.get_size()[1]; ++i) {
            state.f.at(i, col) = shadow_product(p, i, r, col);
        }
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
        kernels::idr::subtract<V>.template set<ReferenceExecutor>(&idr::subtract<V>);
        kernels::idr::next_direction<V>.template set<ReferenceExecutor>(&idr::next_direction<V>);
        kernels::idr::project<V>.template set<ReferenceExecutor>(&idr::project<V>);
        kernels::idr::update<V>.template set<ReferenceExecutor>(&idr::update<V>);
        kernels::idr::compute_omega<V>.template set<ReferenceExecutor>(&idr::compute_omega<V>);
        kernels::idr::finish_cycle<V>.template set<ReferenceExecutor>(&idr::finish_cycle<V>);
    });
}

}  // namespace spruce::kernels::reference
