// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include <omp.h>

#include <spruce/base/types.hpp>

#include "common/base/merge_path.hpp"
#include "omp/components/vector_unit.hpp"

/// How work is dealt out to threads: always by position, never by who comes first, so that results are repeatable.
namespace spruce::kernels::omp {

/// Below this much work (entries read or written) one thread is done before a second one has started.
constexpr size_type min_parallel_work = 4096;

struct range {
    size_type begin;
    size_type end;
};

/// Where part number part of num_parts begins, in 0, ..., size.
inline size_type split_evenly(size_type size, size_type part, size_type num_parts)
{
    return size / num_parts * part + std::min(size % num_parts, part);
}

/// This thread's share of 0, ..., size - 1; to be called in a parallel region.
inline range my_share(size_type size)
{
    const auto part = static_cast<size_type>(omp_get_thread_num());
    const auto num_parts = static_cast<size_type>(omp_get_num_threads());
    return {split_evenly(size, part, num_parts), split_evenly(size, part + 1, num_parts)};
}

/// A place in a list of rows with entries: all rows before row are complete, and so are the entries before nz.
struct row_position {
    size_type row;
    size_type nz;
};

/// Begin of a part when rows and entries together are dealt out evenly: neither one dense row nor many empty ones hold
/// up a thread (the merge path of Merrill and Garland 2016). row_ptrs[row] <= nz <= row_ptrs[row + 1].
template <typename I>
row_position split_rows_and_entries(const I* row_ptrs, size_type num_rows, size_type part, size_type num_parts)
{
    const auto target = split_evenly(num_rows + static_cast<size_type>(row_ptrs[num_rows]), part, num_parts);
    const auto row = num_rows_ended(row_ptrs, num_rows, target, 1);
    return {row, target - row};
}

/// A run of rows and entries: rows begin.row, ..., end.row - 1 end in it; the first may have begun before it, and row
/// end.row may begin in it.
struct row_share {
    row_position begin;
    row_position end;

    /// The same share rounded to whole rows.
    range rows() const { return {begin.row, end.row}; }
};

/// This thread's share of rows and entries; to be called in a parallel region.
template <typename I>
row_share my_rows_and_entries(const I* row_ptrs, size_type num_rows)
{
    const auto part = static_cast<size_type>(omp_get_thread_num());
    const auto num_parts = static_cast<size_type>(omp_get_num_threads());
    return {split_rows_and_entries(row_ptrs, num_rows, part, num_parts),
            split_rows_and_entries(row_ptrs, num_rows, part + 1, num_parts)};
}

/// Calls function(row, begin, end) for each piece of a row in the share, the last one (which may be empty) included.
template <typename I, typename Function>
SPRUCE_PART_OF_BODY inline void for_each_piece(const row_share& share, const I* row_ptrs, Function function)
{
    auto nz = share.begin.nz;
    for (auto row = share.begin.row; row < share.end.row; ++row) {
        const auto end = static_cast<size_type>(row_ptrs[row + 1]);
        function(row, nz, end);
        nz = end;
    }
    function(share.end.row, nz, share.end.nz);
}

}  // namespace spruce::kernels::omp
