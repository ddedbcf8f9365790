// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/kernel.hpp"

/// Declares kernels that colour graphs. A graph of n rows is given by its adjacency matrix, whose
/// pattern is symmetric. Entries on the diagonal are ignored.
namespace spruce::kernels::coloring {

/// Computes priorities[i] = colors[i]. If colors is null, priorities[i] is a pseudo-random number
/// that depends on i alone: z_3 in 64 bits, where z_0 = (i + 1) 0x9e3779b97f4a7c15,
/// z_1 = (z_0 ^ (z_0 >> 30)) 0xbf58476d1ce4e5b9, z_2 = (z_1 ^ (z_1 >> 27)) 0x94d049bb133111eb and
/// z_3 = z_2 ^ (z_2 >> 31), as in SplitMix64. Different rows have different numbers.
/// Source: Steele, Lea and Flood 2014, Fast Splittable Pseudorandom Number Generators.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* colors, size_type size, int64* priorities)> set_priorities{
    "coloring::set_priorities"};

/// Computes colors[i] = the smallest number from 0 on that is not the colour of a neighbour of row
/// i with a higher priority. Neighbours have different priorities.
/// @param nnz  an upper bound of the number of entries
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* col_idxs, size_type size, size_type nnz,
                                 const int64* priorities, I* colors)>
    assign{"coloring::assign"};

}  // namespace spruce::kernels::coloring
