// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <vector>

#include <omp.h>

#include <spruce/base/array.hpp>

#include "common/numeric/complex.hpp"
#include "common/numeric/distributed_sums.hpp"
#include "common/numeric/per_column.hpp"
#include "common/numeric/safe_norm.hpp"
#include "common/numeric/scale.hpp"
#include "core/base/kernel.hpp"
#include "omp/base/backend.hpp"
#include "omp/components/partition.hpp"

/// Runs the kernels in common/unified/ on the cores of the host. The functions for GPUs are in
/// common/gpu/base/run_unified.hpp.
namespace spruce::kernels::omp {

/// Stores a value at an address to which other threads may store at the same time.
template <typename T>
void atomic_store(T* target, T value)
{
    __atomic_store_n(target, value, __ATOMIC_RELAXED);
}

/// Adds a value to an integer. Returns the previous value.
template <typename T>
T atomic_fetch_add(T* target, T value)
{
    return __atomic_fetch_add(target, value, __ATOMIC_RELAXED);
}

/// Replaces *target by value if value is smaller.
template <typename T>
void atomic_min(T* target, T value)
{
    auto current = __atomic_load_n(target, __ATOMIC_RELAXED);
    while (value < current &&
           !__atomic_compare_exchange_n(target, &current, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/// Replaces *target by value if value is larger.
template <typename T>
void atomic_max(T* target, T value)
{
    auto current = __atomic_load_n(target, __ATOMIC_RELAXED);
    while (value > current &&
           !__atomic_compare_exchange_n(target, &current, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/// Calls function(i) for i = 0, ..., size - 1, in any order and concurrently.
template <typename Function>
void run_for_each(const DeviceExecutor&, size_type size, Function function)
{
#pragma omp parallel for simd schedule(static)
    for (size_type i = 0; i < size; ++i) {
        function(i);
    }
}

/// Calls function(row, col) for every entry of a num_rows x num_cols matrix. The function may also
/// be a per_column.
template <typename Function>
void run_for_each_entry(const DeviceExecutor&, size_type num_rows, size_type num_cols, Function function)
{
    if (num_cols == 1) {
#pragma omp parallel
        {
            const auto of_row = of_column(function, 0);
#pragma omp for simd schedule(static)
            for (size_type row = 0; row < num_rows; ++row) {
                of_row(row);
            }
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_type row = 0; row < num_rows; ++row) {
#pragma omp simd
        for (size_type col = 0; col < num_cols; ++col) {
            of_column(function, col)(row);
        }
    }
}

/// Computes *target += value atomically.
template <typename T>
void atomic_add(T* target, T value)
{
#pragma omp atomic
    *target += value;
}
/// Adds the real and the imaginary part, each atomically. Another thread may see the new value of
/// one part and the old value of the other.
template <typename T>
void atomic_add(device_complex<T>* target, device_complex<T> value)
{
    atomic_add(&target->re, value.re);
    atomic_add(&target->im, value.im);
}

/// Returns the bitwise or of function(i) for i = 0, ..., size - 1.
template <typename Function>
int32 run_or(const DeviceExecutor&, size_type size, Function function)
{
    constexpr size_type min_parallel_size = 4096;
    int32 result{};
#pragma omp parallel for schedule(static) reduction(| : result) if (size >= min_parallel_size)
    for (size_type i = 0; i < size; ++i) {
        result |= function(i);
    }
    return result;
}

/// Returns the bitwise or of function(i) for i = 0, ..., size - 1. Only GPUs use the workspace.
template <typename Function>
int32 run_or(const DeviceExecutor& exec, size_type size, array<char>&, Function function)
{
    return run_or(exec, size, function);
}

/// Calls function(row, nz) for every entry nz = 0, ..., nnz - 1 of a matrix compressed by rows.
/// All threads have equal shares of rows and entries, so several threads may process one row.
template <typename I, typename Function>
void run_for_each_nonzero(const DeviceExecutor&, const I* row_ptrs, size_type num_rows, size_type nnz,
                          Function function)
{
#pragma omp parallel if (nnz >= min_parallel_work)
    for_each_row_segment(thread_merge_range(row_ptrs, num_rows), row_ptrs,
                         [&](size_type row, size_type begin, size_type end) {
#pragma omp simd
                             for (auto nz = begin; nz < end; ++nz) {
                                 function(row, nz);
                             }
                         });
}

/// Calls function(col) for every column: concurrently if there are many of them.
template <typename Function>
void for_each_column(size_type num_cols, const Function& function)
{
    if (num_cols < min_parallel_work) {
        for (size_type col = 0; col < num_cols; ++col) {
            function(col);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_type col = 0; col < num_cols; ++col) {
        function(col);
    }
}

/// Calls finalize(col, sum) for every column with the sum of map(row, col) over all rows.
///
/// The function map may also write, and may be a per_column. Each thread sums a contiguous range of
/// rows, and the partial sums are added in the order of threads. The result is bitwise reproducible
/// for a fixed number of threads. If there are many columns and no more rows than columns, each
/// thread sums whole columns instead.
/// @tparam T  type of the sums
template <typename T, typename Map, typename Finalize>
void run_sum_columns(const DeviceExecutor& exec, size_type num_rows, size_type num_cols, const Reduction& reduction,
                     Map map, Finalize finalize)
{
    if (num_cols == 0) {
        return;
    }
    // The sums of different threads lie on different cache lines. The sums of a block of columns
    // are computed together in registers.
    constexpr size_type block = 4;
    constexpr size_type lanes = 8;
    constexpr size_type chunk = 512;
    const auto by_columns = num_cols >= min_parallel_work && num_cols >= num_rows;
    const auto max_parts = by_columns ? size_type{1} : static_cast<size_type>(omp_get_max_threads());
    const auto stride = num_cols + (64 + sizeof(T) - 1) / sizeof(T);
    const auto num_bytes = (max_parts * stride + 2 * num_cols) * sizeof(T);
    auto& workspace = reduction.get_workspace();
    if (workspace.get_size() < num_bytes) {
        workspace.resize_and_reset(num_bytes);
    }
    const auto partial_sums = reinterpret_cast<T*>(workspace.get_data());
    size_type num_parts = 1;
#pragma omp parallel
    {
#pragma omp single
        num_parts = by_columns ? 1 : static_cast<size_type>(omp_get_num_threads());
        const auto part = static_cast<size_type>(omp_get_thread_num());
        const auto rows = thread_range(num_rows);
        if (num_cols == 1) {
            // Each lane of the vector unit has a sum of its own. They are added in a fixed order.
            const auto of_row = of_column(map, 0);
            T sums[lanes] = {};
            auto row = rows.begin;
            for (; row + lanes <= rows.end; row += lanes) {
#pragma omp simd
                for (size_type lane = 0; lane < lanes; ++lane) {
                    sums[lane] += of_row(row + lane);
                }
            }
            for (; row < rows.end; ++row) {
                sums[0] += of_row(row);
            }
            T sum{};
            for (const auto& lane_sum : sums) {
                sum += lane_sum;
            }
            partial_sums[part * stride] = sum;
        } else if (by_columns) {
            // The rows of a chunk of columns are added to sums that stay in the first-level cache.
            const auto cols = thread_range(num_cols);
            for (auto first = cols.begin; first < cols.end; first += chunk) {
                const auto last = std::min(first + chunk, cols.end);
                std::fill(partial_sums + first, partial_sums + last, T{});
                for (size_type row = 0; row < num_rows; ++row) {
#pragma omp simd
                    for (auto col = first; col < last; ++col) {
                        partial_sums[col] += of_column(map, col)(row);
                    }
                }
            }
        } else {
            for (size_type first = 0; first < num_cols; first += block) {
                const auto width = std::min(block, num_cols - first);
                T sums[block] = {};
                for (auto row = rows.begin; row < rows.end; ++row) {
                    for (size_type i = 0; i < width; ++i) {
                        sums[i] += of_column(map, first + i)(row);
                    }
                }
                for (size_type i = 0; i < width; ++i) {
                    partial_sums[part * stride + first + i] = sums[i];
                }
            }
        }
    }
    const auto sum_of = [&](size_type col) {
        T sum{};
        for (size_type part = 0; part < num_parts; ++part) {
            sum += partial_sums[part * stride + col];
        }
        return sum;
    };
    if constexpr (is_distributable<T>) {
        if (const auto communicator = reduction.get_communicator()) {
            const auto results = partial_sums + max_parts * stride;
            const auto maxima = results + num_cols;
            for (size_type col = 0; col < num_cols; ++col) {
                results[col] = maxima[col] = sum_of(col);
            }
            combine_parts(*communicator, exec.shared_from_this(), results, maxima, num_cols);
            for (size_type col = 0; col < num_cols; ++col) {
                finalize(col, reduced_type<T>::merge(results[col], maxima[col]));
            }
            return;
        }
    }
    for_each_column(num_cols, [&](size_type col) { finalize(col, sum_of(col)); });
}

/// Calls finalize(col, norm) for every column, where norm is the square root of the sum of
/// squares(row, col) over all rows.
///
/// If a sum overflows or underflows, all sums are computed again from safe(row, col), which returns
/// the safe_squares() of the entry. Both squares and safe may write.
template <typename Real, typename Squares, typename SafeSquares, typename Finalize>
void run_norm_columns(const DeviceExecutor& exec, size_type num_rows, size_type num_cols, const Reduction& reduction,
                      Squares squares, SafeSquares safe, Finalize finalize)
{
    // The memory is kept by the calling thread: a later call for as many columns does not allocate.
    static thread_local std::vector<Real> workspace;
    if (workspace.size() < num_cols) {
        workspace.resize(num_cols);
    }
    const auto results = workspace.data();
    run_sum_columns<Real>(exec, num_rows, num_cols, reduction, squares,
                          [results](size_type col, const Real& sum) { results[col] = sum; });
    bool is_unsafe = false;
    for_each_column(num_cols, [&](size_type col) {
        if (!is_safe_sum(results[col])) {
            atomic_store(&is_unsafe, true);
        }
    });
    if (!is_unsafe) {
        for_each_column(num_cols, [&](size_type col) { finalize(col, sqrt_of(results[col])); });
    } else {
        run_sum_columns<sums<Real, 3>>(exec, num_rows, num_cols, reduction, safe,
                                       [&](size_type col, const sums<Real, 3>& sum) { finalize(col, safe_norm(sum)); });
    }
}

}  // namespace spruce::kernels::omp
