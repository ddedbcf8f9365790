// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies Ell and Sellp by vectors, and converts them from and to Csr. Matrix is one of the two
// types.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/spmv_tiles.hpp"
#include "common/unified/matrix/padded_rows.hpp"
#include "core/matrix/dense_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace padded_rows {

using matrix::Csr;
using matrix::Dense;
using spmv_tiles::column;
using spmv_tiles::output;

namespace grid = kernel;  // the reductions of run_unified.hpp

namespace kernel {

template <typename Layout, typename T, typename I>
struct padded_arrays {
    Layout layout;
    size_type num_rows;
    const I* col_idxs;
    const T* values;
};

/// Adds the products of up to num entries, whose distance is step, with those of b. All column
/// indices of a thread are loaded before one is used. For padding no value is loaded. Values are
/// needed only together with the entries of b, whose addresses depend on the column indices
/// (doc/tuning/constants.md).
template <int num, bool are_all_valid, typename T, typename I>
__device__ __forceinline__ void add_products(const I* col_idxs, const T* values, uint32 step, int num_valid,
                                             column<T> b, T& sum)
{
    I cols[num];
    T factors[num];
    T others[num];
    for (int i = 0; i < num; ++i) {
        const auto is_valid = are_all_valid || i < num_valid;
        const auto offset = static_cast<size_type>(step) * i;
        cols[i] = is_valid ? warp::load_streaming(col_idxs + offset) : I{matrix::padding_column};
    }
    for (int i = 0; i < num; ++i) {
        const auto is_entry = cols[i] != matrix::padding_column;
        factors[i] = is_entry ? warp::load_streaming(values + static_cast<size_type>(step) * i) : T{};
        others[i] = is_entry ? b[cols[i]] : T{};
    }
    for (int i = 0; i < num; ++i) {
        sum = cols[i] != matrix::padding_column ? sum + factors[i] * others[i] : sum;
    }
}

/// Returns the sum of the products with b of a row's entries part, part + num_parts, ... Batches of
/// num entries are added without a test for the end of the row (doc/tuning/ell-sellp.md).
template <typename Layout, typename T, typename I>
__device__ __forceinline__ T sum_row(const padded_arrays<Layout, T, I>& a, size_type row, int part, int num_parts,
                                     column<T> b)
{
    constexpr int num = sizeof(T) > 8 ? 4 : 8;
    const auto entries = offsets_of(a.layout, row);
    const auto begin = entries.begin + part * a.layout.width;
    const auto step = static_cast<uint32>(a.layout.width) * num_parts;
    auto cols = a.col_idxs + begin;
    auto values = a.values + begin;
    auto num_remaining = (static_cast<int>(entries.length) - part + num_parts - 1) / num_parts;
    T sum{};
    for (; num_remaining >= num; num_remaining -= num) {
        add_products<num, true>(cols, values, step, num, b, sum);
        cols += static_cast<size_type>(step) * num;
        values += static_cast<size_type>(step) * num;
    }
    if (num_remaining > 0) {
        add_products<num, false>(cols, values, step, num_remaining, b, sum);
    }
    return sum;
}

/// Minimum number of blocks of `multiply` and `multiply_with_dot` that fit a multiprocessor. More
/// threads hide the latency of reading slices and columns (doc/tuning/constants.md).
template <typename T>
constexpr int min_blocks = sizeof(T) <= 8 ? 6 : 3;

/// Sums the rows of a block. Neighbouring threads have neighbouring rows, whose entries are
/// adjacent. A row is shared by num_parts threads, a power of two that is larger for long rows. One
/// thread calls finish(row, sum).
/// @param block  index of the block
template <typename Layout, typename T, typename I, typename Finish>
__device__ __forceinline__ void sum_rows(size_type block, const padded_arrays<Layout, T, I>& a, int num_parts,
                                         column<T> b, Finish finish)
{
    __shared__ T sums[default_block_size];
    const int rows_per_block = default_block_size / num_parts;
    const int lane = static_cast<int>(threadIdx.x) % rows_per_block;
    const int part = static_cast<int>(threadIdx.x) / rows_per_block;
    const auto row = block * rows_per_block + lane;
    T sum{};
    if (row < a.num_rows) {
        sum = sum_row(a, row, part, num_parts, b);
    }
    if (num_parts > 1) {
        sums[threadIdx.x] = sum;
        __syncthreads();
        if (part == 0) {
            for (int i = 1; i < num_parts; ++i) {
                sum += sums[i * rows_per_block + lane];
            }
        }
    }
    if (part == 0 && row < a.num_rows) {
        finish(row, sum);
    }
}

/// Computes x = alpha a b + beta x for one column.
template <typename Layout, typename T, typename I>
__global__ __launch_bounds__(default_block_size, min_blocks<T>) void multiply(padded_arrays<Layout, T, I> a,
                                                                              int num_parts, column<T> b, output<T> out)
{
    sum_rows(grid_dependency_sync(), a, num_parts, b, [=](size_type row, T sum) { out.write(row, sum); });
}

/// Computes x = a b for one column, and the inner product of b and x. The blocks of the grid
/// process the rows of num_blocks blocks in turns, and the last block sums the blocks' results. A
/// grid of no more blocks than are resident at once leaves few sums, and its blocks end together
/// (doc/tuning/constants.md).
template <typename Layout, typename T, typename I>
__global__ __launch_bounds__(default_block_size, min_blocks<T>) void multiply_with_dot(
    padded_arrays<Layout, T, I> a, int num_parts, size_type num_blocks, column<T> b, dense_entries<T> x,
    T* partial_sums, unsigned* block_counter, const remove_complex<T>* scale, T* dot)
{
    size_type block = grid_dependency_sync();
    const auto s = scale_of(scale, 0);
    T thread_dot{};
    for (; block < num_blocks; block += gridDim.x) {
        sum_rows(block, a, num_parts, b, [&](size_type row, T sum) {
            x(row, 0) = sum;
            thread_dot += conj_of(scaled(s, b[row])) * scaled(s, sum);
        });
        if (num_parts > 1) {
            __syncthreads();
        }
    }
    grid::sum_of_blocks(thread_dot, partial_sums, block_counter, dot);
}

/// Computes x = alpha a b + beta x for several columns. A thread has a row and the columns group,
/// group + num_groups, ... It reads the matrix once for these columns.
template <int cols_per_thread, typename Layout, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void multiply_columns(padded_arrays<Layout, T, I> a, size_type num_rhs,
                                                                       size_type num_groups, const T* __restrict__ b,
                                                                       size_type b_stride, output<T> out)
{
    const auto row = global_thread_id() / num_groups;
    const auto group = global_thread_id() % num_groups;
    if (row >= a.num_rows) {
        return;
    }
    constexpr int num = 4;
    const auto entries = offsets_of(a.layout, row);
    auto offset = entries.begin;
    T sums[cols_per_thread]{};
    for (size_type first = 0; first < entries.length; first += num) {
        I cols[num];
        T values[num];
        for (int i = 0; i < num; ++i) {
            const auto is_valid = first + i < entries.length;
            cols[i] = is_valid ? a.col_idxs[offset] : I{matrix::padding_column};
            values[i] = is_valid ? a.values[offset] : T{};
            offset += a.layout.width;
        }
        for (int i = 0; i < num; ++i) {
            if (cols[i] != matrix::padding_column) {
                for (int j = 0; j < cols_per_thread; ++j) {
                    const auto rhs = group + j * num_groups;
                    if (rhs < num_rhs) {
                        sums[j] += values[i] * b[cols[i] * b_stride + rhs];
                    }
                }
            }
        }
    }
    for (int j = 0; j < cols_per_thread; ++j) {
        const auto rhs = group + j * num_groups;
        if (rhs < num_rhs) {
            output<T>{out.x + rhs, out.stride, out.alpha, out.beta}.write(row, sums[j]);
        }
    }
}

/// Returns the slice of a column.
template <typename Layout>
__device__ __forceinline__ size_type slice_with_column(const Layout& layout, size_type column)
{
    return partition_point(size_type{1}, layout.num_slices,
                           [&](size_type slice) { return layout.first_column(slice) <= column; }) -
           1;
}

/// Number of adjacent columns that a thread fills in one lane of the slices. The work is even for
/// rows of any length, writes are coalesced, and a thread reads consecutive entries of a row.
/// Adjacent threads have rows_together rows, and then the next columns of these rows, whose cache
/// lines are already loaded (doc/tuning/conversions.md).
constexpr int columns_per_thread = 8;
constexpr size_type max_rows_together = default_block_size / 4;

template <typename Layout, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void fill_from_csr(
    Layout layout, size_type num_rows, size_type rows_together, const I* __restrict__ row_ptrs,
    const I* __restrict__ csr_col_idxs, const T* __restrict__ csr_values, I* col_idxs, T* values)
{
    const auto num_groups = (layout.num_columns + columns_per_thread - 1) / columns_per_thread;
    const auto group = global_thread_id() / rows_together;
    const auto lane = group / num_groups * rows_together + global_thread_id() % rows_together;
    auto column = group % num_groups * columns_per_thread;
    if (lane >= layout.width) {
        return;
    }
    const auto end = min(column + columns_per_thread, layout.num_columns);
    for (auto slice = slice_with_column(layout, column); column < end; ++slice) {
        const auto row = slice * layout.width + lane;
        const auto is_row = row < num_rows;
        const auto num_columns = static_cast<int>(min(layout.first_column(slice + 1), end) - column);
        const auto nz = is_row ? static_cast<size_type>(row_ptrs[row]) + column - layout.first_column(slice) : 0;
        const auto nz_end = is_row ? static_cast<size_type>(row_ptrs[row + 1]) : 0;
        // All loads are issued before the first store.
        I thread_cols[columns_per_thread];
        T thread_values[columns_per_thread];
        for (int i = 0; i < columns_per_thread; ++i) {
            const auto is_entry = i < num_columns && nz + i < nz_end;
            thread_cols[i] = is_entry ? csr_col_idxs[nz + i] : I{matrix::padding_column};
            thread_values[i] = is_entry ? csr_values[nz + i] : T{};
        }
        for (int i = 0; i < columns_per_thread; ++i) {
            if (i < num_columns) {
                const auto offset = (column + i) * layout.width + lane;
                col_idxs[offset] = thread_cols[i];
                values[offset] = thread_values[i];
            }
        }
        column += num_columns;
    }
}

/// Computes counts[row], the number of entries of the row. num_parts threads share a row as in
/// `multiply`.
template <typename Layout, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void count_entries(padded_arrays<Layout, T, I> a, int num_parts,
                                                                    I* counts)
{
    __shared__ I part_counts[default_block_size];
    const int rows_per_block = default_block_size / num_parts;
    const int lane = static_cast<int>(threadIdx.x) % rows_per_block;
    const int part = static_cast<int>(threadIdx.x) / rows_per_block;
    const auto row = static_cast<size_type>(blockIdx.x) * rows_per_block + lane;
    I count{};
    if (row < a.num_rows) {
        const auto entries = offsets_of(a.layout, row);
        const auto cols = a.col_idxs + entries.begin;
        constexpr int num = 8;
        for (size_type first = part; first < entries.length; first += static_cast<size_type>(num) * num_parts) {
            for (int j = 0; j < num; ++j) {
                const auto i = first + static_cast<size_type>(j) * num_parts;
                const auto col =
                    i < entries.length ? warp::load_streaming(cols + i * a.layout.width) : I{matrix::padding_column};
                count += col != matrix::padding_column ? 1 : 0;
            }
        }
    }
    part_counts[threadIdx.x] = count;
    __syncthreads();
    if (part == 0 && row < a.num_rows) {
        for (int i = 1; i < num_parts; ++i) {
            count += part_counts[i * rows_per_block + lane];
        }
        counts[row] = count;
    }
}

/// Number of entries of a row that a thread holds at a time. The chunks of a block, padded against
/// bank conflicts, are so small that several blocks fit a multiprocessor.
template <typename T, typename I>
constexpr int chunk_length = sizeof(T) + sizeof(I) <= 16 ? 8 : 4;

/// Converts to Csr in rounds. In each round, num_parts threads have a chunk of a row each, and
/// neighbouring threads have chunks of neighbouring rows, so that reads of the slices are
/// coalesced. From shared memory the chunks are written in the order of Csr, which also makes the
/// writes coalesced (doc/tuning/conversions.md).
template <typename Layout, typename T, typename I>
__global__ __launch_bounds__(default_block_size) void convert_to_csr(padded_arrays<Layout, T, I> a, int num_parts,
                                                                     const I* __restrict__ row_ptrs, I* col_idxs,
                                                                     T* values)
{
    constexpr int length = chunk_length<T, I>;
    constexpr int pitch = length + 1;
    __shared__ T staged_values[default_block_size * pitch];
    __shared__ I staged_cols[default_block_size * pitch];
    __shared__ I targets[default_block_size];
    __shared__ int counts[default_block_size];
    __shared__ unsigned num_rounds;
    const int rows_per_block = default_block_size / num_parts;
    const int lane = static_cast<int>(threadIdx.x) % rows_per_block;
    const int part = static_cast<int>(threadIdx.x) / rows_per_block;
    const int chunk = lane * num_parts + part;
    const auto row = static_cast<size_type>(blockIdx.x) * rows_per_block + lane;
    const auto is_row = row < a.num_rows;
    const auto entries = is_row ? offsets_of(a.layout, row) : matrix::row_positions{};
    const auto round_length = static_cast<size_type>(num_parts) * length;
    auto target = is_row ? row_ptrs[row] : I{};
    if (threadIdx.x == 0) {
        num_rounds = 0;
    }
    __syncthreads();
    if (part == 0) {
        atomicMax(&num_rounds, static_cast<unsigned>((entries.length + round_length - 1) / round_length));
    }
    __syncthreads();
    for (unsigned round = 0; round < num_rounds; ++round) {
        const auto first = round * round_length + static_cast<size_type>(part) * length;
        const auto begin = entries.begin + first * a.layout.width;
        I thread_cols[length];
        T thread_values[length];
#pragma unroll
        for (int i = 0; i < length; ++i) {
            thread_cols[i] = first + i < entries.length ? warp::load_streaming(a.col_idxs + begin + i * a.layout.width)
                                                        : I{matrix::padding_column};
        }
#pragma unroll
        for (int i = 0; i < length; ++i) {
            thread_values[i] =
                first + i < entries.length ? warp::load_streaming(a.values + begin + i * a.layout.width) : T{};
        }
        int count{};
#pragma unroll
        for (int i = 0; i < length; ++i) {
            if (thread_cols[i] != matrix::padding_column) {
                staged_cols[chunk * pitch + count] = thread_cols[i];
                staged_values[chunk * pitch + count] = thread_values[i];
                ++count;
            }
        }
        counts[chunk] = count;
        __syncthreads();
        for (int i = 0; i < num_parts; ++i) {
            if (i == part) {
                targets[chunk] = target;
            }
            target += counts[lane * num_parts + i];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < default_block_size * length; i += default_block_size) {
            const int from = i / length;
            const int index = i % length;
            if (index < counts[from]) {
                col_idxs[targets[from] + index] = staged_cols[from * pitch + index];
                values[targets[from] + index] = staged_values[from * pitch + index];
            }
        }
        __syncthreads();
    }
}

}  // namespace kernel

/// Returns the number of threads that share a row if each processes entries_per_thread entries of a
/// row of mean length. It is limited so that the remaining threads of a block read 32 adjacent
/// rows.
template <typename Matrix>
int num_parts_for(const Matrix& a, size_type entries_per_thread)
{
    constexpr int max_parts = default_block_size / 32;
    const auto mean_length = a.get_num_stored_elements() / std::max<size_type>(a.get_size()[0], 1);
    int num_parts = 1;
    while (num_parts < max_parts && num_parts * entries_per_thread < mean_length) {
        num_parts *= 2;
    }
    return num_parts;
}

template <typename Matrix>
auto arrays_of(const Matrix& a)
{
    using T = device_type<value_of<Matrix>>;
    const auto layout = layout_of(a);
    return kernel::padded_arrays<std::decay_t<decltype(layout)>, T, index_of<Matrix>>{
        layout, a.get_size()[0], a.get_const_col_idxs(), as_device(a.get_const_values())};
}

constexpr int max_parts = 32;  // of a block's threads

/// Returns true if a product is computed by `multiply`. The kernel for several columns computes
/// products that exceed the range of its index types, which are rare.
template <typename Matrix>
bool is_one_pass(const Matrix& a, const Dense<value_of<Matrix>>& b)
{
    const auto layout = layout_of(a);
    return spmv_tiles::is_column(b) && layout.width <= std::numeric_limits<uint32>::max() / max_parts &&
           layout.num_columns <= static_cast<size_type>(std::numeric_limits<int>::max());
}

/// Returns the number of threads that share a row. Several threads are used if there are too few
/// rows to fill the device. Up to four threads share long rows in slices, since their blocks end
/// sooner. This does not hold for Ell, whose columns are far apart, and not for few entries per
/// thread (doc/tuning/constants.md).
template <typename Matrix>
int num_parts_of_rows(const DeviceExecutor& exec, const Matrix& a)
{
    constexpr size_type entries_to_fill = 8;
    constexpr size_type entries_in_slices = 12;
    constexpr int max_parts_in_slices = 4;
    const auto num_rows = a.get_size()[0];
    const auto mean_length = a.get_num_stored_elements() / std::max<size_type>(num_rows, 1);
    const auto num_resident =
        static_cast<size_type>(exec.get_num_multiprocessor()) * exec.get_num_warps_per_sm() * warp_size;
    const auto is_sliced = layout_of(a).num_slices > 1;
    int num_parts = 1;
    const auto pays = [&] {
        const auto fills = num_parts < max_parts && num_rows * num_parts < num_resident &&
                           2 * num_parts * entries_to_fill <= mean_length;
        const auto ends_sooner =
            is_sliced && num_parts < max_parts_in_slices && 2 * num_parts * entries_in_slices <= mean_length;
        return fills || ends_sooner;
    };
    while (pays()) {
        num_parts *= 2;
    }
    return num_parts;
}

template <typename Matrix>
void run_spmv(const DeviceExecutor& exec, const Matrix& a, const Dense<value_of<Matrix>>& b, Dense<value_of<Matrix>>& x,
              const value_of<Matrix>* alpha, const value_of<Matrix>* beta)
{
    using T = device_type<value_of<Matrix>>;
    using I = index_of<Matrix>;
    const auto layout = layout_of(a);
    using Layout = std::decay_t<decltype(layout)>;
    const auto num_rows = a.get_size()[0];
    const auto num_rhs = b.get_size()[1];
    const auto arrays = arrays_of(a);
    const output<T> out{as_device(x.get_values()), x.get_stride(), as_device(alpha), as_device(beta)};
    if (is_one_pass(a, b)) {
        const auto num_parts = num_parts_of_rows(exec, a);
        launch_dependent(exec, kernel::multiply<Layout, T, I>, ceildiv(num_rows * num_parts, default_block_size),
                         arrays, num_parts, spmv_tiles::column_of(b), out);
        return;
    }
    const auto run = [&](auto function, size_type cols_per_thread) {
        const auto num_groups = ceildiv(num_rhs, cols_per_thread);
        launch(exec, function, num_rows * num_groups, arrays, num_rhs, num_groups, as_device(b.get_const_values()),
               b.get_stride(), out);
    };
    if (num_rhs == 2) {
        run(kernel::multiply_columns<2, Layout, T, I>, 2);
    } else {
        run(kernel::multiply_columns<4, Layout, T, I>, 4);
    }
}

template <typename Matrix>
void spmv(const DeviceExecutor& exec, const Matrix& a, const Dense<value_of<Matrix>>& b, Dense<value_of<Matrix>>& x)
{
    run_spmv(exec, a, b, x, static_cast<const value_of<Matrix>*>(nullptr),
             static_cast<const value_of<Matrix>*>(nullptr));
}

template <typename Matrix>
void advanced_spmv(const DeviceExecutor& exec, const Dense<value_of<Matrix>>& alpha, const Matrix& a,
                   const Dense<value_of<Matrix>>& b, const Dense<value_of<Matrix>>& beta, Dense<value_of<Matrix>>& x)
{
    run_spmv(exec, a, b, x, alpha.get_const_values(), beta.get_const_values());
}

/// Computes the product and the inner product in one pass if there is one right-hand side.
template <typename Matrix>
void spmv_with_dot(const DeviceExecutor& exec, const Matrix& a, const Dense<value_of<Matrix>>& b,
                   Dense<value_of<Matrix>>& x, Dense<value_of<Matrix>>& dot, const Reduction& reduction)
{
    using T = device_type<value_of<Matrix>>;
    using I = index_of<Matrix>;
    using Layout = decltype(layout_of(a));
    if (!is_one_pass(a, b) || a.get_size()[0] == 0 || reduction.get_communicator()) {
        spmv(exec, a, b, x);
        kernels::dense::conj_dot<value_of<Matrix>>(exec, b, x, dot, reduction);
        return;
    }
    const auto num_parts = num_parts_of_rows(exec, a);
    const auto num_blocks = static_cast<size_type>(ceildiv(a.get_size()[0] * num_parts, default_block_size));
    const auto grid_size = grid_stride_blocks(exec, num_blocks, kernel::min_blocks<T>);
    launch_dependent(exec, kernel::multiply_with_dot<Layout, T, I>, grid_size, arrays_of(a), num_parts, num_blocks,
                     spmv_tiles::column_of(b), entries_of(x), reserve_sums<T>(reduction, grid_size),
                     exec.get_block_counter(), reduction.get_scale<remove_complex<T>>(), as_device(dot.get_values()));
}

template <typename Matrix>
void fill_from_csr(const DeviceExecutor& exec, const Csr<value_of<Matrix>, index_of<Matrix>>& a, Matrix& x)
{
    using T = device_type<value_of<Matrix>>;
    using I = index_of<Matrix>;
    const auto layout = layout_of(x);
    const auto rows_together = std::min<size_type>(layout.width, kernel::max_rows_together);
    const auto num_lanes = rows_together > 0 ? ceildiv(layout.width, rows_together) * rows_together : 0;
    const auto num_threads = ceildiv(layout.num_columns, kernel::columns_per_thread) * num_lanes;
    launch(exec, kernel::fill_from_csr<std::decay_t<decltype(layout)>, T, I>, num_threads, layout, a.get_size()[0],
           rows_together, a.get_const_row_ptrs(), a.get_const_col_idxs(), as_device(a.get_const_values()),
           x.get_col_idxs(), as_device(x.get_values()));
}

template <typename Matrix>
void count_entries(const DeviceExecutor& exec, const Matrix& a, index_of<Matrix>* counts)
{
    using T = device_type<value_of<Matrix>>;
    using Layout = decltype(layout_of(a));
    const auto num_parts = num_parts_for(a, 32);
    launch(exec, kernel::count_entries<Layout, T, index_of<Matrix>>, a.get_size()[0] * num_parts, arrays_of(a),
           num_parts, counts);
}

template <typename Matrix>
void convert_to_csr(const DeviceExecutor& exec, const Matrix& a, const index_of<Matrix>* row_ptrs,
                    index_of<Matrix>* col_idxs, value_of<Matrix>* values)
{
    using T = device_type<value_of<Matrix>>;
    using I = index_of<Matrix>;
    using Layout = decltype(layout_of(a));
    const auto num_parts = num_parts_for(a, kernel::chunk_length<T, I>);
    launch(exec, kernel::convert_to_csr<Layout, T, I>, a.get_size()[0] * num_parts, arrays_of(a), num_parts, row_ptrs,
           col_idxs, as_device(values));
}

}  // namespace padded_rows

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
