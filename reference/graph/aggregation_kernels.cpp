// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/graph/aggregation_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace aggregation {

using kernels::aggregation::excluded;
using kernels::aggregation::free_vertex;
using kernels::aggregation::isolated_vertex;
using kernels::aggregation::selected;

template <typename I>
void find_isolated(const ReferenceExecutor&, const I* row_ptrs, const I* col_idxs, size_type size, size_type,
                   I* aggregates)
{
    for (size_type row = 0; row < size; ++row) {
        const auto has_neighbor = std::any_of(col_idxs + row_ptrs[row], col_idxs + row_ptrs[row + 1],
                                              [&](I col) { return col != static_cast<I>(row); });
        aggregates[row] = has_neighbor ? free_vertex : isolated_vertex;
    }
}

template <typename I>
void find_candidates(const ReferenceExecutor&, const I* row_ptrs, const I* col_idxs, size_type size, size_type,
                     const I* aggregates, I min_neighbors, int64* keys)
{
    for (size_type row = 0; row < size; ++row) {
        const auto num_free = std::count_if(col_idxs + row_ptrs[row], col_idxs + row_ptrs[row + 1], [&](I col) {
            return col != static_cast<I>(row) && aggregates[col] == free_vertex;
        });
        keys[row] = aggregates[row] == free_vertex && num_free >= min_neighbors ? 1 : excluded;
    }
}

void renew_keys(const ReferenceExecutor&, size_type round, size_type size, int64* keys)
{
    for (size_type i = 0; i < size; ++i) {
        if (keys[i] != excluded && keys[i] != selected) {
            auto z = (static_cast<uint64>(i) + (static_cast<uint64>(round) << 40) + 1) * 0x9e3779b97f4a7c15u;
            z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
            z = (z ^ z >> 27) * 0x94d049bb133111ebu;
            keys[i] = static_cast<int64>((z ^ z >> 31) / 4) + 1;
        }
    }
}

template <typename I>
void find_maxima(const ReferenceExecutor&, const I* row_ptrs, const I* col_idxs, size_type size, size_type,
                 const I* aggregates, const int64* keys, int64* maxima)
{
    for (size_type row = 0; row < size; ++row) {
        maxima[row] = 0;
        if (aggregates[row] == free_vertex) {
            maxima[row] = keys[row];
            for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
                maxima[row] = std::max(maxima[row], keys[col_idxs[nz]]);
            }
        }
    }
}

void select_maxima(const ReferenceExecutor&, const int64* maxima, size_type size, int64* keys, bool& has_candidates)
{
    has_candidates = false;
    for (size_type i = 0; i < size; ++i) {
        if (keys[i] == excluded || keys[i] == selected) {
            continue;
        }
        if (maxima[i] == keys[i]) {
            keys[i] = selected;
        } else if (maxima[i] == selected) {
            keys[i] = excluded;
        } else {
            has_candidates = true;
        }
    }
}

template <typename I>
void select_free(const ReferenceExecutor&, const I* aggregates, size_type size, int64* keys)
{
    for (size_type i = 0; i < size; ++i) {
        keys[i] = aggregates[i] == free_vertex ? selected : excluded;
    }
}

template <typename I>
void form_aggregates(const ReferenceExecutor&, const I* row_ptrs, const I* col_idxs, size_type size, size_type,
                     const int64* keys, I first, I* aggregates, I& next)
{
    next = first;
    std::vector<I> old_aggregates(aggregates, aggregates + size);
    for (size_type row = 0; row < size; ++row) {
        if (keys[row] == selected) {
            aggregates[row] = next++;
        }
    }
    for (size_type row = 0; row < size; ++row) {
        if (old_aggregates[row] != free_vertex || keys[row] == selected) {
            continue;
        }
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            const auto col = col_idxs[nz];
            if (keys[col] == selected && (aggregates[row] == free_vertex || aggregates[col] < aggregates[row])) {
                aggregates[row] = aggregates[col];
            }
        }
    }
}

template <typename V, typename I>
void join_strongest(const ReferenceExecutor&, const matrix::Csr<V, I>& a, const remove_complex<V>* scale,
                    size_type num_aggregates, I* aggregates)
{
    const auto size = a.get_size()[0];
    const std::vector<I> old_aggregates(aggregates, aggregates + size);
    std::vector<I> sizes(num_aggregates);
    for (const auto aggregate : old_aggregates) {
        if (aggregate >= 0) {
            ++sizes[aggregate];
        }
    }
    for (size_type row = 0; row < size; ++row) {
        if (old_aggregates[row] != free_vertex) {
            continue;
        }
        using rank = std::tuple<remove_complex<V>, I, I>;
        rank best{-1, 0, 0};
        for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            const auto col = a.get_const_col_idxs()[nz];
            const auto aggregate = old_aggregates[col];
            if (aggregate >= 0) {
                best = std::max(best,
                                rank{std::abs(a.get_const_values()[nz]) * scale[col], -sizes[aggregate], -aggregate});
            }
        }
        if (std::get<0>(best) >= 0) {
            aggregates[row] = -std::get<2>(best);
        }
    }
}

template <typename V, typename I>
void match_strongest(const ReferenceExecutor&, const matrix::Csr<V, I>& a, const remove_complex<V>* scale, I* matches,
                     size_type& num_free)
{
    const auto size = a.get_size()[0];
    std::vector<I> strongest(size, I{-1});
    for (size_type row = 0; row < size; ++row) {
        using rank = std::tuple<remove_complex<V>, uint64, I>;
        rank best{-1, 0, 0};
        for (auto nz = a.get_const_row_ptrs()[row]; matches[row] < 0 && nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            const auto col = a.get_const_col_idxs()[nz];
            if (col == static_cast<I>(row) || matches[col] >= 0) {
                continue;
            }
            const auto low = std::min(static_cast<uint64>(row), static_cast<uint64>(col));
            const auto high = std::max(static_cast<uint64>(row), static_cast<uint64>(col));
            auto z = (low + (high << 32) + 1) * 0x9e3779b97f4a7c15u;
            z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
            z = (z ^ z >> 27) * 0x94d049bb133111ebu;
            z = (z ^ z >> 31) / 4;
            const auto size_of_entry = std::abs(a.get_const_values()[nz]) * (scale[row] * scale[col]);
            const rank next{size_of_entry, z, -col};
            if (strongest[row] < 0 || next > best) {
                best = next;
                strongest[row] = col;
            }
        }
    }
    num_free = 0;
    for (size_type row = 0; row < size; ++row) {
        const auto other = strongest[row];
        if (other >= 0 && strongest[other] == static_cast<I>(row)) {
            matches[row] = std::min(static_cast<I>(row), other);
        }
        num_free += matches[row] < 0 ? 1 : 0;
    }
}

template <typename I>
void number_matches(const ReferenceExecutor&, size_type size, I* matches, size_type& num_aggregates)
{
    num_aggregates = 0;
    std::vector<I> numbers(size);
    for (size_type row = 0; row < size; ++row) {
        if (matches[row] == static_cast<I>(row)) {
            numbers[row] = static_cast<I>(num_aggregates++);
        }
        if (matches[row] >= 0) {
            matches[row] = numbers[matches[row]];
        }
    }
}

}  // namespace aggregation

void register_aggregation()
{
    using E = ReferenceExecutor;
    kernels::aggregation::renew_keys.set<E>(&aggregation::renew_keys);
    kernels::aggregation::select_maxima.set<E>(&aggregation::select_maxima);
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::aggregation::find_isolated<I>.template set<E>(&aggregation::find_isolated<I>);
        kernels::aggregation::find_candidates<I>.template set<E>(&aggregation::find_candidates<I>);
        kernels::aggregation::find_maxima<I>.template set<E>(&aggregation::find_maxima<I>);
        kernels::aggregation::select_free<I>.template set<E>(&aggregation::select_free<I>);
        kernels::aggregation::form_aggregates<I>.template set<E>(&aggregation::form_aggregates<I>);
        kernels::aggregation::number_matches<I>.template set<E>(&aggregation::number_matches<I>);
    });
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        kernels::aggregation::join_strongest<V, I>.template set<E>(&aggregation::join_strongest<V, I>);
        kernels::aggregation::match_strongest<V, I>.template set<E>(&aggregation::match_strongest<V, I>);
    });
}

}  // namespace spruce::kernels::reference
