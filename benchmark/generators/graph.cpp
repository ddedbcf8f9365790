// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <numeric>

#include "benchmark/generators/building.hpp"
#include "benchmark/generators/families.hpp"

namespace spruce::bench::family {
namespace {

/// Returns the vertices by ascending or descending degree. Vertices of equal degree keep their
/// order.
std::vector<int32> degree_order(const pattern& graph, bool falling)
{
    std::vector<int32> order(graph.rows);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32 a, int32 b) {
        const auto difference = graph.row_length(a) - graph.row_length(b);
        return falling ? difference > 0 : difference < 0;
    });
    return order;
}

}  // namespace

generated_matrix rmat(parameters& params)
{
    const auto scale = params.next_integer("SCALE", 0, 30);
    const auto edge_factor = params.next_integer("EDGEFACTOR", 0);
    const auto a = params.option("a", 0.57, 0, 1);
    const auto b = params.option("b", 0.19, 0, 1);
    const auto c = params.option("c", 0.19, 0, 1);
    const auto undirected = params.flag("undirected");
    const auto diagonal = params.flag("diagonal");
    const auto order = params.one_of({"shuffle", "degree-falling", "degree-rising"});
    const auto seed = params.seed();
    const auto n = int64{1} << scale;
    const auto num_edges = n * edge_factor;
    if (a + b + c > 1) {
        params.fail("a + b + c exceeds 1");
    }
    params.check(static_cast<double>(n), static_cast<double>(n),
                 static_cast<double>(num_edges) * (undirected ? 2 : 1) + (diagonal ? static_cast<double>(n) : 0));

    // Each 32 random bits select a quadrant at one of the levels. The comparisons use no branches,
    // because processors cannot predict them.
    const auto threshold = [](double probability) { return static_cast<uint64>(probability * 0x1p32); };
    const auto first = threshold(a);
    const auto second = threshold(a + b);
    const auto third = threshold(a + b + c);
    random_stream random{seed};
    std::vector<edge> edges;
    edges.reserve(num_edges);
    for (int64 k = 0; k < num_edges; ++k) {
        uint64 row = 0;
        uint64 col = 0;
        uint64 bits = 0;
        for (int64 level = 0; level < scale; ++level) {
            bits = level % 2 == 0 ? random.bits() : bits >> 32;
            const auto draw = bits & 0xffffffffu;
            const uint64 lower = draw >= second;
            row = 2 * row + lower;
            col = 2 * col + ((draw >= first) ^ lower ^ static_cast<uint64>(draw >= third));
        }
        if (!undirected || row != col) {
            edges.push_back({static_cast<int32>(row), static_cast<int32>(col)});
        }
    }
    if (order == 0) {
        renumber(edges, random_order(n, mix(seed)));
    } else if (order > 0) {
        renumber(edges, degree_order(from_edges(n, n, edges, {undirected, false}), order == 1));
    }
    auto graph = from_edges(n, n, edges, {undirected, diagonal});
    edges = {};
    auto result = with_values(std::move(graph), [&](int64 row, int64 col) {
        // The value is in (0, 1] and equal in both directions.
        return 1 - to_unit(symmetric_pair_bits(seed, row, col));
    });
    if (diagonal) {
        make_diagonal_dominant(result);
    }
    return result;
}

generated_matrix circuit(parameters& params)
{
    const auto n = params.next_integer("ROWS", 1);
    const auto num_dense = params.next_integer("DENSE_ROWS", 0, n);
    const auto dense_length = params.next_integer("DENSE_LENGTH", 0, n);
    const auto mean = params.option("mean", 5, 1, 9);
    const auto others_length = static_cast<int64>(params.option("others", static_cast<double>(dense_length), 0, n));
    const auto seed = params.seed();
    const auto length_of = [&](int64 k) { return k == 0 ? dense_length : others_length; };
    const auto num_dense_entries = num_dense == 0
                                       ? 0.0
                                       : 2 * (static_cast<double>(dense_length) +
                                              static_cast<double>(num_dense - 1) * static_cast<double>(others_length));
    params.check(static_cast<double>(n), static_cast<double>(n), static_cast<double>(n) * mean + num_dense_entries);

    // In the base graph, a point of a grid is coupled to its eight neighbours. The couplings along
    // the line come first, so that hardly any vertex is isolated.
    const auto width = static_cast<int64>(std::ceil(std::sqrt(static_cast<double>(n))));
    const auto along_line = std::min(1.0, (mean - 1) / 2);
    const auto other = (mean - 1 - 2 * along_line) / 6;
    std::vector<edge> edges;
    edges.reserve(static_cast<size_type>(static_cast<double>(n) * mean / 2 + num_dense_entries / 2));
    for (int64 row = 0; row < n; ++row) {
        for (const auto distance : {int64{1}, width - 1, width, width + 1}) {
            const auto probability = distance == 1 ? along_line : other;
            if (row + distance < n && to_unit(pair_bits(seed, row, row + distance)) < probability) {
                edges.push_back({static_cast<int32>(row), static_cast<int32>(row + distance)});
            }
        }
    }
    random_stream random{seed};
    for (int64 k = 0; k < num_dense; ++k) {
        const auto row = (2 * k + 1) * n / (2 * num_dense);
        for_each_sampled_column(random, length_of(k), n, row, [&](int64 col) {
            edges.push_back({static_cast<int32>(row), static_cast<int32>(col)});
        });
    }
    auto graph = from_edges(n, n, edges, {true, true});
    edges = {};
    // A fifth of the stored entries is zero, none of them on the diagonal.
    const auto num_entries = static_cast<double>(graph.col_idxs.size());
    const auto zero_share = num_entries > static_cast<double>(n) ? 0.2 * num_entries / (num_entries - n) : 0;
    return with_values(std::move(graph), [&](int64 row, int64 col) {
        const auto bits = pair_bits(mix(seed), row, col);
        const auto magnitude = 1e-6 * to_log_uniform(mix(bits), 12);
        return row == col ? magnitude : to_unit(bits) < zero_share ? 0 : -magnitude;
    });
}

}  // namespace spruce::bench::family
