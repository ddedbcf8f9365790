// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/coo_kernels.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace coo {

/// Computes x = beta x. If beta is zero, x is not read.
template <typename V>
void scale(V beta, matrix::Dense<V>& x)
{
    for (size_type row = 0; row < x.get_size()[0]; ++row) {
        for (size_type rhs = 0; rhs < x.get_size()[1]; ++rhs) {
            x.at(row, rhs) = is_zero(beta) ? zero<V>() : beta * x.at(row, rhs);
        }
    }
}

/// Computes x = x + alpha a b.
template <typename V, typename I>
void add_product(V alpha, const matrix::Coo<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    for (size_type nz = 0; nz < a.get_num_stored_elements(); ++nz) {
        const auto row = a.get_const_row_idxs()[nz];
        const auto col = a.get_const_col_idxs()[nz];
        for (size_type rhs = 0; rhs < b.get_size()[1]; ++rhs) {
            x.at(row, rhs) += alpha * a.get_const_values()[nz] * b.at(col, rhs);
        }
    }
}

template <typename V, typename I>
void spmv(const ReferenceExecutor&, const matrix::Coo<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    scale(zero<V>(), x);
    add_product(one<V>(), a, b, x);
}

template <typename V, typename I>
void advanced_spmv(const ReferenceExecutor&, const matrix::Dense<V>& alpha, const matrix::Coo<V, I>& a,
                   const matrix::Dense<V>& b, const matrix::Dense<V>& beta, matrix::Dense<V>& x)
{
    scale(beta.at(0, 0), x);
    if (is_nonzero(alpha.at(0, 0))) {
        add_product(alpha.at(0, 0), a, b, x);
    }
}

template <typename V, typename I>
void spmv2(const ReferenceExecutor&, const matrix::Coo<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    add_product(one<V>(), a, b, x);
}

template <typename V, typename I>
void advanced_spmv2(const ReferenceExecutor&, const matrix::Dense<V>& alpha, const matrix::Coo<V, I>& a,
                    const matrix::Dense<V>& b, matrix::Dense<V>& x)
{
    if (is_nonzero(alpha.at(0, 0))) {
        add_product(alpha.at(0, 0), a, b, x);
    }
}

/// Computes b = transform(a)^T.
template <typename V, typename I, typename Transform>
void transpose_with(const matrix::Coo<V, I>& a, matrix::Coo<V, I>& b, Transform transform)
{
    std::vector<size_type> order(a.get_num_stored_elements());
    std::iota(order.begin(), order.end(), size_type{});
    const auto cols = a.get_const_col_idxs();
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return cols[i] < cols[j]; });
    for (size_type nz = 0; nz < order.size(); ++nz) {
        b.get_row_idxs()[nz] = cols[order[nz]];
        b.get_col_idxs()[nz] = a.get_const_row_idxs()[order[nz]];
        b.get_values()[nz] = transform(a.get_const_values()[order[nz]]);
    }
}

template <typename V, typename I>
void transpose(const ReferenceExecutor&, const matrix::Coo<V, I>& a, matrix::Coo<V, I>& b)
{
    transpose_with(a, b, [](V value) { return value; });
}

template <typename V, typename I>
void conj_transpose(const ReferenceExecutor&, const matrix::Coo<V, I>& a, matrix::Coo<V, I>& b)
{
    transpose_with(a, b, [](V value) { return spruce::conj(value); });
}

}  // namespace coo

void register_coo()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::coo::spmv<V, I>.template set<ReferenceExecutor>(&coo::spmv<V, I>);
        kernels::coo::advanced_spmv<V, I>.template set<ReferenceExecutor>(&coo::advanced_spmv<V, I>);
        kernels::coo::spmv2<V, I>.template set<ReferenceExecutor>(&coo::spmv2<V, I>);
        kernels::coo::advanced_spmv2<V, I>.template set<ReferenceExecutor>(&coo::advanced_spmv2<V, I>);
        kernels::coo::transpose<V, I>.template set<ReferenceExecutor>(&coo::transpose<V, I>);
        kernels::coo::conj_transpose<V, I>.template set<ReferenceExecutor>(&coo::conj_transpose<V, I>);
    });
}

}  // namespace spruce::kernels::reference
