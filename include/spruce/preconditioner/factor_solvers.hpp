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

template <typename SolverOrValue, typename IndexType>
using lower_choice = solver_choice<SolverOrValue, solver::LowerTrs<value_type_of<SolverOrValue>, IndexType>>;
template <typename SolverOrValue, typename IndexType>
using upper_choice = solver_choice<SolverOrValue, solver::UpperTrs<value_type_of<SolverOrValue>, IndexType>>;

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

/// Checks that a factory has generated an operator.
/// @param name       of the operator that uses it in messages
/// @param parameter  of this operator that contains the factory
/// @throws NotSupported  if op is null
SPRUCE_EXPORT void require_generated(const char* name, const char* parameter, const LinOp* op);

/// Creates a solver by a factory, or by that of the default type if there is none.
/// @param name, parameter  of the preconditioner and of the factory in messages
template <typename Choice>
std::shared_ptr<typename Choice::type> generate_solver(const char* name, const char* parameter,
                                                       std::shared_ptr<const Executor> exec,
                                                       const typename Choice::factory* factory,
                                                       std::shared_ptr<const LinOp> matrix)
{
    if (factory) {
        auto solver = factory->generate(std::move(matrix));
        require_generated(name, parameter, solver.get());
        return solver;
    }
    return generate_default_solver<typename Choice::default_type>(std::move(exec), std::move(matrix));
}

/// Holds the factors of a matrix and a solver for each. Copies of a preconditioner on an executor
/// share it.
template <typename ValueType>
struct factor_solvers {
    std::shared_ptr<const Composition<ValueType>> product;
    std::shared_ptr<Composition<ValueType>> own_product;  ///< the product of the factorization; null if one was given
    size_type min_factors{};                              ///< the smallest number of factors that refresh() accepts
    std::shared_ptr<LinOp> l_solver;
    std::shared_ptr<LinOp> u_solver;  ///< the solver with the second factor, U or L^H
    bool are_consistent{true};        ///< false if a refresh failed after some of these objects had changed
};

/// Creates the factors of a matrix, without solvers. If the matrix is a product of factors, they
/// are taken.
/// @param name         of the preconditioner in messages
/// @param min_factors  the smallest number of factors that is accepted; the largest one is two
/// @throws NotSupported  if there are fewer or more factors, or the factorization generates no
///         operator
/// @throws DimensionMismatch  if the factors are not square
template <typename ValueType>
SPRUCE_EXPORT std::shared_ptr<factor_solvers<ValueType>> factorize(const char* name, const LinOpFactory& factorization,
                                                                   std::shared_ptr<const LinOp> matrix,
                                                                   size_type min_factors);

/// Returns the factors and solvers if they are on the executor. Otherwise copies the solvers, which
/// cannot be refreshed then.
template <typename ValueType>
SPRUCE_EXPORT std::shared_ptr<factor_solvers<ValueType>> on_executor(
    std::shared_ptr<const Executor> exec, const std::shared_ptr<factor_solvers<ValueType>>& solvers);

/// Returns true if refresh() of factors and solvers can succeed, with or without given factors.
template <typename ValueType>
SPRUCE_EXPORT bool can_be_refreshed(const factor_solvers<ValueType>* solvers);

/// Recomputes the factors, or takes given ones, and refreshes the solvers.
/// @param solvers  null for an empty preconditioner
/// @throws NotSupported  if a factor or a solver cannot be refreshed; nothing is changed
template <typename ValueType>
SPRUCE_EXPORT void refresh(const char* name, factor_solvers<ValueType>* solvers, std::shared_ptr<const LinOp> matrix);

/// Computes x = U^-1 L^-1 b, or x = L^-1 U^-1 b in reverse order. Solvers that use an initial guess
/// start from their right-hand sides.
/// @throws InvalidStateError  if a refresh failed after some of the solvers or factors had changed
template <typename ValueType>
SPRUCE_EXPORT void apply(const factor_solvers<ValueType>& solvers, bool reverse, spruce::detail::Workspace& workspace,
                         const LinOp* b, LinOp* x);
/// Computes x = alpha U^-1 L^-1 b + beta x.
template <typename ValueType>
SPRUCE_EXPORT void apply(const factor_solvers<ValueType>& solvers, bool reverse, spruce::detail::Workspace& workspace,
                         const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x);

/// Returns the transpose of a solver, which has to be a Result.
template <typename Result>
std::shared_ptr<Result> transpose_solver(const LinOp& solver, bool conjugate)
{
    const auto transposable = as<Transposable>(&solver);
    return as<Result>(std::shared_ptr<LinOp>(conjugate ? transposable->conj_transpose() : transposable->transpose()));
}

/// Implements preconditioners that solve with two factors. Concrete has a name for messages and a
/// transposed_type, which is derived from this template, too.
template <typename Concrete, typename LChoice, typename UChoice, bool reverse_apply>
class EnableFactorSolvers : public EnableLinOp<Concrete>, public Transposable, public Refreshable {
    template <typename, typename, typename, bool>
    friend class EnableFactorSolvers;

public:
    using value_type = typename LChoice::value_type;
    using l_solver_type = typename LChoice::type;

    std::shared_ptr<const l_solver_type> get_l_solver() const
    {
        return solvers_ ? std::static_pointer_cast<const l_solver_type>(solvers_->l_solver) : nullptr;
    }

    /// Returns the preconditioner of the transposed system.
    /// @throws NotSupported  if a solver cannot be transposed
    std::unique_ptr<LinOp> transpose() const override { return this->transpose_solvers(false); }
    /// Returns the preconditioner of the conjugate transposed system.
    /// @throws NotSupported  if a solver cannot be transposed
    std::unique_ptr<LinOp> conj_transpose() const override { return this->transpose_solvers(true); }

    /// Recomputes the factors for a matrix with the pattern of A, or takes the factors if it is a
    /// Composition. It allocates nothing if the factorization and the solvers do not, and if the
    /// second factor is stored. After an exception, the preconditioner has the present values of
    /// its former factors, or apply() throws InvalidStateError until a refresh succeeds.
    /// @throws NotSupported  if the factorization or a solver cannot be refreshed, if the matrix is
    ///         no Composition although generate() received one, or if this is a transpose or a copy
    ///         on another executor; nothing is changed
    /// @throws UnsupportedMatrixProperty  if the pattern differs; nothing is changed
    void refresh(std::shared_ptr<const LinOp> matrix) override
    {
        detail::refresh(Concrete::name, solvers_.get(), std::move(matrix));
    }
    bool can_be_refreshed() const override { return detail::can_be_refreshed(solvers_.get()); }

    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        return solvers_ &&
               (solvers_->l_solver->shares_memory_with(memory) || solvers_->u_solver->shares_memory_with(memory));
    }

protected:
    using second_solver_type = typename UChoice::type;

    explicit EnableFactorSolvers(std::shared_ptr<const Executor> exec) : EnableLinOp<Concrete>(std::move(exec)) {}
    /// Copies share solvers and factors if they are on the same executor: refresh() of one changes
    /// all.
    EnableFactorSolvers(const EnableFactorSolvers& other) : EnableFactorSolvers(other.get_executor()) { *this = other; }
    EnableFactorSolvers(EnableFactorSolvers&& other) : EnableFactorSolvers(other.get_executor())
    {
        *this = std::move(other);
    }
    EnableFactorSolvers& operator=(const EnableFactorSolvers& other)
    {
        if (this != &other) {
            auto solvers = detail::on_executor(this->get_executor(), other.solvers_);
            EnableLinOp<Concrete>::operator=(other);
            solvers_ = std::move(solvers);
            workspace_ = {};
        }
        return *this;
    }
    EnableFactorSolvers& operator=(EnableFactorSolvers&& other)
    {
        if (this != &other) {
            auto solvers = detail::on_executor(this->get_executor(), other.solvers_);
            EnableLinOp<Concrete>::operator=(std::move(other));
            solvers_ = std::move(solvers);
            other.solvers_ = nullptr;
            workspace_ = {};
            other.workspace_ = {};
        }
        return *this;
    }

    void set_solvers(std::shared_ptr<factor_solvers<value_type>> solvers)
    {
        solvers_ = std::move(solvers);
        this->set_size(solvers_->l_solver->get_size());
    }
    std::shared_ptr<const second_solver_type> get_second_solver() const
    {
        return solvers_ ? std::static_pointer_cast<const second_solver_type>(solvers_->u_solver) : nullptr;
    }

    bool has_static_launches() const override
    {
        return solvers_ && solvers_->l_solver->launches_are_static() && solvers_->u_solver->launches_are_static();
    }
    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        if (solvers_) {
            detail::apply(*solvers_, reverse_apply, workspace_, b, x);
        }
    }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        if (solvers_) {
            detail::apply(*solvers_, reverse_apply, workspace_, alpha, b, beta, x);
        }
    }

private:
    std::unique_ptr<LinOp> transpose_solvers(bool conjugate) const
    {
        using Transposed = typename Concrete::transposed_type;
        auto result = std::unique_ptr<Transposed>(new Transposed(this->get_executor()));
        if (solvers_) {
            auto transposed = std::make_shared<factor_solvers<value_type>>();
            transposed->l_solver = transpose_solver<typename Transposed::l_solver_type>(*solvers_->u_solver, conjugate);
            transposed->u_solver =
                transpose_solver<typename Transposed::second_solver_type>(*solvers_->l_solver, conjugate);
            transposed->are_consistent = solvers_->are_consistent;
            result->set_solvers(std::move(transposed));
        }
        return result;
    }

    std::shared_ptr<factor_solvers<value_type>> solvers_;
    mutable spruce::detail::Workspace workspace_;
};

}  // namespace detail
}  // namespace preconditioner
}  // namespace spruce
