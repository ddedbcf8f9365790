// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Computes the rows of products that are too long for a table in shared memory. A block finds the
// columns of a row by marking them in a bit map, from which it lists them in order. Then the row is
// split into segments of equally many columns. One warp per segment adds the products of its
// columns. Thus many warps share a long row, and no two warps add to one value (doc/tuning/csr.md).

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/csr_spgemm_tables.hpp"
#include "core/matrix/csr_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {
namespace spgemm {
namespace kernel {

/// Columns that a block marks at once; longer rows take several passes.
constexpr int64 map_bits = int64{shared_bytes} * 8;

/// Entries of a row of b that a lane marks; a warp marks longer rows (doc/tuning/constants.md).
constexpr int max_row_of_lane = 8;

/// Sets counts[row] to the number of columns of the row. If counts is null, it writes the columns
/// of c instead. Each block has one row.
template <typename I>
__global__ __launch_bounds__(default_block_size) void find_columns(const I* __restrict__ rows, operand<void, I> a,
                                                                   operand<void, I> b, operand<void, I> d,
                                                                   int64 num_cols, bool is_b_sorted,
                                                                   const I* c_row_ptrs, I* c_cols, I* counts)
{
    constexpr int num_warps = default_block_size / warp_size;
    __shared__ block_bit_map<map_bits> map;
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const int thread = threadIdx.x;
    const int rank = warp.thread_rank();
    const auto row = rows[blockIdx.x];
    const auto a_end = a.row_ptrs[row + 1];
    auto num_before = counts ? I{} : c_row_ptrs[row];
    for (int64 first = 0; first < num_cols; first += map_bits) {
        const auto size = static_cast<int>(min(num_cols - first, int64{map_bits}));
        map.clear(size);
        __syncthreads();
        const auto mark = [&](const operand<void, I>& from, I begin, I end, int step) {
            for (auto nz = begin; nz < end; nz += step) {
                const auto bit = static_cast<int64>(from.col_idxs[nz]) - first;
                if (bit >= 0 && bit < size) {
                    map.insert(static_cast<int>(bit));
                }
            }
        };
        if (d.row_ptrs) {
            mark(d, d.row_ptrs[row] + thread, d.row_ptrs[row + 1], default_block_size);
        }
        // Each lane finds the entries of one row of b. A warp has every num_warps-th entry of a.
        for (auto warp_nz = a.row_ptrs[row] + thread / warp_size; warp_nz < a_end; warp_nz += num_warps * warp_size) {
            const auto nz = warp_nz + rank * num_warps;
            const auto col = nz < a_end ? a.col_idxs[nz] : I{};
            auto begin = nz < a_end ? b.row_ptrs[col] : I{};
            auto end = nz < a_end ? b.row_ptrs[col + 1] : I{};
            if (is_b_sorted && num_cols > map_bits) {
                begin = lower_bound(b.col_idxs, begin, end, first);
                end = lower_bound(b.col_idxs, begin, end, first + size);
            }
            const auto is_long = end - begin > max_row_of_lane;
            if (!is_long) {
                mark(b, begin, end, 1);
            }
            for (auto lanes = warp.ballot(is_long); lanes != 0; lanes &= lanes - 1) {
                const auto lane = warp::ffs(lanes) - 1;
                mark(b, warp.shfl(begin, lane) + rank, warp.shfl(end, lane), warp_size);
            }
        }
        __syncthreads();
        num_before += static_cast<I>(map.list(size, [&](uint32 position, int number) {
            if (!counts) {
                c_cols[num_before + position] = static_cast<I>(first + number);
            }
        }));
        __syncthreads();
    }
    if (counts && thread == 0) {
        counts[row] = num_before;
    }
}

template <typename T, typename I>
constexpr int segment_length = shared_bytes / (default_block_size / warp_size) /
                               static_cast<int>(sizeof(T) + sizeof(I));

/// Adds the products of one segment per warp, given the columns of the result. The warp processes
/// the rows of b one after the other, in the order of the row of a. The columns of a row of b are
/// distinct; each lane searches one of them.
/// @param segment_rows  the index in `rows` of each segment's row
/// @param segment_ptrs  the number of each row's first segment
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void add_segments(const I* __restrict__ rows,
                                                                   const I* __restrict__ segment_rows,
                                                                   const I* __restrict__ segment_ptrs,
                                                                   size_type num_segments, operands<T, I> in,
                                                                   bool is_b_sorted, result<T, I> c)
{
    constexpr int length = segment_length<T, I>;
    __shared__ T all_values[default_block_size / warp_size][length];
    __shared__ I all_keys[default_block_size / warp_size][length];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto segment = global_subwarp_id<warp_size>();
    if (segment >= num_segments) {
        return;
    }
    const auto lane = warp.thread_rank();
    const auto values = all_values[threadIdx.x / warp_size];
    const auto keys = all_keys[threadIdx.x / warp_size];
    const auto row = rows[segment_rows[segment]];
    const auto c_begin = c.row_ptrs[row] + (static_cast<I>(segment) - segment_ptrs[segment_rows[segment]]) * length;
    const auto size = min(I{length}, c.row_ptrs[row + 1] - c_begin);
    for (int i = lane; i < size; i += warp_size) {
        keys[i] = c.col_idxs[c_begin + i];
        values[i] = T{};
    }
    warp.sync();
    const auto add = [&](T coefficient, I key, T value) {
        const auto slot = search(keys, size, key);
        if (slot >= 0) {
            values[slot] += coefficient * value;
        }
    };
    if (in.d.row_ptrs && !is_zero(*in.beta)) {
        for (auto nz = in.d.row_ptrs[row] + lane; nz < in.d.row_ptrs[row + 1]; nz += warp_size) {
            add(*in.beta, in.d.col_idxs[nz], in.d.values[nz]);
        }
        warp.sync();
    }
    struct row_of_b {
        T coefficient{};
        I nz{};
        I end{};
        I key{};
        T value{};
    };
    const auto alpha = in.alpha ? *in.alpha : T(1);
    const auto end = is_zero(alpha) ? I{} : in.a.row_ptrs[row + 1];
    const auto low = static_cast<int64>(keys[0]);
    const auto high = static_cast<int64>(keys[size - 1]) + 1;
    for (auto first = in.a.row_ptrs[row]; first < end; first += warp_size) {
        const auto a_nz = first + lane;
        const auto col = a_nz < end ? in.a.col_idxs[a_nz] : I{};
        const auto coefficient = a_nz < end ? alpha * in.a.values[a_nz] : T{};
        auto b_begin = a_nz < end ? in.b.row_ptrs[col] : I{};
        auto b_end = a_nz < end ? in.b.row_ptrs[col + 1] : I{};
        if (is_b_sorted) {
            b_begin = lower_bound(in.b.col_idxs, b_begin, b_end, low);
            b_end = lower_bound(in.b.col_idxs, b_begin, b_end, high);
        }
        // The beginning of the next row of b is prefetched while the current one is added.
        auto remaining_rows = warp.ballot(b_begin < b_end);
        const auto take_first = [&] {
            const auto source = warp::ffs(remaining_rows) - 1;
            remaining_rows &= remaining_rows - 1;
            row_of_b taken{warp.shfl(coefficient, source), warp.shfl(b_begin, source) + lane, warp.shfl(b_end, source)};
            if (taken.nz < taken.end) {
                taken.key = in.b.col_idxs[taken.nz];
                taken.value = in.b.values[taken.nz];
            }
            return taken;
        };
        auto current = remaining_rows != 0 ? take_first() : row_of_b{};
        while (current.end != 0) {
            const auto next = remaining_rows != 0 ? take_first() : row_of_b{};
            if (current.nz < current.end) {
                add(current.coefficient, current.key, current.value);
            }
            for (auto nz = current.nz + warp_size; nz < current.end; nz += warp_size) {
                add(current.coefficient, in.b.col_idxs[nz], in.b.values[nz]);
            }
            warp.sync();
            current = next;
        }
    }
    for (int i = lane; i < size; i += warp_size) {
        c.values[c_begin + i] = values[i];
    }
}

}  // namespace kernel

template <typename V, typename I>
bool is_sorted(const DeviceExecutor& exec, const Csr<V, I>& a)
{
    bool result{};
    kernels::csr::is_sorted_by_column_index<V, I>(exec, a, false, result);
    return result;
}

/// Finds the columns of long rows, or counts them.
/// @param counts  null if the columns of c are to be written
template <typename V, typename I>
void find_columns(const DeviceExecutor& exec, const I* rows, size_type num_rows, operand<void, I> a, const Csr<V, I>& b,
                  bool is_b_sorted, operand<void, I> d, const I* c_row_ptrs, I* c_cols, I* counts)
{
    launch_blocks(exec, kernel::find_columns<I>, num_rows, rows, a,
                  operand<void, I>{b.get_const_row_ptrs(), b.get_const_col_idxs(), nullptr}, d,
                  static_cast<int64>(b.get_size()[1]), is_b_sorted, c_row_ptrs, c_cols, counts);
}

/// Computes the values of long rows whose columns are known.
template <typename V, typename I>
void add_long(const DeviceExecutor& exec, const I* rows, size_type num_rows, const operands<device_type<V>, I>& in,
              bool is_b_sorted, const result<device_type<V>, I>& c)
{
    using T = device_type<V>;
    if (num_rows == 0) {
        return;
    }
    const auto shared_exec = exec.shared_from_this();
    array<I> segment_ptrs{shared_exec, num_rows + 1};
    run_for_each(exec, num_rows,
                 [rows, row_ptrs = c.row_ptrs, ptrs = segment_ptrs.get_data()] SPRUCE_KERNEL_LAMBDA(size_type i) {
                     ptrs[i] = (row_ptrs[rows[i] + 1] - row_ptrs[rows[i]] + kernel::segment_length<T, I> - 1) /
                               kernel::segment_length<T, I>;
                 });
    size_type num_segments{};
    kernels::components::prefix_sum<I>(exec, segment_ptrs.get_data(), num_rows + 1, num_segments);
    array<I> segment_rows{shared_exec, num_segments};
    kernels::components::convert_ptrs_to_idxs<I>(exec, segment_ptrs.get_const_data(), num_rows,
                                                 segment_rows.get_data());
    launch(exec, kernel::add_segments<T, I>, num_segments * warp_size, rows, segment_rows.get_const_data(),
           segment_ptrs.get_const_data(), num_segments, in, is_b_sorted, c);
}

}  // namespace spgemm
}  // namespace csr

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
