// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>

#include <spruce/solver/gmres.hpp>

namespace spruce {
namespace solver {
namespace cb_gmres {

/// Selects how the numbers of basis vectors are stored. Integers and half precision have a scale
/// factor for each vector and column.
enum class storage_precision {
    keep,      ///< as they are
    reduce1,   ///< with half the bits: float, or half precision
    reduce2,   ///< with a quarter of the bits, 16 at least: half precision
    integer,   ///< as integers with as many bits
    ireduce1,  ///< as integers with half the bits
    ireduce2   ///< as integers with a quarter of the bits, 16 at least
};
/// Writes the name, for instance "reduce1".
SPRUCE_EXPORT std::ostream& operator<<(std::ostream& stream, storage_precision precision);

}  // namespace cb_gmres

/// Solves A x = b for general A by restarted GMRES with a compressed basis.
///
/// Basis vectors are stored with fewer bits, while all arithmetic is in ValueType: compression
/// reduces memory traffic, which dominates the cost of Gmres. The preconditioner is applied from
/// the right. Step j = 0, 1, ... costs one product with A, one application of M^-1, and two or four
/// passes over j + 1 compressed vectors. Classical Gram-Schmidt is repeated in the columns where it
/// reduces the norm of the vector by more than a factor of 1 / sqrt(2). The solver holds krylov_dim
/// + 1 compressed vectors, allocated when they are first needed, and four n x k vectors, five with
/// a preconditioner.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// The residual norm of the projected problem is as inaccurate as the basis. A column has converged
/// only if its true residual satisfies the criterion. The true residuals are computed when all
/// columns have stopped, or after krylov_dim steps. The criteria are then tested again in the same
/// iteration, and columns that have not converged start a new cycle. One cycle reduces a residual
/// at most to about the relative precision of the basis. Loggers and criteria receive x as of the
/// last restart and no residual. x is the best iterate if a column does not converge: see
/// doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are. Reasons to stop
/// without convergence: the true residual has not become smaller from one cycle to the next
/// (stagnation); the space cannot grow and does not contain the solution (breakdown_subspace).
///
/// Source: Aliaga, Anzt, Gruetzmacher, Quintana-Orti, Tomas, Compressed basis GMRES on
/// high-performance GPUs, Int. J. High Perform. Comput. Appl. 37 (2022); recurrence as in Gmres,
/// with the compressed v_j wherever a basis vector is used.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT CbGmres : public EnableSolver<CbGmres<ValueType>> {
    friend class EnablePolymorphicObject<CbGmres, LinOp>;
    friend class EnableSolver<CbGmres>;

public:
    using value_type = ValueType;
    using transposed_type = CbGmres;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {
        cb_gmres::storage_precision SPRUCE_FACTORY_PARAMETER_SCALAR(storage_precision,
                                                                    cb_gmres::storage_precision::reduce1);
        /// Sets the number of steps between restarts, limited by the number of rows of A; 0:
        /// gmres_default_krylov_dim.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(krylov_dim, gmres_default_krylov_dim);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(CbGmres, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    size_type get_krylov_dim() const noexcept { return parameters_.krylov_dim; }
    /// Sets the number of steps between restarts; 0: gmres_default_krylov_dim.
    void set_krylov_dim(size_type krylov_dim)
    {
        parameters_.krylov_dim = krylov_dim == 0 ? gmres_default_krylov_dim : krylov_dim;
    }
    cb_gmres::storage_precision get_storage_precision() const noexcept { return parameters_.storage_precision; }

protected:
    explicit CbGmres(std::shared_ptr<const Executor> exec) : EnableSolver<CbGmres>(std::move(exec)) {}
    CbGmres(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<CbGmres>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
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
