// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/bicgstab.hpp>

#include "core/solver/bicgstab_kernels.hpp"
#include "core/solver/enable_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
void Bicgstab<ValueType>::solve(detail::KrylovSolve<ValueType>& solve) const
{
    const auto r = solve.residual();
    const auto shadow = solve.vector("shadow_r");
    const auto p = solve.vector("p");
    const auto v = solve.vector("v");
    const auto s = solve.vector("s");
    const auto t = solve.vector("t");
    const auto y = solve.preconditioned_vector("y", p);
    const auto z = solve.preconditioned_vector("z", s);
    const auto rho = solve.scalar("rho");
    const auto rr = solve.scalar("rr");
    const auto alpha = solve.scalar("alpha");
    const auto beta = solve.scalar("beta");
    const auto omega = solve.scalar("omega");
    const auto shadow_norm = solve.real_scalar("shadow_norm");

    const auto restart = [&] {
        solve.dot(r, r, rho);
        rr->copy_from(rho);
        shadow_norm->copy_from(solve.norm());
        beta->fill(zero<ValueType>());  // p = r, shadow_r = r
        alpha->fill(one<ValueType>());
        omega->fill(one<ValueType>());
    };
    const auto step = [&] {
        kernels::bicgstab::update_p<ValueType>(solve.exec(), *p, *shadow, *r, *v, *beta, *omega, solve.status());
        solve.precondition(p, y);
        solve.apply(y, v);
        kernels::bicgstab::compute_alpha<ValueType>(solve.exec(), *shadow, *v, *rho, *omega, *alpha, solve.status(),
                                                    solve.reduction());
        kernels::bicgstab::update_s<ValueType>(solve.exec(), *s, *r, *v, *alpha, solve.status());
        solve.precondition(s, z);
        solve.apply(z, t);
        kernels::bicgstab::compute_omega<ValueType>(solve.exec(), *s, *t, *omega, solve.status(), solve.reduction());
        kernels::bicgstab::update_x_and_r<ValueType>(solve.exec(), {*solve.x(), *r, *y, *z, *s, *t, *shadow},
                                                     {*alpha, *omega, *rho, *beta, *rr, *solve.norm(), *shadow_norm},
                                                     solve.status(), solve.fused_check(), solve.reduction());
    };
    solve.iterate_with_graph(rr, restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(Bicgstab);

}  // namespace spruce::solver
