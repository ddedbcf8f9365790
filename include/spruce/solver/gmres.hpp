// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Default number of steps between two restarts of Gmres and CbGmres.
constexpr size_type gmres_default_krylov_dim = 100;
[[deprecated("gmres_default_krylov_dim")]] constexpr size_type default_krylov_dim = gmres_default_krylov_dim;

namespace gmres {

/// Selects how a new basis vector is orthogonalized against those before it.
enum class ortho_method {
    mgs,  ///< modified Gram-Schmidt, eight vectors in a pass (complex<double>: four); stable
    cgs,  ///< classical Gram-Schmidt: one pass, fastest, loses orthogonality if ill-conditioned
    cgs2  ///< classical Gram-Schmidt, twice: orthogonal to machine precision, at twice the cost
};
/// Writes the name: "mgs", "cgs" or "cgs2".
SPRUCE_EXPORT std::ostream& operator<<(std::ostream& stream, ortho_method method);

}  // namespace gmres

/// Solves A x = b for general A by restarted GMRES.
///
/// The preconditioner is applied from the right. Each right-hand side stops independently, at its
/// own step between two restarts. Step j = 0, 1, ... costs one product with A, one application of
/// M^-1, and j + 1 inner products and vector updates. These read the basis twice with mgs and cgs,
/// and four times with cgs2. x is updated at restarts and at the end. With m = krylov_dim the
/// solver holds m + 3 vectors n x k, with a preconditioner m + 5 (flexible: 2 m + 3). They are
/// allocated when they are first needed. Criteria and loggers receive the residual norm of the
/// projected problem and x as of the last restart, but no residual.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are.
/// Breakdown: the space cannot grow and does not contain the solution (breakdown_subspace): A is
/// singular, and the residual is minimal in the space without its last vector.
///
/// Source: Saad and Schultz, GMRES: a generalized minimal residual algorithm, 1986; flexible: Saad,
/// A flexible inner-outer preconditioned GMRES algorithm, 1993; mgs in few passes: Swirydowicz,
/// Langou, Ananthan, Yang and Thomas, Low synchronization Gram-Schmidt and GMRES algorithms, 2021:
/// beta v_0 = r, z_j = M^-1 v_j, w = A z_j, h_ij = (v_i, w), h_(j+1)j v_(j+1) = w - sum_i h_ij v_i,
/// x = x + Z y, where y minimizes ||beta e_0 - H y|| by Givens rotations.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Gmres : public EnableSolver<Gmres<ValueType>> {
    friend class EnablePolymorphicObject<Gmres, LinOp>;
    friend class EnableSolver<Gmres>;

public:
    using value_type = ValueType;
    using transposed_type = Gmres;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {
        /// Sets the number of steps between restarts, limited by the number of rows of A; 0:
        /// gmres_default_krylov_dim.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(krylov_dim, 0);
        /// Allows M^-1 to differ from step to step, as an inner iteration does; z_j is then stored
        /// for each step.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(flexible, false);
        gmres::ortho_method SPRUCE_FACTORY_PARAMETER_SCALAR(ortho_method, gmres::ortho_method::mgs);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Gmres, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    size_type get_krylov_dim() const noexcept { return parameters_.krylov_dim; }
    /// Sets the number of steps between restarts; 0: gmres_default_krylov_dim.
    void set_krylov_dim(size_type krylov_dim)
    {
        parameters_.krylov_dim = krylov_dim == 0 ? gmres_default_krylov_dim : krylov_dim;
    }

protected:
    explicit Gmres(std::shared_ptr<const Executor> exec) : EnableSolver<Gmres>(std::move(exec)) {}
    Gmres(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<Gmres>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
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
