// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for square A by the conjugate gradient squared method.
///
/// The preconditioner is applied from the right: residuals are those of A x = b. Convergence is
/// often faster than that of Bicg, but more erratic. Each right-hand side stops independently. One
/// iteration costs two products with A, two applications of M^-1, three inner products in two
/// passes and six vector updates. The solver holds eight n x k vectors, nine with a preconditioner.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are.
/// Breakdowns: (r~, r) = 0 up to rounding, where r is orthogonal to the shadow residual r~
/// (breakdown_inner_product), and (r~, v) = 0 (breakdown_curvature). The method then restarts with
/// r~ = r if the residual is smaller than at the last start; otherwise the column stops.
///
/// Source: Sonneveld, SIAM J. Sci. Stat. Comput. 10 (1989) 36: rho = (r~, r), beta = rho / rho',
/// u = r + beta q, p = u + beta (q + beta p), v = A M^-1 p, alpha = rho / (r~, v), q = u - alpha v,
/// z = M^-1 (u + q), x = x + alpha z, r = r - alpha A z, where rho' is rho of the previous
/// iteration.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Cgs : public EnableSolver<Cgs<ValueType>> {
    friend class EnablePolymorphicObject<Cgs, LinOp>;
    friend class EnableSolver<Cgs>;

public:
    using value_type = ValueType;
    using transposed_type = Cgs;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_DECLARE_LIN_OP_FACTORY(Cgs, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit Cgs(std::shared_ptr<const Executor> exec) : EnableSolver<Cgs>(std::move(exec)) {}
    Cgs(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<Cgs>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
          parameters_{factory->get_parameters()}
    {}

private:
    void solve(detail::KrylovSolve<ValueType>& s) const;
};

}  // namespace solver
}  // namespace spruce
