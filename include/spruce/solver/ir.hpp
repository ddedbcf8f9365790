// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>
#include <spruce/solver/initial_guess.hpp>
#include <spruce/stop/iteration.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b by iterative refinement, also called Richardson iteration: x = x + omega S (b - A
/// x).
///
/// The inner solver S is any operator that approximates the inverse of A: a solver that stops
/// early, one in lower precision, a preconditioner; the default is the identity. The iteration
/// converges if the spectral radius of I - omega S A is below 1. Each right-hand side stops
/// independently. One iteration costs one product with A, one application of S with a test of its
/// result for infinity and NaN, and two vector updates. The solver holds four n x k vectors. The
/// residual is computed as b - A x in each iteration. The accuracy of x is therefore limited by the
/// precision of A and b, not by that of S.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry if default_initial_guess is provided; solution on exit
/// @throws DimensionMismatch  if the sizes of A, S, b and x do not match; nothing is changed
/// @throws InvalidStateError  by generate() if the relaxation factor is not finite
///
/// x is the best iterate if a column does not converge: see doc/solvers.md. If S returns infinity
/// or NaN, the column stops (not_finite).
///
/// Source: Wilkinson 1963, Rounding Errors in Algebraic Processes; Moler 1967, Iterative Refinement
/// in Floating Point.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Ir : public EnableSolver<Ir<ValueType>, EnableIterativeSolver<Ir<ValueType>>> {
    friend class EnablePolymorphicObject<Ir, LinOp>;
    using Base = EnableSolver<Ir, EnableIterativeSolver<Ir>>;
    friend Base;

public:
    using value_type = ValueType;
    using transposed_type = Ir;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_iterative_solver_factory_parameters<parameters_type, Factory> {
        /// Makes S from the system matrix; default: the identity.
        std::shared_ptr<const LinOpFactory> SPRUCE_DEFERRED_FACTORY_PARAMETER(solver);
        /// S itself; if set, solver is not used.
        std::shared_ptr<const LinOp> generated_solver{};
        parameters_type& with_generated_solver(std::shared_ptr<const LinOp> value)
        {
            generated_solver = std::move(value);
            return *this;
        }
        /// Sets the factor omega.
        ValueType SPRUCE_FACTORY_PARAMETER_SCALAR(relaxation_factor, ValueType{1});
        /// Sets the initial guess: zero, b (rhs), or the x that is passed to apply() (provided).
        initial_guess_mode SPRUCE_FACTORY_PARAMETER_SCALAR(default_initial_guess, initial_guess_mode::provided);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Ir, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    std::shared_ptr<const LinOp> get_solver() const { return solver_; }
    /// Sets S. Copies it to the executor of this solver if it is on another one.
    /// @throws DimensionMismatch  if its size is not that of A
    /// @throws NotSupported  for a null pointer
    void set_solver(std::shared_ptr<const LinOp> solver);

    bool apply_uses_initial_guess() const override
    {
        return parameters_.default_initial_guess == initial_guess_mode::provided;
    }

    Ir(const Ir& other);
    Ir(Ir&& other);
    Ir& operator=(const Ir& other);
    Ir& operator=(Ir&& other);

protected:
    explicit Ir(std::shared_ptr<const Executor> exec) : Base(std::move(exec)) {}
    Ir(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);

private:
    static constexpr bool has_implicit_norm = false;
    static void conjugate(parameters_type& parameters);
    void solve(detail::KrylovSolve<ValueType>& s) const;
    void assign_solver(std::shared_ptr<const LinOp> solver);
    /// Returns S; null if it is the identity.
    const LinOp* get_solver_unless_identity() const { return solver_to_apply_; }

    std::shared_ptr<const LinOp> solver_;
    const LinOp* solver_to_apply_{};
};

template <typename ValueType = default_precision>
using Richardson = Ir<ValueType>;

/// Returns a factory of an Ir that performs a fixed number of steps, as a smoother for multigrid:
/// x = x + relaxation_factor S (b - A x).
/// @param iteration  number of steps
template <typename ValueType = default_precision>
auto build_smoother(std::shared_ptr<const LinOpFactory> factory, size_type iteration = 1u,
                    ValueType relaxation_factor = ValueType(0.9))
{
    spruce::detail::require_pointers("build_smoother", factory);
    const auto exec = factory->get_executor();
    return Ir<ValueType>::build()
        .with_solver(std::move(factory))
        .with_relaxation_factor(relaxation_factor)
        .with_criteria(stop::Iteration::build().with_max_iters(iteration))
        .on(exec);
}
template <typename ValueType = default_precision>
auto build_smoother(std::shared_ptr<const LinOp> solver, size_type iteration = 1u,
                    ValueType relaxation_factor = ValueType(0.9))
{
    spruce::detail::require_pointers("build_smoother", solver);
    const auto exec = solver->get_executor();
    return Ir<ValueType>::build()
        .with_generated_solver(std::move(solver))
        .with_relaxation_factor(relaxation_factor)
        .with_criteria(stop::Iteration::build().with_max_iters(iteration))
        .on(exec);
}

}  // namespace solver
}  // namespace spruce
