// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Adds sparse matrices with sorted columns. An entry's position in the merged row is the sum of two
// numbers: its position in its own row, and the number of smaller columns of the other row that
// this row does not have. Therefore no thread waits for the merge of another thread.

#include "common/gpu/base/prelude.hpp"
#include "core/matrix/csr_algebra_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {

using matrix::Csr;
using matrix::Dense;

namespace spgeam_kernel {

template <int subwarp_size, typename I>
__global__ __launch_bounds__(default_block_size) void count(size_type num_rows, const I* __restrict__ a_row_ptrs,
                                                            const I* __restrict__ a_cols,
                                                            const I* __restrict__ b_row_ptrs,
                                                            const I* __restrict__ b_cols, I* __restrict__ counts)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<subwarp_size>();
    if (row >= num_rows) {
        return;
    }
    const auto b_begin = b_row_ptrs[row];
    const auto b_size = b_row_ptrs[row + 1] - b_begin;
    I num{};
    for (auto nz = a_row_ptrs[row] + subwarp.thread_rank(); nz < a_row_ptrs[row + 1]; nz += subwarp_size) {
        const auto position = lower_bound(b_cols + b_begin, I{}, b_size, a_cols[nz]);
        num += position < b_size && b_cols[b_begin + position] == a_cols[nz] ? 0 : 1;
    }
    num = reduce_add(subwarp, num);
    if (subwarp.thread_rank() == 0) {
        counts[row] = num + b_size;
    }
}

template <typename T, typename I>
struct scaled_matrix {
    __device__ __forceinline__ T term(I nz) const { return is_zero(*factor) ? T{} : *factor * values[nz]; }

    const I* row_ptrs;
    const I* col_idxs;
    const T* values;
    const T* factor;
};

/// Calls write(position in the merged row, column, nz, other's nz or -1) for each entry of a row.
template <int subwarp_size, typename T, typename I, typename Write>
__device__ __forceinline__ void for_each_merged_entry(size_type row, const scaled_matrix<T, I>& m,
                                                      const scaled_matrix<T, I>& other, Write write)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto lane = subwarp.thread_rank();
    const auto begin = m.row_ptrs[row];
    const auto size = m.row_ptrs[row + 1] - begin;
    const auto other_begin = other.row_ptrs[row];
    const auto other_size = other.row_ptrs[row + 1] - other_begin;
    I num_shared{};
    for (I first{}; first < size; first += subwarp_size) {
        const auto i = first + lane;
        const auto col = i < size ? m.col_idxs[begin + i] : I{};
        const auto position = i < size ? lower_bound(other.col_idxs + other_begin, I{}, other_size, col) : other_size;
        const auto is_shared = position < other_size && other.col_idxs[other_begin + position] == col;
        const auto shared = subwarp.ballot(is_shared);
        const auto before = warp::popcnt(shared & ((lane_mask_type{1} << lane) - 1));
        if (i < size) {
            write(i + position - num_shared - before, col, begin + i, is_shared ? other_begin + position : I{-1});
        }
        num_shared += warp::popcnt(shared);
    }
}

template <int subwarp_size, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill(size_type num_rows, scaled_matrix<T, I> a,
                                                           scaled_matrix<T, I> b, const I* __restrict__ c_row_ptrs,
                                                           I* __restrict__ c_cols, T* __restrict__ c_values)
{
    const auto row = global_subwarp_id<subwarp_size>();
    if (row >= num_rows) {
        return;
    }
    const auto c_begin = c_row_ptrs[row];
    for_each_merged_entry<subwarp_size>(row, a, b, [=](I position, I col, I a_nz, I b_nz) {
        c_cols[c_begin + position] = col;
        c_values[c_begin + position] = b_nz < 0 ? a.term(a_nz) : a.term(a_nz) + b.term(b_nz);
    });
    for_each_merged_entry<subwarp_size>(row, b, a, [=](I position, I col, I b_nz, I a_nz) {
        if (a_nz < 0) {
            c_cols[c_begin + position] = col;
            c_values[c_begin + position] = b.term(b_nz);
        }
    });
}

}  // namespace spgeam_kernel

template <typename V, typename I>
void spgeam_count(const DeviceExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& b, I* counts)
{
    const auto num_rows = a.get_size()[0];
    select_subwarp_size(a.get_num_stored_elements() / std::max<size_type>(num_rows, 1) + 1, [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        launch(exec, spgeam_kernel::count<subwarp_size, I>, num_rows * subwarp_size, num_rows, a.get_const_row_ptrs(),
               a.get_const_col_idxs(), b.get_const_row_ptrs(), b.get_const_col_idxs(), counts);
    });
}

template <typename V, typename I>
void spgeam_fill(const DeviceExecutor& exec, const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& beta,
                 const Csr<V, I>& b, Csr<V, I>& c)
{
    using T = device_type<V>;
    const auto scaled = [](const Dense<V>& factor, const Csr<V, I>& m) {
        return spgeam_kernel::scaled_matrix<T, I>{m.get_const_row_ptrs(), m.get_const_col_idxs(),
                                                  as_device(m.get_const_values()),
                                                  as_device(factor.get_const_values())};
    };
    const auto num_rows = a.get_size()[0];
    const auto nnz = std::max(a.get_num_stored_elements(), b.get_num_stored_elements());
    select_subwarp_size(nnz / std::max<size_type>(num_rows, 1) + 1, [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        launch(exec, spgeam_kernel::fill<subwarp_size, T, I>, num_rows * subwarp_size, num_rows, scaled(alpha, a),
               scaled(beta, b), c.get_const_row_ptrs(), c.get_col_idxs(), as_device(c.get_values()));
    });
}

}  // namespace csr

void register_csr_spgeam()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::spgeam_count<V, I>.template set<DeviceExecutor>(&csr::spgeam_count<V, I>);
        kernels::csr::spgeam_fill<V, I>.template set<DeviceExecutor>(&csr::spgeam_fill<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
