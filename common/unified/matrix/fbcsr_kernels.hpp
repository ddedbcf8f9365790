// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/fbcsr_kernels.hpp"

#include "common/numeric/merge_rows.hpp"
#include "common/unified/base/prelude.hpp"

#include SPRUCE_DEVICE_FILE(matrix, fbcsr_blocks)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace fbcsr {

using matrix::Diagonal;
using matrix::Fbcsr;

template <typename V, typename I>
void gather_blocks(const DeviceExecutor& exec, const V* values, const I* positions, size_type num_blocks,
                   int block_size, kernels::fbcsr::block_copy copy_mode, V* new_values)
{
    using kernels::fbcsr::block_copy;
    const auto bs = static_cast<size_type>(block_size);
    run_for_each(exec, num_blocks * bs * bs,
                 [values = as_device(values), positions, bs, is_plain = copy_mode == block_copy::plain,
                  is_conjugate = copy_mode == block_copy::conj_transposed,
                  new_values = as_device(new_values)] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     const auto position = i % (bs * bs);
                     const auto from = is_plain ? position : position % bs * bs + position / bs;
                     const auto value = values[positions[i / (bs * bs)] * bs * bs + from];
                     new_values[i] = is_conjugate ? conj_of(value) : value;
                 });
}

template <typename V, typename I>
void extract_diagonal(const DeviceExecutor& exec, const Fbcsr<V, I>& a, Diagonal<V>& d)
{
    const auto bs = static_cast<size_type>(a.get_block_size());
    run_for_each_nonzero(exec, a.get_const_row_ptrs(), a.get_num_block_rows(), a.get_num_stored_blocks(),
                         [bs, col_idxs = a.get_const_col_idxs(), values = as_device(a.get_const_values()),
                          d = as_device(d.get_values())] SPRUCE_KERNEL_LAMBDA(size_type block_row, size_type k) {
                             if (static_cast<size_type>(col_idxs[k]) == block_row) {
                                 for (size_type i = 0; i < bs; ++i) {
                                     d[block_row * bs + i] = values[(k * bs + i) * bs + i];
                                 }
                             }
                         });
}

}  // namespace fbcsr

void register_fbcsr()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::fbcsr::spmv<V, I>.template set<DeviceExecutor>(&fbcsr::spmv<V, I>);
        kernels::fbcsr::advanced_spmv<V, I>.template set<DeviceExecutor>(&fbcsr::advanced_spmv<V, I>);
        kernels::fbcsr::find_blocks<V, I>.template set<DeviceExecutor>(&fbcsr::find_blocks<V, I>);
        kernels::fbcsr::fill_blocks<V, I>.template set<DeviceExecutor>(&fbcsr::fill_blocks<V, I>);
        kernels::fbcsr::convert_to_csr<V, I>.template set<DeviceExecutor>(&fbcsr::convert_to_csr<V, I>);
        kernels::fbcsr::gather_blocks<V, I>.template set<DeviceExecutor>(&fbcsr::gather_blocks<V, I>);
        kernels::fbcsr::extract_diagonal<V, I>.template set<DeviceExecutor>(&fbcsr::extract_diagonal<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
