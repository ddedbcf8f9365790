// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/composition.hpp>

#include <algorithm>

#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/operator_list.hpp"
#include "core/base/workspace.hpp"

namespace spruce {

template <typename ValueType>
Composition<ValueType>::Composition(std::shared_ptr<const Executor> exec) : EnableLinOp<Composition>(std::move(exec))
{}

template <typename ValueType>
Composition<ValueType>::Composition(std::vector<std::shared_ptr<const LinOp>> operators)
    : EnableLinOp<Composition>(detail::executor_of_first(operators))
{
    for (size_type i = 0; i + 1 < operators.size(); ++i) {
        const auto left = operators[i]->get_size();
        const auto right = operators[i + 1]->get_size();
        if (left[1] != right[0]) {
            throw DimensionMismatch(__FILE__, __LINE__, "Composition::create", "operator " + std::to_string(i), left[0],
                                    left[1], "operator " + std::to_string(i + 1), right[0], right[1],
                                    "columns of the first have to be rows of the second");
        }
    }
    operators_ = detail::on_executor(this->get_executor(), operators);
    this->set_size(dim<2>{operators_.front()->get_size()[0], operators_.back()->get_size()[1]});
}

template <typename ValueType>
Composition<ValueType>::Composition(const Composition& other) : Composition(other.get_executor())
{
    *this = other;
}
template <typename ValueType>
Composition<ValueType>::Composition(Composition&& other) : Composition(other.get_executor())
{
    *this = std::move(other);
}
template <typename ValueType>
Composition<ValueType>& Composition<ValueType>::operator=(const Composition& other)
{
    if (this != &other) {
        operators_ = detail::on_executor(this->get_executor(), other.operators_);
        workspace_ = {};
        EnableLinOp<Composition>::operator=(other);
    }
    return *this;
}
template <typename ValueType>
Composition<ValueType>& Composition<ValueType>::operator=(Composition&& other)
{
    if (this != &other) {
        operators_ = detail::on_executor(this->get_executor(), other.operators_);
        other.operators_.clear();
        workspace_ = {};
        other.workspace_ = {};
        EnableLinOp<Composition>::operator=(std::move(other));
    }
    return *this;
}
template <typename ValueType>
Composition<ValueType>::~Composition() = default;

template <typename ValueType>
std::unique_ptr<LinOp> Composition<ValueType>::transpose() const
{
    auto result = create(this->get_executor());
    std::for_each(operators_.rbegin(), operators_.rend(),
                  [&](const auto& op) { result->operators_.push_back(share(as<Transposable>(op)->transpose())); });
    result->set_size(spruce::transpose(this->get_size()));
    return result;
}

template <typename ValueType>
std::unique_ptr<LinOp> Composition<ValueType>::conj_transpose() const
{
    auto result = create(this->get_executor());
    std::for_each(operators_.rbegin(), operators_.rend(),
                  [&](const auto& op) { result->operators_.push_back(share(as<Transposable>(op)->conj_transpose())); });
    result->set_size(spruce::transpose(this->get_size()));
    return result;
}

template <typename ValueType>
bool Composition<ValueType>::shares_memory_with(const memory_extent& memory) const noexcept
{
    return detail::any_shares_memory(operators_, memory);
}

template <typename ValueType>
const LinOp* Composition<ValueType>::apply_inner(const LinOp* b) const
{
    if (operators_.empty()) {
        throw NotSupported(__FILE__, __LINE__, "Composition::apply", "an empty composition");
    }
    for (auto i = operators_.size() - 1; i > 0; --i) {
        const auto& op = operators_[i];
        const auto next = workspace_.get().dense<ValueType>({"product", i}, op->get_executor(),
                                                            dim<2>{op->get_size()[0], b->get_size()[1]});
        if (op->apply_uses_initial_guess()) {
            if (next->get_size() == b->get_size()) {
                next->copy_from(b);
            } else {
                next->fill(zero<ValueType>());
            }
        }
        op->apply(b, next);
        b = next;
    }
    return b;
}

template <typename ValueType>
bool Composition<ValueType>::has_static_launches() const
{
    return std::all_of(operators_.begin(), operators_.end(), [](const auto& op) { return op->launches_are_static(); });
}

template <typename ValueType>
void Composition<ValueType>::apply_impl(const LinOp* b, LinOp* x) const
{
    const detail::Workspace::exclusive_use use{workspace_, "Composition::apply"};
    detail::dispatch_dense<ValueType>(
        [&](const LinOp* dense_b, LinOp* dense_x) {
            const auto inner = this->apply_inner(dense_b);
            operators_.front()->apply(inner, dense_x);
        },
        b, x);
}

template <typename ValueType>
void Composition<ValueType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    const detail::Workspace::exclusive_use use{workspace_, "Composition::apply"};
    detail::dispatch_dense<ValueType>(
        [&](const LinOp* dense_alpha, const LinOp* dense_b, const LinOp* dense_beta, LinOp* dense_x) {
            const auto inner = this->apply_inner(dense_b);
            operators_.front()->apply(dense_alpha, inner, dense_beta, dense_x);
        },
        alpha, b, beta, x);
}

#define SPRUCE_COMPOSITION(_value) class SPRUCE_EXPORT Composition<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_COMPOSITION);

}  // namespace spruce
