// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include <spruce/matrix/csr.hpp>

#include "core/base/kernel.hpp"

/// Declares kernels that divide the vertices of a graph into aggregates. A graph of n vertices is
/// given by the pattern of an n x n matrix. Vertices i and j are neighbours if the matrix has an
/// entry (i, j) with i != j; where the pattern is not symmetric, row i determines the neighbours of
/// vertex i. nnz is an upper bound of the number of entries.
namespace spruce::kernels::aggregation {

/// Marks vertices without an aggregate in an array of aggregates.
constexpr int free_vertex = -1;
/// Marks vertices that do not get an aggregate.
constexpr int isolated_vertex = -2;

/// Marks vertices that are not candidates for an independent set in an array of keys. The keys of
/// candidates are greater.
constexpr int64 excluded = 0;
/// Marks vertices of the independent set. The keys of candidates are smaller.
constexpr int64 selected = std::numeric_limits<int64>::max();

/// Computes aggregates[i] = free_vertex if vertex i has a neighbour, else isolated_vertex.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* col_idxs, size_type size, size_type nnz, I* aggregates)>
    find_isolated{"aggregation::find_isolated"};

/// Computes keys[i] = 1 if vertex i is free and has at least min_neighbors free neighbours, else
/// excluded.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* col_idxs, size_type size, size_type nnz,
                                 const I* aggregates, I min_neighbors, int64* keys)>
    find_candidates{"aggregation::find_candidates"};

/// Replaces the keys of candidates by pseudo-random ones: key = floor(z_3 / 4) + 1 in 64 bits,
/// where z_0 = (s + 1) 0x9e3779b97f4a7c15 with s = i + 2^40 round for vertex i, z_1 = (z_0 ^ (z_0
/// >> 30)) 0xbf58476d1ce4e5b9, z_2 = (z_1 ^ (z_1 >> 27)) 0x94d049bb133111eb and z_3 = z_2 ^ (z_2 >>
/// 31), as in SplitMix64. Source: Steele, Lea and Flood 2014, Fast Splittable Pseudorandom Number
/// Generators.
SPRUCE_EXPORT inline Kernel<void(size_type round, size_type size, int64* keys)> renew_keys{"aggregation::renew_keys"};

/// Computes maxima[i], the largest of keys[i] and the keys of the neighbours of vertex i, for free
/// vertices, and 0 for others.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* col_idxs, size_type size, size_type nnz,
                                 const I* aggregates, const int64* keys, int64* maxima)>
    find_maxima{"aggregation::find_maxima"};

/// Selects candidates with keys[i] = maxima[i], and excludes those with maxima[i] = selected.
/// @param has_candidates  becomes true if other candidates remain
SPRUCE_EXPORT inline Kernel<void(const int64* maxima, size_type size, int64* keys, bool& has_candidates)> select_maxima{
    "aggregation::select_maxima"};

/// Computes keys[i] = selected for free vertices, else excluded.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* aggregates, size_type size, int64* keys)> select_free{
    "aggregation::select_free"};

/// Makes an aggregate of each selected vertex and its free neighbours. Aggregates are numbered from
/// first on in the order of the selected vertices. A vertex with several selected neighbours joins
/// that with the smallest number.
/// @param next  becomes the number that follows those of the new aggregates
template <typename I>
SPRUCE_EXPORT inline Kernel<void(const I* row_ptrs, const I* col_idxs, size_type size, size_type nnz, const int64* keys,
                                 I first, I* aggregates, I& next)>
    form_aggregates{"aggregation::form_aggregates"};

/// Adds each free vertex i to the aggregate of the neighbour j with the largest |a_ij| scale_j that
/// had an aggregate before. Of several, the aggregate with the fewest vertices is taken, and of
/// these the one with the smallest number. Vertices without such a neighbour remain free.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const matrix::Csr<V, I>& a, const remove_complex<V>* scale, size_type num_aggregates,
                                 I* aggregates)>
    join_strongest{"aggregation::join_strongest"};

/// Performs a round of matching. Each free vertex i points to the free neighbour j with the largest
/// |a_ij| scale_i scale_j. Of several, it takes the one with the largest number z_3 as in
/// renew_keys() with s = min(i, j) + 2^32 max(i, j), then the smallest one. Vertices that point to
/// each other are matched: matches[i] = matches[j] = min(i, j).
/// @param matches    free_vertex on entry for vertices that are not matched
/// @param num_free   becomes the number of vertices that are still free
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const matrix::Csr<V, I>& a, const remove_complex<V>* scale, I* matches,
                                 size_type& num_free)>
    match_strongest{"aggregation::match_strongest"};

/// Assigns numbers to the aggregates of matches, in the order of their smallest vertices. Free
/// vertices remain free.
template <typename I>
SPRUCE_EXPORT inline Kernel<void(size_type size, I* matches, size_type& num_aggregates)> number_matches{
    "aggregation::number_matches"};

}  // namespace spruce::kernels::aggregation
