// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Stores one half of Hermitian blocks, see block_row. Row i of a block reads the other half from
// rows of the block at a distance d in column d, which are adjacent in memory to its own entry.

#include "common/unified/base/prelude.hpp"
#include "common/unified/preconditioner/block_entries.hpp"
#include "core/preconditioner/jacobi_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace jacobi {

using spruce::preconditioner::detail::block_diagonal;

template <typename V, typename I>
void find_hermitian(const DeviceExecutor& exec, block_diagonal<V, I>& blocks)
{
    blocks.hermitian_rows.resize_and_reset(blocks.num_rows);
    run_for_each(exec, blocks.num_rows,
                 [entries = entries_of(blocks),
                  hermitian_rows = blocks.hermitian_rows.get_data()] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto first_row = entries.first_row(row);
                     const auto position = static_cast<int>(entries.rows[row].position);
                     const auto block_size = entries.block_size(row);
                     auto is_hermitian = block_size > 2;
                     for (int j = 0; is_hermitian && j < block_size; ++j) {
                         is_hermitian = entries(row, j) == conj_of(entries(first_row + j, position));
                     }
                     hermitian_rows[row] = is_hermitian ? 1 : 0;
                 });
    run_for_each(exec, blocks.num_rows,
                 [rows = blocks.rows.get_data(),
                  hermitian_rows = blocks.hermitian_rows.get_const_data()] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto first_row = row - rows[row].position;
                     uint8 is_hermitian = 1;
                     for (int i = 0; i < rows[row].block_size; ++i) {
                         is_hermitian &= hermitian_rows[first_row + i];
                     }
                     rows[row].is_halved = is_hermitian;
                 });
}

template <typename V, typename I>
void halve(const DeviceExecutor& exec, block_diagonal<V, I>& blocks)
{
    using T = device_type<V>;
    constexpr int max_stored = spruce::preconditioner::block_storage_scheme::slice_size / 2 + 1;
    run_for_each(exec, blocks.num_rows, [entries = entries_of(blocks)] SPRUCE_KERNEL_LAMBDA(size_type row) {
        const auto row_info = entries.rows[row];
        if (row_info.is_halved == 0) {
            return;
        }
        T stored[max_stored];
        for (int d = 0; d <= row_info.block_size / 2; ++d) {
            stored[d] = entries(row, (row_info.position + d) % row_info.block_size);
        }
        for (int d = 0; d <= row_info.block_size / 2; ++d) {
            entries(row, d) = stored[d];
        }
    });
}

template <typename V, typename I>
void expand(const DeviceExecutor& exec, const block_diagonal<V, I>& blocks, block_diagonal<V, I>& result)
{
    run_for_each(exec, blocks.num_rows,
                 [from = entries_of(blocks), to = entries_of(result)] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto row_info = from.rows[row];
                     const int block_size = row_info.block_size;
                     for (int j = 0; row_info.is_halved != 0 && j < block_size; ++j) {
                         const auto distance = (j + block_size - row_info.position) % block_size;
                         to(row, j) = distance <= block_size / 2
                                          ? from(row, distance)
                                          : conj_of(from(from.first_row(row) + j, block_size - distance));
                     }
                 });
}

/// Adds the products of a row of a block with rows of b, of which the first belongs to the first
/// row of the block.
template <int num_cols, typename T>
SPRUCE_HOST_DEVICE_INLINE void multiply_row(const block_entries<const T>& entries, size_type row, const T* b,
                                            size_type b_stride, int max_cols, T* sums)
{
    constexpr auto stride = int{block_entries<const T>::stride};
    const auto values = entries.row_begin(row);
    const auto row_info = entries.rows[row];
    const int position = row_info.position;
    const int block_size = row_info.block_size;
    if (row_info.is_halved == 0) {
        for (int j = 0; j < block_size; ++j) {
            add_products<num_cols>(values[j * stride], b + j * b_stride, max_cols, sums);
        }
        return;
    }
    // The block has rows in at most two slices.
    const auto first_row = row - position;
    const auto first_slice = first_row / stride;
    const auto begin = entries.row_begin(first_slice * stride);
    const auto end = entries.row_begin((first_row + block_size - 1) / stride * stride) - stride;
    const auto first_in_slice = static_cast<int>(first_row % stride);
    add_products<num_cols>(values[0], b + position * b_stride, max_cols, sums);
    for (int d = 1; 2 * d < block_size; ++d) {
        const auto next = position + d < block_size ? position + d : position + d - block_size;
        const auto previous = position >= d ? position - d : position - d + block_size;
        const auto in_slice = first_in_slice + previous;
        const auto mirrored = (in_slice < stride ? begin : end)[in_slice + d * stride];
        add_products<num_cols>(values[d * stride], b + next * b_stride, max_cols, sums);
        add_products<num_cols>(conj_of(mirrored), b + previous * b_stride, max_cols, sums);
    }
    if (block_size % 2 == 0) {
        const auto d = block_size / 2;
        const auto opposite = position < d ? position + d : position - d;
        add_products<num_cols>(values[d * stride], b + opposite * b_stride, max_cols, sums);
    }
}

}  // namespace jacobi

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
