// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/sellp_kernels.hpp"

#include "common/unified/base/prelude.hpp"
#include "core/matrix/dense_kernels.hpp"
#include "core/matrix/padded_rows.hpp"

#include SPRUCE_DEVICE_FILE(matrix, padded_rows)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace sellp {

template <typename I>
void compute_slice_lengths(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, size_type slice_size,
                           size_type stride_factor, size_type* lengths)
{
    run_for_each(exec, ceildiv(num_rows, slice_size), [=] SPRUCE_KERNEL_LAMBDA(size_type slice) {
        const auto begin = slice * slice_size;
        const auto end = begin + slice_size < num_rows ? begin + slice_size : num_rows;
        I max_length{};
        for (auto row = begin; row < end; ++row) {
            const auto length = row_ptrs[row + 1] - row_ptrs[row];
            max_length = max_length < length ? length : max_length;
        }
        lengths[slice] = (static_cast<size_type>(max_length) + stride_factor - 1) / stride_factor * stride_factor;
    });
}

}  // namespace sellp

void register_sellp()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using Matrix = matrix::Sellp<V, I>;
        kernels::sellp::spmv<V, I>.template set<DeviceExecutor>(&padded_rows::spmv<Matrix>);
        kernels::sellp::advanced_spmv<V, I>.template set<DeviceExecutor>(&padded_rows::advanced_spmv<Matrix>);
        kernels::sellp::spmv_with_dot<V, I>.template set<DeviceExecutor>(&padded_rows::spmv_with_dot<Matrix>);
        kernels::sellp::fill_from_csr<V, I>.template set<DeviceExecutor>(&padded_rows::fill_from_csr<Matrix>);
        kernels::sellp::count_entries<V, I>.template set<DeviceExecutor>(&padded_rows::count_entries<Matrix>);
        kernels::sellp::convert_to_csr<V, I>.template set<DeviceExecutor>(&padded_rows::convert_to_csr<Matrix>);
        kernels::sellp::extract_diagonal<V, I>.template set<DeviceExecutor>(&padded_rows::extract_diagonal<Matrix>);
    });
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::sellp::compute_slice_lengths<I>.template set<DeviceExecutor>(&sellp::compute_slice_lengths<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
