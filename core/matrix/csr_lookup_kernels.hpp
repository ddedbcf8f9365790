// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/kernel.hpp"
#include "core/matrix/csr_lookup.hpp"

namespace spruce::kernels::csr {

/// types[row] = the kind of table that the row gets, sizes[row] = how much storage that takes.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* col_idxs, size_type num_rows, int32* types, I* sizes)>
    plan_lookup{"csr::plan_lookup"};

/// Fills all tables: storage is what the view sees.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const matrix::csr::lookup_view<I>& view, size_type num_rows, I* storage)> build_lookup{
    "csr::build_lookup"};

/// places[i] = where row rows[i] has column cols[i], counted from its first entry, or -1
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const matrix::csr::lookup_view<I>& view, const I* rows, const I* cols, size_type size,
                                 I* places)>
    find_entries{"csr::find_entries"};

}  // namespace spruce::kernels::csr
