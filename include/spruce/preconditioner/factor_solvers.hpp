// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <type_traits>

#include <spruce/base/composition.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/base/workspace.hpp>
#include <spruce/solver/triangular.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

namespace spruce {
namespace preconditioner {

/// Contains what preconditioners that solve with two factors have in common.
namespace detail {

/// Describes a template argument that is the type of a solver, or a value type, which stands for
/// any solver of vectors of this type.
/// @tparam Default  the solver that is used if no factory is given
template <typename SolverOrValue, typename Default, typename = void>
struct solver_choice {
    using type = LinOp;
    using factory = LinOpFactory;
    using value_type = SolverOrValue;
    using transposed_choice = SolverOrValue;
    using default_type = Default;
};
template <typename Solver, typename Default>
struct solver_choice<Solver, Default, std::enable_if_t<std::is_base_of_v<LinOp, Solver>>> {
    using type = Solver;
    using factory = typename Solver::Factory;
    using value_type = typename Solver::value_type;
    using transposed_choice = typename Solver::transposed_type;
    using default_type = Solver;
};
template <typename SolverOrValue>
using value_type_of = typename solver_choice<SolverOrValue, void>::value_type;
template <typename SolverOrValue>
using transposed_choice_of = typename solver_choice<SolverOrValue, void>::transposed_choice;

template <typename Solver, typename = void>
constexpr bool has_criteria = false;
template <typename Solver>
constexpr bool has_criteria<
    Solver, std::void_t<decltype(Solver::build().with_criteria(std::shared_ptr<const stop::CriterionFactory>{}))>> =
    true;

/// Creates a solver with default parameters. An iterative one stops if the residual norm has been
/// reduced by a factor of 1e-4, or after as many iterations as there are rows.
template <typename Solver>
std::shared_ptr<Solver> generate_default_solver(std::shared_ptr<const Executor> exec,
                                                std::shared_ptr<const LinOp> matrix)
{
    if constexpr (has_criteria<Solver>) {
        using value_type = typename Solver::value_type;
        return Solver::build()
            .with_criteria(
                stop::Iteration::build().with_max_iters(matrix->get_size()[0]),
                stop::ResidualNorm<value_type>::build().with_reduction_factor(remove_complex<value_type>(1e-4)))
            .on(std::move(exec))
            ->generate(std::move(matrix));
    } else {
        return Solver::build().on(std::move(exec))->generate(std::move(matrix));
    }
}

/// Creates a solver by a factory, or by that of the default type if there is none.
template <typename Choice>
std::shared_ptr<typename Choice::type> generate_solver(std::shared_ptr<const Executor> exec,
                                                       const typename Choice::factory* factory,
                                                       std::shared_ptr<const LinOp> matrix)
{
    if (factory) {
        return factory->generate(std::move(matrix));
    }
    return generate_default_solver<typename Choice::default_type>(std::move(exec), std::move(matrix));
}

/// Holds factors of a matrix.
template <typename ValueType>
struct matrix_factors {
    std::shared_ptr<const Composition<ValueType>> product;
    std::shared_ptr<Refreshable> refreshable;  ///< the product; null if it was given or has other factors
};

/// Returns the factors of a matrix, or the given operator if it is a product of factors.
/// @param method       function for messages
/// @param min_factors  the smallest number of factors that is accepted; the largest one is two
/// @throws NotSupported  if there are fewer or more factors
/// @throws DimensionMismatch  if the factors are not square
template <typename ValueType>
SPRUCE_EXPORT matrix_factors<ValueType> factorize(const char* method, const LinOpFactory& factorization,
                                                  std::shared_ptr<const LinOp> matrix, size_type min_factors);

/// Recomputes factors and returns their product. If the operator is a product of factors, it is
/// returned.
/// @throws NotSupported  if the factors cannot be refreshed, or if a solver is neither Refreshable
///         nor an iterative one that holds its factor, no preconditioner and no inner solver;
///         nothing is changed
template <typename ValueType>
SPRUCE_EXPORT std::shared_ptr<const Composition<ValueType>> refresh_factors(const char* method,
                                                                            const matrix_factors<ValueType>& factors,
                                                                            const LinOp* l_solver,
                                                                            const LinOp* u_solver,
                                                                            std::shared_ptr<const LinOp> matrix);

/// Returns L^H, the second factor of a product. If it is not stored, it is computed.
template <typename ValueType>
SPRUCE_EXPORT std::shared_ptr<const LinOp> adjoint_factor(const Composition<ValueType>& product);

/// Gives Refreshable solvers their new factors. If that fails, they get the old ones.
SPRUCE_EXPORT void refresh_solvers(LinOp& l_solver, LinOp& u_solver, const std::shared_ptr<const LinOp>& old_l,
                                   const std::shared_ptr<const LinOp>& new_l,
                                   const std::shared_ptr<const LinOp>& new_u);

/// Computes x = second(first(b)). Solvers that use an initial guess start from their right-hand
/// sides.
template <typename ValueType>
SPRUCE_EXPORT void apply_in_sequence(const LinOp& first, const LinOp& second, spruce::detail::Workspace& workspace,
                                     const LinOp* b, LinOp* x);
/// Computes x = alpha second(first(b)) + beta x.
template <typename ValueType>
SPRUCE_EXPORT void apply_in_sequence(const LinOp& first, const LinOp& second, spruce::detail::Workspace& workspace,
                                     const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x);

/// Returns the solver if it is on the executor, otherwise a copy.
template <typename Solver>
std::shared_ptr<Solver> on_executor(const std::shared_ptr<const Executor>& exec, const std::shared_ptr<Solver>& solver)
{
    return solver && !exec->is_equivalent_to(solver->get_executor().get())
               ? std::shared_ptr<Solver>(clone(exec, solver))
               : solver;
}

/// Returns the transpose of a solver, which has to be a Result.
template <typename Result, typename Solver>
std::shared_ptr<Result> transpose_solver(const Solver& solver, bool conjugate)
{
    const auto transposable = as<Transposable>(static_cast<const LinOp*>(&solver));
    return as<Result>(std::shared_ptr<LinOp>(conjugate ? transposable->conj_transpose() : transposable->transpose()));
}

}  // namespace detail
}  // namespace preconditioner
}  // namespace spruce
