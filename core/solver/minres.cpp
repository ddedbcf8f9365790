// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/minres.hpp>

#include "core/solver/krylov_solver.hpp"
#include "core/solver/minres_kernels.hpp"

namespace spruce::solver {

template <typename ValueType>
void Minres<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    namespace kernel = kernels::minres;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto system_matrix = this->get_system_matrix();
    const auto is_preconditioned = this->is_preconditioned();

    enum : size_type {
        id_y = Minres::first_free_id,
        id_v,
        id_prev_v,
        id_z,
        id_next_z,
        id_w,
        id_prev_w,
        id_r,
        id_state,
        id_rho
    };
    auto& work = this->workspace_;
    const auto y = work.vector_like(id_y, b);
    auto v = work.vector_like(id_v, b);
    auto prev_v = work.vector_like(id_prev_v, b);
    auto z = is_preconditioned ? work.vector_like(id_z, b) : v;
    auto next_z = is_preconditioned ? work.vector_like(id_next_z, b) : prev_v;
    auto w = work.vector_like(id_w, b);
    auto prev_w = work.vector_like(id_prev_w, b);
    // Without preconditioner the recurrence tells the residual's norm without the residual.
    const auto r = is_preconditioned ? work.vector_like(id_r, b) : y;
    const auto known_residual = is_preconditioned ? r : nullptr;
    const auto state = work.template rows<real>(id_state, exec, kernel::num_state_rows, num_rhs);
    const auto rho = work.template scalars<ValueType>(id_rho, exec, num_rhs);
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    const auto start_norm = work.template scalars<real>(this->id_start_norm, exec, num_rhs);
    const auto true_norm = work.template scalars<real>(this->id_true_norm, exec, num_rhs);
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);
    // From v = r.
    const auto start_anew = [&] {
        if (is_preconditioned) {
            r->copy_from(v);
            this->precondition(v, z);
        }
        kernel::start<ValueType>(*exec, *v, *z, *state, *norm, *rho, status, tmp);
    };
    this->start(b, x, v, norm, status);
    start_norm->copy_from(norm);
    rho->fill(zero<ValueType>());
    start_anew();
    const auto criterion = this->make_criterion(b, x, v);
    const auto ends = [&](size_type& iteration) {
        this->watch_progress(iteration, x, norm, status);
        return this->has_ended_by_now(*criterion, status, iteration, b, x, known_residual, norm, rho);
    };
    const auto compute_true_residual = [&](auto true_norm) { this->compute_best_residual(b, x, v, true_norm); };
    // More steps than exact arithmetic would ever take, so that what goes nowhere ends without any limit, too.
    const auto patience = 10 * b->get_size()[0] + 100;
    size_type last_start = 0;
    for (size_type iteration = 0;; ++iteration) {
        if (iteration - last_start == patience) {
            this->compute_residual(b, x, v, true_norm);
            start_anew();
            kernels::solver::require_progress<real>(*exec, *norm, *start_norm, status);
            last_start = iteration;
        }
        if (ends(iteration)) {
            if (!this->goes_on(iteration, norm, start_norm, status, compute_true_residual, start_anew, ends)) {
                break;
            }
            last_start = iteration;
        }
        system_matrix->apply(z, y);
        kernel::product<ValueType>(*exec, *y, *z, *state, status, tmp);
        kernel::advance<ValueType>(*exec, *y, *v, *prev_v, *state, is_preconditioned, status, tmp);
        std::swap(v, prev_v);
        if (is_preconditioned) {
            this->precondition(v, next_z);
            kernel::rotate<ValueType>(*exec, *v, *next_z, *state, status, tmp);
        }
        kernel::update<ValueType>(*exec, *z, *w, *v, *prev_w, *x, *r, *state, *start_norm, is_preconditioned, *norm,
                                  *rho, status, tmp);
        std::swap(w, prev_w);
        std::swap(z, next_z);
    }
    this->return_to_best(b, x);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Minres);

}  // namespace spruce::solver
