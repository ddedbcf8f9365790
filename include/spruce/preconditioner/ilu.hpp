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
class Ilu : public EnableLinOp<Ilu<LSolverOrValue, USolverOrValue, reverse_apply, IndexType>>,
            public Transposable,
            public Refreshable {
    friend class EnablePolymorphicObject<Ilu, LinOp>;
    template <typename, typename, bool, typename>
    friend class Ilu;
    using Base = EnableLinOp<Ilu>;
    using l_choice =
        detail::solver_choice<LSolverOrValue, solver::LowerTrs<detail::value_type_of<LSolverOrValue>, IndexType>>;
    using u_choice =
        detail::solver_choice<USolverOrValue, solver::UpperTrs<detail::value_type_of<LSolverOrValue>, IndexType>>;

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

    /// Copies share solvers and factors if they are on the same executor: refresh() of one changes
    /// all.
    Ilu(const Ilu& other) : Ilu(other.get_executor()) { *this = other; }
    Ilu(Ilu&& other) : Ilu(other.get_executor()) { *this = std::move(other); }
    Ilu& operator=(const Ilu& other)
    {
        if (this != &other) {
            auto l_solver = detail::on_executor(this->get_executor(), other.l_solver_);
            auto u_solver = detail::on_executor(this->get_executor(), other.u_solver_);
            parameters_ = other.parameters_;
            Base::operator=(other);
            factors_ = other.factors_;
            factors_.refreshable = l_solver == other.l_solver_ ? other.factors_.refreshable : nullptr;
            l_solver_ = std::move(l_solver);
            u_solver_ = std::move(u_solver);
            workspace_ = {};
        }
        return *this;
    }
    Ilu& operator=(Ilu&& other)
    {
        if (this != &other) {
            *this = static_cast<const Ilu&>(other);
            Base::operator=(std::move(other));
            other.factors_ = {};
            other.l_solver_ = nullptr;
            other.u_solver_ = nullptr;
            other.workspace_ = {};
        }
        return *this;
    }

    std::shared_ptr<const l_solver_type> get_l_solver() const { return l_solver_; }
    std::shared_ptr<const u_solver_type> get_u_solver() const { return u_solver_; }

    /// Returns the preconditioner of the transposed system.
    /// @throws NotSupported  if a solver cannot be transposed
    std::unique_ptr<LinOp> transpose() const override { return this->transpose_impl(false); }
    /// Returns the preconditioner of the conjugate transposed system.
    /// @throws NotSupported  if a solver cannot be transposed
    std::unique_ptr<LinOp> conj_transpose() const override { return this->transpose_impl(true); }

    /// Recomputes the factors for a matrix with the pattern of A, or takes the factors if it is a
    /// Composition. It allocates nothing if the factorization and the solvers do not.
    /// @throws NotSupported  if the factorization is not Refreshable, if a solver is neither
    ///         Refreshable nor an iterative one without preconditioner and inner solver, or if the
    ///         matrix is no Composition although generate() received one, or this is a transpose
    ///         or a copy on another executor; nothing is changed
    /// @throws UnsupportedMatrixProperty  if the pattern differs; nothing is changed
    void refresh(std::shared_ptr<const LinOp> matrix) override
    {
        constexpr auto method = "preconditioner::Ilu::refresh";
        const auto product =
            detail::refresh_factors<value_type>(method, factors_, l_solver_.get(), u_solver_.get(), std::move(matrix));
        detail::refresh_solvers(*l_solver_, *u_solver_, factors_.product->get_operators()[0],
                                product->get_operators()[0], product->get_operators()[1]);
        factors_.product = product;
    }

    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        return l_solver_ && (l_solver_->shares_memory_with(memory) || u_solver_->shares_memory_with(memory));
    }

protected:
    explicit Ilu(std::shared_ptr<const Executor> exec) : Base(std::move(exec)) {}
    Ilu(const Factory* factory, std::shared_ptr<const LinOp> matrix)
        : Base(factory->get_executor()), parameters_{factory->get_parameters()}
    {
        const auto exec = this->get_executor();
        if (!parameters_.factorization) {
            parameters_.factorization = factorization::Ilu<value_type, IndexType>::build().on(exec);
        }
        factors_ =
            detail::factorize<value_type>("preconditioner::Ilu", *parameters_.factorization, std::move(matrix), 2);
        const auto& operators = factors_.product->get_operators();
        l_solver_ = detail::generate_solver<l_choice>(exec, parameters_.l_solver.get(), operators[0]);
        u_solver_ = detail::generate_solver<u_choice>(exec, parameters_.u_solver.get(), operators[1]);
        this->set_size(factors_.product->get_size());
    }

    bool has_static_launches() const override
    {
        return l_solver_ && l_solver_->launches_are_static() && u_solver_->launches_are_static();
    }
    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        if (l_solver_) {
            detail::apply_in_sequence<value_type>(this->first(), this->second(), workspace_, b, x);
        }
    }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        if (l_solver_) {
            detail::apply_in_sequence<value_type>(this->first(), this->second(), workspace_, alpha, b, beta, x);
        }
    }

private:
    const LinOp& first() const
    {
        return reverse_apply ? static_cast<const LinOp&>(*u_solver_) : static_cast<const LinOp&>(*l_solver_);
    }
    const LinOp& second() const
    {
        return reverse_apply ? static_cast<const LinOp&>(*l_solver_) : static_cast<const LinOp&>(*u_solver_);
    }
    std::unique_ptr<LinOp> transpose_impl(bool conjugate) const
    {
        auto result = std::unique_ptr<transposed_type>(new transposed_type(this->get_executor()));
        if (l_solver_) {
            result->l_solver_ =
                detail::transpose_solver<typename transposed_type::l_solver_type>(*u_solver_, conjugate);
            result->u_solver_ =
                detail::transpose_solver<typename transposed_type::u_solver_type>(*l_solver_, conjugate);
            result->set_size(this->get_size());
        }
        return result;
    }

    detail::matrix_factors<value_type> factors_;
    std::shared_ptr<l_solver_type> l_solver_;
    std::shared_ptr<u_solver_type> u_solver_;
    mutable spruce::detail::Workspace workspace_;
};

}  // namespace preconditioner
}  // namespace spruce
