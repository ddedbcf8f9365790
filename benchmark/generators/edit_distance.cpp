// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/generators/edit_distance.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace spruce::bench {

std::size_t edit_distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> distance(b.size() + 1);
    std::iota(distance.begin(), distance.end(), std::size_t{});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        auto diagonal = distance[0];
        distance[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = distance[j];
            distance[j] = std::min({replaced, distance[j] + 1, distance[j - 1] + 1});
        }
    }
    return distance.back();
}

}  // namespace spruce::bench
