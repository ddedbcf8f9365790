// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Default number of steps between two restarts of Gcr.
constexpr size_type gcr_default_krylov_dim = 100;

/// Solves A x = b for general A by restarted generalized conjugate residuals.
///
/// The preconditioner is applied from the right and may change from step to step. Each right-hand
/// side stops independently. Step j = 0, 1, ... after a restart costs one product with A, one
/// application of M^-1, j + 4 inner products and 2 j + 2 vector updates; x and r are known after
/// each step. The solver holds 2 krylov_dim + 3 vectors n x k, allocated when they are first
/// needed.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are.
/// Breakdown: the residual is orthogonal to A M^-1 r, so that the step does not change it and the
/// next direction is the same (breakdown_subspace). Gmres continues there. Gcr converges if the
/// Hermitian part of A M^-1 is definite.
///
/// Source: Eisenstat, Elman and Schultz, Variational iterative methods for nonsymmetric systems of
/// linear equations, 1983: z = M^-1 r, beta_i = (q_i, A z) / (q_i, q_i) for i < j,
/// p_j = z - sum_i beta_i p_i, q_j = A z - sum_i beta_i q_i, alpha = (q_j, r) / (q_j, q_j),
/// x = x + alpha p_j, r = r - alpha q_j.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Gcr : public EnableSolver<Gcr<ValueType>> {
    friend class EnablePolymorphicObject<Gcr, LinOp>;
    friend class EnableSolver<Gcr>;

public:
    using value_type = ValueType;
    using transposed_type = Gcr;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {
        /// Sets the number of steps between restarts, limited by the number of rows of A; 0:
        /// gcr_default_krylov_dim.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(krylov_dim, 0);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Gcr, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    size_type get_krylov_dim() const noexcept { return parameters_.krylov_dim; }
    /// Sets the number of steps between restarts; 0: gcr_default_krylov_dim.
    void set_krylov_dim(size_type krylov_dim)
    {
        parameters_.krylov_dim = krylov_dim == 0 ? gcr_default_krylov_dim : krylov_dim;
    }

protected:
    explicit Gcr(std::shared_ptr<const Executor> exec) : EnableSolver<Gcr>(std::move(exec)) {}
    Gcr(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<Gcr>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
          parameters_{factory->get_parameters()}
    {
        this->set_krylov_dim(parameters_.krylov_dim);
    }

private:
    static constexpr bool has_implicit_norm = false;
    void solve(detail::KrylovSolve<ValueType>& s) const;
};

}  // namespace solver
}  // namespace spruce
