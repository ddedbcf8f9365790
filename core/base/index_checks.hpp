// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>

/// Checks indices from applications. The checks run on the executor of the array, read it once or
/// twice and synchronize with the host. The indices are copied to the host only if the check fails,
/// for the message.
namespace spruce::detail {

/// Checks that all indices are between 0 and bound - 1.
/// @throws OutOfBoundsError  if an index is outside; the message contains function, index and
///   position
template <typename IndexType>
void require_indices_below(const char* function, const array<IndexType>& indices, size_type bound);

/// Checks that all indices are between 0 and bound - 1, and that none occurs twice.
/// @throws OutOfBoundsError  if an index is outside
/// @throws ValueMismatch  if an index occurs twice
template <typename IndexType>
void require_distinct_indices(const char* function, const array<IndexType>& indices, size_type bound);

/// Checks that a permutation has as many elements as there are rows or columns to reorder.
/// @throws DimensionMismatch  if it has not
void require_permutation_size(const char* function, size_type num_elements, size_type num_permuted);

/// Checks that the elements are 0, ..., size - 1 in some order.
/// @throws DimensionMismatch  if there are not size elements
/// @throws OutOfBoundsError  if an element is outside
/// @throws ValueMismatch  if an element occurs twice
template <typename IndexType>
void require_permutation(const char* function, const array<IndexType>& permutation, size_type size)
{
    require_permutation_size(function, permutation.get_size(), size);
    require_distinct_indices(function, permutation, size);
}

}  // namespace spruce::detail
