// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/numeric/complex.hpp"

namespace spruce::kernels {

/// Behind all columns.
template <typename I>
constexpr auto no_col = std::numeric_limits<I>::max();

/// Calls visit(row, nz, col, next_col) for the entries of the first num_rows rows, whose columns are in order, in the order of their
/// columns, of equal ones those of the lower row first. next_col is the column of the next entry of the row, or no_col. There is no
/// branch for which row is next. If the columns of a row are not in order, its entries come in some order.
/// @param row_ptrs  row i begins at cols[row_ptrs[i] - offset]
template <int num_rows, typename Place, typename I, typename Visit>
SPRUCE_HOST_DEVICE_INLINE void merge_rows(const I* row_ptrs, I offset, const I* cols, Visit visit)
{
    Place cursors[num_rows];
    Place ends[num_rows];
    I next_cols[num_rows];  // at the cursors
    for (int row = 0; row < num_rows; ++row) {
        cursors[row] = static_cast<Place>(row_ptrs[row] - offset);
        ends[row] = static_cast<Place>(row_ptrs[row + 1] - offset);
        next_cols[row] = cursors[row] < ends[row] ? cols[cursors[row]] : no_col<I>;
    }
    while (true) {
        auto col = next_cols[0];
        auto nz = cursors[0];
        auto end = ends[0];
        int row = 0;
        for (int i = 1; i < num_rows; ++i) {
            const auto is_lower = next_cols[i] < col;
            col = is_lower ? next_cols[i] : col;
            nz = is_lower ? cursors[i] : nz;
            end = is_lower ? ends[i] : end;
            row = is_lower ? i : row;
        }
        if (col == no_col<I>) {
            return;
        }
        const auto has_next = nz + 1 < end;
        const auto col_behind = cols[has_next ? nz + 1 : nz];
        const auto next_col = has_next ? col_behind : no_col<I>;
        visit(row, nz, col, next_col);
        for (int i = 0; i < num_rows; ++i) {
            cursors[i] += i == row ? 1 : 0;
            next_cols[i] = i == row ? next_col : next_cols[i];
        }
    }
}

}  // namespace spruce::kernels
