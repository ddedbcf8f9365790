// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/name_demangling.hpp>
#include <spruce/config.hpp>
#include <spruce/solver/enable_solver.hpp>
#include <spruce/solver/initial_guess.hpp>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/refreshable.hpp"
#include "core/solver/krylov_solve.hpp"
#include "core/stop/criterion_kind.hpp"

/// Defines the members of EnableSolver. Is included by the files that instantiate a solver by
/// SPRUCE_INSTANTIATE_SOLVER(Cg);
namespace spruce::solver {
namespace detail {

/// Returns a solver of the transposed system with these parameters.
/// @param transpose  returns the transpose, or conjugate transpose, of an operator
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

template <typename ValueType>
void set_initial_guess(initial_guess_mode mode, KrylovSolve<ValueType>& s)
{
    if (mode == initial_guess_mode::zero) {
        s.x()->fill(zero<ValueType>());
    } else if (mode == initial_guess_mode::rhs) {
        s.x()->copy_from(s.b());
    }
}

}  // namespace detail

template <typename Concrete, typename Mixin>
void EnableSolver<Concrete, Mixin>::convert_to(Concrete* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    const auto copy = result->create_default();
    *copy = static_cast<const Concrete&>(*this);
    *result = std::move(*copy);
}

template <typename Concrete, typename Mixin>
EnableSolver<Concrete, Mixin>& EnableSolver<Concrete, Mixin>::operator=(const EnableSolver& other)
{
    if (this != &other) {
        EnableLinOp<Concrete>::operator=(other);
        Mixin::operator=(other);
        workspace_ = {};
    }
    return *this;
}

template <typename Concrete, typename Mixin>
EnableSolver<Concrete, Mixin>& EnableSolver<Concrete, Mixin>::operator=(EnableSolver&& other)
{
    if (this == &other) {
        return *this;
    }
    if (!this->get_executor()->is_equivalent_to(other.get_executor().get())) {
        // Everything is allocated before anything changes.
        const auto copy = clone(this->get_executor(), static_cast<const Concrete*>(&other));
        const auto empty = other.create_default();
        *this = std::move(static_cast<EnableSolver&>(*copy));
        other = std::move(static_cast<EnableSolver&>(*empty));
        return *this;
    }
    Mixin::operator=(std::move(other));
    EnableLinOp<Concrete>::operator=(std::move(other));
    workspace_ = {};  // its vectors have the lengths of the former parameters
    other.workspace_ = {};
    return *this;
}

template <typename Concrete, typename Mixin>
bool EnableSolver<Concrete, Mixin>::shares_memory_with(const memory_extent& memory) const noexcept
{
    const auto system_matrix = this->get_system_matrix();
    const auto inner_operator = this->get_inner_operator();
    return (system_matrix && system_matrix->shares_memory_with(memory)) ||
           (inner_operator && inner_operator->shares_memory_with(memory));
}

template <typename Concrete, typename Mixin>
void EnableSolver<Concrete, Mixin>::refresh(std::shared_ptr<const LinOp> matrix)
{
    constexpr auto method = "a solver's refresh";
    spruce::detail::require_pointers(method, matrix);
    if (!this->get_system_matrix()) {
        throw NotSupported(__FILE__, __LINE__, method, "an empty solver");
    }
    detail::require_fitting_matrix(*this, matrix.get());
    const auto inner_operator = std::const_pointer_cast<LinOp>(this->get_inner_operator());
    if (!this->can_be_refreshed()) {
        const auto& op = *inner_operator;
        throw NotSupported(__FILE__, __LINE__, method,
                           "a preconditioner or inner solver of type " + name_demangling::get_type_name(typeid(op)) +
                               " that is not Refreshable, or has a part that cannot be refreshed, such as a transpose "
                               "or a copy from another executor");
    }
    const auto on_executor = detail::on_executor(this->get_executor(), std::move(matrix));
    if (inner_operator) {
        as<Refreshable>(inner_operator)->refresh(on_executor);
    }
    this->set_system_matrix(on_executor);
}

template <typename Concrete, typename Mixin>
bool EnableSolver<Concrete, Mixin>::can_be_refreshed() const
{
    const auto inner_operator = this->get_inner_operator();
    return this->get_system_matrix() && (!inner_operator || spruce::detail::is_refreshable(inner_operator.get()));
}

template <typename Concrete, typename Mixin>
std::shared_ptr<const LinOp> EnableSolver<Concrete, Mixin>::get_inner_operator() const
{
    if constexpr (std::is_base_of_v<Preconditionable, Mixin>) {
        return this->get_preconditioner_unless_identity() ? this->get_preconditioner() : nullptr;
    } else {
        const auto self = static_cast<const Concrete*>(this);
        return self->get_solver_unless_identity() ? self->get_solver() : nullptr;
    }
}

template <typename Concrete, typename Mixin>
std::unique_ptr<LinOp> EnableSolver<Concrete, Mixin>::transpose() const
{
    const auto self = static_cast<const Concrete*>(this);
    return detail::transposed_solver(self, self->get_parameters(), [](const auto& op) {
        return std::shared_ptr<const LinOp>(as<Transposable>(op)->transpose());
    });
}

template <typename Concrete, typename Mixin>
std::unique_ptr<LinOp> EnableSolver<Concrete, Mixin>::conj_transpose() const
{
    const auto self = static_cast<const Concrete*>(this);
    auto parameters = self->get_parameters();
    Concrete::conjugate(parameters);
    return detail::transposed_solver(self, std::move(parameters), [](const auto& op) {
        return std::shared_ptr<const LinOp>(as<Transposable>(op)->conj_transpose());
    });
}

template <typename Concrete, typename Mixin>
void EnableSolver<Concrete, Mixin>::apply_impl(const LinOp* b, LinOp* x) const
{
    const spruce::detail::Workspace::exclusive_use use{this->workspace_, "a solver's apply"};
    spruce::detail::dispatch_dense<typename Concrete::value_type>(
        [&](auto dense_b, auto dense_x) { this->apply_to_dense(dense_b, dense_x); }, b, x);
}

template <typename Concrete, typename Mixin>
void EnableSolver<Concrete, Mixin>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    const spruce::detail::Workspace::exclusive_use use{this->workspace_, "a solver's apply"};
    spruce::detail::dispatch_dense<typename Concrete::value_type>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            const auto solution = this->workspace_.get().vector("solution", dense_x);
            solution->copy_from(dense_x);
            this->apply_to_dense(dense_b, solution);
            dense_x->scale(dense_beta);
            dense_x->add_scaled(dense_alpha, solution);
        },
        alpha, b, beta, x);
}

template <typename Concrete, typename Mixin>
template <typename ValueType>
void EnableSolver<Concrete, Mixin>::apply_to_dense(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    const auto exec = this->get_executor();
    if (!this->get_system_matrix()) {
        return;  // an empty solver, and LinOp::apply() has checked that b and x are empty, too
    }
    if (!Concrete::has_implicit_norm) {
        spruce::detail::require_no_implicit_norm(*this->get_stop_criterion_factory());
    }
    auto& work = this->workspace_.get();
    const detail::solve_setup setup{
        *this,
        *this,
        this->get_system_matrix(),
        this->get_inner_operator(),
        work,
        work.constant("one", exec, one<ValueType>()),
        work.constant("-one", exec, -one<ValueType>()),
        [this](auto... args) { this->template log<log::Logger::iteration_complete>(this, args...); },
        [this](const auto& criterion, const auto& status) { this->store_stop_reasons(criterion, status); }};
    static_cast<const Concrete*>(this)->run(setup, b, x);
}

template <typename Concrete, typename Mixin>
template <typename ValueType>
void EnableSolver<Concrete, Mixin>::run(const detail::solve_setup& setup, const matrix::Dense<ValueType>* b,
                                        matrix::Dense<ValueType>* x) const
{
    detail::KrylovSolve<ValueType> s{setup, b, x};
    static_cast<const Concrete*>(this)->solve(s);
}

}  // namespace spruce::solver

// Instantiates a class template for each value type of this build.
#if SPRUCE_TYPES_MINIMAL
#define SPRUCE_INSTANTIATE_SOLVER_TYPES(_solver) template class SPRUCE_EXPORT _solver<double>
#else
#define SPRUCE_INSTANTIATE_SOLVER_TYPES(_solver)               \
    template class SPRUCE_EXPORT _solver<float>;               \
    template class SPRUCE_EXPORT _solver<double>;              \
    template class SPRUCE_EXPORT _solver<std::complex<float>>; \
    template class SPRUCE_EXPORT _solver<std::complex<double>>
#endif

/// Defines the factory of a solver, and instantiates both for each value type of this build.
#define SPRUCE_INSTANTIATE_SOLVER(_solver)                      \
    SPRUCE_DEFINE_FACTORY((template <typename V>), _solver<V>); \
    SPRUCE_INSTANTIATE_SOLVER_TYPES(_solver)
