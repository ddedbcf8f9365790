// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/fcg.hpp>

#include "core/solver/cg_kernels.hpp"
#include "core/solver/enable_solver.hpp"
#include "core/solver/fcg_kernels.hpp"

namespace spruce::solver {

template <typename ValueType>
void Fcg<ValueType>::solve(detail::KrylovSolve<ValueType>& s) const
{
    const auto r = s.residual();
    const auto z = s.preconditioned_vector("z", r);
    const auto p = s.vector("p");
    const auto q = s.vector("q");
    auto rho = s.scalar("rho");
    auto prev_rho = s.scalar("prev_rho");
    const auto rho_change = s.scalar("rho_change");
    const auto pq = s.scalar("pq");
    const auto alpha = s.scalar("alpha");

    const auto precondition = [&] {
        s.precondition(r, z);
        kernels::fcg::compute_rho<ValueType>(s.exec(), *z, *r, *q, *alpha, *rho, *rho_change, s.reduction());
    };
    const auto restart = [&] {
        p->fill(zero<ValueType>());
        q->fill(zero<ValueType>());
        prev_rho->fill(one<ValueType>());
        alpha->fill(zero<ValueType>());
        rho_change->fill(zero<ValueType>());
        if (s.is_preconditioned()) {
            precondition();
        } else {
            s.dot(r, r, rho);
        }
    };
    const auto step = [&] {
        kernels::cg::update_direction<ValueType>(s.exec(), *p, *z, *rho_change, *prev_rho, s.status());
        s.apply_with_dot(p, q, pq);
        std::swap(prev_rho, rho);
        kernels::fcg::update_solution<ValueType>(s.exec(), {*s.x(), *r, *p, *q},
                                                 {*prev_rho, *pq, *alpha, *rho, *rho_change, *s.norm()}, s.status(),
                                                 s.fused_check(), s.reduction());
        if (s.is_preconditioned()) {
            precondition();
        }
    };
    s.iterate_with_graph(rho, restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(Fcg);

}  // namespace spruce::solver
