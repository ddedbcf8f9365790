// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <numeric>
#include <tuple>

#include "benchmark/generators/delaunay.hpp"
#include "benchmark/generators/families.hpp"
#include "benchmark/generators/grid.hpp"

namespace spruce::bench::family {
namespace {

/// Expected number of neighbours of a vertex in a Delaunay triangulation of random points: 6 in 2D
/// and 2 + 48 pi^2 / 35 in 3D.
template <int D>
constexpr double mean_degree = D == 2 ? 6 : 15.54;

struct fem_options {
    int64 block_size;
    bool spd;
    double decades;
    uint64 seed;
};

fem_options read_fem_options(parameters& params)
{
    return {params.next_integer("K", 1, 1024), params.flag("spd"), params.option("decades", 0, 0, 100), params.seed()};
}

/// Generates a dense block s (I + 0.3 R) for each edge of the node graph, where R is symmetric in
/// [-1, 1) and s is log-uniform.
generated_matrix fem_blocks(const pattern& nodes, const fem_options& options)
{
    const auto k = options.block_size;
    csr_builder builder{nodes.rows * k, nodes.rows * k, static_cast<double>(nodes.col_idxs.size()) * k * k};
    for (int64 row = 0; row < nodes.rows * k; ++row) {
        const auto node = row / k;
        const auto i = row % k;
        for (auto nz = nodes.row_ptrs[node]; nz < nodes.row_ptrs[node + 1]; ++nz) {
            const auto other = nodes.col_idxs[nz];
            const auto block_bits = symmetric_pair_bits(options.seed, node, other);
            const auto scale = options.decades > 0 ? to_log_uniform(mix(block_bits), options.decades) : 1;
            for (int64 j = 0; j < k; ++j) {
                const auto random_part = 0.3 * to_signed_unit(symmetric_pair_bits(block_bits, i, j));
                builder.add(other * k + j, scale * ((i == j ? 1 : 0) + random_part));
            }
        }
        builder.end_row();
    }
    auto result = builder.finish();
    if (options.spd) {
        make_diagonal_dominant(result);
    }
    return result;
}

template <int D>
generated_matrix mesh(parameters& params)
{
    const auto num_points = params.next_integer("POINTS", D + 1);
    const auto order_name = params.choice("order", {"random", "x", "morton", "rcm"});
    const auto shift = params.flag("spd") ? 1e-3 : 0;
    const auto seed = params.seed();
    params.check(static_cast<double>(num_points), static_cast<double>(num_points), (mean_degree<D> + 1) * num_points);

    auto points = random_points<D>(num_points, seed);
    auto edges = delaunay_edges<D>(points);
    if (order_name == 1) {
        std::vector<int32> order(num_points);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(),
                  [&](int32 a, int32 b) { return std::make_pair(points[a][0], a) < std::make_pair(points[b][0], b); });
        renumber(edges, order);
    } else if (order_name == 2) {
        renumber(edges, morton_order<D>(points));
    } else if (order_name == 3) {
        renumber(edges, reverse_cuthill_mckee(from_edges(num_points, num_points, edges, {true, false})));
    }
    auto graph = from_edges(num_points, num_points, edges, {true, true});
    edges = {};
    std::vector<double> diagonal(num_points);
    for (int64 row = 0; row < num_points; ++row) {
        diagonal[row] = static_cast<double>(graph.row_length(row) - 1) + shift;
    }
    return with_values(std::move(graph), [&](int64 row, int64 col) { return row == col ? diagonal[row] : -1; });
}

/// Represents disjoint sets with path halving (Tarjan 1975).
class disjoint_sets {
public:
    explicit disjoint_sets(int64 size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }

    /// Merges the sets of a and b. Returns false if they are in one set already.
    bool unite(int32 a, int32 b)
    {
        a = this->root(a);
        b = this->root(b);
        parent_[a] = b;
        return a != b;
    }

private:
    int32 root(int32 a)
    {
        while (parent_[a] != a) {
            parent_[a] = parent_[parent_[a]];
            a = parent_[a];
        }
        return a;
    }

    std::vector<int32> parent_;
};

}  // namespace

generated_matrix fem_block(parameters& params)
{
    const auto size = params.next_sizes("the nodes", 3, 1);
    const auto options = read_fem_options(params);
    const auto tail = params.flag("tail");
    const grid_stencil grid{size, stencil_shape::box};
    const auto k = static_cast<double>(options.block_size);
    constexpr double tail_share = 1e-3;
    const auto tail_entries = tail ? tail_share * 360 * grid.num_points() : 0;
    params.check(k * grid.num_points(), k * grid.num_points(), k * k * (grid.num_entries() + tail_entries));

    const auto num_nodes = static_cast<int64>(grid.num_points());
    std::vector<edge> edges;
    edges.reserve(static_cast<size_type>((grid.num_entries() - grid.num_points()) / 2 + tail_entries));
    random_stream random{options.seed};
    grid.for_each_point([&](const grid_stencil::triple& point) {
        const auto node = grid.index(point);
        grid.for_each_neighbour(point, [&](int64 other, size_type) {
            if (node < other) {
                edges.push_back({static_cast<int32>(node), static_cast<int32>(other)});
            }
        });
        if (tail && random.unit() < tail_share) {
            for_each_sampled_column(random, std::min(num_nodes, random.between(80, 280)), num_nodes, node,
                                    [&](int64 other) {
                                        edges.push_back({static_cast<int32>(node), static_cast<int32>(other)});
                                    });
        }
    });
    const auto nodes = from_edges(num_nodes, num_nodes, edges, {true, true});
    edges = {};
    return fem_blocks(nodes, options);
}

generated_matrix fem_delaunay(parameters& params)
{
    const auto num_points = params.next_integer("POINTS", 3);
    const auto options = read_fem_options(params);
    const auto num_rows = static_cast<double>(num_points) * options.block_size;
    params.check(num_rows, num_rows, num_rows * options.block_size * (mean_degree<2> + 1));

    auto points = random_points<2>(num_points, options.seed);
    auto edges = delaunay_edges<2>(points);
    renumber(edges, morton_order<2>(points));
    const auto nodes = from_edges(num_points, num_points, edges, {true, true});
    edges = {};
    return fem_blocks(nodes, options);
}

generated_matrix mesh2d(parameters& params) { return mesh<2>(params); }
generated_matrix mesh3d(parameters& params) { return mesh<3>(params); }

generated_matrix road(parameters& params)
{
    const auto num_points = params.next_integer("POINTS", 3);
    const auto seed = params.seed();
    params.check(static_cast<double>(num_points), static_cast<double>(num_points), 2.8 * num_points);

    auto points = random_points<2>(num_points, seed);
    const auto mesh_edges = delaunay_edges<2>(points);
    const auto graph = from_edges(num_points, num_points, mesh_edges, {true, false});
    struct road_type {
        int64 squared_length;
        edge ends;
    };
    std::vector<road_type> candidates;
    for (int64 row = 0; row < num_points; ++row) {
        for (auto nz = graph.row_ptrs[row]; nz < graph.row_ptrs[row + 1]; ++nz) {
            const auto col = graph.col_idxs[nz];
            if (row < col) {
                const auto dx = points[row][0] - points[col][0];
                const auto dy = points[row][1] - points[col][1];
                candidates.push_back({dx * dx + dy * dy, {static_cast<int32>(row), col}});
            }
        }
    }
    std::sort(candidates.begin(), candidates.end(), [](const road_type& a, const road_type& b) {
        return std::tie(a.squared_length, a.ends.row, a.ends.col) < std::tie(b.squared_length, b.ends.row, b.ends.col);
    });
    // Kruskal's algorithm visits the edges in ascending order of length. The first edges outside of
    // the tree are therefore the shortest of those edges.
    disjoint_sets components{num_points};
    auto num_others = num_points * 2 / 5;
    std::vector<edge> edges;
    for (const auto& candidate : candidates) {
        if (components.unite(candidate.ends.row, candidate.ends.col) || num_others-- > 0) {
            edges.push_back(candidate.ends);
        }
    }
    return with_values(from_edges(num_points, num_points, edges, {true, false}), [](int64, int64) { return 1.0; });
}

}  // namespace spruce::bench::family
