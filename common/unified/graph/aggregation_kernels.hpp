// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/graph/aggregation_kernels.hpp"

#include <limits>

#include <spruce/base/array.hpp>

#include "common/numeric/magnitude.hpp"
#include "common/numeric/split_mix.hpp"
#include "common/unified/base/prelude.hpp"
#include "core/components/array_kernels.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace aggregation {

using kernels::aggregation::excluded;
using kernels::aggregation::free_vertex;
using kernels::aggregation::isolated_vertex;
using kernels::aggregation::selected;

template <typename I>
void find_isolated(const DeviceExecutor& exec, const I* row_ptrs, const I* cols, size_type size, size_type nnz,
                   I* aggregates)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) { aggregates[row] = isolated_vertex; });
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        if (cols[nz] != static_cast<I>(row)) {
            atomic_store(aggregates + row, static_cast<I>(free_vertex));
        }
    });
}

template <typename I>
void find_candidates(const DeviceExecutor& exec, const I* row_ptrs, const I* cols, size_type size, size_type nnz,
                     const I* aggregates, I min_neighbors, int64* keys)
{
    array<I> num_free_array{exec.shared_from_this(), size};
    num_free_array.fill(0);
    const auto num_free = num_free_array.get_data();
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        const auto col = cols[nz];
        if (col != static_cast<I>(row) && aggregates[row] == free_vertex && aggregates[col] == free_vertex) {
            atomic_add(num_free + row, I{1});
        }
    });
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        keys[row] = aggregates[row] == free_vertex && num_free[row] >= min_neighbors ? 1 : excluded;
    });
}

inline void renew_keys(const DeviceExecutor& exec, size_type round, size_type size, int64* keys)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        if (keys[i] != excluded && keys[i] != selected) {
            const auto seed = static_cast<uint64>(i) + (static_cast<uint64>(round) << 40);
            keys[i] = static_cast<int64>(split_mix(seed) / 4) + 1;
        }
    });
}

template <typename I>
void find_maxima(const DeviceExecutor& exec, const I* row_ptrs, const I* cols, size_type size, size_type nnz,
                 const I* aggregates, const int64* keys, int64* maxima)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        maxima[row] = aggregates[row] == free_vertex ? keys[row] : 0;
    });
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        if (aggregates[row] == free_vertex) {
            atomic_max(maxima + row, keys[cols[nz]]);
        }
    });
}

inline void select_maxima(const DeviceExecutor& exec, const int64* maxima, size_type size, int64* keys,
                          bool& has_candidates)
{
    has_candidates = run_or(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) -> int32 {
                         const auto key = keys[i];
                         if (key == excluded || key == selected) {
                             return 0;
                         }
                         if (maxima[i] == key) {
                             keys[i] = selected;
                         } else if (maxima[i] == selected) {
                             keys[i] = excluded;
                         } else {
                             return 1;
                         }
                         return 0;
                     }) != 0;
}

template <typename I>
void select_free(const DeviceExecutor& exec, const I* aggregates, size_type size, int64* keys)
{
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) {
        keys[i] = aggregates[i] == free_vertex ? selected : excluded;
    });
}

template <typename I>
void form_aggregates(const DeviceExecutor& exec, const I* row_ptrs, const I* cols, size_type size, size_type nnz,
                     const int64* keys, I first, I* aggregates, I& next)
{
    constexpr auto none = std::numeric_limits<I>::max();
    const auto shared_exec = exec.shared_from_this();
    array<I> numbers_array{shared_exec, size + 1};
    array<I> joined_array{shared_exec, size};
    const auto numbers = numbers_array.get_data();
    const auto joined = joined_array.get_data();
    joined_array.fill(none);
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type i) { numbers[i] = keys[i] == selected ? 1 : 0; });
    size_type num_selected{};
    kernels::components::prefix_sum<I>(exec, numbers, size + 1, num_selected);
    next = first + static_cast<I>(num_selected);
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        const auto col = cols[nz];
        if (aggregates[row] == free_vertex && keys[col] == selected) {
            atomic_min(joined + row, numbers[col]);
        }
    });
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        if (keys[row] == selected) {
            aggregates[row] = first + numbers[row];
        } else if (joined[row] != none) {
            aggregates[row] = first + joined[row];
        }
    });
}

/// Represents the neighbours of free vertices that have an aggregate.
template <typename T, typename I, typename Real>
struct joinable_neighbors {
    SPRUCE_HOST_DEVICE bool contains(size_type row, size_type nz) const
    {
        return aggregates[row] == free_vertex && aggregates[cols[nz]] >= 0;
    }
    SPRUCE_HOST_DEVICE int64 strength(size_type nz) const
    {
        return static_cast<int64>(magnitude_of(abs_of(values[nz]) * scale[cols[nz]]));
    }

    const I* cols;
    const T* values;
    const Real* scale;
    const I* aggregates;
};

/// Finds the best neighbour of each free vertex in three passes over the entries. Each pass
/// compares the neighbours that no earlier pass has ruled out.
template <typename V, typename I>
void join_strongest(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, const remove_complex<V>* scale,
                    size_type num_aggregates, I* aggregates)
{
    constexpr auto none = std::numeric_limits<I>::max();
    const auto shared_exec = exec.shared_from_this();
    const auto size = a.get_size()[0];
    const auto nnz = a.get_num_stored_elements();
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto cols = a.get_const_col_idxs();
    const joinable_neighbors<device_type<V>, I, remove_complex<V>> neighbors{cols, as_device(a.get_const_values()),
                                                                             scale, aggregates};
    array<I> sizes_array{shared_exec, num_aggregates};
    array<int64> strengths_array{shared_exec, size};
    array<I> smallest_array{shared_exec, size};
    array<I> joined_array{shared_exec, size};
    const auto sizes = sizes_array.get_data();
    const auto strengths = strengths_array.get_data();
    const auto smallest = smallest_array.get_data();
    const auto joined = joined_array.get_data();
    sizes_array.fill(0);
    strengths_array.fill(-1);
    smallest_array.fill(none);
    joined_array.fill(none);
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        if (aggregates[row] >= 0) {
            atomic_add(sizes + aggregates[row], I{1});
        }
    });
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        if (neighbors.contains(row, nz)) {
            atomic_max(strengths + row, neighbors.strength(nz));
        }
    });
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        if (neighbors.contains(row, nz) && neighbors.strength(nz) == strengths[row]) {
            atomic_min(smallest + row, sizes[aggregates[cols[nz]]]);
        }
    });
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        if (neighbors.contains(row, nz) && neighbors.strength(nz) == strengths[row]) {
            const auto aggregate = aggregates[cols[nz]];
            if (sizes[aggregate] == smallest[row]) {
                atomic_min(joined + row, aggregate);
            }
        }
    });
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        if (joined[row] != none) {
            aggregates[row] = joined[row];
        }
    });
}

/// Represents the free neighbours of free vertices.
template <typename T, typename I, typename Real>
struct free_neighbors {
    SPRUCE_HOST_DEVICE bool contains(size_type row, size_type nz) const
    {
        const auto col = cols[nz];
        return col != static_cast<I>(row) && matches[row] == free_vertex && matches[col] == free_vertex;
    }
    SPRUCE_HOST_DEVICE int64 strength(size_type row, size_type nz) const
    {
        return static_cast<int64>(magnitude_of(abs_of(values[nz]) * (scale[row] * scale[cols[nz]])));
    }
    /// Returns a pseudo-random number of the edge, which is equal in both directions.
    SPRUCE_HOST_DEVICE int64 edge_key(size_type row, size_type nz) const
    {
        const auto i = static_cast<uint64>(row);
        const auto j = static_cast<uint64>(cols[nz]);
        return static_cast<int64>(split_mix(i < j ? i + (j << 32) : j + (i << 32)) / 4);
    }

    const I* cols;
    const T* values;
    const Real* scale;
    const I* matches;
};

/// Finds the strongest neighbours in three passes over the entries, like join_strongest().
template <typename V, typename I>
void match_strongest(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, const remove_complex<V>* scale, I* matches,
                     size_type& num_free)
{
    constexpr auto none = std::numeric_limits<I>::max();
    const auto shared_exec = exec.shared_from_this();
    const auto size = a.get_size()[0];
    const auto nnz = a.get_num_stored_elements();
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto cols = a.get_const_col_idxs();
    const free_neighbors<device_type<V>, I, remove_complex<V>> neighbors{cols, as_device(a.get_const_values()), scale,
                                                                         matches};
    array<int64> strengths_array{shared_exec, size};
    array<int64> keys_array{shared_exec, size};
    array<I> strongest_array{shared_exec, size};
    array<I> counts_array{shared_exec, size + 1};
    const auto strengths = strengths_array.get_data();
    const auto keys = keys_array.get_data();
    const auto strongest = strongest_array.get_data();
    const auto counts = counts_array.get_data();
    strengths_array.fill(-1);
    keys_array.fill(-1);
    strongest_array.fill(none);
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        if (neighbors.contains(row, nz)) {
            atomic_max(strengths + row, neighbors.strength(row, nz));
        }
    });
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        if (neighbors.contains(row, nz) && neighbors.strength(row, nz) == strengths[row]) {
            atomic_max(keys + row, neighbors.edge_key(row, nz));
        }
    });
    run_for_each_nonzero(exec, row_ptrs, size, nnz, [=] SPRUCE_KERNEL_LAMBDA(size_type row, size_type nz) {
        if (neighbors.contains(row, nz) && neighbors.strength(row, nz) == strengths[row] &&
            neighbors.edge_key(row, nz) == keys[row]) {
            atomic_min(strongest + row, cols[nz]);
        }
    });
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        const auto other = strongest[row];
        if (other != none && strongest[other] == static_cast<I>(row)) {
            matches[row] = static_cast<I>(row) < other ? static_cast<I>(row) : other;
        }
        counts[row] = matches[row] < 0 ? 1 : 0;
    });
    kernels::components::prefix_sum<I>(exec, counts, size + 1, num_free);
}

template <typename I>
void number_matches(const DeviceExecutor& exec, size_type size, I* matches, size_type& num_aggregates)
{
    array<I> numbers_array{exec.shared_from_this(), size + 1};
    const auto numbers = numbers_array.get_data();
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        numbers[row] = matches[row] == static_cast<I>(row) ? 1 : 0;
    });
    kernels::components::prefix_sum<I>(exec, numbers, size + 1, num_aggregates);
    run_for_each(exec, size, [=] SPRUCE_KERNEL_LAMBDA(size_type row) {
        if (matches[row] >= 0) {
            matches[row] = numbers[matches[row]];
        }
    });
}

}  // namespace aggregation

void register_aggregation()
{
    using E = DeviceExecutor;
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

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
