// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cg.hpp>

#include "core/solver/cg_kernels.hpp"
#include "core/solver/enable_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
void Cg<ValueType>::solve(detail::KrylovSolve<ValueType>& s) const
{
    const auto r = s.residual();
    const auto z = s.preconditioned_vector("z", r);
    const auto p = s.vector("p");
    const auto q = s.vector("q");
    auto rho = s.scalar("rho");
    auto prev_rho = s.scalar("prev_rho");
    const auto pq = s.scalar("pq");
    auto rr = s.scalar("rr");

    const auto precondition = [&] {
        s.precondition(r, z);
        s.dot(r, z, rho);
    };
    const auto restart = [&] {
        p->fill(zero<ValueType>());
        prev_rho->fill(one<ValueType>());
        precondition();
    };
    const auto step = [&] {
        kernels::cg::update_direction<ValueType>(s.exec(), *p, *z, *rho, *prev_rho, s.status());
        s.apply_with_dot(p, q, pq);
        kernels::cg::update_solution<ValueType>(s.exec(), {*s.x(), *r, *p, *q}, *rho, *pq, *rr, *s.norm(), s.status(),
                                                s.fused_check(), s.reduction());
        std::swap(prev_rho, rho);
        if (s.is_preconditioned()) {
            precondition();
        } else {
            std::swap(rho, rr);  // z = r
        }
    };
    s.iterate_with_graph(rho, restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(Cg);

}  // namespace spruce::solver
