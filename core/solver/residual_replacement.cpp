// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/residual_replacement.hpp"

#include <algorithm>

#include "core/solver/solver_kernels.hpp"

namespace spruce::solver::detail {
namespace {

/// Returns true if a true residual could contradict the reason why a column stopped.
bool needs_true_residual(stop_reason reason)
{
    return reason == stop_reason::converged || reason == stop_reason::stagnation || is_breakdown(reason);
}

}  // namespace

template <typename ValueType>
ResidualReplacement<ValueType>::ResidualReplacement(spruce::detail::Workspace::Impl& work,
                                                    std::shared_ptr<const Executor> exec,
                                                    array<stopping_status>& status)
    : exec_{std::move(exec)},
      status_{status},
      start_norm_{work.dense<remove_complex<ValueType>>("norm at start", exec_, dim<2>{1, status.get_size()})},
      true_norm_{work.dense<remove_complex<ValueType>>("true norm", exec_, dim<2>{1, status.get_size()})}
{}

template <typename ValueType>
void ResidualReplacement<ValueType>::begin(const RealScalar* norm)
{
    start_norm_->copy_from(norm);
    true_norm_->copy_from(norm);
}

template <typename ValueType>
bool ResidualReplacement<ValueType>::is_needed(const std::vector<stop_reason>& reasons, bool depends_on_residual)
{
    return std::any_of(reasons.begin(), reasons.end(), [&](stop_reason reason) {
        return depends_on_residual ? needs_true_residual(reason) : reason == stop_reason::converged;
    });
}

template <typename ValueType>
bool ResidualReplacement<ValueType>::resume_unconfirmed(const RealScalar& norm)
{
    kernels::solver::resume_unconfirmed<remove_complex<ValueType>>(*exec_, *true_norm_, norm, *start_norm_, status_);
    const auto on_host = status_.copy_to_host();
    return std::any_of(on_host.begin(), on_host.end(), [](stopping_status column) { return !column.has_stopped(); });
}

template <typename ValueType>
void ResidualReplacement<ValueType>::stop_if_not_halved(const RealScalar& norm)
{
    kernels::solver::stop_if_not_halved<remove_complex<ValueType>>(*exec_, norm, *start_norm_, status_);
}

#define SPRUCE_RESIDUAL_REPLACEMENT(_value) class ResidualReplacement<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_RESIDUAL_REPLACEMENT);

}  // namespace spruce::solver::detail
