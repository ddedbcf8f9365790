// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "omp/base/prelude.hpp"

namespace spruce::kernels::omp {

namespace jacobi {

/// Calls finish(row, sum) for each row of a matrix in compressed row storage, with the sum of
/// map(position, nz) over its entries nz, whose position in the row is 0, 1, .... Threads fetch
/// groups of rows, so that a long row delays only its own group.
template <typename I, typename Map, typename Finish>
void run_sum_rows(const DeviceExecutor&, const I* row_ptrs, size_type num_rows, size_type nnz, Map map, Finish finish)
{
    constexpr size_type rows_at_once = 1024;
#pragma omp parallel for schedule(dynamic, rows_at_once) if (nnz >= min_parallel_work)
    for (size_type row = 0; row < num_rows; ++row) {
        const auto begin = row_ptrs[row];
        const auto length = static_cast<size_type>(row_ptrs[row + 1] - begin);
        int64 sum{};
        for (size_type i = 0; i < length; ++i) {
            sum += map(i, begin + i);
        }
        finish(row, sum);
    }
}

}  // namespace jacobi

}  // namespace spruce::kernels::omp
