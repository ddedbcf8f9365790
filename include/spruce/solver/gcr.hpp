// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Steps of Gcr from one restart to the next unless told otherwise.
constexpr size_type gcr_default_krylov_dim = 100;

/// Solves A x = b for general A by restarted generalized conjugate residuals, preconditioned from the right by an M that may
/// differ from step to step, for one or many right-hand sides; each column stops by itself.
/// Step j after a restart takes one product with A, one with M, j + 2 dot products and 2 j + 2 vector updates; x and r are known
/// after each. Holds two vectors n x k for each step, r and two more; they are made when they are first needed.
/// apply(b, x): b n x k, unchanged; x n x k: initial guess on entry, solution on exit.
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not converge: see doc/solvers.md.
/// @throws DimensionMismatch  if A, M, b and x do not fit together; nothing is changed then
/// Where Gmres goes on, Gcr ends if the residual is orthogonal to A M^-1 r: the next direction is the same, and the space cannot
/// grow (breakdown_subspace); it is certain to reach the solution if the symmetric part of A M^-1 is definite.
/// Bitwise repeatable where A and M are.
/// Source: Eisenstat, Elman and Schultz, Variational iterative methods for nonsymmetric systems of linear equations, 1983:
/// p_j = z - sum_i beta_i p_i, q_j = A z - sum_i beta_i q_i with z = M^-1 r, beta_i = (q_i, A z) / (q_i, q_i) for i < j, then
/// alpha = (q_j, r) / (q_j, q_j), x = x + alpha p_j, r = r - alpha q_j.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Gcr : public EnableSolver<Gcr<ValueType>> {
    friend class EnablePolymorphicObject<Gcr, LinOp>;
    friend class EnableSolver<Gcr>;

public:
    using value_type = ValueType;
    using transposed_type = Gcr;

    class Factory;
    /// Of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {
        /// Steps between restarts; 0: gcr_default_krylov_dim. No more than the matrix has rows are taken.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(krylov_dim, 0);
    };
    SPRUCE_ENABLE_LIN_OP_FACTORY(Gcr, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    size_type get_krylov_dim() const noexcept { return parameters_.krylov_dim; }
    /// 0: gcr_default_krylov_dim
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
