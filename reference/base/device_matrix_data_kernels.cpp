// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/device_matrix_data_kernels.hpp"

#include <algorithm>
#include <vector>

#include <spruce/base/matrix_data.hpp>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace device_matrix_data {

template <typename V, typename I>
std::vector<matrix_data_entry<V, I>> entries_of(const array<I>& row_idxs, const array<I>& col_idxs,
                                                const array<V>& values)
{
    std::vector<matrix_data_entry<V, I>> entries;
    entries.reserve(values.get_size());
    for (size_type i = 0; i < values.get_size(); ++i) {
        entries.emplace_back(row_idxs.get_const_data()[i], col_idxs.get_const_data()[i], values.get_const_data()[i]);
    }
    return entries;
}

template <typename V, typename I>
void set_entries(const std::vector<matrix_data_entry<V, I>>& entries, array<I>& row_idxs, array<I>& col_idxs,
                 array<V>& values)
{
    const auto exec = values.get_executor();
    array<I> new_rows{exec, entries.size()};
    array<I> new_cols{exec, entries.size()};
    array<V> new_values{exec, entries.size()};
    for (size_type i = 0; i < entries.size(); ++i) {
        new_rows.get_data()[i] = entries[i].row;
        new_cols.get_data()[i] = entries[i].column;
        new_values.get_data()[i] = entries[i].value;
    }
    row_idxs = std::move(new_rows);
    col_idxs = std::move(new_cols);
    values = std::move(new_values);
}

template <typename I>
void check_order(const ReferenceExecutor&, dim<2> size, const array<I>& row_idxs, const array<I>& col_idxs,
                 bool& is_inside, kernels::device_matrix_data::entry_order& order)
{
    using kernels::device_matrix_data::entry_order;
    const auto rows = row_idxs.get_const_data();
    const auto cols = col_idxs.get_const_data();
    is_inside = true;
    order = entry_order::row_major;
    for (size_type i = 0; i < row_idxs.get_size(); ++i) {
        is_inside = is_inside && rows[i] >= 0 && static_cast<size_type>(rows[i]) < size[0] && cols[i] >= 0 &&
                    static_cast<size_type>(cols[i]) < size[1];
        if (i > 0 && rows[i - 1] > rows[i]) {
            order = entry_order::none;
        } else if (i > 0 && rows[i - 1] == rows[i] && cols[i - 1] > cols[i]) {
            order = std::min(order, entry_order::by_row);
        }
    }
}

template <typename V, typename I>
void sort_row_major(const ReferenceExecutor&, dim<2>, array<I>& row_idxs, array<I>& col_idxs, array<V>& values)
{
    auto entries = entries_of(row_idxs, col_idxs, values);
    std::stable_sort(entries.begin(), entries.end());
    set_entries(entries, row_idxs, col_idxs, values);
}

template <typename V, typename I>
void sum_duplicates(const ReferenceExecutor&, array<I>& row_idxs, array<I>& col_idxs, array<V>& values)
{
    std::vector<matrix_data_entry<V, I>> sums;
    for (const auto& entry : entries_of(row_idxs, col_idxs, values)) {
        if (!sums.empty() && sums.back().row == entry.row && sums.back().column == entry.column) {
            sums.back().value += entry.value;
        } else {
            sums.push_back(entry);
        }
    }
    set_entries(sums, row_idxs, col_idxs, values);
}

template <typename V, typename I>
void remove_zeros(const ReferenceExecutor&, array<I>& row_idxs, array<I>& col_idxs, array<V>& values)
{
    auto entries = entries_of(row_idxs, col_idxs, values);
    entries.erase(std::remove_if(entries.begin(), entries.end(), [](auto& entry) { return is_zero(entry.value); }),
                  entries.end());
    set_entries(entries, row_idxs, col_idxs, values);
}

}  // namespace device_matrix_data

void register_device_matrix_data()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::device_matrix_data::sort_row_major<V, I>.template set<ReferenceExecutor>(
            &device_matrix_data::sort_row_major<V, I>);
        kernels::device_matrix_data::sum_duplicates<V, I>.template set<ReferenceExecutor>(
            &device_matrix_data::sum_duplicates<V, I>);
        kernels::device_matrix_data::remove_zeros<V, I>.template set<ReferenceExecutor>(
            &device_matrix_data::remove_zeros<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::device_matrix_data::check_order<I>.template set<ReferenceExecutor>(
            &device_matrix_data::check_order<I>);
    });
}

}  // namespace spruce::kernels::reference
