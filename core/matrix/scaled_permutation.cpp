// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/scaled_permutation.hpp>

#include <spruce/base/exception_helpers.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/permutation.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/index_checks.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/dense_permute_kernels.hpp"
#include "core/matrix/permutation_kernels.hpp"

namespace spruce::matrix {

template <typename ValueType, typename IndexType>
ScaledPermutation<ValueType, IndexType>::ScaledPermutation(std::shared_ptr<const Executor> exec, size_type size)
    : EnableLinOp<ScaledPermutation>(exec, dim<2>{size}), scale_{exec, size}, permutation_{exec, size}
{}

template <typename ValueType, typename IndexType>
ScaledPermutation<ValueType, IndexType>::ScaledPermutation(std::shared_ptr<const Executor> exec,
                                                           array<value_type> scaling_factors,
                                                           array<index_type> permutation)
    : EnableLinOp<ScaledPermutation>(exec, dim<2>{permutation.get_size()}),
      scale_{exec, std::move(scaling_factors)},
      permutation_{exec, std::move(permutation)}
{
    if (scale_.get_size() != permutation_.get_size()) {
        throw ValueMismatch(__FILE__, __LINE__, "ScaledPermutation::create", scale_.get_size(), permutation_.get_size(),
                            "as many factors as indices are needed");
    }
    spruce::detail::require_permutation("ScaledPermutation::create", permutation_, permutation_.get_size());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<ScaledPermutation<ValueType, IndexType>> ScaledPermutation<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, size_type size)
{
    return std::unique_ptr<ScaledPermutation>(new ScaledPermutation(std::move(exec), size));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<ScaledPermutation<ValueType, IndexType>> ScaledPermutation<ValueType, IndexType>::create(
    ptr_param<const Permutation<IndexType>> permutation)
{
    const auto exec = permutation->get_executor();
    const auto size = permutation->get_size()[0];
    array<value_type> factors{exec, size};
    factors.fill(one<value_type>());
    return create(exec, std::move(factors),
                  make_const_array_view(exec, size, permutation->get_const_permutation()).copy_to_array());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<ScaledPermutation<ValueType, IndexType>> ScaledPermutation<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, array<value_type> scaling_factors, array<index_type> permutation)
{
    return std::unique_ptr<ScaledPermutation>(
        new ScaledPermutation(std::move(exec), std::move(scaling_factors), std::move(permutation)));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<const ScaledPermutation<ValueType, IndexType>> ScaledPermutation<ValueType, IndexType>::create_const(
    std::shared_ptr<const Executor> exec, spruce::detail::const_array_view<value_type>&& scaling_factors,
    spruce::detail::const_array_view<index_type>&& permutation)
{
    using spruce::detail::array_const_cast;
    return create(std::move(exec), array_const_cast(std::move(scaling_factors)),
                  array_const_cast(std::move(permutation)));
}

template <typename ValueType, typename IndexType>
ScaledPermutation<ValueType, IndexType>::ScaledPermutation(const ScaledPermutation& other)
    : ScaledPermutation(other.get_executor())
{
    *this = other;
}

template <typename ValueType, typename IndexType>
ScaledPermutation<ValueType, IndexType>::ScaledPermutation(ScaledPermutation&& other)
    : ScaledPermutation(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType, typename IndexType>
ScaledPermutation<ValueType, IndexType>& ScaledPermutation<ValueType, IndexType>::operator=(
    const ScaledPermutation& other)
{
    if (this != &other) {
        spruce::detail::array_assignment scale{scale_, other.scale_};
        spruce::detail::array_assignment permutation{permutation_, other.permutation_};
        commit_all(scale, permutation);
        EnableLinOp<ScaledPermutation>::operator=(other);
    }
    return *this;
}

template <typename ValueType, typename IndexType>
ScaledPermutation<ValueType, IndexType>& ScaledPermutation<ValueType, IndexType>::operator=(ScaledPermutation&& other)
{
    if (this != &other) {
        spruce::detail::array_assignment scale{scale_, std::move(other.scale_)};
        spruce::detail::array_assignment permutation{permutation_, std::move(other.permutation_)};
        commit_all(scale, permutation);
        EnableLinOp<ScaledPermutation>::operator=(std::move(other));
    }
    return *this;
}

template <typename ValueType, typename IndexType>
ScaledPermutation<ValueType, IndexType>::~ScaledPermutation() = default;

template <typename ValueType, typename IndexType>
void ScaledPermutation<ValueType, IndexType>::convert_to(
    ScaledPermutation<next_precision<ValueType>, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    spruce::detail::array_assignment scale{result->scale_, scale_};
    spruce::detail::array_assignment permutation{result->permutation_, permutation_};
    commit_all(scale, permutation);
    result->set_size(this->get_size());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<ScaledPermutation<ValueType, IndexType>> ScaledPermutation<ValueType, IndexType>::compute_inverse()
    const
{
    const auto exec = this->get_executor();
    auto result = create(exec, this->get_size()[0]);
    kernels::permutation::invert_scaled<ValueType, IndexType>(*exec, this->get_const_scaling_factors(),
                                                              this->get_const_permutation(), this->get_size()[0],
                                                              result->get_scaling_factors(), result->get_permutation());
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<ScaledPermutation<ValueType, IndexType>> ScaledPermutation<ValueType, IndexType>::compose(
    ptr_param<const ScaledPermutation> other) const
{
    SPRUCE_ASSERT_EQUAL_DIMENSIONS(this, other);
    const auto exec = this->get_executor();
    const auto local = make_temporary_clone(exec, other);
    auto result = create(exec, this->get_size()[0]);
    kernels::permutation::compose_scaled<ValueType, IndexType>(
        *exec, this->get_const_scaling_factors(), this->get_const_permutation(), local->get_const_scaling_factors(),
        local->get_const_permutation(), this->get_size()[0], result->get_scaling_factors(), result->get_permutation());
    return result;
}

template <typename ValueType, typename IndexType>
void ScaledPermutation<ValueType, IndexType>::write(matrix_data<ValueType, IndexType>& data) const
{
    const auto scale = scale_.copy_to_host();
    const auto permutation = permutation_.copy_to_host();
    data = matrix_data<ValueType, IndexType>{this->get_size()};
    data.nonzeros.reserve(permutation.size());
    for (size_type row = 0; row < permutation.size(); ++row) {
        data.nonzeros.emplace_back(static_cast<IndexType>(row), permutation[row], scale[permutation[row]]);
    }
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> ScaledPermutation<ValueType, IndexType>::transpose() const
{
    // The transpose of P S is S P^-1. Its only entry in row j is s_j, in column i with p_i = j.
    const auto exec = this->get_executor();
    const auto num = this->get_size()[0];
    const dim<2> column_size{num, 1};
    auto result = create(exec, num);
    kernels::permutation::invert<IndexType>(*exec, this->get_const_permutation(), num, result->get_permutation());
    const auto scale = Dense<ValueType>::create_const(
        exec, column_size, make_const_array_view(exec, num, this->get_const_scaling_factors()), 1);
    const auto result_scale =
        Dense<ValueType>::create(exec, column_size, make_array_view(exec, num, result->get_scaling_factors()), 1);
    kernels::dense::row_gather<ValueType, ValueType, IndexType>(*exec, *scale, this->get_const_permutation(),
                                                                *result_scale);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> ScaledPermutation<ValueType, IndexType>::conj_transpose() const
{
    auto result = this->transpose();
    const auto factors = static_cast<ScaledPermutation*>(result.get())->get_scaling_factors();
    kernels::components::conjugate_array<ValueType>(*this->get_executor(), factors, factors, this->get_size()[0]);
    return result;
}

template <typename ValueType, typename IndexType>
void ScaledPermutation<ValueType, IndexType>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) {
            kernels::dense::scale_permute<ValueType, IndexType>(
                *this->get_executor(), *dense_b, this->get_const_scaling_factors(), this->get_const_permutation(),
                nullptr, nullptr, *dense_x);
        },
        b, x);
}

template <typename ValueType, typename IndexType>
void ScaledPermutation<ValueType, IndexType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                                         LinOp* x) const
{
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            kernels::permutation::advanced_apply_scaled<ValueType, IndexType>(
                *this->get_executor(), *dense_alpha, this->get_const_scaling_factors(), this->get_const_permutation(),
                *dense_b, *dense_beta, *dense_x);
        },
        alpha, b, beta, x, spruce::detail::access_mode::overwrite);
}

#define SPRUCE_SCALED_PERMUTATION(_value, _index) class SPRUCE_EXPORT ScaledPermutation<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_SCALED_PERMUTATION);

}  // namespace spruce::matrix
