// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cgs_kernels.hpp"

#include "reference/base/register.hpp"
#include "reference/base/scaling.hpp"
#include "reference/base/sum_columns.hpp"
#include "reference/solver/scalar_steps.hpp"
#include "reference/solver/shadow_residual.hpp"
#include "reference/stop/bounds.hpp"

namespace spruce::kernels::reference {
namespace cgs {

using kernels::cgs::scalars;
using kernels::cgs::vectors;
using matrix::Dense;

template <typename V>
void update_u_and_p(const ReferenceExecutor&, Dense<V>& u, Dense<V>& p, Dense<V>& shadow, const Dense<V>& r,
                    const Dense<V>& q, const Dense<V>& beta, const array<stopping_status>& status)
{
    for (size_type col = 0; col < p.get_size()[1]; ++col) {
        if (status.get_const_data()[col].has_stopped()) {
            continue;
        }
        const auto factor = beta.at(0, col);
        for (size_type row = 0; row < p.get_size()[0]; ++row) {
            if (is_zero(factor)) {
                u.at(row, col) = r.at(row, col);
                p.at(row, col) = r.at(row, col);
                shadow.at(row, col) = r.at(row, col);
            } else {
                u.at(row, col) = r.at(row, col) + factor * q.at(row, col);
                p.at(row, col) = u.at(row, col) + factor * (q.at(row, col) + factor * p.at(row, col));
            }
        }
    }
}

template <typename V>
void compute_alpha(const ReferenceExecutor& exec, const Dense<V>& shadow, const Dense<V>& v, const Dense<V>& rho,
                   Dense<V>& alpha, array<stopping_status>& status, const Reduction& reduction)
{
    sum_columns<V>(
        exec, v.get_size()[0], v.get_size()[1], reduction,
        [&](auto row, auto col) {
            return scaled_product(shadow.at(row, col), v.at(row, col), column_scale<V>(reduction, col));
        },
        [&](auto col, auto shadow_v) {
            auto& column = status.get_data()[col];
            if (is_zero(rho.at(0, col))) {
                column.stop(is_zero(alpha.at(0, col)) ? stop_reason::breakdown_curvature
                                                      : stop_reason::breakdown_inner_product);
            }
            alpha.at(0, col) = quotient_or_zero(rho.at(0, col), shadow_v, column);
        });
}

template <typename V>
void update_q(const ReferenceExecutor&, Dense<V>& q, Dense<V>& t, const Dense<V>& u, const Dense<V>& v,
              const Dense<V>& alpha, const array<stopping_status>& status)
{
    for (size_type col = 0; col < q.get_size()[1]; ++col) {
        for (size_type row = 0; row < q.get_size()[0] && !status.get_const_data()[col].has_stopped(); ++row) {
            q.at(row, col) = u.at(row, col) - alpha.at(0, col) * v.at(row, col);
            t.at(row, col) = u.at(row, col) + q.at(row, col);
        }
    }
}

template <typename V>
void update_x_and_r(const ReferenceExecutor& exec, const vectors<V>& with, const scalars<V>& coefficients,
                    array<stopping_status>& status, const kernels::stop::device_check<remove_complex<V>>& check,
                    const Reduction& reduction)
{
    sum_columns<std::array<V, 2>>(
        exec, with.x.get_size()[0], with.x.get_size()[1], reduction,
        [&](auto row, auto col) {
            remove_complex<V> overflow{};
            if (!status.get_data()[col].has_stopped() && is_nonzero(coefficients.alpha.at(0, col))) {
                overflow =
                    add_unless_overflow(with.x.at(row, col), coefficients.alpha.at(0, col) * with.z.at(row, col));
                with.r.at(row, col) -= coefficients.alpha.at(0, col) * with.w.at(row, col);
            }
            const auto scale = column_scale<V>(reduction, col);
            return std::array<V, 2>{{scaled_product(with.shadow.at(row, col), with.r.at(row, col), scale),
                                     V(squared_norm(scale * with.r.at(row, col)) + overflow)}};
        },
        [&](auto col, const auto& products) {
            const auto ratio = is_zero(coefficients.alpha.at(0, col)) ? zero<V>() : one<V>();
            finish_shadow_step(coefficients, col, products[0], products[1], ratio, column_scale<V>(reduction, col),
                               status.get_data()[col]);
        });
    test_single_column(check, coefficients.norm, status);
}

}  // namespace cgs

void register_cgs()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::cgs::update_u_and_p<V>.template set<ReferenceExecutor>(&cgs::update_u_and_p<V>);
        kernels::cgs::compute_alpha<V>.template set<ReferenceExecutor>(&cgs::compute_alpha<V>);
        kernels::cgs::update_q<V>.template set<ReferenceExecutor>(&cgs::update_q<V>);
        kernels::cgs::update_x_and_r<V>.template set<ReferenceExecutor>(&cgs::update_x_and_r<V>);
    });
}

}  // namespace spruce::kernels::reference
