// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/unified/preconditioner/hermitian_blocks.hpp"
#include "common/unified/preconditioner/reduced_storage.hpp"
#include "core/preconditioner/jacobi_kernels.hpp"
#include "omp/base/prelude.hpp"

namespace spruce::kernels::omp {

namespace jacobi {

/// Computes finish(row, col, product) for each entry of blocks b, num_cols columns at once.
template <int num_cols, typename V, typename I, typename Finish>
void multiply_columns(const DeviceExecutor& exec, const spruce::preconditioner::detail::block_diagonal<V, I>& blocks,
                      const matrix::Dense<V>& b, Finish finish)
{
    using T = device_type<V>;
    const auto total_cols = b.get_size()[1];
    const auto is_reduced = blocks.formats.get_size() > 0;
    run_for_each_entry(exec, b.get_size()[0], (total_cols + num_cols - 1) / num_cols,
                       [=, b = entries_of(b), formats = blocks.formats.get_const_data(), entries = entries_of(blocks)](
                           size_type row, size_type group) {
                           const auto first_col = group * num_cols;
                           const auto max_cols =
                               static_cast<int>(std::min(total_cols - first_col, size_type{num_cols}));
                           const auto b_of_block = &b(entries.first_row(row), first_col);
                           T sums[num_cols]{};
                           if (is_reduced) {
                               const auto slice = row / entries.stride;
                               multiply_reduced_row<num_cols, T> product{{entries.values + entries.slice_ptrs[slice]},
                                                                         static_cast<int>(row % entries.stride),
                                                                         entries.block_size(row),
                                                                         b_of_block,
                                                                         b.stride,
                                                                         max_cols,
                                                                         {}};
                               visit_format<T>(formats[slice], product);
                               std::copy_n(product.sums, num_cols, sums);
                           } else {
                               multiply_row<num_cols>(entries, row, b_of_block, b.stride, max_cols, sums);
                           }
                           for (int i = 0; i < max_cols; ++i) {
                               finish(row, first_col + i, sums[i]);
                           }
                       });
}

}  // namespace jacobi

}  // namespace spruce::kernels::omp
