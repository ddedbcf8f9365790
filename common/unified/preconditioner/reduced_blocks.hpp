// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains the kernels for blocks that are stored in fewer bits (Anzt, Dongarra, Flegar, Higham and
// Quintana-Orti 2019, Adaptive Precision in Block-Jacobi Preconditioning).

#include "common/unified/base/prelude.hpp"
#include "common/unified/preconditioner/reduced_storage.hpp"
#include "core/preconditioner/jacobi_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace jacobi {

using spruce::preconditioner::detail::block_diagonal;

template <typename V, typename I>
void compute_norms(const DeviceExecutor& exec, block_diagonal<V, I>& blocks, size_type offset, bool with_largest)
{
    using R = remove_complex<V>;
    run_for_each(exec, blocks.num_rows,
                 [=, num_rows = blocks.num_rows, norms = blocks.norms.get_data() + offset,
                  entries = entries_of(blocks)] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto first_row = entries.first_row(row);
                     const auto col = static_cast<int>(entries.rows[row].position);
                     R sum{};
                     R largest{};
                     for (int i = 0; i < entries.block_size(row); ++i) {
                         const R magnitude = abs_of(entries(first_row + i, col));
                         sum += magnitude;
                         largest = largest < magnitude ? magnitude : largest;
                     }
                     norms[row] = sum;
                     if (with_largest) {
                         norms[num_rows + row] = largest;
                     }
                 });
}

template <typename V, typename I>
void choose_formats(const DeviceExecutor& exec, block_diagonal<V, I>& blocks, remove_complex<V> accuracy)
{
    using R = remove_complex<V>;
    constexpr auto slice_size = size_type{spruce::preconditioner::block_storage_scheme::slice_size};
    const auto num_rows = blocks.num_rows;
    const auto num_blocks = blocks.get_num_blocks();
    const auto block_ptrs = blocks.block_ptrs.get_const_data();
    const auto rows = blocks.rows.get_const_data();
    const auto block_formats = blocks.block_formats.get_data();
    const auto formats = blocks.formats.get_data();
    const auto row_formats = blocks.row_formats.get_data();
    run_for_each(exec, num_blocks,
                 [=, norms = blocks.norms.get_const_data(), requested = blocks.requested.get_const_data(),
                  is_single = blocks.requested.get_size() == 1,
                  conditioning = blocks.conditioning.get_data()] SPRUCE_KERNEL_LAMBDA(size_type block) {
                     R before{};
                     R after{};
                     R largest{};
                     const auto begin = static_cast<size_type>(block_ptrs[block]);
                     for (auto row = begin; row < static_cast<size_type>(block_ptrs[block + 1]); ++row) {
                         before = before < norms[row] ? norms[row] : before;
                         after = after < norms[num_rows + row] ? norms[num_rows + row] : after;
                         largest = largest < norms[2 * num_rows + row] ? norms[2 * num_rows + row] : largest;
                     }
                     conditioning[block] = before * after;
                     row_formats[begin] =
                         choose_format(requested[is_single ? 0 : block], conditioning[block], largest, accuracy);
                 });
    run_for_each(exec, blocks.get_num_slices(), [=] SPRUCE_KERNEL_LAMBDA(size_type slice) {
        auto format = precision_reduction::autodetect();
        for (auto row = slice * slice_size; row < (slice + 1) * slice_size && row < num_rows; ++row) {
            format = precision_reduction::common(format, row_formats[row - rows[row].position]);
        }
        formats[slice] = format;
    });
    run_for_each(exec, num_blocks, [=] SPRUCE_KERNEL_LAMBDA(size_type block) {
        block_formats[block] =
            precision_reduction::common(formats[static_cast<size_type>(block_ptrs[block]) / slice_size],
                                        formats[static_cast<size_type>(block_ptrs[block + 1] - 1) / slice_size]);
    });
}

/// Calls the function of a slice, made by Function{slice, width}, for each slice.
template <template <typename> class Function, typename V, typename I>
void convert_slices(const DeviceExecutor& exec, block_diagonal<V, I>& blocks)
{
    using T = device_type<V>;
    run_for_each(exec, blocks.get_num_slices(),
                 [formats = blocks.formats.get_const_data(),
                  entries = entries_of(blocks)] SPRUCE_KERNEL_LAMBDA(size_type slice) {
                     const auto begin = entries.slice_ptrs[slice];
                     const auto width = static_cast<int>(entries.slice_ptrs[slice + 1] - begin) / entries.stride;
                     Function<T> convert{{entries.values + begin}, width};
                     visit_format<T>(formats[slice], convert);
                 });
}

template <typename V, typename I>
void reduce_storage(const DeviceExecutor& exec, block_diagonal<V, I>& blocks)
{
    convert_slices<reduce_slice>(exec, blocks);
}

template <typename V, typename I>
void restore_storage(const DeviceExecutor& exec, block_diagonal<V, I>& blocks)
{
    convert_slices<restore_slice>(exec, blocks);
}

}  // namespace jacobi

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
