// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <spruce/solver/solver_base.hpp>

#include "core/base/workspace.hpp"
#include "core/matrix/dense_kernels.hpp"
#include "core/solver/best_iterate.hpp"
#include "core/solver/deferred_check.hpp"
#include "core/solver/residual_replacement.hpp"
#include "core/solver/solver_kernels.hpp"
#include "core/solver/step_graph.hpp"

namespace spruce::solver::detail {

/// Holds the data that a solve needs from its solver.
struct solve_setup {
    /// Receives the arguments of log::Logger::iteration_complete except the solver.
    using LogIteration = std::function<void(const LinOp* b, const LinOp* x, size_type iteration, const LinOp* residual,
                                            const LinOp* residual_norm, const LinOp* implicit_sq_residual_norm,
                                            const array<stopping_status>* status, bool all_stopped)>;
    /// Receives the reasons why the columns stopped.
    using StoreStopReasons =
        std::function<void(const stop::Criterion& criterion, const array<stopping_status>& status)>;

    const LinOp& solver;
    const IterativeBase& iterative;
    std::shared_ptr<const LinOp> system_matrix;
    /// Null means the identity. A logger may give the solver another one during the solve.
    std::shared_ptr<const LinOp> preconditioner;
    spruce::detail::Workspace::Impl& workspace;
    const LinOp* one;  ///< 1 and -1, of the value type of the operators
    const LinOp* neg_one;
    LogIteration log_iteration;
    StoreStopReasons store_stop_reasons;
};

/// Performs one apply of an iterative solver, A x = b, and owns all objects that exist as long as
/// this solve. It is the interface that the steps of solvers use.
///
/// It holds the status of each right-hand side, the criterion and the number of the iteration.
/// Vectors and scalars come from the solver's workspace. doc/solver_design.md describes the parts
/// that decide when a column stops.
template <typename ValueType>
class KrylovSolve {
public:
    using value_type = ValueType;
    using real = remove_complex<ValueType>;
    using Vector = matrix::Dense<ValueType>;
    using Scalar = matrix::Dense<ValueType>;  ///< 1 x k
    using RealScalar = matrix::Dense<real>;   ///< 1 x k
    using Key = spruce::detail::workspace_key;

    KrylovSolve(const solve_setup& setup, const Vector* b, Vector* x);
    KrylovSolve(const KrylovSolve&) = delete;

    // --- operands and storage ---

    const std::shared_ptr<const Executor>& get_executor() const { return exec_; }
    const Executor& exec() const { return *exec_; }
    const Vector* b() const { return b_; }
    Vector* x() const { return x_; }
    size_type num_rows() const { return b_->get_size()[0]; }
    size_type num_rhs() const { return b_->get_size()[1]; }
    /// Returns the residual, which is b - A x when the recurrence starts.
    Vector* residual() const { return r_; }
    /// Returns the residual norms by which columns stop.
    RealScalar* norm() const { return norm_; }
    array<stopping_status>& status() const { return status_; }
    /// Returns the parameters of sums over rows, for kernels.
    const Reduction& reduction() const { return reduction_; }

    /// Returns an uninitialized vector of the size of b. The first apply allocates it, later ones
    /// reuse it.
    Vector* vector(const Key& key) { return setup_.workspace.vector(key, b_); }
    /// Returns one uninitialized number for each right-hand side, 1 x k.
    Scalar* scalar(const Key& key) { return this->template rows<ValueType>(key, 1); }
    RealScalar* real_scalar(const Key& key) { return this->template rows<real>(key, 1); }
    /// Returns at least this many rows of numbers for each right-hand side. Rows keep their values
    /// when more are added.
    template <typename T>
    matrix::Dense<T>* rows(const Key& key, size_type num_rows)
    {
        return setup_.workspace.template rows<T>(key, exec_, dim<2>{num_rows, this->num_rhs()});
    }
    /// Returns an integer for each right-hand side.
    array<size_type>& counts(const Key& key)
    {
        return setup_.workspace.template array_of<size_type>(key, exec_, this->num_rhs());
    }
    spruce::detail::Workspace::Impl& workspace() { return setup_.workspace; }

    // --- operators ---

    const LinOp& system_matrix() const { return *setup_.system_matrix; }
    bool is_preconditioned() const { return setup_.preconditioner != nullptr; }
    /// Returns the vector z that precondition(r, z) writes: a vector of this name, or r itself
    /// without a preconditioner.
    Vector* preconditioned_vector(const Key& key, Vector* r)
    {
        return this->is_preconditioned() ? this->vector(key) : r;
    }
    /// Computes z = M^-1 r. A preconditioner with an initial guess starts from zero. Does nothing
    /// without a preconditioner.
    void precondition(const Vector* r, Vector* z) const
    {
        if (setup_.preconditioner) {
            apply_from_zero(*setup_.preconditioner, r, z);
        }
    }
    /// Computes out = op(in) with initial guess zero, if op uses one.
    static void apply_from_zero(const LinOp& op, const Vector* in, Vector* out);
    /// Computes q = A p.
    void apply(const Vector* p, Vector* q) const { apply_from_zero(*setup_.system_matrix, p, q); }
    /// Computes q = A p and pq = (p, q), in one pass if A is DotApplicable (doc/tuning/solvers.md).
    void apply_with_dot(const Vector* p, Vector* q, Scalar* pq) const;
    /// Computes result = (a, b).
    void dot(const Vector* a, const Vector* b, Scalar* result) const
    {
        kernels::dense::conj_dot<ValueType>(*exec_, *a, *b, *result, reduction_);
    }

    // --- a recurrence that carries the residual ---

    /// Performs steps until all columns have stopped and the true residual confirms that. Methods
    /// without a recurrence for the residual, or with limits alone as criteria, need no
    /// confirmation.
    /// @param implicit_sq_norm  scaled square of the residual norm in the recurrence before a step;
    ///                          steps may change the pointer
    /// @param restart           starts the recurrence at residual()
    /// @param step              performs one iteration
    template <typename Step>
    void iterate(Scalar* const& implicit_sq_norm, std::function<void()> restart, Step step)
    {
        implicit_sq_norm_ = &implicit_sq_norm;
        this->iterate(std::move(restart), step);
    }
    template <typename Step>
    void iterate(std::function<void()> restart, Step step)
    {
        for (this->start(std::move(restart)); !this->is_finished(); ++iteration_) {
            step();
        }
        this->finish();
    }
    /// Performs steps like iterate(). The steps have to launch the same kernels with the same
    /// arguments each time, except that vectors and scalars may be exchanged if they are in their
    /// places again after two or three steps. On a GPU several short steps are captured and
    /// replayed (doc/tuning/solvers.md).
    template <typename Step>
    void iterate_with_graph(Scalar* const& implicit_sq_norm, std::function<void()> restart, Step step)
    {
        implicit_sq_norm_ = &implicit_sq_norm;
        this->iterate_with_graph(std::move(restart), step);
    }
    template <typename Step>
    void iterate_with_graph(std::function<void()> restart, Step step)
    {
        this->start(std::move(restart));
        graph_.emplace(deferred_, this->are_steps_short_and_static(), *criterion_, *norm_, *scale_, status_);
        while (!this->is_finished()) {
            iteration_ += graph_->advance(iteration_, step, [&] { return this->implicit_sq_norm(); });
        }
        this->finish();
    }
    /// Returns the stopping test that the kernel which computes norm() performs. Other kernels may
    /// follow in the step. The test may be empty.
    kernels::stop::device_check<real> fused_check()
    {
        return graph_ ? graph_->get_fused_check() : kernels::stop::device_check<real>{};
    }

    // --- options and parts, for methods with other needs ---

    /// Sets the residual that criteria and loggers receive; null if the method does not compute it.
    /// Default: residual().
    void set_reported_residual(const Vector* r) { reported_residual_ = r; }
    /// Declares that norm() is the norm of the true residual, so that no confirmation is needed.
    void set_residual_is_true() { residual_is_true_ = true; }
    /// Sets a function that updates x, for methods that do so only when they restart or stop.
    void on_stop(std::function<void()> update_solution) { update_solution_ = std::move(update_solution); }
    /// Sets a function that is called when all columns have stopped, to allocate memory that the
    /// next solve may need.
    /// @param reserve  receives the number of steps that were performed after all columns had
    ///                 stopped, before the host read the report
    void on_finish(std::function<void(size_type lag)> reserve) { reserve_ = std::move(reserve); }

    /// Computes the initial residual, and starts the recurrence.
    void start(std::function<void()> restart);
    /// Returns true if all columns have stopped. Restarts the recurrence for columns whose true
    /// residual does not confirm it.
    bool is_finished() { return this->check_criterion() && !this->resume_if_unconfirmed(); }
    size_type iteration() const { return iteration_; }
    void advance() { ++iteration_; }
    /// Computes the true residual of x and true_norm() for a restart after num_steps steps, and
    /// compares x with the best iterate.
    void compute_residual_at_restart(size_type num_steps);
    /// Computes r = b - A x and norm = ||r||.
    void compute_residual(const Vector* x, Vector* r, RealScalar* norm) const;
    /// Performs the stopping test of this iteration, on the device where possible, and logs the
    /// iteration.
    /// @param waits  waits for the result of this test; otherwise, those of the last tests may be
    ///               read later
    /// @return true if all columns have stopped; iteration() is then the iteration at which they
    ///         had stopped
    bool check_criterion(bool waits = false);
    /// Performs the stopping test of check_criterion(), but does not log.
    bool check_without_log(bool waits);
    /// Calls the criterion on the host, and logs the iteration.
    bool check_on_host();
    void log_unfinished_iteration() const;
    /// Tests the norms with the number of the previous iteration, so that a column that has
    /// converged does not count as stopped by a limit.
    void check_norms_before_limit();
    /// Updates x, and replaces it in columns that did not converge by a better iterate, if one was
    /// kept.
    void finish();

    stop::Criterion& criterion() { return *criterion_; }
    /// Returns the norms of the true residuals at the last start of the recurrence.
    RealScalar* start_norm() const { return replacement_.start_norm(); }
    /// Returns the norms of the last true residuals that were computed at a restart or an end.
    RealScalar* true_norm() const { return replacement_.true_norm(); }
    /// Returns the number of steps of a cycle for which memory is reserved. The next solve may
    /// perform more steps before the host reads the report that ends it.
    /// @param num_steps  steps of this cycle so far
    /// @param lag        number of these steps that were performed after all columns had stopped
    /// @param limit      largest number of steps in a cycle
    size_type max_speculative_steps(size_type num_steps, size_type lag, size_type limit) const;

private:
    /// Computes the true residual b - A x, and restarts the columns whose stop it does not confirm.
    /// Returns true if the solve continues.
    bool resume_if_unconfirmed();
    /// Starts the recurrence at the residual, whose norm is given.
    void restart_recurrence(const RealScalar* norm);
    /// Holds the residual norm in the recurrence, without scale; null if the method has none.
    struct implicit_norms {
        const Scalar* squared;  ///< may overflow or underflow
        const RealScalar* norm;
    };
    implicit_norms unscale_implicit_norm() const;
    const Scalar* implicit_sq_norm() const { return implicit_sq_norm_ ? *implicit_sq_norm_ : nullptr; }
    /// Returns true if the stopping test may be deferred.
    bool allows_deferred_check() const;
    /// Returns true if a logger has to receive each iteration before the next one runs.
    bool requires_iteration_events() const;
    /// Returns true if the preconditioner is an iterative solver with a criterion on the residual,
    /// which takes long and waits for the device.
    bool has_adaptive_preconditioner() const;
    bool are_steps_short_and_static() const;
    /// Replaces x in columns that did not converge by a kept iterate with a smaller true residual,
    /// if there is one.
    void restore_best();
    bool check_norms(size_type iteration);
    check_result run_deferred_check(bool waits, const Scalar* implicit_sq_norm);
    /// Updates x.
    void update_solution()
    {
        if (update_solution_) {
            update_solution_();
        }
    }

    const solve_setup& setup_;
    std::shared_ptr<const Executor> exec_;
    const Vector* b_;
    Vector* x_;
    Vector* r_;
    RealScalar* norm_;
    RealScalar* scale_;  ///< scale of inner products: see Reduction::set_scale()
    array<stopping_status>& status_;
    Reduction reduction_;
    const DotApplicable<ValueType>* dot_applicable_;
    const Vector* reported_residual_;
    bool residual_is_true_{};
    Scalar* const* implicit_sq_norm_{};
    std::function<void()> restart_;
    std::function<void()> update_solution_;
    std::function<void(size_type)> reserve_;
    size_type iteration_{};
    std::unique_ptr<stop::Criterion> criterion_;
    DeferredCheck* deferred_{};
    std::optional<BestIterate<ValueType>> best_;  ///< empty if the criteria do not depend on the residual
    ResidualReplacement<ValueType> replacement_;
    std::optional<StepGraph<ValueType>> graph_;
};

}  // namespace spruce::solver::detail
