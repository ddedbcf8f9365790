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

/// Writes the first num_keys keys of the table, which are distinct, with their values to the result
/// in ascending order.
template <typename Group, typename T, typename I>
__device__ __forceinline__ void write_in_order(const Group& subwarp, const I* keys, const T* values, int num_keys,
                                               I* col_idxs, T* results)
{
    for (int i = subwarp.thread_rank(); i < num_keys; i += subwarp.size()) {
        const auto key = keys[i];
        int rank = 0;
        for (int j = 0; j < num_keys; ++j) {
            rank += keys[j] < key ? 1 : 0;
        }
        col_idxs[rank] = key;
        results[rank] = values[i];
    }
}

/// Moves the keys of the table to its front, with their values.
template <int table_size, typename Group, typename T, typename I>
__device__ __forceinline__ int compact(const Group& subwarp, I* keys, T* values)
{
    const auto lane = subwarp.thread_rank();
    int num_keys = 0;
    for (int first = 0; first < table_size; first += subwarp.size()) {
        const auto key = keys[first + lane];
        const auto value = values[first + lane];
        const auto key_lanes = subwarp.ballot(key != no_column<I>);
        const auto before = warp::popcnt(key_lanes & ((lane_mask_type{1} << lane) - 1));
        subwarp.sync();  // all lanes have read
        if (key != no_column<I>) {
            keys[num_keys + before] = key;
            values[num_keys + before] = value;
        }
        num_keys += warp::popcnt(key_lanes);
        subwarp.sync();
    }
    return num_keys;
}

constexpr int writers_of_row = 8;  // lanes that store a tiny row (doc/tuning/constants.md)

/// Computes the columns and values of one row per thread. The lanes of a warp then store its rows
/// together.
/// @tparam is_known  the columns are already in c, in ascending order
template <typename Bin, bool is_known, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_tiny(const I* __restrict__ rows, size_type num_rows,
                                                                operands<T, I> in, result<T, I> c)
{
    constexpr int num_lists = rows_per_block<Bin, sizeof(T) + sizeof(I)>;
    static_assert(num_lists % warp_size == 0);
    __shared__ T value_lists[num_lists * Bin::stride];
    __shared__ I col_lists[num_lists * Bin::stride];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto index = global_thread_id();
    const auto has_row = index < num_rows;
    const auto row = has_row ? rows[index] : I{};
    const auto c_begin = c.row_ptrs[row];
    const auto c_size = has_row ? static_cast<int>(c.row_ptrs[row + 1] - c_begin) : 0;
    const auto values = value_lists + threadIdx.x * Bin::stride;
    column_list<I> list{col_lists + threadIdx.x * Bin::stride, 0};
    if (is_known) {
        for (int i = 0; i < c_size; ++i) {
            list.cols[i] = c.col_idxs[c_begin + i];
            values[i] = T{};
        }
    }
    const auto move_value = [&](int from, int to) { values[to] = values[from]; };
    const auto add_row = [&](bool counts, T coefficient, const operand<T, I>& from, I begin, I end) {
        for (auto nz = begin; nz < end; ++nz) {
            const auto col = from.col_idxs[nz];
            const auto value = from.values[nz];  // is loaded while the column is searched
            bool is_new{};
            const auto position = is_known ? static_cast<int>(search(list.cols, static_cast<I>(c_size), col))
                                           : list.insert(col, move_value, is_new);
            if (is_new) {
                values[position] = T{};
            }
            if (counts && position >= 0) {
                values[position] += coefficient * value;
            }
        }
    };
    if (has_row) {
        if (in.d.row_ptrs) {
            add_row(!is_zero(*in.beta), *in.beta, in.d, in.d.row_ptrs[row], in.d.row_ptrs[row + 1]);
        }
        const auto alpha = in.alpha ? *in.alpha : T(1);
        for_each_row_of_b(pattern_of(in.a), pattern_of(in.b), row, [&](I nz, I begin, I end) {
            add_row(!is_zero(alpha), alpha * in.a.values[nz], in.b, begin, end);
        });
    }
    warp.sync();
    const auto rank = warp.thread_rank();
    for (int first = 0; first < warp_size; first += warp_size / writers_of_row) {
        const auto source = first + rank / writers_of_row;
        const auto begin = warp.shfl(c_begin, source);
        const auto size = warp.shfl(c_size, source);
        const auto stored = (static_cast<int>(threadIdx.x) - rank + source) * Bin::stride;
        for (int i = rank % writers_of_row; i < size; i += writers_of_row) {
            if (!is_known) {
                c.col_idxs[begin + i] = col_lists[stored + i];
            }
            c.values[begin + i] = value_lists[stored + i];
        }
    }
}

/// Computes the columns and values of one row per subwarp.
/// @tparam is_known  the columns are already in c, in ascending order
template <typename Bin, bool is_known, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_short(const I* __restrict__ rows, size_type num_rows,
                                                                 operands<T, I> in, result<T, I> c)
{
    constexpr int subwarp_size = Bin::subwarp_size;
    constexpr int num_tables = rows_per_block<Bin, sizeof(T) + sizeof(I)>;
    __shared__ T value_tables[num_tables * Bin::stride];
    __shared__ I key_tables[num_tables * Bin::stride];
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto index = global_subwarp_id<subwarp_size>();
    if (index >= num_rows) {
        return;
    }
    const auto lane = subwarp.thread_rank();
    const auto row = rows[index];
    const auto keys = key_tables + threadIdx.x / subwarp_size * Bin::stride;
    const auto values = value_tables + threadIdx.x / subwarp_size * Bin::stride;
    const auto c_begin = c.row_ptrs[row];
    const auto c_size = static_cast<int>(c.row_ptrs[row + 1] - c_begin);
    const auto num_slots = is_known ? c_size : Bin::table_size;
    for (int i = lane; i < num_slots; i += subwarp_size) {
        keys[i] = is_known ? c.col_idxs[c_begin + i] : no_column<I>;
        values[i] = T{};
    }
    subwarp.sync();
    const auto add_row = [&](bool counts, T coefficient, const operand<T, I>& from, I begin, I end) {
        for (auto nz = begin + lane; nz < end; nz += subwarp_size) {
            bool is_new{};
            const auto key = from.col_idxs[nz];
            const auto value = from.values[nz];  // is loaded while the slot is searched
            const auto slot = static_cast<int>(is_known ? search(keys, static_cast<I>(c_size), key)
                                                        : insert(keys, Bin::table_size, key, is_new));
            if (counts && slot >= 0) {
                values[slot] += coefficient * value;
            }
        }
        subwarp.sync();
    };
    if (in.d.row_ptrs) {
        add_row(!is_zero(*in.beta), *in.beta, in.d, in.d.row_ptrs[row], in.d.row_ptrs[row + 1]);
    }
    const auto alpha = in.alpha ? *in.alpha : T(1);
    const auto end = in.a.row_ptrs[row + 1];
    for (auto first = in.a.row_ptrs[row]; first < end; first += subwarp_size) {
        // Each lane loads the bounds of one row of b.
        const auto a_nz = first + lane;
        const auto col = a_nz < end ? in.a.col_idxs[a_nz] : I{};
        const auto b_begin = a_nz < end ? in.b.row_ptrs[col] : I{};
        const auto b_end = a_nz < end ? in.b.row_ptrs[col + 1] : I{};
        const auto coefficient = a_nz < end ? alpha * in.a.values[a_nz] : T{};
        const auto num = static_cast<int>(min(static_cast<I>(subwarp_size), end - first));
        for (int i = 0; i < num; ++i) {
            add_row(!is_zero(alpha), subwarp.shfl(coefficient, i), in.b, subwarp.shfl(b_begin, i),
                    subwarp.shfl(b_end, i));
        }
    }
    if (is_known) {
        for (int i = lane; i < c_size; i += subwarp_size) {
            c.values[c_begin + i] = values[i];
        }
    } else {
        const auto num_keys = compact<Bin::table_size>(subwarp, keys, values);
        write_in_order(subwarp, keys, values, num_keys, c.col_idxs + c_begin, c.values + c_begin);
    }
}

/// Sorts a table in shared memory by a bitonic network (Batcher 1968).
template <int table_size, typename T, typename I>
__device__ __forceinline__ void sort_table(I* keys, T* values)
{
    for (int size = 2; size <= table_size; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < table_size / 2; i += default_block_size) {
                const auto low = 2 * i - (i & (step - 1));
                const auto high = low + step;
                const auto is_ascending = (low & size) == 0;
                if ((keys[low] > keys[high]) == is_ascending) {
                    const auto key = keys[low];
                    keys[low] = keys[high];
                    keys[high] = key;
                    const auto value = values[low];
                    values[low] = values[high];
                    values[high] = value;
                }
            }
        }
    }
    __syncthreads();
}

/// Computes the columns and values of one row per block.
template <bool is_known, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_long(const I* __restrict__ rows, operands<T, I> in,
                                                                result<T, I> c)
{
    constexpr int num_warps = default_block_size / warp_size;
    constexpr int table_size = block_table_size<slot<I, T>>;
    __shared__ T values[table_size];
    __shared__ I keys[table_size];
    __shared__ int num_chunks[num_warps];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto warp_id = static_cast<int>(threadIdx.x) / warp_size;
    const auto row = rows[blockIdx.x];
    const auto c_begin = c.row_ptrs[row];
    const auto c_size = c.row_ptrs[row + 1] - c_begin;
    const auto num_slots = is_known ? static_cast<int>(c_size) : table_size;
    for (int i = threadIdx.x; i < num_slots; i += default_block_size) {
        keys[i] = is_known ? c.col_idxs[c_begin + i] : no_column<I>;
        values[i] = T{};
    }
    __syncthreads();
    const auto find = [&](I key) {
        bool is_new{};
        return is_known ? search(keys, c_size, key) : insert(keys, table_size, key, is_new);
    };
    if (in.d.row_ptrs) {
        const auto counts = !is_zero(*in.beta);
        for (auto nz = in.d.row_ptrs[row] + static_cast<I>(threadIdx.x); nz < in.d.row_ptrs[row + 1];
             nz += default_block_size) {
            const auto slot = find(in.d.col_idxs[nz]);
            if (counts && slot >= 0) {
                values[slot] += *in.beta * in.d.values[nz];
            }
        }
    }
    const auto alpha = in.alpha ? *in.alpha : T(1);
    for (auto first = in.a.row_ptrs[row]; first < in.a.row_ptrs[row + 1]; first += num_warps) {
        const auto a_nz = first + warp_id;
        const auto is_entry = a_nz < in.a.row_ptrs[row + 1];
        const auto col = is_entry ? in.a.col_idxs[a_nz] : I{};
        const auto b_begin = is_entry ? in.b.row_ptrs[col] : I{};
        const auto b_end = is_entry ? in.b.row_ptrs[col + 1] : I{};
        const auto coefficient = is_entry ? alpha * in.a.values[a_nz] : T{};
        __syncthreads();
        if (warp.thread_rank() == 0) {
            num_chunks[warp_id] = static_cast<int>((b_end - b_begin + (warp_size - 1)) / warp_size);
        }
        __syncthreads();
        int max_chunks = 0;
        for (int i = 0; i < num_warps; ++i) {
            max_chunks = max(max_chunks, num_chunks[i]);
        }
        for (int chunk = 0; chunk < max_chunks; ++chunk) {
            const auto nz = b_begin + static_cast<I>(chunk) * warp_size + warp.thread_rank();
            const auto slot = nz < b_end ? find(in.b.col_idxs[nz]) : int64{-1};
            const auto product = nz < b_end ? coefficient * in.b.values[nz] : T{};
            for (int turn = 0; turn < num_warps; ++turn) {
                if (chunk < num_chunks[turn]) {  // the condition is uniform in the block
                    __syncthreads();
                    if (turn == warp_id && slot >= 0 && !is_zero(alpha)) {
                        values[slot] += product;
                    }
                }
            }
        }
    }
    __syncthreads();
    if (!is_known) {
        sort_table<table_size>(keys, values);
    }
    for (I i = threadIdx.x; i < c_size; i += default_block_size) {
        if (!is_known) {
            c.col_idxs[c_begin + i] = keys[i];
        }
        c.values[c_begin + i] = values[i];
    }
}

}  // namespace kernel

template <typename V, typename I, bool is_known>
void fill(const DeviceExecutor& exec, const operands<device_type<V>, I>& in, size_type num_entries, const Csr<V, I>& b,
          Csr<V, I>& c)
{
    using T = device_type<V>;
    constexpr int table_size = block_table_size<slot<I, T>>;
    const auto shared_exec = exec.shared_from_this();
    const auto num_rows = in.num_rows;
    array<I> sizes{shared_exec, num_rows};
    run_for_each(exec, num_rows,
                 [sizes = sizes.get_data(), row_ptrs = c.get_const_row_ptrs(), a_row_ptrs = in.a.row_ptrs,
                  max_entries = max_entries_of_bins<I>(num_rows, num_entries)] SPRUCE_KERNEL_LAMBDA(size_type row) {
                     const auto num_entries = a_row_ptrs[row + 1] - a_row_ptrs[row];
                     const auto size = row_ptrs[row + 1] - row_ptrs[row];
                     const auto may_be_tiny = num_entries <= filled_bin_0::max_entries || size > filled_bin_0::capacity;
                     const auto bin_size = may_be_tiny ? size : I{filled_bin_0::capacity + 1};
                     sizes[row] = num_entries > max_entries ? no_column<I> : bin_size;
                 });
    const auto bins =
        bin_rows(exec, sizes.get_const_data(), num_rows,
                 kernel::bin_limits{{filled_bin_0::capacity, bin_1::capacity, bin_2::capacity, table_size / 4 * 3}});
    const result<T, I> out{c.get_const_row_ptrs(), c.get_col_idxs(), as_device(c.get_values())};
    constexpr int slot_size = sizeof(T) + sizeof(I);
    launch_short<filled_bin_0, slot_size>(exec, kernel::fill_tiny<filled_bin_0, is_known, T, I>, bins, 0, in, out);
    launch_short<bin_1, slot_size>(exec, kernel::fill_short<bin_1, is_known, T, I>, bins, 1, in, out);
    launch_short<bin_2, slot_size>(exec, kernel::fill_short<bin_2, is_known, T, I>, bins, 2, in, out);
    launch_blocks(exec, kernel::fill_long<is_known, T, I>, bins.size(block_bin), bins.rows(block_bin), in, out);
    const auto num_longest = bins.size(longest_bin);
    const auto is_b_sorted = num_longest > 0 && is_sorted(exec, b);
    const auto a_pattern = pattern_of(in.a);
    const auto longest = select_sorted_rows(exec, bins.rows(longest_bin), num_longest, a_pattern, b, is_b_sorted);
    if (!is_known) {
        find_columns<V, I>(exec, longest.rows, longest.size, a_pattern, b, is_b_sorted, pattern_of(in.d), out.row_ptrs,
                           out.col_idxs, nullptr);
    }
    add_long<V, I>(exec, longest.rows, longest.size, in, is_b_sorted, out);
    fill_sorted<is_known>(exec, longest.sorted, in, c);
}

}  // namespace spgemm

template <typename V, typename I>
void spgemm_fill(const DeviceExecutor& exec, const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b,
                 const Dense<V>* beta, const Csr<V, I>* d, Csr<V, I>& c)
{
    spgemm::fill<V, I, false>(exec, spgemm::operands_of(alpha, a, b, beta, d), a.get_num_stored_elements(), b, c);
}

template <typename V, typename I>
void spgemm_values(const DeviceExecutor& exec, const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b,
                   const Dense<V>* beta, const Csr<V, I>* d, Csr<V, I>& c)
{
    spgemm::fill<V, I, true>(exec, spgemm::operands_of(alpha, a, b, beta, d), a.get_num_stored_elements(), b, c);
}

}  // namespace csr

void register_csr_spgemm_fill()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::spgemm_fill<V, I>.template set<DeviceExecutor>(&csr::spgemm_fill<V, I>);
        kernels::csr::spgemm_values<V, I>.template set<DeviceExecutor>(&csr::spgemm_values<V, I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
