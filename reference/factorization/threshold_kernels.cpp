// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/factorization/threshold_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace threshold {

using spruce::factorization::detail::bound_of_sort_keys;
using spruce::factorization::detail::bucket_query;
using spruce::factorization::detail::entry_threshold;
using spruce::factorization::detail::entry_view;
using spruce::factorization::detail::tie_rank;

template <typename Real>
uint64 magnitude_of(Real size)
{
    using word = std::conditional_t<sizeof(Real) == 4, uint32, uint64>;
    const auto absolute = std::abs(size);
    word bits{};
    std::memcpy(&bits, &absolute, sizeof(bits));
    return static_cast<uint64>(bits) << (64 - 8 * sizeof(word));
}

template <typename V, typename I>
void add_candidates(const ReferenceExecutor&, const matrix::Csr<V, I>& factors, const I* diagonal,
                    matrix::Csr<V, I>& residual)
{
    const auto cols = factors.get_const_col_idxs();
    for (I row = 0; row < static_cast<I>(residual.get_size()[0]); ++row) {
        const auto end = cols + factors.get_const_row_ptrs()[row + 1];
        for (auto nz = residual.get_const_row_ptrs()[row]; nz < residual.get_const_row_ptrs()[row + 1]; ++nz) {
            const auto col = residual.get_const_col_idxs()[nz];
            const auto found = std::lower_bound(cols + factors.get_const_row_ptrs()[row], end, col);
            auto& value = residual.get_values()[nz];
            if (found != end && *found == col) {
                value = factors.get_const_values()[found - cols];
            } else if (row > col) {
                const auto pivot = factors.get_const_values()[diagonal[col]];
                value = is_zero(pivot) ? value : value / pivot;
            }
        }
    }
}

template <typename V, typename I>
void compute_sizes(const ReferenceExecutor&, const matrix::Csr<V, I>& factors, const I* diagonal, bool is_hermitian,
                   remove_complex<V>* sizes)
{
    const auto root_of_pivot = [&](I row) {
        const auto pivot = std::abs(factors.get_const_values()[diagonal[row]]);
        return pivot == 0 ? remove_complex<V>{1} : is_hermitian ? pivot : std::sqrt(pivot);
    };
    for (I row = 0; row < static_cast<I>(factors.get_size()[0]); ++row) {
        for (auto nz = factors.get_const_row_ptrs()[row]; nz < factors.get_const_row_ptrs()[row + 1]; ++nz) {
            const auto col = factors.get_const_col_idxs()[nz];
            sizes[nz] = std::abs(factors.get_const_values()[nz]) / root_of_pivot(row);
            if (!is_hermitian) {
                sizes[nz] = row > col ? sizes[nz] * root_of_pivot(col) : sizes[nz] / root_of_pivot(col);
            }
        }
    }
}

template <typename V, typename I>
void count_in_buckets(const ReferenceExecutor&, const entry_view<V, I>& entries, const bucket_query& query,
                      size_type* counts)
{
    for (size_type nz = 0; nz < entries.num_entries; ++nz) {
        const auto row = entries.rows[nz];
        const auto col = entries.cols[nz];
        if (query.upper ? row < col : row > col) {
            const auto bucket = query.bucket_of(magnitude_of(entries.sizes[nz]), tie_rank(row, col));
            if (bucket >= 0) {
                ++counts[bucket];
            }
        }
    }
}

template <typename V, typename I>
void mark_largest(const ReferenceExecutor&, const entry_view<V, I>& entries, const entry_threshold& lower,
                  const entry_threshold& upper, I* flags)
{
    for (size_type nz = 0; nz < entries.num_entries; ++nz) {
        const auto row = entries.rows[nz];
        const auto col = entries.cols[nz];
        const auto& limit = row > col ? lower : upper;
        flags[nz] = row == col || limit.contains(magnitude_of(entries.sizes[nz]), tie_rank(row, col));
    }
}

template <typename V, typename I>
void compute_sort_keys(const ReferenceExecutor&, const entry_view<V, I>& entries, I* keys)
{
    for (size_type nz = 0; nz < entries.num_entries; ++nz) {
        const auto leading = magnitude_of(entries.sizes[nz]) >> 32;
        keys[nz] = entries.rows[nz] == entries.cols[nz] ? I{} : static_cast<I>(bound_of_sort_keys - 1 - leading);
    }
}

template <typename I>
void mark_in_groups(const ReferenceExecutor&, const I* group_ptrs, const I* groups, const I* positions, size_type size,
                    size_type num_first, bool are_first, I* flags)
{
    for (size_type i = 0; i < size; ++i) {
        const auto is_first = i - static_cast<size_type>(group_ptrs[groups[i]]) < num_first;
        flags[positions[i]] = is_first == are_first;
    }
}

}  // namespace threshold

void register_threshold()
{
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = ReferenceExecutor;
        kernels::threshold::add_candidates<V, I>.template set<E>(&threshold::add_candidates<V, I>);
        kernels::threshold::compute_sizes<V, I>.template set<E>(&threshold::compute_sizes<V, I>);
        kernels::threshold::count_in_buckets<V, I>.template set<E>(&threshold::count_in_buckets<V, I>);
        kernels::threshold::mark_largest<V, I>.template set<E>(&threshold::mark_largest<V, I>);
        kernels::threshold::compute_sort_keys<V, I>.template set<E>(&threshold::compute_sort_keys<V, I>);
    });
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::threshold::mark_in_groups<I>.template set<ReferenceExecutor>(&threshold::mark_in_groups<I>);
    });
}

}  // namespace spruce::kernels::reference
