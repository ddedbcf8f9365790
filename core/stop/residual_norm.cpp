// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/stop/residual_norm.hpp>

#include <algorithm>
#include <complex>

#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm_reduction.hpp>
#include <spruce/stop/time.hpp>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/matrix/dense_kernels.hpp"
#include "core/stop/criterion_kernels.hpp"
#include "core/stop/criterion_kind.hpp"
#include "core/stop/criterion_workspace.hpp"

namespace spruce::stop {
namespace {

[[noreturn]] void throw_no_implicit_norm()
{
    throw NotSupported(__FILE__, __LINE__, "stop::ImplicitResidualNorm", "a solver without implicit residual norm");
}

template <typename... ValueTypes>
bool is_implicit(const CriterionFactory* criteria)
{
    return (dynamic_cast<const typename ImplicitResidualNorm<ValueTypes>::Factory*>(criteria) || ...);
}

/// Computes norm_j = ||vectors_j|| for vectors in either precision, real or complex.
template <typename ValueType>
void compute_norm(const LinOp* vectors, matrix::Dense<remove_complex<ValueType>>* norm, const Reduction& reduction)
{
    const auto compute = [&](auto tag) {
        using value_type = typename decltype(tag)::type;
        const spruce::detail::const_converted_dense<value_type> dense{vectors};
        kernels::dense::norm2<value_type>(*norm->get_executor(), *dense.get(), *norm, reduction);
    };
    if (spruce::detail::is_complex_dense<remove_complex<ValueType>>(vectors)) {
        compute(spruce::detail::type_tag<to_complex<ValueType>>{});
    } else {
        compute(spruce::detail::type_tag<remove_complex<ValueType>>{});
    }
}

}  // namespace

template <typename ValueType>
ResidualNormBase<ValueType>::ResidualNormBase(std::shared_ptr<const Executor> exec, const CriterionArgs& args,
                                              remove_complex<ValueType> reduction_factor, mode baseline)
    : EnablePolymorphicObject<ResidualNormBase, Criterion>(exec),
      reduction_factor_{reduction_factor},
      memory_{args.memory ? args.memory : std::make_shared<spruce::detail::criterion_workspace>()},
      system_matrix_{args.system_matrix},
      b_{args.b}
{
    const auto known = args.b ? args.b.get() : args.initial_residual;
    if (!known) {
        detail::throw_null_pointer("stop::ResidualNorm (the right-hand side)");
    }
    const auto num_cols = known->get_size()[1];
    baseline_ = memory_->template take_row<remove_complex<ValueType>>(exec, num_cols);
    norm_ = memory_->template take_row<remove_complex<ValueType>>(exec, num_cols);
    switch (baseline) {
    case mode::rhs_norm:
        if (!args.b) {
            detail::throw_null_pointer("stop::ResidualNorm with mode::rhs_norm (the right-hand side)");
        }
        compute_norm<ValueType>(make_temporary_clone(exec, args.b.get()).get(), baseline_.get(), this->get_reduction());
        break;
    case mode::initial_resnorm:
        if (args.initial_residual) {
            compute_norm<ValueType>(make_temporary_clone(exec, args.initial_residual).get(), baseline_.get(),
                                    this->get_reduction());
        } else {
            this->compute_residual_norm(args.x);
            baseline_->copy_from(norm_);
        }
        break;
    case mode::absolute:
        baseline_->fill(one<remove_complex<ValueType>>());
        break;
    }
}

template <typename ValueType>
Reduction ResidualNormBase<ValueType>::get_reduction() const
{
    return {memory_->buffer(this->get_executor()), spruce::detail::get_communicator(system_matrix_.get())};
}

template <typename ValueType>
void ResidualNormBase<ValueType>::compute_residual_norm(const LinOp* x)
{
    if (!system_matrix_ || !b_ || !x) {
        throw NotSupported(__FILE__, __LINE__, "stop::ResidualNorm",
                           "a check with neither residual norm, residual, nor matrix, right-hand side and solution");
    }
    const auto exec = this->get_executor();
    const auto one_scalar = initialize<matrix::Dense<ValueType>>({one<ValueType>()}, exec);
    const auto neg_one_scalar = initialize<matrix::Dense<ValueType>>({-one<ValueType>()}, exec);
    auto residual = b_->clone(exec);
    system_matrix_->apply(neg_one_scalar, x, one_scalar, residual);
    compute_norm<ValueType>(residual.get(), norm_.get(), this->get_reduction());
}

namespace {

/// Checks the operands of a criterion.
/// @throws DimensionMismatch  unless there are a norm, a baseline and a status for each column
void require_equal_columns(const LinOp& norm, const LinOp& baseline, const array<stopping_status>& status)
{
    const auto throw_mismatch = [](const char* name, const dim<2>& found, const char* other, const dim<2>& expected) {
        throw DimensionMismatch(__FILE__, __LINE__, "stop::ResidualNorm", name, found[0], found[1], other, expected[0],
                                expected[1], "a number is needed for each column");
    };
    if (norm.get_size() != baseline.get_size()) {
        throw_mismatch("the norm", norm.get_size(), "the baseline", baseline.get_size());
    }
    if (status.get_size() != baseline.get_size()[1]) {
        throw_mismatch("the array of statuses", dim<2>{1, status.get_size()}, "the baseline", baseline.get_size());
    }
}

}  // namespace

template <typename ValueType>
bool ResidualNormBase<ValueType>::check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status,
                                             bool* one_changed, const Criterion::Updater& updater)
{
    if (updater.ignore_residual_check_) {
        return false;
    }
    if (!updater.residual_norm_) {
        if (updater.residual_) {
            compute_norm<ValueType>(make_temporary_clone(this->get_executor(), updater.residual_).get(), norm_.get(),
                                    this->get_reduction());
        } else {
            this->compute_residual_norm(updater.solution_);
        }
    }
    return this->check_norm(updater.residual_norm_ ? updater.residual_norm_ : norm_.get(), stopping_id, set_finalized,
                            *status, *one_changed);
}

template <typename ValueType>
bool ResidualNormBase<ValueType>::check_norm(const LinOp* norm, uint8 stopping_id, bool set_finalized,
                                             array<stopping_status>& status, bool& one_changed)
{
    using real = remove_complex<ValueType>;
    const auto exec = this->get_executor();
    const auto tau = make_temporary_clone(exec, norm);
    require_equal_columns(*tau, *baseline_, status);
    const spruce::detail::const_converted_dense<real> dense_tau{tau.get()};
    bool all_stopped{};
    kernels::stop::residual_norm<real>(*exec, *dense_tau.get(), *baseline_, reduction_factor_, stopping_id,
                                       set_finalized, status, all_stopped, one_changed, memory_->buffer(exec));
    return all_stopped;
}

template <typename ValueType>
bool ResidualNormBase<ValueType>::append_bounds_impl(uint8 stopping_id, size_type,
                                                     std::vector<residual_bound>& bounds) const
{
    bounds.push_back({baseline_.get(), reduction_factor_, stopping_id, false});
    return true;
}

template <typename ValueType>
bool ImplicitResidualNorm<ValueType>::check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status,
                                                 bool* one_changed, const Criterion::Updater& updater)
{
    if (updater.implicit_residual_norm_) {
        return this->check_norm(updater.implicit_residual_norm_, stopping_id, set_finalized, *status, *one_changed);
    }
    if (!updater.implicit_sq_residual_norm_) {
        throw_no_implicit_norm();
    }
    const auto exec = this->get_executor();
    const auto tau = make_temporary_clone(exec, updater.implicit_sq_residual_norm_);
    require_equal_columns(*tau, *this->baseline_, *status);
    const spruce::detail::const_converted_dense<ValueType> dense_tau{tau.get()};
    const auto norm = dynamic_cast<const matrix::Dense<remove_complex<ValueType>>*>(updater.residual_norm_);
    const auto is_norm_here = norm && exec->memory_accessible(norm->get_executor());
    kernels::stop::implicit_norm<ValueType>(*exec, *dense_tau.get(), is_norm_here ? norm : nullptr, *this->norm_);
    return this->check_norm(this->norm_.get(), stopping_id, set_finalized, *status, *one_changed);
}

template <typename ValueType>
bool ImplicitResidualNorm<ValueType>::append_bounds_impl(uint8 stopping_id, size_type,
                                                         std::vector<residual_bound>& bounds) const
{
    bounds.push_back({this->baseline_.get(), this->reduction_factor_, stopping_id, true});
    return true;
}

SPRUCE_DEFINE_FACTORY((template <typename V>), ResidualNorm<V>);
SPRUCE_DEFINE_FACTORY((template <typename V>), ImplicitResidualNorm<V>);
SPRUCE_DEFINE_FACTORY((template <typename V>), ResidualNormReduction<V>);
SPRUCE_DEFINE_FACTORY((template <typename V>), RelativeResidualNorm<V>);
SPRUCE_DEFINE_FACTORY((template <typename V>), AbsoluteResidualNorm<V>);

#define SPRUCE_RESIDUAL_NORM_BASE(_value) class SPRUCE_EXPORT ResidualNormBase<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_RESIDUAL_NORM_BASE);
#define SPRUCE_RESIDUAL_NORM(_value) class SPRUCE_EXPORT ResidualNorm<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_RESIDUAL_NORM);
#define SPRUCE_IMPLICIT_RESIDUAL_NORM(_value) class SPRUCE_EXPORT ImplicitResidualNorm<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_IMPLICIT_RESIDUAL_NORM);
#define SPRUCE_RESIDUAL_NORM_REDUCTION(_value) class SPRUCE_EXPORT ResidualNormReduction<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_RESIDUAL_NORM_REDUCTION);
#define SPRUCE_RELATIVE_RESIDUAL_NORM(_value) class SPRUCE_EXPORT RelativeResidualNorm<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_RELATIVE_RESIDUAL_NORM);
#define SPRUCE_ABSOLUTE_RESIDUAL_NORM(_value) class SPRUCE_EXPORT AbsoluteResidualNorm<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_ABSOLUTE_RESIDUAL_NORM);

}  // namespace spruce::stop

namespace spruce::detail {

void require_no_implicit_norm(const stop::CriterionFactory& criteria)
{
    if (const auto combined = dynamic_cast<const stop::Combined::Factory*>(&criteria)) {
        for (const auto& member : combined->get_parameters().criteria) {
            if (member) {
                require_no_implicit_norm(*member);
            }
        }
    } else if (stop::is_implicit<float, double, std::complex<float>, std::complex<double>>(&criteria)) {
        stop::throw_no_implicit_norm();
    }
}

bool depends_on_residual(const stop::CriterionFactory& criteria)
{
    if (const auto combined = dynamic_cast<const stop::Combined::Factory*>(&criteria)) {
        const auto& members = combined->get_parameters().criteria;
        return std::any_of(members.begin(), members.end(),
                           [](const auto& member) { return member && depends_on_residual(*member); });
    }
    return !dynamic_cast<const stop::Iteration::Factory*>(&criteria) &&
           !dynamic_cast<const stop::Time::Factory*>(&criteria);
}

}  // namespace spruce::detail
