// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/residual_replacement.hpp"

#include <algorithm>

#include "core/solver/krylov_solve.hpp"

namespace spruce::solver::detail {
namespace {

/// Returns true if a true residual could contradict the reason why a column stopped.
bool needs_true_residual(stop_reason reason)
{
    return reason == stop_reason::converged || reason == stop_reason::stagnation || is_breakdown(reason);
}

/// Waits for the device.
bool is_any_running(const array<stopping_status>& status)
{
    const auto on_host = status.copy_to_host();
    return std::any_of(on_host.begin(), on_host.end(), [](stopping_status column) { return !column.has_stopped(); });
}

}  // namespace

template <typename ValueType>
ResidualReplacement<ValueType>::ResidualReplacement(KrylovSolve<ValueType>& solve)
    : solve_{solve}, start_norm_{solve.real_scalar("norm at start")}, true_norm_{solve.real_scalar("true norm")}
{}

template <typename ValueType>
void ResidualReplacement<ValueType>::begin(const RealScalar* norm)
{
    start_norm_->copy_from(norm);
    true_norm_->copy_from(norm);
}

template <typename ValueType>
bool ResidualReplacement<ValueType>::resume_if_unconfirmed()
{
    namespace kernel = kernels::solver;
    using real = remove_complex<ValueType>;
    const auto& reasons = solve_.setup_.iterative.get_stop_reasons();
    // Without a criterion that depends on the residual a column has converged only if its residual is zero.
    const auto has_converged = [](stop_reason reason) { return reason == stop_reason::converged; };
    const auto needs_check = solve_.best_ ? std::any_of(reasons.begin(), reasons.end(), needs_true_residual)
                                          : std::any_of(reasons.begin(), reasons.end(), has_converged);
    if (solve_.residual_is_true_ || !needs_check) {
        return false;
    }
    solve_.update_solution();
    solve_.restore_best();
    solve_.compute_residual(solve_.x(), solve_.residual(), true_norm_);
    kernel::resume_unconfirmed<real>(solve_.exec(), *true_norm_, *solve_.norm(), *start_norm_, solve_.status());
    if (solve_.best_) {
        solve_.best_->verify(true_norm_);
    }
    const auto is_resumed = is_any_running(solve_.status());
    if (!is_resumed && std::all_of(reasons.begin(), reasons.end(), has_converged)) {
        return false;  // the norms of the recurrence are those by which the columns converged
    }
    solve_.norm()->copy_from(true_norm_);
    if (is_resumed) {
        solve_.restart_recurrence(true_norm_);
    }
    const auto must_see_end = !is_resumed;
    if (solve_.check_criterion(must_see_end)) {
        return false;
    }
    kernel::stop_if_not_halved<real>(solve_.exec(), *solve_.norm(), *start_norm_, solve_.status());
    return true;
}

#define SPRUCE_RESIDUAL_REPLACEMENT(_value) class ResidualReplacement<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_RESIDUAL_REPLACEMENT);

}  // namespace spruce::solver::detail
