// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/combination.hpp>

#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/operator_list.hpp"

namespace spruce {

template <typename ValueType>
Combination<ValueType>::Combination(std::shared_ptr<const Executor> exec) : EnableLinOp<Combination>(std::move(exec))
{}

template <typename ValueType>
Combination<ValueType>::Combination(std::vector<std::shared_ptr<const LinOp>> coefficients,
                                    std::vector<std::shared_ptr<const LinOp>> operators)
    : EnableLinOp<Combination>(detail::executor_of_first(operators), operators.front()->get_size())
{
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
        coefficients_ = detail::on_executor(this->get_executor(), other.coefficients_);
        operators_ = detail::on_executor(this->get_executor(), other.operators_);
        EnableLinOp<Combination>::operator=(other);
    }
    return *this;
}
template <typename ValueType>
Combination<ValueType>& Combination<ValueType>::operator=(Combination&& other)
{
    if (this != &other) {
        coefficients_ = detail::on_executor(this->get_executor(), std::exchange(other.coefficients_, {}));
        operators_ = detail::on_executor(this->get_executor(), std::exchange(other.operators_, {}));
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

template <typename ValueType>
void Combination<ValueType>::apply_impl(const LinOp* b, LinOp* x) const
{
    const auto zero_scalar = initialize<matrix::Dense<ValueType>>({zero<ValueType>()}, this->get_executor());
    const auto one_scalar = initialize<matrix::Dense<ValueType>>({one<ValueType>()}, this->get_executor());
    if (operators_.empty()) {
        throw NotSupported(__FILE__, __LINE__, "Combination::apply", "an empty combination");
    }
    for (size_type i = 0; i < operators_.size(); ++i) {
        operators_[i]->apply(coefficients_[i], b, i == 0 ? zero_scalar : one_scalar, x);
    }
}

template <typename ValueType>
void Combination<ValueType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    detail::dispatch_dense<ValueType>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            auto product = dense_x->clone();
            this->apply_impl(dense_b, product.get());
            dense_x->scale(dense_beta);
            dense_x->add_scaled(dense_alpha, product);
        },
        alpha, b, beta, x);
}

#define SPRUCE_COMBINATION(_value) class SPRUCE_EXPORT Combination<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_COMBINATION);

}  // namespace spruce
