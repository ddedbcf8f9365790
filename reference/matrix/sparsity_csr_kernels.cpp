// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/sparsity_csr_kernels.hpp"

#include "reference/base/register.hpp"
#include "reference/matrix/products.hpp"

namespace spruce::kernels::reference {
namespace sparsity_csr {

using matrix::Dense;
using matrix::Diagonal;
using matrix::SparsityCsr;

/// Returns entry (row, rhs) of a b.
template <typename V, typename I>
V row_times_column(const SparsityCsr<V, I>& a, size_type row, const Dense<V>& b, size_type rhs)
{
    auto sum = zero<V>();
    for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
        sum += b.at(a.get_const_col_idxs()[nz], rhs);
    }
    return *a.get_const_value() * sum;
}

template <typename V, typename I>
void spmv(const ReferenceExecutor&, const SparsityCsr<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    multiply([&](auto row, auto rhs) { return row_times_column(a, row, b, rhs); }, x);
}

template <typename V, typename I>
void advanced_spmv(const ReferenceExecutor&, const Dense<V>& alpha, const SparsityCsr<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    multiply_add(
        alpha, [&](auto row, auto rhs) { return row_times_column(a, row, b, rhs); }, beta, x);
}

template <typename V, typename I>
void extract_diagonal(const ReferenceExecutor&, const SparsityCsr<V, I>& a, Diagonal<V>& d)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            if (a.get_const_col_idxs()[nz] == static_cast<I>(row)) {
                d.get_values()[row] += *a.get_const_value();
            }
        }
    }
}

template <typename I>
void mark_off_diagonal(const ReferenceExecutor&, const I* row_ptrs, size_type num_rows, const I* col_idxs, size_type,
                       I* is_off_diagonal)
{
    for (size_type row = 0; row < num_rows; ++row) {
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            is_off_diagonal[nz] = col_idxs[nz] != static_cast<I>(row);
        }
    }
}

template <typename I>
void drop_diagonal(const ReferenceExecutor&, const I* row_ptrs, size_type num_rows, const I* col_idxs, size_type,
                   const I* positions, I* new_row_ptrs, I* new_col_idxs)
{
    for (size_type row = 0; row <= num_rows; ++row) {
        new_row_ptrs[row] = positions[row_ptrs[row]];
    }
    for (size_type row = 0; row < num_rows; ++row) {
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            if (col_idxs[nz] != static_cast<I>(row)) {
                new_col_idxs[positions[nz]] = col_idxs[nz];
            }
        }
    }
}

}  // namespace sparsity_csr

void register_sparsity_csr()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::sparsity_csr::spmv<V, I>.template set<ReferenceExecutor>(&sparsity_csr::spmv<V, I>);
        kernels::sparsity_csr::advanced_spmv<V, I>.template set<ReferenceExecutor>(&sparsity_csr::advanced_spmv<V, I>);
        kernels::sparsity_csr::extract_diagonal<V, I>.template set<ReferenceExecutor>(
            &sparsity_csr::extract_diagonal<V, I>);
    });
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::sparsity_csr::mark_off_diagonal<I>.template set<ReferenceExecutor>(
            &sparsity_csr::mark_off_diagonal<I>);
        kernels::sparsity_csr::drop_diagonal<I>.template set<ReferenceExecutor>(&sparsity_csr::drop_diagonal<I>);
    });
}

}  // namespace spruce::kernels::reference
