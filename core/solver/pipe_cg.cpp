// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/pipe_cg.hpp>

#include "core/solver/enable_solver.hpp"
#include "core/solver/pipe_cg_kernels.hpp"

namespace spruce::solver {

template <typename ValueType>
void PipeCg<ValueType>::solve(detail::KrylovSolve<ValueType>& solve) const
{
    constexpr size_type replacement_period = 50;
    const auto r = solve.residual();
    const auto u = solve.preconditioned_vector("u", r);
    const auto w = solve.vector("w");
    const auto p = solve.vector("p");
    const auto s = solve.vector("s");
    const auto q = solve.preconditioned_vector("q", s);
    const auto z = solve.vector("z");
    const auto m = solve.preconditioned_vector("m", w);
    const auto n = solve.vector("n");
    auto rho = solve.scalar("rho");
    auto prev_rho = solve.scalar("prev_rho");
    auto alpha = solve.scalar("alpha");
    auto prev_alpha = solve.scalar("prev_alpha");
    const auto beta = solve.scalar("beta");
    const auto largest_norm = solve.real_scalar("largest_norm");
    const kernels::pipe_cg::vectors<ValueType> vectors{*solve.x(), *r, *u, *w, *p, *s, *q, *z, *m, *n};
    const auto scalars = [&] {
        return kernels::pipe_cg::scalars<ValueType>{*prev_rho, *prev_alpha,   *rho,          *alpha,
                                                    *beta,     *solve.norm(), *largest_norm, *solve.start_norm()};
    };
    const auto multiply = [&](auto in, auto preconditioned, auto out) {
        solve.precondition(in, preconditioned);
        solve.apply(preconditioned, out);
    };
    size_type steps_since_start{};
    const auto restart = [&] {
        steps_since_start = 0;
        multiply(r, u, w);
        prev_rho->fill(zero<ValueType>());
        prev_alpha->fill(one<ValueType>());
        kernels::pipe_cg::start<ValueType>(solve.exec(), vectors, scalars(), solve.status(), solve.reduction());
    };
    const auto step = [&] {
        multiply(w, m, n);
        std::swap(prev_rho, rho);
        std::swap(prev_alpha, alpha);
        kernels::pipe_cg::step<ValueType>(solve.exec(), vectors, scalars(), solve.status(), solve.reduction());
        if (++steps_since_start % replacement_period == 0) {
            solve.compute_residual(solve.x(), r, solve.true_norm());
            multiply(r, u, w);
            solve.apply(p, s);
            multiply(s, q, z);
            kernels::pipe_cg::start<ValueType>(solve.exec(), vectors, scalars(), solve.status(), solve.reduction());
        }
    };
    solve.iterate(rho, restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(PipeCg);

}  // namespace spruce::solver
