// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <vector>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/base/workspace.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/solver/solver_base.hpp>
#include <spruce/stop/combined.hpp>

namespace spruce {
namespace solver {
namespace detail {

struct solve_setup;
template <typename ValueType>
class KrylovSolve;

template <typename Solver>
struct first_type;
template <template <typename> class Solver, typename ValueType>
struct first_type<Solver<ValueType>> {
    using type = ValueType;
};
/// Gives the value type of a solver, which may be an incomplete class.
template <typename Solver>
using value_type_of = typename first_type<Solver>::type;

}  // namespace detail

/// Holds the factory parameters that all iterative solvers share.
template <typename Parameters, typename Factory>
struct enable_iterative_solver_factory_parameters : enable_parameters_type<Parameters, Factory> {
    /// Sets the stopping criteria, at least one. They are checked in this order.
    std::vector<std::shared_ptr<const stop::CriterionFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(criteria);
};

/// Holds the factory parameters that all preconditioned iterative solvers share.
template <typename Parameters, typename Factory>
struct enable_preconditioned_iterative_solver_factory_parameters
    : enable_iterative_solver_factory_parameters<Parameters, Factory> {
    /// Makes M^-1 from the system matrix; default: the identity.
    std::shared_ptr<const LinOpFactory> SPRUCE_DEFERRED_FACTORY_PARAMETER(preconditioner);
    /// The operator M^-1 itself; if set, preconditioner is not used.
    std::shared_ptr<const LinOp> generated_preconditioner{};
    Parameters& with_generated_preconditioner(std::shared_ptr<const LinOp> value)
    {
        generated_preconditioner = std::move(value);
        return *this->self();
    }
};

/// Implements apply() and the transposes of the iterative solvers of this library. Concrete has
/// solve(KrylovSolve&), which performs one apply. The matrix and the preconditioner of a transposed
/// solver are the transposes of those of this solver. A solver keeps vectors from one apply to the
/// next. Therefore, only one thread at a time can apply it. If the library is built without NDEBUG,
/// an apply during another one throws InvalidStateError.
template <typename Concrete,
          typename Mixin = EnablePreconditionedIterativeSolver<detail::value_type_of<Concrete>, Concrete>>
class SPRUCE_EXPORT EnableSolver : public EnableLinOp<Concrete>, public Mixin, public Transposable, public Refreshable {
public:
    using EnableLinOp<Concrete>::convert_to;
    /// Copies this solver completely or, if memory is insufficient, not at all.
    void convert_to(Concrete* result) const override;
    /// Returns the solver of the transposed system, with the same parameters.
    /// @throws NotSupported  if the matrix or the preconditioner cannot be transposed
    std::unique_ptr<LinOp> transpose() const override;
    /// Returns the solver of the conjugate transposed system, with the same parameters. Parameters
    /// that are eigenvalues, or their inverses, are conjugated.
    /// @throws NotSupported  if the matrix or the preconditioner cannot be transposed
    std::unique_ptr<LinOp> conj_transpose() const override;
    /// Returns true: iterative methods start from x. Solvers with a choice of initial guess
    /// override it.
    bool apply_uses_initial_guess() const override { return true; }
    bool shares_memory_with(const memory_extent& memory) const noexcept override;

    /// Takes a matrix with new values as system matrix, and refreshes the preconditioner with it
    /// (for Ir: the inner solver), also one that was given. Copies of this solver share the
    /// preconditioner: they use the refreshed one with their own matrix. Allocates nothing if the
    /// refresh of the preconditioner does not and the matrix is on the solver's executor; Bicg
    /// allocates in the next apply(). If an exception is thrown, the system matrix is unchanged.
    /// @throws DimensionMismatch  if the size of the matrix is not that of the solver
    /// @throws NotSupported  if the solver is empty, or if the preconditioner cannot be refreshed;
    ///         nothing is changed
    void refresh(std::shared_ptr<const LinOp> matrix) override;
    /// Returns true if the solver has a matrix and the preconditioner (for Ir: the inner solver)
    /// can be refreshed.
    bool can_be_refreshed() const override;

protected:
    explicit EnableSolver(std::shared_ptr<const Executor> exec) : EnableLinOp<Concrete>(std::move(exec)) {}
    template <typename Parameters>
    EnableSolver(std::shared_ptr<const Executor> exec, std::shared_ptr<const LinOp> system_matrix,
                 const Parameters& parameters)
        : EnableLinOp<Concrete>(std::move(exec), detail::require_square(system_matrix.get())),
          Mixin(system_matrix, parameters)
    {}
    EnableSolver(const EnableSolver& other) : EnableLinOp<Concrete>(other.get_executor()), Mixin{} { *this = other; }
    EnableSolver(EnableSolver&& other) : EnableLinOp<Concrete>(other.get_executor()), Mixin{}
    {
        *this = std::move(other);
    }
    EnableSolver& operator=(const EnableSolver& other);
    EnableSolver& operator=(EnableSolver&& other);

    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

    /// Conjugates the parameters that depend on eigenvalues of the system. Solvers with such
    /// parameters hide this function.
    template <typename Parameters>
    static void conjugate(Parameters&)
    {}
    /// True if the recurrence has the squared residual norm that stop::ImplicitResidualNorm tests.
    /// Solvers without it hide this constant.
    static constexpr bool has_implicit_norm = true;
    /// Releases vectors and scalars, after a change of parameters that determine their sizes.
    void clear_workspace() { workspace_ = {}; }
    /// Performs one apply. Idr hides it to iterate on complex vectors.
    template <typename ValueType>
    void run(const detail::solve_setup& setup, const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const;

private:
    /// Returns the preconditioner or, for Ir, the inner solver; null if it is the identity.
    std::shared_ptr<const LinOp> get_inner_operator() const;
    template <typename ValueType>
    void apply_to_dense(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const;

    mutable spruce::detail::Workspace workspace_;
};

}  // namespace solver
}  // namespace spruce
