// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/late_check.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/device_runtime.hpp"
#include "core/solver/recorded_steps.hpp"

namespace spruce::solver::detail {

namespace kernel = kernels::stop;

late_check::late_check(std::shared_ptr<const GpuExecutor> exec)
    : exec_{std::move(exec)},
      report_{static_cast<volatile check_report*>(exec_->get_runtime().allocate(
          spruce::detail::memory_kind::pinned_host, sizeof(check_report), exec_->get_raw_stream()))},
      state_{exec_, 2}
{}

late_check::~late_check()
{
    try {
        this->settle();
    } catch (const Error&) {
        // A device that failed writes no more reports.
    }
    exec_->get_runtime().deallocate(spruce::detail::memory_kind::pinned_host, const_cast<check_report*>(report_),
                                    nullptr);
}

void late_check::begin_at(size_type iteration)
{
    this->settle();
    recording_.reset();
    first_ = next_ = iteration;
    has_ended_ = was_late_ = is_with_step_ = is_reported_ = false;
    *report_ = kernel::report_of_running(first_);
    state_.fill(kernel::report_of_running(first_));
}

template <typename ValueType>
late_answer late_check::check(const stop::Criterion& criterion, array<stopping_status>& status, size_type& iteration,
                              const residual_norms<ValueType>& norms, size_type max_lag)
{
    if (has_ended_) {
        this->begin_at(iteration);  // some columns go on after all
    }
    if (std::exchange(waits_in_next_, false)) {
        max_lag = 0;
    }
    if (std::exchange(is_with_step_, false) && next_ == iteration + 1) {
        return this->look(max_lag, iteration) ? late_answer::ended : late_answer::running;
    }
    bounds_.clear();
    bounds_check<ValueType> check;
    was_late_ = criterion.append_bounds(1, iteration, bounds_) && this->hand_over(check, report_, norms, status);
    if (!was_late_) {
        return this->look(0, iteration) ? late_answer::ended : late_answer::ask;
    }
    if (!check) {
        // Columns may still break down; that is no reason to wait each time.
        next_ = iteration + 1;
        return iteration % stop::Criterion::period_of_looks == 0 ? late_answer::ask : late_answer::running;
    }
    if (next_ != iteration) {
        this->begin_at(iteration);
        was_late_ = true;
    }
    ++next_;
    is_settled_ = false;
    is_reported_ = true;
    kernel::check_bounds<ValueType>(*exec_, norms.norm, norms.implicit_sq_norm, check, status);
    return this->look(max_lag, iteration) ? late_answer::ended : late_answer::running;
}

bool late_check::leaves_to_device(const stop::Criterion& criterion, size_type iteration, size_type num_steps)
{
    if (!was_late_ || has_ended_ || waits_in_next_ || next_ != iteration + 1) {
        return false;
    }
    for (size_type i = 1; i < num_steps; ++i) {
        bounds_.clear();
        if (!criterion.append_bounds(1, iteration + i, bounds_)) {
            return false;
        }
    }
    return true;
}

template <typename ValueType>
late_check::bounds_check<ValueType> late_check::leave_to_step(const stop::Criterion& criterion, size_type iteration,
                                                              const residual_norms<ValueType>& norms,
                                                              const array<stopping_status>& status)
{
    bounds_check<ValueType> check;
    if (!is_reported_ || !this->leaves_to_device(criterion, iteration, 2) ||
        !this->hand_over(check, report_, norms, status) || !fits_into_step(check, status)) {
        return {};
    }
    ++next_;
    is_with_step_ = true;
    return check;
}

template <typename ValueType>
late_check::bounds_check<ValueType> late_check::get_next(const residual_norms<ValueType>& norms,
                                                         const array<stopping_status>& status)
{
    bounds_check<ValueType> check;
    // The host need not know, and a way through to its memory takes time.
    return this->hand_over(check, state_.get_data() + 1, norms, status) ? check : bounds_check<ValueType>{};
}

void late_check::replay(size_type num_checks)
{
    recording_->replay();
    next_ += num_checks;
    is_settled_ = false;
}

template <typename ValueType>
bool late_check::hand_over(bounds_check<ValueType>& check, volatile check_report* report,
                           const residual_norms<ValueType>& norms, const array<stopping_status>& status)
{
    using real = remove_complex<ValueType>;
    auto& bounds = check.bounds;
    if (bounds_.size() > bounds.max_size) {
        return false;
    }
    for (const auto& bound : bounds_) {
        const auto baseline = dynamic_cast<const matrix::Dense<real>*>(bound.baseline);
        if (!baseline || baseline->get_executor() != exec_ || baseline->get_size()[1] != status.get_size() ||
            (bound.is_implicit && !norms.implicit_sq_norm)) {
            return false;
        }
        bounds.baseline[bounds.size] = baseline->get_const_values();
        bounds.factor[bounds.size] = static_cast<real>(bound.factor);
        bounds.is_implicit[bounds.size] = bound.is_implicit;
        bounds.id[bounds.size++] = bound.id;
    }
    check.state = state_.get_data();
    check.report = report;
    return true;
}

bool late_check::look(size_type max_lag, size_type& iteration)
{
    if (!is_reported_) {
        return false;
    }
    const auto wanted = kernel::report_of_running(next_ - std::min(next_ - first_, max_lag));
    const auto is_there = [&] { return kernel::is_end(*report_) || *report_ >= wanted; };
    for (int i = 0; i < max_looks && !is_there(); ++i) {
        std::this_thread::yield();
    }
    if (!is_there()) {
        exec_->synchronize();  // which also throws what went wrong on the device
    }
    const check_report report = *report_;
    if (kernel::is_end(report)) {
        has_ended_ = true;
        iteration = kernel::number_of_check(report);
        return true;
    }
    return false;
}

void late_check::settle()
{
    if (!is_settled_) {
        exec_->synchronize();
        is_settled_ = true;
    }
}

namespace {

/// How many checks may be under way unseen. Steps on few entries take no longer than it takes to start them; what runs ahead is in vain
/// in the end.
size_type largest_lag(size_type num_entries)
{
    constexpr size_type entries_of_long_steps = 1 << 20;
    constexpr size_type most = 8;
    return std::clamp<size_type>(entries_of_long_steps / (num_entries + 1), 1, most);
}

}  // namespace

template <typename ValueType>
late_answer check_late(workspace& work, const stop::Criterion& criterion, array<stopping_status>& status,
                       size_type& iteration, const residual_norms<ValueType>& norms, size_type num_entries)
{
    const auto exec = std::dynamic_pointer_cast<const late_check::GpuExecutor>(norms.norm.get_executor());
    if (!exec) {
        return late_answer::ask;
    }
    auto& check = work.get_late_check();
    if (!check || &check->get_executor() != exec.get()) {
        check = std::make_shared<late_check>(exec);
    }
    if (iteration == 0) {
        check->begin();
    }
    const auto max_lag = check->get_recording() ? recorded_steps_at_once : largest_lag(num_entries);
    return check->check(criterion, status, iteration, norms, max_lag);
}

size_type most_steps(const Executor& exec, const LinOp& like, size_type num_steps, size_type lag, size_type at_most)
{
    if (!dynamic_cast<const late_check::GpuExecutor*>(&exec)) {
        return num_steps;
    }
    // Where the cycle is new, the one before was as long as any.
    const auto size = like.get_size();
    return num_steps < lag ? at_most : std::min(num_steps - lag + largest_lag(size[0] * size[1]), at_most);
}

void wait_in_next_check(workspace& work)
{
    if (const auto& check = work.get_late_check()) {
        check->wait_in_next();
    }
}

#define SPRUCE_CHECK_LATE(_value)                                                                                 \
    SPRUCE_EXPORT late_answer check_late(workspace&, const stop::Criterion&, array<stopping_status>&, size_type&, \
                                         const residual_norms<_value>&, size_type)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_CHECK_LATE);
#define SPRUCE_LEAVE_TO_STEP(_value)                            \
    late_check::bounds_check<_value> late_check::leave_to_step( \
        const stop::Criterion&, size_type, const residual_norms<_value>&, const array<stopping_status>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_LEAVE_TO_STEP);
#define SPRUCE_GET_NEXT(_value) \
    late_check::bounds_check<_value> late_check::get_next(const residual_norms<_value>&, const array<stopping_status>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_GET_NEXT);

}  // namespace spruce::solver::detail
