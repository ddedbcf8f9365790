// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include "test/utils/matrices.hpp"

namespace spruce::test {

/// Creates the matrix of a grid of width^num_dims points whose entries connect points that differ
/// by at most 1 in each coordinate, and in at most max_changes coordinates. Entries outside the
/// diagonal are -1. The diagonal is the number of neighbours of an inner point, as for a Poisson
/// problem with Dirichlet conditions.
inline host_matrix grid(int width, int num_dims, int max_changes)
{
    const auto depth = num_dims == 3 ? width : 1;
    const auto num_points = width * width * depth;
    const double center = num_dims == 2      ? (max_changes == 1 ? 4 : 8)
                          : max_changes == 1 ? 6
                          : max_changes == 2 ? 18
                                             : 26;
    host_matrix data{dim<2>{static_cast<size_type>(num_points)}};
    for (int row = 0; row < num_points; ++row) {
        for (int step = 0; step < 27; ++step) {
            const int x = row % width + step % 3 - 1;
            const int y = row / width % width + step / 3 % 3 - 1;
            const int z = row / width / width + step / 9 - 1;
            const auto num_changes = (step % 3 != 1) + (step / 3 % 3 != 1) + (step / 9 != 1);
            if (num_changes <= max_changes && std::min({x, y, z}) >= 0 && std::max(x, y) < width && z < depth) {
                const auto col = (z * width + y) * width + x;
                data.nonzeros.emplace_back(row, col, col == row ? center : -1.0);
            }
        }
    }
    return data;
}

}  // namespace spruce::test
