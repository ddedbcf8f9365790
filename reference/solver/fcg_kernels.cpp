// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/fcg_kernels.hpp"

#include "common/base/scalar_steps.hpp"
#include "common/base/scale.hpp"
#include "reference/base/register.hpp"
#include "reference/base/sum_columns.hpp"

namespace spruce::kernels::reference {
namespace fcg {

using kernels::cg::solution;
using kernels::fcg::scalars;
using matrix::Dense;

template <typename V>
void update_solution(const ReferenceExecutor& exec, const solution<V>& with, const scalars<V>& coefficients,
                     array<stopping_status>& status, const kernels::stop::device_check<remove_complex<V>>& check,
                     const Reduction& reduction)
{
    const auto scale = reduction.get_scale<remove_complex<V>>();
    sum_columns<sums<V, 2>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [&](auto row, auto col) {
            const auto step = finite_or_zero(coefficients.rho.at(0, col) / coefficients.pq.at(0, col));
            remove_complex<V> overflow{};
            if (!status.get_data()[col].has_stopped() && is_nonzero(step)) {
                overflow = add_if_finite(with.x.at(row, col), step * with.p.at(row, col));
                with.r.at(row, col) -= step * with.q.at(row, col);
            }
            const auto scaled_r = scale_of(scale, col) * with.r.at(row, col);
            return sums<V, 2>{{spruce::conj(scale_of(scale, col) * with.q.at(row, col)) * scaled_r,
                               V(squared_norm(scaled_r) + overflow)}};
        },
        [&](auto col, const auto& products) {
            auto& column = status.get_data()[col];
            coefficients.alpha.at(0, col) =
                step_or_stop(coefficients.rho.at(0, col), coefficients.pq.at(0, col), column);
            coefficients.next_rho.at(0, col) = products[1];
            coefficients.rho_change.at(0, col) = -coefficients.alpha.at(0, col) * products[0];
            coefficients.norm.at(0, col) = sqrt(real_of(products[1])) / scale_of(scale, col);
            stop_if_zero_or_nonfinite(coefficients.norm.at(0, col), column);
        });
    kernels::stop::run_fused_check(check, coefficients.norm.get_const_values(), status.get_data());
}

template <typename V>
void compute_rho(const ReferenceExecutor& exec, const Dense<V>& z, const Dense<V>& r, const Dense<V>& q,
                 const Dense<V>& alpha, Dense<V>& rho, Dense<V>& rho_change, const Reduction& reduction)
{
    const auto scale = reduction.get_scale<remove_complex<V>>();
    sum_columns<sums<V, 2>>(
        exec, z.get_size()[0], z.get_size()[1], reduction,
        [&](auto row, auto col) {
            const auto scaled_z = scale_of(scale, col) * z.at(row, col);
            return sums<V, 2>{{spruce::conj(scaled_z) * (scale_of(scale, col) * r.at(row, col)),
                               spruce::conj(scale_of(scale, col) * q.at(row, col)) * scaled_z}};
        },
        [&](auto col, const auto& products) {
            rho.at(0, col) = products[0];
            rho_change.at(0, col) = -alpha.at(0, col) * products[1];
        });
}

}  // namespace fcg

void register_fcg()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::fcg::update_solution<V>.template set<ReferenceExecutor>(&fcg::update_solution<V>);
        kernels::fcg::compute_rho<V>.template set<ReferenceExecutor>(&fcg::compute_rho<V>);
    });
}

}  // namespace spruce::kernels::reference
