// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for Hermitian, possibly indefinite A by the minimal residual method.
///
/// The preconditioner has to be Hermitian and positive definite; the residual is minimal in the
/// norm sqrt((r, M^-1 r)). Each right-hand side stops independently. One iteration costs one
/// product with A, one application of M^-1, two inner products (with M: three and a norm) and three
/// vector updates (with M: four). The solver holds seven n x k vectors, ten with a preconditioner.
/// Criteria and loggers receive ||r||; they receive r only with a preconditioner.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are.
/// Breakdowns: (v, M^-1 v) is not real and positive because M is not definite
/// (breakdown_inner_product); A r = 0 up to rounding and r is not zero (breakdown_subspace): A is
/// singular, the system has no solution, and the residual is minimal.
///
/// Source: Paige and Saunders, Solution of sparse indefinite systems of linear equations, 1975;
/// with a preconditioner: Elman, Silvester and Wathen, Finite Elements and Fast Iterative Solvers,
/// 2nd ed., Algorithm 4.1: z = M^-1 v, gamma = sqrt((v, z)), delta = (A z, z) / gamma^2, v_new = A
/// z / gamma - (delta / gamma) v - (gamma / gamma_old) v_old. Givens rotations with cosine c and
/// sine s reduce the tridiagonal matrix of the delta and gamma to a triangular matrix R. W R = Z
/// defines w, where the columns of Z are z / gamma; x = x + c eta w, eta = -s eta.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Minres : public EnableSolver<Minres<ValueType>> {
    friend class EnablePolymorphicObject<Minres, LinOp>;
    friend class EnableSolver<Minres>;

public:
    using value_type = ValueType;
    using transposed_type = Minres;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_DECLARE_LIN_OP_FACTORY(Minres, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit Minres(std::shared_ptr<const Executor> exec) : EnableSolver<Minres>(std::move(exec)) {}
    Minres(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<Minres>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
          parameters_{factory->get_parameters()}
    {}

private:
    void solve(detail::KrylovSolve<ValueType>& s) const;
};

}  // namespace solver
}  // namespace spruce
