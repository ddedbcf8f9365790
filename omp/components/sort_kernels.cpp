// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/sort_kernels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/components/radix_digits.hpp"
#include "omp/base/register.hpp"
#include "omp/components/partition.hpp"

namespace spruce::kernels::omp {
namespace components {

/// The places that a core writes to at a time are one for each value of a digit: with 8 bits they fit its first-level cache.
constexpr int max_digit_bits = 8;

template <typename I>
size_type value_of(I key, radix_digit digit)
{
    return static_cast<size_type>(key) >> digit.shift & ((size_type{1} << digit.num_bits) - 1);
}

/// One pass of a radix sort: counts[thread, value] of the threads' shares of keys are added up in the order of values and,
/// for equal values, of threads; so equal keys keep their order whatever the number of threads.
template <typename I>
void sort_by_digit(radix_digit digit, const I* keys, const I* positions, size_type size, I* new_keys, I* new_positions,
                   std::vector<size_type>& counts)
{
    const auto num_values = size_type{1} << digit.num_bits;
#pragma omp parallel if (size >= min_parallel_work)
    {
        const auto mine = my_share(size);
        const auto my_counts = counts.data() + omp_get_thread_num() * num_values;
        std::fill_n(my_counts, num_values, 0);
        for (auto i = mine.begin; i < mine.end; ++i) {
            ++my_counts[value_of(keys[i], digit)];
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
            const auto target = my_counts[value_of(keys[i], digit)]++;
            new_keys[target] = keys[i];
            new_positions[target] = positions ? positions[i] : static_cast<I>(i);
        }
    }
}

template <typename I>
void sort_keys(const OmpExecutor&, const I* keys, const I* positions, size_type size, size_type bound, I* new_keys,
               I* new_positions)
{
    const auto digits = split_into_digits(num_bits_below(bound), max_digit_bits);
    if (digits.empty()) {
        std::copy_n(keys, size, new_keys);
        if (positions) {
            std::copy_n(positions, size, new_positions);
        } else {
            std::iota(new_positions, new_positions + size, I{});
        }
        return;
    }
    const auto needs_buffer = digits.size() > 1;
    std::vector<I> other_keys(needs_buffer ? size : 0);
    std::vector<I> other_positions(needs_buffer ? size : 0);
    std::vector<size_type> counts(static_cast<size_type>(omp_get_max_threads()) << max_digit_bits);
    for (size_type pass = 0; pass < digits.size(); ++pass) {
        const auto is_to_result = (digits.size() - pass) % 2 == 1;  // so that the last one is
        const auto to_keys = is_to_result ? new_keys : other_keys.data();
        const auto to_positions = is_to_result ? new_positions : other_positions.data();
        sort_by_digit(digits[pass], keys, positions, size, to_keys, to_positions, counts);
        keys = to_keys;
        positions = to_positions;
    }
}

}  // namespace components

void register_sort()
{
    spruce::detail::for_each_type(spruce::detail::type_list<int32, int64>{}, [](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::components::sort_keys<I>.template set<OmpExecutor>(&components::sort_keys<I>);
    });
}

}  // namespace spruce::kernels::omp
