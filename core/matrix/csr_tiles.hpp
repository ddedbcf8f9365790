// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

namespace spruce::matrix::csr {

/// Entries, or entries and row ends together, that one block of a GPU takes at a time: four for each of its threads. On an
/// H200 fewer leave too few loads in flight, and more take shared memory away from the first-level cache, which holds the
/// vector (2048 items: 7-point 160^3 8 % slower, R-MAT scale 20 6 % slower; 512: 28 % slower, 5 % faster).
template <typename ValueType>
constexpr int64 spmv_tile_items = sizeof(ValueType) <= 8 ? 1024 : 512;

}  // namespace spruce::matrix::csr
