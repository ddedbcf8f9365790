// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/minres.hpp>

#include "core/solver/enable_solver.hpp"
#include "core/solver/minres_kernels.hpp"

namespace spruce::solver {

template <typename ValueType>
void Minres<ValueType>::solve(detail::KrylovSolve<ValueType>& s) const
{
    using real = remove_complex<ValueType>;
    const auto r = s.residual();
    // Without a preconditioner the recurrence has the norm of the residual, but not the residual.
    const auto y = s.is_preconditioned() ? s.vector("y") : r;
    auto v = s.vector("v");
    auto prev_v = s.vector("prev_v");
    auto z = s.preconditioned_vector("z", v);
    auto next_z = s.preconditioned_vector("next_z", prev_v);
    auto w = s.vector("w");
    auto prev_w = s.vector("prev_w");
    const auto state = s.template rows<real>("state", kernels::minres::num_state_rows);
    const auto rho = s.scalar("rho");

    const auto restart = [&] {
        v->copy_from(r);
        s.precondition(v, z);
        kernels::minres::start<ValueType>(s.exec(), *v, *z, *state, *s.norm(), *rho, s.status(), s.reduction());
    };
    const auto step = [&] {
        s.apply(z, y);
        kernels::minres::compute_delta<ValueType>(s.exec(), *y, *z, *state, s.status(), s.reduction());
        kernels::minres::compute_next_v<ValueType>(s.exec(), *y, *v, *prev_v, *state, s.is_preconditioned(), s.status(),
                                                   s.reduction());
        std::swap(v, prev_v);
        if (s.is_preconditioned()) {
            s.precondition(v, next_z);
            kernels::minres::rotate<ValueType>(s.exec(), *v, *next_z, *state, s.status(), s.reduction());
        }
        kernels::minres::update_solution<ValueType>(s.exec(), {*z, *w, *v, *prev_w, *s.x(), *r},
                                                    {*state, *s.start_norm(), *s.norm(), *rho}, s.is_preconditioned(),
                                                    s.status(), s.reduction());
        std::swap(w, prev_w);
        std::swap(z, next_z);
    };
    rho->fill(zero<ValueType>());
    state->fill(zero<real>());
    s.set_reported_residual(s.is_preconditioned() ? r : nullptr);
    s.iterate_with_graph(rho, restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(Minres);

}  // namespace spruce::solver
