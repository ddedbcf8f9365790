// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "core/matrix/sparsity_csr_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace sparsity_csr {

using matrix::Dense;
using matrix::SparsityCsr;

namespace kernel {

/// Computes x = alpha a b + beta x; null stands for alpha = 1 and beta = 0. Each row and right-hand
/// side has a subwarp. Its lanes read the row's entries in strides, then reduce their sums.
template <int subwarp_size, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void spmv(size_type num_rows, size_type num_rhs,
                                                           const I* __restrict__ row_ptrs,
                                                           const I* __restrict__ col_idxs, const T* value,
                                                           dense_entries<const T> b, const T* alpha, const T* beta,
                                                           dense_entries<T> x)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<subwarp_size>() / num_rhs;
    const auto rhs = global_subwarp_id<subwarp_size>() % num_rhs;
    if (row >= num_rows) {
        return;
    }
    const auto end = row_ptrs[row + 1];
    T sum{};
    for (auto nz = row_ptrs[row] + static_cast<I>(subwarp.thread_rank()); nz < end; nz += subwarp_size) {
        sum += b(warp::load_streaming(col_idxs + nz), rhs);
    }
    sum = reduce_add(subwarp, sum);
    if (subwarp.thread_rank() == 0) {
        x(row, rhs) = combine(alpha ? *alpha : one<T>(), *value * sum, beta ? *beta : T{}, x(row, rhs));
    }
}

}  // namespace kernel

template <typename V, typename I>
void run_spmv(const DeviceExecutor& exec, const V* alpha, const SparsityCsr<V, I>& a, const Dense<V>& b, const V* beta,
              Dense<V>& x)
{
    const auto num_rows = x.get_size()[0];
    const auto num_rhs = x.get_size()[1];
    const auto mean = a.get_num_nonzeros() / std::max<size_type>(num_rows, 1);
    // The loads of a warp are already adjacent if there are several right-hand sides.
    select_subwarp_size(num_rhs > 1 ? ceildiv(mean, num_rhs) : mean, [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        launch(exec, kernel::spmv<subwarp_size, device_type<V>, I>, num_rows * num_rhs * subwarp_size, num_rows,
               num_rhs, a.get_const_row_ptrs(), a.get_const_col_idxs(), as_device(a.get_const_value()), entries_of(b),
               as_device(alpha), as_device(beta), entries_of(x));
    });
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
