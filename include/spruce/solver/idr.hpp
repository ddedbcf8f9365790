// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/solver/enable_solver.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b for square A by induced dimension reduction, IDR(s).
///
/// The preconditioner is applied from the right and may change from step to step: residuals are
/// those of A x = b. Each right-hand side stops independently. One iteration is a cycle of s + 1
/// products with A and applications of M^-1, after which the stopping test is performed. Beside
/// these it takes 3 s + 2 passes (with M: 4 s + 2), which read or write about 3 s^2 + 12 s + 5
/// vectors. The solver holds 2 s + 4 vectors n x k, one more with a preconditioner, and P (n x s).
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: initial guess on entry, solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. Results are bitwise repeatable if products with A and M^-1 are. P
/// has orthonormal columns, computed by the first apply from a fixed sequence of pseudorandom
/// numbers. Breakdowns: (p_k, g_k) = 0 up to rounding (breakdown_inner_product); omega = 0, where
/// t = 0, or (t, r) = 0 and kappa = 0 (breakdown_stabilization). The cycle then ends, and the
/// method restarts if the residual is smaller than at the last start; otherwise the column stops.
/// kappa > 0 keeps omega from zero for skew-symmetric A, too.
///
/// Source: van Gijzen and Sonneveld, Algorithm 913: an elegant IDR(s) variant that efficiently
/// exploits biorthogonality properties, ACM Trans. Math. Softw. 38 (2011) 5; the products (p_i,
/// g_k) in one pass as by Collignon and van Gijzen, Minimizing synchronization in IDR(s), 2011;
/// kappa: Sleijpen and van der Vorst, Maintaining convergence properties of BiCGstab methods in
/// finite precision arithmetic, 1995. With f = P^H r, for k = 0, ..., s - 1:
/// L c = f (L: the lower triangle (p_i, g_j), i, j >= k), v = r - sum c_i g_i,
/// u_k = omega M^-1 v + sum c_i u_i, g_k = A u_k, both without their components along g_0, ...,
/// g_(k-1), so that (p_i, g_k) = 0 for i < k; beta = f_k / (p_k, g_k), r = r - beta g_k,
/// x = x + beta u_k. Then z = M^-1 r, t = A z, omega = (t, r) / (t, t), x = x + omega z,
/// r = r - omega t.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Idr : public EnableSolver<Idr<ValueType>> {
    friend class EnablePolymorphicObject<Idr, LinOp>;
    friend class EnableSolver<Idr>;

public:
    using value_type = ValueType;
    using transposed_type = Idr;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {
        /// Sets s, limited by the number of rows of A. A larger s takes fewer products with A and
        /// more memory.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(subspace_dim, 2u);
        /// Sets the bound kappa, 0 <= kappa <= 1. omega is enlarged if the cosine of the angle
        /// between t and r is less than kappa.
        remove_complex<ValueType> SPRUCE_FACTORY_PARAMETER_SCALAR(kappa, static_cast<remove_complex<ValueType>>(0.7));
        /// Computes P on the host if true, with the same bits for every executor. Otherwise P is
        /// computed on the solver's executor.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(deterministic, false);
        /// Makes P complex, for matrices with eigenvalues near the imaginary axis. If ValueType is
        /// real, all vectors of the method are then complex, and so are those that loggers and
        /// criteria receive.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(complex_subspace, false);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Idr, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    size_type get_subspace_dim() const noexcept { return parameters_.subspace_dim; }
    /// Sets s.
    /// @throws InvalidStateError  for zero
    void set_subspace_dim(size_type subspace_dim);
    remove_complex<ValueType> get_kappa() const noexcept { return parameters_.kappa; }
    /// Sets kappa.
    /// @throws InvalidStateError  unless 0 <= kappa <= 1
    void set_kappa(remove_complex<ValueType> kappa);
    bool get_deterministic() const noexcept { return parameters_.deterministic; }
    void set_deterministic(bool deterministic);
    bool get_complex_subspace() const noexcept { return parameters_.complex_subspace; }
    void set_complex_subspace(bool complex_subspace);

protected:
    explicit Idr(std::shared_ptr<const Executor> exec) : EnableSolver<Idr>(std::move(exec)) {}
    Idr(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
        : EnableSolver<Idr>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
          parameters_{factory->get_parameters()}
    {
        this->set_subspace_dim(parameters_.subspace_dim);
        this->set_kappa(parameters_.kappa);
    }

private:
    static constexpr bool has_implicit_norm = false;
    using Base = EnableSolver<Idr>;

    /// Performs one apply. Converts b and x to complex vectors if complex_subspace is set.
    template <typename T>
    void run(const detail::solve_setup& setup, const matrix::Dense<T>* b, matrix::Dense<T>* x) const;
    template <typename T>
    void solve(detail::KrylovSolve<T>& s) const;
    /// Returns P, size x subspace_dim. Computes it if there is none of this size.
    /// @param communicator  connects the parts of a distributed system; may be null
    template <typename T>
    const matrix::Dense<T>* shadow_space(size_type size, size_type subspace_dim,
                                         const Communicator* communicator) const;

    mutable std::shared_ptr<const LinOp> shadow_space_;
};

}  // namespace solver
}  // namespace spruce
