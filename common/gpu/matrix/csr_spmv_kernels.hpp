// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies Csr by vectors, tile by tile (spmv_tiles.hpp). The strategies differ in the entries of
// a block:
// - classical: whole rows (whole_rows_spmv.hpp). Each block has an equal number of rows. If too
//   many such blocks would have more entries than a tile, each block has as many rows as fill a
//   tile.
// - merge_path: an equal number of entries and row ends together (merge_path_spmv.hpp).
// - load_balance: an equal number of entries. Rows that several blocks share are summed atomically.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/maximum.hpp"
#include "common/gpu/matrix/many_columns_spmv.hpp"
#include "common/gpu/matrix/merge_path_spmv.hpp"
#include "common/gpu/matrix/spmv_tiles.hpp"
#include "common/gpu/matrix/whole_rows_spmv.hpp"
#include "core/matrix/csr_kernels.hpp"

#include SPRUCE_BACKEND_FILE(base, binding)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace csr {

using matrix::Csr;
using matrix::Dense;

namespace spmv_kernel {

using spmv_tiles::csr_arrays;
using spmv_tiles::output;
using spmv_tiles::right_hand_sides;
using whole_rows::kernel::tile_size;

/// Scales the rows to which several blocks of load_balance will add.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void scale_shared_rows(csr_arrays<T, I> a, size_type num_blocks,
                                                                        const I* __restrict__ start_rows,
                                                                        size_type num_cols, output<T> out)
{
    const auto block = global_thread_id() + 1;
    if (block >= num_blocks) {
        return;
    }
    const auto row = start_rows[block];
    const auto border = static_cast<I>(block * tile_size<T>);
    const auto row_begin = a.row_ptrs[row];
    if (row_begin < border && row_begin >= border - tile_size<T>) {  // the first border within the row
        for (size_type col = 0; col < num_cols; ++col) {
            out.write(row, T{}, col);
        }
    }
}

template <int num_cols, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void load_balance(csr_arrays<T, I> a, const I* __restrict__ start_rows,
                                                                   right_hand_sides<num_cols, T> b, output<T> out)
{
    const auto nz_begin = static_cast<I>(blockIdx.x) * tile_size<T>;
    // The row pointers tell the end, since the arrays may have unused capacity.
    const auto nz_end = blockIdx.x + 1 == gridDim.x ? a.row_ptrs[a.num_rows] : nz_begin + tile_size<T>;
    // Empty rows before the first entry belong to the first tile.
    const auto row_begin = blockIdx.x == 0 ? I{} : start_rows[blockIdx.x];
    const merge_path::kernel::tile<I> part{row_begin, start_rows[blockIdx.x + 1], nz_begin, nz_end};
    merge_path::kernel::sum_tile<tile_size<T>>(a, part, b, [=](I row, int col, T sum) {
        const auto begins_here = a.row_ptrs[row] >= part.nz_begin;
        const auto ends_here = a.row_ptrs[row + 1] <= part.nz_end;
        if (begins_here && ends_here) {
            out.write(row, sum, col);
        } else if (a.row_ptrs[row] < part.nz_end) {
            atomic_add(out.x + row * out.stride + col, out.scaled(sum));
        }
    });
}

/// Computes start_rows[i], the number of rows that end before item i * items_per_tile of the merge
/// of row ends and entries. A row end counts row_weight.
template <typename I>
__global__ __launch_bounds__(default_block_size) void find_start_rows(const I* row_ptrs, size_type num_rows,
                                                                      size_type items_per_tile, size_type row_weight,
                                                                      I* start_rows, I* start_entries,
                                                                      size_type num_starts)
{
    const auto index = global_thread_id();
    if (index >= num_starts) {
        return;
    }
    const auto row = num_rows_ended(row_ptrs, num_rows, index * items_per_tile, row_weight);
    start_rows[index] = static_cast<I>(row);
    if (start_entries) {
        start_entries[index] = row_ptrs[row];
    }
}

template <typename I>
__global__ __launch_bounds__(default_block_size) void count_oversized_groups(const I* row_ptrs, size_type num_rows,
                                                                             size_type rows_per_group,
                                                                             size_type max_entries,
                                                                             unsigned long long* count)
{
    const auto whole_warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto row = global_thread_id() * rows_per_group;
    const auto end = min(row + rows_per_group, num_rows);
    const auto num_entries = row < end ? static_cast<size_type>(row_ptrs[end] - row_ptrs[row]) : size_type{};
    const auto oversized = whole_warp.ballot(num_entries > max_entries);
    if (whole_warp.thread_rank() == 0 && oversized != 0) {
        atomicAdd(count, static_cast<unsigned long long>(warp::popcnt(oversized)));
    }
}

}  // namespace spmv_kernel

template <typename I>
void find_start_rows(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, size_type items_per_tile,
                     size_type row_weight, I* start_rows, I* start_entries, size_type num_starts)
{
    launch(exec, spmv_kernel::find_start_rows<I>, num_starts, row_ptrs, num_rows, items_per_tile, row_weight,
           start_rows, start_entries, num_starts);
}

/// Casts the number to the unsigned 64-bit type for which atomic operations are declared.
inline unsigned long long* for_atomics(array<size_type>& number)
{
    static_assert(sizeof(size_type) == sizeof(unsigned long long), "the same bits");
    return reinterpret_cast<unsigned long long*>(number.get_data());
}

template <typename I>
void compute_max_row_length(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, size_type& max_length)
{
    max_length = find_max(exec, num_rows, [row_ptrs] SPRUCE_KERNEL_LAMBDA(size_type row) {
        return static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]);
    });
}

template <typename I>
void count_oversized_groups(const DeviceExecutor& exec, const I* row_ptrs, size_type num_rows, size_type rows_per_group,
                            size_type max_entries, size_type& count)
{
    array<size_type> result{exec.shared_from_this(), 1};
    result.fill(0);
    const auto num_groups = static_cast<size_type>(ceildiv(num_rows, rows_per_group));
    launch(exec, spmv_kernel::count_oversized_groups<I>, num_groups, row_ptrs, num_rows, rows_per_group, max_entries,
           for_atomics(result));
    count = exec.copy_val_to_host(result.get_const_data());
}

/// Returns the number of tiles that the strategy has prepared for this algorithm, or 0.
template <typename V, typename I>
size_type num_prepared_tiles(const Csr<V, I>& a, matrix::csr::spmv_algorithm algorithm)
{
    const auto is_prepared = a.get_strategy()->get_algorithm() == algorithm && a.get_num_srow_elements() > 1;
    return is_prepared ? a.get_num_srow_elements() - 1 : 0;
}

/// Multiplies by tiles of the merge path. If the strategy has not prepared them, they are found
/// first.
template <typename V, typename I, typename T>
void run_merge_path(const DeviceExecutor& exec, const Csr<V, I>& a, const spmv_kernel::csr_arrays<T, I>& arrays,
                    const Dense<V>& b, const spmv_kernel::output<T>& out)
{
    const auto nnz = a.get_num_stored_elements();
    const auto num_cols = b.get_size()[1];
    const auto& strategy = *a.get_strategy();
    const auto max_length = static_cast<size_type>(strategy.get_max_length_per_row());  // huge if unknown
    const auto num_prepared = num_prepared_tiles(a, matrix::csr::spmv_algorithm::merge_path);
    const auto prepared_items = static_cast<size_type>(strategy.get_num_tile_items());
    const auto items_per_tile = num_prepared > 0 && !merge_path::needs_small_tiles(num_cols)
                                    ? prepared_items
                                    : merge_path::items_per_tile<T>(nnz, max_length, num_cols);
    const auto is_prepared = num_prepared > 0 && items_per_tile == prepared_items;
    const auto num_tiles = is_prepared ? num_prepared : merge_path::num_tiles(arrays.num_rows, nnz, items_per_tile);
    const merge_path::scratch_layout<T, I> layout{num_tiles, num_cols, !is_prepared};
    const auto scratch = exec.acquire_scratch(layout.size);
    const auto found = scratch.template as<I>();
    if (!is_prepared) {
        find_start_rows<I>(exec, arrays.row_ptrs, arrays.num_rows, items_per_tile, 1, found, nullptr, num_tiles + 1);
    }
    const merge_path::kernel::tile_list<I> tiles{is_prepared ? a.get_const_srow() : found, num_tiles, items_per_tile,
                                                 is_prepared};
    merge_path::run<V>(exec, arrays, tiles, b, out,
                       reinterpret_cast<T*>(scratch.template as<char>() + layout.carries_begin));
}

/// Multiplies by tiles with equal numbers of entries.
template <int num_cols, typename V, typename I, typename T>
void run_load_balance(const DeviceExecutor& exec, const Csr<V, I>& a, const spmv_kernel::csr_arrays<T, I>& arrays,
                      const Dense<V>& b, const spmv_kernel::output<T>& out)
{
    const auto start_rows = a.get_const_srow();
    const auto num_blocks = a.get_num_srow_elements() - 1;
    launch(exec, spmv_kernel::scale_shared_rows<T, I>, num_blocks, arrays, num_blocks, start_rows, b.get_size()[1],
           out);
    launch_blocks(exec, spmv_kernel::load_balance<num_cols, T, I>, num_blocks, arrays, start_rows,
                  spmv_tiles::right_hand_sides_of<num_cols>(b), out);
}

/// Multiplies by blocks of whole rows.
template <int num_cols, typename V, typename I, typename T>
void run_classical(const DeviceExecutor& exec, const Csr<V, I>& a, const spmv_kernel::csr_arrays<T, I>& arrays,
                   const Dense<V>& b, const spmv_kernel::output<T>& out)
{
    const auto max_length = static_cast<size_type>(a.get_strategy()->get_max_length_per_row());  // huge if unknown
    const auto lengths = whole_rows::lengths_of(arrays.num_rows, a.get_num_stored_elements(), max_length);
    const auto num_chosen = static_cast<size_type>(a.get_strategy()->get_num_row_blocks());
    if (num_chosen > 0 && a.get_num_srow_elements() == 2 * (num_chosen + 1)) {
        whole_rows::run_chosen<num_cols>(exec, arrays, lengths, a.get_const_srow(), num_chosen, b, out);
    } else {
        whole_rows::run<num_cols>(exec, arrays, lengths, b, out);
    }
}

/// Computes x = alpha a b + beta x; null stands for alpha = 1 and beta = 0.
template <typename V, typename I>
void run_spmv(const DeviceExecutor& exec, const Csr<V, I>& a, const Dense<V>& b, Dense<V>& x, const V* alpha,
              const V* beta)
{
    using T = device_type<V>;
    using matrix::csr::spmv_algorithm;
    namespace kernel = spmv_kernel;
    const auto algorithm = a.get_strategy()->get_algorithm();
    if (algorithm == spmv_algorithm::sparselib && sparselib::spmv(exec, a, b, x, alpha, beta)) {
        return;
    }
    const auto num_rows = a.get_size()[0];
    const auto num_rhs = b.get_size()[1];
    if (num_rhs == 0) {
        return;
    }
    const kernel::csr_arrays<T, I> arrays{num_rows, a.get_const_row_ptrs(), a.get_const_col_idxs(),
                                          as_device(a.get_const_values())};
    const kernel::output<T> out{as_device(x.get_values()), x.get_stride(), as_device(alpha), as_device(beta)};
    const auto is_load_balance = algorithm == spmv_algorithm::load_balance;
    // The strategy load_balance prepares no tiles if one would have too many empty rows.
    const auto is_balanced = num_rhs <= matrix::csr::max_whole_row_cols && num_prepared_tiles(a, algorithm) > 0;
    const auto max_length = static_cast<size_type>(a.get_strategy()->get_max_length_per_row());  // huge if unknown
    const auto has_whole_rows = matrix::csr::distributes_whole_rows<V>(
        {num_rows, a.get_num_stored_elements(), max_length}, num_rhs, num_resident_blocks(exec), true);
    if (algorithm == spmv_algorithm::merge_path || !(is_load_balance ? is_balanced : has_whole_rows)) {
        run_merge_path(exec, a, arrays, b, out);
        return;
    }
    if (num_rhs == 1) {
        is_load_balance ? run_load_balance<1>(exec, a, arrays, b, out) : run_classical<1>(exec, a, arrays, b, out);
    } else if (num_rhs == matrix::csr::max_whole_row_cols) {
        is_load_balance ? run_load_balance<2>(exec, a, arrays, b, out) : run_classical<2>(exec, a, arrays, b, out);
    } else {
        const auto lengths = whole_rows::lengths_of(num_rows, a.get_num_stored_elements(), max_length);
        many_columns::run(exec, many_columns::rows_of(arrays), num_rows, lengths.mean, b, out);
    }
}

template <typename V, typename I>
void spmv(const DeviceExecutor& exec, const Csr<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    run_spmv<V, I>(exec, a, b, x, nullptr, nullptr);
}

template <typename V, typename I>
void advanced_spmv(const DeviceExecutor& exec, const Dense<V>& alpha, const Csr<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    run_spmv(exec, a, b, x, alpha.get_const_values(), beta.get_const_values());
}

/// Adds the entries of a to x, one row per warp. The lanes of the warp add consecutive entries. If
/// their columns are not sorted, two entries may have one position. Then the lanes add one after
/// the other, so that the order of the sum is fixed.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_in_dense_kernel(spmv_kernel::csr_arrays<T, I> a, T* x,
                                                                           size_type stride)
{
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto row = global_subwarp_id<warp_size>();
    if (row >= a.num_rows) {
        return;
    }
    const auto x_row = x + row * stride;
    const auto rank = warp.thread_rank();
    const auto end = static_cast<size_type>(a.row_ptrs[row + 1]);
    for (auto begin = static_cast<size_type>(a.row_ptrs[row]); begin < end; begin += warp_size) {
        const auto nz = begin + rank;
        const auto is_inside = nz < end;
        const auto col = is_inside ? a.col_idxs[nz] : I{};
        const auto value = is_inside ? a.values[nz] : T{};
        const auto previous_col = warp.shfl_up(col, 1);
        if (warp.all(rank == 0 || !is_inside || previous_col < col)) {
            if (is_inside) {
                x_row[col] += value;
            }
        } else {
            for (int turn = 0; turn < warp_size; ++turn) {
                if (turn == rank && is_inside) {
                    x_row[col] += value;
                }
                warp.sync();
            }
        }
        warp.sync();  // the next entries may have the same positions
    }
}

template <typename V, typename I>
void fill_in_dense(const DeviceExecutor& exec, const Csr<V, I>& a, Dense<V>& x)
{
    using T = device_type<V>;
    launch(exec, fill_in_dense_kernel<T, I>, a.get_size()[0] * warp_size,
           spmv_kernel::csr_arrays<T, I>{a.get_size()[0], a.get_const_row_ptrs(), a.get_const_col_idxs(),
                                         as_device(a.get_const_values())},
           as_device(x.get_values()), x.get_stride());
}

}  // namespace csr

void register_csr()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::spmv<V, I>.template set<DeviceExecutor>(&csr::spmv<V, I>);
        kernels::csr::advanced_spmv<V, I>.template set<DeviceExecutor>(&csr::advanced_spmv<V, I>);
        kernels::csr::fill_in_dense<V, I>.template set<DeviceExecutor>(&csr::fill_in_dense<V, I>);
    });
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::csr::find_start_rows<I>.template set<DeviceExecutor>(&csr::find_start_rows<I>);
        kernels::csr::compute_max_row_length<I>.template set<DeviceExecutor>(&csr::compute_max_row_length<I>);
        kernels::csr::count_oversized_groups<I>.template set<DeviceExecutor>(&csr::count_oversized_groups<I>);
    });
}

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
