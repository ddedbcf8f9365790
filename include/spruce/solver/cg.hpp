// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for Hermitian positive definite A by the preconditioned conjugate gradient
/// method.
///
/// Each right-hand side stops independently. One iteration costs one product with A, one
/// application of M^-1, two inner products (three with M) and three vector updates. The solver
/// holds five n x k vectors, six with a preconditioner.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are.
/// Breakdowns: (p, A p) = 0 if A is not definite (breakdown_curvature), (r, z) = 0 if M is not
/// (breakdown_inner_product).
///
/// Source: Hestenes and Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, 2nd ed.,
/// Algorithm 9.1: z = M^-1 r, rho = (r, z), p = z + (rho / rho') p, alpha = rho / (p, A p), x = x +
/// alpha p, r = r - alpha A p, where rho' is rho of the previous iteration.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Cg : public EnableSolver<Cg<ValueType>> {
    friend class EnablePolymorphicObject<Cg, LinOp>;
    friend class EnableSolver<Cg>;

public:
    using value_type = ValueType;
    using transposed_type = Cg;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_DECLARE_LIN_OP_FACTORY(Cg, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit Cg(std::shared_ptr<const Executor> exec) : EnableSolver<Cg>(std::move(exec)) {}
    Cg(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<Cg>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
          parameters_{factory->get_parameters()}
    {}

private:
    void solve(detail::KrylovSolve<ValueType>& s) const;
};

}  // namespace solver
}  // namespace spruce
