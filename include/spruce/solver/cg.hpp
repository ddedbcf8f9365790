// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for Hermitian positive definite A by preconditioned conjugate gradients, for one or many right-hand
/// sides; each column stops by itself.
/// Per iteration: one product with A, one with M, two or three dot products, three vector updates; holds five n x k vectors, six with
/// a preconditioner.
/// apply(b, x): b n x k, unchanged; x n x k: initial guess on entry, solution on exit.
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not converge: see doc/solvers.md.
/// @throws DimensionMismatch  if A, M, b and x do not fit together; nothing is changed then
/// A limit or a breakdown is no exception: get_stop_reasons() says which. A breakdown is (p, A p) = 0, where A is not definite,
/// or (r, M^-1 r) = 0, where M is not. Bitwise repeatable where A is.
/// Source: Hestenes and Stiefel 1952; notation of Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., Alg. 9.1:
/// rho = (r, z), p = z + rho / rho' p, alpha = rho / (p, A p), x = x + alpha p, r = r - alpha A p, z = M^-1 r.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Cg : public EnableSolver<Cg<ValueType>> {
    friend class EnablePolymorphicObject<Cg, LinOp>;
    friend class EnableSolver<Cg>;

public:
    using value_type = ValueType;
    using transposed_type = Cg;

    class Factory;
    /// Of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_ENABLE_LIN_OP_FACTORY(Cg, parameters, Factory);
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
