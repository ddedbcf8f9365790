// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/graph/aggregation.hpp"

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/graph/aggregation_kernels.hpp"

namespace spruce::graph {
namespace {

/// Selects a maximal independent set of distance 2 among the candidates. A path between two
/// candidates leads through free vertices.
/// @param keys  selects the vertices of the set at the end
template <typename V, typename I>
void select_independent(const matrix::Csr<V, I>& a, const array<I>& aggregates, array<int64>& keys)
{
    const auto exec = a.get_executor();
    const auto size = a.get_size()[0];
    array<int64> nearest{exec, size};  // largest keys within distance 1
    array<int64> maxima{exec, size};   // largest keys within distance 2
    const auto find_maxima = [&](const array<int64>& from, array<int64>& to) {
        kernels::aggregation::find_maxima<I>(*exec, a.get_const_row_ptrs(), a.get_const_col_idxs(), size,
                                             a.get_num_stored_elements(), aggregates.get_const_data(),
                                             from.get_const_data(), to.get_data());
    };
    auto has_candidates = size > 0;
    for (size_type round = 0; has_candidates; ++round) {
        kernels::aggregation::renew_keys(*exec, round, size, keys.get_data());
        find_maxima(keys, nearest);
        find_maxima(nearest, maxima);
        kernels::aggregation::select_maxima(*exec, maxima.get_const_data(), size, keys.get_data(), has_candidates);
    }
}

}  // namespace

template <typename V, typename I>
aggregation<I> aggregate_rows(const matrix::Csr<V, I>& a, const array<remove_complex<V>>& scale, bool two_phases)
{
    const auto exec = a.get_executor();
    const auto size = a.get_size()[0];
    const auto nnz = a.get_num_stored_elements();
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto cols = a.get_const_col_idxs();
    array<I> aggregates{exec, size};
    array<int64> keys{exec, size};
    I num_aggregates{};
    kernels::aggregation::find_isolated<I>(*exec, row_ptrs, cols, size, nnz, aggregates.get_data());
    for (int phase = 0; phase < (two_phases ? 2 : 1); ++phase) {
        const auto min_neighbors = static_cast<I>(phase == 0 ? 0 : 2);
        kernels::aggregation::find_candidates<I>(*exec, row_ptrs, cols, size, nnz, aggregates.get_const_data(),
                                                 min_neighbors, keys.get_data());
        select_independent(a, aggregates, keys);
        kernels::aggregation::form_aggregates<I>(*exec, row_ptrs, cols, size, nnz, keys.get_const_data(),
                                                 num_aggregates, aggregates.get_data(), num_aggregates);
    }
    kernels::aggregation::join_strongest<V, I>(*exec, a, scale.get_const_data(), static_cast<size_type>(num_aggregates),
                                               aggregates.get_data());
    return {std::move(aggregates), static_cast<size_type>(num_aggregates)};
}

template <typename V, typename I>
aggregation<I> match_rows(const matrix::Csr<V, I>& a, const array<remove_complex<V>>& scale, size_type num_rounds,
                          double max_free_ratio)
{
    const auto exec = a.get_executor();
    const auto size = a.get_size()[0];
    const auto nnz = a.get_num_stored_elements();
    array<I> aggregates{exec, size};
    aggregates.fill(kernels::aggregation::free_vertex);
    size_type num_free = size;
    for (size_type round = 0;
         round<num_rounds&& static_cast<double>(num_free)> max_free_ratio * static_cast<double>(size); ++round) {
        const auto previous = num_free;
        kernels::aggregation::match_strongest<V, I>(*exec, a, scale.get_const_data(), aggregates.get_data(), num_free);
        if (num_free == previous) {
            break;
        }
    }
    size_type num_aggregates{};
    kernels::aggregation::number_matches<I>(*exec, size, aggregates.get_data(), num_aggregates);
    kernels::aggregation::join_strongest<V, I>(*exec, a, scale.get_const_data(), num_aggregates, aggregates.get_data());
    // Each vertex that is still free forms an aggregate.
    array<int64> keys{exec, size};
    auto next = static_cast<I>(num_aggregates);
    kernels::aggregation::select_free<I>(*exec, aggregates.get_const_data(), size, keys.get_data());
    kernels::aggregation::form_aggregates<I>(*exec, a.get_const_row_ptrs(), a.get_const_col_idxs(), size, nnz,
                                             keys.get_const_data(), next, aggregates.get_data(), next);
    return {std::move(aggregates), static_cast<size_type>(next)};
}

#define SPRUCE_MATCH_ROWS(_value, _index)                         \
    SPRUCE_EXPORT aggregation<_index> match_rows<_value, _index>( \
        const matrix::Csr<_value, _index>&, const array<remove_complex<_value>>&, size_type, double)
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_MATCH_ROWS);

#define SPRUCE_AGGREGATE_ROWS(_value, _index)                                                            \
    SPRUCE_EXPORT aggregation<_index> aggregate_rows<_value, _index>(const matrix::Csr<_value, _index>&, \
                                                                     const array<remove_complex<_value>>&, bool)
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_AGGREGATE_ROWS);

}  // namespace spruce::graph
