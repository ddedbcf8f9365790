// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/through_csr.hpp>

#include <utility>

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/matrix/csr.hpp>

namespace spruce::matrix {
namespace {

/// target becomes a matrix of these triples.
template <typename ValueType, typename IndexType, typename Data>
void read_into(PolymorphicObject& target, Data&& data)
{
    const auto csr = Csr<ValueType, IndexType>::create(
        target.get_executor(), std::make_shared<typename Csr<ValueType, IndexType>::classical>());
    csr->read(std::forward<Data>(data));
    target.move_from(csr.get());
}

}  // namespace

template <typename ValueType, typename IndexType>
void DataThroughCsr<ValueType, IndexType>::read(const matrix_data<ValueType, IndexType>& data)
{
    read_into<ValueType, IndexType>(dynamic_cast<PolymorphicObject&>(*this), data);
}

template <typename ValueType, typename IndexType>
void DataThroughCsr<ValueType, IndexType>::read(const device_matrix_data<ValueType, IndexType>& data)
{
    read_into<ValueType, IndexType>(dynamic_cast<PolymorphicObject&>(*this), data);
}

template <typename ValueType, typename IndexType>
void DataThroughCsr<ValueType, IndexType>::read(device_matrix_data<ValueType, IndexType>&& data)
{
    read_into<ValueType, IndexType>(dynamic_cast<PolymorphicObject&>(*this), std::move(data));
}

template <typename ValueType, typename IndexType>
void DataThroughCsr<ValueType, IndexType>::write(matrix_data<ValueType, IndexType>& data) const
{
    const auto& source = dynamic_cast<const PolymorphicObject&>(*this);
    const auto csr = Csr<ValueType, IndexType>::create(
        source.get_executor(), std::make_shared<typename Csr<ValueType, IndexType>::classical>());
    csr->copy_from(&source);
    csr->write(data);
}

#define SPRUCE_DATA_THROUGH_CSR(_value, _index) class SPRUCE_EXPORT DataThroughCsr<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DATA_THROUGH_CSR);

}  // namespace spruce::matrix
