// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_kernels.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "reference/base/register.hpp"
#include "reference/matrix/products.hpp"

namespace spruce::kernels::reference {
namespace csr {

/// Returns entry (row, rhs) of a b.
template <typename V, typename I>
V row_times_column(const matrix::Csr<V, I>& a, size_type row, const matrix::Dense<V>& b, size_type rhs)
{
    auto sum = zero<V>();
    for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
        sum += a.get_const_values()[nz] * b.at(a.get_const_col_idxs()[nz], rhs);
    }
    return sum;
}

template <typename V, typename I>
void spmv(const ReferenceExecutor&, const matrix::Csr<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    multiply([&](auto row, auto rhs) { return row_times_column(a, row, b, rhs); }, x);
}

template <typename V, typename I>
void advanced_spmv(const ReferenceExecutor&, const matrix::Dense<V>& alpha, const matrix::Csr<V, I>& a,
                   const matrix::Dense<V>& b, const matrix::Dense<V>& beta, matrix::Dense<V>& x)
{
    multiply_add(
        alpha, [&](auto row, auto rhs) { return row_times_column(a, row, b, rhs); }, beta, x);
}

template <typename V, typename I>
void fill_in_dense(const ReferenceExecutor&, const matrix::Csr<V, I>& a, matrix::Dense<V>& x)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            x.at(row, a.get_const_col_idxs()[nz]) += a.get_const_values()[nz];
        }
    }
}

/// Transposes a pattern by a counting sort by column, which keeps the order of rows. Calls
/// move(nz, target) for each entry.
template <typename I, typename Move>
void transpose_entries(const dim<2>& size, const I* row_ptrs, const I* col_idxs, I* new_row_ptrs, I* new_col_idxs,
                       Move move)
{
    std::fill_n(new_row_ptrs, size[1] + 1, I{});
    for (I nz = 0; nz < row_ptrs[size[0]]; ++nz) {
        ++new_row_ptrs[col_idxs[nz] + 1];
    }
    std::partial_sum(new_row_ptrs, new_row_ptrs + size[1] + 1, new_row_ptrs);
    std::vector<I> next(new_row_ptrs, new_row_ptrs + size[1]);
    for (size_type row = 0; row < size[0]; ++row) {
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            const auto target = next[col_idxs[nz]]++;
            new_col_idxs[target] = static_cast<I>(row);
            move(nz, target);
        }
    }
}

/// Computes b = transform(a)^T.
template <typename V, typename I, typename Transform>
void transpose_with(const matrix::Csr<V, I>& a, matrix::Csr<V, I>& b, Transform transform)
{
    transpose_entries(a.get_size(), a.get_const_row_ptrs(), a.get_const_col_idxs(), b.get_row_ptrs(), b.get_col_idxs(),
                      [&](I nz, I target) { b.get_values()[target] = transform(a.get_const_values()[nz]); });
}

template <typename I>
void transpose_pattern(const ReferenceExecutor&, const dim<2>& size, size_type, const I* row_ptrs, const I* col_idxs,
                       I* new_row_ptrs, I* new_col_idxs, I* positions)
{
    transpose_entries(size, row_ptrs, col_idxs, new_row_ptrs, new_col_idxs, [positions](I nz, I target) {
        if (positions) {
            positions[target] = nz;
        }
    });
}

template <typename V, typename I>
void transpose(const ReferenceExecutor&, const matrix::Csr<V, I>& a, matrix::Csr<V, I>& b)
{
    transpose_with(a, b, [](V value) { return value; });
}

template <typename V, typename I>
void conj_transpose(const ReferenceExecutor&, const matrix::Csr<V, I>& a, matrix::Csr<V, I>& b)
{
    transpose_with(a, b, [](V value) { return spruce::conj(value); });
}

template <typename V, typename I>
void sort_by_column_index(const ReferenceExecutor&, matrix::Csr<V, I>& a)
{
    const auto col_idxs = a.get_col_idxs();
    const auto values = a.get_values();
    std::vector<std::pair<I, V>> entries;
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        const auto begin = a.get_const_row_ptrs()[row];
        const auto end = a.get_const_row_ptrs()[row + 1];
        entries.clear();
        for (auto nz = begin; nz < end; ++nz) {
            entries.emplace_back(col_idxs[nz], values[nz]);
        }
        std::stable_sort(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.first < b.first; });
        for (auto nz = begin; nz < end; ++nz) {
            std::tie(col_idxs[nz], values[nz]) = entries[nz - begin];
        }
    }
}

template <typename V, typename I>
void is_sorted_by_column_index(const ReferenceExecutor&, const matrix::Csr<V, I>& a, bool strictly, bool& is_sorted)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_const_col_idxs();
    is_sorted = true;
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        for (auto nz = row_ptrs[row] + 1; nz < row_ptrs[row + 1]; ++nz) {
            is_sorted = is_sorted && (strictly ? col_idxs[nz - 1] < col_idxs[nz] : col_idxs[nz - 1] <= col_idxs[nz]);
        }
    }
}

template <typename I>
void compute_max_row_length(const ReferenceExecutor&, const I* row_ptrs, size_type num_rows, size_type& max_length)
{
    max_length = 0;
    for (size_type row = 0; row < num_rows; ++row) {
        max_length = std::max(max_length, static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]));
    }
}

template <typename I>
void count_oversized_groups(const ReferenceExecutor&, const I* row_ptrs, size_type num_rows, size_type rows_per_group,
                            size_type max_entries, size_type& count)
{
    count = 0;
    for (size_type row = 0; row < num_rows; row += rows_per_group) {
        const auto end = std::min(row + rows_per_group, num_rows);
        count += static_cast<size_type>(row_ptrs[end] - row_ptrs[row]) > max_entries;
    }
}

template <typename I>
void find_start_rows(const ReferenceExecutor&, const I* row_ptrs, size_type num_rows, size_type items_per_tile,
                     size_type row_weight, I* start_rows, I* start_entries, size_type num_starts)
{
    size_type row = 0;
    for (size_type i = 0; i < num_starts; ++i) {
        const auto is_used_up = [&] {
            const auto used = static_cast<size_type>(row_ptrs[row + 1]) + row_weight * (row + 1);
            return used <= i * items_per_tile;
        };
        while (row < num_rows && is_used_up()) {
            ++row;
        }
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
        using E = ReferenceExecutor;
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
        kernels::csr::transpose_pattern<I>.template set<ReferenceExecutor>(&csr::transpose_pattern<I>);
        kernels::csr::compute_max_row_length<I>.template set<ReferenceExecutor>(&csr::compute_max_row_length<I>);
        kernels::csr::count_oversized_groups<I>.template set<ReferenceExecutor>(&csr::count_oversized_groups<I>);
        kernels::csr::find_start_rows<I>.template set<ReferenceExecutor>(&csr::find_start_rows<I>);
    });
}

}  // namespace spruce::kernels::reference
