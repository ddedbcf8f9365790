// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <vector>

#include <spruce/factorization/ic.hpp>
#include <spruce/preconditioner/factor_solvers.hpp>

namespace spruce {
namespace preconditioner {

namespace detail {

/// Describes the solver with L^H, the conjugate transpose of that with L.
template <typename LSolverOrValue, typename IndexType>
using adjoint_choice = solver_choice<typename lower_choice<LSolverOrValue, IndexType>::transposed_choice, void>;

}  // namespace detail

/// Applies the inverse of an incomplete Cholesky factorization A ~ L L^H of a Hermitian matrix: x =
/// L^-H L^-1 b, by a solver for each factor.
///
/// If generate() receives a Composition of one or two operators, the first one is L and the second
/// one L^H. Otherwise, the parameter factorization makes them from A; the default is the exact
/// factorization::Ic. The default solvers perform substitution. An iterative one without a factory
/// stops if the residual norm has been reduced by a factor of 1e-4, or after as many iterations as
/// there are rows. It starts from its right-hand side. The solver with L^H is the conjugate
/// transpose of the solver with L.
///
/// apply() keeps vectors for the next call, so that only one thread at a time can call it. Its
/// launches are static if those of both solvers are.
/// Source: Saad 2003, Iterative Methods for Sparse Linear Systems, section 10.3.
/// @tparam LSolverOrValue  the type of the solver with L, or a value type, which stands for any
///         solver
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws NotSupported  by generate() if the product does not have one or two factors, or if the
///         solver with L cannot be transposed
template <typename LSolverOrValue = solver::LowerTrs<>, typename IndexType = int32>
class Ic
    : public detail::EnableFactorSolvers<Ic<LSolverOrValue, IndexType>, detail::lower_choice<LSolverOrValue, IndexType>,
                                         detail::adjoint_choice<LSolverOrValue, IndexType>, false> {
    friend class EnablePolymorphicObject<Ic, LinOp>;
    template <typename, typename, typename, bool>
    friend class detail::EnableFactorSolvers;
    using l_choice = detail::lower_choice<LSolverOrValue, IndexType>;
    using lh_choice = detail::adjoint_choice<LSolverOrValue, IndexType>;
    using Base = detail::EnableFactorSolvers<Ic, l_choice, lh_choice, false>;

public:
    using value_type = typename l_choice::value_type;
    using index_type = IndexType;
    using l_solver_type = typename l_choice::type;
    using lh_solver_type = typename lh_choice::type;
    using transposed_type = Ic;

    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        /// Makes the solver with L.
        std::shared_ptr<const typename l_choice::factory> SPRUCE_DEFERRED_FACTORY_PARAMETER(l_solver);
        /// Makes L and L^H; default: factorization::Ic.
        std::shared_ptr<const LinOpFactory> SPRUCE_DEFERRED_FACTORY_PARAMETER(factorization);

        [[deprecated("with_l_solver")]] parameters_type& with_l_solver_factory(
            std::shared_ptr<const typename l_choice::factory> value)
        {
            return this->with_l_solver(std::move(value));
        }
        [[deprecated("with_factorization")]] parameters_type& with_factorization_factory(
            std::shared_ptr<const LinOpFactory> value)
        {
            return this->with_factorization(std::move(value));
        }
    };
    SPRUCE_ENABLE_LIN_OP_FACTORY(Ic, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    std::shared_ptr<const lh_solver_type> get_lh_solver() const { return this->get_second_solver(); }

protected:
    explicit Ic(std::shared_ptr<const Executor> exec) : Base(std::move(exec)) {}
    Ic(const Factory* factory, std::shared_ptr<const LinOp> matrix)
        : Base(factory->get_executor()), parameters_{factory->get_parameters()}
    {
        const auto exec = this->get_executor();
        if (!parameters_.factorization) {
            parameters_.factorization = factorization::Ic<value_type, IndexType>::build().on(exec);
        }
        auto solvers = detail::factorize<value_type>(name, *parameters_.factorization, std::move(matrix), 1);
        const auto& operators = solvers->product->get_operators();
        solvers->l_solver =
            detail::generate_solver<l_choice>(name, "l_solver", exec, parameters_.l_solver.get(), operators[0]);
        solvers->u_solver = this->generate_lh_solver(*solvers->l_solver, operators);
        this->set_solvers(std::move(solvers));
    }

private:
    /// Returns the conjugate transpose of the solver with L. If it performs substitution, L^H is
    /// not copied.
    std::shared_ptr<lh_solver_type> generate_lh_solver(const LinOp& l_solver,
                                                       const std::vector<std::shared_ptr<const LinOp>>& operators) const
    {
        using Lower = solver::LowerTrs<value_type, IndexType>;
        using Upper = solver::UpperTrs<value_type, IndexType>;
        if constexpr (std::is_base_of_v<lh_solver_type, Upper>) {
            const auto lower = dynamic_cast<const Lower*>(&l_solver);
            if (lower && operators.size() == 2) {
                const auto& parameters = lower->get_parameters();
                return Upper::build()
                    .with_num_rhs(parameters.num_rhs)
                    .with_unit_diagonal(parameters.unit_diagonal)
                    .with_algorithm(parameters.algorithm)
                    .on(this->get_executor())
                    ->generate(operators[1]);
            }
        }
        return detail::transpose_solver<lh_solver_type>(l_solver, true);
    }

    static constexpr auto name = "preconditioner::Ic";
};

}  // namespace preconditioner
}  // namespace spruce
