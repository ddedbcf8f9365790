// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>
#include <utility>

#include <spruce/base/array.hpp>
#include <spruce/base/exception.hpp>

#include "core/base/device_matrix_data_kernels.hpp"
#include "core/base/dispatch.hpp"

namespace spruce::detail {

using kernels::device_matrix_data::entry_order;

template <typename IndexType>
void throw_first_outside(const array<IndexType>& idxs, size_type bound)
{
    for (const auto index : idxs.copy_to_host()) {
        if (index < 0 || static_cast<size_type>(index) >= bound) {
            throw OutOfBoundsError(__FILE__, __LINE__,
                                   "matrix data: index " + std::to_string(index) +
                                       ", but indices have to be at least 0 and below " + std::to_string(bound));
        }
    }
}

/// Returns the order of the entries of a Coo or device_matrix_data.
/// @throws OutOfBoundsError  if an index is not valid for the size
/// @throws OverflowError  if the index type cannot represent the number of entries
template <typename Triples>
entry_order find_order(const Triples& a)
{
    using IndexType = typename Triples::index_type;
    const auto exec = a.get_executor();
    const auto num_entries = a.get_num_stored_elements();
    require_index_fits<IndexType>(num_entries);
    const auto row_idxs = array_const_cast(make_const_array_view(exec, num_entries, a.get_const_row_idxs()));
    const auto col_idxs = array_const_cast(make_const_array_view(exec, num_entries, a.get_const_col_idxs()));
    bool is_inside{};
    entry_order order{};
    kernels::device_matrix_data::check_order<IndexType>(*exec, a.get_size(), row_idxs, col_idxs, is_inside, order);
    if (!is_inside) {
        throw_first_outside(row_idxs, a.get_size()[0]);
        throw_first_outside(col_idxs, a.get_size()[1]);
    }
    return order;
}

/// Returns a copy of data on exec in row-major order.
/// @throws OutOfBoundsError, OverflowError  see find_order()
template <typename Data>
Data sorted_copy_of(std::shared_ptr<const Executor> exec, const Data& data)
{
    Data sorted{std::move(exec), data};
    sorted.sort_row_major();
    return sorted;
}

}  // namespace spruce::detail
