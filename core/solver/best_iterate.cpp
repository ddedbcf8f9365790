// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/best_iterate.hpp"

#include <limits>

#include "core/solver/schedule.hpp"
#include "core/solver/solver_kernels.hpp"

namespace spruce::solver::detail {

namespace kernel = kernels::solver;

template <typename ValueType>
BestIterate<ValueType>::BestIterate(spruce::detail::Workspace::Impl& work, Vector* x, array<stopping_status>& status,
                                    ComputeResidual compute_residual)
    : exec_{x->get_executor()},
      x_{x},
      status_{status},
      compute_residual_{std::move(compute_residual)},
      best_{work.vector("best x", x)},
      best_norm_{work.dense<remove_complex<ValueType>>("norm of best x", exec_, dim<2>{1, status.get_size()})},
      window_start_norm_{
          work.dense<remove_complex<ValueType>>("norm at window start", exec_, dim<2>{1, status.get_size()})},
      verified_x_{work.vector("verified x", x)},
      verified_norm_{work.dense<remove_complex<ValueType>>("norm of verified x", exec_, dim<2>{1, status.get_size()})},
      work_{work}
{}

template <typename ValueType>
void BestIterate<ValueType>::reset(const RealScalar* norm)
{
    this->rebase(norm);
    window_start_norm_->copy_from(norm);
    verified_x_->copy_from(x_);
    verified_norm_->copy_from(norm);
}

template <typename ValueType>
void BestIterate<ValueType>::checkpoint(size_type iteration, const RealScalar* norm)
{
    if (iteration > 0 && is_checkpoint(iteration)) {
        this->update_best(norm, iteration % stagnation_window(x_->get_size()[0]) == 0);
    }
}

template <typename ValueType>
void BestIterate<ValueType>::checkpoint_at_restart(size_type iteration, size_type num_steps, const RealScalar* norm)
{
    const auto window = stagnation_window(x_->get_size()[0]);
    this->update_best(norm, iteration / window > (iteration - num_steps) / window);
}

template <typename ValueType>
void BestIterate<ValueType>::update_best(const RealScalar* norm, bool ends_window)
{
    using real = remove_complex<ValueType>;
    kernel::update_best<ValueType>(*exec_, *x_, *norm, *best_, *best_norm_, status_);
    if (ends_window) {
        kernel::stop_if_stagnated<real>(*exec_, *best_norm_, min_reduction<real>(), *window_start_norm_, status_);
    }
}

template <typename ValueType>
void BestIterate<ValueType>::verify(const RealScalar* norm)
{
    kernel::update_best<ValueType>(*exec_, *x_, *norm, *verified_x_, *verified_norm_, status_);
    this->rebase(norm);
}

template <typename ValueType>
void BestIterate<ValueType>::rebase(const RealScalar* norm)
{
    best_->copy_from(x_);
    best_norm_->copy_from(norm);
    // A restart may come shortly before the end of a window.
    window_start_norm_->fill(std::numeric_limits<remove_complex<ValueType>>::infinity());
}

template <typename ValueType>
void BestIterate<ValueType>::restore()
{
    const auto r = work_.vector("candidate residual", x_);
    const auto scalar = [&](const char* name) {
        return work_.dense<remove_complex<ValueType>>(name, exec_, dim<2>{1, status_.get_size()});
    };
    const auto norm = scalar("norm of candidate");
    const auto true_best_norm = scalar("true norm of best x");
    compute_residual_(x_, r, norm);
    compute_residual_(best_, r, true_best_norm);
    kernel::replace_if_better<ValueType>(*exec_, *best_, *true_best_norm, *x_, *norm, status_);
    kernel::replace_if_better<ValueType>(*exec_, *verified_x_, *verified_norm_, *x_, *norm, status_);
}

#define SPRUCE_BEST_ITERATE(_value) class BestIterate<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_BEST_ITERATE);

}  // namespace spruce::solver::detail
