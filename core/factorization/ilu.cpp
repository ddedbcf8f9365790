// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/factorization/ilu.hpp>

#include <spruce/base/temporary_clone.hpp>
#include <spruce/solver/solver_base.hpp>

#include "core/base/dispatch.hpp"
#include "core/factorization/incomplete_factors.hpp"

namespace spruce::factorization {

/// Holds what refresh() uses.
template <typename V, typename I>
struct Ilu<V, I>::data {
    explicit data(const parameters_type& parameters, const matrix_type& a)
        : factors{"factorization::Ilu", a, false, parameters.skip_sorting},
          l{factors.create_triangle(false, true, parameters.l_strategy)},
          u{factors.create_triangle(true, false, parameters.u_strategy)}
    {}

    detail::IncompleteFactors<V, I> factors;
    std::shared_ptr<matrix_type> l;
    std::shared_ptr<matrix_type> u;
};

template <typename V, typename I>
Ilu<V, I>::Ilu(std::shared_ptr<const Executor> exec) : Base(std::move(exec))
{}

template <typename V, typename I>
Ilu<V, I>::Ilu(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : Base(factory->get_executor()), parameters_{factory->get_parameters()}
{
    solver::detail::require_square(system_matrix.get());
    const auto a = copy_and_convert_to<const matrix_type>(this->get_executor(), std::move(system_matrix));
    data_ = std::make_shared<data>(parameters_, *a);
    Composition<V>::operator=(std::move(*Composition<V>::create(data_->l, data_->u)));
}

template <typename V, typename I>
Ilu<V, I>::Ilu(const Ilu& other) : Ilu(other.get_executor())
{
    *this = other;
}

template <typename V, typename I>
Ilu<V, I>::Ilu(Ilu&& other) : Ilu(other.get_executor())
{
    *this = std::move(other);
}

template <typename V, typename I>
Ilu<V, I>& Ilu<V, I>::operator=(const Ilu& other)
{
    if (this != &other) {
        Composition<V>::operator=(other);
        data_ = this->get_executor() == other.get_executor() ? other.data_ : nullptr;
        parameters_ = other.parameters_;
    }
    return *this;
}

template <typename V, typename I>
Ilu<V, I>& Ilu<V, I>::operator=(Ilu&& other)
{
    if (this != &other) {
        Composition<V>::operator=(std::move(other));
        data_ = this->get_executor() == other.get_executor() ? other.data_ : nullptr;
        other.data_ = nullptr;
        parameters_ = other.parameters_;
    }
    return *this;
}

template <typename V, typename I>
Ilu<V, I>::~Ilu() = default;

template <typename V, typename I>
auto Ilu<V, I>::get_l_factor() const -> std::shared_ptr<const matrix_type>
{
    return detail::factor_of<matrix_type>(*this, 0);
}

template <typename V, typename I>
auto Ilu<V, I>::get_u_factor() const -> std::shared_ptr<const matrix_type>
{
    return detail::factor_of<matrix_type>(*this, 1);
}

template <typename V, typename I>
void Ilu<V, I>::refresh(std::shared_ptr<const LinOp> matrix)
{
    detail::require_refreshable("factorization::Ilu::refresh", data_.get());
    const auto a = copy_and_convert_to<const matrix_type>(this->get_executor(), std::move(matrix));
    data_->factors.refresh(*a);
    data_->factors.copy_triangle(false, true, *data_->l);
    data_->factors.copy_triangle(true, false, *data_->u);
}

#define SPRUCE_ILU(_value, _index) class SPRUCE_EXPORT Ilu<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_ILU);

}  // namespace spruce::factorization
