// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include <spruce/solver/solver_base.hpp>

#include "core/base/dispatch.hpp"
#include "core/solver/confirmation.hpp"
#include "core/solver/progress.hpp"
#include "core/solver/recorded_steps.hpp"
#include "core/solver/solver_kernels.hpp"
#include "core/stop/implicit_norm.hpp"

/// The members of EnableKrylovSolver, for the files that instantiate a solver: SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Cg);
namespace spruce::solver {
namespace detail {

/// A solver with these parameters of another system.
template <typename Concrete, typename Parameters, typename Transpose>
std::unique_ptr<LinOp> transposed_solver(const Concrete* solver, Parameters parameters, Transpose transpose)
{
    if constexpr (std::is_base_of_v<Preconditionable, Concrete>) {
        parameters.generated_preconditioner = transpose(solver->get_preconditioner());
    } else {
        parameters.generated_solver = transpose(solver->get_solver());
    }
    parameters.with_criteria(solver->get_stop_criterion_factory());
    return parameters.on(solver->get_executor())->generate(transpose(solver->get_system_matrix()));
}

}  // namespace detail

template <typename Concrete, typename Base>
std::unique_ptr<LinOp> EnableKrylovSolver<Concrete, Base>::transpose() const
{
    const auto self = static_cast<const Concrete*>(this);
    return detail::transposed_solver(self, self->get_parameters(), [](const auto& op) {
        return std::shared_ptr<const LinOp>(as<Transposable>(op)->transpose());
    });
}

template <typename Concrete, typename Base>
std::unique_ptr<LinOp> EnableKrylovSolver<Concrete, Base>::conj_transpose() const
{
    const auto self = static_cast<const Concrete*>(this);
    auto parameters = self->get_parameters();
    Concrete::conjugate(parameters);
    return detail::transposed_solver(self, std::move(parameters), [](const auto& op) {
        return std::shared_ptr<const LinOp>(as<Transposable>(op)->conj_transpose());
    });
}

template <typename Concrete, typename Base>
void EnableKrylovSolver<Concrete, Base>::require_what_a_solve_needs() const
{
    if (!this->get_system_matrix()) {
        spruce::detail::throw_null_pointer("a solver's apply (the system matrix)");
    }
    if (!Concrete::has_implicit_norm) {
        spruce::detail::require_no_implicit_norm(*this->get_stop_criterion_factory());
    }
}

template <typename Concrete, typename Base>
void EnableKrylovSolver<Concrete, Base>::apply_impl(const LinOp* b, LinOp* x) const
{
    require_what_a_solve_needs();
    spruce::detail::dispatch_dense<typename Concrete::value_type>(
        [&](auto dense_b, auto dense_x) { static_cast<const Concrete*>(this)->iterate(dense_b, dense_x); }, b, x);
}

template <typename Concrete, typename Base>
void EnableKrylovSolver<Concrete, Base>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                                    LinOp* x) const
{
    require_what_a_solve_needs();
    spruce::detail::dispatch_dense<typename Concrete::value_type>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            const auto solution = this->workspace_.vector_like(id_solution, dense_x);
            solution->copy_from(dense_x);
            static_cast<const Concrete*>(this)->iterate(dense_b, solution);
            dense_x->scale(dense_beta);
            dense_x->add_scaled(dense_alpha, solution);
        },
        alpha, b, beta, x);
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::start(const matrix::Dense<ValueType>* b, const matrix::Dense<ValueType>* x,
                                               matrix::Dense<ValueType>* r,
                                               matrix::Dense<remove_complex<ValueType>>* norm,
                                               array<stopping_status>& status) const
{
    this->compute_residual(b, x, r, norm);
    kernels::solver::start<ValueType>(*this->get_executor(), *r, *norm, status,
                                      this->workspace_.buffer(this->get_executor()));
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::compute_residual(const matrix::Dense<ValueType>* b,
                                                          const matrix::Dense<ValueType>* x,
                                                          matrix::Dense<ValueType>* r,
                                                          matrix::Dense<remove_complex<ValueType>>* norm) const
{
    using scalar = typename Concrete::value_type;  // which is real where real operators meet complex vectors
    const auto exec = this->get_executor();
    auto& work = this->workspace_;
    r->copy_from(b);
    this->get_system_matrix()->apply(work.get_constant(id_neg_one, exec, -one<scalar>()), x,
                                     work.get_constant(id_one, exec, one<scalar>()), r);
    r->compute_norm2(norm, work.buffer(exec));
}

template <typename Concrete, typename Base>
template <typename ValueType>
detail::late_answer EnableKrylovSolver<Concrete, Base>::check_late(const stop::Criterion& criterion,
                                                                   array<stopping_status>& status, size_type& iteration,
                                                                   const detail::residual_norms<ValueType>& norms) const
{
    if (!this->may_look_late()) {
        return detail::late_answer::ask;
    }
    return detail::check_late(this->workspace_, criterion, status, iteration, norms,
                              this->get_size()[0] * status.get_size());
}

template <typename Concrete, typename Base>
template <typename Real>
bool EnableKrylovSolver<Concrete, Base>::has_stopped_by_now(stop::Criterion& criterion, array<stopping_status>& status,
                                                            size_type& iteration, const LinOp* x,
                                                            const matrix::Dense<Real>* residual_norm) const
{
    const auto answer = this->check_late<Real>(criterion, status, iteration, {*residual_norm, nullptr});
    if (answer != detail::late_answer::ask) {
        return answer == detail::late_answer::ended;
    }
    bool one_changed{};
    return criterion.update()
        .num_iterations(iteration)
        .residual_norm(residual_norm)
        .solution(x)
        .check(1, true, &status, &one_changed);
}

template <typename Concrete, typename Base>
template <typename Real, typename ValueType>
bool EnableKrylovSolver<Concrete, Base>::has_ended_by_now(
    stop::Criterion& criterion, array<stopping_status>& status, size_type& iteration, const LinOp* b, const LinOp* x,
    const LinOp* residual, const matrix::Dense<Real>* residual_norm,
    const matrix::Dense<ValueType>* implicit_sq_residual_norm) const
{
    return this->check_late<ValueType>(criterion, status, iteration, {*residual_norm, implicit_sq_residual_norm}) !=
               detail::late_answer::running &&
           this->has_ended(criterion, status, iteration, b, x, residual, residual_norm, implicit_sq_residual_norm);
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::watch_progress(size_type iteration, const matrix::Dense<ValueType>* x,
                                                        const matrix::Dense<remove_complex<ValueType>>* norm,
                                                        array<stopping_status>& status) const
{
    if (!detail::is_looked_at(iteration)) {
        return;
    }
    if (iteration == 0) {
        this->keep_first(x, norm);
    } else {
        this->keep_if_best(x, norm, iteration % detail::patience(this->get_size()[0]) == 0, status);
    }
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::watch_restart(size_type iteration, size_type num_steps,
                                                       const matrix::Dense<ValueType>* x,
                                                       const matrix::Dense<remove_complex<ValueType>>* norm,
                                                       array<stopping_status>& status) const
{
    const auto patience = detail::patience(this->get_size()[0]);
    if (iteration == 0) {
        this->keep_first(x, norm);
    } else {
        this->keep_if_best(x, norm, iteration / patience > (iteration - num_steps) / patience, status);
    }
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::keep_first(const matrix::Dense<ValueType>* x,
                                                    const matrix::Dense<remove_complex<ValueType>>* norm) const
{
    auto& work = this->workspace_;
    this->go_on_from(x, norm);
    work.template scalars<remove_complex<ValueType>>(id_earlier_norm, this->get_executor(), norm->get_size()[1])
        ->copy_from(norm);
    work.vector_like(id_sure, x)->copy_from(x);
    work.template scalars<remove_complex<ValueType>>(id_sure_norm, this->get_executor(), norm->get_size()[1])
        ->copy_from(norm);
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::keep_if_best(const matrix::Dense<ValueType>* x,
                                                      const matrix::Dense<remove_complex<ValueType>>* norm,
                                                      bool is_late, array<stopping_status>& status) const
{
    using real = remove_complex<ValueType>;
    const auto exec = this->get_executor();
    const auto num_rhs = norm->get_size()[1];
    auto& work = this->workspace_;
    const auto best_norm = work.template scalars<real>(id_best_norm, exec, num_rhs);
    kernels::solver::keep_best<ValueType>(*exec, *x, *norm, *work.vector_like(id_best, x), *best_norm, status);
    if (is_late) {
        const auto earlier_norm = work.template scalars<real>(id_earlier_norm, exec, num_rhs);
        kernels::solver::require_decrease<real>(*exec, *best_norm, detail::least_decrease<real>(), *earlier_norm,
                                                status);
    }
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::go_on_from(const matrix::Dense<ValueType>* x,
                                                    const matrix::Dense<remove_complex<ValueType>>* norm) const
{
    using real = remove_complex<ValueType>;
    const auto exec = this->get_executor();
    const auto num_rhs = norm->get_size()[1];
    auto& work = this->workspace_;
    work.vector_like(id_best, x)->copy_from(x);
    work.template scalars<real>(id_best_norm, exec, num_rhs)->copy_from(norm);
    // A fresh start may be near the step that asks for a decrease.
    work.template scalars<real>(id_earlier_norm, exec, num_rhs)->fill(std::numeric_limits<real>::infinity());
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::return_to_best(const matrix::Dense<ValueType>* b,
                                                        matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    const auto& reasons = this->get_stop_reasons();
    if (std::none_of(reasons.begin(), reasons.end(), detail::has_failed)) {
        return;
    }
    const auto exec = this->get_executor();
    const auto num_rhs = x->get_size()[1];
    auto& work = this->workspace_;
    const auto& status = work.statuses(exec, num_rhs);
    const auto r = work.vector_like(id_tried_residual, x);
    const auto norm = work.template scalars<real>(id_tried_norm, exec, num_rhs);
    this->compute_residual(b, x, r, norm);
    // The best one is that by the norms of the recurrence; of the other the norm is known for sure.
    const auto best = work.vector_like(id_best, x);
    const auto best_norm = work.template scalars<real>(id_tried_best_norm, exec, num_rhs);
    this->compute_residual(b, best, r, best_norm);
    kernels::solver::take_better<ValueType>(*exec, *best, *best_norm, *x, *norm, status);
    kernels::solver::take_better<ValueType>(*exec, *work.vector_like(id_sure, x),
                                            *work.template scalars<real>(id_sure_norm, exec, num_rhs), *x, *norm,
                                            status);
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::compute_best_residual(const matrix::Dense<ValueType>* b,
                                                               matrix::Dense<ValueType>* x, matrix::Dense<ValueType>* r,
                                                               matrix::Dense<remove_complex<ValueType>>* norm) const
{
    using real = remove_complex<ValueType>;
    const auto exec = this->get_executor();
    const auto num_rhs = norm->get_size()[1];
    auto& work = this->workspace_;
    this->return_to_best(b, x);
    this->compute_residual(b, x, r, norm);
    kernels::solver::keep_best<ValueType>(*exec, *x, *norm, *work.vector_like(id_sure, x),
                                          *work.template scalars<real>(id_sure_norm, exec, num_rhs),
                                          work.statuses(exec, num_rhs));
    this->go_on_from(x, norm);
}

template <typename Concrete, typename Base>
template <typename Real, typename ComputeTrueResidual, typename StartAnew, typename Ends>
bool EnableKrylovSolver<Concrete, Base>::goes_on(size_type& iteration, matrix::Dense<Real>* norm,
                                                 matrix::Dense<Real>* start_norm, array<stopping_status>& status,
                                                 ComputeTrueResidual compute_true_residual, StartAnew start_anew,
                                                 Ends ends) const
{
    const auto& reasons = this->get_stop_reasons();
    if (!detail::needs_confirmation(reasons)) {
        return false;
    }
    const auto exec = this->get_executor();
    const auto true_norm = this->workspace_.template scalars<Real>(id_true_norm, exec, norm->get_size()[1]);
    compute_true_residual(true_norm);
    kernels::solver::reopen<Real>(*exec, *true_norm, *norm, *start_norm, status);
    const auto runs = detail::any_runs(status);
    if (!runs && detail::all_converged(reasons)) {
        return false;
    }
    norm->copy_from(true_norm);
    if (runs) {
        start_anew();
    } else {
        detail::wait_in_next_check(this->workspace_);  // it is the end, and must not be overlooked
    }
    if (ends(iteration)) {
        return false;
    }
    kernels::solver::require_progress<Real>(*exec, *norm, *start_norm, status);
    return true;
}

template <typename Concrete, typename Base>
template <typename ValueType, typename StartAnew, typename MakeAdvance>
void EnableKrylovSolver<Concrete, Base>::advance_to_end(const detail::recurrence<ValueType>& of, StartAnew start_anew,
                                                        MakeAdvance make_advance) const
{
    using real = remove_complex<ValueType>;
    const auto [b, x, r, norm, implicit_sq_norm] = of;
    const auto exec = this->get_executor();
    const auto start_norm = this->workspace_.template scalars<real>(id_start_norm, exec, norm->get_size()[1]);
    auto& status = this->workspace_.statuses(exec, norm->get_size()[1]);
    this->start(b, x, r, norm, status);
    start_norm->copy_from(norm);
    start_anew();
    const auto criterion = this->make_criterion(b, x, r);
    const auto ends = [&, b = b, x = x, r = r, norm = norm, implicit_sq_norm = implicit_sq_norm](size_type& iteration) {
        this->watch_progress(iteration, x, norm, status);
        return this->has_ended_by_now(*criterion, status, iteration, b, x, r, norm,
                                      implicit_sq_norm ? *implicit_sq_norm : nullptr);
    };
    const auto compute_true_residual = [&, b = b, x = x, r = r](auto true_norm) {
        this->compute_best_residual(b, x, r, true_norm);
    };
    auto advance = make_advance(*criterion);
    for (size_type iteration = 0; !ends(iteration) || this->goes_on(iteration, norm, start_norm, status,
                                                                    compute_true_residual, start_anew, ends);) {
        iteration += advance(iteration);
    }
    this->return_to_best(b, x);
}

template <typename Concrete, typename Base>
template <typename ValueType, typename StartAnew, typename Step>
void EnableKrylovSolver<Concrete, Base>::take_steps(const detail::recurrence<ValueType>& of, StartAnew start_anew,
                                                    Step step) const
{
    this->advance_to_end(of, start_anew, [&](const stop::Criterion&) {
        return [&](size_type) {
            step();
            return size_type{1};
        };
    });
}

template <typename Concrete, typename Base>
template <typename ValueType, typename StartAnew, typename Step>
void EnableKrylovSolver<Concrete, Base>::take_recordable_steps(const detail::recurrence<ValueType>& of,
                                                               StartAnew start_anew, Step step) const
{
    auto& work = this->workspace_;
    const auto preconditioner = this->is_preconditioned() ? this->get_preconditioner().get() : nullptr;
    this->advance_to_end(of, start_anew, [&](const stop::Criterion& criterion) {
        auto& status = work.statuses(this->get_executor(), of.norm->get_size()[1]);
        return [&, steps = detail::recorded_steps<ValueType>{work, this->may_look_late(), criterion,
                                                             *this->get_system_matrix(), preconditioner, *of.norm,
                                                             status}](size_type iteration) mutable {
            return steps.run(iteration, [&](const auto& check) {
                step(check);
                return of.implicit_sq_norm ? *of.implicit_sq_norm : nullptr;
            });
        };
    });
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::precondition(const matrix::Dense<ValueType>* r,
                                                      matrix::Dense<ValueType>* z) const
{
    const auto preconditioner = this->get_preconditioner();
    if (preconditioner->apply_uses_initial_guess()) {
        z->fill(zero<ValueType>());
    }
    preconditioner->apply(r, z);
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::set_initial_guess(initial_guess_mode mode, const matrix::Dense<ValueType>* b,
                                                           matrix::Dense<ValueType>* x) const
{
    if (mode == initial_guess_mode::zero) {
        x->fill(zero<ValueType>());
    } else if (mode == initial_guess_mode::rhs) {
        x->copy_from(b);
    }
}

template <typename Concrete, typename Base>
bool EnableKrylovSolver<Concrete, Base>::is_preconditioned() const
{
    return !dynamic_cast<const matrix::Identity<typename Concrete::value_type>*>(this->get_preconditioner().get());
}

template <typename Concrete, typename Base>
bool EnableKrylovSolver<Concrete, Base>::may_look_late() const
{
    return !this->must_tell_each_iteration() && !this->has_inner_solver();
}

template <typename Concrete, typename Base>
bool EnableKrylovSolver<Concrete, Base>::has_inner_solver() const
{
    if constexpr (std::is_base_of_v<Preconditionable, Concrete>) {
        return dynamic_cast<const IterativeBase*>(this->get_preconditioner().get());
    } else {
        return dynamic_cast<const IterativeBase*>(static_cast<const Concrete*>(this)->get_solver().get());
    }
}

}  // namespace spruce::solver

/// The class template for each value type, and with it what its base has.
#define SPRUCE_INSTANTIATE_KRYLOV_SOLVER(_solver)              \
    template class SPRUCE_EXPORT _solver<float>;               \
    template class SPRUCE_EXPORT _solver<double>;              \
    template class SPRUCE_EXPORT _solver<std::complex<float>>; \
    template class SPRUCE_EXPORT _solver<std::complex<double>>
