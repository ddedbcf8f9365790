// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/pipe_cg.hpp>

#include "core/solver/krylov_solver.hpp"
#include "core/solver/pipe_cg_kernels.hpp"

namespace spruce::solver {

template <typename ValueType>
void PipeCg<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    namespace kernel = kernels::pipe_cg;
    constexpr size_type replacement_period = 50;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto system_matrix = this->get_system_matrix();
    const auto is_preconditioned = this->is_preconditioned();

    enum : size_type {
        id_r = PipeCg::first_free_id,
        id_u,
        id_w,
        id_p,
        id_s,
        id_q,
        id_z,
        id_m,
        id_n,
        id_rho,
        id_prev_rho,
        id_alpha,
        id_prev_alpha,
        id_beta,
        id_largest_norm
    };
    auto& work = this->workspace_;
    const auto r = work.vector_like(id_r, b);
    const auto u = is_preconditioned ? work.vector_like(id_u, b) : r;
    const auto w = work.vector_like(id_w, b);
    const auto p = work.vector_like(id_p, b);
    const auto s = work.vector_like(id_s, b);
    const auto q = is_preconditioned ? work.vector_like(id_q, b) : s;
    const auto z = work.vector_like(id_z, b);
    const auto m = is_preconditioned ? work.vector_like(id_m, b) : w;
    const auto n = work.vector_like(id_n, b);
    auto rho = work.template scalars<ValueType>(id_rho, exec, num_rhs);
    auto prev_rho = work.template scalars<ValueType>(id_prev_rho, exec, num_rhs);
    auto alpha = work.template scalars<ValueType>(id_alpha, exec, num_rhs);
    auto prev_alpha = work.template scalars<ValueType>(id_prev_alpha, exec, num_rhs);
    const auto beta = work.template scalars<ValueType>(id_beta, exec, num_rhs);
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    const auto largest_norm = work.template scalars<real>(id_largest_norm, exec, num_rhs);
    const auto start_norm = work.template scalars<real>(this->id_start_norm, exec, num_rhs);
    const auto true_norm = work.template scalars<real>(this->id_true_norm, exec, num_rhs);
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);
    const kernel::vectors<ValueType> vectors{*x, *r, *u, *w, *p, *s, *q, *z, *m, *n};
    const auto scalars = [&] {
        return kernel::scalars<ValueType>{*prev_rho, *prev_alpha, *rho,          *alpha,
                                          *beta,     *norm,       *largest_norm, *start_norm};
    };
    const auto multiply = [&](const auto in, const auto preconditioned, const auto out) {
        if (is_preconditioned) {
            this->precondition(in, preconditioned);
        }
        system_matrix->apply(preconditioned, out);
    };
    size_type steps_since_start{};
    const auto start_anew = [&] {
        steps_since_start = 0;
        multiply(r, u, w);
        prev_rho->fill(zero<ValueType>());
        prev_alpha->fill(one<ValueType>());
        kernel::start<ValueType>(*exec, vectors, scalars(), status, tmp);
    };
    // More steps than exact arithmetic would ever take, so that what goes nowhere ends without any limit, too.
    const auto patience = 10 * b->get_size()[0] + 2 * replacement_period;
    const auto step = [&] {
        if (is_preconditioned) {
            this->precondition(w, m);
        }
        system_matrix->apply(m, n);
        std::swap(prev_rho, rho);
        std::swap(prev_alpha, alpha);
        kernel::step<ValueType>(*exec, vectors, scalars(), status, tmp);
        if (++steps_since_start % replacement_period == 0) {
            this->compute_residual(b, x, r, true_norm);
            multiply(r, u, w);
            system_matrix->apply(p, s);
            multiply(s, q, z);
            kernel::start<ValueType>(*exec, vectors, scalars(), status, tmp);
            if (steps_since_start >= patience) {
                kernels::solver::require_progress<real>(*exec, *norm, *start_norm, status);
                steps_since_start = 0;
            }
        }
    };
    this->template take_steps<ValueType>({b, x, r, norm, &rho}, start_anew, step);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(PipeCg);

}  // namespace spruce::solver
