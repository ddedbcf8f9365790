// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "common/unified/factorization/value_of_a.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::incomplete::kernel {

/// Views the factors, A and the arrays of an incomplete_schedule, which describes them.
template <typename T, typename I>
struct factor_view {
    const I* row_ptrs;
    const I* col_idxs;
    const I* diagonal;
    size_type num_slots;
    const I* slot_rows;
    const I* order;
    const I* slot_ptrs;
    const I* col_ptrs;
    const I* col_rows;
    const I* col_entries;
    const T* a_values;
    const I* sources;
    T* values;
    T* inverse_pivots;  ///< for each row, published like values
    I* bad_row;
};

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE::incomplete::kernel
