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
/// share a row.
namespace spruce::kernels::omp {

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
        for_each_row_segment(work_range, row_ptrs,
                             [&](size_type row, size_type begin, size_type end) SPRUCE_FORCE_INLINE {
                                 if (row < work_range.end.row) {
                                     const auto x_row = x_values + row * x_stride;
                                     sums_of(begin, end, [&](size_type rhs, V sum) { finish(x_row[rhs], sum); });
                                 } else if (begin < end) {
                                     const auto sums = boundary_sums.take(row);
                                     sums_of(begin, end, [&](size_type rhs, V sum) { sums[rhs] = sum; });
                                 }
                             });
    };
#pragma omp parallel if (work >= min_parallel_work)
    on_vector_unit(multiply_thread_range);
    boundary_sums.add_to([&](size_type row, size_type rhs, V sum) { add(x_values[row * x_stride + rhs], sum); });
}

/// Computes x = sums: calls run(finish, add) with the functions that spmv_merge() needs for it.
template <typename V, typename Run>
void overwrite_by(const Run& run)
{
    run([](V& result, V sum) { result = sum; }, [](V& result, V sum) { result += sum; });
}

/// Computes x = alpha sums + beta x. If a factor is zero, its operand is ignored, even if it is
/// NaN.
template <typename V, typename Run>
void multiply_and_combine(const matrix::Dense<V>& alpha, const matrix::Dense<V>& beta, matrix::Dense<V>& x,
                          const Run& run)
{
    const auto alpha_value = alpha.at(0, 0);
    const auto beta_value = beta.at(0, 0);
    if (is_zero(alpha_value)) {
        scale(beta_value, x);
        return;
    }
    const auto overwrite = is_zero(beta_value);
    run([=](V& result,
            V sum) { result = multiply_add(alpha_value, sum, overwrite ? zero<V>() : multiply(beta_value, result)); },
        [=](V& result, V sum) { result = multiply_add(alpha_value, sum, result); });
}

}  // namespace spruce::kernels::omp
