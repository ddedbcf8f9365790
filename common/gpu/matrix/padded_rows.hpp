// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies Ell and Sellp by vectors, and extracts their diagonals. Matrix is one of the two
// types.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/padded_arrays.hpp"
#include "common/gpu/matrix/padded_conversions.hpp"
#include "common/gpu/matrix/partial_sums.hpp"
#include "common/gpu/matrix/spmv_tiles.hpp"
#include "common/unified/matrix/padded_rows.hpp"
#include "core/matrix/dense_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace padded_rows {

using matrix::Dense;
using spmv_tiles::column;
using spmv_tiles::output;

namespace grid = kernels::SPRUCE_DEVICE_NAMESPACE::kernel;  // the reductions of run_unified.hpp

namespace kernel {

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
/// process the rows of num_blocks blocks in a grid-stride loop, and the last block sums the blocks'
/// results. A grid of no more blocks than are resident at once leaves few sums, and its blocks end
/// together (doc/tuning/constants.md).
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

/// Returns the sum of the products of a part of a row with a column of b.
template <typename Layout, typename T, typename I>
struct product_of_part {
    __device__ __forceinline__ T operator()(size_type row, int col, int part, int num_parts) const
    {
        return sum_row(a, row, part, num_parts, column<T>{b.data + col * sizeof(T), b.stride});
    }

    padded_arrays<Layout, T, I> a;
    column<T> b;
};

template <typename T>
struct write_product {
    __device__ __forceinline__ void operator()(size_type row, int col, const T& sum) const { out.write(row, sum, col); }

    output<T> out;
};

/// Returns the sum of the diagonal entries in a part of a row.
template <typename Layout, typename T, typename I>
struct diagonal_of_part {
    __device__ __forceinline__ T operator()(size_type row, int, int part, int num_parts) const
    {
        constexpr int num = 8;
        const auto entries = offsets_of(a.layout, row);
        T sum{};
        for (size_type first = part; first < entries.length; first += static_cast<size_type>(num) * num_parts) {
            I cols[num];
            for (int j = 0; j < num; ++j) {
                const auto i = first + static_cast<size_type>(j) * num_parts;
                cols[j] = i < entries.length ? warp::load_streaming(a.col_idxs + entries.begin + i * a.layout.width)
                                             : I{matrix::padding_column};
            }
            for (int j = 0; j < num; ++j) {
                if (cols[j] == static_cast<I>(row)) {
                    sum += a.values[entries.begin + (first + static_cast<size_type>(j) * num_parts) * a.layout.width];
                }
            }
        }
        return sum;
    }

    padded_arrays<Layout, T, I> a;
};

template <typename T>
struct add_to_diagonal {
    __device__ __forceinline__ void operator()(size_type row, int, const T& sum) const { diagonal[row] += sum; }

    T* diagonal;
};

}  // namespace kernel

constexpr int max_parts = 32;  // of a block's threads

/// Returns true if a product is computed by `multiply`. The kernel for several columns computes
/// products whose offsets exceed 32 bits.
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
    const auto is_profitable = [&] {
        const auto fills = num_parts < max_parts && num_rows * num_parts < num_resident &&
                           2 * num_parts * entries_to_fill <= mean_length;
        const auto ends_sooner =
            is_sliced && num_parts < max_parts_in_slices && 2 * num_parts * entries_in_slices <= mean_length;
        return fills || ends_sooner;
    };
    while (is_profitable()) {
        num_parts *= 2;
    }
    return num_parts;
}

/// Returns the number of columns that a thread of `multiply_columns` has.
constexpr size_type cols_per_thread(size_type num_rhs) { return num_rhs == 2 ? 2 : 4; }

/// Returns true if the entries of each row are distributed over several blocks: the other kernels
/// would leave most of the device idle.
template <typename Matrix>
bool has_few_long_rows(const DeviceExecutor& exec, const Matrix& a, const Dense<value_of<Matrix>>& b)
{
    const auto layout = layout_of(a);
    const auto num_rows = a.get_size()[0];
    const auto num_rhs = b.get_size()[1];
    if (!spmv_tiles::has_short_stride(b) || layout.width > std::numeric_limits<uint32>::max() / default_block_size ||
        layout.num_columns > static_cast<size_type>(std::numeric_limits<int>::max() / 2)) {
        return false;
    }
    if (num_rhs == 1) {
        const auto num_parts = static_cast<size_type>(num_parts_of_rows(exec, a));
        return partial_sums::is_profitable(exec, num_rows * num_parts, mean_length(a) / num_parts);
    }
    return partial_sums::is_profitable(exec, num_rows * ceildiv(num_rhs, cols_per_thread(num_rhs)), mean_length(a));
}

/// Computes x = alpha a b + beta x for few long rows.
template <typename Matrix>
void multiply_long_rows(const DeviceExecutor& exec, const Matrix& a, const Dense<value_of<Matrix>>& b,
                        const output<device_type<value_of<Matrix>>>& out)
{
    using T = device_type<value_of<Matrix>>;
    using Layout = decltype(layout_of(a));
    const auto num_rhs = b.get_size()[1];
    const auto max_parts = std::numeric_limits<uint32>::max() / std::max<size_type>(layout_of(a).width, 1);
    for (size_type col = 0; col < num_rhs; col += partial_sums::max_cols) {
        partial_sums::sum_rows<T>(
            exec, a.get_size()[0], std::min<size_type>(partial_sums::max_cols, num_rhs - col), mean_length(a),
            max_parts,
            kernel::product_of_part<Layout, T, index_of<Matrix>>{arrays_of(a), spmv_tiles::column_of(b, col)},
            kernel::write_product<T>{{out.x + col, out.stride, out.alpha, out.beta}});
    }
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
    if (has_few_long_rows(exec, a, b)) {
        multiply_long_rows(exec, a, b, out);
        return;
    }
    if (is_one_pass(a, b)) {
        const auto num_parts = num_parts_of_rows(exec, a);
        launch_dependent(exec, kernel::multiply<Layout, T, I>, ceildiv(num_rows * num_parts, default_block_size),
                         arrays, num_parts, spmv_tiles::column_of(b), out);
        return;
    }
    const auto run = [&](auto function) {
        const auto num_groups = ceildiv(num_rhs, cols_per_thread(num_rhs));
        launch(exec, function, num_rows * num_groups, arrays, num_rhs, num_groups, as_device(b.get_const_values()),
               b.get_stride(), out);
    };
    if (num_rhs == 2) {
        run(kernel::multiply_columns<2, Layout, T, I>);
    } else {
        run(kernel::multiply_columns<4, Layout, T, I>);
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
    if (!is_one_pass(a, b) || a.get_size()[0] == 0 || reduction.get_communicator() || has_few_long_rows(exec, a, b)) {
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
void extract_diagonal(const DeviceExecutor& exec, const Matrix& a, matrix::Diagonal<value_of<Matrix>>& d)
{
    using T = device_type<value_of<Matrix>>;
    using Layout = decltype(layout_of(a));
    const auto num_rows = d.get_size()[0];
    if (!partial_sums::is_profitable(exec, num_rows, mean_length(a))) {
        extract_diagonal_by_rows(exec, a, d);
        return;
    }
    partial_sums::sum_rows<T>(exec, num_rows, 1, mean_length(a), std::numeric_limits<int>::max(),
                              kernel::diagonal_of_part<Layout, T, index_of<Matrix>>{arrays_of(a)},
                              kernel::add_to_diagonal<T>{as_device(d.get_values())});
}

}  // namespace padded_rows

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
