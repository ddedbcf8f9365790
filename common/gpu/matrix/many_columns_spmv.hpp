// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Multiplies matrices by many vectors. Each thread has one entry of the result, so that the reads
// of b are coalesced. Threads of adjacent columns share the loads of an entry of the matrix, so
// that three columns or more need no shared memory.

#include "common/gpu/base/prelude.hpp"

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

/// Computes x = alpha a b + beta x for the rows that a has.
/// @tparam Rows  has for_each_entry() and product() like entry_rows
template <typename Rows, typename T, typename Output>
__global__ __launch_bounds__(default_block_size) void multiply(Rows a, size_type num_rhs, const T* __restrict__ b,
                                                               size_type b_stride, Output out)
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

}  // namespace kernel

/// Computes x = alpha a b + beta x for the rows that a has.
/// @param num_rows  of x
template <typename Rows, typename V, typename Output>
void run(const DeviceExecutor& exec, const Rows& a, size_type num_rows, const matrix::Dense<V>& b, const Output& out)
{
    const auto num_rhs = b.get_size()[1];
    launch(exec, kernel::multiply<Rows, device_type<V>, Output>, num_rows * num_rhs, a, num_rhs,
           as_device(b.get_const_values()), b.get_stride(), out);
}

}  // namespace many_columns

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
