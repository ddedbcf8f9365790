// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/kernel.hpp"

/// Sets of indices as runs: run s is begins[s], ..., ends[s] - 1 and has the elements from number offsets[s] on;
/// offsets[num_runs] is their number.
namespace spruce::kernels::index_set {

/// has_bad = whether an index is negative or not below bound; is_sorted = whether they are in order
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* indices, size_type size, I bound, bool& has_bad, bool& is_sorted)> inspect{
    "index_set::inspect"};

/// Finds out whether two of the indices, none of which is negative, are equal. positions: workspace with more elements than the
/// largest index
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* indices, size_type size, I* positions, bool& has_repeated)> find_repeated{
    "index_set::find_repeated"};

/// For indices in order: is_new[i] = whether index i differs from the one before, starts_run[i] = whether it is more than one
/// above it, as 0 or 1.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* indices, size_type size, I* is_new, I* starts_run)> mark_runs{
    "index_set::mark_runs"};

/// num_new[i] and num_runs[i] = sums of the marks before index i, for i = 0, ..., size
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* indices, size_type size, const I* num_new, const I* num_runs, I* begins,
                                 I* ends, I* offsets)>
    collect_runs{"index_set::collect_runs"};

/// local[i] = number of the element global[i], or -1
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* begins, const I* ends, const I* offsets, size_type num_runs, const I* global,
                                 size_type size, I* local)>
    to_local{"index_set::to_local"};

/// global[i] = element number local[i], or -1 if there is none
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* begins, const I* offsets, size_type num_runs, const I* local, size_type size,
                                 I* global)>
    to_global{"index_set::to_global"};

/// result[i] = whether global[i] is in the set
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* begins, const I* ends, size_type num_runs, const I* global, size_type size,
                                 bool* result)>
    contains{"index_set::contains"};

}  // namespace spruce::kernels::index_set
