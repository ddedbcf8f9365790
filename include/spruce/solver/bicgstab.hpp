// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for any square A by stabilised biconjugate gradients, for one or many right-hand sides; each column stops by
/// itself. The preconditioner M is applied from the right: residuals are those of A x = b.
/// Per iteration: two products with A, two with M, five dot products in three passes, four vector updates; holds eight n x k vectors,
/// ten with a preconditioner. The criterion is asked once in an iteration, not at its half, x + alpha y with the residual s: the norm
/// of s and that x would cost passes over vectors in each iteration, to save half of one in the end. Where s is zero, t is, omega is
/// taken as zero, and the iteration ends at that half by itself.
/// apply(b, x): b n x k, unchanged; x n x k: initial guess on entry, solution on exit.
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not converge: see doc/solvers.md.
/// @throws DimensionMismatch  if A, M, b and x do not fit together; nothing is changed then
/// A limit or a breakdown is no exception: get_stop_reasons() says which. Bitwise repeatable where A
/// and M are.
/// Breakdowns: (r~, r) = 0, where r has become orthogonal to the shadow residual r~ (breakdown_inner_product; also where it is zero
/// but for rounding); (r~, v) = 0 (breakdown_curvature), after which the step is made with alpha = 0, by smoothing only; and
/// omega = 0, where A turns s into a vector orthogonal to it (breakdown_stabilization). After each the method starts anew from the
/// current residual, r~ = r, if that is smaller than the one from which it started last; if not, the column stops with the reason.
/// Skew-symmetric A end so at once: Gmres solves them.
/// Source: van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631:
/// rho = (r~, r), beta = rho / rho' alpha / omega, p = r + beta (p - omega v), y = M^-1 p, v = A y, alpha = rho / (r~, v),
/// s = r - alpha v, z = M^-1 s, t = A z, omega = (t, s) / (t, t), x = x + alpha y + omega z, r = s - omega t.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Bicgstab : public EnableSolver<Bicgstab<ValueType>> {
    friend class EnablePolymorphicObject<Bicgstab, LinOp>;
    friend class EnableSolver<Bicgstab>;

public:
    using value_type = ValueType;
    using transposed_type = Bicgstab;

    class Factory;
    /// Of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_ENABLE_LIN_OP_FACTORY(Bicgstab, parameters, Factory);
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
