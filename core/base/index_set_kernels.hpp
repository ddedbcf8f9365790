// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/kernel.hpp"

/// Declares the kernels for sets of indices that are stored as runs of consecutive indices. Run s
/// is begins[s], ..., ends[s] - 1, and its first element has number offsets[s] in the set.
/// offsets[num_runs] is the number of elements.
namespace spruce::kernels::index_set {

/// Sets has_invalid if an index is negative or not below bound, and is_sorted if the indices are in
/// order.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* indices, size_type size, I bound, bool& has_invalid, bool& is_sorted)>
    inspect{"index_set::inspect"};

/// Sets has_repeated if two of the indices are equal. No index is negative. positions is
/// a workspace with more elements than the largest index.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* indices, size_type size, I* positions, bool& has_repeated)> find_repeated{
    "index_set::find_repeated"};

/// Marks, for sorted indices, the beginnings of distinct values and runs. is_new[i] = 1 if index i
/// differs from the previous one. starts_run[i] = 1 if index i exceeds the previous one by more
/// than one. The first element of both is 1; all other elements are 0.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* indices, size_type size, I* is_new, I* starts_run)> mark_runs{
    "index_set::mark_runs"};

/// Writes the runs. num_new[i] and num_runs[i] are the sums of the marks before index i, for i = 0,
/// ..., size.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* indices, size_type size, const I* num_new, const I* num_runs, I* begins,
                                 I* ends, I* offsets)>
    collect_runs{"index_set::collect_runs"};

/// Computes local[i] = the number of the element global[i] in the set, or -1 if it is not in the
/// set.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* begins, const I* ends, const I* offsets, size_type num_runs, const I* global,
                                 size_type size, I* local)>
    to_local{"index_set::to_local"};

/// Computes global[i] = the element with number local[i], or -1 if there is none.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* begins, const I* offsets, size_type num_runs, const I* local, size_type size,
                                 I* global)>
    to_global{"index_set::to_global"};

/// Computes result[i] = true if global[i] is in the set.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* begins, const I* ends, size_type num_runs, const I* global, size_type size,
                                 bool* result)>
    contains{"index_set::contains"};

}  // namespace spruce::kernels::index_set
