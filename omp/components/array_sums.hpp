// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include <omp.h>

#include <spruce/base/exception.hpp>

#include "common/numeric/partition_point.hpp"
#include "core/components/array_kernels.hpp"
#include "omp/components/partition.hpp"

namespace spruce::kernels::omp {
namespace components {

/// Sums are computed by chunks, and their number does not depend on the number of threads. The
/// rounding and the memory are therefore independent of the number of threads, too. There are
/// enough chunks for an even distribution.
constexpr size_type num_chunks = 1024;

inline range chunk_range(size_type size, size_type chunk)
{
    return {split_evenly(size, chunk, num_chunks), split_evenly(size, chunk + 1, num_chunks)};
}

/// Returns the sum of a chunk. Four partial sums hide the latency of the additions.
template <typename T>
T sum_of_chunk(const T* data, range chunk)
{
    T sums[4]{};
    auto i = chunk.begin;
    for (; i + 4 <= chunk.end; i += 4) {
        sums[0] += data[i];
        sums[1] += data[i + 1];
        sums[2] += data[i + 2];
        sums[3] += data[i + 3];
    }
    for (; i < chunk.end; ++i) {
        sums[0] += data[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <typename T>
void reduce_add(const OmpExecutor&, const T* data, size_type size, T* result, array<char>&)
{
    std::array<T, num_chunks> sums;
#pragma omp parallel for if (size >= min_parallel_work)
    for (size_type chunk = 0; chunk < num_chunks; ++chunk) {
        sums[chunk] = sum_of_chunk(data, chunk_range(size, chunk));
    }
    *result = std::accumulate(sums.begin(), sums.end(), *result);
}

template <typename I>
void compute_max(const OmpExecutor&, const I* data, size_type size, I& maximum)
{
    I result{};
#pragma omp parallel for reduction(max : result) if (size >= min_parallel_work)
    for (size_type i = 0; i < size; ++i) {
        result = std::max(result, data[i]);
    }
    maximum = result;
}

template <typename I>
void prefix_sum(const OmpExecutor&, I* counts, size_type size, size_type& total)
{
    total = 0;
    if (size == 0) {
        return;
    }
    const auto num_counts = size - 1;
    std::array<I, num_chunks> sums;
    std::array<bool, num_chunks> has_overflown;
    constexpr auto largest = std::numeric_limits<I>::max();
#pragma omp parallel for if (size >= min_parallel_work)
    for (size_type chunk = 0; chunk < num_chunks; ++chunk) {
        const auto counters = chunk_range(num_counts, chunk);
        I sum{};
        has_overflown[chunk] = false;
        for (auto i = counters.begin; i < counters.end && !has_overflown[chunk]; ++i) {
            has_overflown[chunk] = counts[i] > largest - sum;
            sum += has_overflown[chunk] ? 0 : counts[i];
        }
        sums[chunk] = sum;
    }
    I sum_before{};
    for (size_type chunk = 0; chunk < num_chunks; ++chunk) {
        if (has_overflown[chunk] || sums[chunk] > largest - sum_before) {
            throw OverflowError(__FILE__, __LINE__, sizeof(I) == sizeof(int32) ? "int32" : "int64");
        }
        sum_before += std::exchange(sums[chunk], sum_before);
    }
#pragma omp parallel for if (size >= min_parallel_work)
    for (size_type chunk = 0; chunk < num_chunks; ++chunk) {
        const auto counters = chunk_range(num_counts, chunk);
        auto sum = sums[chunk];
        for (auto i = counters.begin; i < counters.end; ++i) {
            const auto count = counts[i];
            counts[i] = sum;
            sum += count;
        }
    }
    counts[num_counts] = sum_before;
    total = static_cast<size_type>(sum_before);
}

template void prefix_sum(const OmpExecutor&, int32*, size_type, size_type&);
template void prefix_sum(const OmpExecutor&, int64*, size_type, size_type&);

/// Returns the number of rows among the first target elements of a merged sequence: the rows
/// 0, ..., num_rows and the indices, with each row before the indices that equal it.
template <typename I>
size_type num_rows_before(const I* idxs, size_type size, size_type num_rows, size_type target)
{
    return partition_point(target > size ? target - size : 0, std::min(target, num_rows + 1),
                           [=](size_type row) { return static_cast<I>(row) <= idxs[target - row - 1]; });
}

template <typename I>
void convert_idxs_to_ptrs(const OmpExecutor&, const I* idxs, size_type size, I* ptrs, size_type num_rows)
{
    constexpr size_type step = 8;  // indices of one row that are skipped together
    const auto work = size + num_rows + 1;
#pragma omp parallel if (work >= min_parallel_work)
    {
        const auto items = thread_range(work);
        auto row = num_rows_before(idxs, size, num_rows, items.begin);
        auto nz = items.begin - row;
        auto num_remaining = items.end - items.begin;
        while (num_remaining > 0) {
            if (nz == size || (row <= num_rows && static_cast<I>(row) <= idxs[nz])) {
                ptrs[row++] = static_cast<I>(nz);
                --num_remaining;
                continue;
            }
            const auto is_step = num_remaining >= step && size - nz >= step &&
                                 (row > num_rows || idxs[nz + step - 1] < static_cast<I>(row));
            nz += is_step ? step : 1;
            num_remaining -= is_step ? step : 1;
        }
    }
}

template <typename I>
void convert_ptrs_to_idxs(const OmpExecutor&, const I* ptrs, size_type num_rows, I* idxs)
{
#pragma omp parallel if (num_rows + ptrs[num_rows] >= min_parallel_work)
    {
        const auto work_range = thread_merge_range(ptrs, num_rows);
        for_each_row_segment(work_range, ptrs, [&](size_type row, size_type begin, size_type end) {
            std::fill(idxs + begin, idxs + end, static_cast<I>(row));
        });
    }
}

}  // namespace components

}  // namespace spruce::kernels::omp
