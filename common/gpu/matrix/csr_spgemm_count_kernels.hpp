// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/csr_spgemm_sorted_rows.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_algebra_kernels.hpp"
#include "core/matrix/csr_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {
namespace spgemm {
namespace kernel {

/// Computes bounds[row], the number of products in the row, but at most the number of columns. Rows
/// with more than max_entries entries are not visited: their bound is the largest number. The bound
/// of a row with more entries than a tiny row may have exceeds the capacity of tiny rows.
template <int subwarp_size, typename I>
__global__ __launch_bounds__(default_block_size) void bound_rows(
    size_type num_rows, int64 num_cols, I max_entries, const I* __restrict__ a_row_ptrs, const I* __restrict__ a_cols,
    const I* __restrict__ b_row_ptrs, const I* __restrict__ d_row_ptrs, I* __restrict__ bounds)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<subwarp_size>();
    if (row >= num_rows) {
        return;
    }
    const auto begin = a_row_ptrs[row];
    const auto end = a_row_ptrs[row + 1];
    if (end - begin > max_entries) {
        if (subwarp.thread_rank() == 0) {
            bounds[row] = no_column<I>;
        }
        return;
    }
    int64 sum{};
    for (auto nz = begin + subwarp.thread_rank(); nz < end; nz += subwarp_size) {
        const auto col = a_cols[nz];
        sum += b_row_ptrs[col + 1] - b_row_ptrs[col];
    }
    sum = reduce_add(subwarp, sum);
    if (subwarp.thread_rank() == 0) {
        if (d_row_ptrs) {
            sum += d_row_ptrs[row + 1] - d_row_ptrs[row];
        }
        const auto bound = min(sum, num_cols);
        const auto may_be_tiny = end - begin <= counted_bin_0::max_entries;
        bounds[row] = static_cast<I>(may_be_tiny ? bound : max(bound, int64{counted_bin_0::capacity + 1}));
    }
}

/// Counts the columns of one row per thread.
template <typename Bin, typename I>
__global__ __launch_bounds__(default_block_size) void count_tiny(const I* __restrict__ rows, size_type num_rows,
                                                                 operand<void, I> a, operand<void, I> b,
                                                                 operand<void, I> d, I* counts)
{
    __shared__ I lists[rows_per_block<Bin, sizeof(I)> * Bin::stride];
    const auto index = global_thread_id();
    if (index >= num_rows) {
        return;
    }
    const auto row = rows[index];
    column_list<I> list{lists + threadIdx.x * Bin::stride, 0};
    const auto move_nothing = [](int, int) {};
    const auto insert_columns = [&](const operand<void, I>& from, I begin, I end) {
        for (auto nz = begin; nz < end; ++nz) {
            bool is_new{};
            list.insert(from.col_idxs[nz], move_nothing, is_new);
        }
    };
    if (d.row_ptrs) {
        insert_columns(d, d.row_ptrs[row], d.row_ptrs[row + 1]);
    }
    for_each_row_of_b(a, b, row, [&](I, I begin, I end) { insert_columns(b, begin, end); });
    counts[row] = static_cast<I>(list.size);
}

template <typename Bin, typename I>
__global__ __launch_bounds__(default_block_size) void count_short(const I* __restrict__ rows, size_type num_rows,
                                                                  operand<void, I> a, operand<void, I> b,
                                                                  operand<void, I> d, I* counts)
{
    constexpr int subwarp_size = Bin::subwarp_size;
    constexpr int num_tables = rows_per_block<Bin, sizeof(I)>;
    __shared__ I tables[num_tables * Bin::stride];
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto index = global_subwarp_id<subwarp_size>();
    if (index >= num_rows) {
        return;
    }
    const auto lane = subwarp.thread_rank();
    const auto row = rows[index];
    const auto keys = tables + threadIdx.x / subwarp_size * Bin::stride;
    for (int i = lane; i < Bin::table_size; i += subwarp_size) {
        keys[i] = no_column<I>;
    }
    subwarp.sync();
    I count{};
    const auto insert_columns = [&](const operand<void, I>& from, I begin, I end) {
        for (auto nz = begin + lane; nz < end; nz += subwarp_size) {
            bool is_new{};
            insert(keys, Bin::table_size, from.col_idxs[nz], is_new);
            count += is_new ? 1 : 0;
        }
    };
    if (d.row_ptrs) {
        insert_columns(d, d.row_ptrs[row], d.row_ptrs[row + 1]);
    }
    const auto end = a.row_ptrs[row + 1];
    for (auto first = a.row_ptrs[row]; first < end; first += subwarp_size) {
        // Each lane loads the bounds of one row of b.
        const auto a_nz = first + lane;
        const auto col = a_nz < end ? a.col_idxs[a_nz] : I{};
        const auto b_begin = a_nz < end ? b.row_ptrs[col] : I{};
        const auto b_end = a_nz < end ? b.row_ptrs[col + 1] : I{};
        const auto num = static_cast<int>(min(static_cast<I>(subwarp_size), end - first));
        for (int i = 0; i < num; ++i) {
            insert_columns(b, subwarp.shfl(b_begin, i), subwarp.shfl(b_end, i));
        }
    }
    count = reduce_add(subwarp, count);
    if (lane == 0) {
        counts[row] = count;
    }
}

/// Counts the columns of one row per block.
template <typename I>
__global__ __launch_bounds__(default_block_size) void count_long(const I* __restrict__ rows, operand<void, I> a,
                                                                 operand<void, I> b, operand<void, I> d, I* counts)
{
    constexpr int table_size = block_table_size<I>;
    __shared__ I keys[table_size];
    __shared__ uint64 scratch[default_block_size / warp_size];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto row = rows[blockIdx.x];
    for (int i = threadIdx.x; i < table_size; i += default_block_size) {
        keys[i] = no_column<I>;
    }
    __syncthreads();
    uint64 count{};
    const auto insert_columns = [&](const operand<void, I>& from, I begin, I end, int rank, int size) {
        for (auto nz = begin + rank; nz < end; nz += size) {
            bool is_new{};
            insert(keys, table_size, from.col_idxs[nz], is_new);
            count += is_new ? 1 : 0;
        }
    };
    if (d.row_ptrs) {
        insert_columns(d, d.row_ptrs[row], d.row_ptrs[row + 1], static_cast<int>(threadIdx.x), default_block_size);
    }
    for (auto nz = a.row_ptrs[row] + static_cast<I>(threadIdx.x / warp_size); nz < a.row_ptrs[row + 1];
         nz += default_block_size / warp_size) {
        const auto col = a.col_idxs[nz];
        insert_columns(b, b.row_ptrs[col], b.row_ptrs[col + 1], warp.thread_rank(), warp_size);
    }
    count = block_reduce_add<default_block_size>(count, scratch);
    if (threadIdx.x == 0) {
        counts[row] = static_cast<I>(count);
    }
}
}  // namespace kernel
}  // namespace spgemm

template <typename V, typename I>
void spgemm_count(const DeviceExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>* d, I* counts)
{
    using namespace spgemm;
    const auto shared_exec = exec.shared_from_this();
    const auto num_rows = a.get_size()[0];
    const operand<void, I> left{a.get_const_row_ptrs(), a.get_const_col_idxs(), nullptr};
    const operand<void, I> right{b.get_const_row_ptrs(), b.get_const_col_idxs(), nullptr};
    const auto added =
        d ? operand<void, I>{d->get_const_row_ptrs(), d->get_const_col_idxs(), nullptr} : operand<void, I>{};

    array<I> bounds{shared_exec, num_rows};
    const auto mean = a.get_num_stored_elements() / std::max<size_type>(1, num_rows) + 1;
    select_subwarp_size(mean / 2, [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        launch(exec, kernel::bound_rows<subwarp_size, I>, num_rows * subwarp_size, num_rows,
               static_cast<int64>(b.get_size()[1]), max_entries_of_bins<I>(num_rows, a.get_num_stored_elements()),
               left.row_ptrs, left.col_idxs, right.row_ptrs, added.row_ptrs, bounds.get_data());
    });
    // Most rows have far fewer columns than products, so tables may be filled up to the bound.
    const auto bins = bin_rows(
        exec, bounds.get_const_data(), num_rows,
        kernel::bin_limits{{counted_bin_0::capacity, bin_1::table_size, bin_2::table_size, block_table_size<I>}});
    launch_short<counted_bin_0, sizeof(I)>(exec, kernel::count_tiny<counted_bin_0, I>, bins, 0, left, right, added,
                                           counts);
    launch_short<bin_1, sizeof(I)>(exec, kernel::count_short<bin_1, I>, bins, 1, left, right, added, counts);
    launch_short<bin_2, sizeof(I)>(exec, kernel::count_short<bin_2, I>, bins, 2, left, right, added, counts);
    launch_blocks(exec, kernel::count_long<I>, bins.size(block_bin), bins.rows(block_bin), left, right, added, counts);
    const auto num_longest = bins.size(longest_bin);
    const auto is_b_sorted = num_longest > 0 && is_sorted(exec, b);
    const auto longest = select_sorted_rows(exec, bins.rows(longest_bin), num_longest, left, b, is_b_sorted);
    find_columns<V, I>(exec, longest.rows, longest.size, left, b, is_b_sorted, added, nullptr, nullptr, counts);
    count_sorted(exec, longest.sorted, left, right, added, b.get_size()[1], counts);
}

}  // namespace csr

void register_csr_spgemm_count()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::spgemm_count<V, I>.template set<DeviceExecutor>(&csr::spgemm_count<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
