// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests which rows the products of Csr give to a block of a GPU, without a matrix: for structures
// that are too large for a test, and at the limits of the choice.

#include "core/matrix/csr_tiles.hpp"

#include <complex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using spruce::size_type;
namespace csr = spruce::matrix::csr;

constexpr size_type num_resident = 132 * 8;

/// Describes a matrix and the numbers of columns of x for which whole rows are distributed.
struct structure {
    std::string name;
    csr::row_statistics rows;
    std::vector<size_type> by_rows;
    std::vector<size_type> by_tiles;
};

TEST(CsrTiles, DistributeWholeRowsOfSuitableStructures)
{
    const std::vector<structure> structures{{"no rows", {0, 0, 0}, {1, 2, 3, 8}, {}},
                                            {"one row", {1, 10000000, 10000000}, {}, {1, 2, 3, 8}},
                                            {"one dense row", {2500000, 9999996, 2500000}, {}, {1, 2, 3, 8}},
                                            {"few long rows", {4000, 38004089, 203807}, {}, {1, 2, 3, 8}},
                                            {"power law", {524288, 7968822, 15000}, {1, 2}, {3, 4, 8}},
                                            {"tridiagonal", {3333333, 9999997, 3}, {1, 2, 3, 4, 8, 64}, {}},
                                            {"7-point", {1442897, 10023665, 7}, {1, 2, 3, 4, 8, 64}, {}},
                                            {"finite elements", {128625, 9834543, 81}, {1, 2, 3, 4, 8, 64}, {}},
                                            {"many empty rows", {4273504, 10017116, 17}, {1, 2, 5, 8}, {3, 4}},
                                            {"long rows of one length", {24390, 9342316, 496}, {1, 2, 5, 8}, {3, 4}},
                                            {"long rows of two lengths", {23810, 9942538, 1000}, {1, 2}, {3, 4, 5, 8}}};
    for (const auto& one : structures) {
        for (const auto num_cols : one.by_rows) {
            EXPECT_TRUE(csr::distributes_whole_rows<double>(one.rows, num_cols, num_resident, true))
                << one.name << ", " << num_cols << " columns";
        }
        for (const auto num_cols : one.by_tiles) {
            EXPECT_FALSE(csr::distributes_whole_rows<double>(one.rows, num_cols, num_resident, true))
                << one.name << ", " << num_cols << " columns";
            EXPECT_FALSE(csr::distributes_whole_rows<double>(one.rows, num_cols, num_resident, false)) << one.name;
        }
    }
    // Without a strategy, the rows of a block are not chosen.
    EXPECT_TRUE(csr::distributes_whole_rows<double>({1000, 7000, 8}, 1, num_resident, false));
    EXPECT_FALSE(csr::distributes_whole_rows<double>({1000, 7000, 9}, 1, num_resident, false));
    EXPECT_TRUE(csr::distributes_whole_rows<double>({24390, 9342316, 400}, 2, num_resident, false));
    EXPECT_FALSE(csr::distributes_whole_rows<double>({24390, 9342316, 400}, 3, num_resident, false));
}

TEST(CsrTiles, DistributeRowsUpToTheLimits)
{
    const auto limit = csr::longest_whole_row<double>;
    EXPECT_TRUE(csr::distributes_whole_rows<double>({1000000, 8000000, limit}, 1, num_resident, true));
    EXPECT_FALSE(csr::distributes_whole_rows<double>({1000000, 8000000, limit + 1}, 1, num_resident, true));
    EXPECT_EQ(csr::longest_whole_row<std::complex<double>>, limit / 2);

    // 8 times the mean, rounded up, is a long row if there are more than two columns.
    EXPECT_TRUE(csr::suits_whole_rows<double>({1000, 9500, 80}, num_resident));
    EXPECT_FALSE(csr::suits_whole_rows<double>({1000, 9500, 81}, num_resident));
    EXPECT_TRUE(csr::suits_whole_rows<double>({1000, 1000, 64}, num_resident));
    EXPECT_FALSE(csr::suits_whole_rows<double>({1000, 1000, 65}, num_resident));
    // Rows that exceed a tile need several blocks in sequence on each multiprocessor.
    EXPECT_FALSE(csr::suits_whole_rows<double>({1000, 1025 * 1000, 1025}, num_resident));
    EXPECT_TRUE(csr::suits_whole_rows<double>({10000, 1025 * 10000, 1025}, num_resident));

    EXPECT_TRUE(csr::suits_threads_per_row(64, 192, 3));
    EXPECT_FALSE(csr::suits_threads_per_row(64, 193, 3));
    EXPECT_TRUE(csr::suits_threads_per_row(3, 12, 4));
    EXPECT_FALSE(csr::suits_threads_per_row(3, 13, 4));
    EXPECT_TRUE(csr::suits_threads_per_row(64, 1000, 5));
    EXPECT_FALSE(csr::suits_threads_per_row(65, 131, 5));
    EXPECT_TRUE(csr::suits_threads_per_row(65, 130, 5));
}

TEST(CsrTiles, AreSmallerForPowerLaws)
{
    EXPECT_EQ(csr::merge_path_tile_items<double>(7968822, 25068), 512u);
    EXPECT_EQ(csr::merge_path_tile_items<double>(7968822, 512), 1024u);
    EXPECT_EQ(csr::merge_path_tile_items<double>(9999996, 2500000), 1024u);
    EXPECT_EQ(csr::merge_path_tile_items<float>(7968822, 25068), 1024u);
    EXPECT_EQ(csr::merge_path_tile_items<std::complex<double>>(7968822, 25068), 512u);
}

TEST(CsrTiles, HoldTheRowsOfABlock)
{
    EXPECT_EQ(csr::rows_per_block<double>(7, 7), 146u);
    EXPECT_EQ(csr::rows_per_block<double>(7, 8), 128u);    // regular: 8 entries have to fit
    EXPECT_EQ(csr::rows_per_block<double>(8, 100), 113u);  // 9 entries have to fit
    EXPECT_EQ(csr::rows_per_block<double>(0, 0), 512u);
    EXPECT_EQ(csr::rows_per_block<double>(5000, 5000), 1u);
    for (size_type max_length = 0; max_length <= 300; ++max_length) {
        // With the entries of its first row that precede its items, a block fits a tile.
        const auto items = csr::chosen_block_items<double>(max_length) + max_length;
        const auto max_entries = items * max_length / (max_length + 1);
        EXPECT_LE(max_length <= 256 ? max_entries : 0, csr::spmv_tile_entries<double>) << max_length;
    }
}

}  // namespace
