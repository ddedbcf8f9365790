// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/numeric/complex.hpp"

namespace spruce::kernels {

/// The first of begin, ..., end - 1 for which the condition does not hold, by bisection; end if it holds for all of them (and begin if there
/// are none). It has to hold for all numbers before that one, and for none behind it. The same as std::partition_point, for numbers.
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

/// The first of begin, ..., end - 1 whose key is not below the bound, or end; keys[begin, ..., end - 1] are in order.
template <typename I, typename Key, typename Bound>
SPRUCE_HOST_DEVICE_INLINE I lower_bound(const Key* keys, I begin, I end, Bound bound)
{
    return partition_point(begin, end, [=](I i) { return keys[i] < bound; });
}

}  // namespace spruce::kernels
