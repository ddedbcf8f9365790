// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/factorization/ic.hpp>
#include <spruce/preconditioner/factor_solvers.hpp>

namespace spruce {
namespace preconditioner {

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
class Ic : public EnableLinOp<Ic<LSolverOrValue, IndexType>>, public Transposable, public Refreshable {
    friend class EnablePolymorphicObject<Ic, LinOp>;
    template <typename, typename>
    friend class Ic;
    using Base = EnableLinOp<Ic>;
    using l_choice =
        detail::solver_choice<LSolverOrValue, solver::LowerTrs<detail::value_type_of<LSolverOrValue>, IndexType>>;
    using lh_choice = detail::solver_choice<typename l_choice::transposed_choice, void>;

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

    /// Copies share solvers and factors if they are on the same executor.
    Ic(const Ic& other) : Ic(other.get_executor()) { *this = other; }
    Ic(Ic&& other) : Ic(other.get_executor()) { *this = std::move(other); }
    Ic& operator=(const Ic& other)
    {
        if (this != &other) {
            auto l_solver = detail::on_executor(this->get_executor(), other.l_solver_);
            auto lh_solver = detail::on_executor(this->get_executor(), other.lh_solver_);
            parameters_ = other.parameters_;
            Base::operator=(other);
            factors_ = other.factors_;
            factors_.refreshable = l_solver == other.l_solver_ ? other.factors_.refreshable : nullptr;
            l_solver_ = std::move(l_solver);
            lh_solver_ = std::move(lh_solver);
            workspace_ = {};
        }
        return *this;
    }
    Ic& operator=(Ic&& other)
    {
        if (this != &other) {
            *this = static_cast<const Ic&>(other);
            Base::operator=(std::move(other));
            other.factors_ = {};
            other.l_solver_ = nullptr;
            other.lh_solver_ = nullptr;
            other.workspace_ = {};
        }
        return *this;
    }

    std::shared_ptr<const l_solver_type> get_l_solver() const { return l_solver_; }
    std::shared_ptr<const lh_solver_type> get_lh_solver() const { return lh_solver_; }

    /// Returns the preconditioner of the transposed system.
    /// @throws NotSupported  if a solver cannot be transposed
    std::unique_ptr<LinOp> transpose() const override { return this->transpose_impl(false); }
    /// Returns the preconditioner of the conjugate transposed system.
    /// @throws NotSupported  if a solver cannot be transposed
    std::unique_ptr<LinOp> conj_transpose() const override { return this->transpose_impl(true); }

    /// Recomputes the factors for a matrix with the pattern of A, or takes the factors if it is a
    /// Composition. It allocates nothing if the factorization and the solvers do not, and if the
    /// factorization stores L^H.
    /// @throws NotSupported  if the factorization or a solver is not Refreshable, or if the
    ///         matrix is no Composition although generate() received one
    void refresh(std::shared_ptr<const LinOp> matrix) override
    {
        constexpr auto method = "preconditioner::Ic::refresh";
        const auto product =
            detail::refresh_factors<value_type>(method, factors_, l_solver_.get(), lh_solver_.get(), std::move(matrix));
        detail::refresh_solvers(*l_solver_, *lh_solver_, factors_.product->get_operators()[0],
                                product->get_operators()[0], detail::adjoint_factor(*product));
        factors_.product = product;
    }

    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        return l_solver_ && (l_solver_->shares_memory_with(memory) || lh_solver_->shares_memory_with(memory));
    }

protected:
    explicit Ic(std::shared_ptr<const Executor> exec) : Base(std::move(exec)) {}
    Ic(const Factory* factory, std::shared_ptr<const LinOp> matrix)
        : Base(factory->get_executor()), parameters_{factory->get_parameters()}
    {
        const auto exec = this->get_executor();
        if (!parameters_.factorization) {
            parameters_.factorization = factorization::Ic<value_type, IndexType>::build().on(exec);
        }
        factors_ =
            detail::factorize<value_type>("preconditioner::Ic", *parameters_.factorization, std::move(matrix), 1);
        l_solver_ =
            detail::generate_solver<l_choice>(exec, parameters_.l_solver.get(), factors_.product->get_operators()[0]);
        lh_solver_ = this->generate_lh_solver();
        this->set_size(l_solver_->get_size());
    }

    bool has_static_launches() const override
    {
        return l_solver_ && l_solver_->launches_are_static() && lh_solver_->launches_are_static();
    }
    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        if (l_solver_) {
            detail::apply_in_sequence<value_type>(*l_solver_, *lh_solver_, workspace_, b, x);
        }
    }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        if (l_solver_) {
            detail::apply_in_sequence<value_type>(*l_solver_, *lh_solver_, workspace_, alpha, b, beta, x);
        }
    }

private:
    /// Returns the conjugate transpose of the solver with L. If it performs substitution, L^H is
    /// not copied.
    std::shared_ptr<lh_solver_type> generate_lh_solver() const
    {
        using Lower = solver::LowerTrs<value_type, IndexType>;
        using Upper = solver::UpperTrs<value_type, IndexType>;
        if constexpr (std::is_base_of_v<lh_solver_type, Upper>) {
            const auto& operators = factors_.product->get_operators();
            const auto lower = dynamic_cast<const Lower*>(static_cast<const LinOp*>(l_solver_.get()));
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
        return detail::transpose_solver<lh_solver_type>(*l_solver_, true);
    }
    /// Returns the preconditioner whose solvers are the transposes of these.
    std::unique_ptr<LinOp> transpose_impl(bool conjugate) const
    {
        auto result = std::unique_ptr<Ic>(new Ic(this->get_executor()));
        if (l_solver_) {
            result->l_solver_ = detail::transpose_solver<l_solver_type>(*lh_solver_, conjugate);
            result->lh_solver_ = detail::transpose_solver<lh_solver_type>(*l_solver_, conjugate);
            result->set_size(this->get_size());
        }
        return result;
    }

    detail::matrix_factors<value_type> factors_;
    std::shared_ptr<l_solver_type> l_solver_;
    std::shared_ptr<lh_solver_type> lh_solver_;
    mutable spruce::detail::Workspace workspace_;
};

}  // namespace preconditioner
}  // namespace spruce
