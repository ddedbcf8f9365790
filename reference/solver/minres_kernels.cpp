// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/minres_kernels.hpp"

#include "common/base/minres.hpp"
#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace minres {

using matrix::Dense;

template <typename V>
V dot(const Dense<V>& x, const Dense<V>& y, size_type col)
{
    auto sum = zero<V>();
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        sum += spruce::conj(x.at(row, col)) * y.at(row, col);
    }
    return sum;
}

template <typename V>
void start(const ReferenceExecutor&, const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
           Dense<remove_complex<V>>& norm, Dense<V>& rho, array<stopping_status>& status, const Reduction&)
{
    for (size_type col = 0; col < v.get_size()[1]; ++col) {
        start_lanczos(to_device(dot(v, z, col)), spruce::real(dot(v, v, col)), entries_of(state), norm.at(0, col),
                      *as_device(&rho.at(0, col)), col, status.get_const_data()[col]);
    }
}

template <typename V>
void product(const ReferenceExecutor&, const Dense<V>& y, const Dense<V>& z, Dense<remove_complex<V>>& state,
             array<stopping_status>& status, const Reduction&)
{
    for (size_type col = 0; col < y.get_size()[1]; ++col) {
        finish_product(to_device(dot(y, z, col)), entries_of(state), col, status.get_data()[col]);
    }
}

template <typename V>
void rotate(const ReferenceExecutor&, const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
            array<stopping_status>& status, const Reduction&)
{
    for (size_type col = 0; col < v.get_size()[1]; ++col) {
        kernels::rotate(to_device(dot(v, z, col)), spruce::real(dot(v, v, col)), entries_of(state), col,
                        status.get_data()[col]);
    }
}

template <typename V>
void advance(const ReferenceExecutor& exec, const Dense<V>& y, const Dense<V>& v, Dense<V>& prev_v,
             Dense<remove_complex<V>>& state, bool is_preconditioned, array<stopping_status>& status,
             const Reduction& reduction)
{
    using namespace kernels::minres;
    for (size_type col = 0; col < v.get_size()[1]; ++col) {
        if (status.get_const_data()[col].has_stopped()) {
            continue;
        }
        const auto gamma = state.at(gamma_row, col);
        for (size_type row = 0; row < v.get_size()[0]; ++row) {
            const auto entry = y.at(row, col) / gamma - state.at(delta_row, col) / gamma * v.at(row, col);
            prev_v.at(row, col) =
                reduced(entry, state.at(beta_row, col) / state.at(prev_gamma_row, col), prev_v.at(row, col));
        }
    }
    if (!is_preconditioned) {
        rotate(exec, prev_v, prev_v, state, status, reduction);
    }
}

template <typename V>
void update(const ReferenceExecutor&, const Dense<V>& z, const Dense<V>& w, const Dense<V>& next_v, Dense<V>& prev_w,
            Dense<V>& x, Dense<V>& r, const Dense<remove_complex<V>>& state, const Dense<remove_complex<V>>& start_norm,
            bool is_preconditioned, Dense<remove_complex<V>>& norm, Dense<V>& rho, array<stopping_status>& status,
            const Reduction&)
{
    using namespace kernels::minres;
    for (size_type col = 0; col < x.get_size()[1]; ++col) {
        auto& column = status.get_data()[col];
        if (column.has_stopped()) {
            continue;
        }
        auto sum = zero<remove_complex<V>>();
        for (size_type row = 0; row < x.get_size()[0]; ++row) {
            auto entry = state.at(z_factor_row, col) * z.at(row, col);
            entry = reduced(entry, state.at(w_factor_row, col), w.at(row, col));
            entry = reduced(entry, state.at(prev_w_factor_row, col), prev_w.at(row, col));
            prev_w.at(row, col) = entry;
            sum += add_if_finite(x.at(row, col), state.at(step_row, col) * entry);
            if (is_preconditioned) {
                r.at(row, col) =
                    state.at(r_factor_row, col) * r.at(row, col) + state.at(v_factor_row, col) * next_v.at(row, col);
                sum += squared_norm(r.at(row, col));
            }
        }
        const auto eta = state.at(eta_row, col);
        const auto new_norm = is_preconditioned ? sqrt(sum) : std::abs(eta) + sum;
        finish_update(new_norm, eta, start_norm.at(0, col), norm.at(0, col), rho.at(0, col), column);
    }
}

}  // namespace minres

void register_minres()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::minres::start<V>.template set<ReferenceExecutor>(&minres::start<V>);
        kernels::minres::product<V>.template set<ReferenceExecutor>(&minres::product<V>);
        kernels::minres::advance<V>.template set<ReferenceExecutor>(&minres::advance<V>);
        kernels::minres::rotate<V>.template set<ReferenceExecutor>(&minres::rotate<V>);
        kernels::minres::update<V>.template set<ReferenceExecutor>(&minres::update<V>);
    });
}

}  // namespace spruce::kernels::reference
