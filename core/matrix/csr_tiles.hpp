// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/types.hpp>

namespace spruce::matrix::csr {

/// Entries, or entries and row ends together, that one block of a GPU takes at a time in the strategies that deal entries
/// out: as many products as a quarter of the shared memory that every GPU has.
template <typename ValueType>
constexpr int64 spmv_tile_items = sizeof(ValueType) <= 8 ? 2048 : 1024;

}  // namespace spruce::matrix::csr
