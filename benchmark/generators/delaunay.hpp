// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <vector>

#include "benchmark/generators/building.hpp"

namespace spruce::bench {

/// A point of an integer lattice, on which the predicates of the triangulation are evaluated
/// exactly.
template <int D>
using point = std::array<int64, D>;

/// Bound on the bits of coordinates: the products in the predicates fit into 64 and 128 bits.
template <int D>
constexpr int coordinate_bits = D == 2 ? 30 : 20;

/// Returns random points that are uniformly distributed in the unit square or cube.
template <int D>
std::vector<point<D>> random_points(int64 count, uint64 seed);

/// Returns the order of the points along the Morton curve, where order[new] = old.
template <int D>
std::vector<int32> morton_order(const std::vector<point<D>>& points);

/// Returns the edges of the Delaunay triangulation of at least D + 1 points. Some edges occur more
/// than once.
///
/// Points are inserted incrementally (Bowyer 1981, Watson 1981) with exact arithmetic. Points in
/// special position are moved by some lattice widths. Examples are equal points or D + 1 points in
/// a hyperplane.
template <int D>
std::vector<edge> delaunay_edges(std::vector<point<D>>& points);

}  // namespace spruce::bench
