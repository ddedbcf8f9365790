// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <utility>

#include <spruce/solver/enable_solver.hpp>
#include <spruce/solver/initial_guess.hpp>

namespace spruce {
namespace solver {

/// Solves A x = b by the Chebyshev iteration.
///
/// The eigenvalues of A, with a preconditioner those of M^-1 A, have to lie in an ellipse with the
/// given foci that does not contain zero. For Hermitian positive definite problems the foci are
/// bounds of the spectrum. The method needs no inner products: only the residual norm and a test
/// for infinity and NaN are reductions. Each right-hand side stops independently. One iteration
/// costs one product with A, one application of M^-1 and three vector updates in two passes. The
/// solver holds five n x k vectors, six with a preconditioner.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: see default_initial_guess; solution on exit
/// @throws DimensionMismatch  if the sizes of A, M, b and x do not match; nothing is changed
/// @throws InvalidStateError  by generate() if the foci are not finite, or their centre is zero
///
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not
/// converge: see doc/solvers.md. With wrong foci the iteration diverges, and the column stops as
/// stagnated or at a limit.
///
/// Source: Golub and Varga 1961; Saad, Iterative Methods for Sparse Linear Systems, 2nd ed.,
/// Algorithm 12.1, and Manteuffel 1977: with centre c and half-distance d of the foci,
/// beta_1 = (d alpha_0)^2 / 2, beta_i = (d alpha_{i-1} / 2)^2, alpha_0 = 1 / c,
/// alpha_i = 1 / (c - beta_i / alpha_{i-1}), p = z + beta p, x = x + alpha p, r = r - alpha A p,
/// z = M^-1 r.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Chebyshev : public EnableSolver<Chebyshev<ValueType>> {
    friend class EnablePolymorphicObject<Chebyshev, LinOp>;
    friend class EnableSolver<Chebyshev>;

public:
    using value_type = ValueType;
    using transposed_type = Chebyshev;

    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {
        using foci_type = std::pair<ValueType, ValueType>;
        /// Sets the foci of the ellipse around the eigenvalues: a std::pair, or two numbers.
        foci_type SPRUCE_FACTORY_PARAMETER_VECTOR(foci, ValueType{0}, ValueType{1});
        /// Sets the initial guess: zero, b (rhs), or the x that is passed to apply() (provided).
        initial_guess_mode SPRUCE_FACTORY_PARAMETER_SCALAR(default_initial_guess, initial_guess_mode::provided);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Chebyshev, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    bool apply_uses_initial_guess() const override
    {
        return parameters_.default_initial_guess == initial_guess_mode::provided;
    }

protected:
    explicit Chebyshev(std::shared_ptr<const Executor> exec) : EnableSolver<Chebyshev>(std::move(exec)) {}
    Chebyshev(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);

private:
    static constexpr bool has_implicit_norm = false;
    static void conjugate(parameters_type& parameters);
    void solve(detail::KrylovSolve<ValueType>& s) const;
};

}  // namespace solver
}  // namespace spruce
