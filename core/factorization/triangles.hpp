// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <utility>

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/components/array_kernels.hpp"
#include "core/factorization/factor_pattern_kernels.hpp"
#include "core/matrix/csr_lookup.hpp"
#include "core/matrix/csr_rearrange_kernels.hpp"

namespace spruce::factorization::detail {

/// Finds the diagonal entries of a matrix.
/// @return  the number of rows without one
template <typename V, typename I>
size_type find_diagonal(const matrix::Csr<V, I>& a, array<I>& diagonal)
{
    size_type num_missing{};
    diagonal.resize_and_reset(a.get_size()[0]);
    kernels::csr::find_diagonal<I>(*a.get_executor(), a.get_const_row_ptrs(), a.get_const_col_idxs(), a.get_size()[0],
                                   a.get_num_stored_elements(), diagonal.get_data(), num_missing);
    return num_missing;
}

/// Finds the entries of a at the places of those of c. a need not be sorted.
/// @param sources  becomes the index of an entry of a for each entry of c, or -1
template <typename V, typename I>
void locate_entries(const matrix::Csr<V, I>& a, bool is_sorted, const matrix::Csr<V, I>& c, array<I>& sources)
{
    const auto exec = a.get_executor();
    sources.resize_and_reset(c.get_num_stored_elements());
    if (is_sorted) {
        kernels::factor_pattern::locate_sorted<V, I>(*exec, a, c, sources.get_data());
        return;
    }
    const matrix::csr::lookup<I> tables{exec, a.get_const_row_ptrs(), a.get_const_col_idxs(), a.get_size()[0]};
    kernels::factor_pattern::locate<V, I>(*exec, tables.get_view(), c, sources.get_data());
}

/// Returns a triangle of a sorted matrix, with its diagonal or with a diagonal of ones.
template <typename V, typename I>
std::unique_ptr<matrix::Csr<V, I>> extract_triangle(
    const matrix::Csr<V, I>& a, const array<I>& diagonal, bool upper, bool unit_diagonal,
    std::shared_ptr<typename matrix::Csr<V, I>::strategy_type> strategy = nullptr)
{
    const auto exec = a.get_executor();
    const auto size = a.get_size()[0];
    array<I> row_ptrs{exec, size + 1};
    kernels::factor_pattern::count_in_triangle<V, I>(*exec, a, diagonal.get_const_data(), upper, row_ptrs.get_data());
    size_type nnz{};
    kernels::components::prefix_sum<I>(*exec, row_ptrs.get_data(), size + 1, nnz);
    array<V> values{exec, nnz};
    array<I> col_idxs{exec, nnz};
    auto result = matrix::Csr<V, I>::create(exec, a.get_size(), std::move(values), std::move(col_idxs),
                                            std::move(row_ptrs), std::move(strategy));
    kernels::factor_pattern::copy_triangle<V, I>(*exec, a, diagonal.get_const_data(), upper, unit_diagonal, *result);
    return result;
}

}  // namespace spruce::factorization::detail
