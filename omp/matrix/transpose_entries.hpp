// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include <omp.h>

#include <spruce/base/array.hpp>
#include <spruce/base/dim.hpp>

#include "common/numeric/radix_digits.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/prefetch.hpp"

/// Transposes matrices compressed by rows by stable counting sorts of the columns.
///
/// Unless adjacent rows have adjacent columns, entries are first distributed to buckets, which are
/// ranges of columns, and then sorted in each bucket. Both steps write to few places at a time,
/// whatever the order of the columns (doc/tuning/cpu.md).
namespace spruce::kernels::omp::transposition {

/// There are at most 2^max_bucket_bits buckets.
constexpr int max_bucket_bits = 8;

/// Buckets have at least 2^min_width_bits columns.
constexpr int min_width_bits = 9;

/// Visits the entries of a matrix in the order of rows.
template <typename I>
struct matrix_entries {
    /// Calls visit(nz, row, col) for one of num_parts parts.
    template <typename Visit>
    void for_each(size_type part, size_type num_parts, const Visit& visit) const
    {
        const merge_range work_range{split_rows_and_entries(row_ptrs, num_rows, part, num_parts),
                                     split_rows_and_entries(row_ptrs, num_rows, part + 1, num_parts)};
        for_each_row_segment(work_range, row_ptrs, [&](size_type row, size_type begin, size_type end) {
            for (auto nz = begin; nz < end; ++nz) {
                visit(nz, static_cast<I>(row), col_idxs[nz]);
            }
        });
    }

    size_type num_rows;
    const I* row_ptrs;
    const I* col_idxs;
};

/// Visits the entries begin, ..., end - 1 in their order.
template <typename I>
struct bucket_entries {
    /// Calls visit(i, row, col) for one of num_parts parts.
    template <typename Visit>
    void for_each(size_type part, size_type num_parts, const Visit& visit) const
    {
        const auto part_end = begin + split_evenly(end - begin, part + 1, num_parts);
        for (auto i = begin + split_evenly(end - begin, part, num_parts); i < part_end; ++i) {
            visit(i, rows[i], cols[i]);
        }
    }

    size_type begin;
    size_type end;
    const I* rows;
    const I* cols;
};

/// Replaces num_parts rows of num_values counts by the positions of the first entries, in the order
/// of values and, for equal values, of parts. Calls store(value, position) for the first part.
template <typename Count, typename Store>
void sum_counts(Count* counts, size_type num_parts, size_type num_values, Count first, const Store& store)
{
    auto sum = first;
    for (size_type value = 0; value < num_values; ++value) {
        store(value, sum);
        for (size_type part = 0; part < num_parts; ++part) {
            sum += std::exchange(counts[part * num_values + value], sum);
        }
    }
}

/// Sorts entries with the columns first_col, ..., first_col + num_cols - 1 and writes the pointers
/// of these columns. Calls move(i, row, target) for each entry.
template <typename I>
struct column_sort {
    template <typename Entries>
    void count(const Entries& entries, size_type part, size_type num_parts) const
    {
        const auto part_counts = counts + part * num_cols;
        std::fill_n(part_counts, num_cols, I{});
        entries.for_each(part, num_parts, [=](size_type, I, I col) { ++part_counts[col - first_col]; });
    }
    void sum(size_type num_parts) const
    {
        sum_counts(counts, num_parts, num_cols, first_position,
                   [this](size_type value, I position) { new_ptrs[first_col + value] = position; });
    }
    template <typename Entries, typename Move>
    void scatter(const Entries& entries, size_type part, size_type num_parts, const Move& move) const
    {
        const auto part_counts = counts + part * num_cols;
        entries.for_each(part, num_parts, [=, &move](size_type i, I row, I col) {
            move(i, row, static_cast<size_type>(part_counts[col - first_col]++));
        });
    }
    template <typename Entries, typename Move>
    void run_in_thread(const Entries& entries, const Move& move) const
    {
        count(entries, 0, 1);
        sum(1);
        scatter(entries, 0, 1, move);
    }
    template <typename Entries, typename Move>
    void run_in_threads(size_type max_threads, const Entries& entries, const Move& move) const
    {
#pragma omp parallel num_threads(static_cast <int>(max_threads))
        {
            const auto part = static_cast<size_type>(omp_get_thread_num());
            const auto num_parts = static_cast<size_type>(omp_get_num_threads());
            count(entries, part, num_parts);
#pragma omp barrier
#pragma omp single
            sum(num_parts);
            scatter(entries, part, num_parts, move);
        }
    }

    I first_col;
    size_type num_cols;
    I first_position;
    I* new_ptrs;
    I* counts;  ///< num_cols for each part
};

/// Returns true if at least three quarters of the rows of a sample are short and lie in about the
/// columns of the rows before them. Entries of a column then follow each other closely, and the
/// places to which they are moved stay in a cache.
template <typename I>
bool has_local_rows(size_type num_rows, const I* row_ptrs, const I* col_idxs, int shift)
{
    constexpr size_type max_samples = 1024;
    constexpr I max_length = 512;
    const auto num_samples = std::min(max_samples, num_rows / 2);
    size_type num_local{};
    for (size_type i = 0; i < num_samples; ++i) {
        const auto ptrs = row_ptrs + split_evenly(num_rows, i, num_samples);
        const auto is_local = ptrs[0] < ptrs[1] && ptrs[1] < ptrs[2] && ptrs[2] - ptrs[0] <= max_length &&
                              col_idxs[ptrs[0]] >> shift == col_idxs[ptrs[1]] >> shift &&
                              col_idxs[ptrs[1] - 1] >> shift == col_idxs[ptrs[2] - 1] >> shift;
        num_local += is_local ? 1 : 0;
    }
    return num_local >= num_samples - num_samples / 4;
}

/// Writes the row pointers and column indices of the transposed matrix. The column indices of each
/// row are sorted if there is no entry twice.
/// @param values  values[i] belongs to entry i
/// @param store  store(value, target) stores a value of the transposed matrix
template <typename Values, typename I, typename Store>
void run(const OmpExecutor& exec, const dim<2>& size, const I* row_ptrs, const I* col_idxs, const Values& values,
         I* new_ptrs, I* new_idxs, const Store& store)
{
    using V = std::decay_t<decltype(values[size_type{}])>;
    const auto num_cols = size[1];
    const auto nnz = static_cast<size_type>(row_ptrs[size[0]]);
    const auto shared_exec = exec.shared_from_this();
    const auto max_parts = static_cast<size_type>(omp_get_max_threads());
    const auto is_parallel = nnz + num_cols >= min_parallel_work;
    const auto shift = std::max(num_bits_below(num_cols) - max_bucket_bits, min_width_bits);
    const auto width = size_type{1} << shift;
    const auto num_buckets = (num_cols + width - 1) / width;
    const matrix_entries<I> all_entries{size[0], row_ptrs, col_idxs};
    new_ptrs[num_cols] = row_ptrs[size[0]];
    // Without buckets, each thread has a counter for each column. In total there are at most as
    // many counters as entries and columns.
    const auto num_direct_threads = std::min(max_parts, nnz / std::max<size_type>(num_cols, 1) + 1);
    if (num_buckets <= 1 ||
        (2 * num_direct_threads >= max_parts && has_local_rows(size[0], row_ptrs, col_idxs, shift))) {
        array<I> counts{shared_exec, num_direct_threads * num_cols};
        const auto move = [=, &store](size_type nz, I row, size_type target) {
            new_idxs[target] = row;
            store(values[nz], target);
        };
        column_sort<I>{0, num_cols, 0, new_ptrs, counts.get_data()}.run_in_threads(is_parallel ? num_direct_threads : 1,
                                                                                   all_entries, move);
        return;
    }

    array<I> row_buffer{shared_exec, nnz};
    array<I> col_buffer{shared_exec, nnz};
    array<V> value_buffer{shared_exec, nnz};
    const auto rows = row_buffer.get_data();
    const auto cols = col_buffer.get_data();
    const auto bucket_values = value_buffer.get_data();
    std::vector<size_type> bucket_ptrs(num_buckets + 1, nnz);
    std::vector<size_type> all_targets(max_parts * num_buckets);
#pragma omp parallel if (is_parallel)
    {
        constexpr size_type ahead = 16;  // fill whole cache lines for all types
        const auto part = static_cast<size_type>(omp_get_thread_num());
        const auto num_parts = static_cast<size_type>(omp_get_num_threads());
        const auto targets = all_targets.data() + part * num_buckets;
        all_entries.for_each(part, num_parts, [=](size_type, I, I col) { ++targets[col >> shift]; });
#pragma omp barrier
#pragma omp single
        sum_counts(all_targets.data(), num_parts, num_buckets, size_type{},
                   [&](size_type bucket, size_type position) { bucket_ptrs[bucket] = position; });
        all_entries.for_each(part, num_parts, [=](size_type nz, I row, I col) {
            const auto target = targets[col >> shift]++;
            if (target % ahead == 0) {
                prefetch<access::write>(rows + target + ahead, ahead);
                prefetch<access::write>(cols + target + ahead, ahead);
                prefetch<access::write>(bucket_values + target + ahead, ahead);
            }
            rows[target] = row;
            cols[target] = col;
            bucket_values[target] = values[nz];
        });
    }

    const auto move = [=, &store](size_type i, I row, size_type target) {
        new_idxs[target] = row;
        store(bucket_values[i], target);
    };
    // A bucket with many entries is sorted by all threads, so that no thread has much more than its
    // share.
    const auto max_thread_bucket = std::max(min_parallel_work, nnz / (2 * max_parts));
    array<I> counts{shared_exec, std::max(num_cols, max_parts * width)};
    const auto entries_of = [&](size_type bucket) {
        return bucket_entries<I>{bucket_ptrs[bucket], bucket_ptrs[bucket + 1], rows, cols};
    };
    const auto sort_of = [&](size_type bucket, I* bucket_counts) {
        const auto first_col = bucket * width;
        return column_sort<I>{static_cast<I>(first_col), std::min(width, num_cols - first_col),
                              static_cast<I>(bucket_ptrs[bucket]), new_ptrs, bucket_counts};
    };
#pragma omp parallel for schedule(dynamic) if (is_parallel)
    for (size_type bucket = 0; bucket < num_buckets; ++bucket) {
        const auto entries = entries_of(bucket);
        const auto sort = sort_of(bucket, counts.get_data() + bucket * width);
        if (entries.begin == entries.end) {
            std::fill_n(new_ptrs + sort.first_col, sort.num_cols, sort.first_position);
        } else if (entries.end - entries.begin <= max_thread_bucket) {
            sort.run_in_thread(entries, move);
        }
    }
    for (size_type bucket = 0; bucket < num_buckets; ++bucket) {
        const auto entries = entries_of(bucket);
        if (entries.end - entries.begin > max_thread_bucket) {
            sort_of(bucket, counts.get_data()).run_in_threads(max_parts, entries, move);
        }
    }
}

}  // namespace spruce::kernels::omp::transposition
