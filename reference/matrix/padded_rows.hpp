// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/matrix/dense_kernels.hpp"
#include "core/matrix/padded_rows.hpp"
#include "reference/matrix/products.hpp"

/// Implements the kernels of Ell and Sellp. Matrix is one of them.
namespace spruce::kernels::reference::padded_rows {

template <typename Matrix>
using value_of = typename Matrix::value_type;
template <typename Matrix>
using index_of = typename Matrix::index_type;

/// Calls function(col, value) for the entries of a row.
template <typename Matrix, typename Function>
void for_each_entry(const Matrix& a, size_type row, Function function)
{
    const auto layout = layout_of(a);
    const auto entries = offsets_of(layout, row);
    for (size_type i = 0; i < entries.length; ++i) {
        const auto offset = entries.begin + i * layout.width;
        if (a.get_const_col_idxs()[offset] != matrix::padding_column) {
            function(a.get_const_col_idxs()[offset], a.get_const_values()[offset]);
        }
    }
}

/// Returns entry (row, rhs) of a b.
template <typename Matrix, typename V = value_of<Matrix>>
V row_times_column(const Matrix& a, size_type row, const matrix::Dense<V>& b, size_type rhs)
{
    auto sum = zero<V>();
    for_each_entry(a, row, [&](auto col, V value) { sum += value * b.at(col, rhs); });
    return sum;
}

template <typename Matrix>
void spmv(const ReferenceExecutor&, const Matrix& a, const matrix::Dense<value_of<Matrix>>& b,
          matrix::Dense<value_of<Matrix>>& x)
{
    multiply([&](auto row, auto rhs) { return row_times_column(a, row, b, rhs); }, x);
}

template <typename Matrix>
void advanced_spmv(const ReferenceExecutor&, const matrix::Dense<value_of<Matrix>>& alpha, const Matrix& a,
                   const matrix::Dense<value_of<Matrix>>& b, const matrix::Dense<value_of<Matrix>>& beta,
                   matrix::Dense<value_of<Matrix>>& x)
{
    multiply_add(
        alpha, [&](auto row, auto rhs) { return row_times_column(a, row, b, rhs); }, beta, x);
}

template <typename Matrix>
void spmv_with_dot(const ReferenceExecutor& exec, const Matrix& a, const matrix::Dense<value_of<Matrix>>& b,
                   matrix::Dense<value_of<Matrix>>& x, matrix::Dense<value_of<Matrix>>& dot, const Reduction& reduction)
{
    spmv(exec, a, b, x);
    kernels::dense::conj_dot<value_of<Matrix>>(exec, b, x, dot, reduction);
}

template <typename Matrix>
void fill_from_csr(const ReferenceExecutor&, const matrix::Csr<value_of<Matrix>, index_of<Matrix>>& a, Matrix& x)
{
    const auto layout = layout_of(x);
    for (size_type row = 0; row < layout.num_slices * layout.width; ++row) {
        const auto is_row = row < a.get_size()[0];
        auto nz = is_row ? a.get_const_row_ptrs()[row] : 0;
        const auto end = is_row ? a.get_const_row_ptrs()[row + 1] : 0;
        const auto entries = offsets_of(layout, row);
        for (size_type i = 0; i < entries.length; ++i, ++nz) {
            const auto offset = entries.begin + i * layout.width;
            x.get_col_idxs()[offset] = nz < end ? a.get_const_col_idxs()[nz] : matrix::padding_column;
            x.get_values()[offset] = nz < end ? a.get_const_values()[nz] : zero<value_of<Matrix>>();
        }
    }
}

template <typename Matrix>
void count_entries(const ReferenceExecutor&, const Matrix& a, index_of<Matrix>* counts)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        counts[row] = 0;
        for_each_entry(a, row, [&](auto, auto) { ++counts[row]; });
    }
}

template <typename Matrix>
void convert_to_csr(const ReferenceExecutor&, const Matrix& a, const index_of<Matrix>* row_ptrs,
                    index_of<Matrix>* col_idxs, value_of<Matrix>* values)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        auto nz = row_ptrs[row];
        for_each_entry(a, row, [&](auto col, auto value) {
            col_idxs[nz] = col;
            values[nz] = value;
            ++nz;
        });
    }
}

template <typename Matrix>
void extract_diagonal(const ReferenceExecutor&, const Matrix& a, matrix::Diagonal<value_of<Matrix>>& d)
{
    for (size_type row = 0; row < d.get_size()[0]; ++row) {
        for_each_entry(a, row, [&](auto col, auto value) {
            if (static_cast<size_type>(col) == row) {
                d.get_values()[row] += value;
            }
        });
    }
}

}  // namespace spruce::kernels::reference::padded_rows
