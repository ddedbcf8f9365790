// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/spmv/balance.hpp"

#include <algorithm>

#include <spruce/base/executor.hpp>

#include "common/numeric/merge_path.hpp"

namespace spruce::bench {

template <typename IndexType>
double csr_imbalance(const IndexType* row_ptrs, size_type num_rows)
{
    const auto total = num_rows + static_cast<size_type>(row_ptrs[num_rows]);
    const auto num_threads = static_cast<size_type>(OmpExecutor::get_num_omp_threads());
    if (total == 0) {
        return 1;
    }
    size_type max_work = 0;
    for (size_type thread = 0; thread < num_threads; ++thread) {
        const auto begin = kernels::split_rows_and_entries(row_ptrs, num_rows, thread, num_threads);
        const auto end = kernels::split_rows_and_entries(row_ptrs, num_rows, thread + 1, num_threads);
        max_work = std::max(max_work, (end.row - begin.row) + (end.nz - begin.nz));
    }
    return static_cast<double>(max_work * num_threads) / static_cast<double>(total);
}

template double csr_imbalance<int32>(const int32* row_ptrs, size_type num_rows);
template double csr_imbalance<int64>(const int64* row_ptrs, size_type num_rows);

}  // namespace spruce::bench
