// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "benchmark/generators/building.hpp"
#include "benchmark/generators/families.hpp"

namespace spruce::bench::family {
namespace {

generated_matrix band_matrix(parameters& params, int64 n, int64 half_width)
{
    const auto num_entries =
        static_cast<double>(2 * half_width + 1) * n - static_cast<double>(half_width) * (half_width + 1);
    params.check(static_cast<double>(n), static_cast<double>(n), num_entries);

    csr_builder builder{n, n, num_entries};
    const auto diagonal = static_cast<double>(std::max<int64>(2 * half_width, 1));
    for (int64 row = 0; row < n; ++row) {
        const auto end = std::min(n, row + half_width + 1);
        for (auto col = std::max<int64>(0, row - half_width); col < end; ++col) {
            builder.add(col, col == row ? diagonal : -1);
        }
        builder.end_row();
    }
    return builder.finish();
}

/// Generates a symmetric positive definite matrix. Block i consists of the rows from block_ptrs[i]
/// to block_ptrs[i + 1] - 1. It is coupled to the blocks up to the distance reach.
generated_matrix block_band_matrix(const std::vector<int64>& block_ptrs, int64 reach, double num_entries, uint64 seed)
{
    const auto n = block_ptrs.back();
    const auto num_blocks = static_cast<int64>(block_ptrs.size()) - 1;
    csr_builder builder{n, n, num_entries};
    for (int64 block = 0; block < num_blocks; ++block) {
        const auto begin = block_ptrs[std::max<int64>(0, block - reach)];
        const auto end = block_ptrs[std::min(num_blocks, block + reach + 1)];
        for (auto row = block_ptrs[block]; row < block_ptrs[block + 1]; ++row) {
            for (auto col = begin; col < end; ++col) {
                builder.add(col, to_signed_unit(symmetric_pair_bits(seed, row, col)));
            }
            builder.end_row();
        }
    }
    auto result = builder.finish();
    make_diagonal_dominant(result);
    return result;
}

}  // namespace

generated_matrix band(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    return band_matrix(params, n, params.next_integer("B", 0, n - 1));
}

generated_matrix tridiagonal(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    const auto singular = params.flag("singular");
    auto result = band_matrix(params, n, std::min<int64>(1, n - 1));
    if (singular) {
        // With 1 - 1/n at its end, the diagonal gives a matrix with nullspace v = (1, ..., n) / n.
        // Adding e to this value raises the zero eigenvalue to e / (v v). This holds as long as it
        // is far below the next eigenvalue, about 20 / n^2. The largest eigenvalue is 4.
        const auto size = static_cast<double>(n);
        result.values.back() = 1 - 1 / size + 4e-14 * (size + 1) * (2 * size + 1) / (6 * size);
    }
    return result;
}

generated_matrix random_band(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    const auto per_row = params.next_real("PER_ROW", 1, parameters::max_size);
    // Four times PER_ROW on each side leaves about an eighth of the band filled.
    const auto half_width = static_cast<int64>(params.option("width", 4 * per_row, 1, parameters::max_size));
    const auto unsymmetric = params.flag("unsymmetric");
    const auto seed = params.seed();
    const auto probability = (per_row - 1) / (2 * static_cast<double>(half_width));
    if (probability > 1) {
        params.fail("PER_ROW exceeds the width of the band, 2 width + 1");
    }
    params.check(static_cast<double>(n), static_cast<double>(n), static_cast<double>(n) * per_row);

    // The capacity exceeds the expected number of entries by some standard deviations. If this does
    // not suffice, the vectors grow.
    csr_builder builder{n, n, static_cast<double>(n) * per_row * 1.01 + 100};
    const auto threshold = static_cast<uint64>(probability * 0x1p32);
    for (int64 row = 0; row < n; ++row) {
        const auto end = std::min(n, row + half_width + 1);
        for (auto col = std::max<int64>(0, row - half_width); col < end; ++col) {
            const auto bits = unsymmetric ? pair_bits(seed, row, col) : symmetric_pair_bits(seed, row, col);
            if (row == col || (bits >> 32) < threshold) {
                builder.add(col, to_signed_unit(mix(bits)));
            }
        }
        builder.end_row();
    }
    auto result = builder.finish();
    make_diagonal_dominant(result);
    return result;
}

generated_matrix block_tridiagonal(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    const auto size = params.has_next() ? params.next_integer("B", 1, n) : std::min<int64>(8, n);
    const auto seed = params.seed();
    const auto num_entries = static_cast<double>(n) * 3 * static_cast<double>(size);
    params.check(static_cast<double>(n), static_cast<double>(n), num_entries);

    std::vector<int64> block_ptrs;
    for (int64 begin = 0; begin < n; begin += size) {
        block_ptrs.push_back(begin);
    }
    block_ptrs.push_back(n);
    return block_band_matrix(block_ptrs, 1, num_entries, seed);
}

generated_matrix block_diagonal(parameters& params)
{
    const auto n = params.next_integer("N", 1);
    const auto seed = params.seed();
    constexpr int64 max_block_size = 32;
    // Mean of the squared block size over the mean size, sizes uniform in 1..32.
    const auto num_entries = static_cast<double>(n) * (2 * max_block_size + 1) / 3.0;
    params.check(static_cast<double>(n), static_cast<double>(n), num_entries);

    random_stream random{seed};
    std::vector<int64> block_ptrs{0};
    while (block_ptrs.back() < n) {
        block_ptrs.push_back(std::min(n, block_ptrs.back() + random.between(1, max_block_size)));
    }
    return block_band_matrix(block_ptrs, 0, num_entries * 1.01, mix(seed));
}

}  // namespace spruce::bench::family
