// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/bicg.hpp>

#include "core/solver/bicg_kernels.hpp"
#include "core/solver/cg_kernels.hpp"
#include "core/solver/krylov_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
void Bicg<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    namespace kernel = kernels::bicg;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto system_matrix = this->get_system_matrix();
    const auto adjoint_matrix = adjoint_matrix_.get(system_matrix);
    const auto is_preconditioned = this->is_preconditioned();
    const auto adjoint_preconditioner =
        is_preconditioned ? adjoint_preconditioner_.get(this->get_preconditioner()) : nullptr;

    enum : size_type {
        id_r = Bicg::first_free_id,
        id_shadow_r,
        id_z,
        id_shadow_z,
        id_p,
        id_shadow_p,
        id_q,
        id_shadow_q,
        id_rho,
        id_prev_rho,
        id_alpha
    };
    auto& work = this->workspace_;
    const auto r = work.vector_like(id_r, b);
    const auto shadow_r = work.vector_like(id_shadow_r, b);
    const auto z = is_preconditioned ? work.vector_like(id_z, b) : r;
    const auto shadow_z = is_preconditioned ? work.vector_like(id_shadow_z, b) : shadow_r;
    const auto p = work.vector_like(id_p, b);
    const auto shadow_p = work.vector_like(id_shadow_p, b);
    const auto q = work.vector_like(id_q, b);
    const auto shadow_q = work.vector_like(id_shadow_q, b);
    auto rho = work.template scalars<ValueType>(id_rho, exec, num_rhs);
    auto prev_rho = work.template scalars<ValueType>(id_prev_rho, exec, num_rhs);
    const auto alpha = work.template scalars<ValueType>(id_alpha, exec, num_rhs);
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);

    const auto precondition_and_dot = [&] {
        if (is_preconditioned) {
            this->precondition(r, z);
            if (adjoint_preconditioner->apply_uses_initial_guess()) {
                shadow_z->fill(zero<ValueType>());
            }
            adjoint_preconditioner->apply(shadow_r, shadow_z);
        }
        shadow_r->compute_conj_dot(z, rho, tmp);
    };
    const auto start_anew = [&] {
        shadow_r->copy_from(r);
        p->fill(zero<ValueType>());
        shadow_p->fill(zero<ValueType>());
        prev_rho->fill(one<ValueType>());
        precondition_and_dot();
    };
    const auto step = [&](const auto& check) {
        kernel::step_1<ValueType>(*exec, *p, *shadow_p, *z, *shadow_z, *rho, *prev_rho, status);
        system_matrix->apply(p, q);
        adjoint_matrix->apply(shadow_p, shadow_q);
        kernels::cg::step_length<ValueType>(*exec, *shadow_p, *q, *rho, *alpha, status, tmp);
        std::swap(prev_rho, rho);
        kernel::step_3<ValueType>(*exec, *x, *r, *shadow_r, *p, *q, *shadow_q, *alpha, *rho, *norm, status, check, tmp);
        if (is_preconditioned) {
            precondition_and_dot();
        }
    };
    this->template take_recordable_steps<ValueType>({b, x, r, norm, &rho}, start_anew, step);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Bicg);

}  // namespace spruce::solver
