// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/numeric/complex.hpp"

namespace spruce::kernels {

/// Returns the first of begin, ..., end - 1 for which the condition does not hold, found by
/// bisection. It returns end if the condition holds for all of them, and begin if there are none.
/// The condition must hold for all numbers before the result and for none after it. This is
/// std::partition_point for numbers.
template <typename I, typename Condition>
SPRUCE_HOST_DEVICE_INLINE I partition_point(I begin, I end, Condition holds)
{
    while (begin < end) {
        const auto middle = static_cast<I>(begin + (end - begin) / 2);
        if (holds(middle)) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

/// Returns the first of begin, ..., end - 1 whose key is not less than the bound, or end. The keys
/// keys[begin, ..., end - 1] must be sorted.
template <typename I, typename Key, typename Bound>
SPRUCE_HOST_DEVICE_INLINE I lower_bound(const Key* keys, I begin, I end, Bound bound)
{
    return partition_point(begin, end, [=](I i) { return keys[i] < bound; });
}

}  // namespace spruce::kernels
