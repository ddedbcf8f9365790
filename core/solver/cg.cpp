// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cg.hpp>

#include "core/solver/cg_kernels.hpp"
#include "core/solver/krylov_solver.hpp"
#include "core/solver/product_with_dot.hpp"

namespace spruce::solver {

template <typename ValueType>
void Cg<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    namespace kernel = kernels::cg;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const detail::product_with_dot<ValueType> apply_with_dot{*this->get_system_matrix()};
    const auto is_preconditioned = this->is_preconditioned();

    enum : size_type { id_r = Cg::first_free_id, id_z, id_p, id_q, id_rho, id_prev_rho, id_pq, id_rr };
    auto& work = this->workspace_;
    const auto r = work.vector_like(id_r, b);
    const auto z = is_preconditioned ? work.vector_like(id_z, b) : r;
    const auto p = work.vector_like(id_p, b);
    const auto q = work.vector_like(id_q, b);
    auto rho = work.template scalars<ValueType>(id_rho, exec, num_rhs);
    auto prev_rho = work.template scalars<ValueType>(id_prev_rho, exec, num_rhs);
    const auto pq = work.template scalars<ValueType>(id_pq, exec, num_rhs);
    auto rr = work.template scalars<ValueType>(id_rr, exec, num_rhs);
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);

    const auto precondition_and_dot = [&] {
        if (is_preconditioned) {
            this->precondition(r, z);
        }
        r->compute_conj_dot(z, rho, tmp);
    };
    const auto start_anew = [&] {
        p->fill(zero<ValueType>());
        prev_rho->fill(one<ValueType>());
        precondition_and_dot();
    };
    const auto step = [&](const auto& check) {
        kernel::step_1<ValueType>(*exec, *p, *z, *rho, *prev_rho, status);
        apply_with_dot(p, q, pq, tmp);
        kernel::step_2<ValueType>(*exec, *x, *r, *p, *q, *rho, *pq, *rr, *norm, status, check, tmp);
        std::swap(prev_rho, rho);
        if (is_preconditioned) {
            precondition_and_dot();
        } else {
            std::swap(rho, rr);  // z = r: step_2 has (r, z) at hand
        }
    };
    this->template take_recordable_steps<ValueType>({b, x, r, norm, &rho}, start_anew, step);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Cg);

}  // namespace spruce::solver
