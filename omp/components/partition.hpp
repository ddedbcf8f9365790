// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <omp.h>

#include <spruce/base/types.hpp>

#include "common/numeric/merge_path.hpp"
#include "omp/components/vector_unit.hpp"

/// Distributes work among threads. A thread's range depends only on its number, never on timing, so
/// results are reproducible.
namespace spruce::kernels::omp {

/// Below this much work (entries read or written) the start of further threads takes longer than
/// the work itself.
constexpr size_type min_parallel_work = 4096;

struct range {
    size_type begin;
    size_type end;
};

/// Returns this thread's range of 0, ..., size - 1; to be called in a parallel region.
inline range thread_range(size_type size)
{
    const auto part = static_cast<size_type>(omp_get_thread_num());
    const auto num_parts = static_cast<size_type>(omp_get_num_threads());
    return {split_evenly(size, part, num_parts), split_evenly(size, part + 1, num_parts)};
}

/// Describes a range of rows and entries. Rows begin.row, ..., end.row - 1 end in the range. The
/// first of them may begin before the range, and row end.row may begin in it.
struct merge_range {
    row_position begin;
    row_position end;

    /// Returns the rows that end in the range, which rounds it to whole rows.
    range rows() const { return {begin.row, end.row}; }
};

/// Returns this thread's range of rows and entries; to be called in a parallel region.
template <typename I>
merge_range thread_merge_range(const I* row_ptrs, size_type num_rows)
{
    const auto part = static_cast<size_type>(omp_get_thread_num());
    const auto num_parts = static_cast<size_type>(omp_get_num_threads());
    return {split_rows_and_entries(row_ptrs, num_rows, part, num_parts),
            split_rows_and_entries(row_ptrs, num_rows, part + 1, num_parts)};
}

/// Returns the first row from a given row on that ends after entry nz, or end. nz is at least the
/// begin of the given row.
template <typename I>
size_type end_of_empty_rows(const I* row_ptrs, size_type row, size_type end, size_type nz)
{
    constexpr size_type block = 64;
    const auto last = static_cast<I>(nz);
    while (row + block <= end && row_ptrs[row + block] == last) {
        row += block;
    }
    while (row < end && row_ptrs[row + 1] == last) {
        ++row;
    }
    return row;
}

/// Calls function(row, begin, end) for each part of a row in the range that has entries.
template <typename I, typename Function>
SPRUCE_FORCE_INLINE inline void for_each_row_segment(const merge_range& work_range, const I* row_ptrs,
                                                     Function function)
{
    auto nz = work_range.begin.nz;
    for (auto row = work_range.begin.row; row < work_range.end.row;) {
        const auto end = static_cast<size_type>(row_ptrs[row + 1]);
        if (nz == end) {
            row = end_of_empty_rows(row_ptrs, row, work_range.end.row, nz);
            continue;
        }
        function(row, nz, end);
        nz = end;
        ++row;
    }
    if (nz < work_range.end.nz) {
        function(work_range.end.row, nz, work_range.end.nz);
    }
}

}  // namespace spruce::kernels::omp
