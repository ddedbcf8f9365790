// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies matrices by many vectors. Each thread has one or several adjacent entries of the
// result, so that the reads of b are coalesced. Threads of adjacent columns share the loads of an
// entry of the matrix, so that three columns or more need no shared memory.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/dense_chunk.hpp"
#include "common/gpu/matrix/spmv_tiles.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace many_columns {

/// Views the rows of a matrix compressed by rows.
/// @tparam Matrix  csr_arrays or pattern_arrays
template <typename Matrix>
struct entry_rows {
    /// Calls function(value, column) for the entries of a row.
    /// @return  false if there is no such row
    template <typename Function>
    __device__ __forceinline__ bool for_each_entry(size_type row, Function function) const
    {
        if (row >= a.num_rows) {
            return false;
        }
        for (auto nz = a.row_ptrs[row]; nz < a.row_ptrs[row + 1]; ++nz) {
            function(a.value(nz), a.col_idxs[nz]);
        }
        return true;
    }
    template <typename Value, typename T>
    static __device__ __forceinline__ T product(Value value, T b)
    {
        return Matrix::product(value, b);
    }

    Matrix a;
};
template <typename Matrix>
entry_rows<Matrix> rows_of(const Matrix& a)
{
    return {a};
}

namespace kernel {

using spmv_tiles::output;

/// Computes x = alpha a b + beta x for the rows that a has, one entry per thread.
/// @tparam Rows  has for_each_entry() and product() like entry_rows
template <typename Rows, typename T>
__global__ __launch_bounds__(default_block_size) void multiply(Rows a, size_type num_rhs, const T* __restrict__ b,
                                                               size_type b_stride, output<T> out)
{
    const auto id = global_thread_id();
    const auto row = id / num_rhs;
    const auto rhs = id - row * num_rhs;
    T sum{};
    const auto add = [&](auto value, auto col) { sum += Rows::product(value, b[col * b_stride + rhs]); };
    if (a.for_each_entry(row, add)) {
        out.write(row, sum, rhs);
    }
}

/// Computes x = alpha a b + beta x for the rows that a has, one chunk of entries per thread. The
/// chunks of b and x are aligned.
template <typename Rows, typename T>
__global__ __launch_bounds__(default_block_size) void multiply_chunks(Rows a, size_type num_chunks,
                                                                      const dense::chunk<T>* __restrict__ b,
                                                                      size_type b_stride, output<T> out)
{
    constexpr int size = dense::chunk<T>::size;
    const auto id = global_thread_id();
    const auto row = id / num_chunks;
    const auto chunk = id - row * num_chunks;
    dense::chunk<T> sums{};
    const auto add = [&](auto value, auto col) {
        const auto entries = b[col * b_stride + chunk];
#pragma unroll
        for (int i = 0; i < size; ++i) {
            sums.values[i] += Rows::product(value, entries.values[i]);
        }
    };
    if (a.for_each_entry(row, add)) {
        out.write(row, sums, chunk * size);
    }
}

}  // namespace kernel

/// Returns true if threads should have chunks of a row of x. The threads with the chunks of a row
/// load an entry of a together. The fewer they are, the farther apart are the loads of a warp,
/// unless rows are short (doc/tuning/csr.md).
constexpr bool suits_chunks(size_type num_chunks, size_type mean_length)
{
    constexpr size_type few_chunks = 4;
    constexpr size_type short_row = 8;
    constexpr size_type many_chunks = 8;
    constexpr size_type long_row = 128;
    return num_chunks >= many_chunks || mean_length <= (num_chunks < few_chunks ? short_row : long_row);
}

/// Computes x = alpha a b + beta x for the rows that a has.
/// @param num_rows  of x
/// @param mean_length  of the rows of a, rounded
template <typename Rows, typename V, typename T>
void run(const DeviceExecutor& exec, const Rows& a, size_type num_rows, size_type mean_length,
         const matrix::Dense<V>& b, const spmv_tiles::output<T>& out)
{
    using chunk = dense::chunk<T>;
    constexpr size_type size = chunk::size;
    const auto num_rhs = b.get_size()[1];
    const auto num_chunks = num_rhs / size;
    const auto b_values = as_device(b.get_const_values());
    const auto has_aligned_chunks = size > 1 && num_rhs % size == 0 && dense::has_aligned_rows(b) &&
                                    dense::is_aligned(out.x) && out.stride % size == 0;
    if (has_aligned_chunks && suits_chunks(num_chunks, mean_length)) {
        launch(exec, kernel::multiply_chunks<Rows, T>, num_rows * num_chunks, a, num_chunks,
               reinterpret_cast<const chunk*>(b_values), b.get_stride() / size, out);
    } else {
        launch(exec, kernel::multiply<Rows, T>, num_rows * num_rhs, a, num_rhs, b_values, b.get_stride(), out);
    }
}

}  // namespace many_columns

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
