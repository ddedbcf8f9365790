// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_kernels.hpp"

#include <algorithm>

#include "omp/base/register.hpp"
#include "omp/components/array_sums.hpp"
#include "omp/components/partition.hpp"
#include "omp/matrix/entry_sums.hpp"
#include "omp/matrix/sort_rows.hpp"
#include "omp/matrix/spmv_merge.hpp"
#include "omp/matrix/transpose_entries.hpp"

namespace spruce::kernels::omp {
namespace csr {

/// Computes x = alpha a b + beta x for several columns, or for one column of a wider matrix. Null
/// stands for alpha = 1 and beta = 0.
template <typename V, typename I>
void multiply_columns(const V* alpha, const matrix::Csr<V, I>& a, const matrix::Dense<V>& b, const V* beta,
                      matrix::Dense<V>& x)
{
    spmv_merge_columns(alpha, a.get_const_row_ptrs(), a.get_num_stored_elements(),
                       column_sums<V, I>{a.get_const_col_idxs(), a.get_const_values(), b}, beta, x);
}

template <typename V, typename I, typename Finish, typename Add>
void multiply_vector(const matrix::Csr<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x, const Finish& finish,
                     const Add& add)
{
    spmv_merge(a.get_const_row_ptrs(), a.get_num_stored_elements(), x,
               vector_sums<V, I>{a.get_const_col_idxs(), a.get_const_values(), b}, finish, add);
}

template <typename V, typename I>
void spmv(const OmpExecutor&, const matrix::Csr<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    if (is_vector(b)) {
        overwrite_by<V>([&](auto finish, auto add) { multiply_vector(a, b, x, finish, add); });
    } else {
        multiply_columns<V, I>(nullptr, a, b, nullptr, x);
    }
}

template <typename V, typename I>
void advanced_spmv(const OmpExecutor&, const matrix::Dense<V>& alpha, const matrix::Csr<V, I>& a,
                   const matrix::Dense<V>& b, const matrix::Dense<V>& beta, matrix::Dense<V>& x)
{
    const auto alpha_value = alpha.at(0, 0);
    const auto beta_value = beta.at(0, 0);
    if (is_zero(alpha_value)) {
        scale(beta_value, x);
    } else if (is_vector(b)) {
        combine_by(alpha_value, beta_value, [&](auto finish, auto add) { multiply_vector(a, b, x, finish, add); });
    } else {
        multiply_columns(&alpha_value, a, b, is_zero(beta_value) ? nullptr : &beta_value, x);
    }
}

template <typename V, typename I>
void fill_in_dense(const OmpExecutor&, const matrix::Csr<V, I>& a, matrix::Dense<V>& x)
{
    const auto row_ptrs = a.get_const_row_ptrs();
#pragma omp parallel
    {
        // Each thread has whole rows: two threads must not add to a column that occurs twice in a
        // row.
        const auto rows = thread_merge_range(row_ptrs, a.get_size()[0]).rows();
        for (auto row = rows.begin; row < rows.end; ++row) {
            for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
                x.at(row, a.get_const_col_idxs()[nz]) += a.get_const_values()[nz];
            }
        }
    }
}

/// Computes b = transform(a)^T.
template <typename V, typename I, typename Transform>
void transpose_with(const OmpExecutor& exec, const matrix::Csr<V, I>& a, matrix::Csr<V, I>& b, Transform transform)
{
    transposition::run(
        exec, a.get_size(), a.get_const_row_ptrs(), a.get_const_col_idxs(), a.get_const_values(), b.get_row_ptrs(),
        b.get_col_idxs(),
        [=, values = b.get_values()](const V& value, size_type target) { values[target] = transform(value); });
}

/// Represents an array with the value i at index i.
template <typename I>
struct index_sequence {
    I operator[](size_type i) const { return static_cast<I>(i); }
};

template <typename I>
void transpose_pattern(const OmpExecutor& exec, const dim<2>& size, size_type, const I* row_ptrs, const I* col_idxs,
                       I* new_row_ptrs, I* new_col_idxs, I* positions)
{
    transposition::run(exec, size, row_ptrs, col_idxs, index_sequence<I>{}, new_row_ptrs, new_col_idxs,
                       [positions](I position, size_type target) {
                           if (positions) {
                               positions[target] = position;
                           }
                       });
}

template <typename V, typename I>
void transpose(const OmpExecutor& exec, const matrix::Csr<V, I>& a, matrix::Csr<V, I>& b)
{
    transpose_with(exec, a, b, [](V value) { return value; });
}

template <typename V, typename I>
void conj_transpose(const OmpExecutor& exec, const matrix::Csr<V, I>& a, matrix::Csr<V, I>& b)
{
    transpose_with(exec, a, b, [](V value) { return spruce::conj(value); });
}

template <typename I>
size_type max_row_length(const I* row_ptrs, range rows)
{
    size_type max_length = 0;
    for (auto row = rows.begin; row < rows.end; ++row) {
        max_length = std::max(max_length, static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]));
    }
    return max_length;
}

template <typename I>
void compute_max_row_length(const OmpExecutor&, const I* row_ptrs, size_type num_rows, size_type& max_length)
{
    size_type result = 0;
#pragma omp parallel reduction(max : result) if (num_rows >= min_parallel_work)
    result = max_row_length(row_ptrs, thread_range(num_rows));
    max_length = result;
}

template <typename V, typename I>
void sort_by_column_index(const OmpExecutor& exec, matrix::Csr<V, I>& a)
{
    sort_rows(exec, a);
}

template <typename V, typename I>
void is_sorted_by_column_index(const OmpExecutor&, const matrix::Csr<V, I>& a, bool strictly, bool& is_sorted)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_const_col_idxs();
    const auto is_descent = [strictly](I col, I next) { return col > next || (strictly && col == next); };
    bool result = true;
#pragma omp parallel reduction(&& : result) if (a.get_num_stored_elements() >= min_parallel_work)
    {
        const auto work_range = thread_merge_range(row_ptrs, a.get_size()[0]);
        for_each_row_segment(work_range, row_ptrs, [&](size_type row, size_type begin, size_type end) {
            // If a part does not begin its row, it is checked together with the entry before it.
            const auto overlap = begin > static_cast<size_type>(row_ptrs[row]) ? 1 : 0;
            result =
                result && std::adjacent_find(col_idxs + begin - overlap, col_idxs + end, is_descent) == col_idxs + end;
        });
    }
    is_sorted = result;
}

template <typename I>
void count_oversized_groups(const OmpExecutor&, const I* row_ptrs, size_type num_rows, size_type rows_per_group,
                            size_type max_entries, size_type& count)
{
    size_type result = 0;
#pragma omp parallel for reduction(+ : result) if (num_rows >= min_parallel_work)
    for (size_type row = 0; row < num_rows; row += rows_per_group) {
        const auto end = std::min(row + rows_per_group, num_rows);
        result += static_cast<size_type>(row_ptrs[end] - row_ptrs[row]) > max_entries;
    }
    count = result;
}

template <typename I>
void find_start_rows(const OmpExecutor&, const I* row_ptrs, size_type num_rows, size_type items_per_tile,
                     size_type row_weight, I* start_rows, I* start_entries, size_type num_starts)
{
#pragma omp parallel for if (num_starts >= min_parallel_work)
    for (size_type i = 0; i < num_starts; ++i) {
        const auto row = num_rows_ended(row_ptrs, num_rows, i * items_per_tile, row_weight);
        start_rows[i] = static_cast<I>(row);
        if (start_entries) {
            start_entries[i] = row_ptrs[row];
        }
    }
}

}  // namespace csr

void register_csr()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = OmpExecutor;
        kernels::csr::spmv<V, I>.template set<E>(&csr::spmv<V, I>);
        kernels::csr::advanced_spmv<V, I>.template set<E>(&csr::advanced_spmv<V, I>);
        kernels::csr::fill_in_dense<V, I>.template set<E>(&csr::fill_in_dense<V, I>);
        kernels::csr::transpose<V, I>.template set<E>(&csr::transpose<V, I>);
        kernels::csr::conj_transpose<V, I>.template set<E>(&csr::conj_transpose<V, I>);
        kernels::csr::sort_by_column_index<V, I>.template set<E>(&csr::sort_by_column_index<V, I>);
        kernels::csr::is_sorted_by_column_index<V, I>.template set<E>(&csr::is_sorted_by_column_index<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::csr::transpose_pattern<I>.template set<OmpExecutor>(&csr::transpose_pattern<I>);
        kernels::csr::compute_max_row_length<I>.template set<OmpExecutor>(&csr::compute_max_row_length<I>);
        kernels::csr::count_oversized_groups<I>.template set<OmpExecutor>(&csr::count_oversized_groups<I>);
        kernels::csr::find_start_rows<I>.template set<OmpExecutor>(&csr::find_start_rows<I>);
    });
}

}  // namespace spruce::kernels::omp
