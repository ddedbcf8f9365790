// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies Coo by several vectors. A block combines the sums of each row before it adds them
// atomically to x. Thus blocks do not contend for the entries of a long row.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/spmv_tiles.hpp"
#include "core/matrix/coo_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace coo {

using matrix::Coo;
using matrix::Dense;

namespace kernel {

using spmv_tiles::output;

template <typename T, typename I>
struct coo_arrays {
    size_type num_rows;
    size_type nnz;
    const I* row_idxs;
    const I* col_idxs;
    const T* values;
};

/// Views the right-hand sides.
template <typename T>
struct columns {
    const T* values;
    size_type stride;
    size_type num;
};

/// Largest number of entries of a block of `add_products_of_columns` (doc/tuning/constants.md).
constexpr int column_tile_size = 1024;
/// Number of loads of b that a thread has in flight.
constexpr int products_in_flight = 4;

/// Distributes the entries of a tile and the columns of a pass over the threads of a block. A group
/// has a thread for each column, and a range of consecutive entries.
struct column_groups {
    /// Creates the distribution. A pass has at most as many columns as a warp of 32 threads, so
    /// that reads of b are coalesced.
    explicit column_groups(size_type num_cols)
        : num_passes{static_cast<unsigned>(ceildiv(num_cols, 32))},
          width{static_cast<int>(ceildiv(num_cols, num_passes))},
          num{default_block_size / width},
          num_entries{column_tile_size / num / products_in_flight * products_in_flight}
    {}

    unsigned num_passes;
    int width;        ///< columns of a pass
    int num;          ///< groups of a block
    int num_entries;  ///< of a group, a multiple of products_in_flight
};

/// Returns the position of an entry in shared memory. The gaps avoid bank conflicts between groups,
/// whose entries are often a multiple of 16 apart. products_in_flight consecutive entries, of which
/// the first is a multiple of it, are not separated.
__device__ __forceinline__ constexpr int with_gaps(int i) { return i + i / 16; }

/// Describes the last row of a group.
enum class last_row { ends, begins_and_continues, is_whole_group };

/// Computes x += alpha a b. The entries of a row within a group are summed by one thread for each
/// column. The sums of groups that share a row are combined in shared memory. The combined sums are
/// added to x atomically, since other blocks may have entries of the row.
template <typename T, typename I>
__global__ __launch_bounds__(default_block_size) void add_products_of_columns(coo_arrays<T, I> a, columns<T> b,
                                                                              output<T> out, column_groups groups)
{
    __shared__ T values[with_gaps(column_tile_size)];
    __shared__ I cols[with_gaps(column_tile_size)];
    __shared__ I rows[with_gaps(column_tile_size) + 1];  // after the last one, a row that does not exist
    __shared__ T sums[default_block_size];               // of rows that began in an earlier group
    __shared__ last_row last_rows[default_block_size];   // of the groups
    if (out.alpha && is_zero(*out.alpha)) {
        return;
    }
    const auto tile_size = static_cast<size_type>(groups.num * groups.num_entries);
    const auto tile_begin = blockIdx.x / groups.num_passes * tile_size;
    const auto num_entries = static_cast<int>(min(tile_size, a.nnz - tile_begin));
    constexpr int num_loads = column_tile_size / default_block_size;
    T loaded_values[num_loads];
    I loaded_cols[num_loads];
    I loaded_rows[num_loads];
    for (int i = 0; i < num_loads; ++i) {
        const auto position = static_cast<int>(threadIdx.x) + i * default_block_size;
        if (position < num_entries) {
            loaded_values[i] = warp::load_streaming(a.values + tile_begin + position);
            loaded_cols[i] = warp::load_streaming(a.col_idxs + tile_begin + position);
            loaded_rows[i] = warp::load_streaming(a.row_idxs + tile_begin + position);
        }
    }
    for (int i = 0; i < num_loads; ++i) {
        const auto position = static_cast<int>(threadIdx.x) + i * default_block_size;
        if (position < num_entries) {
            values[with_gaps(position)] = loaded_values[i];
            cols[with_gaps(position)] = loaded_cols[i];
            rows[with_gaps(position)] = loaded_rows[i];
        }
    }
    if (threadIdx.x == 0) {
        rows[with_gaps(num_entries)] = -1;
    }
    __syncthreads();

    const auto number = static_cast<int>(threadIdx.x) / groups.width;
    const auto col_of_pass = static_cast<int>(threadIdx.x) % groups.width;
    const auto col = blockIdx.x % groups.num_passes * static_cast<size_type>(groups.width) + col_of_pass;
    const auto begin = min(number * groups.num_entries, num_entries);
    const auto end = min(begin + groups.num_entries, num_entries);
    const auto has_work = begin < end && number < groups.num && col < b.num;
    // Calls consume(position, product) for each entry of the group.
    const auto for_each_product = [&](auto consume) {
        for (int i = begin; i < end; i += products_in_flight) {
            T products[products_in_flight];
#pragma unroll
            for (int j = 0; j < products_in_flight; ++j) {
                const auto position = with_gaps(i) + j;
                products[j] = i + j < end ? values[position] * b.values[cols[position] * b.stride + col] : T{};
            }
#pragma unroll
            for (int j = 0; j < products_in_flight; ++j) {
                if (i + j < end) {
                    consume(i + j, products[j]);
                }
            }
        }
    };
    const auto add = [&](I row, T row_sum) {
        atomic_add(out.x + static_cast<size_type>(row) * out.stride + col, out.scaled(row_sum));
    };
    T sum{};

    const auto first_row = rows[0];
    if (first_row == rows[with_gaps(num_entries - 1)]) {  // then all entries are in this row
        if (has_work) {
            for_each_product([&](int, T product) { sum += product; });
        }
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (int num = groups.num; num > 1;) {
            const auto half = (num + 1) / 2;
            if (number + half < num) {
                sums[threadIdx.x] += sums[threadIdx.x + half * groups.width];
            }
            __syncthreads();
            num = half;
        }
        if (number == 0 && has_work) {
            add(first_row, sums[threadIdx.x]);
        }
        return;
    }

    auto row = has_work ? rows[with_gaps(begin)] : I{};
    auto began_earlier = has_work && begin > 0 && rows[with_gaps(begin - 1)] == row;
    if (has_work) {
        for_each_product([&](int i, T product) {
            sum += product;
            const auto next_row = rows[with_gaps(i + 1)];
            if (next_row != row) {
                if (began_earlier) {
                    sums[threadIdx.x] = sum;
                } else {
                    add(row, sum);
                }
                began_earlier = false;
                sum = T{};
                row = next_row;
            }
        });
    }
    const auto continues = has_work && rows[with_gaps(end - 1)] == rows[with_gaps(end)];
    auto state = last_row::ends;
    if (continues) {
        state = began_earlier ? last_row::is_whole_group : last_row::begins_and_continues;
        if (began_earlier) {
            sums[threadIdx.x] = sum;
        }
    }
    if (has_work && col_of_pass == 0) {
        last_rows[number] = state;
    }
    __syncthreads();

    // The group in which a row begins adds the sums of the groups in which it continues.
    if (state == last_row::begins_and_continues) {
        auto group = number + 1;
        for (; last_rows[group] == last_row::is_whole_group; ++group) {
            sum += sums[group * groups.width + col_of_pass];
        }
        add(row, sum + sums[group * groups.width + col_of_pass]);
    }
}

}  // namespace kernel

/// Computes x += alpha a b for any number of columns; null stands for alpha = 1.
template <typename V, typename I>
void run_columns(const DeviceExecutor& exec, const V* alpha, const Coo<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    using T = device_type<V>;
    const auto num_cols = b.get_size()[1];
    if (num_cols == 0) {
        return;
    }
    const kernel::coo_arrays<T, I> arrays{a.get_size()[0], a.get_num_stored_elements(), a.get_const_row_idxs(),
                                          a.get_const_col_idxs(), as_device(a.get_const_values())};
    const kernel::columns<T> b_columns{as_device(b.get_const_values()), b.get_stride(), num_cols};
    const kernel::output<T> out{as_device(x.get_values()), x.get_stride(), as_device(alpha), nullptr};
    const kernel::column_groups groups{num_cols};
    const auto num_tiles = static_cast<size_type>(ceildiv(arrays.nnz, groups.num * groups.num_entries));
    launch_blocks(exec, kernel::add_products_of_columns<T, I>, num_tiles * groups.num_passes, arrays, b_columns, out,
                  groups);
}

}  // namespace coo

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
