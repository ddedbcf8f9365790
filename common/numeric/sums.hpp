// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/numeric/complex.hpp"

namespace spruce::kernels {

/// Holds several sums that one pass over the vectors computes.
template <typename T, int N>
struct sums {
    T value[N];

    SPRUCE_HOST_DEVICE_INLINE T& operator[](int i) { return value[i]; }
    SPRUCE_HOST_DEVICE_INLINE const T& operator[](int i) const { return value[i]; }
    SPRUCE_HOST_DEVICE_INLINE sums& operator+=(const sums& other)
    {
        for (int i = 0; i < N; ++i) {
            value[i] += other.value[i];
        }
        return *this;
    }
    SPRUCE_HOST_DEVICE_INLINE friend sums operator+(sums a, const sums& b) { return a += b; }
};

}  // namespace spruce::kernels
