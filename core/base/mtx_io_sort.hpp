// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <vector>

#include <spruce/base/matrix_data.hpp>

namespace spruce::mtx_io {

/// Sorts like data.sort_row_major(), but in linear time if only the rows are out of order. Entries
/// must be within data.size.
template <typename ValueType, typename IndexType>
void sort_row_major(matrix_data<ValueType, IndexType>& data)
{
    auto& entries = data.nonzeros;
    if (std::is_sorted(entries.begin(), entries.end())) {
        return;
    }
    const auto num_rows = data.size[0];
    // Counters for each row would take too much memory if there are many more rows than entries.
    if (num_rows / 8 > entries.size()) {
        data.sort_row_major();
        return;
    }
    std::vector<size_type> row_ends(num_rows + 1);
    for (const auto& entry : entries) {
        ++row_ends[entry.row + 1];
    }
    for (size_type row = 0; row < num_rows; ++row) {
        row_ends[row + 1] += row_ends[row];
    }
    // At first row_ends[row] is the beginning of the row. It is the end after all entries of the
    // row are placed.
    std::vector<matrix_data_entry<ValueType, IndexType>> sorted(entries.size());
    for (const auto& entry : entries) {
        sorted[row_ends[entry.row]++] = entry;
    }
    auto begin = sorted.begin();
    for (size_type row = 0; row < num_rows; ++row) {
        const auto end = sorted.begin() + row_ends[row];
        if (!std::is_sorted(begin, end)) {
            std::stable_sort(begin, end);
        }
        begin = end;
    }
    entries = std::move(sorted);
}

}  // namespace spruce::mtx_io
