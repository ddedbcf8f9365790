// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <vector>

#include "benchmark/generators/building.hpp"

namespace spruce::bench {

/// On an integer lattice, where the predicates of the triangulation can be evaluated exactly.
template <int D>
using point = std::array<int64, D>;

/// A bound on the coordinates' bits: with it the products of the predicates fit 64 and 128 bits.
template <int D>
constexpr int coordinate_bits = D == 2 ? 30 : 20;

/// Uniform in the unit square or cube.
template <int D>
std::vector<point<D>> random_points(int64 count, uint64 seed);

/// The order of the points along the Morton curve: order[new] = old.
template <int D>
std::vector<int32> morton_order(const std::vector<point<D>>& points);

/// The edges of the Delaunay triangulation of at least D + 1 points, some of them more than once.
/// Incremental insertion (Bowyer 1981, Watson 1981) with exact arithmetic. Points in special position, such as equal
/// ones or D + 1 in a hyperplane, are moved by some lattice widths.
template <int D>
std::vector<edge> delaunay_edges(std::vector<point<D>>& points);

}  // namespace spruce::bench
