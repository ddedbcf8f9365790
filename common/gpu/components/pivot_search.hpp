// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/backend.hpp"
#include "common/gpu/components/reduction.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

/// Represents a row that may become the pivot row.
template <typename Real>
struct pivot_candidate {
    Real magnitude;  ///< negative if the row has been the pivot row already
    int lane;
};

/// Returns the lane of the largest magnitude, or the first of several. A NaN counts as infinity, so
/// that all lanes agree.
template <typename Subwarp, typename Real>
__device__ __forceinline__ int find_pivot(const Subwarp& subwarp, Real magnitude)
{
    const auto is_nan = magnitude != magnitude;
    const pivot_candidate<Real> own{is_nan ? std::numeric_limits<Real>::infinity() : magnitude, subwarp.thread_rank()};
    return reduce(subwarp, own,
                  [](const pivot_candidate<Real>& a, const pivot_candidate<Real>& b) {
                      const auto is_a = a.magnitude > b.magnitude || (a.magnitude == b.magnitude && a.lane < b.lane);
                      return is_a ? a : b;
                  })
        .lane;
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
