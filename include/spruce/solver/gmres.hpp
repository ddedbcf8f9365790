// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Steps of Gmres from one restart to the next unless told otherwise.
constexpr size_type gmres_default_krylov_dim = 100;
[[deprecated("gmres_default_krylov_dim")]] constexpr size_type default_krylov_dim = gmres_default_krylov_dim;

namespace gmres {

/// How a new basis vector is made orthogonal to those before it.
enum class ortho_method {
    mgs,  ///< modified Gram-Schmidt, eight vectors in a pass, four of complex<double>; stable
    cgs,  ///< classical: all of them in one pass, fastest, loses orthogonality in badly conditioned problems
    cgs2  ///< classical, twice: orthogonal to machine precision, at twice the cost
};
/// "mgs", "cgs" or "cgs2"
SPRUCE_EXPORT std::ostream& operator<<(std::ostream& stream, ortho_method method);

}  // namespace gmres

/// Solves A x = b for general A by restarted GMRES, preconditioned from the right, for one or many right-hand sides; each
/// column stops by itself, at its own step between two restarts.
/// Step j takes one product with A, one with M, and j + 1 dot products and vector updates: mgs and cgs read the basis twice and
/// w some j / 8 times; x is updated at restarts and at the end. Holds krylov_dim + 1 vectors n x k (flexible: twice that), made when
/// they are first needed, so that a large krylov_dim costs nothing in itself, and two more with a preconditioner.
/// apply(b, x): b n x k, unchanged; x n x k: initial guess on entry, solution on exit.
/// @throws DimensionMismatch  if A, M, b and x do not fit together; nothing is changed then
/// The residual norm that criteria and loggers see is that of the recurrence (it equals ||b - A x|| up to rounding); at a restart
/// the true residual is taken. Loggers and criteria see no residual, and x as of the last restart.
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not converge: see doc/solvers.md.
/// Why a column ended is told by get_stop_reasons(): breakdown_subspace where the space cannot grow and does not hold the
/// solution (A is singular; x has the least residual in the space without its last vector), stagnation where the true residual
/// has not become smaller from one restart to the next. Bitwise repeatable where A and M are.
/// Source: Saad and Schultz, GMRES: a generalized minimal residual algorithm, 1986; flexible: Saad, A flexible inner-outer
/// preconditioned GMRES algorithm, 1993; mgs in few passes: Swirydowicz, Langou, Ananthan, Yang and Thomas, Low synchronization
/// Gram-Schmidt and GMRES algorithms, 2021: beta v_0 = r, z_j = M^-1 v_j, w = A z_j, h_ij = (v_i, w), h_(j+1)j v_(j+1) = w - sum_i h_ij
/// v_i, x = x + Z y, where y minimises ||beta e_0 - H y||, by Givens rotations.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Gmres : public EnableSolver<Gmres<ValueType>> {
    friend class EnablePolymorphicObject<Gmres, LinOp>;
    friend class EnableSolver<Gmres>;

public:
    using value_type = ValueType;
    using transposed_type = Gmres;

    class Factory;
    /// Of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {
        /// Steps between restarts; 0: gmres_default_krylov_dim. No more than the matrix has rows are taken.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(krylov_dim, 0);
        /// Whether M may differ from step to step (an inner iteration, say): its results are kept then.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(flexible, false);
        gmres::ortho_method SPRUCE_FACTORY_PARAMETER_SCALAR(ortho_method, gmres::ortho_method::mgs);
    };
    SPRUCE_ENABLE_LIN_OP_FACTORY(Gmres, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    size_type get_krylov_dim() const noexcept { return parameters_.krylov_dim; }
    /// 0: gmres_default_krylov_dim
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
