// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/hybrid_kernels.hpp"

#include <algorithm>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace hybrid {

template <typename I>
size_type length_of(const I* row_ptrs, size_type row)
{
    return static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]);
}

template <typename I>
void count_rows_by_length(const ReferenceExecutor&, const I* row_ptrs, size_type num_rows, size_type max_length,
                          size_type* counts)
{
    for (size_type row = 0; row < num_rows; ++row) {
        ++counts[std::min(length_of(row_ptrs, row), max_length)];
    }
}

template <typename I>
void count_rest(const ReferenceExecutor&, const I* row_ptrs, size_type num_rows, size_type ell_length, I* counts)
{
    for (size_type row = 0; row < num_rows; ++row) {
        const auto length = length_of(row_ptrs, row);
        counts[row] = static_cast<I>(length - std::min(length, ell_length));
    }
}

template <typename V, typename I>
void fill_rest(const ReferenceExecutor&, const matrix::Csr<V, I>& a, size_type ell_length, const I* rest_ptrs,
               matrix::Coo<V, I>& x)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        auto target = rest_ptrs[row];
        for (auto i = ell_length; i < length_of(row_ptrs, row); ++i, ++target) {
            x.get_col_idxs()[target] = a.get_const_col_idxs()[row_ptrs[row] + i];
            x.get_values()[target] = a.get_const_values()[row_ptrs[row] + i];
        }
    }
}

template <typename I>
void add_lengths(const ReferenceExecutor&, const I* ptrs, size_type num_rows, I* counts)
{
    for (size_type row = 0; row < num_rows; ++row) {
        counts[row] += ptrs[row + 1] - ptrs[row];
    }
}

template <typename V, typename I>
void fill_rest_in_csr(const ReferenceExecutor&, const matrix::Coo<V, I>& a, const I* rest_ptrs, const I* row_ptrs,
                      I* col_idxs, V* values)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        auto target = row_ptrs[row + 1] - (rest_ptrs[row + 1] - rest_ptrs[row]);
        for (auto nz = rest_ptrs[row]; nz < rest_ptrs[row + 1]; ++nz, ++target) {
            col_idxs[target] = a.get_const_col_idxs()[nz];
            values[target] = a.get_const_values()[nz];
        }
    }
}

}  // namespace hybrid

void register_hybrid()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::hybrid::fill_rest<V, I>.template set<ReferenceExecutor>(&hybrid::fill_rest<V, I>);
        kernels::hybrid::fill_rest_in_csr<V, I>.template set<ReferenceExecutor>(&hybrid::fill_rest_in_csr<V, I>);
    });
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::hybrid::count_rows_by_length<I>.template set<ReferenceExecutor>(&hybrid::count_rows_by_length<I>);
        kernels::hybrid::count_rest<I>.template set<ReferenceExecutor>(&hybrid::count_rest<I>);
        kernels::hybrid::add_lengths<I>.template set<ReferenceExecutor>(&hybrid::add_lengths<I>);
    });
}

}  // namespace spruce::kernels::reference
