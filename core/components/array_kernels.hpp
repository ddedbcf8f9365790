// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>

#include "core/base/kernel.hpp"

/// Declares kernels on plain arrays.
namespace spruce::kernels::components {

template <typename T>
SPRUCE_EXPORT inline Kernel<void(T* data, size_type size, const T& value)> fill_array{"components::fill_array"};

/// Converts the elements: to[i] = from[i].
template <typename From, typename To>
SPRUCE_EXPORT inline Kernel<void(const From* from, To* to, size_type size)> convert_array{"components::convert_array"};

/// Computes to[i] = |from[i]|. To is From or its real type. If the types are equal, to may be from.
template <typename From, typename To>
SPRUCE_EXPORT inline Kernel<void(const From* from, To* to, size_type size)> absolute_array{
    "components::absolute_array"};

/// Sets data[i] = i.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(I* data, size_type size)> fill_sequence{"components::fill_sequence"};

/// Computes to[i] = conj(from[i]). to may be from.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const V* from, V* to, size_type size)> conjugate_array{"components::conjugate_array"};

/// Sets to[i] = *from, which is not read on the host (doc/tuning/conversions.md).
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const V* from, V* to, size_type size)> repeat_element{"components::repeat_element"};

/// Adds the sum of the elements to *result. The sum is bitwise repeatable.
template <typename T>
SPRUCE_EXPORT inline Kernel<void(const T* data, size_type size, T* result, array<char>& tmp)> reduce_add{
    "components::reduce_add"};

/// Computes the maximum of the elements, which are not negative, or 0 if there are none.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* data, size_type size, I& maximum)> compute_max{"components::compute_max"};

/// Computes prefix sums in place: counts[i] becomes the sum of the counts before i. counts[size -
/// 1] is overwritten by the sum of the other counts. total returns this number to the host, because
/// GPUs have to check if it fits. It has to fit 64 bits, like any number of objects in memory.
/// @throws OverflowError  if the total does not fit I
template <typename I>
SPRUCE_EXPORT inline Kernel<void(I* counts, size_type size, size_type& total)> prefix_sum{"components::prefix_sum"};

/// Computes offsets of rows from row indices in order: ptrs[i] = number of idxs below i, for i = 0,
/// ..., num_rows.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* idxs, size_type size, I* ptrs, size_type num_rows)> convert_idxs_to_ptrs{
    "components::convert_idxs_to_ptrs"};

/// Computes row indices from offsets of rows.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* ptrs, size_type num_rows, I* idxs)> convert_ptrs_to_idxs{
    "components::convert_ptrs_to_idxs"};

}  // namespace spruce::kernels::components
