// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Extracts the diagonals of Ell and Sellp. Matrix is one of the two types.

#include "core/matrix/padded_rows.hpp"

#include <spruce/matrix/diagonal.hpp>

#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace padded_rows {

template <typename Matrix>
using value_of = typename Matrix::value_type;
template <typename Matrix>
using index_of = typename Matrix::index_type;

/// Extracts the diagonal by one thread for each row.
template <typename Matrix>
void extract_diagonal_by_rows(const DeviceExecutor& exec, const Matrix& a, matrix::Diagonal<value_of<Matrix>>& d)
{
    run_for_each(exec, d.get_size()[0],
                 [layout = layout_of(a), cols = a.get_const_col_idxs(), values = as_device(a.get_const_values()),
                  diagonal = as_device(d.get_values())] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto entries = offsets_of(layout, row);
                     for (size_type i = 0; i < entries.length; ++i) {
                         const auto offset = entries.begin + i * layout.width;
                         if (cols[offset] == static_cast<index_of<Matrix>>(row)) {
                             diagonal[row] += values[offset];
                         }
                     }
                 });
}

}  // namespace padded_rows

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
