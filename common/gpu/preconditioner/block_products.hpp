// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies block-diagonal matrices by several columns. A subwarp of 32 lanes multiplies a slice,
// and each lane a row. Entries are loaded in groups before the first one is used, and each entry is
// loaded once unless a block has rows in two slices. Lanes exchange their rows of b, and products
// with entries that stand for two, by shuffles.

#include <algorithm>
#include <type_traits>

#include "common/gpu/base/prelude.hpp"
#include "common/unified/preconditioner/hermitian_blocks.hpp"
#include "common/unified/preconditioner/reduced_storage.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace jacobi {

namespace kernel {

constexpr int slice_size = spruce::preconditioner::block_storage_scheme::slice_size;

using slice_tile = group::thread_block_tile<slice_size>;

/// Number of entries that a lane loads at once. In full precision these are those of halved blocks
/// of 16 rows, or of 8 rows if entries are large (doc/tuning/jacobi.md).
template <typename T, bool is_reduced>
constexpr int num_loads_at_once = sizeof(T) <= 8 ? (is_reduced ? 16 : 9) : (is_reduced ? 8 : 5);

/// Number of blocks of threads that a multiprocessor runs concurrently. It limits the number of
/// registers of a thread (doc/tuning/jacobi.md).
template <typename T, int num_cols, bool is_reduced>
constexpr int min_blocks = sizeof(T) <= 8 ? (num_cols > 1 ? 2
                                             : is_reduced ? 4
                                                          : 3)
                                          : (num_cols == 1 ? 2 : 1);

/// Describes a row of a slice: what has to be known before its entries can be loaded.
struct slice_row {
    __device__ __forceinline__ int num_stored() const
    {
        return row_info.is_halved != 0 ? row_info.block_size / 2 + 1 : row_info.block_size;
    }
    int64 slice_begin;
    spruce::preconditioner::detail::block_row row_info;  ///< zero if the matrix has no such row
    precision_reduction format;
};

/// Returns the description of a row, or of an empty row if there is no such slice.
template <typename T>
__device__ __forceinline__ slice_row load_slice_row(size_type slice, int rank, size_type num_rows,
                                                    const block_entries<const T>& entries,
                                                    const precision_reduction* formats)
{
    slice_row result{};
    if (slice * slice_size < num_rows) {
        const auto row = slice * slice_size + rank;
        result.slice_begin = entries.slice_ptrs[slice];
        if (row < num_rows) {
            result.row_info = entries.rows[row];
        }
        if (formats) {
            result.format = formats[slice];
        }
    }
    return result;
}

/// Loads entries first, first + 1, ... of a row.
template <typename Format, typename T, int num_at_once>
__device__ __forceinline__ void load_entries(const slice_entries<const T>& slice, int rank, int first, int num_stored,
                                             stored_number<T, Format> (&stored)[num_at_once])
{
#pragma unroll
    for (int k = 0; k < num_at_once; ++k) {
        stored[k] = {};
        if (first + k < num_stored) {
            stored[k] = slice.template column<Format>(first + k)[rank];
        }
    }
}

/// Adds the products of entries first, first + 1, ... of the rows of a slice. No block has rows in
/// another slice.
/// @tparam num_between_exits  number of entries after which the loop ends if no row has more
template <bool may_be_halved, int num_between_exits, typename Format, typename T, int num_at_once, int num_cols>
__device__ __forceinline__ void add_products_of_slice(const slice_tile& tile, const slice_row& description, int first,
                                                      const stored_number<T, Format> (&stored)[num_at_once],
                                                      const T (&b)[num_cols], T (&sums)[num_cols])
{
    const int position = description.row_info.position;
    const int block_size = description.row_info.block_size;
    const auto num_stored = description.num_stored();
    const auto first_rank = tile.thread_rank() - position;
    const auto is_halved = may_be_halved && description.row_info.is_halved != 0;
    const auto any_is_halved = may_be_halved && tile.any(is_halved);
    const auto num_mirrored = is_halved ? (block_size - 1) / 2 : 0;
#pragma unroll
    for (int k = 0; k < num_at_once; ++k) {
        const auto d = first + k;
        if (k % num_between_exits == 0 && !tile.any(d < num_stored)) {
            break;
        }
        const T value = stored[k].load();
        const auto col = is_halved ? position + d - (position + d < block_size ? 0 : block_size) : d;
#pragma unroll
        for (int i = 0; i < num_cols; ++i) {
            const auto factor = tile.shfl(b[i], first_rank + col);
            if (d < num_stored) {
                sums[i] += value * factor;
            }
        }
        if (any_is_halved) {
            const auto row = position - d + (position >= d ? 0 : block_size);
#pragma unroll
            for (int i = 0; i < num_cols; ++i) {
                const auto product = tile.shfl(conj_of(value) * b[i], first_rank + row);
                if (d > 0 && d <= num_mirrored) {
                    sums[i] += product;
                }
            }
        }
    }
}

/// Multiplies a reduced slice. No block has rows in another slice.
template <int num_cols, typename T>
struct multiply_reduced_slice {
    template <typename Format>
    __device__ __forceinline__ void run()
    {
        constexpr auto num_at_once = num_loads_at_once<T, true>;
        for (int first = 0; tile.any(first < row.num_stored()); first += num_at_once) {
            stored_number<T, Format> stored[num_at_once];
            load_entries(slice, tile.thread_rank(), first, row.num_stored(), stored);
            add_products_of_slice<false, 4>(tile, row, first, stored, b, sums);
        }
    }

    slice_tile tile;
    slice_entries<const T> slice;
    slice_row row;
    T b[num_cols];  ///< row of b
    T sums[num_cols];
};

/// Computes finish(row, col, product) for each entry of blocks b, num_cols columns at once. While a
/// subwarp multiplies a slice, it loads b and the first entries of its next slice, and the
/// description of the slice after it. Of reduced slices, which may have different formats, only the
/// description is loaded ahead (doc/tuning/jacobi.md).
template <int num_cols, bool is_reduced, typename T, typename Finish>
__global__ __launch_bounds__(default_block_size, (min_blocks<T, num_cols, is_reduced>)) void multiply_blocks(
    size_type num_rows, size_type total_cols, block_entries<const T> entries, const precision_reduction* formats,
    dense_entries<const T> b, Finish finish)
{
    using stored_type = stored_number<T, number_format<remove_complex<T>, remove_complex<T>>>;
    constexpr auto num_at_once = num_loads_at_once<T, false>;
    const auto num_groups = num_cols == 1 ? 1 : (total_cols + num_cols - 1) / num_cols;
    const auto num_items = (num_rows + slice_size - 1) / slice_size * num_groups;
    const auto tile = group::tiled_partition<slice_size>(group::this_thread_block());
    const auto rank = tile.thread_rank();
    const auto step = global_num_threads() / slice_size;
    const auto slice_of = [&](size_type item) { return num_cols == 1 ? item : item / num_groups; };
    const auto load_row = [&](size_type item) {
        return load_slice_row(slice_of(item), rank, num_rows, entries, formats);
    };
    const auto load_first_entries = [&](const slice_row& row, stored_type(&stored)[num_at_once]) {
        load_entries({entries.values + row.slice_begin}, rank, 0, row.num_stored(), stored);
    };
    const auto load_b = [&](size_type item, T(&b_row)[num_cols]) {
        const auto slice = slice_of(item);
        const auto row = slice * slice_size + rank;
        const auto first_col = (item - slice * num_groups) * num_cols;
#pragma unroll
        for (int i = 0; i < num_cols; ++i) {
            b_row[i] = row < num_rows && first_col + i < total_cols ? b(row, first_col + i) : T{};
        }
    };
    auto item = global_subwarp_id<slice_size>();
    grid_dependency_sync();
    if (item >= num_items) {
        return;
    }
    auto next = load_row(item);
    slice_row after_next;
    stored_type next_stored[num_at_once];
    T next_b[num_cols];
    if constexpr (!is_reduced) {
        after_next = load_row(item + step);
        load_b(item, next_b);
        load_first_entries(next, next_stored);
    }
    for (; item < num_items; item += step) {
        const auto current = next;
        stored_type stored[num_at_once];
        T current_b[num_cols];
        if constexpr (is_reduced) {
            load_b(item, current_b);
            next = load_row(item + step);
        } else {
#pragma unroll
            for (int k = 0; k < num_at_once; ++k) {
                stored[k] = next_stored[k];
            }
#pragma unroll
            for (int i = 0; i < num_cols; ++i) {
                current_b[i] = next_b[i];
            }
            next = after_next;
            load_b(item + step, next_b);
            load_first_entries(next, next_stored);
            after_next = load_row(item + 2 * step);
        }

        const auto slice = slice_of(item);
        const auto first_col = (item - slice * num_groups) * num_cols;
        const auto max_cols = static_cast<int>(min(total_cols - first_col, size_type{num_cols}));
        const auto row = slice * slice_size + rank;
        const auto has_row = row < num_rows;
        const int position = current.row_info.position;
        const int block_size = current.row_info.block_size;
        T sums[num_cols]{};
        if (tile.all(position <= rank && rank - position + block_size <= slice_size)) {
            const slice_entries<const T> slice_of_entries{entries.values + current.slice_begin};
            if constexpr (is_reduced) {
                multiply_reduced_slice<num_cols, T> product{tile, slice_of_entries, current, {}, {}};
#pragma unroll
                for (int i = 0; i < num_cols; ++i) {
                    product.b[i] = current_b[i];
                }
                visit_format<T>(current.format, product);
#pragma unroll
                for (int i = 0; i < num_cols; ++i) {
                    sums[i] = product.sums[i];
                }
            } else {
                const auto num_stored = current.num_stored();
                add_products_of_slice<true, 1>(tile, current, 0, stored, current_b, sums);
                for (int first = num_at_once; tile.any(first < num_stored); first += num_at_once) {
                    load_entries(slice_of_entries, rank, first, num_stored, stored);
                    add_products_of_slice<true, 1>(tile, current, first, stored, current_b, sums);
                }
            }
        } else if (has_row) {
            const auto b_of_block = &b(row - position, first_col);
            if constexpr (is_reduced) {
                multiply_reduced_row<num_cols, T> product{
                    {entries.values + current.slice_begin}, rank, block_size, b_of_block, b.stride, max_cols, {}};
                visit_format<T>(current.format, product);
                for (int i = 0; i < num_cols; ++i) {
                    sums[i] = product.sums[i];
                }
            } else {
                multiply_row<num_cols>(entries, row, b_of_block, b.stride, max_cols, sums);
            }
        }
#pragma unroll
        for (int i = 0; i < num_cols; ++i) {
            if (has_row && i < max_cols) {
                finish(row, first_col + i, sums[i]);
            }
        }
    }
}

}  // namespace kernel

/// Computes finish(row, col, product) for each entry of blocks b, num_cols columns at once.
template <int num_cols, typename V, typename I, typename Finish>
void multiply_columns(const DeviceExecutor& exec, const spruce::preconditioner::detail::block_diagonal<V, I>& blocks,
                      const matrix::Dense<V>& b, Finish finish)
{
    using T = device_type<V>;
    constexpr size_type slices_per_block = default_block_size / kernel::slice_size;
    const auto total_cols = b.get_size()[1];
    const auto num_slices = blocks.get_num_slices() * ((total_cols + num_cols - 1) / num_cols);
    const auto launch = [&](auto is_reduced) {
        constexpr bool reduced = decltype(is_reduced)::value;
        const auto max_blocks = (num_slices + slices_per_block - 1) / slices_per_block;
        const auto num_blocks = reduced ? std::min(max_blocks, num_blocks_to_fill(exec))
                                        : grid_stride_blocks(exec, max_blocks, kernel::min_blocks<T, num_cols, false>);
        launch_dependent(exec, kernel::multiply_blocks<num_cols, reduced, T, Finish>, num_blocks, blocks.num_rows,
                         total_cols, entries_of(blocks), blocks.formats.get_const_data(), entries_of(b), finish);
    };
    if (blocks.formats.get_size() > 0) {
        launch(std::true_type{});
    } else {
        launch(std::false_type{});
    }
}

}  // namespace jacobi

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
