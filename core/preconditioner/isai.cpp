// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/preconditioner/isai.hpp>

#include <typeinfo>
#include <utility>

#include <spruce/base/temporary_clone.hpp>
#include <spruce/solver/solver_base.hpp>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/preconditioner/sparse_inverse.hpp"

namespace spruce::preconditioner {

template <isai_type type, typename V, typename I>
Isai<type, V, I>::Isai(std::shared_ptr<const Executor> exec) : EnableLinOp<Isai>(std::move(exec))
{}

template <isai_type type, typename V, typename I>
Isai<type, V, I>::Isai(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : EnableLinOp<Isai>(factory->get_executor(),
                        solver::detail::require_square(system_matrix.get(), "preconditioner::Isai")),
      parameters_{factory->get_parameters()}
{
    const auto matrix = copy_and_convert_to<const Csr>(this->get_executor(), std::move(system_matrix));
    data_ = std::make_shared<detail::SparseInverse<V, I>>(
        *matrix,
        detail::isai_options<V>{type, parameters_.skip_sorting, parameters_.sparsity_power, parameters_.excess_limit,
                                parameters_.excess_solver_factory, parameters_.excess_solver_reduction});
    if constexpr (type == isai_type::spd) {
        approximate_inverse_ = Comp::create(data_->get_transpose(), data_->get_inverse());
    } else {
        approximate_inverse_ = data_->get_inverse();
    }
}

template <isai_type type, typename V, typename I>
Isai<type, V, I>::Isai(const Isai& other) : Isai(other.get_executor())
{
    *this = other;
}

template <isai_type type, typename V, typename I>
Isai<type, V, I>::Isai(Isai&& other) : Isai(other.get_executor())
{
    *this = std::move(other);
}

template <isai_type type, typename V, typename I>
Isai<type, V, I>& Isai<type, V, I>::operator=(const Isai& other)
{
    if (this != &other) {
        const auto exec = this->get_executor();
        const auto is_local = exec == other.get_executor();
        auto inverse = is_local || !other.approximate_inverse_
                           ? other.approximate_inverse_
                           : std::shared_ptr<const inverse_type>(clone(exec, other.approximate_inverse_));
        EnableLinOp<Isai>::operator=(other);
        parameters_ = other.parameters_;
        data_ = is_local ? other.data_ : nullptr;
        why_not_refreshed_ = !is_local && other.data_ ? "a copy from another executor" : other.why_not_refreshed_;
        approximate_inverse_ = std::move(inverse);
    }
    return *this;
}

template <isai_type type, typename V, typename I>
Isai<type, V, I>& Isai<type, V, I>::operator=(Isai&& other)
{
    if (this != &other) {
        *this = std::as_const(other);
        EnableLinOp<Isai>::operator=(std::move(other));
        other.data_ = nullptr;
        other.why_not_refreshed_ = nullptr;
        other.approximate_inverse_ = nullptr;
    }
    return *this;
}

template <isai_type type, typename V, typename I>
Isai<type, V, I>::~Isai() = default;

template <isai_type type, typename V, typename I>
std::unique_ptr<LinOp> Isai<type, V, I>::transpose_inverse(bool conjugate) const
{
    auto result = std::unique_ptr<transposed_type>(new transposed_type(this->get_executor()));
    if (!approximate_inverse_) {
        return result;
    }
    if constexpr (type != isai_type::spd) {
        if (data_ && !data_->is_transpose()) {
            result->data_ = std::make_shared<detail::SparseInverse<V, I>>(*data_, conjugate);
            result->approximate_inverse_ = result->data_->get_transpose();
        }
    }
    if (!result->approximate_inverse_) {
        result->approximate_inverse_ = as<inverse_type>(
            share(conjugate ? approximate_inverse_->conj_transpose() : approximate_inverse_->transpose()));
        result->why_not_refreshed_ = type == isai_type::spd ? "a transpose of type spd"
                                     : data_                ? "the transpose of a transpose"
                                                            : "the transpose of a preconditioner without a refresh";
    }
    result->set_size(this->get_size());
    return result;
}

template <isai_type type, typename V, typename I>
std::unique_ptr<LinOp> Isai<type, V, I>::transpose() const
{
    return this->transpose_inverse(false);
}

template <isai_type type, typename V, typename I>
std::unique_ptr<LinOp> Isai<type, V, I>::conj_transpose() const
{
    return this->transpose_inverse(true);
}

template <isai_type type, typename V, typename I>
bool Isai<type, V, I>::can_be_refreshed() const
{
    return data_ != nullptr;
}

template <isai_type type, typename V, typename I>
void Isai<type, V, I>::refresh(std::shared_ptr<const LinOp> matrix)
{
    constexpr auto method = "preconditioner::Isai::refresh";
    spruce::detail::require_pointers(method, matrix);
    if (!data_) {
        throw NotSupported(__FILE__, __LINE__, method,
                           why_not_refreshed_ ? why_not_refreshed_ : "an empty preconditioner");
    }
    data_->refresh(*copy_and_convert_to<const Csr>(this->get_executor(), std::move(matrix)));
}

template <isai_type type, typename V, typename I>
bool Isai<type, V, I>::shares_memory_with(const memory_extent& memory) const noexcept
{
    return approximate_inverse_ && approximate_inverse_->shares_memory_with(memory);
}

template <isai_type type, typename V, typename I>
bool Isai<type, V, I>::has_static_launches() const
{
    return typeid(*this) == typeid(Isai) && approximate_inverse_ && approximate_inverse_->launches_are_static();
}

template <isai_type type, typename V, typename I>
void Isai<type, V, I>::apply_impl(const LinOp* b, LinOp* x) const
{
    if (approximate_inverse_) {
        approximate_inverse_->apply(b, x);
    }
}

template <isai_type type, typename V, typename I>
void Isai<type, V, I>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    if (approximate_inverse_) {
        approximate_inverse_->apply(alpha, b, beta, x);
    }
}

SPRUCE_DEFINE_FACTORY((template <isai_type type, typename V, typename I>), Isai<type, V, I>);

#define SPRUCE_LOWER_ISAI(_value, _index) class SPRUCE_EXPORT Isai<isai_type::lower, _value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_LOWER_ISAI);
#define SPRUCE_UPPER_ISAI(_value, _index) class SPRUCE_EXPORT Isai<isai_type::upper, _value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_UPPER_ISAI);
#define SPRUCE_GENERAL_ISAI(_value, _index) class SPRUCE_EXPORT Isai<isai_type::general, _value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_GENERAL_ISAI);
#define SPRUCE_SPD_ISAI(_value, _index) class SPRUCE_EXPORT Isai<isai_type::spd, _value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_SPD_ISAI);

}  // namespace spruce::preconditioner
