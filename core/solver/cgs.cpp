// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cgs.hpp>

#include "core/solver/cgs_kernels.hpp"
#include "core/solver/enable_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
void Cgs<ValueType>::solve(detail::KrylovSolve<ValueType>& s) const
{
    const auto r = s.residual();
    const auto shadow = s.vector("shadow_r");
    const auto u = s.vector("u");
    const auto p = s.vector("p");
    const auto q = s.vector("q");
    const auto v = s.vector("v");
    const auto preconditioned_p = s.preconditioned_vector("z", p);
    const auto preconditioned_u = s.preconditioned_vector("z", u);
    const auto rho = s.scalar("rho");
    const auto rr = s.scalar("rr");
    const auto alpha = s.scalar("alpha");
    const auto beta = s.scalar("beta");
    const auto shadow_norm = s.real_scalar("shadow_norm");

    const auto restart = [&] {
        s.dot(r, r, rho);
        rr->copy_from(rho);
        shadow_norm->copy_from(s.norm());
        beta->fill(zero<ValueType>());  // u = p = r, shadow_r = r
        alpha->fill(one<ValueType>());
    };
    const auto step = [&] {
        kernels::cgs::update_u_and_p<ValueType>(s.exec(), *u, *p, *shadow, *r, *q, *beta, s.status());
        s.precondition(p, preconditioned_p);
        s.apply(preconditioned_p, v);
        kernels::cgs::compute_alpha<ValueType>(s.exec(), *shadow, *v, *rho, *alpha, s.status(), s.reduction());
        kernels::cgs::update_q<ValueType>(s.exec(), *q, *u, *u, *v, *alpha, s.status());
        s.precondition(u, preconditioned_u);
        s.apply(preconditioned_u, v);
        kernels::cgs::update_x_and_r<ValueType>(s.exec(), {*s.x(), *r, *preconditioned_u, *v, *shadow},
                                                {*alpha, *rho, *beta, *rr, *s.norm(), *shadow_norm}, s.status(),
                                                s.fused_check(), s.reduction());
    };
    s.iterate_with_graph(rr, restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(Cgs);

}  // namespace spruce::solver
