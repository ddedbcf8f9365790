// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>

namespace spruce::graph {

/// Divides the rows of a matrix into aggregates.
template <typename I>
struct aggregation {
    array<I> aggregates;  ///< the aggregate of each row; negative for rows without one
    size_type num_aggregates;
};

/// Divides the vertices of the graph of a square matrix into connected aggregates. Each vertex of a
/// maximal independent set of distance 2 forms an aggregate with its neighbours. If two_phases is
/// true, this is repeated for free vertices that have at least two free neighbours, which gives
/// smaller aggregates. Then each free vertex i joins the aggregate of the neighbour j with the
/// largest |a_ij| scale_j. Vertices without neighbours get no aggregate. If the pattern is not
/// symmetric, row i determines the neighbours of vertex i.
///
/// Keys of vertices are pseudo-random, and chosen anew in each round. The result is the same on all
/// executors and for any number of threads if |a_ij| scale_j is. Each round takes two passes over
/// the entries and one synchronization. Sources: Bell, Dalton and Olson 2012, Exposing Fine-Grained
/// Parallelism in Algebraic Multigrid Methods; Kelley and Rajamanickam 2022, Parallel, Portable
/// Algorithms for Distance-2 Maximal Independent Set and Graph Coarsening.
/// @param a      has no NaN; entries on the diagonal are ignored
/// @param scale  nonnegative
template <typename V, typename I>
SPRUCE_EXPORT aggregation<I> aggregate_rows(const matrix::Csr<V, I>& a, const array<remove_complex<V>>& scale,
                                            bool two_phases);

/// Divides the vertices of the graph of a square matrix into pairs of neighbours. In each round,
/// free vertices point to their strongest free neighbour j, that with the largest |a_ij| scale_i
/// scale_j, and those that point to each other form an aggregate. Equal strengths are ordered by
/// pseudo-random numbers of the edges. After num_rounds rounds, after a round without a match, or
/// if at most max_free_ratio of the vertices are free, each of these joins the aggregate of its
/// strongest neighbour, or forms one alone. All vertices get an aggregate. The result is the same
/// on all executors and for any number of threads if the strengths are. Source: Naumov et al. 2015,
/// AmgX: A Library for GPU Accelerated Algebraic Multigrid and Preconditioned Iterative Methods.
/// @param a      has no NaN; entries on the diagonal are ignored
/// @param scale  nonnegative
template <typename V, typename I>
SPRUCE_EXPORT aggregation<I> match_rows(const matrix::Csr<V, I>& a, const array<remove_complex<V>>& scale,
                                        size_type num_rounds, double max_free_ratio);

}  // namespace spruce::graph
