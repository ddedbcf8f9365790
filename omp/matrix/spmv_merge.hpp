// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/dense.hpp>

#include "omp/components/boundary_row_sums.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/scale.hpp"
#include "omp/components/vector_unit.hpp"

/// Multiplies matrices compressed by rows. Rows and entries are distributed evenly, and threads may
/// share a row (doc/tuning/cpu.md).
namespace spruce::kernels::omp {

/// Calls finish(x_ij, 0) for all entries of num_rows rows of x.
template <typename V, typename Finish>
SPRUCE_FORCE_INLINE inline void finish_empty_rows(V* x, size_type num_rows, size_type num_cols, size_type stride,
                                                  const Finish& finish)
{
    if (stride == 1) {
        for (size_type row = 0; row < num_rows; ++row) {
            finish(x[row], zero<V>());
        }
        return;
    }
    for (size_type row = 0; row < num_rows; ++row) {
        for (size_type col = 0; col < num_cols; ++col) {
            finish(x[row * stride + col], zero<V>());
        }
    }
}

/// Computes all sums of the product a b for the row pointers of a.
///
/// Calls finish(x_ij, sum) for the last part of a row, or for the whole row. If several threads
/// share the row, add(x_ij, sum) is called later for each of its other parts.
/// @param sums_of  calls store(rhs, sum) in sums_of(begin, end, store) for entries begin, ..., end
///                 - 1 of one row
template <typename V, typename I, typename Sums, typename Finish, typename Add>
void spmv_merge(const I* row_ptrs, size_type nnz, matrix::Dense<V>& x, const Sums& sums_of, const Finish& finish,
                const Add& add)
{
    const auto num_rows = x.get_size()[0];
    const auto num_rhs = x.get_size()[1];
    const auto x_values = x.get_values();
    const auto x_stride = x.get_stride();
    const auto work = (num_rows + nnz) * num_rhs;

    boundary_row_sums<V> boundary_sums{num_rhs};
    const auto multiply_thread_range = [&] {
        const auto work_range = thread_merge_range(row_ptrs, num_rows);
        auto nz = work_range.begin.nz;
        for (auto row = work_range.begin.row; row < work_range.end.row;) {
            const auto x_row = x_values + row * x_stride;
            const auto end = static_cast<size_type>(row_ptrs[row + 1]);
            if (nz == end) {
                const auto next_row = end_of_empty_rows(row_ptrs, row, work_range.end.row, nz);
                finish_empty_rows(x_row, next_row - row, num_rhs, x_stride, finish);
                row = next_row;
                continue;
            }
            sums_of(nz, end, [&](size_type rhs, V sum) { finish(x_row[rhs], sum); });
            nz = end;
            ++row;
        }
        if (nz < work_range.end.nz) {
            const auto sums = boundary_sums.take(work_range.end.row);
            sums_of(nz, work_range.end.nz, [&](size_type rhs, V sum) { sums[rhs] = sum; });
        }
    };
#pragma omp parallel if (work >= min_parallel_work)
    on_vector_unit(multiply_thread_range);
    boundary_sums.add_to([&](size_type row, size_type rhs, V sum) { add(x_values[row * x_stride + rhs], sum); });
}

/// Computes x = alpha a b + beta x for several right-hand sides, distributed as by spmv_merge().
/// The factors are run-time arguments, since the loop is instantiated for each width of a group of
/// columns. Null stands for alpha = 1 and beta = 0.
/// @param sums_of  computes the sums of entries begin, ..., end - 1 in sums_of(begin, end, sums)
template <typename V, typename I, typename Sums>
void spmv_merge_columns(const V* alpha, const I* row_ptrs, size_type nnz, const Sums& sums_of, const V* beta,
                        matrix::Dense<V>& x)
{
    const auto num_rows = x.get_size()[0];
    const auto num_rhs = x.get_size()[1];
    const auto x_values = x.get_values();
    const auto x_stride = x.get_stride();
    const auto work = (num_rows + nnz) * num_rhs;

    boundary_row_sums<V> boundary_sums{num_rhs};
    const auto finish_empty = [=](V& result, V sum) { combine_into(alpha, sum, beta, result); };
    const auto multiply_thread_range = [&] {
        const auto row_sums = boundary_sums.get_row_buffer();
        const auto work_range = thread_merge_range(row_ptrs, num_rows);
        // sums_of is called in one place, since it is inlined with all widths.
        auto nz = work_range.begin.nz;
        for (auto row = work_range.begin.row; row <= work_range.end.row; ++row) {
            if (row < work_range.end.row && nz == static_cast<size_type>(row_ptrs[row + 1])) {
                const auto first = row;
                row = end_of_empty_rows(row_ptrs, row, work_range.end.row, nz);
                finish_empty_rows(x_values + first * x_stride, row - first, num_rhs, x_stride, finish_empty);
            }
            const auto is_complete = row < work_range.end.row;
            const auto end = is_complete ? static_cast<size_type>(row_ptrs[row + 1]) : work_range.end.nz;
            if (!is_complete && nz == end) {
                break;
            }
            const auto sums = is_complete ? row_sums : boundary_sums.take(row);
            sums_of(nz, end, sums);
            for (size_type rhs = 0; is_complete && rhs < num_rhs; ++rhs) {
                combine_into(alpha, sums[rhs], beta, x_values[row * x_stride + rhs]);
            }
            nz = end;
        }
    };
#pragma omp parallel if (work >= min_parallel_work)
    on_vector_unit(multiply_thread_range);
    boundary_sums.add_to([&](size_type row, size_type rhs, V sum) {
        x_values[row * x_stride + rhs] += alpha ? multiply(*alpha, sum) : sum;
    });
}

/// Computes x = sums: calls run(finish, add) with the functions that spmv_merge() needs for it.
template <typename V, typename Run>
void overwrite_by(const Run& run)
{
    run([](V& result, V sum) { result = sum; }, [](V& result, V sum) { result += sum; });
}

/// Computes x = alpha sums + beta x in the same way. If beta is zero, x is ignored, even if it is
/// NaN.
template <typename V, typename Run>
void combine_by(V alpha, V beta, const Run& run)
{
    const auto overwrite = is_zero(beta);
    run([=](V& result, V sum) { result = multiply_add(alpha, sum, overwrite ? zero<V>() : multiply(beta, result)); },
        [=](V& result, V sum) { result = multiply_add(alpha, sum, result); });
}

}  // namespace spruce::kernels::omp
