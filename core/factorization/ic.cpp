// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/factorization/ic.hpp>

#include <spruce/base/temporary_clone.hpp>
#include <spruce/solver/solver_base.hpp>

#include "core/base/dispatch.hpp"
#include "core/components/array_kernels.hpp"
#include "core/factorization/incomplete_factors.hpp"

namespace spruce::factorization {
namespace {

/// Conjugates the values of a matrix in place.
template <typename V, typename I>
void conjugate(matrix::Csr<V, I>& a)
{
    if constexpr (is_complex<V>()) {
        kernels::components::conjugate_array<V>(*a.get_executor(), a.get_const_values(), a.get_values(),
                                                a.get_num_stored_elements());
    }
}

}  // namespace

/// Holds what refresh() uses.
template <typename V, typename I>
struct Ic<V, I>::data {
    explicit data(const parameters_type& parameters, const matrix_type& a)
        : factors{"factorization::Ic", a, true, parameters.skip_sorting},
          l{factors.create_triangle(false, false, parameters.l_strategy)}
    {
        if (parameters.both_factors) {
            auto [transpose, reuse] = l->transpose_reuse();
            lt = std::move(transpose);
            transposition = std::move(reuse);
            conjugate(*lt);
        }
    }

    detail::IncompleteFactors<V, I> factors;
    std::shared_ptr<matrix_type> l;
    std::shared_ptr<matrix_type> lt;
    typename matrix_type::permuting_reuse_info transposition;
};

template <typename V, typename I>
Ic<V, I>::Ic(std::shared_ptr<const Executor> exec) : Base(std::move(exec))
{}

template <typename V, typename I>
Ic<V, I>::Ic(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : Base(factory->get_executor()), parameters_{factory->get_parameters()}
{
    solver::detail::require_square(system_matrix.get());
    const auto a = copy_and_convert_to<const matrix_type>(this->get_executor(), std::move(system_matrix));
    data_ = std::make_shared<data>(parameters_, *a);
    Composition<V>::operator=(
        std::move(*(data_->lt ? Composition<V>::create(data_->l, data_->lt) : Composition<V>::create(data_->l))));
}

template <typename V, typename I>
Ic<V, I>::Ic(const Ic& other) : Ic(other.get_executor())
{
    *this = other;
}

template <typename V, typename I>
Ic<V, I>::Ic(Ic&& other) : Ic(other.get_executor())
{
    *this = std::move(other);
}

template <typename V, typename I>
Ic<V, I>& Ic<V, I>::operator=(const Ic& other)
{
    if (this != &other) {
        Composition<V>::operator=(other);
        data_ = this->get_executor() == other.get_executor() ? other.data_ : nullptr;
        parameters_ = other.parameters_;
    }
    return *this;
}

template <typename V, typename I>
Ic<V, I>& Ic<V, I>::operator=(Ic&& other)
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
Ic<V, I>::~Ic() = default;

template <typename V, typename I>
auto Ic<V, I>::get_l_factor() const -> std::shared_ptr<const matrix_type>
{
    return detail::factor_of<matrix_type>(*this, 0);
}

template <typename V, typename I>
auto Ic<V, I>::get_lt_factor() const -> std::shared_ptr<const matrix_type>
{
    const auto l = this->get_l_factor();
    return l && this->get_operators().size() == 1 ? as<matrix_type>(share(l->conj_transpose()))
                                                  : detail::factor_of<matrix_type>(*this, 1);
}

template <typename V, typename I>
void Ic<V, I>::refresh(std::shared_ptr<const LinOp> matrix)
{
    detail::require_refreshable("factorization::Ic::refresh", data_.get());
    const auto a = copy_and_convert_to<const matrix_type>(this->get_executor(), std::move(matrix));
    data_->factors.refresh(*a);
    data_->factors.copy_triangle(false, false, *data_->l);
    if (data_->lt) {
        data_->transposition.update_values(data_->l, data_->lt);
        conjugate(*data_->lt);
    }
}

#define SPRUCE_IC(_value, _index) class SPRUCE_EXPORT Ic<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_IC);

}  // namespace spruce::factorization
