// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "common/numeric/sort_records.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/prefetch.hpp"

/// Sorts records by a stable radix sort that begins with the least significant digit.
namespace spruce::kernels::omp::radix_sort {

/// A core writes to one location for each value of a digit. With 8 bits these locations fit into
/// the first-level cache (doc/tuning/sorting.md).
constexpr int max_digit_bits = 8;

/// Number of records that are prefetched for each value of a digit. They fill whole cache lines.
/// Stores are carried out in order, so without prefetching each new cache line delays those behind
/// (doc/tuning/constants.md).
constexpr size_type records_ahead = 16;

/// Computes counts[value] = the number of records in the range whose digit has the value.
template <typename Source>
void count_values(const typename Source::digit_type& digit, const Source& from, const range& work_range,
                  size_type* counts)
{
    std::fill_n(counts, size_type{1} << digit.num_bits, 0);
    for (auto i = work_range.begin; i < work_range.end; ++i) {
        ++counts[from.get_value(i, digit)];
    }
}

/// Moves the records in the range whose digit has the value to targets[value] and the following
/// positions.
template <typename Source, typename Target>
void move_records(const typename Source::digit_type& digit, const Source& from, const range& work_range,
                  const Target& to, size_type* targets)
{
    using I = typename Source::index_type;
    for (auto i = work_range.begin; i < work_range.end; ++i) {
        const auto key = from.get_key(i);
        const auto target = targets[Source::value_of(key, digit)]++;
        if (target % records_ahead == 0) {
            to.for_each_array([=](auto data) SPRUCE_FORCE_INLINE {
                prefetch<access::write>(data + target + records_ahead, records_ahead);
            });
        }
        to.set_key(static_cast<I>(target), key);
        to.set_payload(static_cast<I>(target), from.get_payload(i));
    }
}

/// Distributes the records by one digit.
///
/// The threads count the values in their ranges of the records as counts[thread, value]. These are
/// summed in the order of values and, for equal values, of threads. Equal keys therefore keep their
/// order for every number of threads.
template <typename Source, typename Target>
void sort_by_digit(const typename Source::digit_type& digit, const Source& from, size_type size, const Target& to,
                   std::vector<size_type>& counts)
{
    const auto num_values = size_type{1} << digit.num_bits;
#pragma omp parallel if (size >= min_parallel_work)
    {
        const auto work_range = thread_range(size);
        const auto thread_counts = counts.data() + omp_get_thread_num() * num_values;
        count_values(digit, from, work_range, thread_counts);
#pragma omp barrier
#pragma omp single
        {
            const auto num_threads = static_cast<size_type>(omp_get_num_threads());
            size_type sum{};
            for (size_type value = 0; value < num_values; ++value) {
                for (size_type thread = 0; thread < num_threads; ++thread) {
                    sum += std::exchange(counts[thread * num_values + value], sum);
                }
            }
        }
        move_records(digit, from, work_range, to, thread_counts);
    }
}

/// Sorts size records by the digits, the lowest first.
///
/// The passes write alternately to result and other, and the last pass writes to result. The source
/// may be that one of the two to which the first pass does not write.
template <typename Source, typename Target>
void sort(const OmpExecutor&, const std::vector<typename Source::digit_type>& digits, Source source, size_type size,
          const Target& result, const Target& other)
{
    std::vector<size_type> counts(static_cast<size_type>(omp_get_max_threads()) << max_digit_bits);
    for (size_type pass = 0; pass < digits.size(); ++pass) {
        const auto& target = (digits.size() - pass) % 2 == 1 ? result : other;
        sort_by_digit(digits[pass], source, size, target, counts);
        source = target.as_source();
    }
}

/// Sorts as sort() does, in the calling thread and without allocating memory.
/// @param counts  has 2^max_digit_bits elements
template <typename Source, typename Target>
void sort_in_thread(const std::vector<typename Source::digit_type>& digits, Source source, size_type size,
                    const Target& result, const Target& other, size_type* counts)
{
    for (size_type pass = 0; pass < digits.size(); ++pass) {
        const auto& target = (digits.size() - pass) % 2 == 1 ? result : other;
        count_values(digits[pass], source, range{0, size}, counts);
        size_type sum{};
        for (size_type value = 0; value < size_type{1} << digits[pass].num_bits; ++value) {
            sum += std::exchange(counts[value], sum);
        }
        move_records(digits[pass], source, range{0, size}, target, counts);
        source = target.as_source();
    }
}

}  // namespace spruce::kernels::omp::radix_sort
