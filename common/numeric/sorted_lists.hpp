// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/numeric/partition_point.hpp"

namespace spruce::kernels {

/// Returns the first of begin, ..., end - 1 whose key is not less than the bound, or end. The keys
/// must be sorted. The search takes O(log d) steps if the result is begin + d (exponential search,
/// Bentley and Yao 1976).
template <typename I>
SPRUCE_HOST_DEVICE_INLINE I search_forward(const I* keys, I begin, I end, I bound)
{
    I step = 1;
    while (step < end - begin && keys[begin + step - 1] < bound) {
        begin += step;
        step *= 2;
    }
    return lower_bound(keys, begin, step < end - begin ? begin + step : end, bound);
}

/// Moves left and right to the next pair of equal elements of two sorted lists. All pairs of
/// lists of m and n elements, m <= n, are found in O(m log(n / m)) steps.
/// @return  false if there is no further pair
template <typename I>
SPRUCE_HOST_DEVICE_INLINE bool find_common(const I* left_keys, I& left, I left_end, const I* right_keys, I& right,
                                           I right_end)
{
    while (left < left_end && right < right_end) {
        const auto left_key = left_keys[left];
        const auto right_key = right_keys[right];
        if (left_key == right_key) {
            return true;
        }
        if (left_key < right_key) {
            left = search_forward(left_keys, left + 1, left_end, right_key);
        } else {
            right = search_forward(right_keys, right + 1, right_end, left_key);
        }
    }
    return false;
}

}  // namespace spruce::kernels
