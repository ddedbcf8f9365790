// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for square A by the biconjugate gradient method.
///
/// The method also iterates on the adjoint system with A^H: A and the preconditioner have to be
/// Transposable. Their conjugate transposes are computed by the first apply and kept; after a
/// change of the values of A call refresh(). Each right-hand side stops independently. One
/// iteration costs products with A and A^H, applications of M^-1 and M^-H, three inner products in
/// two passes (with M: four in three) and five vector updates. The solver holds eight n x k
/// vectors, ten with a preconditioner.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are.
/// Breakdowns: (r~, z) = 0 (breakdown_inner_product) and (p~, A p) = 0 (breakdown_curvature).
/// Look-ahead (Parlett, Taylor and Liu, Math. Comp. 44 (1985) 105) is not implemented; Bicgstab and
/// Gmres work without A^H and break down less often.
///
/// Source: Fletcher, Numerical Analysis Dundee 1975, Lecture Notes in Mathematics 506 (1976) 73:
/// z = M^-1 r, z~ = M^-H r~, rho = (r~, z), beta = rho / rho', p = z + beta p, p~ = z~ + beta^H p~,
/// q = A p, q~ = A^H p~, alpha = rho / (p~, q), x = x + alpha p, r = r - alpha q, r~ = r~ - alpha^H
/// q~. The shadow residual r~ starts as r; rho' is rho of the previous iteration.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Bicg : public EnableSolver<Bicg<ValueType>> {
    friend class EnablePolymorphicObject<Bicg, LinOp>;
    friend class EnableSolver<Bicg>;

public:
    /// Sets the preconditioner, an operator that applies M^-1.
    /// @throws DimensionMismatch  if its size is not that of A
    /// @throws NotSupported  if it is null or not Transposable
    void set_preconditioner(std::shared_ptr<const LinOp> preconditioner) override
    {
        detail::require_fitting_operator(*this, preconditioner.get(), "set_preconditioner", "the preconditioner");
        as<Transposable>(preconditioner);
        EnableSolver<Bicg>::set_preconditioner(std::move(preconditioner));
    }
    /// Performs EnableSolver::refresh(). The next apply() computes the conjugate transposes again.
    /// @throws NotSupported  if the matrix is not Transposable
    void refresh(std::shared_ptr<const LinOp> matrix) override
    {
        spruce::detail::require_pointers("Bicg::refresh", matrix);
        as<Transposable>(matrix);
        adjoint_matrix_ = {};
        adjoint_preconditioner_ = {};
        EnableSolver<Bicg>::refresh(std::move(matrix));
    }

    using value_type = ValueType;
    using transposed_type = Bicg;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    SPRUCE_DECLARE_LIN_OP_FACTORY(Bicg, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit Bicg(std::shared_ptr<const Executor> exec) : EnableSolver<Bicg>(std::move(exec)) {}
    Bicg(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<Bicg>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
          parameters_{factory->get_parameters()}
    {
        as<Transposable>(this->get_system_matrix());
        as<Transposable>(this->get_preconditioner());
    }

private:
    void solve(detail::KrylovSolve<ValueType>& s) const;

    /// Caches the conjugate transpose of an operator. Computes it again only for another operator.
    class cached_adjoint {
    public:
        const LinOp* get(std::shared_ptr<const LinOp> op)
        {
            if (op != op_) {
                adjoint_ = as<Transposable>(op)->conj_transpose();
                op_ = std::move(op);
            }
            return adjoint_.get();
        }

    private:
        std::shared_ptr<const LinOp> op_;
        std::shared_ptr<const LinOp> adjoint_;
    };
    mutable cached_adjoint adjoint_matrix_;
    mutable cached_adjoint adjoint_preconditioner_;
};

}  // namespace solver
}  // namespace spruce
