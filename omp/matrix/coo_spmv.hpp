// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/matrix/coo_kernels.hpp"

#include "omp/components/boundary_row_sums.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/partition.hpp"
#include "omp/components/scale.hpp"
#include "omp/matrix/entry_sums.hpp"

namespace spruce::kernels::omp {
namespace coo {

/// Calls add(x_ij, sum) for partial sums whose total over all calls is a b.
///
/// Entries are distributed evenly. A row belongs to the thread that has its last entry.
/// @param sums_of  computes the sums of entries begin, ..., end - 1 in sums_of(begin, end, sums)
/// @param add_row  adds these sums to a row of x in add_row(begin, end, x_row, row_buffer)
template <typename V, typename I, typename Sums, typename AddRow, typename Add>
void add_by_runs(const matrix::Coo<V, I>& a, matrix::Dense<V>& x, const Sums& sums_of, const AddRow& add_row,
                 const Add& add)
{
    const auto nnz = a.get_num_stored_elements();
    const auto row_idxs = a.get_const_row_idxs();
    const auto x_values = x.get_values();
    const auto x_stride = x.get_stride();

    boundary_row_sums<V> boundary_sums{x.get_size()[1]};
#pragma omp parallel if (nnz * x.get_size()[1] >= min_parallel_work)
    {
        const auto row_buffer = boundary_sums.get_row_buffer();
        const auto work_range = thread_range(nnz);
        for (auto begin = work_range.begin; begin < work_range.end;) {
            const auto row = row_idxs[begin];
            auto end = begin + 1;
            while (end < work_range.end && row_idxs[end] == row) {
                ++end;
            }
            if (end == work_range.end && end < nnz && row_idxs[end] == row) {
                sums_of(begin, end, boundary_sums.take(row));
            } else {
                add_row(begin, end, x_values + row * x_stride, row_buffer);
            }
            begin = end;
        }
    }
    boundary_sums.add_to([&](size_type row, size_type rhs, V sum) { add(x_values[row * x_stride + rhs], sum); });
}

template <typename V, typename I, typename Add>
void add_product_to_rows(const matrix::Coo<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x, const Add& add)
{
    if (is_vector(b)) {
        const vector_sums<V, I> sums_of{a.get_const_col_idxs(), a.get_const_values(), b};
        add_by_runs(
            a, x,
            [&](size_type begin, size_type end, V* sums) {
                sums_of(begin, end, [&](size_type, V sum) { *sums = sum; });
            },
            [&](size_type begin, size_type end, V* x_row, V*)
                SPRUCE_FORCE_INLINE { sums_of(begin, end, [&](size_type, V sum) { add(*x_row, sum); }); },
            add);
    } else {
        const column_sums<V, I> sums_of{a.get_const_col_idxs(), a.get_const_values(), b};
        add_by_runs(
            a, x, sums_of,
            [&, num_rhs = b.get_size()[1]](size_type begin, size_type end, V* x_row, V* sums) {
                sums_of(begin, end, sums);
                for (size_type rhs = 0; rhs < num_rhs; ++rhs) {
                    add(x_row[rhs], sums[rhs]);
                }
            },
            add);
    }
}

template <typename V, typename I>
void spmv2(const OmpExecutor&, const matrix::Coo<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    add_product_to_rows(a, b, x, [](V& result, V sum) { result += sum; });
}

template <typename V, typename I>
void advanced_spmv2(const OmpExecutor&, const matrix::Dense<V>& alpha, const matrix::Coo<V, I>& a,
                    const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    const auto factor = alpha.at(0, 0);
    if (is_nonzero(factor)) {
        add_product_to_rows(a, b, x, [=](V& result, V sum) { result = multiply_add(factor, sum, result); });
    }
}

template <typename V, typename I>
void spmv(const OmpExecutor& exec, const matrix::Coo<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    scale(zero<V>(), x);
    spmv2(exec, a, b, x);
}

template <typename V, typename I>
void advanced_spmv(const OmpExecutor& exec, const matrix::Dense<V>& alpha, const matrix::Coo<V, I>& a,
                   const matrix::Dense<V>& b, const matrix::Dense<V>& beta, matrix::Dense<V>& x)
{
    scale(beta.at(0, 0), x);
    advanced_spmv2(exec, alpha, a, b, x);
}

}  // namespace coo

}  // namespace spruce::kernels::omp
