// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/bicg.hpp>

#include "core/solver/bicg_kernels.hpp"
#include "core/solver/cg_kernels.hpp"
#include "core/solver/enable_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
void Bicg<ValueType>::solve(detail::KrylovSolve<ValueType>& s) const
{
    const auto adjoint_matrix = adjoint_matrix_.get(this->get_system_matrix());
    const auto adjoint_preconditioner =
        s.is_preconditioned() ? adjoint_preconditioner_.get(this->get_preconditioner()) : nullptr;
    const auto r = s.residual();
    const auto shadow_r = s.vector("shadow_r");
    const auto z = s.preconditioned_vector("z", r);
    const auto shadow_z = s.preconditioned_vector("shadow_z", shadow_r);
    const auto p = s.vector("p");
    const auto shadow_p = s.vector("shadow_p");
    const auto q = s.vector("q");
    const auto shadow_q = s.vector("shadow_q");
    auto rho = s.scalar("rho");
    auto prev_rho = s.scalar("prev_rho");
    const auto alpha = s.scalar("alpha");

    const auto precondition = [&] {
        if (s.is_preconditioned()) {
            s.precondition(r, z);
            s.apply_from_zero(*adjoint_preconditioner, shadow_r, shadow_z);
        }
        s.dot(shadow_r, z, rho);
    };
    const auto restart = [&] {
        shadow_r->copy_from(r);
        p->fill(zero<ValueType>());
        shadow_p->fill(zero<ValueType>());
        prev_rho->fill(one<ValueType>());
        precondition();
    };
    const auto step = [&] {
        kernels::bicg::update_directions<ValueType>(s.exec(), *p, *shadow_p, *z, *shadow_z, *rho, *prev_rho,
                                                    s.status());
        s.apply(p, q);
        s.apply_from_zero(*adjoint_matrix, shadow_p, shadow_q);
        kernels::cg::compute_step_length<ValueType>(s.exec(), *shadow_p, *q, *rho, *alpha, s.status(), s.reduction());
        std::swap(prev_rho, rho);
        kernels::bicg::update_solution<ValueType>(s.exec(), {*s.x(), *r, *shadow_r, *p, *q, *shadow_q}, *alpha, *rho,
                                                  *s.norm(), s.status(), s.fused_check(), s.reduction());
        if (s.is_preconditioned()) {
            precondition();
        }
    };
    s.iterate_with_graph(rho, restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(Bicg);

}  // namespace spruce::solver
