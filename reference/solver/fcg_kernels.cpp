// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/fcg_kernels.hpp"

#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/scalar_steps.hpp"
#include "reference/stop/bounds.hpp"

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
    sum_columns<std::array<V, 2>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [&](auto row, auto col) {
            const auto scale = column_scale<V>(reduction, col);
            const auto step = finite_quotient(coefficients.rho.at(0, col), coefficients.pq.at(0, col));
            remove_complex<V> overflow{};
            if (!status.get_data()[col].has_stopped() && is_nonzero(step)) {
                overflow = add_unless_overflow(with.x.at(row, col), step * with.p.at(row, col));
                with.r.at(row, col) -= step * with.q.at(row, col);
            }
            return std::array<V, 2>{{scaled_product(with.q.at(row, col), with.r.at(row, col), scale),
                                     V(squared_norm(scale * with.r.at(row, col)) + overflow)}};
        },
        [&](auto col, const auto& products) {
            auto& column = status.get_data()[col];
            coefficients.alpha.at(0, col) =
                conjugate_step(coefficients.rho.at(0, col), coefficients.pq.at(0, col), column);
            coefficients.next_rho.at(0, col) = products[1];
            coefficients.rho_change.at(0, col) = -coefficients.alpha.at(0, col) * products[0];
            coefficients.norm.at(0, col) = sqrt(spruce::real(products[1])) / column_scale<V>(reduction, col);
            stop_at_norm(coefficients.norm.at(0, col), column);
        });
    test_single_column(check, coefficients.norm, status);
}

template <typename V>
void compute_rho(const ReferenceExecutor& exec, const Dense<V>& z, const Dense<V>& r, const Dense<V>& q,
                 const Dense<V>& alpha, Dense<V>& rho, Dense<V>& rho_change, const Reduction& reduction)
{
    sum_columns<std::array<V, 2>>(
        exec, z.get_size()[0], z.get_size()[1], reduction,
        [&](auto row, auto col) {
            const auto scale = column_scale<V>(reduction, col);
            return std::array<V, 2>{{scaled_product(z.at(row, col), r.at(row, col), scale),
                                     scaled_product(q.at(row, col), z.at(row, col), scale)}};
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
