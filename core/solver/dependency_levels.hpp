// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include <spruce/matrix/csr.hpp>

namespace spruce::kernels {

/// Performs kernels::triangular::compute_levels on one core in the order of the rows, in O(nnz)
/// operations. Several cores would need as many rounds as there are levels.
template <typename V, typename I>
void compute_levels_in_order(const matrix::Csr<V, I>& a, bool upper, const I* diagonal, I* levels)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_const_col_idxs();
    const auto size = static_cast<I>(a.get_size()[0]);
    for (I step = 0; step < size; ++step) {
        const auto row = upper ? size - 1 - step : step;
        const auto begin = diagonal && upper ? diagonal[row] + 1 : row_ptrs[row];
        const auto end = diagonal && !upper ? diagonal[row] : row_ptrs[row + 1];
        I level = 0;
        for (auto nz = begin; nz < end; ++nz) {
            const auto col = col_idxs[nz];
            if (upper ? col > row : col < row) {
                level = std::max<I>(level, levels[col] + 1);
            }
        }
        levels[row] = level;
    }
}

}  // namespace spruce::kernels
