// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/diagonal_kernels.hpp"

#include <algorithm>

#include "reference/base/register.hpp"
#include "reference/matrix/products.hpp"

namespace spruce::kernels::reference {
namespace diagonal {

template <typename V, typename Function>
void for_each_entry(const matrix::Dense<V>& x, Function function)
{
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        for (size_type col = 0; col < x.get_size()[1]; ++col) {
            function(row, col);
        }
    }
}

template <typename V>
void scale_rows(const ReferenceExecutor&, const matrix::Diagonal<V>& d, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    for_each_entry(x, [&](auto row, auto col) { x.at(row, col) = d.get_const_values()[row] * b.at(row, col); });
}

template <typename V>
void inv_scale_rows(const ReferenceExecutor&, const matrix::Diagonal<V>& d, const matrix::Dense<V>& b,
                    matrix::Dense<V>& x)
{
    for_each_entry(x, [&](auto row, auto col) { x.at(row, col) = b.at(row, col) / d.get_const_values()[row]; });
}

template <typename V>
void scale_columns(const ReferenceExecutor&, const matrix::Diagonal<V>& d, const matrix::Dense<V>& b,
                   matrix::Dense<V>& x)
{
    for_each_entry(x, [&](auto row, auto col) { x.at(row, col) = b.at(row, col) * d.get_const_values()[col]; });
}

template <typename V>
void advanced_scale_rows(const ReferenceExecutor&, const matrix::Dense<V>& alpha, const matrix::Diagonal<V>& d,
                         const matrix::Dense<V>& b, const matrix::Dense<V>& beta, matrix::Dense<V>& x)
{
    multiply_add(
        alpha, [&](auto row, auto col) { return d.get_const_values()[row] * b.at(row, col); }, beta, x);
}

/// Calls function(row, col, value) for each entry. The function may change the value.
template <typename V, typename I, typename Function>
void for_each_nonzero(matrix::Csr<V, I>& a, Function function)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            function(row, a.get_const_col_idxs()[nz], a.get_values()[nz]);
        }
    }
}

template <typename V, typename I>
void scale_csr_rows(const ReferenceExecutor&, const matrix::Diagonal<V>& d, matrix::Csr<V, I>& a)
{
    for_each_nonzero(a, [&](auto row, auto, auto& value) { value = d.get_const_values()[row] * value; });
}

template <typename V, typename I>
void inv_scale_csr_rows(const ReferenceExecutor&, const matrix::Diagonal<V>& d, matrix::Csr<V, I>& a)
{
    for_each_nonzero(a, [&](auto row, auto, auto& value) { value = value / d.get_const_values()[row]; });
}

template <typename V, typename I>
void scale_csr_columns(const ReferenceExecutor&, const matrix::Diagonal<V>& d, matrix::Csr<V, I>& a)
{
    for_each_nonzero(a, [&](auto, auto col, auto& value) { value = value * d.get_const_values()[col]; });
}

template <typename V, typename I>
void extract_from_csr(const ReferenceExecutor&, const matrix::Csr<V, I>& a, matrix::Diagonal<V>& d)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            if (a.get_const_col_idxs()[nz] == static_cast<I>(row)) {
                d.get_values()[row] += a.get_const_values()[nz];
            }
        }
    }
}

template <typename V, typename I>
void extract_from_coo(const ReferenceExecutor&, const matrix::Coo<V, I>& a, matrix::Diagonal<V>& d)
{
    for (size_type nz = 0; nz < a.get_num_stored_elements(); ++nz) {
        const auto row = a.get_const_row_idxs()[nz];
        if (a.get_const_col_idxs()[nz] == row) {
            d.get_values()[row] += a.get_const_values()[nz];
        }
    }
}

template <typename V>
void extract_from_dense(const ReferenceExecutor&, const matrix::Dense<V>& a, matrix::Diagonal<V>& d)
{
    for (size_type i = 0; i < d.get_size()[0]; ++i) {
        d.get_values()[i] = a.at(i, i);
    }
}

template <typename I>
void has_off_diagonal(const ReferenceExecutor&, const I* row_idxs, const I* col_idxs, size_type size, bool& result)
{
    result = !std::equal(row_idxs, row_idxs + size, col_idxs);
}

}  // namespace diagonal

void register_diagonal()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        using E = ReferenceExecutor;
        kernels::diagonal::scale_rows<V>.template set<E>(&diagonal::scale_rows<V>);
        kernels::diagonal::inv_scale_rows<V>.template set<E>(&diagonal::inv_scale_rows<V>);
        kernels::diagonal::scale_columns<V>.template set<E>(&diagonal::scale_columns<V>);
        kernels::diagonal::extract_from_dense<V>.template set<E>(&diagonal::extract_from_dense<V>);
        kernels::diagonal::advanced_scale_rows<V>.template set<E>(&diagonal::advanced_scale_rows<V>);
    });
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = ReferenceExecutor;
        kernels::diagonal::extract_from_csr<V, I>.template set<E>(&diagonal::extract_from_csr<V, I>);
        kernels::diagonal::extract_from_coo<V, I>.template set<E>(&diagonal::extract_from_coo<V, I>);
        kernels::diagonal::scale_csr_rows<V, I>.template set<E>(&diagonal::scale_csr_rows<V, I>);
        kernels::diagonal::inv_scale_csr_rows<V, I>.template set<E>(&diagonal::inv_scale_csr_rows<V, I>);
        kernels::diagonal::scale_csr_columns<V, I>.template set<E>(&diagonal::scale_csr_columns<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::diagonal::has_off_diagonal<I>.template set<ReferenceExecutor>(&diagonal::has_off_diagonal<I>);
    });
}

}  // namespace spruce::kernels::reference
