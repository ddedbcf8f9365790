// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/bicg_kernels.hpp"

#include "common/base/scalar_steps.hpp"
#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace bicg {

using matrix::Dense;

template <typename V>
void step_1(const ReferenceExecutor&, Dense<V>& p, Dense<V>& shadow_p, const Dense<V>& z, const Dense<V>& shadow_z,
            const Dense<V>& rho, const Dense<V>& prev_rho, const array<stopping_status>& status)
{
    for (size_type col = 0; col < p.get_size()[1]; ++col) {
        if (status.get_const_data()[col].has_stopped()) {
            continue;
        }
        const auto beta = is_zero(prev_rho.at(0, col)) ? zero<V>() : rho.at(0, col) / prev_rho.at(0, col);
        for (size_type row = 0; row < p.get_size()[0]; ++row) {
            p.at(row, col) = z.at(row, col) + beta * p.at(row, col);
            shadow_p.at(row, col) = shadow_z.at(row, col) + spruce::conj(beta) * shadow_p.at(row, col);
        }
    }
}

template <typename V>
void step_3(const ReferenceExecutor&, Dense<V>& x, Dense<V>& r, Dense<V>& shadow_r, const Dense<V>& p,
            const Dense<V>& q, const Dense<V>& shadow_q, const Dense<V>& alpha, Dense<V>& rho,
            Dense<remove_complex<V>>& norm, array<stopping_status>& status,
            const kernels::stop::device_check<remove_complex<V>>& check, const Reduction&)
{
    for (size_type col = 0; col < x.get_size()[1]; ++col) {
        auto& column = status.get_data()[col];
        const auto factor = alpha.at(0, col);
        auto product = zero<V>();
        auto rr = zero<remove_complex<V>>();
        for (size_type row = 0; row < x.get_size()[0]; ++row) {
            if (!column.has_stopped()) {
                rr += add_if_finite(x.at(row, col), factor * p.at(row, col));
                r.at(row, col) -= factor * q.at(row, col);
                shadow_r.at(row, col) -= spruce::conj(factor) * shadow_q.at(row, col);
            }
            product += spruce::conj(shadow_r.at(row, col)) * r.at(row, col);
            rr += squared_norm(r.at(row, col));
        }
        rho.at(0, col) = product;
        norm.at(0, col) = sqrt(rr);
        stop_if_zero_or_nonfinite(norm.at(0, col), column);
    }
    kernels::stop::run_fused_check(check, norm.get_const_values(), status.get_data());
}

}  // namespace bicg

void register_bicg()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::bicg::step_1<V>.template set<ReferenceExecutor>(&bicg::step_1<V>);
        kernels::bicg::step_3<V>.template set<ReferenceExecutor>(&bicg::step_3<V>);
    });
}

}  // namespace spruce::kernels::reference
