// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/hybrid_kernels.hpp"

#include <algorithm>
#include <array>

#include "omp/base/run_unified.hpp"
#include "omp/components/partition.hpp"

namespace spruce::kernels::omp {
namespace hybrid {

/// Counts the rows of each length. Each thread has its own counters of short rows. Long rows are
/// few, so the threads share their counters.
template <typename I>
void count_rows_by_length(const OmpExecutor&, const I* row_ptrs, size_type num_rows, size_type max_length,
                          size_type* counts)
{
    constexpr size_type num_short_lengths = 1024;
#pragma omp parallel if (num_rows >= min_parallel_work)
    {
        std::array<size_type, num_short_lengths> thread_counts{};
        const auto rows = thread_range(num_rows);
        for (auto row = rows.begin; row < rows.end;) {
            const auto end_of_empty = end_of_empty_rows(row_ptrs, row, rows.end, static_cast<size_type>(row_ptrs[row]));
            if (end_of_empty > row) {
                thread_counts[0] += end_of_empty - row;
                row = end_of_empty;
                continue;
            }
            const auto length = std::min(static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]), max_length);
            if (length < num_short_lengths) {
                ++thread_counts[length];
            } else {
#pragma omp atomic
                ++counts[length];
            }
            ++row;
        }
        for (size_type length = 0; length < num_short_lengths; ++length) {
            if (thread_counts[length] > 0) {
#pragma omp atomic
                counts[length] += thread_counts[length];
            }
        }
    }
}

}  // namespace hybrid

}  // namespace spruce::kernels::omp
