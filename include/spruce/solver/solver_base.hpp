// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <vector>

#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/identity.hpp>
#include <spruce/stop/combined.hpp>

namespace spruce {
namespace solver {

namespace detail {

/// Returns the size of the system matrix.
/// @throws NotSupported  for a null pointer
/// @throws DimensionMismatch  if it is not square
SPRUCE_EXPORT dim<2> require_square(const LinOp* system_matrix, const char* name = "a solver");
/// Checks that the matrix is square and of the solver's size. Accepts a null pointer.
/// @throws DimensionMismatch  otherwise
SPRUCE_EXPORT void require_fitting_matrix(const LinOp& solver, const LinOp* system_matrix);
/// Checks that a preconditioner or an inner solver is of the solver's size.
/// @param function  that received it
/// @param name  of the operator in messages
/// @throws NotSupported  for a null pointer
/// @throws DimensionMismatch  otherwise
SPRUCE_EXPORT void require_fitting_operator(const LinOp& solver, const LinOp* op, const char* function,
                                            const char* name);

/// Holds the system matrix of a solver. A LinOp can be cast to this class, whatever the solver's
/// type is.
class SPRUCE_EXPORT SolverBaseLinOp {
public:
    virtual ~SolverBaseLinOp();
    std::shared_ptr<const LinOp> get_system_matrix() const { return system_matrix_; }

protected:
    void set_system_matrix_base(std::shared_ptr<const LinOp> system_matrix)
    {
        system_matrix_ = std::move(system_matrix);
    }

private:
    std::shared_ptr<const LinOp> system_matrix_;
};

/// Returns op if it is on the executor, otherwise a copy that is.
template <typename Operator>
std::shared_ptr<const Operator> on_executor(const std::shared_ptr<const Executor>& exec,
                                            std::shared_ptr<const Operator> op)
{
    return op && !exec->is_equivalent_to(op->get_executor().get()) ? std::shared_ptr<const Operator>(clone(exec, op))
                                                                   : op;
}

}  // namespace detail

/// Represents all solvers, operators that approximate the inverse of a system matrix. It returns
/// that matrix with its type.
template <typename MatrixType>
class SPRUCE_EXPORT SolverBase : public detail::SolverBaseLinOp {
public:
    std::shared_ptr<const MatrixType> get_system_matrix() const
    {
        return std::static_pointer_cast<const MatrixType>(SolverBaseLinOp::get_system_matrix());
    }

protected:
    void set_system_matrix_base(std::shared_ptr<const MatrixType> system_matrix)
    {
        SolverBaseLinOp::set_system_matrix_base(std::move(system_matrix));
    }
};

/// Holds the system matrix of the solver Concrete, on its executor. Concrete derives from
/// EnableLinOp first, which knows executor and size.
template <typename Concrete, typename MatrixType = LinOp>
class SPRUCE_EXPORT EnableSolverBase : public SolverBase<MatrixType> {
public:
    EnableSolverBase() = default;
    /// Copies the matrix if it is on another executor.
    /// @throws DimensionMismatch  if the matrix is not square or not of the size of Concrete
    explicit EnableSolverBase(std::shared_ptr<const MatrixType> system_matrix)
    {
        this->set_system_matrix(std::move(system_matrix));
    }
    EnableSolverBase(const EnableSolverBase& other) : SolverBase<MatrixType>{} { *this = other; }
    EnableSolverBase(EnableSolverBase&& other) : SolverBase<MatrixType>{} { *this = std::move(other); }
    EnableSolverBase& operator=(const EnableSolverBase& other)
    {
        this->set_system_matrix_base(detail::on_executor(this->self()->get_executor(), other.get_system_matrix()));
        return *this;
    }
    /// Moves the matrix of other, which has none afterwards.
    EnableSolverBase& operator=(EnableSolverBase&& other)
    {
        if (this != &other) {
            *this = other;
            other.set_system_matrix_base(nullptr);
        }
        return *this;
    }

protected:
    void set_system_matrix(std::shared_ptr<const MatrixType> system_matrix)
    {
        detail::require_fitting_matrix(*this->self(), system_matrix.get());
        this->set_system_matrix_base(detail::on_executor(this->self()->get_executor(), std::move(system_matrix)));
    }

private:
    Concrete* self() { return static_cast<Concrete*>(this); }
};

/// Holds the stopping criterion of an iterative solver, and the reasons why the columns of the last
/// apply stopped.
class SPRUCE_EXPORT IterativeBase {
public:
    virtual ~IterativeBase();
    std::shared_ptr<const stop::CriterionFactory> get_stop_criterion_factory() const { return stop_criterion_factory_; }
    /// Sets the factory of the stopping criterion.
    /// @throws NotSupported  for a null pointer
    virtual void set_stop_criterion_factory(std::shared_ptr<const stop::CriterionFactory> factory);

    /// Returns the reasons why the columns of the last apply stopped; empty before the first.
    /// doc/solvers.md describes the contents of x for each reason.
    const std::vector<stop_reason>& get_stop_reasons() const noexcept { return stop_reasons_; }

protected:
    IterativeBase() = default;
    IterativeBase(const IterativeBase&) = default;
    IterativeBase(IterativeBase&&) = default;
    IterativeBase& operator=(const IterativeBase&) = default;
    IterativeBase& operator=(IterativeBase&&) = default;

    /// Stores the reasons why the columns stopped. Waits for the device.
    void store_stop_reasons(const stop::Criterion& criterion, const array<stopping_status>& status) const;
    /// Takes the reasons of a solver that performed the last apply for this one.
    void copy_stop_reasons(const IterativeBase& other) const { stop_reasons_ = other.stop_reasons_; }

private:
    mutable std::vector<stop_reason> stop_reasons_;
    std::shared_ptr<const stop::CriterionFactory> stop_criterion_factory_;
};

/// Holds the stopping criteria of the solver Concrete.
template <typename Concrete>
class SPRUCE_EXPORT EnableIterativeBase : public IterativeBase {
public:
    EnableIterativeBase() = default;
    explicit EnableIterativeBase(std::shared_ptr<const stop::CriterionFactory> factory)
    {
        this->set_stop_criterion_factory(std::move(factory));
    }
};

/// Holds the preconditioner of the solver Concrete, on its executor. Concrete derives from
/// EnableLinOp first, which knows executor and size.
template <typename Concrete>
class SPRUCE_EXPORT EnablePreconditionable : public Preconditionable {
public:
    EnablePreconditionable() = default;
    explicit EnablePreconditionable(std::shared_ptr<const LinOp> preconditioner)
    {
        EnablePreconditionable::set_preconditioner(std::move(preconditioner));
    }
    EnablePreconditionable(const EnablePreconditionable& other) : Preconditionable{} { *this = other; }
    EnablePreconditionable(EnablePreconditionable&& other) : Preconditionable{} { *this = std::move(other); }
    EnablePreconditionable& operator=(const EnablePreconditionable& other)
    {
        Preconditionable::set_preconditioner(
            detail::on_executor(this->self()->get_executor(), other.get_preconditioner()));
        return *this;
    }
    /// Moves the preconditioner of other, which has none afterwards.
    EnablePreconditionable& operator=(EnablePreconditionable&& other)
    {
        if (this != &other) {
            *this = other;
            other.Preconditionable::set_preconditioner(nullptr);
        }
        return *this;
    }

    /// Sets the operator that applies M^-1. Copies it if it is on another executor.
    /// @throws DimensionMismatch  if its size is not that of Concrete
    /// @throws NotSupported  for a null pointer
    void set_preconditioner(std::shared_ptr<const LinOp> preconditioner) override
    {
        detail::require_fitting_operator(*this->self(), preconditioner.get(), "set_preconditioner",
                                         "the preconditioner");
        Preconditionable::set_preconditioner(
            detail::on_executor(this->self()->get_executor(), std::move(preconditioner)));
    }

private:
    Concrete* self() { return static_cast<Concrete*>(this); }
};

/// Implements iterative solvers without a preconditioner. Concrete derives from EnableLinOp first.
template <typename Concrete>
class SPRUCE_EXPORT EnableIterativeSolver : public EnableSolverBase<Concrete>, public EnableIterativeBase<Concrete> {
public:
    EnableIterativeSolver() = default;
    template <typename Parameters>
    EnableIterativeSolver(std::shared_ptr<const LinOp> system_matrix, const Parameters& parameters)
        : EnableSolverBase<Concrete>(std::move(system_matrix)),
          EnableIterativeBase<Concrete>(stop::combine(parameters.criteria))
    {}
};

/// Adds a preconditioner to EnableIterativeSolver.
template <typename ValueType, typename Concrete>
class SPRUCE_EXPORT EnablePreconditionedIterativeSolver : public EnableIterativeSolver<Concrete>,
                                                          public EnablePreconditionable<Concrete> {
public:
    EnablePreconditionedIterativeSolver() = default;
    EnablePreconditionedIterativeSolver(std::shared_ptr<const LinOp> system_matrix,
                                        std::shared_ptr<const stop::CriterionFactory> stop_factory,
                                        std::shared_ptr<const LinOp> preconditioner)
        : EnablePreconditionable<Concrete>(std::move(preconditioner))
    {
        this->set_system_matrix(std::move(system_matrix));
        this->set_stop_criterion_factory(std::move(stop_factory));
    }
    /// Takes criteria and preconditioner from the parameters of a factory.
    template <typename Parameters>
    EnablePreconditionedIterativeSolver(std::shared_ptr<const LinOp> system_matrix, const Parameters& parameters)
        : EnableIterativeSolver<Concrete>(std::move(system_matrix), parameters),
          EnablePreconditionable<Concrete>(make_preconditioner(this->get_system_matrix(), parameters))
    {}

private:
    template <typename Parameters>
    static std::shared_ptr<const LinOp> make_preconditioner(const std::shared_ptr<const LinOp>& system_matrix,
                                                            const Parameters& parameters)
    {
        if (parameters.generated_preconditioner) {
            return parameters.generated_preconditioner;
        }
        if (parameters.preconditioner) {
            return parameters.preconditioner->generate(system_matrix);
        }
        return matrix::Identity<ValueType>::create(system_matrix->get_executor(), system_matrix->get_size());
    }
};

}  // namespace solver
}  // namespace spruce
