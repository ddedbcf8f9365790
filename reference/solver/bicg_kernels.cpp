// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/bicg_kernels.hpp"

#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/scalar_steps.hpp"
#include "reference/stop/bounds.hpp"

namespace spruce::kernels::reference {
namespace bicg {

using kernels::bicg::vectors;
using matrix::Dense;

template <typename V>
void update_directions(const ReferenceExecutor&, Dense<V>& p, Dense<V>& shadow_p, const Dense<V>& z,
                       const Dense<V>& shadow_z, const Dense<V>& rho, const Dense<V>& prev_rho,
                       const array<stopping_status>& status)
{
    for (size_type col = 0; col < p.get_size()[1]; ++col) {
        if (status.get_const_data()[col].has_stopped()) {
            continue;
        }
        const auto beta = safe_divide(rho.at(0, col), prev_rho.at(0, col));
        for (size_type row = 0; row < p.get_size()[0]; ++row) {
            p.at(row, col) = z.at(row, col) + beta * p.at(row, col);
            shadow_p.at(row, col) = shadow_z.at(row, col) + spruce::conj(beta) * shadow_p.at(row, col);
        }
    }
}

template <typename V>
void update_solution(const ReferenceExecutor& exec, const vectors<V>& with, const Dense<V>& alpha, Dense<V>& rho,
                     Dense<remove_complex<V>>& norm, array<stopping_status>& status,
                     const kernels::stop::device_check<remove_complex<V>>& check, const Reduction& reduction)
{
    sum_columns<std::array<V, 2>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [&](auto row, auto col) {
            remove_complex<V> overflow{};
            if (!status.get_data()[col].has_stopped()) {
                overflow = add_unless_overflow(with.x.at(row, col), alpha.at(0, col) * with.p.at(row, col));
                with.r.at(row, col) -= alpha.at(0, col) * with.q.at(row, col);
                with.shadow_r.at(row, col) -= spruce::conj(alpha.at(0, col)) * with.shadow_q.at(row, col);
            }
            const auto scale = column_scale<V>(reduction, col);
            return std::array<V, 2>{{scaled_product(with.shadow_r.at(row, col), with.r.at(row, col), scale),
                                     V(squared_norm(scale * with.r.at(row, col)) + overflow)}};
        },
        [&](auto col, const auto& products) {
            rho.at(0, col) = products[0];
            norm.at(0, col) = sqrt(spruce::real(products[1])) / column_scale<V>(reduction, col);
            stop_at_norm(norm.at(0, col), status.get_data()[col]);
        });
    test_single_column(check, norm, status);
}

}  // namespace bicg

void register_bicg()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::bicg::update_directions<V>.template set<ReferenceExecutor>(&bicg::update_directions<V>);
        kernels::bicg::update_solution<V>.template set<ReferenceExecutor>(&bicg::update_solution<V>);
    });
}

}  // namespace spruce::kernels::reference
