// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for any square A by conjugate gradients squared, for one or many right-hand sides; each column stops by itself.
/// The preconditioner M is applied from the right: residuals are those of A x = b. Converges fast or erratically.
/// Per iteration: two products with A, two with M, three dot products in two passes, four vector updates; holds eight n x k vectors,
/// nine with a preconditioner.
/// apply(b, x): b n x k, unchanged; x n x k: initial guess on entry, solution on exit.
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not converge: see doc/solvers.md.
/// @throws DimensionMismatch  if A, M, b and x do not fit together; nothing is changed then
/// A limit or a breakdown is no exception: get_stop_reasons() says which. Bitwise repeatable where A
/// and M are.
/// Breakdowns: (r~, r) = 0, where r has become orthogonal to the shadow residual r~ (breakdown_inner_product; also where it is zero
/// but for rounding), and (r~, v) = 0 (breakdown_curvature). After each the method starts anew from the current residual, r~ = r, if
/// that is smaller than the one from which it started last; if not, the column stops with the reason.
/// Source: Sonneveld, SIAM J. Sci. Stat. Comput. 10 (1989) 36:
/// rho = (r~, r), beta = rho / rho', u = r + beta q, p = u + beta (q + beta p), v = A M^-1 p, alpha = rho / (r~, v), q = u - alpha v,
/// z = M^-1 (u + q), x = x + alpha z, r = r - alpha A z.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Cgs : public EnableSolver<Cgs<ValueType>> {
    friend class EnablePolymorphicObject<Cgs, LinOp>;
    friend class EnableSolver<Cgs>;

public:
    using value_type = ValueType;
    using transposed_type = Cgs;

    class Factory;
    /// Of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_ENABLE_LIN_OP_FACTORY(Cgs, parameters, Factory);
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
