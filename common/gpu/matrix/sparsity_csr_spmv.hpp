// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies SparsityCsr by vectors: by blocks of whole rows if the rows have about equal lengths,
// and by tiles of the merge path otherwise. The common value of the entries is part of alpha.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/many_columns_spmv.hpp"
#include "common/gpu/matrix/merge_path_spmv.hpp"
#include "common/gpu/matrix/whole_rows_spmv.hpp"
#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/csr_tiles.hpp"
#include "core/matrix/sparsity_csr_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace sparsity_csr {

using matrix::Dense;
using matrix::SparsityCsr;

template <typename V, typename T, typename I>
void run_whole_rows(const DeviceExecutor& exec, const spmv_tiles::pattern_arrays<T, I>& arrays,
                    const whole_rows::row_lengths& lengths, const Dense<V>& b, const spmv_tiles::output<T>& out)
{
    switch (b.get_size()[1]) {
    case 1:
        return whole_rows::run<1>(exec, arrays, lengths, b, out);
    case 2:
        return whole_rows::run<2>(exec, arrays, lengths, b, out);
    default:
        return many_columns::run(exec, many_columns::rows_of(arrays), arrays.num_rows, lengths.mean, b, out);
    }
}

/// Returns the value of the entries times alpha, on the device; null stands for alpha = 1.
/// @param result  memory for it
template <typename V, typename I>
const device_type<V>* factor_of(const DeviceExecutor& exec, const V* alpha, const SparsityCsr<V, I>& a,
                                device_type<V>* result)
{
    const auto value = as_device(a.get_const_value());
    if (!alpha) {
        return value;
    }
    run_for_each(exec, 1, [result, value, alpha = as_device(alpha)] SPRUCE_KERNEL_LAMBDA(size_type) {
        *result = *alpha * *value;
    });
    return result;
}

/// Computes x = alpha a b + beta x; null stands for alpha = 1 and beta = 0.
template <typename V, typename I>
void run_spmv(const DeviceExecutor& exec, const V* alpha, const SparsityCsr<V, I>& a, const Dense<V>& b, const V* beta,
              Dense<V>& x)
{
    using T = device_type<V>;
    const auto num_rows = a.get_size()[0];
    const auto nnz = a.get_num_nonzeros();
    if (num_rows == 0 || b.get_size()[1] == 0) {
        return;
    }
    const spmv_tiles::pattern_arrays<T, I> arrays{num_rows, a.get_const_row_ptrs(), a.get_const_col_idxs()};
    spmv_tiles::output<T> out{as_device(x.get_values()), x.get_stride(), nullptr, as_device(beta)};
    const auto max_length = a.get_max_row_length();
    if (matrix::csr::distributes_whole_rows<V>({num_rows, nnz, max_length}, b.get_size()[1], num_resident_blocks(exec),
                                               false)) {
        const auto scratch = exec.acquire_scratch(sizeof(T));
        out.alpha = factor_of(exec, alpha, a, scratch.template as<T>());
        run_whole_rows(exec, arrays, whole_rows::lengths_of(num_rows, nnz, max_length), b, out);
        return;
    }
    const auto items_per_tile = merge_path::items_per_tile<T>(nnz, max_length, b.get_size()[1]);
    const auto num_tiles = merge_path::num_tiles(num_rows, nnz, items_per_tile);
    const merge_path::scratch_layout<T, I> layout{num_tiles, b.get_size()[1], true};
    const auto factor_begin = layout.aligned(layout.size);
    const auto scratch = exec.acquire_scratch(factor_begin + sizeof(T));
    const auto start_rows = scratch.template as<I>();
    const auto carries = reinterpret_cast<T*>(scratch.template as<char>() + layout.carries_begin);
    const auto factor = reinterpret_cast<T*>(scratch.template as<char>() + factor_begin);
    out.alpha = factor_of(exec, alpha, a, factor);
    kernels::csr::find_start_rows<I>(exec, a.get_const_row_ptrs(), num_rows, items_per_tile, 1, start_rows, nullptr,
                                     num_tiles + 1);
    const merge_path::kernel::tile_list<I> tiles{start_rows, num_tiles, items_per_tile, false};
    merge_path::run<V>(exec, arrays, tiles, b, out, carries);
}

template <typename V, typename I>
void spmv(const DeviceExecutor& exec, const SparsityCsr<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    run_spmv<V, I>(exec, nullptr, a, b, nullptr, x);
}

template <typename V, typename I>
void advanced_spmv(const DeviceExecutor& exec, const Dense<V>& alpha, const SparsityCsr<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    run_spmv(exec, alpha.get_const_values(), a, b, beta.get_const_values(), x);
}

}  // namespace sparsity_csr

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
