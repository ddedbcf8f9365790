// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>

/// Checks of indices that come from outside. They run where the array is, read it once or twice, and the host waits for the
/// outcome; only for a message are the indices copied to the host.
namespace spruce::detail {

/// @throws OutOfBoundsError  if an index is negative or not below bound; the message names function, index and position
template <typename IndexType>
void require_indices_below(const char* function, const array<IndexType>& indices, size_type bound);

/// @throws OutOfBoundsError  likewise; ValueMismatch if an index occurs twice
template <typename IndexType>
void require_distinct_indices(const char* function, const array<IndexType>& indices, size_type bound);

/// @throws DimensionMismatch  if a permutation of this many elements cannot reorder this many rows or columns
void require_permutation_size(const char* function, size_type num_elements, size_type num_permuted);

/// @throws DimensionMismatch  likewise; OutOfBoundsError and ValueMismatch  unless the elements are 0, ..., size - 1 in some order
template <typename IndexType>
void require_permutation(const char* function, const array<IndexType>& permutation, size_type size)
{
    require_permutation_size(function, permutation.get_size(), size);
    require_distinct_indices(function, permutation, size);
}

}  // namespace spruce::detail
