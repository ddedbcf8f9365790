// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>

#include "core/factorization/threshold_kernels.hpp"

namespace spruce::factorization::detail {

/// The number of leading bits that an approximate selection compares: of a double, the sign, the
/// exponent and ten further bits.
constexpr int approximate_bits = 2 * bits_of_bucket;

/// Returns the threshold that `count` entries of a triangle without its diagonal reach, or one that
/// all entries reach if there are not more. It is found digit by digit, with a histogram for each
/// digit (Ribizel and Anzt 2019). If entries of equal magnitude have the same tie rank, fewer
/// entries may reach it.
/// @param is_approximate  compares only the leading 22 bits of absolute values, so that a value up
///                        to 1/1024 smaller may be preferred
/// @param counts          workspace
template <typename V, typename I>
entry_threshold select_largest(const entry_view<V, I>& entries, bool upper, size_type count, bool is_approximate,
                               array<size_type>& counts)
{
    constexpr auto all_bits = ~uint64{};
    const auto num_bits = is_approximate ? approximate_bits : static_cast<int>(8 * sizeof(remove_complex<V>));
    const auto mask = all_bits << (64 - num_bits);
    if (count == 0) {
        return {mask, all_bits, all_bits};
    }
    const auto exec = counts.get_executor();
    counts.resize_and_reset(num_buckets);
    array<size_type> host_counts{exec->get_master(), num_buckets};
    bucket_query query{upper, mask, false, 0, 0, 0};
    for (const auto by_tie : {false, true}) {
        query.by_tie = by_tie;
        query.known = 0;
        for (query.num_known = 0; query.num_known < (by_tie ? 64 : num_bits); query.num_known += bits_of_bucket) {
            counts.fill(0);
            kernels::threshold::count_in_buckets<V, I>(*exec, entries, query, counts.get_data());
            host_counts = counts;
            auto bucket = num_buckets - 1;
            for (; bucket >= 0 && host_counts.get_const_data()[bucket] < count; --bucket) {
                count -= host_counts.get_const_data()[bucket];
            }
            if (bucket < 0) {
                return {mask, 0, 0};  // there are fewer entries
            }
            const auto shift = 64 - bits_of_bucket - query.num_known;
            query.known |= shift >= 0 ? static_cast<uint64>(bucket) << shift : static_cast<uint64>(bucket) >> -shift;
            if (host_counts.get_const_data()[bucket] == count) {  // all entries of the bucket
                return {mask, by_tie ? query.magnitude : query.known, by_tie ? query.known : 0};
            }
        }
        if (!by_tie) {
            query.magnitude = query.known;
        }
    }
    // Several entries have this tie rank. They are left out, because not all may be included.
    return {mask, query.magnitude, query.known + 1};
}

}  // namespace spruce::factorization::detail
