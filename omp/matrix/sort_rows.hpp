// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include <omp.h>

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>

#include "common/numeric/radix_digits.hpp"
#include "common/numeric/sort_records.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/radix_sort.hpp"

/// Sorts the entries of each row by column. All sorts are stable (doc/tuning/cpu.md).
namespace spruce::kernels::omp {
namespace csr {

/// Rows of at most this length are sorted by insertion.
constexpr size_type max_insertion_row = 32;

/// Rows of at most this length are always sorted by one thread.
constexpr size_type min_thread_row = 8192;

/// Holds entries of a row for radix sorts.
template <typename V, typename I>
struct row_entries {
    using index_type = std::remove_const_t<I>;
    using key_type = index_type;
    using payload_type = std::remove_const_t<V>;
    using digit_type = radix_digit;

    static uint32 value_of(key_type col, radix_digit digit) { return records::bits_of(col, digit); }
    uint32 get_value(size_type i, radix_digit digit) const { return records::bits_of(cols[i], digit); }
    key_type get_key(size_type i) const { return cols[i]; }
    payload_type get_payload(size_type i) const { return values[i]; }
    void set_key(index_type i, key_type col) const { cols[i] = col; }
    void set_payload(index_type i, const payload_type& value) const { values[i] = value; }
    template <typename Function>
    void for_each_array(Function function) const
    {
        function(cols);
        function(values);
    }
    row_entries<const payload_type, const index_type> as_source() const { return {cols, values}; }

    I* cols;
    V* values;
};

template <typename V, typename I>
void insertion_sort(const row_entries<V, I>& row, size_type size)
{
    for (size_type i = 1; i < size; ++i) {
        const auto col = row.cols[i];
        const auto value = row.values[i];
        auto target = i;
        for (; target > 0 && row.cols[target - 1] > col; --target) {
            row.cols[target] = row.cols[target - 1];
            row.values[target] = row.values[target - 1];
        }
        row.cols[target] = col;
        row.values[target] = value;
    }
}

/// Returns true if the columns are sorted. All threads check parts of them.
template <typename I>
bool is_sorted(const I* cols, size_type size)
{
    bool result = true;
#pragma omp parallel reduction(&& : result) if (size >= min_parallel_work)
    {
        const auto part = thread_range(size);
        result = std::is_sorted(cols + part.begin, cols + std::min(part.end + 1, size));
    }
    return result;
}

/// Sorts a row by means of a buffer of its size: calls sort(source, result, other).
template <typename V, typename I, typename Sort>
void sort_with_buffer(size_type num_digits, const row_entries<V, I>& row, const row_entries<V, I>& buffer,
                      const Sort& sort)
{
    if (num_digits % 2 == 0) {
        sort(row.as_source(), row, buffer);
    } else {
        sort(row.as_source(), buffer, row);
    }
}

/// Sorts the rows. Long rows are sorted by all threads one after the other. The others are
/// distributed to the threads by entries.
template <typename V, typename I>
void sort_rows(const OmpExecutor& exec, matrix::Csr<V, I>& a)
{
    const auto num_rows = a.get_size()[0];
    const auto nnz = a.get_num_stored_elements();
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto digits = split_into_digits(num_bits_below(a.get_size()[1]), radix_sort::max_digit_bits);
    const auto num_parts = static_cast<size_type>(omp_get_max_threads());
    const auto is_parallel = num_rows + nnz >= min_parallel_work;
    const auto begin_of = [&](size_type part) {
        const auto row = split_rows_and_entries(row_ptrs, num_rows, part, num_parts).row;
        return row_position{row, static_cast<size_type>(row_ptrs[row])};
    };
    const auto rows_of = [&](size_type part) { return merge_range{begin_of(part), begin_of(part + 1)}; };
    const auto entries_from = [&](size_type nz) {
        return row_entries<V, I>{a.get_col_idxs() + nz, a.get_values() + nz};
    };

    // The memory is allocated outside of parallel regions, because an exception cannot leave them.
    // It is bounded by a part of the matrix and a constant for each thread.
    const auto max_thread_row = std::max(min_thread_row, nnz / (4 * num_parts));
    std::vector<range> shared_rows;  // as ranges of entries
    shared_rows.reserve(nnz / max_thread_row);
    size_type longest_shared{};
    size_type longest_other{};
#pragma omp parallel for schedule(static, 1) reduction(max : longest_shared, longest_other) if (is_parallel)
    for (size_type part = 0; part < num_parts; ++part) {
        for_each_row_segment(rows_of(part), row_ptrs, [&](size_type, size_type begin, size_type end) {
            if (end - begin <= max_thread_row) {
                longest_other = std::max(longest_other, end - begin);
                return;
            }
            longest_shared = std::max(longest_shared, end - begin);
#pragma omp critical(spruce_sort_rows)
            shared_rows.push_back({begin, end});
        });
    }
    const auto stride = longest_other > max_insertion_row ? longest_other : 0;
    array<I> cols{exec.shared_from_this(), std::max(num_parts * stride, longest_shared)};
    array<V> values{exec.shared_from_this(), cols.get_size()};
    std::vector<size_type> counts(stride > 0 ? num_parts << radix_sort::max_digit_bits : 0);

#pragma omp parallel for schedule(static, 1) if (is_parallel)
    for (size_type part = 0; part < num_parts; ++part) {
        const row_entries<V, I> buffer{cols.get_data() + part * stride, values.get_data() + part * stride};
        const auto part_counts = counts.data() + (stride > 0 ? part << radix_sort::max_digit_bits : 0);
        for_each_row_segment(rows_of(part), row_ptrs, [&](size_type, size_type begin, size_type end) {
            const auto length = end - begin;
            const auto entries = entries_from(begin);
            if (length <= max_insertion_row) {
                insertion_sort(entries, length);
            } else if (length <= max_thread_row && !std::is_sorted(entries.cols, entries.cols + length)) {
                sort_with_buffer(digits.size(), entries, buffer, [&](auto source, auto& result, auto& other) {
                    radix_sort::sort_in_thread(digits, source, length, result, other, part_counts);
                });
                if (digits.size() % 2 == 1) {
                    std::copy_n(buffer.cols, length, entries.cols);
                    std::copy_n(buffer.values, length, entries.values);
                }
            }
        });
    }
    for (const auto& row : shared_rows) {
        const auto length = row.end - row.begin;
        const auto entries = entries_from(row.begin);
        const row_entries<V, I> buffer{cols.get_data(), values.get_data()};
        if (is_sorted(entries.cols, length)) {
            continue;
        }
        sort_with_buffer(digits.size(), entries, buffer, [&](auto source, auto& result, auto& other) {
            radix_sort::sort(exec, digits, source, length, result, other);
        });
        if (digits.size() % 2 == 1) {
#pragma omp parallel for schedule(static)
            for (size_type i = 0; i < length; ++i) {
                entries.cols[i] = buffer.cols[i];
                entries.values[i] = buffer.values[i];
            }
        }
    }
}

}  // namespace csr

}  // namespace spruce::kernels::omp
