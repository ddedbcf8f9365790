// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for Hermitian positive definite A by the pipelined conjugate gradient method.
///
/// All inner products and vector updates of an iteration are one pass over the vectors with a
/// single reduction. The products with A and M^-1 that follow do not depend on its results. Each
/// right-hand side stops independently. One iteration costs one product with A, one application of
/// M^-1, five inner products and eight vector updates (six without M). The solver holds eight n x k
/// vectors, eleven with a preconditioner. The residual r and products such as M^-1 r and A M^-1 r
/// come from recurrences, whose rounding errors grow faster than those of Cg. They are therefore
/// computed from x and p every 50 iterations, by four products with A and two applications of M^-1.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are.
/// Breakdowns: (p, A p) = 0 if A is not definite (breakdown_curvature), (r, M^-1 r) = 0 if M is not
/// (breakdown_inner_product).
///
/// Source: Ghysels and Vanroose, Hiding global synchronization latency in the preconditioned
/// conjugate gradient algorithm, 2014, Algorithm 4: u = M^-1 r and w = A u at the start; m = M^-1
/// w, n = A m, z = n + beta z, q = m + beta q, s = w + beta s, p = u + beta p, x = x + alpha p,
/// r = r - alpha s, u = u - alpha q, w = w - alpha z, rho = (r, u). There, beta = rho / rho' and
/// alpha = rho / ((w, u) - beta rho / alpha'), which hold while residuals are orthogonal; a prime
/// marks values of the previous iteration. Here, beta = -(s, u) / (s, p) and alpha = rho / ((w, u)
/// - |(s, u)|^2 / (s, p)) need two more inner products in the same pass and remain accurate in
/// single precision. Residual replacement: Cools, Yetkin, Agullo, Giraud and Vanroose, 2018.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT PipeCg : public EnableSolver<PipeCg<ValueType>> {
    friend class EnablePolymorphicObject<PipeCg, LinOp>;
    friend class EnableSolver<PipeCg>;

public:
    using value_type = ValueType;
    using transposed_type = PipeCg;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_DECLARE_LIN_OP_FACTORY(PipeCg, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit PipeCg(std::shared_ptr<const Executor> exec) : EnableSolver<PipeCg>(std::move(exec)) {}
    PipeCg(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<PipeCg>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
          parameters_{factory->get_parameters()}
    {}

private:
    void solve(detail::KrylovSolve<ValueType>& s) const;
};

}  // namespace solver
}  // namespace spruce
