// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/factor_pattern_kernels.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace factor_pattern {

using factorization::detail::matrix_part;

template <typename V, typename I>
void find_unsorted_row(const ReferenceExecutor&, const matrix::Csr<V, I>& a, I* row)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto cols = a.get_const_col_idxs();
    for (I i = 0; i < static_cast<I>(a.get_size()[0]); ++i) {
        for (auto nz = row_ptrs[i] + 1; nz < row_ptrs[i + 1]; ++nz) {
            if (cols[nz - 1] >= cols[nz]) {
                *row = i;
                return;
            }
        }
    }
}

template <typename V, typename I>
void locate_sorted(const ReferenceExecutor&, const matrix::Csr<V, I>& a, const matrix::Csr<V, I>& c, I* sources)
{
    const auto cols = a.get_const_col_idxs();
    for (size_type row = 0; row < c.get_size()[0]; ++row) {
        const auto end = cols + a.get_const_row_ptrs()[row + 1];
        for (auto nz = c.get_const_row_ptrs()[row]; nz < c.get_const_row_ptrs()[row + 1]; ++nz) {
            const auto col = c.get_const_col_idxs()[nz];
            const auto found = std::lower_bound(cols + a.get_const_row_ptrs()[row], end, col);
            sources[nz] = found != end && *found == col ? static_cast<I>(found - cols) : I{-1};
        }
    }
}

template <typename V, typename I>
void locate(const ReferenceExecutor&, const matrix::csr::lookup_view<I>& a, const matrix::Csr<V, I>& c, I* sources)
{
    std::vector<std::pair<I, I>> entries;  // columns and positions of a row of A, sorted by column
    for (size_type row = 0; row < c.get_size()[0]; ++row) {
        entries.clear();
        for (auto nz = a.row_ptrs[row]; nz < a.row_ptrs[row + 1]; ++nz) {
            entries.emplace_back(a.col_idxs[nz], nz);
        }
        std::sort(entries.begin(), entries.end());
        for (auto nz = c.get_const_row_ptrs()[row]; nz < c.get_const_row_ptrs()[row + 1]; ++nz) {
            const auto col = c.get_const_col_idxs()[nz];
            const auto found = std::lower_bound(entries.begin(), entries.end(), std::make_pair(col, I{}));
            sources[nz] = found != entries.end() && found->first == col ? found->second : I{-1};
        }
    }
}

template <typename V, typename I>
void find_changed_row(const ReferenceExecutor&, const matrix::Csr<V, I>& a, const matrix::Csr<V, I>& c,
                      const I* sources, matrix_part part, I* row)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    for (I i = 0; i < static_cast<I>(c.get_size()[0]); ++i) {
        if (!sources && row_ptrs[i + 1] != c.get_const_row_ptrs()[i + 1]) {
            *row = i;
            return;
        }
        I num_found{};
        for (auto nz = c.get_const_row_ptrs()[i]; nz < c.get_const_row_ptrs()[i + 1]; ++nz) {
            const auto source = sources ? sources[nz] : nz;
            if (source >= 0 && (source < row_ptrs[i] || source >= row_ptrs[i + 1] ||
                                a.get_const_col_idxs()[source] != c.get_const_col_idxs()[nz])) {
                *row = i;
                return;
            }
            num_found += source >= 0;
        }
        I num_expected{};
        for (auto nz = row_ptrs[i]; nz < row_ptrs[i + 1]; ++nz) {
            const auto col = a.get_const_col_idxs()[nz];
            num_expected += part == matrix_part::whole || (part == matrix_part::lower_triangle ? col <= i : col >= i);
        }
        if (num_found != num_expected) {
            *row = i;
            return;
        }
    }
}

template <typename V, typename I>
void count_in_triangle(const ReferenceExecutor&, const matrix::Csr<V, I>& a, const I* diagonal, bool upper, I* counts)
{
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        counts[row] =
            upper ? a.get_const_row_ptrs()[row + 1] - diagonal[row] : diagonal[row] + 1 - a.get_const_row_ptrs()[row];
    }
}

template <typename V, typename I>
void copy_triangle(const ReferenceExecutor&, const matrix::Csr<V, I>& a, const I* diagonal, bool upper,
                   bool unit_diagonal, matrix::Csr<V, I>& triangle)
{
    I nz{};
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        const auto begin = upper ? diagonal[row] : a.get_const_row_ptrs()[row];
        const auto end = upper ? a.get_const_row_ptrs()[row + 1] : diagonal[row] + 1;
        for (auto source = begin; source < end; ++source, ++nz) {
            triangle.get_col_idxs()[nz] = a.get_const_col_idxs()[source];
            triangle.get_values()[nz] =
                unit_diagonal && source == diagonal[row] ? one<V>() : a.get_const_values()[source];
        }
    }
}

template <typename V, typename I>
void find_unsuitable_row(const ReferenceExecutor&, const matrix::Csr<V, I>& a, const I* diagonal,
                         bool requires_positive, I* row)
{
    for (size_type i = 0; i < a.get_size()[0]; ++i) {
        const auto values = a.get_const_values();
        const auto d = values[diagonal[i]];
        const auto is_finite_row =
            std::all_of(values + a.get_const_row_ptrs()[i], values + a.get_const_row_ptrs()[i + 1],
                        [](const V& value) { return spruce::is_finite(value); });
        if (!is_finite_row || d == zero<V>() || (requires_positive && !is_complex<V>() && spruce::real(d) < 0)) {
            *row = static_cast<I>(i);
            return;
        }
    }
}

template <typename V, typename I>
void find_zero(const ReferenceExecutor&, const V* values, const I* diagonal, size_type size, I* row)
{
    const auto found = std::find_if(diagonal, diagonal + size, [&](I nz) { return is_zero(values[nz]); });
    if (found != diagonal + size) {
        *row = static_cast<I>(found - diagonal);
    }
}

template <typename V, typename I>
void find_small_pivot(const ReferenceExecutor&, const V* values, const I* diagonal, size_type size,
                      bool compares_squares, const V* a_values, const I* sources, remove_complex<V> ratio, I* row)
{
    for (size_type i = 0; i < size; ++i) {
        const auto nz = diagonal[i];
        const auto source = sources ? sources[nz] : nz;
        const auto limit = source < 0 ? remove_complex<V>{} : ratio * std::abs(a_values[source]);
        const auto pivot = std::abs(values[nz]);
        if (!((compares_squares ? pivot * pivot : pivot) > limit)) {
            *row = static_cast<I>(i);
            return;
        }
    }
}

}  // namespace factor_pattern

void register_factor_pattern()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = ReferenceExecutor;
        kernels::factor_pattern::find_unsorted_row<V, I>.template set<E>(&factor_pattern::find_unsorted_row<V, I>);
        kernels::factor_pattern::locate_sorted<V, I>.template set<E>(&factor_pattern::locate_sorted<V, I>);
        kernels::factor_pattern::locate<V, I>.template set<E>(&factor_pattern::locate<V, I>);
        kernels::factor_pattern::find_changed_row<V, I>.template set<E>(&factor_pattern::find_changed_row<V, I>);
        kernels::factor_pattern::count_in_triangle<V, I>.template set<E>(&factor_pattern::count_in_triangle<V, I>);
        kernels::factor_pattern::copy_triangle<V, I>.template set<E>(&factor_pattern::copy_triangle<V, I>);
        kernels::factor_pattern::find_unsuitable_row<V, I>.template set<E>(&factor_pattern::find_unsuitable_row<V, I>);
        kernels::factor_pattern::find_zero<V, I>.template set<E>(&factor_pattern::find_zero<V, I>);
        kernels::factor_pattern::find_small_pivot<V, I>.template set<E>(&factor_pattern::find_small_pivot<V, I>);
    });
}

}  // namespace spruce::kernels::reference
