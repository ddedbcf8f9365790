// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>

#include "benchmark/generators/building.hpp"
#include "benchmark/generators/families.hpp"
#include "benchmark/generators/grid.hpp"

namespace spruce::bench::family {
namespace {

/// Generates a random matrix whose rows have length(row) entries with values in [-1, 1). In square
/// matrices, each row that is not empty contains its diagonal entry.
template <typename Length>
generated_matrix rows_of_length(int64 rows, int64 cols, double num_entries, random_stream& random, Length&& length)
{
    csr_builder builder{rows, cols, num_entries};
    for (int64 row = 0; row < rows; ++row) {
        const auto count = std::min<int64>(cols, length(row));
        for_each_sampled_column(random, count, cols, rows == cols ? row : -1,
                                [&](int64 col) { builder.add(col, random.signed_unit()); });
        builder.end_row();
    }
    return builder.finish();
}

}  // namespace

generated_matrix one_dense_row(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    params.check(static_cast<double>(n), static_cast<double>(n), 4.0 * n);

    csr_builder builder{n, n, 4.0 * n};
    for (int64 row = 0; row < n; ++row) {
        const auto end = row == 0 ? n : std::min(n, row + 2);
        for (auto col = std::max<int64>(0, row - 1); col < end; ++col) {
            builder.add(col, col != row ? -1 : row == 0 ? static_cast<double>(n) : 2);
        }
        builder.end_row();
    }
    return builder.finish();
}

generated_matrix one_dense_column(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    params.check(static_cast<double>(n), static_cast<double>(n), 4.0 * n);

    csr_builder builder{n, n, 4.0 * n};
    for (int64 row = 0; row < n; ++row) {
        if (row > 1) {
            builder.add(0, -1);
        }
        for (auto col = std::max<int64>(0, row - 1); col < std::min(n, row + 2); ++col) {
            builder.add(col, col != row ? -1 : row == 0 ? static_cast<double>(n) : 2);
        }
        builder.end_row();
    }
    return builder.finish();
}

generated_matrix arrow(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    params.check(static_cast<double>(n), static_cast<double>(n), 3.0 * n);

    csr_builder builder{n, n, 3.0 * n};
    builder.add(0, static_cast<double>(n));
    for (int64 col = 1; col < n; ++col) {
        builder.add(col, -1);
    }
    builder.end_row();
    for (int64 row = 1; row < n; ++row) {
        builder.add(0, -1);
        builder.add(row, 2);
        builder.end_row();
    }
    return builder.finish();
}

generated_matrix bimodal(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    random_stream random{params.seed()};
    const auto num_entries = static_cast<double>(n) * (0.58 * 6 + 0.42 * std::min(991.5, static_cast<double>(n)));
    params.check(static_cast<double>(n), static_cast<double>(n), num_entries);

    return rows_of_length(n, n, num_entries * 1.02 + 1000, random,
                          [&](int64) { return random.unit() < 0.58 ? 6 : random.between(983, 1000); });
}

generated_matrix nearly_dense(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    const auto seed = params.seed();
    const auto num_entries = 410.0 * n;
    params.check(static_cast<double>(n), static_cast<double>(n), num_entries);

    // Dense blocks have 13 to 21 rows and lie on a cube of points. Each is coupled to its 26
    // neighbours.
    random_stream random{seed};
    std::vector<int64> block_ptrs{0};
    while (block_ptrs.back() < n) {
        block_ptrs.push_back(std::min(n, block_ptrs.back() + random.between(13, 21)));
    }
    const auto num_blocks = static_cast<int64>(block_ptrs.size()) - 1;
    int64 side = 1;
    while (side * side * side < num_blocks) {
        ++side;
    }
    const grid_stencil grid{{side, side, side}, stencil_shape::box};
    csr_builder builder{n, n, num_entries};
    grid.for_each_point([&](const grid_stencil::triple& point) {
        const auto block = grid.index(point);
        const auto is_used = block < num_blocks;
        for (auto row = is_used ? block_ptrs[block] : 0; row < (is_used ? block_ptrs[block + 1] : 0); ++row) {
            grid.for_each_neighbour(point, [&](int64 other, size_type) {
                for (auto col = other < num_blocks ? block_ptrs[other] : n;
                     col < (other < num_blocks ? block_ptrs[other + 1] : n); ++col) {
                    builder.add(col, to_signed_unit(symmetric_pair_bits(seed, row, col)));
                }
            });
            builder.end_row();
        }
    });
    auto result = builder.finish();
    make_diagonal_dominant(result);
    return result;
}

generated_matrix wide(parameters& params)
{
    const auto size = params.next_sizes("ROWSxCOLS", 2, 1);
    const auto seed = params.seed();
    const auto rows = size[0];
    const auto cols = size[1];
    params.check(static_cast<double>(rows), static_cast<double>(cols), 10.3 * static_cast<double>(cols));

    // Log-normal weights determine the shares of rows; rail4284's longest row has 48.5 times the
    // median.
    random_stream random{seed};
    std::vector<double> weight_sums{0};
    for (int64 row = 0; row < rows; ++row) {
        constexpr double spread = 1.28 * 1.44269504088896340736;  // base 2; mean over median 2.27
        weight_sums.push_back(weight_sums.back() + std::min(48.5, portable_exp2(spread * random.normal())));
    }
    std::vector<edge> edges;
    edges.reserve(static_cast<size_type>(10.4 * static_cast<double>(cols)));
    for (int64 col = 0; col < cols; ++col) {
        int64 length = 12;
        while (length > 1 && random.unit() < 0.63) {
            --length;
        }
        for (int64 k = 0; k < length; ++k) {
            const auto found =
                std::upper_bound(weight_sums.begin(), weight_sums.end(), random.unit() * weight_sums.back());
            const auto row = std::min<int64>(rows, found - weight_sums.begin()) - 1;
            edges.push_back({static_cast<int32>(row), static_cast<int32>(col)});
        }
    }
    return with_values(from_edges(rows, cols, edges, {false, false}),
                       [&](int64 row, int64 col) { return to_signed_unit(pair_bits(seed, row, col)); });
}

generated_matrix empty_rows(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    random_stream random{params.seed()};
    params.check(static_cast<double>(n), static_cast<double>(n), 2.34 * n);

    return rows_of_length(n, n, 2.4 * n + 1000, random,
                          [&](int64) { return random.unit() < 0.74 ? 0 : random.between(1, 17); });
}

generated_matrix empty_row_runs(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    random_stream random{params.seed()};
    params.check(static_cast<double>(n), static_cast<double>(n), 3.0 * n);

    return rows_of_length(n, n, 3.1 * n + 1000, random, [&](int64 row) {
        const auto is_empty = row < n / 10 || row >= n - n / 10 || row / 32 % 2 == 1;
        return is_empty ? 0 : random.between(1, 14);
    });
}

generated_matrix empty(parameters& params)
{
    const auto size = params.next_sizes("RxC", 2, 0);
    params.check(static_cast<double>(size[0]), static_cast<double>(size[1]), 0);
    return csr_builder{size[0], size[1], 0}.finish();
}

generated_matrix full_row(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    const auto count = params.has_next() ? params.next_integer("k", 0, n) : n;
    random_stream random{params.seed()};
    params.check(1, static_cast<double>(n), static_cast<double>(count));
    return rows_of_length(1, n, static_cast<double>(count), random, [&](int64) { return count; });
}

generated_matrix full_column(parameters& params)
{
    auto result = full_row(params);
    std::vector<int64> row_ptrs(result.cols + 1);
    for (const auto row : result.col_idxs) {
        row_ptrs[row + 1] = 1;
    }
    for (int64 row = 0; row < result.cols; ++row) {
        row_ptrs[row + 1] += row_ptrs[row];
    }
    std::swap(result.rows, result.cols);
    result.row_ptrs = std::move(row_ptrs);
    std::fill(result.col_idxs.begin(), result.col_idxs.end(), 0);
    return result;
}

generated_matrix one_entry(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    const auto orientation = params.one_of({"row", "column"});
    if (orientation < 0) {
        params.fail("row or column is missing");
    }
    params.check(static_cast<double>(n), static_cast<double>(n), 1);

    csr_builder builder{n, n, 1};
    for (int64 row = 0; orientation == 0 && row < n - 1; ++row) {
        builder.end_row();
    }
    builder.add(orientation == 0 ? 0 : n - 1, 1);
    builder.end_row();
    return builder.finish();
}

}  // namespace spruce::bench::family
