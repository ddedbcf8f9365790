// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_rearrange_kernels.hpp"

#include <algorithm>
#include <numeric>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace csr {

using matrix::Csr;
using matrix::Dense;

template <typename I>
void invert_permutation(const ReferenceExecutor&, const I* permutation, size_type size, I* inverse)
{
    for (size_type i = 0; i < size; ++i) {
        inverse[permutation[i]] = static_cast<I>(i);
    }
}

template <typename I>
void count_in_rows(const ReferenceExecutor&, const I* row_ptrs, const I* rows, size_type num_rows, I* counts)
{
    for (size_type i = 0; i < num_rows; ++i) {
        counts[i] = row_ptrs[rows[i] + 1] - row_ptrs[rows[i]];
    }
}

template <typename I>
void locate_in_rows(const ReferenceExecutor&, const I* a_row_ptrs, const I* rows, const I* c_row_ptrs, size_type nnz,
                    I* positions)
{
    for (size_type nz = 0; nz < nnz; ++nz) {
        const auto row = positions[nz];
        positions[nz] = a_row_ptrs[rows[row]] + static_cast<I>(nz) - c_row_ptrs[row];
    }
}

template <typename V, typename I>
void gather_entries(const ReferenceExecutor&, const Csr<V, I>& a, const I* positions, const I* cols, Csr<V, I>& c)
{
    for (size_type nz = 0; nz < c.get_num_stored_elements(); ++nz) {
        const auto position = positions ? static_cast<size_type>(positions[nz]) : nz;
        const auto col = a.get_const_col_idxs()[position];
        c.get_col_idxs()[nz] = cols ? cols[col] : col;
        c.get_values()[nz] = a.get_const_values()[position];
    }
}

void number_entries(const ReferenceExecutor&, double* numbers, size_type size)
{
    std::iota(numbers, numbers + size, 0.0);
}

template <typename I>
void convert_to_positions(const ReferenceExecutor&, const double* numbers, size_type size, I* positions)
{
    std::transform(numbers, numbers + size, positions, [](double number) { return static_cast<I>(number); });
}

template <typename V, typename I>
void gather_values(const ReferenceExecutor&, const V* from, const I* positions, size_type size, V* to)
{
    std::transform(positions, positions + size, to, [from](I position) { return from[position]; });
}

template <typename I>
void mark_columns(const ReferenceExecutor&, const I* col_idxs, size_type size, I begin, I end, I* flags)
{
    for (size_type i = 0; i < size; ++i) {
        flags[i] = begin <= col_idxs[i] && col_idxs[i] < end ? 1 : 0;
    }
}

template <typename V, typename I>
void fill_submatrix(const ReferenceExecutor&, const Csr<V, I>& a, size_type first_row, I first_col, const I* targets,
                    size_type num_entries, Csr<V, I>& c)
{
    const auto first = a.get_const_row_ptrs()[first_row];
    for (size_type row = 0; row <= c.get_size()[0]; ++row) {
        c.get_row_ptrs()[row] = targets[a.get_const_row_ptrs()[first_row + row] - first];
    }
    for (size_type i = 0; i < num_entries; ++i) {
        if (targets[i] < targets[i + 1]) {
            c.get_col_idxs()[targets[i]] = a.get_const_col_idxs()[first + i] - first_col;
            c.get_values()[targets[i]] = a.get_const_values()[first + i];
        }
    }
}

template <typename I>
void find_diagonal(const ReferenceExecutor&, const I* row_ptrs, const I* col_idxs, size_type size, size_type,
                   I* positions, size_type& num_missing)
{
    num_missing = 0;
    for (size_type row = 0; row < size; ++row) {
        positions[row] = -1;
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1] && positions[row] < 0; ++nz) {
            positions[row] = static_cast<size_type>(col_idxs[nz]) == row ? nz : I{-1};
        }
        num_missing += positions[row] < 0 ? 1 : 0;
    }
}

template <typename V, typename I>
void add_at_positions(const ReferenceExecutor&, const Dense<V>& alpha, const I* positions, size_type size, V* values)
{
    for (size_type i = 0; i < size; ++i) {
        values[positions[i]] += alpha.at(0, 0);
    }
}

}  // namespace csr

void register_csr_rearrange()
{
    kernels::csr::number_entries.set<ReferenceExecutor>(&csr::number_entries);
    using E = ReferenceExecutor;
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::csr::gather_entries<V, I>.template set<E>(&csr::gather_entries<V, I>);
        kernels::csr::gather_values<V, I>.template set<E>(&csr::gather_values<V, I>);
        kernels::csr::fill_submatrix<V, I>.template set<E>(&csr::fill_submatrix<V, I>);
        kernels::csr::add_at_positions<V, I>.template set<E>(&csr::add_at_positions<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::csr::invert_permutation<I>.template set<E>(&csr::invert_permutation<I>);
        kernels::csr::count_in_rows<I>.template set<E>(&csr::count_in_rows<I>);
        kernels::csr::locate_in_rows<I>.template set<E>(&csr::locate_in_rows<I>);
        kernels::csr::convert_to_positions<I>.template set<E>(&csr::convert_to_positions<I>);
        kernels::csr::mark_columns<I>.template set<E>(&csr::mark_columns<I>);
        kernels::csr::find_diagonal<I>.template set<E>(&csr::find_diagonal<I>);
    });
}

}  // namespace spruce::kernels::reference
