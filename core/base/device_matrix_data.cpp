// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/device_matrix_data.hpp>

#include <string>
#include <utility>

#include "core/base/array_assignment.hpp"
#include "core/base/device_matrix_data_kernels.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/entry_order.hpp"

namespace spruce {
namespace {

template <typename Entry>
bool lies_in(const Entry& entry, const dim<2>& size)
{
    // Negative indices are too large as unsigned numbers.
    return static_cast<size_type>(entry.row) < size[0] && static_cast<size_type>(entry.column) < size[1];
}

[[noreturn]] void throw_outside(size_type number, int64 row, int64 column, const dim<2>& size)
{
    throw OutOfBoundsError(__FILE__, __LINE__,
                           "matrix_data: entry " + std::to_string(number) + " is at (" + std::to_string(row) + ", " +
                               std::to_string(column) + "), but the matrix is " + std::to_string(size[0]) + " x " +
                               std::to_string(size[1]));
}

}  // namespace

template <typename ValueType, typename IndexType>
device_matrix_data<ValueType, IndexType>::device_matrix_data(std::shared_ptr<const Executor> exec, dim<2> size,
                                                             size_type num_entries)
    : size_{size}, row_idxs_{exec, num_entries}, col_idxs_{exec, num_entries}, values_{exec, num_entries}
{
    detail::require_pointers("device_matrix_data (the executor)", exec);
}

template <typename ValueType, typename IndexType>
device_matrix_data<ValueType, IndexType>::device_matrix_data(std::shared_ptr<const Executor> exec,
                                                             const device_matrix_data& data)
    : size_{data.size_}, row_idxs_{exec, data.row_idxs_}, col_idxs_{exec, data.col_idxs_}, values_{exec, data.values_}
{
    detail::require_pointers("device_matrix_data (the executor)", exec);
}

template <typename ValueType, typename IndexType>
device_matrix_data<ValueType, IndexType>::device_matrix_data(std::shared_ptr<const Executor> exec, dim<2> size,
                                                             array<index_type> row_idxs, array<index_type> col_idxs,
                                                             array<value_type> values)
    : size_{size},
      row_idxs_{exec, std::move(row_idxs)},
      col_idxs_{exec, std::move(col_idxs)},
      values_{exec, std::move(values)}
{
    detail::require_pointers("device_matrix_data (the executor)", exec);
    if (row_idxs_.get_size() != values_.get_size() || col_idxs_.get_size() != values_.get_size()) {
        throw ValueMismatch(__FILE__, __LINE__, "device_matrix_data", row_idxs_.get_size(), values_.get_size(),
                            "rows, columns and values need the same length");
    }
}

template <typename ValueType, typename IndexType>
device_matrix_data<ValueType, IndexType>::device_matrix_data(device_matrix_data&& other) noexcept
    : size_{std::exchange(other.size_, {})},
      row_idxs_{std::move(other.row_idxs_)},
      col_idxs_{std::move(other.col_idxs_)},
      values_{std::move(other.values_)}
{}

template <typename ValueType, typename IndexType>
device_matrix_data<ValueType, IndexType>& device_matrix_data<ValueType, IndexType>::operator=(
    const device_matrix_data& other)
{
    if (this != &other) {
        detail::array_assignment row_idxs{row_idxs_, other.row_idxs_};
        detail::array_assignment col_idxs{col_idxs_, other.col_idxs_};
        detail::array_assignment values{values_, other.values_};
        commit_all(row_idxs, col_idxs, values);
        size_ = other.size_;
    }
    return *this;
}

template <typename ValueType, typename IndexType>
device_matrix_data<ValueType, IndexType>& device_matrix_data<ValueType, IndexType>::operator=(
    device_matrix_data&& other)
{
    if (this != &other) {
        detail::array_assignment row_idxs{row_idxs_, std::move(other.row_idxs_)};
        detail::array_assignment col_idxs{col_idxs_, std::move(other.col_idxs_)};
        detail::array_assignment values{values_, std::move(other.values_)};
        commit_all(row_idxs, col_idxs, values);
        size_ = std::exchange(other.size_, {});
    }
    return *this;
}

template <typename ValueType, typename IndexType>
device_matrix_data<ValueType, IndexType> device_matrix_data<ValueType, IndexType>::create_from_host(
    std::shared_ptr<const Executor> exec, const host_type& data)
{
    detail::require_pointers("device_matrix_data (the executor)", exec);
    const auto host = exec->get_master();
    const auto size = data.nonzeros.size();
    array<index_type> row_idxs{host, size};
    array<index_type> col_idxs{host, size};
    array<value_type> values{host, size};
    for (size_type i = 0; i < size; ++i) {
        if (!lies_in(data.nonzeros[i], data.size)) {
            throw_outside(i, data.nonzeros[i].row, data.nonzeros[i].column, data.size);
        }
        row_idxs.get_data()[i] = data.nonzeros[i].row;
        col_idxs.get_data()[i] = data.nonzeros[i].column;
        values.get_data()[i] = data.nonzeros[i].value;
    }
    return device_matrix_data{exec, data.size, std::move(row_idxs), std::move(col_idxs), std::move(values)};
}

template <typename ValueType, typename IndexType>
matrix_data<ValueType, IndexType> device_matrix_data<ValueType, IndexType>::copy_to_host() const
{
    const auto rows = row_idxs_.copy_to_host();
    const auto cols = col_idxs_.copy_to_host();
    const auto values = values_.copy_to_host();
    host_type data{size_};
    data.nonzeros.reserve(values.size());
    for (size_type i = 0; i < values.size(); ++i) {
        data.nonzeros.emplace_back(rows[i], cols[i], values[i]);
    }
    return data;
}

template <typename ValueType, typename IndexType>
void device_matrix_data<ValueType, IndexType>::fill_zero()
{
    row_idxs_.fill(0);
    col_idxs_.fill(0);
    values_.fill(zero<ValueType>());
}

template <typename ValueType, typename IndexType>
void device_matrix_data<ValueType, IndexType>::resize_and_reset(size_type num_entries)
{
    this->resize_and_reset(size_, num_entries);
}

template <typename ValueType, typename IndexType>
void device_matrix_data<ValueType, IndexType>::resize_and_reset(dim<2> size, size_type num_entries)
{
    if (num_entries != this->get_num_stored_elements()) {
        if (!row_idxs_.is_owning() || !col_idxs_.is_owning() || !values_.is_owning()) {
            throw NotSupported(__FILE__, __LINE__, "device_matrix_data::resize_and_reset", "a view");
        }
        *this = device_matrix_data{this->get_executor(), size, num_entries};
    }
    size_ = size;
}

template <typename ValueType, typename IndexType>
void device_matrix_data<ValueType, IndexType>::sort_row_major()
{
    if (detail::find_order(*this) != detail::entry_order::row_major) {
        kernels::device_matrix_data::sort_row_major<ValueType, IndexType>(*this->get_executor(), size_, row_idxs_,
                                                                          col_idxs_, values_);
    }
}

template <typename ValueType, typename IndexType>
void device_matrix_data<ValueType, IndexType>::sum_duplicates()
{
    this->sort_row_major();
    kernels::device_matrix_data::sum_duplicates<ValueType, IndexType>(*this->get_executor(), row_idxs_, col_idxs_,
                                                                      values_);
}

template <typename ValueType, typename IndexType>
void device_matrix_data<ValueType, IndexType>::remove_zeros()
{
    detail::require_index_fits<IndexType>(this->get_num_stored_elements());
    kernels::device_matrix_data::remove_zeros<ValueType, IndexType>(*this->get_executor(), row_idxs_, col_idxs_,
                                                                    values_);
}

template <typename ValueType, typename IndexType>
typename device_matrix_data<ValueType, IndexType>::arrays device_matrix_data<ValueType, IndexType>::empty_out()
{
    size_ = {};
    return {std::move(row_idxs_), std::move(col_idxs_), std::move(values_)};
}

#define SPRUCE_DEVICE_MATRIX_DATA(_value, _index) class SPRUCE_EXPORT device_matrix_data<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DEVICE_MATRIX_DATA);

}  // namespace spruce
