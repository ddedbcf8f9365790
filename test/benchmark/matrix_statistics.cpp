// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <spruce/config.hpp>
#include <spruce/spruce.hpp>

#include "benchmark/generators/generators.hpp"
#include "benchmark/statistics/statistics.hpp"

namespace {

using spruce::dim;
using spruce::int32;
using spruce::matrix_data;
using spruce::size_type;
using spruce::bench::compute_statistics;
using spruce::bench::matrix_statistics;

template <typename ValueType = double>
std::unique_ptr<spruce::matrix::Csr<ValueType, int32>> create(const matrix_data<ValueType, int32>& data)
{
    auto result = spruce::matrix::Csr<ValueType, int32>::create(spruce::ReferenceExecutor::create());
    result->read(data);
    return result;
}

std::unique_ptr<spruce::matrix::Csr<double, int32>> generate(const std::string& spec)
{
    const auto generated = spruce::bench::generate(spec);
    matrix_data<double, int32> data{dim<2>(generated.rows, generated.cols)};
    for (int32 row = 0; row < generated.rows; ++row) {
        for (auto nz = generated.row_ptrs[row]; nz < generated.row_ptrs[row + 1]; ++nz) {
            data.nonzeros.emplace_back(row, generated.col_idxs[nz], generated.values[nz]);
        }
    }
    return create(data);
}

std::map<std::string, double> storage_of(const matrix_statistics& matrix)
{
    std::map<std::string, double> result;
    for (const auto& one : matrix.storage) {
        result[one.format] = one.bytes;
    }
    return result;
}

/// Returns the matrix (4 -1 0 0; -1 1 0 2; 0 0 0 0; 0 3 0 -5) with a stored zero at (3, 2).
std::unique_ptr<spruce::matrix::Csr<double, int32>> create_example()
{
    return create<double>(
        {dim<2>{4, 4},
         {{0, 0, 4.0}, {0, 1, -1.0}, {1, 0, -1.0}, {1, 1, 1.0}, {1, 3, 2.0}, {3, 1, 3.0}, {3, 2, 0.0}, {3, 3, -5.0}}});
}

// The expected values of the example are computed by hand.

TEST(MatrixStatistics, DescribesLengthsOfRowsAndColumns)
{
    const auto result = compute_statistics(*create_example());

    EXPECT_EQ(result.num_rows, 4u);
    EXPECT_EQ(result.num_nonzeros, 8u);
    EXPECT_EQ(result.num_zeros, 1u);
    EXPECT_EQ(result.rows.num_empty, 1u);
    EXPECT_EQ(result.rows.min, 0u);
    EXPECT_DOUBLE_EQ(result.rows.quartile_1, 1.5);
    EXPECT_DOUBLE_EQ(result.rows.median, 2.5);
    EXPECT_DOUBLE_EQ(result.rows.quartile_3, 3);
    EXPECT_EQ(result.rows.max, 3u);
    EXPECT_DOUBLE_EQ(result.rows.mean, 2);
    EXPECT_DOUBLE_EQ(result.rows.standard_deviation, std::sqrt(1.5));
    EXPECT_DOUBLE_EQ(*result.rows.skewness, -1.5 / (1.5 * std::sqrt(1.5)));
    EXPECT_DOUBLE_EQ(*result.rows.kurtosis, 2);
    EXPECT_EQ(result.cols.num_empty, 0u);
    EXPECT_EQ(result.cols.min, 1u);
    EXPECT_DOUBLE_EQ(result.cols.quartile_1, 1.75);
    EXPECT_DOUBLE_EQ(result.cols.median, 2);
    EXPECT_DOUBLE_EQ(result.cols.quartile_3, 2.25);
    EXPECT_EQ(result.cols.max, 3u);
    EXPECT_DOUBLE_EQ(result.cols.standard_deviation, std::sqrt(0.5));
    EXPECT_NEAR(*result.cols.skewness, 0, 1e-15);
    EXPECT_DOUBLE_EQ(*result.cols.kurtosis, 2);
}

TEST(MatrixStatistics, DescribesDiagonalBandwidthAndSymmetry)
{
    const auto result = compute_statistics(*create_example());

    EXPECT_EQ(result.lower_bandwidth, 2u);
    EXPECT_EQ(result.upper_bandwidth, 2u);
    EXPECT_EQ(result.profile, 3u);
    EXPECT_EQ(result.diagonal.length, 4u);
    EXPECT_EQ(result.diagonal.stored, 3u);
    EXPECT_EQ(result.diagonal.positive, 2u);
    EXPECT_EQ(result.diagonal.dominant, 2u);
    EXPECT_EQ(result.diagonal.strictly_dominant, 2u);
    ASSERT_TRUE(result.symmetry);
    EXPECT_DOUBLE_EQ(result.symmetry->structural, 0.8);
    EXPECT_DOUBLE_EQ(result.symmetry->numerical, 0.4);
    EXPECT_DOUBLE_EQ(result.symmetry->conjugate, 0.4);
}

TEST(MatrixStatistics, CountsBlocksAndBytes)
{
    const auto result = compute_statistics(*create_example());

    ASSERT_EQ(result.blocks.size(), 3u);
    EXPECT_EQ(result.blocks[0].num_blocks, 4u);
    EXPECT_EQ(result.blocks[1].num_blocks, 4u);
    EXPECT_EQ(result.blocks[2].num_blocks, 1u);
    const std::map<std::string, double> expected{{"coo", 128},     {"csr", 116},       {"ell", 144},
                                                 {"sellp", 2320},  {"sellp-32", 1168}, {"hybrid", 128},
                                                 {"fbcsr-2", 156}, {"fbcsr-4", 140},   {"sparsity_csr", 60}};
    EXPECT_EQ(storage_of(result), expected);
}

TEST(MatrixStatistics, HasNoMomentsOfEqualLengths)
{
    const auto result = compute_statistics(*create<double>({{1, 2}, {3, 4}}));

    EXPECT_EQ(result.rows.standard_deviation, 0);
    EXPECT_FALSE(result.rows.skewness);
    EXPECT_FALSE(result.rows.kurtosis);
}

TEST(MatrixStatistics, HandlesRectangularMatrices)
{
    const auto wide = compute_statistics(*create<double>({{0, 0, 0, 1, 0}, {0, 2, 0, 0, 0}}));
    const auto tall = compute_statistics(*create<double>({dim<2>{3, 1}, {{2, 0, 1.0}}}));

    EXPECT_FALSE(wide.symmetry);
    EXPECT_EQ(wide.diagonal.length, 2u);
    EXPECT_EQ(wide.diagonal.stored, 1u);
    EXPECT_EQ(wide.lower_bandwidth, 0u);
    EXPECT_EQ(wide.upper_bandwidth, 3u);
    EXPECT_EQ(wide.cols.num_empty, 3u);
    EXPECT_FALSE(tall.symmetry);
    EXPECT_EQ(tall.diagonal.stored, 0u);
    EXPECT_EQ(tall.lower_bandwidth, 2u);
    EXPECT_EQ(tall.profile, 2u);
}

TEST(MatrixStatistics, HandlesMatricesWithoutEntriesOrRows)
{
    const auto no_entries = compute_statistics(*create<double>(matrix_data<double, int32>{dim<2>{3, 3}}));
    const auto no_rows = compute_statistics(*create<double>(matrix_data<double, int32>{dim<2>{0, 3}}));

    EXPECT_EQ(no_entries.rows.num_empty, 3u);
    EXPECT_EQ(no_entries.rows.max, 0u);
    EXPECT_EQ(no_entries.blocks[0].num_blocks, 0u);
    EXPECT_EQ(no_entries.diagonal.dominant, 0u);
    EXPECT_EQ(no_entries.symmetry->numerical, 1);
    EXPECT_EQ(no_rows.rows.mean, 0);
    EXPECT_EQ(no_rows.cols.num_empty, 3u);
}

TEST(MatrixStatistics, AddsUpEntriesAtOnePosition)
{
    // The sums are (3 1; 1 1).
    const auto result = compute_statistics(*create<double>(
        {dim<2>{2, 2}, {{0, 0, 1.0}, {0, 0, 2.0}, {0, 1, 1.0}, {1, 0, 0.5}, {1, 0, 0.5}, {1, 1, 1.0}}}));

    EXPECT_EQ(result.num_nonzeros, 6u);
    EXPECT_EQ(result.diagonal.stored, 2u);
    EXPECT_EQ(result.diagonal.dominant, 2u);
    EXPECT_EQ(result.diagonal.strictly_dominant, 1u);
    EXPECT_EQ(result.symmetry->structural, 1);
    EXPECT_EQ(result.symmetry->numerical, 1);
}

TEST(MatrixStatistics, DistinguishesSymmetricAndHermitian)
{
    if (SPRUCE_TYPES_MINIMAL) {
        GTEST_SKIP() << "needs kernels for complex types";
    }
    using complex = std::complex<double>;
    const complex i{0, 1};
    const auto hermitian = compute_statistics(*create<complex>({{2.0, i}, {-i, 3.0 + i}}));
    const auto symmetric = compute_statistics(*create<complex>({{2.0, i}, {i, 3.0}}));

    EXPECT_EQ(hermitian.symmetry->numerical, 0);
    EXPECT_EQ(hermitian.symmetry->conjugate, 1);
    EXPECT_EQ(hermitian.diagonal.positive, 1u);  // 3 + i is not real
    EXPECT_EQ(symmetric.symmetry->numerical, 1);
    EXPECT_EQ(symmetric.symmetry->conjugate, 0);
}

TEST(MatrixStatistics, CountsBytesOfTheTypes)
{
    if (SPRUCE_TYPES_MINIMAL) {
        GTEST_SKIP() << "needs kernels for float and int64";
    }
    auto a = spruce::matrix::Csr<float, spruce::int64>::create(spruce::ReferenceExecutor::create());
    a->read(matrix_data<float, spruce::int64>{{1, 2}, {0, 3}});

    auto storage = storage_of(compute_statistics(*a));

    EXPECT_EQ(storage["coo"], 3 * (4 + 2 * 8));
    EXPECT_EQ(storage["csr"], 3 * (4 + 8) + 3 * 8);
    EXPECT_EQ(storage["ell"], 4 * (4 + 8));
    EXPECT_EQ(storage["fbcsr-2"], 4 * 4 + 8 + 2 * 8);
    EXPECT_EQ(storage["sparsity_csr"], 3 * 8 + 3 * 8 + 4);
}

/// Converts a to the format of an empty matrix and returns the result.
template <typename Matrix>
std::unique_ptr<Matrix> convert(const spruce::matrix::Csr<double, int32>& a, std::unique_ptr<Matrix> empty)
{
    a.convert_to(empty.get());
    return empty;
}

TEST(MatrixStatistics, StorageIsThatOfConvertedMatrices)
{
    using namespace spruce::matrix;
    // 1369 rows are padded in an Ell.
    for (const auto spec :
         {"poisson2d-5pt:37", "rmat:11,8", "fem-block:4x4x3,2", "empty-rows:700", "empty:66", "arrow:64"}) {
        const auto a = generate(spec);
        const auto exec = a->get_executor();
        const auto entry = sizeof(double) + sizeof(int32);
        const auto ell = convert(*a, Ell<double, int32>::create(exec));
        const auto sellp = convert(*a, Sellp<double, int32>::create(exec));
        const auto narrow = convert(*a, Sellp<double, int32>::create(exec, dim<2>{}, 32, 1, 0));
        const auto hybrid = convert(*a, Hybrid<double, int32>::create(exec));
        const auto sparsity = convert(*a, SparsityCsr<double, int32>::create(exec));

        const auto result = compute_statistics(*a);
        auto storage = storage_of(result);

        const auto slice_sets = [&](size_type slice_size) {
            return (spruce::ceildiv(a->get_size()[0], slice_size) + 1) * sizeof(size_type);
        };
        EXPECT_EQ(storage["ell"], ell->get_num_stored_elements() * entry) << spec;
        EXPECT_EQ(storage["sellp"], sellp->get_num_stored_elements() * entry + slice_sets(64)) << spec;
        EXPECT_EQ(storage["sellp-32"], narrow->get_num_stored_elements() * entry + slice_sets(32)) << spec;
        EXPECT_EQ(storage["hybrid"], hybrid->get_ell_num_stored_elements() * entry +
                                         hybrid->get_coo_num_stored_elements() * (entry + sizeof(int32)))
            << spec;
        EXPECT_EQ(storage["sparsity_csr"], sparsity->get_num_nonzeros() * sizeof(int32) +
                                               (a->get_size()[0] + 1) * sizeof(int32) + sizeof(double))
            << spec;
        for (const auto& blocks : result.blocks) {
            const auto name = "fbcsr-" + std::to_string(blocks.size);
            if (storage.count(name) > 0) {
                const auto fbcsr = convert(*a, Fbcsr<double, int32>::create(exec, static_cast<int>(blocks.size)));
                EXPECT_EQ(blocks.num_blocks, fbcsr->get_num_stored_blocks()) << spec << ' ' << name;
            }
        }
    }
}

}  // namespace
