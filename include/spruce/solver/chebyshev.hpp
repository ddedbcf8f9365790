// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <utility>

#include <spruce/solver/enable_solver.hpp>
#include <spruce/solver/initial_guess.hpp>

namespace spruce {
namespace solver {

/// Chebyshev's iteration: for A whose eigenvalues, those of M A with a preconditioner, lie in an ellipse with the given foci that
/// does not contain zero; for Hermitian positive definite problems the foci are bounds of the spectrum. Needs no inner products:
/// nothing has to be added up over the whole vector but what the criterion asks for. Each column stops by itself.
/// Per iteration: one product with A, one with M, three vector updates in two passes, which take the norm and the look for infinity
/// and NaN along; holds five n x k vectors, six with a preconditioner.
/// apply(b, x): b n x k, unchanged; x n x k: see default_initial_guess; solution on exit.
/// Convergence is confirmed by the true residual, and x is the best iterate if a column does not converge: see doc/solvers.md.
/// @throws DimensionMismatch  if A, M, b and x do not fit together; nothing is changed then
/// @throws InvalidStateError  at generate if the foci are not finite, or their centre is zero
/// get_stop_reasons() says why a column ended. With wrong foci the iteration diverges: then it is stagnation, or
/// the limit, and after stagnation x is the best one kept.
/// Source: Golub and Varga 1961; Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., Alg. 12.1, and Manteuffel 1977:
/// with centre c and half-distance d of the foci, beta_1 = (d alpha_0)^2 / 2, beta_i = (d alpha_{i-1} / 2)^2,
/// alpha_0 = 1 / c, alpha_i = 1 / (c - beta_i / alpha_{i-1}), p = z + beta p, x = x + alpha p, r = r - alpha A p, z = M^-1 r.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Chebyshev : public EnableSolver<Chebyshev<ValueType>> {
    friend class EnablePolymorphicObject<Chebyshev, LinOp>;
    friend class EnableSolver<Chebyshev>;

public:
    using value_type = ValueType;
    using transposed_type = Chebyshev;

    class Factory;
    /// Of the factory.
    struct parameters_type : enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {
        using foci_type = std::pair<ValueType, ValueType>;
        /// Foci of the ellipse around the eigenvalues: a pair, or two numbers.
        foci_type SPRUCE_FACTORY_PARAMETER_VECTOR(foci, ValueType{0}, ValueType{1});
        /// What x holds at the start: zeros, b, or what the application put there.
        initial_guess_mode SPRUCE_FACTORY_PARAMETER_SCALAR(default_initial_guess, initial_guess_mode::provided);
    };
    SPRUCE_ENABLE_LIN_OP_FACTORY(Chebyshev, parameters, Factory);
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
