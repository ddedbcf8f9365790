// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/step_graph.hpp"

namespace spruce::solver::detail {

template <typename ValueType>
bool StepGraph<ValueType>::can_replay(size_type iteration) const
{
    return is_profitable_ && deferred_ && deferred_->get_graph() && this->fits_before_checkpoint(iteration);
}

template <typename ValueType>
bool StepGraph<ValueType>::can_capture(size_type iteration) const
{
    // A capture takes as long as several steps, so it is worthwhile in long solves only
    // (doc/tuning/solvers.md).
    return is_profitable_ && only_launches_ && deferred_ && !deferred_->get_graph() && iteration >= steps_per_graph &&
           this->fits_before_checkpoint(iteration);
}

template <typename ValueType>
bool StepGraph<ValueType>::fits_before_checkpoint(size_type iteration) const
{
    return iteration % steps_per_graph == 0 && next_checkpoint(iteration) >= iteration + steps_per_graph &&
           deferred_->can_run_on_device(criterion_, iteration, steps_per_graph);
}

template <typename ValueType>
void StepGraph<ValueType>::capture(const std::function<void()>& launch_all)
{
    deferred_->get_graph().emplace(std::static_pointer_cast<const DeferredCheck::GpuExecutor>(norm_.get_executor()),
                                   launch_all);
}

template <typename ValueType>
void StepGraph<ValueType>::replay()
{
    deferred_->replay(steps_per_graph - 1);
}

template <typename ValueType>
auto StepGraph<ValueType>::check_of_iteration(size_type iteration) const -> device_check
{
    // At a checkpoint a column may stop before the test.
    return deferred_ && !is_checkpoint(iteration + 1) ? deferred_->template get_fusible_check<ValueType>(
                                                            criterion_, iteration, {norm_, nullptr, &scale_}, status_)
                                                      : device_check{};
}

template <typename ValueType>
auto StepGraph<ValueType>::get_check_of_graph() const -> device_check
{
    const auto check = deferred_->template get_check_of_graph<ValueType>({norm_, nullptr, &scale_}, status_);
    return DeferredCheck::is_fusible(check, status_) ? check : device_check{};
}

template <typename ValueType>
void StepGraph<ValueType>::check_in_graph(const matrix::Dense<ValueType>* implicit_sq_norm)
{
    const auto check = deferred_->template get_check_of_graph<ValueType>({norm_, implicit_sq_norm, &scale_}, status_);
    if (check) {
        kernels::stop::check_bounds<ValueType>(*norm_.get_executor(), norm_, implicit_sq_norm, check, status_);
    }
}

#define SPRUCE_STEP_GRAPH(_value) class StepGraph<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_STEP_GRAPH);

}  // namespace spruce::solver::detail
