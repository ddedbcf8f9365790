// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/numeric/complex.hpp"

namespace spruce::kernels {

/// A column index that is larger than all others.
template <typename I>
constexpr auto no_col = std::numeric_limits<I>::max();

/// Calls visit(row, nz, col, next_col) for the entries of the first num_rows rows in the order of
/// their columns. Entries of equal columns are visited in the order of their rows. next_col is the
/// column of the next entry of the row, or no_col. The next row is selected without a branch. The
/// columns of each row must be sorted; otherwise the entries are visited in an unspecified order.
/// @param row_ptrs  row i begins at cols[row_ptrs[i] - offset]
template <int num_rows, typename Position, typename I, typename Visit>
SPRUCE_HOST_DEVICE_INLINE void merge_rows(const I* row_ptrs, I offset, const I* cols, Visit visit)
{
    Position cursors[num_rows];
    Position ends[num_rows];
    I next_cols[num_rows];  // columns of the entries at the cursors
    for (int row = 0; row < num_rows; ++row) {
        cursors[row] = static_cast<Position>(row_ptrs[row] - offset);
        ends[row] = static_cast<Position>(row_ptrs[row + 1] - offset);
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
        const auto following_col = cols[has_next ? nz + 1 : nz];
        const auto next_col = has_next ? following_col : no_col<I>;
        visit(row, nz, col, next_col);
        for (int i = 0; i < num_rows; ++i) {
            cursors[i] += i == row ? 1 : 0;
            next_cols[i] = i == row ? next_col : next_cols[i];
        }
    }
}

}  // namespace spruce::kernels
