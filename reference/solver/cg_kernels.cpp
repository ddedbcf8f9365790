// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cg_kernels.hpp"

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace cg {

template <typename V>
void initialize(const ReferenceExecutor&, matrix::Dense<V>& p, matrix::Dense<V>& prev_rho, matrix::Dense<V>& rho,
                array<stopping_status>& status)
{
    for (size_type col = 0; col < p.get_size()[1]; ++col) {
        prev_rho.at(0, col) = one<V>();
        rho.at(0, col) = zero<V>();
        status.get_data()[col].reset();
        for (size_type row = 0; row < p.get_size()[0]; ++row) {
            p.at(row, col) = zero<V>();
        }
    }
}

template <typename V>
void step_1(const ReferenceExecutor&, matrix::Dense<V>& p, const matrix::Dense<V>& z, const matrix::Dense<V>& rho,
            const matrix::Dense<V>& prev_rho, const array<stopping_status>& status)
{
    for (size_type col = 0; col < p.get_size()[1]; ++col) {
        if (status.get_const_data()[col].has_stopped()) {
            continue;
        }
        const auto restarts = is_zero(prev_rho.at(0, col));
        for (size_type row = 0; row < p.get_size()[0]; ++row) {
            p.at(row, col) =
                restarts ? z.at(row, col) : z.at(row, col) + rho.at(0, col) / prev_rho.at(0, col) * p.at(row, col);
        }
    }
}

template <typename V>
void step_2(const ReferenceExecutor&, matrix::Dense<V>& x, matrix::Dense<V>& r, const matrix::Dense<V>& p,
            const matrix::Dense<V>& q, const matrix::Dense<V>& beta, const matrix::Dense<V>& rho,
            const array<stopping_status>& status, matrix::Dense<V>& rr, matrix::Dense<remove_complex<V>>& norm,
            array<char>&)
{
    for (size_type col = 0; col < x.get_size()[1]; ++col) {
        if (!status.get_const_data()[col].has_stopped()) {
            const auto alpha = is_zero(beta.at(0, col)) ? zero<V>() : rho.at(0, col) / beta.at(0, col);
            for (size_type row = 0; row < x.get_size()[0]; ++row) {
                x.at(row, col) += alpha * p.at(row, col);
                r.at(row, col) -= alpha * q.at(row, col);
            }
        }
        auto sum = zero<remove_complex<V>>();
        for (size_type row = 0; row < r.get_size()[0]; ++row) {
            sum += squared_norm(r.at(row, col));
        }
        rr.at(0, col) = sum;
        norm.at(0, col) = sqrt(sum);
    }
}

}  // namespace cg

void register_cg()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::cg::initialize<V>.template set<ReferenceExecutor>(&cg::initialize<V>);
        kernels::cg::step_1<V>.template set<ReferenceExecutor>(&cg::step_1<V>);
        kernels::cg::step_2<V>.template set<ReferenceExecutor>(&cg::step_2<V>);
    });
}

}  // namespace spruce::kernels::reference
