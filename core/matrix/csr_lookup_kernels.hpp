// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/kernel.hpp"
#include "core/matrix/csr_lookup.hpp"

namespace spruce::kernels::csr {

/// Computes types[row] = the type of the table for the row, and sizes[row] = the number of elements
/// of storage that the table needs. Reference needs none, since it searches the rows.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* col_idxs, size_type num_rows, int32* types, I* sizes)>
    plan_lookup{"csr::plan_lookup"};

/// Fills all tables. storage is the array that the view refers to.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const matrix::csr::lookup_view<I>& view, size_type num_rows, I* storage)> build_lookup{
    "csr::build_lookup"};

/// Computes positions[i] = the position of column cols[i] in row rows[i], counted from the first
/// entry of the row, or -1 if there is no such entry.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const matrix::csr::lookup_view<I>& view, const I* rows, const I* cols, size_type size,
                                 I* positions)>
    find_entries{"csr::find_entries"};

}  // namespace spruce::kernels::csr
