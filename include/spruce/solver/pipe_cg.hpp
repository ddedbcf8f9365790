// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for Hermitian positive definite A by pipelined conjugate gradients, for one or many right-hand sides; each column
/// stops by itself. Of an iteration, all inner products and vector updates are one pass over the vectors, with a single
/// reduction, which does not wait for the products with A and M (Cg has two or three, one after the other).
/// Per iteration: one product with A, one with M, five dot products, eight vector updates (five without M); holds eleven n x k
/// vectors, or eight without M.
/// apply(b, x): b n x k, unchanged; x n x k: initial guess on entry, solution on exit.
/// Rounding: M^-1 r, A M^-1 r, A p and the like come from recurrences, too, which part from what they stand for faster than those of Cg.
/// Every 50 iterations they are computed anew, at the cost of three more products with A and one more with M, and r = b - A x
/// with them.
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not converge: see doc/solvers.md.
/// @throws DimensionMismatch  if A, M, b and x do not fit together; nothing is changed then
/// A limit or a breakdown is no exception: get_stop_reasons() says which. Breakdowns: (p, A p) = 0, where
/// A is not definite (breakdown_curvature), and (r, M^-1 r) = 0, where M is not (breakdown_inner_product). Bitwise repeatable where A
/// and M are.
/// Source: Ghysels and Vanroose, Hiding global synchronization latency in the preconditioned conjugate gradient algorithm, 2014,
/// Alg. 4: m = M^-1 w, n = A m, z = n + beta z, q = m + beta q, s = w + beta s, p = u + beta p, x = x + alpha p, r = r - alpha s,
/// u = u - alpha q, w = w - alpha z, rho = (r, u). There beta = rho / rho' and alpha = rho / ((w, u) - beta rho / alpha'), which hold while
/// residuals are orthogonal; here beta = -(s, u) / (s, p) and alpha = rho / ((w, u) - |(s, u)|^2 / (s, p)), what these stand for, from two
/// more inner products in the same pass: in float the others may lose their way for good. Replacement: Cools, Yetkin, Agullo, Giraud
/// and Vanroose, 2018.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT PipeCg : public EnableSolver<PipeCg<ValueType>> {
    friend class EnablePolymorphicObject<PipeCg, LinOp>;
    friend class EnableSolver<PipeCg>;

public:
    using value_type = ValueType;
    using transposed_type = PipeCg;

    class Factory;
    /// Of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_ENABLE_LIN_OP_FACTORY(PipeCg, parameters, Factory);
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
