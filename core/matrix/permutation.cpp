// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/permutation.hpp>

#include <ostream>

#include <spruce/base/exception_helpers.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/index_checks.hpp"
#include "core/matrix/gather_rows.hpp"
#include "core/matrix/permutation_kernels.hpp"

namespace spruce::matrix {

std::ostream& operator<<(std::ostream& stream, permute_mode mode)
{
    const char* const names[]{"none",    "rows",         "columns",         "symmetric",
                              "inverse", "inverse_rows", "inverse_columns", "inverse_symmetric"};
    return stream << names[static_cast<unsigned>(mode) & 7];
}

template <typename IndexType>
Permutation<IndexType>::Permutation(std::shared_ptr<const Executor> exec, size_type size)
    : EnableLinOp<Permutation>(exec, dim<2>{size}), permutation_{exec, size}
{}

template <typename IndexType>
Permutation<IndexType>::Permutation(std::shared_ptr<const Executor> exec, array<IndexType> permutation)
    : EnableLinOp<Permutation>(exec, dim<2>{permutation.get_size()}), permutation_{exec, std::move(permutation)}
{
    spruce::detail::require_permutation("Permutation::create", permutation_, this->get_size()[0]);
}

template <typename IndexType>
std::unique_ptr<Permutation<IndexType>> Permutation<IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                       size_type size)
{
    return std::unique_ptr<Permutation>(new Permutation(std::move(exec), size));
}

template <typename IndexType>
std::unique_ptr<Permutation<IndexType>> Permutation<IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                       array<IndexType> permutation)
{
    return std::unique_ptr<Permutation>(new Permutation(std::move(exec), std::move(permutation)));
}

template <typename IndexType>
std::unique_ptr<const Permutation<IndexType>> Permutation<IndexType>::create_const(
    std::shared_ptr<const Executor> exec, spruce::detail::const_array_view<IndexType>&& permutation)
{
    return create(std::move(exec), spruce::detail::array_const_cast(std::move(permutation)));
}

template <typename IndexType>
std::unique_ptr<Permutation<IndexType>> Permutation<IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                       const dim<2>& size)
{
    SPRUCE_ASSERT_IS_SQUARE_MATRIX(size);
    return create(std::move(exec), size[0]);
}

template <typename IndexType>
std::unique_ptr<Permutation<IndexType>> Permutation<IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                       const dim<2>& size, array<IndexType> permutation,
                                                                       mask_type mask)
{
    SPRUCE_ASSERT_IS_SQUARE_MATRIX(size);
    spruce::detail::require_permutation_size("Permutation::create", permutation.get_size(), size[0]);
    if ((mask & ~inverse_permute) != row_permute) {
        throw NotSupported(__FILE__, __LINE__, "Permutation::create with another mask than that of rows",
                           "mask " + std::to_string(mask));
    }
    auto result = create(std::move(exec), std::move(permutation));
    return mask & inverse_permute ? result->compute_inverse() : std::move(result);
}

template <typename IndexType>
Permutation<IndexType>::Permutation(const Permutation& other) : Permutation(other.get_executor())
{
    *this = other;
}

template <typename IndexType>
Permutation<IndexType>::Permutation(Permutation&& other) : Permutation(other.get_executor())
{
    *this = std::move(other);
}

template <typename IndexType>
Permutation<IndexType>& Permutation<IndexType>::operator=(const Permutation& other)
{
    if (this != &other) {
        spruce::detail::array_assignment permutation{permutation_, other.permutation_};
        permutation.commit();
        EnableLinOp<Permutation>::operator=(other);
    }
    return *this;
}

template <typename IndexType>
Permutation<IndexType>& Permutation<IndexType>::operator=(Permutation&& other)
{
    permutation_ = std::move(other.permutation_);
    EnableLinOp<Permutation>::operator=(std::move(other));
    return *this;
}

template <typename IndexType>
Permutation<IndexType>::~Permutation() = default;

template <typename IndexType>
std::unique_ptr<Permutation<IndexType>> Permutation<IndexType>::compute_inverse() const
{
    const auto exec = this->get_executor();
    auto result = create(exec, this->get_size()[0]);
    kernels::permutation::invert<IndexType>(*exec, this->get_const_permutation(), this->get_size()[0],
                                            result->get_permutation());
    return result;
}

template <typename IndexType>
std::unique_ptr<Permutation<IndexType>> Permutation<IndexType>::compose(ptr_param<const Permutation> other) const
{
    SPRUCE_ASSERT_EQUAL_DIMENSIONS(this, other);
    const auto exec = this->get_executor();
    const auto local = make_temporary_clone(exec, other);
    auto result = create(exec, this->get_size()[0]);
    kernels::permutation::compose<IndexType>(*exec, this->get_const_permutation(), local->get_const_permutation(),
                                             this->get_size()[0], result->get_permutation());
    return result;
}

template <typename IndexType>
void Permutation<IndexType>::write(matrix_data<value_type, IndexType>& data) const
{
    const auto permutation = permutation_.copy_to_host();
    data = matrix_data<value_type, IndexType>{this->get_size()};
    data.nonzeros.reserve(permutation.size());
    for (size_type row = 0; row < permutation.size(); ++row) {
        data.nonzeros.emplace_back(static_cast<IndexType>(row), permutation[row], one<value_type>());
    }
}

template <typename IndexType>
std::unique_ptr<LinOp> Permutation<IndexType>::transpose() const
{
    return this->compute_inverse();
}

template <typename IndexType>
std::unique_ptr<LinOp> Permutation<IndexType>::conj_transpose() const
{
    return this->compute_inverse();
}

template <typename IndexType>
void Permutation<IndexType>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::gather_rows(*this->get_executor(), this->get_const_permutation(), b, x);
}

template <typename IndexType>
void Permutation<IndexType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::gather_rows(*this->get_executor(), alpha, this->get_const_permutation(), b, beta, x);
}

#define SPRUCE_PERMUTATION(_index) class SPRUCE_EXPORT Permutation<_index>
SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(SPRUCE_PERMUTATION);

}  // namespace spruce::matrix
