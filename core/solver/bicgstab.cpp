// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/bicgstab.hpp>

#include "core/solver/bicgstab_kernels.hpp"
#include "core/solver/krylov_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
void Bicgstab<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    namespace kernel = kernels::bicgstab;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto system_matrix = this->get_system_matrix();
    const auto is_preconditioned = this->is_preconditioned();

    enum : size_type {
        id_r = Bicgstab::first_free_id,
        id_shadow,
        id_p,
        id_v,
        id_s,
        id_t,
        id_y,
        id_z,
        id_rho,
        id_rr,
        id_alpha,
        id_beta,
        id_omega,
        id_shadow_norm
    };
    auto& work = this->workspace_;
    const auto r = work.vector_like(id_r, b);
    const auto shadow = work.vector_like(id_shadow, b);
    const auto p = work.vector_like(id_p, b);
    const auto v = work.vector_like(id_v, b);
    const auto s = work.vector_like(id_s, b);
    const auto t = work.vector_like(id_t, b);
    const auto y = is_preconditioned ? work.vector_like(id_y, b) : p;
    const auto z = is_preconditioned ? work.vector_like(id_z, b) : s;
    const auto rho = work.template scalars<ValueType>(id_rho, exec, num_rhs);
    const auto rr = work.template scalars<ValueType>(id_rr, exec, num_rhs);
    const auto alpha = work.template scalars<ValueType>(id_alpha, exec, num_rhs);
    const auto beta = work.template scalars<ValueType>(id_beta, exec, num_rhs);
    const auto omega = work.template scalars<ValueType>(id_omega, exec, num_rhs);
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    const auto shadow_norm = work.template scalars<real>(id_shadow_norm, exec, num_rhs);
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);

    const auto start_anew = [&] {
        r->compute_conj_dot(r, rho, tmp);
        rr->copy_from(rho);
        shadow_norm->copy_from(norm);
        beta->fill(zero<ValueType>());  // p = r, r~ = r
        alpha->fill(one<ValueType>());
        omega->fill(one<ValueType>());
    };
    const auto step = [&](const auto& check) {
        kernel::step_1<ValueType>(*exec, *p, *shadow, *r, *v, *beta, *omega, status);
        if (is_preconditioned) {
            this->precondition(p, y);
        }
        system_matrix->apply(y, v);
        kernel::step_2<ValueType>(*exec, *shadow, *v, *rho, *omega, *alpha, status, tmp);
        kernel::step_3<ValueType>(*exec, *s, *r, *v, *alpha, status);
        if (is_preconditioned) {
            this->precondition(s, z);
        }
        system_matrix->apply(z, t);
        kernel::step_4<ValueType>(*exec, *s, *t, *omega, status, tmp);
        kernel::step_5<ValueType>(*exec, *x, *r, *y, *z, *s, *t, *shadow, *alpha, *omega, *rho, *beta, *rr, *norm,
                                  *shadow_norm, status, check, tmp);
    };
    this->template take_recordable_steps<ValueType>({b, x, r, norm, &rr}, start_anew, step);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Bicgstab);

}  // namespace spruce::solver
