// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/gcr.hpp>

#include <algorithm>

#include "core/solver/cg_kernels.hpp"
#include "core/solver/gcr_kernels.hpp"
#include "core/solver/krylov_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
void Gcr<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    namespace kernel = kernels::gcr;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto krylov_dim = std::min(parameters_.krylov_dim, std::max<size_type>(b->get_size()[0], 1));
    const auto system_matrix = this->get_system_matrix();
    const auto is_preconditioned = this->is_preconditioned();

    enum : size_type {
        id_r = Gcr::first_free_id,
        id_alpha,
        id_rr,
        id_dots,
        id_inv_qq,
        id_cycle_norm,
        first_basis_id  // of p_0, q_0, p_1, q_1, ...
    };
    auto& work = this->workspace_;
    const auto r = work.vector_like(id_r, b);
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    const auto start_norm = work.template scalars<real>(this->id_start_norm, exec, num_rhs);
    const auto cycle_norm = work.template scalars<real>(id_cycle_norm, exec, num_rhs);
    const auto alpha = work.template scalars<ValueType>(id_alpha, exec, num_rhs);
    const auto rr = work.template scalars<ValueType>(id_rr, exec, num_rhs);
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);

    kernels::gmres::basis<ValueType> ps;
    kernels::gmres::basis<ValueType> qs;
    // So many directions at first; when there are more, twice as many.
    size_type capacity = 0;
    const auto make_room_for = [&](size_type steps) {
        if (steps > capacity) {
            capacity = std::min(krylov_dim, std::max<size_type>({steps, 16, 2 * capacity}));
        }
        for (size_type i = 0; i < 2 * steps; ++i) {
            work.vector_like(first_basis_id + i, b);
        }
        work.template rows<ValueType>(id_dots, exec, capacity, num_rhs);
        work.template rows<real>(id_inv_qq, exec, capacity, num_rhs);
    };
    const auto compute_true_residual = [&](auto true_norm) { this->compute_best_residual(b, x, r, true_norm); };
    const auto start_anew = [&] {
        ps.clear();
        qs.clear();
        cycle_norm->fill(std::numeric_limits<real>::infinity());
    };
    this->start(b, x, r, norm, status);
    start_norm->copy_from(norm);
    start_anew();
    const auto criterion = this->make_criterion(b, x, r);
    const auto ends = [&](size_type& iteration) {
        const auto next = iteration;
        this->watch_progress(iteration, x, norm, status);
        if (!this->has_ended_by_now(*criterion, status, iteration, b, x, r, norm)) {
            return false;
        }
        make_room_for(detail::most_steps(*exec, *b, ps.size(), next - iteration, krylov_dim));
        return true;
    };
    for (size_type iteration = 0; !ends(iteration) || this->goes_on(iteration, norm, start_norm, status,
                                                                    compute_true_residual, start_anew, ends);
         ++iteration) {
        if (ps.size() == krylov_dim) {
            ps.clear();
            qs.clear();
        }
        if (ps.empty()) {
            kernels::solver::require_decrease<real>(*exec, *norm, one<real>(), *cycle_norm, status);
        }
        const auto step = ps.size();
        make_room_for(step + 1);
        const auto p = work.vector_like(first_basis_id + 2 * step, b);
        const auto q = work.vector_like(first_basis_id + 2 * step + 1, b);
        const auto dots = work.template rows<ValueType>(id_dots, exec, capacity, num_rhs);
        const auto inv_qq = work.template rows<real>(id_inv_qq, exec, capacity, num_rhs);
        if (is_preconditioned) {
            this->precondition(r, p);
        }
        const auto z = is_preconditioned ? p : r;
        system_matrix->apply(z, q);
        kernels::gmres::multi_dot<ValueType>(*exec, qs, *q, 0, false, *dots, *dots, tmp);
        kernel::orthogonalize<ValueType>(*exec, ps, qs, *dots, *z, *r, *p, *q, *inv_qq, *alpha, status, tmp);
        kernels::cg::advance<ValueType>(*exec, *x, *r, *p, *q, *alpha, *rr, *norm, status, tmp);
        ps.push_back(p);
        qs.push_back(q);
    }
    this->return_to_best(b, x);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Gcr);

}  // namespace spruce::solver
