// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/base/dim.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/permutation_kernels.hpp"

/// Computes with patterns in compressed row storage, for formats whose entries are numbers or
/// blocks.
namespace spruce::detail {

/// Views a pattern in the memory of an executor.
template <typename IndexType>
struct pattern_view {
    std::shared_ptr<const Executor> exec;
    dim<2> size;
    size_type nnz;
    const IndexType* row_ptrs;
    const IndexType* col_idxs;
};

/// Holds a reordered pattern. Entry k was entry positions[k] before, if positions were asked for.
template <typename IndexType>
struct reordered_pattern {
    array<IndexType> row_ptrs;
    array<IndexType> col_idxs;
    array<IndexType> positions;
};

/// Returns the transposed pattern, sorted by column within rows.
template <typename IndexType>
reordered_pattern<IndexType> transpose(const pattern_view<IndexType>& a, bool with_positions = true)
{
    const auto& exec = a.exec;
    reordered_pattern<IndexType> result{{exec, a.size[1] + 1}, {exec, a.nnz}, {exec, with_positions ? a.nnz : 0}};
    kernels::csr::transpose_pattern<IndexType>(*exec, a.size, a.nnz, a.row_ptrs, a.col_idxs, result.row_ptrs.get_data(),
                                               result.col_idxs.get_data(),
                                               with_positions ? result.positions.get_data() : nullptr);
    return result;
}

/// Returns the pattern sorted by column within rows, which is the transpose of its transpose.
template <typename IndexType>
reordered_pattern<IndexType> sort_by_column(const pattern_view<IndexType>& a)
{
    const auto transposed = transpose(a);
    auto result =
        transpose(pattern_view<IndexType>{a.exec, spruce::transpose(a.size), a.nnz,
                                          transposed.row_ptrs.get_const_data(), transposed.col_idxs.get_const_data()});
    array<IndexType> positions{a.exec, a.nnz};
    kernels::permutation::compose<IndexType>(*a.exec, transposed.positions.get_const_data(),
                                             result.positions.get_const_data(), a.nnz, positions.get_data());
    result.positions = std::move(positions);
    return result;
}

/// Returns true if the columns within each row are sorted. ValueType is any value type of Csr.
template <typename ValueType, typename IndexType>
bool is_sorted_by_column(const pattern_view<IndexType>& a)
{
    // The values are not read, so any address is valid.
    const auto values = reinterpret_cast<const ValueType*>(a.col_idxs);
    const auto csr = matrix::Csr<ValueType, IndexType>::create_const(
        a.exec, a.size, make_const_array_view(a.exec, a.nnz, values), make_const_array_view(a.exec, a.nnz, a.col_idxs),
        make_const_array_view(a.exec, a.size[0] + 1, a.row_ptrs),
        std::make_shared<typename matrix::Csr<ValueType, IndexType>::classical>());
    return csr->is_sorted_by_column_index();
}

}  // namespace spruce::detail
