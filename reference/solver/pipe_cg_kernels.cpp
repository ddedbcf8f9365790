// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/pipe_cg_kernels.hpp"

#include "common/base/pipelined.hpp"
#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace pipe_cg {

using kernels::pipe_cg::scalars;
using kernels::pipe_cg::vectors;
using matrix::Dense;

template <typename V>
void finish(const vectors<V>& with, const scalars<V>& by, size_type col, bool is_fresh, bool overflows,
            stopping_status& status)
{
    const auto has_direction =
        !is_zero(is_fresh ? by.prev_rho.at(0, col) : by.prev_alpha.at(0, col)) && !status.has_stopped();
    sums<V, 5> products{};
    for (size_type row = 0; row < with.r.get_size()[0]; ++row) {
        products[0] += spruce::conj(with.r.at(row, col)) * with.u.at(row, col);
        products[1] += spruce::conj(with.w.at(row, col)) * with.u.at(row, col);
        products[2] += squared_norm(with.r.at(row, col));
        if (has_direction) {
            products[3] += spruce::conj(with.s.at(row, col)) * with.u.at(row, col);
            products[4] += spruce::conj(with.s.at(row, col)) * with.p.at(row, col);
        }
    }
    if (overflows) {
        products[2] = spruce::nan<remove_complex<V>>();
    }
    finish_pipelined_step(products, is_fresh, by.prev_rho.at(0, col), by.prev_alpha.at(0, col), by.rho.at(0, col),
                          by.alpha.at(0, col), by.beta.at(0, col), by.norm.at(0, col), by.largest_norm.at(0, col),
                          by.start_norm.at(0, col), status);
}

template <typename V>
void start(const ReferenceExecutor&, const vectors<V>& with, const scalars<V>& coefficients,
           array<stopping_status>& status, const Reduction&)
{
    for (size_type col = 0; col < with.r.get_size()[1]; ++col) {
        finish(with, coefficients, col, true, false, status.get_data()[col]);
    }
}

template <typename V>
void step(const ReferenceExecutor&, const vectors<V>& with, const scalars<V>& coefficients,
          array<stopping_status>& status, const Reduction&)
{
    for (size_type col = 0; col < with.x.get_size()[1]; ++col) {
        const auto alpha = coefficients.prev_alpha.at(0, col);
        const auto beta = coefficients.beta.at(0, col);
        auto& column = status.get_data()[col];
        bool overflows{};
        if (!column.has_stopped() && !is_zero(alpha)) {
            for (size_type row = 0; row < with.x.get_size()[0]; ++row) {
                const auto advance = [&](Dense<V>& vector, const Dense<V>& fresh) {
                    vector.at(row, col) = advanced(fresh.at(row, col), beta, vector.at(row, col));
                };
                advance(with.z, with.n);
                if (with.is_preconditioned()) {
                    advance(with.q, with.m);
                }
                advance(with.s, with.w);
                advance(with.p, with.u);
                overflows |= add_if_finite(with.x.at(row, col), alpha * with.p.at(row, col)) != 0;
                with.r.at(row, col) -= alpha * with.s.at(row, col);
                if (with.is_preconditioned()) {
                    with.u.at(row, col) -= alpha * with.q.at(row, col);
                }
                with.w.at(row, col) -= alpha * with.z.at(row, col);
            }
        }
        finish(with, coefficients, col, false, overflows, column);
    }
}

}  // namespace pipe_cg

void register_pipe_cg()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        kernels::pipe_cg::start<V>.template set<ReferenceExecutor>(&pipe_cg::start<V>);
        kernels::pipe_cg::step<V>.template set<ReferenceExecutor>(&pipe_cg::step<V>);
    });
}

}  // namespace spruce::kernels::reference
