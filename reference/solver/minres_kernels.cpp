// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/minres_kernels.hpp"

#include "common/base/minres.hpp"
#include "reference/base/register.hpp"
#include "reference/base/sum_columns.hpp"

namespace spruce::kernels::reference {
namespace minres {

using kernels::minres::solution_scalars;
using kernels::minres::solution_vectors;
using matrix::Dense;

/// Calls finalize(col, {scale^2 (v, z), scale^2 (v, v)}) for every column.
template <typename V, typename Finalize>
void sum_products(const ReferenceExecutor& exec, const Dense<V>& v, const Dense<V>& z, const remove_complex<V>* scales,
                  const Reduction& reduction, Finalize finalize)
{
    sum_columns<sums<V, 2>>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            const auto scaled = scale_of(scales, col) * v.at(row, col);
            return sums<V, 2>{
                {spruce::conj(scaled) * (scale_of(scales, col) * z.at(row, col)), V(squared_norm(scaled))}};
        },
        finalize);
}

template <typename V>
void start(const ReferenceExecutor& exec, const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
           Dense<remove_complex<V>>& norm, Dense<V>& rho, array<stopping_status>& status, const Reduction& reduction)
{
    const auto scales = reduction.get_scale<remove_complex<V>>();
    sum_products(exec, v, z, scales, reduction, [&](size_type col, const sums<V, 2>& products) {
        start_lanczos(to_device(products[0]), spruce::real(products[1]), scale_of(scales, col), entries_of(state),
                      norm.at(0, col), *as_device(&rho.at(0, col)), col, status.get_const_data()[col]);
    });
}

template <typename V>
void compute_delta(const ReferenceExecutor& exec, const Dense<V>& y, const Dense<V>& z, Dense<remove_complex<V>>& state,
                   array<stopping_status>& status, const Reduction& reduction)
{
    sum_columns<V>(
        exec, y.get_size()[0], y.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            const auto scale = lanczos_scale(state.at(kernels::minres::gamma_row, col));
            return spruce::conj(scale * y.at(row, col)) * (scale * z.at(row, col));
        },
        [&](size_type col, const V& product) {
            finish_product(to_device(product), entries_of(state), col, status.get_data()[col]);
        });
}

template <typename V>
void rotate(const ReferenceExecutor& exec, const Dense<V>& v, const Dense<V>& z, Dense<remove_complex<V>>& state,
            array<stopping_status>& status, const Reduction& reduction)
{
    sum_products(exec, v, z, nullptr, reduction, [&](size_type col, const sums<V, 2>& products) {
        kernels::rotate(to_device(products[0]), spruce::real(products[1]), entries_of(state), col,
                        status.get_data()[col]);
    });
}

template <typename V>
void compute_next_v(const ReferenceExecutor& exec, const Dense<V>& y, const Dense<V>& v, Dense<V>& prev_v,
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
void update_solution(const ReferenceExecutor& exec, const solution_vectors<V>& with, const solution_scalars<V>& scalars,
                     bool is_preconditioned, array<stopping_status>& status, const Reduction& reduction)
{
    using namespace kernels::minres;
    using real = remove_complex<V>;
    const auto scales = reduction.get_scale<real>();
    sum_columns<real>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [&](size_type row, size_type col) {
            if (status.get_const_data()[col].has_stopped()) {
                return zero<real>();
            }
            auto entry = scalars.state.at(z_factor_row, col) * with.z.at(row, col);
            entry = reduced(entry, scalars.state.at(w_factor_row, col), with.w.at(row, col));
            entry = reduced(entry, scalars.state.at(prev_w_factor_row, col), with.prev_w.at(row, col));
            with.prev_w.at(row, col) = entry;
            const auto overflow = add_if_finite(with.x.at(row, col), scalars.state.at(step_row, col) * entry);
            if (!is_preconditioned) {
                return overflow;
            }
            with.r.at(row, col) = scalars.state.at(r_factor_row, col) * with.r.at(row, col) +
                                  scalars.state.at(v_factor_row, col) * with.next_v.at(row, col);
            return squared_norm(scale_of(scales, col) * with.r.at(row, col)) + overflow;
        },
        [&](size_type col, const real& sum) {
            const auto eta = scalars.state.at(eta_row, col);
            const auto scale = scale_of(scales, col);
            const auto new_norm = is_preconditioned ? sqrt(sum) / scale : std::abs(eta) + sum;
            finish_update(new_norm, eta, scale, scalars.start_norm.at(0, col), scalars.norm.at(0, col),
                          scalars.rho.at(0, col), status.get_data()[col]);
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
