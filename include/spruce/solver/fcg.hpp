// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for Hermitian positive definite A by the flexible conjugate gradient method.
///
/// The preconditioner may change from one iteration to the next, as another iterative solver does,
/// and need not be Hermitian. Each right-hand side stops independently. One iteration costs one
/// product with A, one application of M^-1, three inner products in two passes (with M: five in
/// three) and three vector updates. The solver holds five n x k vectors, six with a preconditioner;
/// r - r' is computed as -alpha A p instead of being stored.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are.
/// Breakdowns: (p, A p) = 0 if A is not definite (breakdown_curvature), (z, r) = 0 if M is not
/// (breakdown_inner_product).
///
/// Sources: Golub and Ye, SIAM J. Sci. Comput. 21 (1999) 1305; Notay, SIAM J. Sci. Comput. 22
/// (2000) 1444, FCG(1): z = M^-1 r, rho = (z, r), beta = (r - r', z) / rho', p = z + beta p,
/// alpha = rho / (p, A p), x = x + alpha p, r = r - alpha A p. A prime marks values of the previous
/// iteration.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Fcg : public EnableSolver<Fcg<ValueType>> {
    friend class EnablePolymorphicObject<Fcg, LinOp>;
    friend class EnableSolver<Fcg>;

public:
    using value_type = ValueType;
    using transposed_type = Fcg;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_DECLARE_LIN_OP_FACTORY(Fcg, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit Fcg(std::shared_ptr<const Executor> exec) : EnableSolver<Fcg>(std::move(exec)) {}
    Fcg(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<Fcg>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
          parameters_{factory->get_parameters()}
    {}

private:
    void solve(detail::KrylovSolve<ValueType>& s) const;
};

}  // namespace solver
}  // namespace spruce
