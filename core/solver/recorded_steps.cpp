// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/recorded_steps.hpp"

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/sellp.hpp>

#include "core/solver/late_check.hpp"
#include "core/solver/progress.hpp"

namespace spruce::solver::detail {
namespace {

template <typename Matrix>
bool is_a(const LinOp& op)
{
    return dynamic_cast<const Matrix*>(&op);
}

template <typename V, typename I>
bool is_own_csr(const LinOp& op)
{
    const auto csr = dynamic_cast<const matrix::Csr<V, I>*>(&op);
    return csr && csr->get_strategy()->get_name() != "sparselib";
}

/// Whether applying the operator launches the same kernels each time, and nobody wants to know of it. An operator of an
/// application may do anything.
template <typename V>
bool can_be_recorded(const LinOp& op)
{
    return op.get_loggers().empty() &&
           (is_a<matrix::Sellp<V, int32>>(op) || is_a<matrix::Sellp<V, int64>>(op) || is_a<matrix::Ell<V, int32>>(op) ||
            is_a<matrix::Ell<V, int64>>(op) || is_own_csr<V, int32>(op) || is_own_csr<V, int64>(op) ||
            is_a<matrix::Diagonal<V>>(op));
}

}  // namespace

template <typename ValueType>
recorded_steps<ValueType>::recorded_steps(workspace& work, bool looks_late, const stop::Criterion& criterion,
                                          const LinOp& matrix, const LinOp* preconditioner,
                                          const matrix::Dense<real>& norm, array<stopping_status>& status)
    : work_{work}, looks_late_{looks_late}, criterion_{criterion}, norm_{norm}, status_{status}
{
    constexpr size_type entries_of_long_steps = 1 << 19;
    pays_ = matrix.get_size()[0] * status.get_size() < entries_of_long_steps &&
            norm.get_executor()->get_loggers().empty() && can_be_recorded<ValueType>(matrix) &&
            (!preconditioner || can_be_recorded<ValueType>(*preconditioner));
}

template <typename ValueType>
late_check* recorded_steps<ValueType>::get_late_check() const
{
    const auto check = work_.get_late_check().get();
    return looks_late_ && check && &check->get_executor() == norm_.get_executor().get() ? check : nullptr;
}

template <typename ValueType>
bool recorded_steps<ValueType>::can_replay(size_type iteration) const
{
    const auto check = this->get_late_check();
    return pays_ && check && check->get_recording() && this->has_room(iteration);
}

template <typename ValueType>
bool recorded_steps<ValueType>::can_record(size_type iteration) const
{
    // Recording takes the time of some ten steps: it is for those solves that take many.
    const auto check = this->get_late_check();
    return pays_ && only_launches_ && check && !check->get_recording() && iteration >= recorded_steps_at_once &&
           this->has_room(iteration);
}

template <typename ValueType>
bool recorded_steps<ValueType>::has_room(size_type iteration) const
{
    return iteration % recorded_steps_at_once == 0 && next_look(iteration) >= iteration + recorded_steps_at_once &&
           this->get_late_check()->leaves_to_device(criterion_, iteration, recorded_steps_at_once);
}

template <typename ValueType>
void recorded_steps<ValueType>::record(const std::function<void()>& launch_all)
{
    this->get_late_check()->get_recording().emplace(
        std::static_pointer_cast<const late_check::GpuExecutor>(norm_.get_executor()), launch_all);
}

template <typename ValueType>
void recorded_steps<ValueType>::replay()
{
    this->get_late_check()->replay(recorded_steps_at_once - 1);
}

template <typename ValueType>
void recorded_steps<ValueType>::check(const matrix::Dense<ValueType>* implicit_sq_norm)
{
    const auto next = this->get_late_check()->template get_next<ValueType>({norm_, implicit_sq_norm}, status_);
    if (next) {
        kernels::stop::check_bounds<ValueType>(*norm_.get_executor(), norm_, implicit_sq_norm, next, status_);
    }
}

template <typename ValueType>
auto recorded_steps<ValueType>::check_after(size_type iteration) const -> bounds_check
{
    // What is looked at in between may end a column.
    const auto check = this->get_late_check();
    return check && !is_looked_at(iteration + 1)
               ? check->template leave_to_step<ValueType>(criterion_, iteration, {norm_, nullptr}, status_)
               : bounds_check{};
}

template <typename ValueType>
auto recorded_steps<ValueType>::check_in_recording() const -> bounds_check
{
    const auto next = this->get_late_check()->template get_next<ValueType>({norm_, nullptr}, status_);
    return late_check::fits_into_step(next, status_) ? next : bounds_check{};
}

#define SPRUCE_RECORDED_STEPS(_value) class recorded_steps<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_RECORDED_STEPS);

}  // namespace spruce::solver::detail
