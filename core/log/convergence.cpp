// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/convergence.hpp>

#include <algorithm>

#include <spruce/base/array.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/stop/stopping_status.hpp>

namespace spruce::log {
namespace {

std::unique_ptr<LinOp> clone_or_null(const LinOp* op) { return op ? op->clone() : nullptr; }

bool all_converged(const array<stopping_status>* status)
{
    if (!status) {
        return false;
    }
    const auto on_host = status->copy_to_host();
    return std::all_of(on_host.begin(), on_host.end(), [](auto column) { return column.has_converged(); });
}

/// Returns the norms in the precision of Result, or null if the residual is not a Dense<ValueType>.
template <typename Result, typename ValueType>
std::unique_ptr<LinOp> norm_of(const LinOp* residual)
{
    const auto dense = dynamic_cast<const matrix::Dense<ValueType>*>(residual);
    if (!dense) {
        return nullptr;
    }
    auto norm =
        matrix::Dense<remove_complex<ValueType>>::create(dense->get_executor(), dim<2>{1, dense->get_size()[1]});
    dense->compute_norm2(norm.get());
    if constexpr (std::is_same_v<Result, remove_complex<ValueType>>) {
        return norm;
    } else {
        auto converted = matrix::Dense<Result>::create(dense->get_executor());
        converted->copy_from(norm.get());
        return converted;
    }
}

template <typename Result, typename ValueType, typename... Rest>
std::unique_ptr<LinOp> norm_of_any(const LinOp* residual)
{
    auto norm = norm_of<Result, ValueType>(residual);
    if constexpr (sizeof...(Rest) > 0) {
        return norm ? std::move(norm) : norm_of_any<Result, Rest...>(residual);
    } else {
        return norm;
    }
}

}  // namespace

template <typename ValueType>
Convergence<ValueType>::Convergence(const mask_type& enabled_events) : Logger{enabled_events}
{}
template <typename ValueType>
Convergence<ValueType>::~Convergence() = default;

template <typename ValueType>
std::unique_ptr<Convergence<ValueType>> Convergence<ValueType>::create(const mask_type& enabled_events)
{
    return std::unique_ptr<Convergence>(new Convergence(enabled_events));
}
template <typename ValueType>
std::unique_ptr<Convergence<ValueType>> Convergence<ValueType>::create(std::shared_ptr<const Executor>,
                                                                       const mask_type& enabled_events)
{
    return create(enabled_events);
}

template <typename ValueType>
void Convergence<ValueType>::on_criterion_check_completed(const stop::Criterion* criterion, const size_type& it,
                                                          const LinOp* r, const LinOp* tau, const LinOp* x,
                                                          const uint8& id, const bool& finalized,
                                                          const array<stopping_status>* status, const bool& one_changed,
                                                          const bool& all_stopped) const
{
    this->on_criterion_check_completed(criterion, it, r, tau, nullptr, x, id, finalized, status, one_changed,
                                       all_stopped);
}

template <typename ValueType>
void Convergence<ValueType>::on_criterion_check_completed(const stop::Criterion*, const size_type& it, const LinOp* r,
                                                          const LinOp* tau, const LinOp* implicit_tau_sq, const LinOp*,
                                                          const uint8&, const bool&,
                                                          const array<stopping_status>* status, const bool&,
                                                          const bool& all_stopped) const
{
    if (all_stopped) {
        this->keep(it, r, tau, implicit_tau_sq, status);
    }
}

template <typename ValueType>
void Convergence<ValueType>::on_iteration_complete(const LinOp*, const size_type&, const LinOp*, const LinOp*,
                                                   const LinOp*) const
{}
template <typename ValueType>
void Convergence<ValueType>::on_iteration_complete(const LinOp*, const size_type&, const LinOp*, const LinOp*,
                                                   const LinOp*, const LinOp*) const
{}

template <typename ValueType>
void Convergence<ValueType>::on_iteration_complete(const LinOp*, const LinOp*, const LinOp*, const size_type& it,
                                                   const LinOp* r, const LinOp* tau, const LinOp* implicit_tau_sq,
                                                   const array<stopping_status>* status, bool stopped) const
{
    if (stopped) {
        this->keep(it, r, tau, implicit_tau_sq, status);
    }
}

template <typename ValueType>
void Convergence<ValueType>::keep(const size_type& it, const LinOp* r, const LinOp* tau, const LinOp* implicit_tau_sq,
                                  const array<stopping_status>* status) const
{
    has_converged_ = all_converged(status);
    num_iterations_ = it;
    residual_ = clone_or_null(r);
    implicit_sq_resnorm_ = clone_or_null(implicit_tau_sq);
    residual_norm_ = clone_or_null(tau);
    if (!residual_norm_ && r) {
        using real = remove_complex<ValueType>;
        residual_norm_ = norm_of_any<real, ValueType, float, double, std::complex<float>, std::complex<double>>(r);
    }
}

#define SPRUCE_CONVERGENCE(_value) class SPRUCE_EXPORT Convergence<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_CONVERGENCE);

}  // namespace spruce::log
