// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "common/numeric/sort_records.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/prefetch.hpp"

/// A stable radix sort, least significant digit first.
namespace spruce::kernels::omp::radix_sort {

/// The places that a core writes to at a time are one for each value of a digit: with 8 bits they fit its first-level cache.
constexpr int max_digit_bits = 8;

/// So many records of a value of a digit are asked for ahead, which fill whole lines of the cache: stores are carried out in order, and
/// waited for a line each (triples of 27-point 80^3 0.60 s rather than 0.85).
constexpr size_type records_ahead = 16;

/// One pass: counts[thread, value] of the threads' shares of records are added up in the order of values and, for equal
/// values, of threads; so equal keys keep their order whatever the number of threads.
template <typename Source, typename Target>
void sort_by_digit(const typename Source::digit_type& digit, const Source& from, size_type size, const Target& to,
                   std::vector<size_type>& counts)
{
    using I = typename Source::index_type;
    const auto num_values = size_type{1} << digit.num_bits;
#pragma omp parallel if (size >= min_parallel_work)
    {
        const auto mine = thread_range(size);
        const auto my_counts = counts.data() + omp_get_thread_num() * num_values;
        std::fill_n(my_counts, num_values, 0);
        for (auto i = mine.begin; i < mine.end; ++i) {
            ++my_counts[from.get_value(i, digit)];
        }
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
        for (auto i = mine.begin; i < mine.end; ++i) {
            const auto key = from.get_key(i);
            const auto target = my_counts[Source::value_of(key, digit)]++;
            if (target % records_ahead == 0) {
                to.for_each_array([=](auto data) SPRUCE_FORCE_INLINE {
                    prefetch<access::write>(data + target + records_ahead, records_ahead);
                });
            }
            to.set_key(static_cast<I>(target), key);
            to.set_payload(static_cast<I>(target), from.get_payload(i));
        }
    }
}

/// Sorts size records by the digits, the lowest first. The passes write to result and to other by turns, the last to result; the source may
/// be the one of them that the first pass does not write to.
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

}  // namespace spruce::kernels::omp::radix_sort
