// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/krylov_solve.hpp"

#include <algorithm>

#include "core/solver/schedule.hpp"
#include "core/stop/criterion_kind.hpp"
#include "core/stop/criterion_workspace.hpp"

namespace spruce::solver::detail {

template <typename ValueType>
KrylovSolve<ValueType>::KrylovSolve(const solve_setup& setup, const Vector* b, Vector* x)
    : setup_{setup},
      exec_{setup.solver.get_executor()},
      b_{b},
      x_{x},
      r_{this->vector("r")},
      norm_{this->real_scalar("norm")},
      scale_{this->real_scalar("scale")},
      status_{setup.workspace.array_of<stopping_status>("status", exec_, b->get_size()[1])},
      reduction_{setup.workspace.buffer<char>("reduction", exec_),
                 spruce::detail::get_communicator(setup.system_matrix.get())},
      dot_applicable_{dynamic_cast<const DotApplicable<ValueType>*>(setup.system_matrix.get())},
      reported_residual_{r_},
      replacement_{setup.workspace, exec_, status_}
{
    reduction_.set_scale(scale_->get_const_values());
    if (spruce::detail::depends_on_residual(*setup.iterative.get_stop_criterion_factory())) {
        best_.emplace(setup.workspace, x, status_, [this](const Vector* iterate, Vector* r, RealScalar* norm) {
            this->compute_residual(iterate, r, norm);
        });
    }
}

template <typename ValueType>
void KrylovSolve<ValueType>::apply_from_zero(const LinOp& op, const Vector* in, Vector* out)
{
    if (op.apply_uses_initial_guess()) {
        out->fill(zero<ValueType>());
    }
    op.apply(in, out);
}

template <typename ValueType>
void KrylovSolve<ValueType>::apply_with_dot(const Vector* p, Vector* q, Scalar* pq) const
{
    if (dot_applicable_) {
        dot_applicable_->apply_with_dot(p, q, pq, reduction_);
    } else {
        this->apply(p, q);
        this->dot(p, q, pq);
    }
}

template <typename ValueType>
void KrylovSolve<ValueType>::compute_residual(const Vector* x, Vector* r, RealScalar* norm) const
{
    r->copy_from(b_);
    if (setup_.system_matrix->apply_uses_initial_guess()) {
        const auto image = setup_.workspace.vector("A x", x);
        this->apply(x, image);
        r->add_scaled(setup_.neg_one, image);
    } else {
        setup_.system_matrix->apply(setup_.neg_one, x, setup_.one, r);
    }
    kernels::dense::norm2<ValueType>(*exec_, *r, *norm, reduction_);
}

template <typename ValueType>
void KrylovSolve<ValueType>::start(std::function<void()> restart)
{
    restart_ = std::move(restart);
    this->compute_residual(x_, r_, norm_);
    kernels::solver::compute_scale<real>(*exec_, *norm_, *scale_);
    kernels::solver::start<ValueType>(*exec_, *r_, *norm_, status_, reduction_);
    replacement_.begin(norm_);
    criterion_ = setup_.iterative.get_stop_criterion_factory()->generate(
        setup_.system_matrix, std::shared_ptr<const LinOp>(b_, [](const LinOp*) {}), x_, r_,
        setup_.workspace.shared<spruce::detail::criterion_workspace>("criterion"));
    const auto gpu = std::dynamic_pointer_cast<const DeferredCheck::GpuExecutor>(exec_);
    if (gpu && this->allows_deferred_check()) {
        deferred_ = setup_.workspace.get<DeferredCheck>(
            "deferred check", [&](const DeferredCheck& stored) { return &stored.get_executor() == gpu.get(); },
            [&] { return std::make_shared<DeferredCheck>(gpu); });
        deferred_->begin(0);
    }
    restart_();
    if (best_) {
        best_->reset(norm_);
    }
}

template <typename ValueType>
bool KrylovSolve<ValueType>::resume_if_unconfirmed()
{
    const auto& reasons = setup_.iterative.get_stop_reasons();
    if (residual_is_true_ || !replacement_.is_needed(reasons, best_.has_value())) {
        return false;
    }
    this->update_solution();
    this->restore_best();
    this->compute_residual(x_, r_, this->true_norm());
    const auto is_resumed = replacement_.resume_unconfirmed(*norm_);
    if (best_) {
        best_->verify(this->true_norm());
    }
    const auto all_converged = std::all_of(reasons.begin(), reasons.end(),
                                           [](stop_reason reason) { return reason == stop_reason::converged; });
    if (!is_resumed && all_converged) {
        return false;  // the norms of the recurrence are those by which the columns converged
    }
    norm_->copy_from(this->true_norm());
    if (is_resumed) {
        this->restart_recurrence(this->true_norm());
    }
    const auto must_see_end = !is_resumed;
    if (this->check_criterion(must_see_end)) {
        return false;
    }
    replacement_.stop_if_not_halved(*norm_);
    return true;
}

template <typename ValueType>
void KrylovSolve<ValueType>::restart_recurrence(const RealScalar* norm)
{
    kernels::solver::compute_scale<real>(*exec_, *norm, *scale_);
    restart_();
}

template <typename ValueType>
auto KrylovSolve<ValueType>::unscale_implicit_norm() const -> implicit_norms
{
    const auto scaled = this->implicit_sq_norm();
    if (!scaled) {
        return {};
    }
    const auto squared = setup_.workspace.template rows<ValueType>("unscaled sq_norm", exec_, scaled->get_size());
    const auto norm = setup_.workspace.template rows<real>("implicit norm", exec_, scaled->get_size());
    kernels::solver::unscale_sq_norm<ValueType>(*exec_, *scaled, *scale_, *norm_, *squared, *norm);
    return {squared, norm};
}

template <typename ValueType>
void KrylovSolve<ValueType>::compute_residual_at_restart(size_type num_steps)
{
    this->compute_residual(x_, r_, this->true_norm());
    if (best_) {
        best_->checkpoint_at_restart(iteration_, num_steps, this->true_norm());
    }
}

template <typename ValueType>
void KrylovSolve<ValueType>::restore_best()
{
    const auto& reasons = setup_.iterative.get_stop_reasons();
    const auto has_converged = [](stop_reason reason) { return reason == stop_reason::converged; };
    if (!best_ || std::all_of(reasons.begin(), reasons.end(), has_converged)) {
        return;
    }
    const auto norm = this->real_scalar("norm of candidate");
    if (residual_is_true_) {
        norm->copy_from(norm_);
    } else {
        this->compute_residual(x_, setup_.workspace.vector("candidate residual", x_), norm);
    }
    // If columns stopped at a limit, the last iterate is the best one in most cases.
    if (std::any_of(reasons.begin(), reasons.end(), is_failure) || best_->is_worse(norm)) {
        best_->restore(norm);
    }
}

template <typename ValueType>
void KrylovSolve<ValueType>::finish()
{
    this->update_solution();
    this->restore_best();
}

template <typename ValueType>
bool KrylovSolve<ValueType>::requires_iteration_events() const
{
    const auto& of_solver = setup_.solver.get_loggers();
    const auto& of_executor = exec_->get_loggers();
    return std::any_of(of_solver.begin(), of_solver.end(),
                       [](const auto& logger) { return logger->needs_every_iteration(); }) ||
           std::any_of(of_executor.begin(), of_executor.end(),
                       [](const auto& logger) { return logger->needs_propagation(); }) ||
           !setup_.system_matrix->get_loggers().empty();
}

template <typename ValueType>
bool KrylovSolve<ValueType>::allows_deferred_check() const
{
    // All parts of a distributed system have to perform the same steps.
    return !this->requires_iteration_events() && !this->has_adaptive_preconditioner() && !reduction_.get_communicator();
}

template <typename ValueType>
bool KrylovSolve<ValueType>::has_adaptive_preconditioner() const
{
    const auto iterative = dynamic_cast<const IterativeBase*>(setup_.preconditioner.get());
    return iterative && (!iterative->get_stop_criterion_factory() ||
                         spruce::detail::depends_on_residual(*iterative->get_stop_criterion_factory()));
}

template <typename ValueType>
check_result KrylovSolve<ValueType>::run_deferred_check(bool waits, const Scalar* implicit_sq_norm)
{
    if (!deferred_ || !this->allows_deferred_check()) {
        return check_result::unknown;
    }
    const auto max_lag = waits                    ? 0
                         : deferred_->get_graph() ? steps_per_graph
                                                  : max_check_lag(this->num_rows() * this->num_rhs());
    return deferred_->check<ValueType>(*criterion_, status_, iteration_, {*norm_, implicit_sq_norm, scale_}, max_lag);
}

template <typename ValueType>
bool KrylovSolve<ValueType>::check_norms(size_type iteration)
{
    bool one_changed{};
    return criterion_->update().num_iterations(iteration).residual_norm(norm_).solution(x_).check(1, true, &status_,
                                                                                                  &one_changed);
}

template <typename ValueType>
bool KrylovSolve<ValueType>::check_without_log(bool waits)
{
    const auto result = this->run_deferred_check(waits, nullptr);
    return result == check_result::unknown ? this->check_norms(iteration_) : result == check_result::stopped;
}

template <typename ValueType>
void KrylovSolve<ValueType>::check_norms_before_limit()
{
    this->check_norms(iteration_ - 1);
}

template <typename ValueType>
bool KrylovSolve<ValueType>::check_criterion(bool waits)
{
    const auto next = iteration_;
    if (best_ && !update_solution_) {
        best_->checkpoint(iteration_, norm_);
    }
    if (this->run_deferred_check(waits, this->implicit_sq_norm()) == check_result::iterating ||
        !this->check_on_host()) {
        return false;
    }
    if (reserve_) {
        reserve_(next - iteration_);
    }
    return true;
}

template <typename ValueType>
bool KrylovSolve<ValueType>::check_on_host()
{
    const auto implicit = this->unscale_implicit_norm();
    bool one_changed{};
    const auto all_stopped = criterion_->update()
                                 .num_iterations(iteration_)
                                 .residual(reported_residual_)
                                 .residual_norm(norm_)
                                 .implicit_sq_residual_norm(implicit.squared)
                                 .implicit_residual_norm(implicit.norm)
                                 .solution(x_)
                                 .check(1, true, &status_, &one_changed);
    if (all_stopped) {
        setup_.store_stop_reasons(*criterion_, status_);
    }
    setup_.log_iteration(b_, x_, iteration_, reported_residual_, norm_, implicit.squared, &status_, all_stopped);
    return all_stopped;
}

template <typename ValueType>
void KrylovSolve<ValueType>::log_unfinished_iteration() const
{
    setup_.log_iteration(b_, x_, iteration_, reported_residual_, norm_, this->unscale_implicit_norm().squared, &status_,
                         false);
}

template <typename ValueType>
bool KrylovSolve<ValueType>::are_steps_short_and_static() const
{
    constexpr size_type entries_of_long_steps = 1 << 19;
    return this->num_rows() * this->num_rhs() < entries_of_long_steps && exec_->get_loggers().empty() &&
           setup_.system_matrix->launches_are_static() &&
           (!setup_.preconditioner || setup_.preconditioner->launches_are_static());
}

template <typename ValueType>
size_type KrylovSolve<ValueType>::max_speculative_steps(size_type num_steps, size_type lag, size_type limit) const
{
    if (!dynamic_cast<const DeferredCheck::GpuExecutor*>(exec_.get())) {
        return num_steps;
    }
    // If the cycle began within the last lag steps, it follows one of full length.
    return num_steps < lag ? limit
                           : std::min(num_steps - lag + max_check_lag(this->num_rows() * this->num_rhs()), limit);
}

#define SPRUCE_KRYLOV_SOLVE(_value) class KrylovSolve<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_KRYLOV_SOLVE);

}  // namespace spruce::solver::detail
