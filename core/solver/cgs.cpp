// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cgs.hpp>

#include "core/solver/cgs_kernels.hpp"
#include "core/solver/krylov_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
void Cgs<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    namespace kernel = kernels::cgs;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto system_matrix = this->get_system_matrix();
    const auto is_preconditioned = this->is_preconditioned();

    enum : size_type {
        id_r = Cgs::first_free_id,
        id_shadow,
        id_u,
        id_p,
        id_q,
        id_v,
        id_z,
        id_rho,
        id_rr,
        id_alpha,
        id_beta,
        id_shadow_norm
    };
    auto& work = this->workspace_;
    const auto r = work.vector_like(id_r, b);
    const auto shadow = work.vector_like(id_shadow, b);
    const auto u = work.vector_like(id_u, b);
    const auto p = work.vector_like(id_p, b);
    const auto q = work.vector_like(id_q, b);
    const auto v = work.vector_like(id_v, b);
    const auto preconditioned = is_preconditioned ? work.vector_like(id_z, b) : nullptr;
    const auto rho = work.template scalars<ValueType>(id_rho, exec, num_rhs);
    const auto rr = work.template scalars<ValueType>(id_rr, exec, num_rhs);
    const auto alpha = work.template scalars<ValueType>(id_alpha, exec, num_rhs);
    const auto beta = work.template scalars<ValueType>(id_beta, exec, num_rhs);
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    const auto shadow_norm = work.template scalars<real>(id_shadow_norm, exec, num_rhs);
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);
    // M times a vector
    const auto precondition = [&](const matrix::Dense<ValueType>* from) {
        if (is_preconditioned) {
            this->precondition(from, preconditioned);
        }
        return is_preconditioned ? preconditioned : from;
    };

    const auto start_anew = [&] {
        r->compute_conj_dot(r, rho, tmp);
        rr->copy_from(rho);
        shadow_norm->copy_from(norm);
        beta->fill(zero<ValueType>());  // u = p = r, r~ = r
        alpha->fill(one<ValueType>());
    };
    const auto step = [&](const auto& check) {
        kernel::step_1<ValueType>(*exec, *u, *p, *shadow, *r, *q, *beta, status);
        system_matrix->apply(precondition(p), v);
        kernel::step_2<ValueType>(*exec, *shadow, *v, *rho, *alpha, status, tmp);
        kernel::step_3<ValueType>(*exec, *q, *u, *u, *v, *alpha, status);
        const auto z = precondition(u);
        system_matrix->apply(z, v);
        kernel::step_4<ValueType>(*exec, *x, *r, *z, *v, *shadow, *alpha, *rho, *beta, *rr, *norm, *shadow_norm, status,
                                  check, tmp);
    };
    this->template take_recordable_steps<ValueType>({b, x, r, norm, &rr}, start_anew, step);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Cgs);

}  // namespace spruce::solver
