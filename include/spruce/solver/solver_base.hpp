// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <vector>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/workspace.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/identity.hpp>
#include <spruce/stop/combined.hpp>

namespace spruce {
namespace solver {

/// What x holds when an iterative method starts.
enum class initial_guess_mode { zero, rhs, provided };

namespace detail {

struct solve_setup;
template <typename ValueType>
class KrylovSolve;

/// The size of the system matrix. @throws NotSupported  for a null pointer; DimensionMismatch  if it is not square
SPRUCE_EXPORT dim<2> require_square(const LinOp* system_matrix);
/// @throws NotSupported, DimensionMismatch
SPRUCE_EXPORT void require_fitting_preconditioner(const LinOp& solver, const LinOp* preconditioner);

template <typename ValueType>
bool is_identity(const LinOp* op)
{
    return dynamic_cast<const matrix::Identity<ValueType>*>(op);
}

}  // namespace detail

/// What every solver offers: its system matrix, of which it is the approximate inverse.
class SPRUCE_EXPORT SolverBase {
public:
    virtual ~SolverBase();
    std::shared_ptr<const LinOp> get_system_matrix() const { return system_matrix_; }

protected:
    std::shared_ptr<const LinOp> system_matrix_;
};

namespace detail {

/// Names SolverBase as in Ginkgo's interface: applications cast a LinOp to it to get at its system matrix.
using SolverBaseLinOp = SolverBase;

}  // namespace detail

/// What an iterative solver offers on top: a criterion that ends the iteration.
class SPRUCE_EXPORT IterativeBase {
public:
    virtual ~IterativeBase();
    std::shared_ptr<const stop::CriterionFactory> get_stop_criterion_factory() const { return stop_criterion_factory_; }
    /// @throws NotSupported  for a null pointer
    virtual void set_stop_criterion_factory(std::shared_ptr<const stop::CriterionFactory> factory);

    /// Why each column of the last apply ended; empty before the first.
    /// After a breakdown, stagnation or not_finite x is the best one that was kept, and never has a larger residual than at first:
    /// solvers keep x before steps 0, 1, 2, 4, 8, 24, 48, 96 and every 120th, Gmres and CbGmres at their restarts, if its residual is
    /// the smallest so far. The same steps are those where such a solver sees that a column makes no progress (stagnation): the residual
    /// has not become smaller by a hundredth in ten times as many steps as there are rows (up to twice as many after a fresh
    /// start from the true residual), or has grown by the inverse of the precision.
    /// After a limit x is the last one.
    const std::vector<stop_reason>& get_stop_reasons() const noexcept { return stop_reasons_; }

protected:
    IterativeBase() = default;
    IterativeBase(const IterativeBase&) = default;
    IterativeBase(IterativeBase&&) = default;
    IterativeBase& operator=(const IterativeBase&) = default;
    IterativeBase& operator=(IterativeBase&&) = default;

    /// Stores why the columns ended. Copies the statuses to the host.
    void store_stop_reasons(const stop::Criterion& criterion, const array<stopping_status>& status) const;

private:
    mutable std::vector<stop_reason> stop_reasons_;
    std::shared_ptr<const stop::CriterionFactory> stop_criterion_factory_;
};

/// A factory's parameters that all iterative solvers share.
template <typename Parameters, typename Factory>
struct enable_iterative_solver_factory_parameters : enable_parameters_type<Parameters, Factory> {
    /// When to stop; at least one.
    std::vector<std::shared_ptr<const stop::CriterionFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(criteria);
};

/// A factory's parameters that all preconditioned iterative solvers share.
template <typename Parameters, typename Factory>
struct enable_preconditioned_iterative_solver_factory_parameters
    : enable_iterative_solver_factory_parameters<Parameters, Factory> {
    /// Made from the system matrix; default: none.
    std::shared_ptr<const LinOpFactory> SPRUCE_DEFERRED_FACTORY_PARAMETER(preconditioner);
    /// Ready made; comes before preconditioner.
    std::shared_ptr<const LinOp> generated_preconditioner{};
    Parameters& with_generated_preconditioner(std::shared_ptr<const LinOp> value)
    {
        generated_preconditioner = std::move(value);
        return *this->self();
    }
};

/// Base of the iterative solvers: checks and keeps matrix and criterion.
template <typename Concrete>
class SPRUCE_EXPORT EnableIterativeSolver : public EnableLinOp<Concrete>, public SolverBase, public IterativeBase {
public:
    using EnableLinOp<Concrete>::convert_to;
    /// Copies this solver completely or, if memory runs out, not at all.
    void convert_to(Concrete* result) const override
    {
        spruce::detail::require_pointers("convert_to", result);
        const auto copy = result->create_default();
        *copy = static_cast<const Concrete&>(*this);
        *result = std::move(*copy);
    }

    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        return system_matrix_ && system_matrix_->shares_memory_with(memory);
    }

protected:
    explicit EnableIterativeSolver(std::shared_ptr<const Executor> exec) : EnableLinOp<Concrete>(std::move(exec)) {}

    template <typename Parameters>
    EnableIterativeSolver(std::shared_ptr<const Executor> exec, std::shared_ptr<const LinOp> system_matrix,
                          const Parameters& parameters)
        : EnableLinOp<Concrete>(std::move(exec), detail::require_square(system_matrix.get()))
    {
        system_matrix_ = this->on_own_executor(std::move(system_matrix));
        this->set_stop_criterion_factory(stop::combine(parameters.criteria));
    }

    /// Copies to another executor take the matrix along.
    EnableIterativeSolver(const EnableIterativeSolver& other) : EnableLinOp<Concrete>(other) { *this = other; }
    EnableIterativeSolver& operator=(const EnableIterativeSolver& other)
    {
        if (this != &other) {
            EnableLinOp<Concrete>::operator=(other);
            system_matrix_ = this->on_own_executor(other.system_matrix_);
            IterativeBase::operator=(other);
        }
        return *this;
    }
    /// Moves from other, which has no matrix and no criterion afterwards.
    EnableIterativeSolver(EnableIterativeSolver&& other) : EnableLinOp<Concrete>(other.get_executor())
    {
        *this = std::move(other);
    }
    EnableIterativeSolver& operator=(EnableIterativeSolver&& other)
    {
        if (this != &other) {
            system_matrix_ = this->on_own_executor(other.system_matrix_);
            EnableLinOp<Concrete>::operator=(std::move(other));
            IterativeBase::operator=(std::move(other));
            other.system_matrix_ = nullptr;
            other.workspace_ = {};
        }
        return *this;
    }

    /// Returns the operator if it is on this solver's executor, otherwise a copy that is.
    std::shared_ptr<const LinOp> on_own_executor(std::shared_ptr<const LinOp> op) const
    {
        const auto exec = this->get_executor();
        return op && !exec->is_equivalent_to(op->get_executor().get()) ? op->clone(exec) : op;
    }

    mutable spruce::detail::Workspace workspace_;
};

/// Base of the preconditioned ones: the preconditioner, too.
template <typename Concrete>
class SPRUCE_EXPORT EnablePreconditionedIterativeSolver : public EnableIterativeSolver<Concrete>,
                                                          public Preconditionable {
public:
    /// @throws DimensionMismatch  if its size is not the matrix's; copied here if it lives elsewhere
    void set_preconditioner(std::shared_ptr<const LinOp> preconditioner) override
    {
        detail::require_fitting_preconditioner(*this, preconditioner.get());
        this->assign_preconditioner(this->on_own_executor(std::move(preconditioner)));
    }

    /// Krylov methods start from x.
    bool apply_uses_initial_guess() const override { return true; }

    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        const auto& preconditioner = Preconditionable::get_preconditioner();
        return EnableIterativeSolver<Concrete>::shares_memory_with(memory) ||
               (preconditioner && preconditioner->shares_memory_with(memory));
    }

protected:
    explicit EnablePreconditionedIterativeSolver(std::shared_ptr<const Executor> exec)
        : EnableIterativeSolver<Concrete>(std::move(exec))
    {}

    template <typename Parameters>
    EnablePreconditionedIterativeSolver(std::shared_ptr<const Executor> exec,
                                        std::shared_ptr<const LinOp> system_matrix, const Parameters& parameters)
        : EnableIterativeSolver<Concrete>(std::move(exec), std::move(system_matrix), parameters)
    {
        if (parameters.generated_preconditioner) {
            this->set_preconditioner(parameters.generated_preconditioner);
        } else if (parameters.preconditioner) {
            this->set_preconditioner(parameters.preconditioner->generate(this->get_system_matrix()));
        } else {
            this->set_preconditioner(
                matrix::Identity<typename Concrete::value_type>::create(this->get_executor(), this->get_size()));
        }
    }

    /// Copies to another executor take the operators along.
    EnablePreconditionedIterativeSolver(const EnablePreconditionedIterativeSolver& other)
        : EnableIterativeSolver<Concrete>(other)
    {
        *this = other;
    }
    EnablePreconditionedIterativeSolver& operator=(const EnablePreconditionedIterativeSolver& other)
    {
        if (this != &other) {
            EnableIterativeSolver<Concrete>::operator=(other);
            this->assign_preconditioner(this->on_own_executor(other.get_preconditioner()));
        }
        return *this;
    }
    EnablePreconditionedIterativeSolver(EnablePreconditionedIterativeSolver&& other)
        : EnableIterativeSolver<Concrete>(other.get_executor())
    {
        *this = std::move(other);
    }
    EnablePreconditionedIterativeSolver& operator=(EnablePreconditionedIterativeSolver&& other)
    {
        if (this != &other) {
            auto preconditioner = this->on_own_executor(other.get_preconditioner());
            EnableIterativeSolver<Concrete>::operator=(std::move(other));
            Preconditionable::operator=(std::move(other));
            this->assign_preconditioner(std::move(preconditioner));
            other.preconditioner_to_apply_ = nullptr;
        }
        return *this;
    }

    /// Returns the operator that steps apply to a residual; null if it is the identity.
    const LinOp* get_inner_operator() const { return preconditioner_to_apply_; }

private:
    void assign_preconditioner(std::shared_ptr<const LinOp> preconditioner)
    {
        preconditioner_to_apply_ =
            detail::is_identity<typename Concrete::value_type>(preconditioner.get()) ? nullptr : preconditioner.get();
        Preconditionable::set_preconditioner(std::move(preconditioner));
    }

    const LinOp* preconditioner_to_apply_{};
};

/// Implements apply() and the transposes of the solvers of this library. Concrete has solve(KrylovSolve&), which performs one apply.
/// The operators of a transposed solver are the transposes of its own.
template <typename Concrete, typename Base = EnablePreconditionedIterativeSolver<Concrete>>
class SPRUCE_EXPORT EnableSolver : public Base, public Transposable {
public:
    /// Returns the solver of the transposed system, with the same parameters; those that are eigenvalues, or their inverses, are
    /// conjugated with the system.
    /// @throws NotSupported  if the matrix or the preconditioner cannot be transposed
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

protected:
    using Base::Base;
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

    /// Conjugates the parameters that depend on eigenvalues of the system. Solvers that have some hide this.
    template <typename Parameters>
    static void conjugate(Parameters&)
    {}

    /// Is true if ImplicitResidualNorm can be asked. Solvers without such a norm hide this.
    static constexpr bool has_implicit_norm = true;

    /// Performs one apply. Solvers that work on other vectors hide this.
    template <typename ValueType>
    void run(const detail::solve_setup& setup, const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const;

private:
    template <typename ValueType>
    void apply_to_dense(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const;
};

}  // namespace solver
}  // namespace spruce
