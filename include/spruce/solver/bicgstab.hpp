// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for square A by the stabilized biconjugate gradient method.
///
/// The preconditioner is applied from the right: residuals are those of A x = b. Each right-hand
/// side stops independently. One iteration costs two products with A, two applications of M^-1,
/// five inner products in three passes and four vector updates. The solver holds eight n x k
/// vectors, ten with a preconditioner. The stopping test is performed once in an iteration. A test
/// after the first half would cost further passes over vectors. If s is zero, omega is zero too,
/// and the iteration ends with its first half.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are.
/// Breakdowns: (r~, r) = 0 up to rounding, where r is orthogonal to the shadow residual r~
/// (breakdown_inner_product); (r~, v) = 0, after which the step is performed with alpha = 0
/// (breakdown_curvature); omega = 0, where (t, s) = 0 (breakdown_stabilization). The method then
/// restarts with r~ = r if the residual is smaller than at the last start; otherwise the column
/// stops. For skew-symmetric A the method breaks down at once: Gmres solves such systems.
///
/// Source: van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631: rho = (r~, r),
/// beta = (rho / rho') (alpha / omega), p = r + beta (p - omega v), y = M^-1 p, v = A y,
/// alpha = rho / (r~, v), s = r - alpha v, z = M^-1 s, t = A z, omega = (t, s) / (t, t), x = x +
/// alpha y + omega z, r = s - omega t, where rho' is rho of the previous iteration.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Bicgstab : public EnableSolver<Bicgstab<ValueType>> {
    friend class EnablePolymorphicObject<Bicgstab, LinOp>;
    friend class EnableSolver<Bicgstab>;

public:
    using value_type = ValueType;
    using transposed_type = Bicgstab;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_DECLARE_LIN_OP_FACTORY(Bicgstab, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit Bicgstab(std::shared_ptr<const Executor> exec) : EnableSolver<Bicgstab>(std::move(exec)) {}
    Bicgstab(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<Bicgstab>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
          parameters_{factory->get_parameters()}
    {}

private:
    void solve(detail::KrylovSolve<ValueType>& s) const;
};

}  // namespace solver
}  // namespace spruce
