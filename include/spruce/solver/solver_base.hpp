// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <memory>
#include <typeinfo>
#include <vector>

#include <spruce/base/kept_vectors.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/identity.hpp>
#include <spruce/stop/combined.hpp>

namespace spruce {
namespace solver {

/// What x holds when an iterative method starts.
enum class initial_guess_mode { zero, rhs, provided };

namespace detail {

class late_check;

/// Vectors and scalars that a solver keeps from one apply to the next; each is made anew only when its size changes.
class SPRUCE_EXPORT workspace : public spruce::detail::kept_vectors {
public:
    workspace() = default;
    /// A copied solver starts with an empty workspace: the content has no meaning between applies.
    workspace(const workspace&) : kept_vectors{} {}
    workspace& operator=(const workspace& other)
    {
        kept_vectors::operator=(other);
        statuses_.clear();
        counts_.clear();
        buffers_.clear();
        late_check_.reset();
        criterion_memory_.reset();
        return *this;
    }

    /// Vector number id, of the dynamic type, size and stride of like.
    template <typename ValueType>
    matrix::Dense<ValueType>* vector_like(size_type id, const matrix::Dense<ValueType>* like)
    {
        auto& slot = this->slot(id);
        if (!slot || !is_like(*slot, *like)) {
            slot = matrix::Dense<ValueType>::create_with_config_of(like);
        }
        return static_cast<matrix::Dense<ValueType>*>(slot.get());
    }

    /// A row of num_cols scalars, number id.
    template <typename ValueType>
    matrix::Dense<ValueType>* scalars(size_type id, std::shared_ptr<const Executor> exec, size_type num_cols)
    {
        return this->get<ValueType>(id, std::move(exec), dim<2>{1, num_cols});
    }

    /// At least this many rows of num_cols scalars, number id. Where there are too few, more are made and what they hold stays.
    template <typename ValueType>
    matrix::Dense<ValueType>* rows(size_type id, std::shared_ptr<const Executor> exec, size_type num_rows,
                                   size_type num_cols)
    {
        auto& slot = this->slot(id);
        const auto fits = slot && slot->get_size()[1] == num_cols && slot->get_executor() == exec;
        if (!fits || slot->get_size()[0] < num_rows) {
            auto larger = matrix::Dense<ValueType>::create(std::move(exec), dim<2>{num_rows, num_cols});
            if (fits) {
                larger->create_submatrix(span{0, slot->get_size()[0]}, span{0, num_cols})
                    ->copy_from(static_cast<matrix::Dense<ValueType>*>(slot.get()));
            }
            slot = std::move(larger);
        }
        return static_cast<matrix::Dense<ValueType>*>(slot.get());
    }

    array<stopping_status>& statuses(std::shared_ptr<const Executor> exec, size_type num_cols);
    /// A number for each column.
    array<size_type>& counts(std::shared_ptr<const Executor> exec, size_type num_cols);
    /// For the workspace of reductions.
    array<char>& buffer(std::shared_ptr<const Executor> exec);
    /// Made by whoever asks first.
    std::shared_ptr<late_check>& get_late_check() { return late_check_; }
    /// For the criteria of one apply after the other.
    std::shared_ptr<spruce::detail::criterion_memory> get_criterion_memory();

private:
    static bool is_like(const LinOp& kept, const LinOp& like)
    {
        return typeid(kept) == typeid(like) && kept.get_size() == like.get_size() &&
               kept.get_executor() == like.get_executor();
    }

    std::vector<array<stopping_status>> statuses_;
    std::vector<array<size_type>> counts_;
    std::vector<array<char>> buffers_;
    std::shared_ptr<late_check> late_check_;
    std::shared_ptr<spruce::detail::criterion_memory> criterion_memory_;
};

/// The outcome of a check for which nobody waited.
enum class late_answer {
    ask,      ///< unknown: ask the criterion
    running,  ///< nothing has ended that is known of
    ended     ///< all columns had stopped before some earlier step
};

/// What a solver knows of the norms of its residuals, 1 x k.
template <typename ValueType>
struct residual_norms {
    const matrix::Dense<remove_complex<ValueType>>& norm;
    const matrix::Dense<ValueType>* implicit_sq_norm;  ///< null if the method has none
};

/// What a solve by a recurrence works on.
template <typename ValueType>
struct recurrence {
    const matrix::Dense<ValueType>* b;
    matrix::Dense<ValueType>* x;
    matrix::Dense<ValueType>* r;
    matrix::Dense<remove_complex<ValueType>>* norm;  ///< of r
    /// Where the solver has the square of the norm as the recurrence knows it before a step; null if it has none.
    matrix::Dense<ValueType>* const* implicit_sq_norm;
};

/// Lets the device check, where that is possible, and looks at what it found some steps ago.
/// @param iteration  of the next step; if the iteration has ended, the step before which that was
/// @param num_entries  of the vectors: how far the host may run ahead depends on how long a step takes
template <typename ValueType>
SPRUCE_EXPORT late_answer check_late(workspace& work, const stop::Criterion& criterion, array<stopping_status>& status,
                                     size_type& iteration, const residual_norms<ValueType>& norms,
                                     size_type num_entries);
/// For methods that keep a vector from each step of a cycle: how many steps the same solve may take next time, when it is late to
/// see that it has ended. Whoever makes room for them now needs no more then.
/// @param like       a vector
/// @param num_steps  of this cycle so far
/// @param lag        how many of them came after the end
/// @param at_most    the longest cycle there is
SPRUCE_EXPORT size_type most_steps(const Executor& exec, const LinOp& like, size_type num_steps, size_type lag,
                                   size_type at_most);
/// The next check is not late: it waits for the device.
SPRUCE_EXPORT void wait_in_next_check(workspace& work);

/// The size of the system matrix. @throws NotSupported  for a null pointer; DimensionMismatch  if it is not square
SPRUCE_EXPORT dim<2> require_square(const LinOp* system_matrix);
/// @throws NotSupported, DimensionMismatch
SPRUCE_EXPORT void require_fitting_preconditioner(const LinOp& solver, const LinOp* preconditioner);

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

    /// Keeps the reasons of an iteration that has ended. Copies the statuses to the host.
    void keep_stop_reasons(const stop::Criterion& criterion, const array<stopping_status>& status) const;

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

protected:
    explicit EnableIterativeSolver(std::shared_ptr<const Executor> exec) : EnableLinOp<Concrete>(std::move(exec)) {}

    template <typename Parameters>
    EnableIterativeSolver(std::shared_ptr<const Executor> exec, std::shared_ptr<const LinOp> system_matrix,
                          const Parameters& parameters)
        : EnableLinOp<Concrete>(std::move(exec), detail::require_square(system_matrix.get()))
    {
        system_matrix_ = this->to_here(std::move(system_matrix));
        this->set_stop_criterion_factory(stop::combine(parameters.criteria));
    }

    /// Copies to another executor take the matrix along.
    EnableIterativeSolver(const EnableIterativeSolver& other) : EnableLinOp<Concrete>(other) { *this = other; }
    EnableIterativeSolver& operator=(const EnableIterativeSolver& other)
    {
        if (this != &other) {
            EnableLinOp<Concrete>::operator=(other);
            system_matrix_ = this->to_here(other.system_matrix_);
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
            system_matrix_ = this->to_here(other.system_matrix_);
            EnableLinOp<Concrete>::operator=(std::move(other));
            IterativeBase::operator=(std::move(other));
            other.system_matrix_ = nullptr;
            other.workspace_ = detail::workspace{};
        }
        return *this;
    }

    /// Asks the criterion before step number iteration, and logs it. What is null is not known.
    /// @return whether all columns have ended
    bool has_ended(stop::Criterion& criterion, array<stopping_status>& status, size_type iteration, const LinOp* b,
                   const LinOp* x, const LinOp* residual, const LinOp* residual_norm,
                   const LinOp* implicit_sq_residual_norm = nullptr) const
    {
        bool one_changed{};
        const auto ended = criterion.update()
                               .num_iterations(iteration)
                               .residual(residual)
                               .residual_norm(residual_norm)
                               .implicit_sq_residual_norm(implicit_sq_residual_norm)
                               .solution(x)
                               .check(1, true, &status, &one_changed);
        if (ended) {
            this->keep_stop_reasons(criterion, status);
        }
        this->template log<log::Logger::iteration_complete>(this, b, x, iteration, residual, residual_norm,
                                                            implicit_sq_residual_norm, &status, ended);
        return ended;
    }

    std::unique_ptr<stop::Criterion> make_criterion(const LinOp* b, const LinOp* x, const LinOp* residual) const
    {
        return this->get_stop_criterion_factory()->generate(system_matrix_,
                                                            std::shared_ptr<const LinOp>(b, [](const LinOp*) {}), x,
                                                            residual, workspace_.get_criterion_memory());
    }

    /// The operator itself if it is on this solver's executor, else a copy that is.
    std::shared_ptr<const LinOp> to_here(std::shared_ptr<const LinOp> op) const
    {
        const auto exec = this->get_executor();
        return op && !exec->is_equivalent_to(op->get_executor().get()) ? op->clone(exec) : op;
    }

    mutable detail::workspace workspace_;

    bool must_tell_each_iteration() const
    {
        const auto& of_executor = this->get_executor()->get_loggers();
        return std::any_of(this->loggers_.begin(), this->loggers_.end(),
                           [](const auto& logger) { return logger->needs_every_iteration(); }) ||
               std::any_of(of_executor.begin(), of_executor.end(),
                           [](const auto& logger) { return logger->needs_propagation(); }) ||
               !this->get_system_matrix()->get_loggers().empty();
    }
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
        Preconditionable::set_preconditioner(this->to_here(std::move(preconditioner)));
    }

    /// Krylov methods start from x.
    bool apply_uses_initial_guess() const override { return true; }

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
            Preconditionable::set_preconditioner(this->to_here(other.get_preconditioner()));
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
            auto preconditioner = this->to_here(other.get_preconditioner());
            EnableIterativeSolver<Concrete>::operator=(std::move(other));
            Preconditionable::operator=(std::move(other));
            Preconditionable::set_preconditioner(std::move(preconditioner));
        }
        return *this;
    }
};

/// What the solvers of this library share beyond that: Concrete has iterate(b, x), for vectors of its value type; the operators
/// of its transposes are the transposes of its own.
template <typename Concrete, typename Base = EnablePreconditionedIterativeSolver<Concrete>>
class SPRUCE_EXPORT EnableKrylovSolver : public Base, public Transposable {
public:
    /// The solver of the transposed system, with the same parameters; those that are eigenvalues, or their inverses, are conjugated with
    /// the system.
    /// @throws NotSupported  if the matrix or the preconditioner cannot be transposed
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

protected:
    using Base::Base;
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

    /// What becomes of the parameters when the system is conjugated. Solvers with parameters that depend on its eigenvalues hide this.
    template <typename Parameters>
    static void conjugate(Parameters&)
    {}

    /// Whether ImplicitResidualNorm can be asked. Solvers without such a norm hide this.
    static constexpr bool has_implicit_norm = true;

    /// Ids in the workspace that solvers leave alone.
    enum : size_type {
        id_solution,
        id_one,
        id_neg_one,
        id_norm,
        id_start_norm,
        id_true_norm,
        id_best,
        id_best_norm,
        id_sure,
        id_sure_norm,
        id_earlier_norm,
        id_tried_residual,
        id_tried_norm,
        id_tried_best_norm,
        first_free_id
    };

    /// Whatever can be seen to be missing before anything is done.
    void require_what_a_solve_needs() const;
    /// As has_ended(), for methods whose steps change nothing in columns that have stopped: where nobody listens to each iteration, a
    /// GPU checks for itself and the host looks at the outcome later, so that it has not to be waited for. Results, counts and
    /// what is logged of the last iteration are the same.
    /// @param iteration  of the step to come; once all columns have ended, the step before which that was
    template <typename Real, typename ValueType = Real>
    bool has_ended_by_now(stop::Criterion& criterion, array<stopping_status>& status, size_type& iteration,
                          const LinOp* b, const LinOp* x, const LinOp* residual,
                          const matrix::Dense<Real>* residual_norm,
                          const matrix::Dense<ValueType>* implicit_sq_residual_norm = nullptr) const;
    /// The same without a log.
    template <typename Real>
    bool has_stopped_by_now(stop::Criterion& criterion, array<stopping_status>& status, size_type& iteration,
                            const LinOp* x, const matrix::Dense<Real>* residual_norm) const;
    /// Before some of the steps, see detail::next_look(): keeps the best x there has been, and stops columns (stagnation) whose
    /// residual has grown until no digit of x is left, or has not become smaller for more steps than exact arithmetic would ever take.
    /// @param norm  of the residual of this x
    template <typename ValueType>
    void watch_progress(size_type iteration, const matrix::Dense<ValueType>* x,
                        const matrix::Dense<remove_complex<ValueType>>* norm, array<stopping_status>& status) const;
    /// The same for methods that know x only now and then: x is kept if it is the best, and columns stop (stagnation) that make no
    /// progress for long.
    /// @param iteration  of the step to come; 0 before the first
    /// @param num_steps  since x was known last
    template <typename ValueType>
    void watch_restart(size_type iteration, size_type num_steps, const matrix::Dense<ValueType>* x,
                       const matrix::Dense<remove_complex<ValueType>>* norm, array<stopping_status>& status) const;
    /// When all columns have ended: those that broke down, stagnated or are not finite get the best x that was kept, unless their own
    /// has the smaller true residual.
    template <typename ValueType>
    void return_to_best(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const;
    /// When all columns have ended: return_to_best(), and with what has become of x, compute_residual().
    template <typename ValueType>
    void compute_best_residual(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x,
                               matrix::Dense<ValueType>* r, matrix::Dense<remove_complex<ValueType>>* norm) const;

    /// r = b - A x, norm = ||r||; every column runs then, but for those whose norm is zero (converged) or not finite.
    template <typename ValueType>
    void start(const matrix::Dense<ValueType>* b, const matrix::Dense<ValueType>* x, matrix::Dense<ValueType>* r,
               matrix::Dense<remove_complex<ValueType>>* norm, array<stopping_status>& status) const;
    /// r = b - A x, norm = ||r||
    template <typename ValueType>
    void compute_residual(const matrix::Dense<ValueType>* b, const matrix::Dense<ValueType>* x,
                          matrix::Dense<ValueType>* r, matrix::Dense<remove_complex<ValueType>>* norm) const;
    /// For recurrences that drift from the true residual, when all columns have ended: whether some of them go on because their
    /// true residual does not confirm why they ended.
    /// @param iteration   of the step to come
    /// @param norm        of the recurrence's residual; receives that of the true one
    /// @param start_norm  of the residual that the recurrence began with
    /// @param compute_true_residual  is called with where its norm goes
    /// @param start_anew  is called to begin the recurrence again at the true residual
    /// @param ends        asks the criterion before step iteration
    template <typename Real, typename ComputeTrueResidual, typename StartAnew, typename Ends>
    bool goes_on(size_type& iteration, matrix::Dense<Real>* norm, matrix::Dense<Real>* start_norm,
                 array<stopping_status>& status, ComputeTrueResidual compute_true_residual, StartAnew start_anew,
                 Ends ends) const;
    /// A whole solve by a recurrence that carries the residual: steps until all columns have ended and, where that could be otherwise,
    /// their true residuals confirm it.
    /// @param start_anew  begins the recurrence at the residual r
    /// @param step        takes the next step
    template <typename ValueType, typename StartAnew, typename Step>
    void take_steps(const detail::recurrence<ValueType>& of, StartAnew start_anew, Step step) const;
    /// The same where steps on few entries may be recorded on devices: a step gives the same kernels to do each time, with scalars
    /// that are in their places again after two or three steps.
    template <typename ValueType, typename StartAnew, typename Step>
    void take_recordable_steps(const detail::recurrence<ValueType>& of, StartAnew start_anew, Step step) const;
    template <typename ValueType>
    void set_initial_guess(initial_guess_mode mode, const matrix::Dense<ValueType>* b,
                           matrix::Dense<ValueType>* x) const;
    /// z = M r; a preconditioner that iterates starts from zero.
    template <typename ValueType>
    void precondition(const matrix::Dense<ValueType>* r, matrix::Dense<ValueType>* z) const;
    /// Whether the preconditioner does anything.
    bool is_preconditioned() const;
    /// Whether steps take an inner solve.
    bool has_inner_solver() const;
    /// Whether nobody minds that checks are looked at some steps late.
    bool may_look_late() const;

private:
    /// @param make_advance  of the criterion makes what takes step number iteration, and maybe some that follow it, and returns how many
    template <typename ValueType, typename StartAnew, typename MakeAdvance>
    void advance_to_end(const detail::recurrence<ValueType>& of, StartAnew start_anew, MakeAdvance make_advance) const;
    /// This x is the best so far, and its norm is known for sure.
    template <typename ValueType>
    void keep_first(const matrix::Dense<ValueType>* x, const matrix::Dense<remove_complex<ValueType>>* norm) const;
    /// @param is_late  whether the best one has to be better by now than when this was asked last
    template <typename ValueType>
    void keep_if_best(const matrix::Dense<ValueType>* x, const matrix::Dense<remove_complex<ValueType>>* norm,
                      bool is_late, array<stopping_status>& status) const;
    /// The best x from now on is looked for among those that come after this one, which has a residual of this norm.
    template <typename ValueType>
    void go_on_from(const matrix::Dense<ValueType>* x, const matrix::Dense<remove_complex<ValueType>>* norm) const;
    /// The outcome of a check that nobody waited for; unknown where each iteration has to be told, and where none should be in vain.
    template <typename ValueType>
    detail::late_answer check_late(const stop::Criterion& criterion, array<stopping_status>& status,
                                   size_type& iteration, const detail::residual_norms<ValueType>& norms) const;
};

}  // namespace solver
}  // namespace spruce
