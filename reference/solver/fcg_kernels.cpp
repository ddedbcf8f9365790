// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/fcg_kernels.hpp"

#include "common/base/scalar_steps.hpp"
#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace fcg {

using matrix::Dense;

template <typename V>
void step_3(const ReferenceExecutor&, Dense<V>& x, Dense<V>& r, const Dense<V>& p, const Dense<V>& q,
            const Dense<V>& rho, const Dense<V>& pq, Dense<V>& alpha, Dense<V>& next_rho, Dense<V>& rho_change,
            Dense<remove_complex<V>>& norm, array<stopping_status>& status,
            const kernels::stop::device_check<remove_complex<V>>& check, const Reduction&)
{
    for (size_type col = 0; col < x.get_size()[1]; ++col) {
        auto& column = status.get_data()[col];
        const auto step = step_or_stop(rho.at(0, col), pq.at(0, col), column);
        auto qr = zero<V>();
        auto rr = zero<remove_complex<V>>();
        for (size_type row = 0; row < x.get_size()[0]; ++row) {
            if (!column.has_stopped()) {
                rr += add_if_finite(x.at(row, col), step * p.at(row, col));
                r.at(row, col) -= step * q.at(row, col);
            }
            qr += spruce::conj(q.at(row, col)) * r.at(row, col);
            rr += squared_norm(r.at(row, col));
        }
        alpha.at(0, col) = step;
        next_rho.at(0, col) = rr;
        rho_change.at(0, col) = -step * qr;
        norm.at(0, col) = sqrt(rr);
        stop_if_zero_or_nonfinite(norm.at(0, col), column);
    }
    kernels::stop::run_fused_check(check, norm.get_const_values(), status.get_data());
}

template <typename V>
void step_4(const ReferenceExecutor&, const Dense<V>& z, const Dense<V>& r, const Dense<V>& q, const Dense<V>& alpha,
            Dense<V>& rho, Dense<V>& rho_change, const Reduction&)
{
    for (size_type col = 0; col < z.get_size()[1]; ++col) {
        auto zr = zero<V>();
        auto qz = zero<V>();
        for (size_type row = 0; row < z.get_size()[0]; ++row) {
            zr += spruce::conj(z.at(row, col)) * r.at(row, col);
            qz += spruce::conj(q.at(row, col)) * z.at(row, col);
        }
        rho.at(0, col) = zr;
        rho_change.at(0, col) = -alpha.at(0, col) * qz;
    }
}

}  // namespace fcg

void register_fcg()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::fcg::step_3<V>.template set<ReferenceExecutor>(&fcg::step_3<V>);
        kernels::fcg::step_4<V>.template set<ReferenceExecutor>(&fcg::step_4<V>);
    });
}

}  // namespace spruce::kernels::reference
