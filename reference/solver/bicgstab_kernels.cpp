// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/bicgstab_kernels.hpp"

#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/scalar_steps.hpp"
#include "reference/solver/shadow_residual.hpp"
#include "reference/stop/bounds.hpp"

namespace spruce::kernels::reference {
namespace bicgstab {

using kernels::bicgstab::scalars;
using kernels::bicgstab::vectors;
using matrix::Dense;

template <typename V>
void update_p(const ReferenceExecutor&, Dense<V>& p, Dense<V>& shadow, const Dense<V>& r, const Dense<V>& v,
              const Dense<V>& beta, const Dense<V>& omega, const array<stopping_status>& status)
{
    for (size_type col = 0; col < p.get_size()[1]; ++col) {
        if (status.get_const_data()[col].has_stopped()) {
            continue;
        }
        for (size_type row = 0; row < p.get_size()[0]; ++row) {
            if (is_zero(beta.at(0, col))) {
                p.at(row, col) = r.at(row, col);
                shadow.at(row, col) = r.at(row, col);
            } else {
                p.at(row, col) =
                    r.at(row, col) + beta.at(0, col) * (p.at(row, col) - omega.at(0, col) * v.at(row, col));
            }
        }
    }
}

template <typename V>
void compute_alpha(const ReferenceExecutor& exec, const Dense<V>& shadow, const Dense<V>& v, const Dense<V>& rho,
                   const Dense<V>& omega, Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)
{
    sum_columns<V>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        [&](auto row, auto col) {
            return scaled_product(shadow.at(row, col), v.at(row, col), column_scale<V>(reduction, col));
        },
        [&](auto col, auto shadow_v) {
            auto& column = status.get_data()[col];
            if (is_zero(rho.at(0, col))) {
                column.stop(is_zero(alpha.at(0, col))   ? stop_reason::breakdown_curvature
                            : is_zero(omega.at(0, col)) ? stop_reason::breakdown_stabilization
                                                        : stop_reason::breakdown_inner_product);
            }
            alpha.at(0, col) = quotient_or_zero(rho.at(0, col), shadow_v, column);
        });
}

template <typename V>
void update_s(const ReferenceExecutor&, Dense<V>& s, const Dense<V>& r, const Dense<V>& v, const Dense<V>& alpha,
              const array<stopping_status>& status)
{
    for (size_type col = 0; col < s.get_size()[1]; ++col) {
        for (size_type row = 0; row < s.get_size()[0] && !status.get_const_data()[col].has_stopped(); ++row) {
            s.at(row, col) = r.at(row, col) - alpha.at(0, col) * v.at(row, col);
        }
    }
}

template <typename V>
void compute_omega(const ReferenceExecutor& exec, const Dense<V>& s, const Dense<V>& t, Dense<V>& omega,
                   array<stopping_status>& status, const Reduction& reduction)
{
    sum_columns<std::array<V, 2>>(
        exec, s.get_size()[0], s.get_size()[1], reduction,
        [&](auto row, auto col) {
            const auto scale = column_scale<V>(reduction, col);
            return std::array<V, 2>{
                {scaled_product(t.at(row, col), s.at(row, col), scale), V(squared_norm(scale * t.at(row, col)))}};
        },
        [&](auto col, const auto& products) {
            omega.at(0, col) = quotient_or_zero(products[0], products[1], status.get_data()[col]);
        });
}

template <typename V>
void update_x_and_r(const ReferenceExecutor& exec, const vectors<V>& with, const scalars<V>& coefficients,
                    array<stopping_status>& status, const kernels::stop::device_check<remove_complex<V>>& check,
                    const Reduction& reduction)
{
    sum_columns<std::array<V, 2>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [&](auto row, auto col) {
            const auto scale = column_scale<V>(reduction, col);
            std::array<V, 2> products{};
            if (!status.get_data()[col].has_stopped()) {
                products[1] +=
                    add_unless_overflow(with.x.at(row, col), coefficients.alpha.at(0, col) * with.y.at(row, col) +
                                                                 coefficients.omega.at(0, col) * with.z.at(row, col));
                with.r.at(row, col) = with.s.at(row, col) - coefficients.omega.at(0, col) * with.t.at(row, col);
                products[0] += scaled_product(with.shadow.at(row, col), with.r.at(row, col), scale);
            }
            products[1] += squared_norm(scale * with.r.at(row, col));
            return products;
        },
        [&](auto col, const auto& products) {
            const auto ratio = coefficients.alpha.at(0, col) / coefficients.omega.at(0, col);
            finish_shadow_step(coefficients, col, products[0], products[1], ratio, column_scale<V>(reduction, col),
                               status.get_data()[col]);
        });
    test_single_column(check, coefficients.norm, status);
}

}  // namespace bicgstab

void register_bicgstab()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::bicgstab::update_p<V>.template set<ReferenceExecutor>(&bicgstab::update_p<V>);
        kernels::bicgstab::compute_alpha<V>.template set<ReferenceExecutor>(&bicgstab::compute_alpha<V>);
        kernels::bicgstab::update_s<V>.template set<ReferenceExecutor>(&bicgstab::update_s<V>);
        kernels::bicgstab::compute_omega<V>.template set<ReferenceExecutor>(&bicgstab::compute_omega<V>);
        kernels::bicgstab::update_x_and_r<V>.template set<ReferenceExecutor>(&bicgstab::update_x_and_r<V>);
    });
}

}  // namespace spruce::kernels::reference
