// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/factorization/ilu.hpp>
#include <spruce/preconditioner/factor_solvers.hpp>

namespace spruce {
namespace preconditioner {

/// Applies the inverse of an incomplete factorization A ~ L U: x = U^-1 L^-1 b, by a solver for
/// each factor.
///
/// If generate() receives a Composition of two operators, these are L and U. Otherwise, the
/// parameter factorization makes them from A; the default is factorization::Ilu. The
/// default solvers perform substitution. Iterative ones without a factory stop if the residual norm
/// has been reduced by a factor of 1e-4, or after as many iterations as there are rows. Their
/// initial guesses are their right-hand sides.
///
/// apply() keeps vectors for the next call, so that only one thread at a time can call it. Its
/// launches are static if those of both solvers are.
/// Source: Saad 2003, Iterative Methods for Sparse Linear Systems, section 10.3.
/// @tparam LSolverOrValue  the type of the solver with L, or a value type, which stands for any
///         solver
/// @tparam USolverOrValue  like LSolverOrValue for U
/// @tparam reverse_apply   computes x = L^-1 U^-1 b instead, for factors with A ~ U L
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws NotSupported  by generate() if the product does not have two factors
template <typename LSolverOrValue = solver::LowerTrs<>,
          typename USolverOrValue = detail::transposed_choice_of<LSolverOrValue>, bool reverse_apply = false,
          typename IndexType = int32>
class Ilu : public detail::EnableFactorSolvers<Ilu<LSolverOrValue, USolverOrValue, reverse_apply, IndexType>,
                                               detail::lower_choice<LSolverOrValue, IndexType>,
                                               detail::upper_choice<USolverOrValue, IndexType>, reverse_apply> {
    friend class EnablePolymorphicObject<Ilu, LinOp>;
    template <typename, typename, typename, bool>
    friend class detail::EnableFactorSolvers;
    using l_choice = detail::lower_choice<LSolverOrValue, IndexType>;
    using u_choice = detail::upper_choice<USolverOrValue, IndexType>;
    using Base = detail::EnableFactorSolvers<Ilu, l_choice, u_choice, reverse_apply>;

public:
    using value_type = typename l_choice::value_type;
    using index_type = IndexType;
    using l_solver_type = typename l_choice::type;
    using u_solver_type = typename u_choice::type;
    using transposed_type =
        Ilu<typename u_choice::transposed_choice, typename l_choice::transposed_choice, reverse_apply, IndexType>;
    static constexpr bool performs_reverse_apply = reverse_apply;
    static_assert(std::is_same_v<value_type, typename u_choice::value_type>,
                  "the solvers have to have the same value type");

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Makes the solver with L.
        std::shared_ptr<const typename l_choice::factory> SPRUCE_DEFERRED_FACTORY_PARAMETER(l_solver);
        /// Makes the solver with U.
        std::shared_ptr<const typename u_choice::factory> SPRUCE_DEFERRED_FACTORY_PARAMETER(u_solver);
        /// Makes L and U; default: factorization::Ilu.
        std::shared_ptr<const LinOpFactory> SPRUCE_DEFERRED_FACTORY_PARAMETER(factorization);

        [[deprecated("with_l_solver")]] parameters_type& with_l_solver_factory(
            std::shared_ptr<const typename l_choice::factory> value)
        {
            return this->with_l_solver(std::move(value));
        }
        [[deprecated("with_u_solver")]] parameters_type& with_u_solver_factory(
            std::shared_ptr<const typename u_choice::factory> value)
        {
            return this->with_u_solver(std::move(value));
        }
        [[deprecated("with_factorization")]] parameters_type& with_factorization_factory(
            std::shared_ptr<const LinOpFactory> value)
        {
            return this->with_factorization(std::move(value));
        }
    };
    SPRUCE_ENABLE_LIN_OP_FACTORY(Ilu, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    std::shared_ptr<const u_solver_type> get_u_solver() const { return this->get_second_solver(); }

protected:
    explicit Ilu(std::shared_ptr<const Executor> exec) : Base(std::move(exec)) {}
    Ilu(const Factory* factory, std::shared_ptr<const LinOp> matrix)
        : Base(factory->get_executor()), parameters_{factory->get_parameters()}
    {
        const auto exec = this->get_executor();
        if (!parameters_.factorization) {
            parameters_.factorization = factorization::Ilu<value_type, IndexType>::build().on(exec);
        }
        auto solvers = detail::factorize<value_type>(name, *parameters_.factorization, std::move(matrix), 2);
        const auto& operators = solvers->product->get_operators();
        solvers->l_solver =
            detail::generate_solver<l_choice>(name, "l_solver", exec, parameters_.l_solver.get(), operators[0]);
        solvers->u_solver =
            detail::generate_solver<u_choice>(name, "u_solver", exec, parameters_.u_solver.get(), operators[1]);
        this->set_solvers(std::move(solvers));
    }

private:
    static constexpr auto name = "preconditioner::Ilu";
};

}  // namespace preconditioner
}  // namespace spruce
