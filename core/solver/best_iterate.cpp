// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/best_iterate.hpp"

#include <limits>

#include "core/solver/schedule.hpp"
#include "core/solver/solver_kernels.hpp"

namespace spruce::solver::detail {

template <typename ValueType>
BestIterate<ValueType>::BestIterate(spruce::detail::Workspace::Impl& work, Vector* x, array<stopping_status>& status,
                                    ComputeResidual compute_residual)
    : work_{work},
      exec_{x->get_executor()},
      x_{x},
      status_{status},
      compute_residual_{std::move(compute_residual)},
      best_{work.vector("best x", x)},
      best_norm_{this->scalar("norm of best x")},
      verified_x_{work.vector("verified x", x)},
      verified_norm_{this->scalar("norm of verified x")},
      window_start_norm_{this->scalar("norm at window start")},
      candidate_residual_{work.vector("candidate residual", x)},
      true_norm_{this->scalar("true norm of best x")}
{}

template <typename ValueType>
auto BestIterate<ValueType>::scalar(const char* name) const -> RealScalar*
{
    return work_.dense<remove_complex<ValueType>>(name, exec_, dim<2>{1, status_.get_size()});
}

template <typename ValueType>
void BestIterate<ValueType>::reset(const RealScalar* norm)
{
    best_->copy_from(x_);
    best_norm_->copy_from(norm);
    verified_x_->copy_from(x_);
    verified_norm_->copy_from(norm);
    window_start_norm_->copy_from(norm);
}

template <typename ValueType>
void BestIterate<ValueType>::checkpoint(size_type iteration, const RealScalar* norm)
{
    if (iteration == 0 || !is_checkpoint(iteration)) {
        return;
    }
    this->update_best(norm);
    if (is_verifying_checkpoint(iteration)) {
        compute_residual_(best_, candidate_residual_, true_norm_);
        kernels::solver::update_best<ValueType>(*exec_, *best_, *true_norm_, *verified_x_, *verified_norm_, status_);
        // The norm in a recurrence may have become far too small.
        kernels::solver::copy_unstopped_columns<remove_complex<ValueType>>(*exec_, *verified_norm_, *best_norm_,
                                                                           status_);
    }
    if (iteration % stagnation_window(x_->get_size()[0]) == 0) {
        this->end_window();
    }
}

template <typename ValueType>
void BestIterate<ValueType>::checkpoint_at_restart(size_type iteration, size_type num_steps, const RealScalar* norm)
{
    const auto window = stagnation_window(x_->get_size()[0]);
    this->update_best(norm);
    if (iteration / window > (iteration - num_steps) / window) {
        kernels::solver::update_best<ValueType>(*exec_, *x_, *norm, *verified_x_, *verified_norm_, status_);
        this->end_window();
    }
}

template <typename ValueType>
void BestIterate<ValueType>::update_best(const RealScalar* norm)
{
    kernels::solver::update_best<ValueType>(*exec_, *x_, *norm, *best_, *best_norm_, status_);
}

template <typename ValueType>
void BestIterate<ValueType>::end_window()
{
    using real = remove_complex<ValueType>;
    kernels::solver::stop_if_stagnated<real>(*exec_, *verified_norm_, min_reduction<real>(), *window_start_norm_,
                                             status_);
}

template <typename ValueType>
void BestIterate<ValueType>::verify(const RealScalar* norm)
{
    kernels::solver::update_best<ValueType>(*exec_, *x_, *norm, *verified_x_, *verified_norm_, status_);
    best_->copy_from(x_);
    best_norm_->copy_from(norm);
    // A restart may come shortly before the end of a window.
    window_start_norm_->fill(std::numeric_limits<remove_complex<ValueType>>::infinity());
}

template <typename ValueType>
void BestIterate<ValueType>::restore(RealScalar* norm)
{
    compute_residual_(best_, candidate_residual_, true_norm_);
    kernels::solver::replace_if_better<ValueType>(*exec_, *best_, *true_norm_, *x_, *norm, status_);
    kernels::solver::replace_if_better<ValueType>(*exec_, *verified_x_, *verified_norm_, *x_, *norm, status_);
}

template <typename ValueType>
bool BestIterate<ValueType>::is_worse(const RealScalar* norm) const
{
    const auto host = exec_->get_master();
    const auto here = clone(host, norm);
    const auto best = clone(host, best_norm_);
    const auto verified = clone(host, verified_norm_);
    for (size_type col = 0; col < status_.get_size(); ++col) {
        if (!(here->at(0, col) <= best->at(0, col) && here->at(0, col) <= verified->at(0, col))) {
            return true;
        }
    }
    return false;
}

#define SPRUCE_BEST_ITERATE(_value) class BestIterate<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_BEST_ITERATE);

}  // namespace spruce::solver::detail
