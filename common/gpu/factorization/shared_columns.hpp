// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include "common/gpu/base/prelude.hpp"

/// Searches the columns of a row in shared memory. They are sorted, and filled up to a power of two
/// with columns that no matrix has, so that all lanes search in the same number of steps.
namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::factor_rows {

/// Fills the columns after those of the row.
template <int max_entries, typename Subwarp, typename I>
__device__ __forceinline__ void pad_columns(const Subwarp& subwarp, I* cols, int num_entries)
{
#pragma unroll 1
    for (int i = num_entries + static_cast<int>(subwarp.thread_rank()); i < max_entries; i += subwarp.size()) {
        cols[i] = std::numeric_limits<I>::max();
    }
}

/// Returns the first position whose column is at least col, or the last one.
template <int max_entries, typename I>
__device__ __forceinline__ int find_column(const I* cols, I col)
{
    static_assert((max_entries & (max_entries - 1)) == 0, "a search halves a power of two");
    int position = 0;
#pragma unroll
    for (int step = max_entries / 2; step > 0; step /= 2) {
        position += cols[position + step - 1] < col ? step : 0;
    }
    return position;
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::factor_rows
