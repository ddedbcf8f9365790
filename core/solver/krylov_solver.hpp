// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/solver_base.hpp>

#include "core/base/dispatch.hpp"
#include "core/solver/confirmation.hpp"
#include "core/solver/solver_kernels.hpp"

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
void EnableKrylovSolver<Concrete, Base>::apply_impl(const LinOp* b, LinOp* x) const
{
    if (!this->get_system_matrix()) {
        spruce::detail::throw_null_pointer("a solver's apply (the system matrix)");
    }
    spruce::detail::dispatch_dense<typename Concrete::value_type>(
        [&](auto dense_b, auto dense_x) { static_cast<const Concrete*>(this)->iterate(dense_b, dense_x); }, b, x);
}

template <typename Concrete, typename Base>
void EnableKrylovSolver<Concrete, Base>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                                    LinOp* x) const
{
    if (!this->get_system_matrix()) {
        spruce::detail::throw_null_pointer("a solver's apply (the system matrix)");
    }
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
    kernels::solver::start<remove_complex<ValueType>>(*this->get_executor(), *norm, status);
}

template <typename Concrete, typename Base>
template <typename ValueType>
void EnableKrylovSolver<Concrete, Base>::compute_residual(const matrix::Dense<ValueType>* b,
                                                          const matrix::Dense<ValueType>* x,
                                                          matrix::Dense<ValueType>* r,
                                                          matrix::Dense<remove_complex<ValueType>>* norm) const
{
    const auto exec = this->get_executor();
    auto& work = this->workspace_;
    r->copy_from(b);
    this->get_system_matrix()->apply(work.constant(id_neg_one, exec, -one<ValueType>()), x,
                                     work.constant(id_one, exec, one<ValueType>()), r);
    r->compute_norm2(norm, work.buffer(exec));
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
template <typename ValueType>
const matrix::Dense<ValueType>* EnableKrylovSolver<Concrete, Base>::apart_from(const matrix::Dense<ValueType>* x,
                                                                               const matrix::Dense<ValueType>* b,
                                                                               size_type id) const
{
    if (b->get_const_values() != x->get_const_values()) {
        return b;
    }
    const auto copy = this->workspace_.vector_like(id, b);
    copy->copy_from(b);
    return copy;
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

}  // namespace spruce::solver

/// The class template for each value type, and with it what its base has.
#define SPRUCE_INSTANTIATE_KRYLOV_SOLVER(_solver)              \
    template class SPRUCE_EXPORT _solver<float>;               \
    template class SPRUCE_EXPORT _solver<double>;              \
    template class SPRUCE_EXPORT _solver<std::complex<float>>; \
    template class SPRUCE_EXPORT _solver<std::complex<double>>
