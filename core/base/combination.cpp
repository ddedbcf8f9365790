// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/combination.hpp>

#include <algorithm>

#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/operator_list.hpp"
#include "core/base/workspace.hpp"

namespace spruce {

template <typename ValueType>
Combination<ValueType>::Combination(std::shared_ptr<const Executor> exec) : EnableLinOp<Combination>(std::move(exec))
{}

template <typename ValueType>
Combination<ValueType>::Combination(std::vector<std::shared_ptr<const LinOp>> coefficients,
                                    std::vector<std::shared_ptr<const LinOp>> operators)
    : EnableLinOp<Combination>(detail::executor_of_first(operators))
{
    this->set_size(operators.front()->get_size());
    if (coefficients.size() != operators.size()) {
        throw ValueMismatch(__FILE__, __LINE__, "Combination::create", coefficients.size(), operators.size(),
                            "every operator needs a coefficient");
    }
    for (size_type i = 0; i < operators.size(); ++i) {
        const auto size = operators[i]->get_size();
        if (size != this->get_size()) {
            throw DimensionMismatch(__FILE__, __LINE__, "Combination::create", "operator 0", this->get_size()[0],
                                    this->get_size()[1], "operator " + std::to_string(i), size[0], size[1],
                                    "all need the same size");
        }
        if (!coefficients[i]) {
            detail::throw_null_pointer("Combination::create");
        }
        const auto scalar = coefficients[i]->get_size();
        if (scalar != dim<2>{1, 1}) {
            throw DimensionMismatch(__FILE__, __LINE__, "Combination::create", "coefficient " + std::to_string(i),
                                    scalar[0], scalar[1], "a scalar", 1, 1, "coefficients are 1 x 1");
        }
    }
    coefficients_ = detail::on_executor(this->get_executor(), coefficients);
    operators_ = detail::on_executor(this->get_executor(), operators);
}

template <typename ValueType>
Combination<ValueType>::Combination(const Combination& other) : Combination(other.get_executor())
{
    *this = other;
}
template <typename ValueType>
Combination<ValueType>::Combination(Combination&& other) : Combination(other.get_executor())
{
    *this = std::move(other);
}
template <typename ValueType>
Combination<ValueType>& Combination<ValueType>::operator=(const Combination& other)
{
    if (this != &other) {
        auto coefficients = detail::on_executor(this->get_executor(), other.coefficients_);
        operators_ = detail::on_executor(this->get_executor(), other.operators_);
        coefficients_ = std::move(coefficients);
        workspace_ = {};
        EnableLinOp<Combination>::operator=(other);
    }
    return *this;
}
template <typename ValueType>
Combination<ValueType>& Combination<ValueType>::operator=(Combination&& other)
{
    if (this != &other) {
        auto coefficients = detail::on_executor(this->get_executor(), other.coefficients_);
        operators_ = detail::on_executor(this->get_executor(), other.operators_);
        coefficients_ = std::move(coefficients);
        other.coefficients_.clear();
        other.operators_.clear();
        workspace_ = {};
        other.workspace_ = {};
        EnableLinOp<Combination>::operator=(std::move(other));
    }
    return *this;
}
template <typename ValueType>
Combination<ValueType>::~Combination() = default;

template <typename ValueType>
std::unique_ptr<LinOp> Combination<ValueType>::transpose() const
{
    auto result = create(this->get_executor());
    result->set_size(spruce::transpose(this->get_size()));
    result->coefficients_ = coefficients_;
    for (const auto& op : operators_) {
        result->operators_.push_back(share(as<Transposable>(op)->transpose()));
    }
    return result;
}

template <typename ValueType>
std::unique_ptr<LinOp> Combination<ValueType>::conj_transpose() const
{
    auto result = create(this->get_executor());
    result->set_size(spruce::transpose(this->get_size()));
    for (const auto& coefficient : coefficients_) {
        result->coefficients_.push_back(share(as<Transposable>(coefficient)->conj_transpose()));
    }
    for (const auto& op : operators_) {
        result->operators_.push_back(share(as<Transposable>(op)->conj_transpose()));
    }
    return result;
}

namespace {

bool uses_initial_guess(const std::shared_ptr<const LinOp>& op) { return op->apply_uses_initial_guess(); }

}  // namespace

template <typename ValueType>
bool Combination<ValueType>::apply_uses_initial_guess() const
{
    return std::any_of(operators_.begin(), operators_.end(), uses_initial_guess);
}

template <typename ValueType>
bool Combination<ValueType>::has_static_launches() const
{
    return std::all_of(operators_.begin(), operators_.end(), [](const auto& op) { return op->launches_are_static(); });
}

template <typename ValueType>
bool Combination<ValueType>::shares_memory_with(const memory_extent& memory) const noexcept
{
    return detail::any_shares_memory(operators_, memory) || detail::any_shares_memory(coefficients_, memory);
}

template <typename ValueType>
void Combination<ValueType>::apply_impl(const LinOp* b, LinOp* x) const
{
    const detail::Workspace::exclusive_use use{workspace_, "Combination::apply"};
    this->compute_sum(b, x);
}

template <typename ValueType>
void Combination<ValueType>::compute_sum(const LinOp* b, LinOp* x) const
{
    if (operators_.empty()) {
        throw NotSupported(__FILE__, __LINE__, "Combination::apply", "an empty combination");
    }
    const auto exec = this->get_executor();
    auto& work = workspace_.get();
    const auto zero_scalar = work.constant("zero", exec, zero<ValueType>());
    const auto one_scalar = work.constant("one", exec, one<ValueType>());
    if (std::none_of(operators_.begin() + 1, operators_.end(), uses_initial_guess)) {
        for (size_type i = 0; i < operators_.size(); ++i) {
            operators_[i]->apply(coefficients_[i], b, i == 0 ? zero_scalar : one_scalar, x);
        }
        return;
    }
    // x contains the initial guess of all operators until it becomes the sum.
    detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) {
            const auto guess = work.dense<ValueType>("guess", exec, dense_x->get_size());
            const auto product = work.dense<ValueType>("product", exec, dense_x->get_size());
            guess->copy_from(dense_x);
            operators_[0]->apply(coefficients_[0], dense_b, zero_scalar, dense_x);
            for (size_type i = 1; i < operators_.size(); ++i) {
                product->copy_from(guess);
                operators_[i]->apply(dense_b, product);
                dense_x->add_scaled(coefficients_[i], product);
            }
        },
        b, x);
}

template <typename ValueType>
void Combination<ValueType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    const detail::Workspace::exclusive_use use{workspace_, "Combination::apply"};
    detail::dispatch_dense<ValueType>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            const auto sum = workspace_.get().dense<ValueType>("sum", this->get_executor(), dense_x->get_size());
            if (this->apply_uses_initial_guess()) {
                sum->copy_from(dense_x);
            }
            this->compute_sum(dense_b, sum);
            dense_x->scale(dense_beta);
            dense_x->add_scaled(dense_alpha, sum);
        },
        alpha, b, beta, x);
}

#define SPRUCE_COMBINATION(_value) class SPRUCE_EXPORT Combination<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_COMBINATION);

}  // namespace spruce
