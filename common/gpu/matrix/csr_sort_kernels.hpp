// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Sorts within rows, and registers the transposition of csr_transpose.hpp.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/csr_transpose.hpp"
#include "core/components/array_kernels.hpp"
#include "core/components/sort_kernels.hpp"
#include "core/matrix/csr_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {

using matrix::Csr;

namespace sort_kernel {

/// Adds to *num the number of adjacent entries with descending columns, or equal ones if strictly
/// is true, without those of two rows.
/// The entries are distributed among the threads, and the pairs at the begin of a row are
/// subtracted. Thus neither long rows nor empty rows delay a thread (doc/tuning/csr.md).
template <typename I>
__global__ __launch_bounds__(default_block_size) void count_descents(size_type num_rows, const I* row_ptrs,
                                                                     const I* col_idxs, bool strictly,
                                                                     unsigned long long* num)
{
    __shared__ int64 scratch[default_block_size / warp_size];
    const auto nnz = static_cast<size_type>(row_ptrs[num_rows]);
    const auto is_descent = [&](size_type nz) {
        const auto previous = col_idxs[nz - 1];
        return previous > col_idxs[nz] || (strictly && previous == col_idxs[nz]) ? 1 : 0;
    };
    int64 thread_num{};
#pragma unroll 4
    for (auto nz = global_thread_id() + 1; nz < nnz; nz += global_num_threads()) {
        thread_num += is_descent(nz);
    }
    for (auto row = global_thread_id(); row < num_rows; row += global_num_threads()) {
        const auto begin = row_ptrs[row];
        if (begin > 0 && begin < row_ptrs[row + 1]) {
            thread_num -= is_descent(static_cast<size_type>(begin));
        }
    }
    thread_num = block_reduce_add<default_block_size>(thread_num, scratch);
    if (threadIdx.x == 0 && thread_num != 0) {
        atomicAdd(num, static_cast<unsigned long long>(thread_num));
    }
}

constexpr int num_warps = default_block_size / warp_size;

/// Returns true if an entry precedes another one: by column, then by its place before the sort.
/// Equal columns keep their order.
template <typename I>
__device__ __forceinline__ bool is_before(I col, int source, I other_col, int other_source)
{
    return col < other_col || (col == other_col && source < other_source);
}

/// Sorts the rows of at most subwarp_size entries, each by a bitonic network (Batcher 1968) with
/// one entry for each thread.
template <int subwarp_size, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void sort_in_registers(size_type num_rows, const I* row_ptrs,
                                                                        I* col_idxs, T* values)
{
    const auto subwarp = group::tiled_partition<subwarp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<subwarp_size>();
    if (row >= num_rows) {
        return;
    }
    const auto begin = row_ptrs[row];
    const auto size = row_ptrs[row + 1] - begin;
    if (size > subwarp_size) {
        return;
    }
    const auto rank = subwarp.thread_rank();
    const auto is_inside = rank < size;
    auto col = is_inside ? col_idxs[begin + rank] : std::numeric_limits<I>::max();
    const auto value = is_inside ? values[begin + rank] : T{};
    if (subwarp.all(subwarp.shfl_up(col, 1) <= col)) {
        return;
    }
    auto source = rank;
    for (int width = 2; width <= subwarp_size; width *= 2) {
        for (int step = width / 2; step > 0; step /= 2) {
            const auto other_col = subwarp.shfl_xor(col, step);
            const auto other_source = subwarp.shfl_xor(source, step);
            const auto takes_lower = ((rank & step) == 0) == ((rank & width) == 0);
            if (is_before(other_col, other_source, col, source) == takes_lower) {
                col = other_col;
                source = other_source;
            }
        }
    }
    const auto sorted_value = subwarp.shfl(value, source);
    if (is_inside) {
        col_idxs[begin + rank] = col;
        values[begin + rank] = sorted_value;
    }
}

constexpr int entries_per_thread = 8;
constexpr int max_shared_row = entries_per_thread * warp_size;

/// Sorts a row of at most max_shared_row entries by a warp and a bitonic network in shared memory.
/// @param begin  first entry of the row
/// @param cols, sources  shared memory of the warp, for max_shared_row entries
template <typename T, typename I>
__device__ __forceinline__ void sort_row(I begin, int size, I* cols, int* sources, I* col_idxs, T* values)
{
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto rank = warp.thread_rank();
    int network_size = 1;
    while (network_size < size) {
        network_size *= 2;
    }
    for (int i = rank; i < network_size; i += warp_size) {
        cols[i] = i < size ? col_idxs[begin + i] : std::numeric_limits<I>::max();
        sources[i] = i;
    }
    warp.sync();
    bool is_sorted = true;
    for (int i = rank + 1; i < size; i += warp_size) {
        is_sorted = is_sorted && cols[i - 1] <= cols[i];
    }
    if (warp.all(is_sorted)) {
        return;
    }
    warp.sync();  // a vote does not order memory accesses
    for (int width = 2; width <= network_size; width *= 2) {
        for (int step = width / 2; step > 0; step /= 2) {
            for (int pair = rank; pair < network_size / 2; pair += warp_size) {
                const auto lower = 2 * pair - (pair & (step - 1));
                const auto upper = lower + step;
                const auto is_ascending = (lower & width) == 0;
                if (is_before(cols[upper], sources[upper], cols[lower], sources[lower]) == is_ascending) {
                    const auto col = cols[lower];
                    cols[lower] = cols[upper];
                    cols[upper] = col;
                    const auto source = sources[lower];
                    sources[lower] = sources[upper];
                    sources[upper] = source;
                }
            }
            warp.sync();
        }
    }
    T sorted_values[entries_per_thread];
#pragma unroll
    for (int i = 0; i < entries_per_thread; ++i) {
        const auto index = rank + i * warp_size;
        if (index < size) {
            sorted_values[i] = values[begin + sources[index]];
        }
    }
    warp.sync();  // all entries are read before one is overwritten
#pragma unroll
    for (int i = 0; i < entries_per_thread; ++i) {
        const auto index = rank + i * warp_size;
        if (index < size) {
            col_idxs[begin + index] = cols[index];
            values[begin + index] = sorted_values[i];
        }
    }
}

/// Sorts the rows of at most max_shared_row entries, each by one warp.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void sort_in_shared_memory(size_type num_rows, const I* row_ptrs,
                                                                            I* col_idxs, T* values)
{
    __shared__ I cols[num_warps][max_shared_row];
    __shared__ int sources[num_warps][max_shared_row];
    const auto row = global_subwarp_id<warp_size>();
    if (row >= num_rows) {
        return;
    }
    const auto begin = row_ptrs[row];
    const auto length = row_ptrs[row + 1] - begin;
    if (length > max_shared_row) {
        return;
    }
    sort_row(begin, static_cast<int>(length), cols[threadIdx.x / warp_size], sources[threadIdx.x / warp_size], col_idxs,
             values);
}

/// Number of rows that a warp of `sort_longer_rows` inspects. It sorts them one after the other if
/// all of them are longer than min_length (doc/tuning/constants.md).
constexpr int rows_of_warp = 8;

/// Sorts the rows of more than min_length and at most max_shared_row entries, if there are few.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void sort_longer_rows(size_type num_rows, I min_length,
                                                                       const I* row_ptrs, I* col_idxs, T* values)
{
    __shared__ I cols[num_warps][max_shared_row];
    __shared__ int sources[num_warps][max_shared_row];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<warp_size>() * rows_of_warp + warp.thread_rank();
    const auto is_inside = warp.thread_rank() < rows_of_warp && row < num_rows;
    const auto begin = is_inside ? row_ptrs[row] : I{};
    const auto length = is_inside ? row_ptrs[row + 1] - begin : I{};
    auto lanes = warp.ballot(min_length < length && length <= max_shared_row);
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = warp::ffs(lanes) - 1;
        const auto row_begin = warp.shfl(begin, lane);
        const auto row_length = static_cast<int>(warp.shfl(length, lane));
        sort_row(row_begin, row_length, cols[threadIdx.x / warp_size], sources[threadIdx.x / warp_size], col_idxs,
                 values);
        warp.sync();  // the next row takes the same memory
    }
}

}  // namespace sort_kernel

template <typename V, typename I>
void is_sorted_by_column_index(const DeviceExecutor& exec, const Csr<V, I>& a, bool strictly, bool& is_sorted)
{
    const auto num_items = std::max(a.get_size()[0], a.get_num_stored_elements());
    if (a.get_size()[0] == 0) {
        is_sorted = true;
        return;
    }
    array<int64> num_descents{exec.shared_from_this(), 1};
    num_descents.fill(0);
    const auto num_blocks =
        std::min(static_cast<size_type>(ceildiv(num_items, default_block_size)), num_blocks_to_fill(exec));
    launch_blocks(exec, sort_kernel::count_descents<I>, std::max<size_type>(num_blocks, 1), a.get_size()[0],
                  a.get_const_row_ptrs(), a.get_const_col_idxs(), strictly,
                  reinterpret_cast<unsigned long long*>(num_descents.get_data()));
    is_sorted = exec.copy_val_to_host(num_descents.get_const_data()) == 0;
}

/// Sorts the rows longer than min_length, all together: first by column, then stably by row.
template <typename V, typename I>
void sort_long_rows(const DeviceExecutor& exec, Csr<V, I>& a, size_type min_length)
{
    namespace components = spruce::kernels::components;
    const auto shared_exec = exec.shared_from_this();
    const auto num_rows = a.get_size()[0];
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_col_idxs();
    const auto values = as_device(a.get_values());

    array<I> numbers_array{shared_exec, num_rows + 1};  // numbers of long rows before each row
    const auto numbers = numbers_array.get_data();
    run_for_each(exec, num_rows, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        numbers[row] = static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]) > min_length ? 1 : 0;
    });
    size_type num_long{};
    components::prefix_sum<I>(exec, numbers, num_rows + 1, num_long);
    array<I> rows_array{shared_exec, num_long};
    array<I> ptrs_array{shared_exec, num_long + 1};
    const auto rows = rows_array.get_data();
    const auto ptrs = ptrs_array.get_data();
    run_for_each(exec, num_rows, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        if (numbers[row + 1] != numbers[row]) {
            rows[numbers[row]] = static_cast<I>(row);
            ptrs[numbers[row]] = row_ptrs[row + 1] - row_ptrs[row];
        }
    });
    size_type size{};
    components::prefix_sum<I>(exec, ptrs, num_long + 1, size);

    array<I> row_numbers_array{shared_exec, size};
    array<I> sources_array{shared_exec, size};
    array<I> keys_array{shared_exec, size};
    array<I> positions_array{shared_exec, size};
    array<I> sorted_keys_array{shared_exec, size};
    array<I> sorted_positions_array{shared_exec, size};
    const auto row_numbers = row_numbers_array.get_data();
    const auto sources = sources_array.get_data();
    const auto keys = keys_array.get_data();
    const auto positions = positions_array.get_data();
    const auto sorted_keys = sorted_keys_array.get_data();
    const auto sorted_positions = sorted_positions_array.get_data();
    components::convert_ptrs_to_idxs<I>(exec, ptrs, num_long, row_numbers);
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        const auto number = row_numbers[i];
        sources[i] = row_ptrs[rows[number]] + (static_cast<I>(i) - ptrs[number]);
        sorted_keys[i] = col_idxs[sources[i]];
    });
    components::sort_keys<I>(exec, sorted_keys, nullptr, size, a.get_size()[1], keys, positions);
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { keys[i] = row_numbers[positions[i]]; });
    components::sort_keys<I>(exec, keys, positions, size, num_long, sorted_keys, sorted_positions);

    array<V> sorted_values_array{shared_exec, size};
    const auto sorted_values = as_device(sorted_values_array.get_data());
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        const auto source = sources[sorted_positions[i]];
        keys[i] = col_idxs[source];
        sorted_values[i] = values[source];
    });
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        col_idxs[sources[i]] = keys[i];
        values[sources[i]] = sorted_values[i];
    });
}

/// Sorts the columns of each row. Rows of up to max_shared_row entries are sorted in place, by as
/// many threads as most of the rows need. Longer rows are sorted by the radix sort. A matrix that
/// is sorted already is read once (doc/tuning/csr.md).
template <typename V, typename I>
void sort_by_column_index(const DeviceExecutor& exec, Csr<V, I>& a)
{
    using T = device_type<V>;
    bool is_sorted{};
    is_sorted_by_column_index(exec, a, false, is_sorted);
    if (is_sorted) {
        return;
    }
    const auto num_rows = a.get_size()[0];
    const auto sort_rows = [&](auto kernel, size_type threads_per_row) {
        launch(exec, kernel, num_rows * threads_per_row, num_rows, a.get_const_row_ptrs(), a.get_col_idxs(),
               as_device(a.get_values()));
    };
    size_type max_length{};
    spruce::kernels::csr::compute_max_row_length<I>(exec, a.get_const_row_ptrs(), num_rows, max_length);
    constexpr int half_warp = warp_size / 2;
    constexpr int quarter_warp = warp_size / 4;
    // If most rows fit a subwarp, longer ones are sorted separately (doc/tuning/csr.md).
    const auto typical_length = max_length <= warp_size ? max_length : 2 * (a.get_num_stored_elements() / num_rows) + 1;
    const auto sort_by_subwarps = [&](auto size) {
        constexpr int subwarp_size = decltype(size)::value;
        sort_rows(sort_kernel::sort_in_registers<subwarp_size, T, I>, subwarp_size);
        if (max_length > subwarp_size) {
            const auto num_warps = static_cast<size_type>(ceildiv(num_rows, sort_kernel::rows_of_warp));
            launch(exec, sort_kernel::sort_longer_rows<T, I>, num_warps * warp_size, num_rows, I{subwarp_size},
                   a.get_const_row_ptrs(), a.get_col_idxs(), as_device(a.get_values()));
        }
    };
    if (typical_length <= quarter_warp) {
        sort_by_subwarps(std::integral_constant<int, quarter_warp>{});
    } else if (typical_length <= half_warp) {
        sort_by_subwarps(std::integral_constant<int, half_warp>{});
    } else if (typical_length <= warp_size) {
        sort_by_subwarps(std::integral_constant<int, warp_size>{});
    } else {
        sort_rows(sort_kernel::sort_in_shared_memory<T, I>, warp_size);
    }
    if (max_length > sort_kernel::max_shared_row) {
        sort_long_rows(exec, a, sort_kernel::max_shared_row);
    }
}

}  // namespace csr

void register_csr_sort()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::is_sorted_by_column_index<V, I>.template set<DeviceExecutor>(
            &csr::is_sorted_by_column_index<V, I>);
        kernels::csr::sort_by_column_index<V, I>.template set<DeviceExecutor>(&csr::sort_by_column_index<V, I>);
        kernels::csr::transpose<V, I>.template set<DeviceExecutor>(&csr::transpose<V, I>);
        kernels::csr::conj_transpose<V, I>.template set<DeviceExecutor>(&csr::conj_transpose<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::csr::transpose_pattern<I>.template set<DeviceExecutor>(&csr::transpose_pattern<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
