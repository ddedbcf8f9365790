// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>

#include "core/matrix/csr_kernels.hpp"

namespace spruce::detail {

/// Returns the number of entries of the longest row, or zero if there are no rows.
template <typename IndexType>
size_type max_row_length(const array<IndexType>& row_ptrs)
{
    size_type result{};
    if (row_ptrs.get_size() > 1) {
        kernels::csr::compute_max_row_length<IndexType>(*row_ptrs.get_executor(), row_ptrs.get_const_data(),
                                                        row_ptrs.get_size() - 1, result);
    }
    return result;
}

}  // namespace spruce::detail
