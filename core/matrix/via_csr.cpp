// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/via_csr.hpp>

#include <utility>

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

#include "core/matrix/via_csr.hpp"

namespace spruce::matrix {
namespace {

/// Converts the entries to target by a temporary Csr. This Csr views the entries if rows are in
/// order and the data are on the executor of the target.
template <typename ValueType, typename IndexType>
void read_into(PolymorphicObject& target, const device_matrix_data<ValueType, IndexType>& data)
{
    const auto exec = data.get_executor();
    const auto num_entries = data.get_num_stored_elements();
    const auto view = [&](auto elements) {
        return spruce::detail::array_const_cast(make_const_array_view(exec, num_entries, elements));
    };
    const auto csr = spruce::detail::create_intermediate_csr<ValueType, IndexType>(target.get_executor());
    csr->read(device_matrix_data<ValueType, IndexType>{exec, data.get_size(), view(data.get_const_row_idxs()),
                                                       view(data.get_const_col_idxs()), view(data.get_const_values())});
    target.copy_from(csr.get());
}

}  // namespace

template <typename ValueType, typename IndexType>
void DataViaCsr<ValueType, IndexType>::read(const matrix_data<ValueType, IndexType>& data)
{
    auto& target = dynamic_cast<PolymorphicObject&>(*this);
    read_into(target, device_matrix_data<ValueType, IndexType>::create_from_host(target.get_executor(), data));
}

template <typename ValueType, typename IndexType>
void DataViaCsr<ValueType, IndexType>::read(const device_matrix_data<ValueType, IndexType>& data)
{
    read_into(dynamic_cast<PolymorphicObject&>(*this), data);
}

template <typename ValueType, typename IndexType>
void DataViaCsr<ValueType, IndexType>::read(device_matrix_data<ValueType, IndexType>&& data)
{
    read_into(dynamic_cast<PolymorphicObject&>(*this), data);
    data.empty_out();
}

template <typename ValueType, typename IndexType>
void DataViaCsr<ValueType, IndexType>::write(matrix_data<ValueType, IndexType>& data) const
{
    spruce::detail::convert_to_csr<ValueType, IndexType>(dynamic_cast<const PolymorphicObject&>(*this))->write(data);
}

template <typename ValueType, typename IndexType, typename ResultType>
void ConvertibleViaCsr<ValueType, IndexType, ResultType>::convert_to(ResultType* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    spruce::detail::convert_to_csr<ValueType, IndexType>(dynamic_cast<const PolymorphicObject&>(*this))
        ->convert_to(result);
}

#define SPRUCE_DATA_VIA_CSR(_value, _index) class SPRUCE_EXPORT DataViaCsr<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DATA_VIA_CSR);

#define SPRUCE_CONVERTIBLE_VIA_CSR(_value, _index)                                          \
    class SPRUCE_EXPORT ConvertibleViaCsr<_value, _index, Dense<_value>>;                   \
    template class SPRUCE_EXPORT ConvertibleViaCsr<_value, _index, Coo<_value, _index>>;    \
    template class SPRUCE_EXPORT ConvertibleViaCsr<_value, _index, Ell<_value, _index>>;    \
    template class SPRUCE_EXPORT ConvertibleViaCsr<_value, _index, Sellp<_value, _index>>;  \
    template class SPRUCE_EXPORT ConvertibleViaCsr<_value, _index, Hybrid<_value, _index>>; \
    template class SPRUCE_EXPORT ConvertibleViaCsr<_value, _index, Fbcsr<_value, _index>>;  \
    template class SPRUCE_EXPORT ConvertibleViaCsr<_value, _index, SparsityCsr<_value, _index>>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_CONVERTIBLE_VIA_CSR);

}  // namespace spruce::matrix
