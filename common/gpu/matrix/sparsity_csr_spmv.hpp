// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies SparsityCsr by vectors, by tiles of the merge path. The common value of the entries is
// part of alpha.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/merge_path_spmv.hpp"
#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/sparsity_csr_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace sparsity_csr {

using matrix::Dense;
using matrix::SparsityCsr;

/// Computes x = alpha a b + beta x; null stands for alpha = 1 and beta = 0.
template <typename V, typename I>
void run_spmv(const DeviceExecutor& exec, const V* alpha, const SparsityCsr<V, I>& a, const Dense<V>& b, const V* beta,
              Dense<V>& x)
{
    using T = device_type<V>;
    const auto num_rows = a.get_size()[0];
    const auto num_tiles = merge_path::num_tiles<T>(num_rows, a.get_num_nonzeros());
    const merge_path::scratch_layout<T, I> layout{num_tiles, b.get_size()[1], true};
    const auto factor_begin = layout.aligned(layout.size);
    const auto scratch = exec.acquire_scratch(factor_begin + sizeof(T));
    const auto start_rows = scratch.template as<I>();
    const auto carries = reinterpret_cast<T*>(scratch.template as<char>() + layout.carries_begin);
    const auto factor = reinterpret_cast<T*>(scratch.template as<char>() + factor_begin);
    const auto value = as_device(a.get_const_value());
    if (alpha) {
        run_for_each(exec, 1, [factor, value, alpha = as_device(alpha)] SPRUCE_KERNEL_LAMBDA(size_type) {
            *factor = *alpha * *value;
        });
    }
    kernels::csr::find_start_rows<I>(exec, a.get_const_row_ptrs(), num_rows, merge_path::tile_size<T>, 1, start_rows,
                                     nullptr, num_tiles + 1);
    const spmv_tiles::pattern_arrays<T, I> arrays{num_rows, a.get_const_row_ptrs(), a.get_const_col_idxs()};
    const spmv_tiles::output<T> out{as_device(x.get_values()), x.get_stride(), alpha ? factor : value, as_device(beta)};
    merge_path::run<V>(exec, arrays, merge_path::kernel::tile_list<I>{start_rows, num_tiles, false}, b, out, carries);
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
