// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests matrix_data, matrix_assembly_data and device_matrix_data.

#include <spruce/base/matrix_data.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <numeric>
#include <random>
#include <vector>

#include "test/utils/fixture.hpp"

namespace {

using spruce::dim;
using spruce::matrix_data;
using data_type = matrix_data<double, int>;
using entries = std::vector<data_type::nonzero_type>;

TEST(MatrixData, IsEmptyOfItsSize)
{
    EXPECT_EQ(data_type{}.size, (dim<2>{}));
    EXPECT_EQ((data_type{dim<2>{2, 3}}.size), (dim<2>{2, 3}));
    EXPECT_TRUE((data_type{dim<2>{2, 3}}.nonzeros.empty()));
}

TEST(MatrixData, IsFilledWithOneValue)
{
    const data_type data{dim<2>{1, 2}, 3.0};

    EXPECT_EQ(data.nonzeros, (entries{{0, 0, 3.0}, {0, 1, 3.0}}));
}

TEST(MatrixData, IsFilledFromADistribution)
{
    std::mt19937 engine{42};

    const data_type data{dim<2>{3, 4}, std::uniform_real_distribution<double>{1.0, 2.0}, engine};

    ASSERT_EQ(data.nonzeros.size(), 12u);
    for (const auto& entry : data.nonzeros) {
        EXPECT_GE(entry.value, 1.0);
        EXPECT_LT(entry.value, 2.0);
    }
}

TEST(MatrixData, DrawsBothPartsOfComplexValues)
{
    using complex = std::complex<float>;
    std::mt19937 engine{42};
    int calls = 0;
    const auto drawn = [&](auto&) { return static_cast<double>(++calls); };
    const auto complex_drawn = [&](auto&) { return std::complex<double>{1.0, static_cast<double>(++calls)}; };

    const spruce::matrix_data<complex, int> parts{dim<2>{1, 2}, drawn, engine};
    calls = 0;
    const spruce::matrix_data<complex, int> wholes{dim<2>{1, 2}, complex_drawn, engine};

    EXPECT_EQ(parts.nonzeros, (std::vector<spruce::matrix_data_entry<complex, int>>{{0, 0, {1, 2}}, {0, 1, {3, 4}}}));
    EXPECT_EQ(wholes.nonzeros, (std::vector<spruce::matrix_data_entry<complex, int>>{{0, 0, {1, 1}}, {0, 1, {1, 2}}}));
}

TEST(MatrixData, IsMadeFromRows)
{
    const data_type data{{1.0, 0.0, 2.0}, {0.0}};

    EXPECT_EQ(data.size, (dim<2>{2, 3}));
    EXPECT_EQ(data.nonzeros, (entries{{0, 0, 1.0}, {0, 2, 2.0}}));
}

TEST(MatrixData, IsMadeFromTriples)
{
    const data_type data{dim<2>{2, 3}, {{0, 0, 1.0}, {1, 2, 0.0}}};

    EXPECT_EQ(data.size, (dim<2>{2, 3}));
    EXPECT_EQ(data.nonzeros, (entries{{0, 0, 1.0}, {1, 2, 0.0}}));
}

TEST(MatrixData, MakesDiagonalMatrices)
{
    EXPECT_EQ(data_type::diag(dim<2>{2, 3}, 5.0).nonzeros, (entries{{0, 0, 5.0}, {1, 1, 5.0}}));
    EXPECT_EQ(data_type::diag(dim<2>{3, 2}, 5.0).nonzeros, (entries{{0, 0, 5.0}, {1, 1, 5.0}}));
    EXPECT_EQ(data_type::diag(dim<2>{3, 3}, {1.0, 2.0}).nonzeros, (entries{{0, 0, 1.0}, {1, 1, 2.0}}));
}

TEST(MatrixData, IsMadeOfCopiesOfABlock)
{
    const data_type block{{1.0, 2.0}, {0.0, 3.0}, {4.0, 0.0}};

    const data_type data{dim<2>{1, 2}, block};
    const data_type tall{dim<2>{2, 1}, block};

    EXPECT_EQ(data.size, (dim<2>{3, 4}));
    EXPECT_EQ(
        data.nonzeros,
        (entries{
            {0, 0, 1.0}, {0, 1, 2.0}, {0, 2, 1.0}, {0, 3, 2.0}, {1, 1, 3.0}, {1, 3, 3.0}, {2, 0, 4.0}, {2, 2, 4.0}}));
    EXPECT_EQ(tall.size, (dim<2>{6, 2}));
    EXPECT_EQ(tall.nonzeros.size(), 8u);
    EXPECT_EQ(tall.nonzeros.back(), (data_type::nonzero_type{5, 0, 4.0}));
    EXPECT_EQ((data_type{dim<2>{0, 3}, block}.size), (dim<2>{0, 6}));
}

TEST(MatrixData, MakesBlockDiagonalMatrices)
{
    const data_type block{{1.0, 2.0}};
    const data_type other{{3.0}, {0.0}};
    const std::vector<data_type> blocks{block, data_type{}, other};

    const auto repeated = data_type::diag(dim<2>{2, 3}, block);
    const auto listed = data_type::diag({block, other});
    const auto sequence = data_type::diag(blocks.begin(), blocks.end());

    EXPECT_EQ(repeated.size, (dim<2>{2, 6}));
    EXPECT_EQ(repeated.nonzeros, (entries{{0, 0, 1.0}, {0, 1, 2.0}, {1, 2, 1.0}, {1, 3, 2.0}}));
    EXPECT_EQ(listed.size, (dim<2>{3, 3}));
    EXPECT_EQ(listed.nonzeros, (entries{{0, 0, 1.0}, {0, 1, 2.0}, {1, 2, 3.0}}));
    EXPECT_EQ(sequence.size, listed.size);
    EXPECT_EQ(sequence.nonzeros, listed.nonzeros);
    EXPECT_EQ(data_type::diag(blocks.begin(), blocks.begin()).size, (dim<2>{}));
}

TEST(MatrixData, IsReadFromARange)
{
    struct range {
        size_t length(size_t direction) const { return direction == 0 ? 2 : 3; }
        double operator()(size_t row, size_t column) const { return row == column ? 0.0 : 10.0 * row + column; }
    };

    const data_type data{range{}};

    EXPECT_EQ(data.size, (dim<2>{2, 3}));
    EXPECT_EQ(data.nonzeros, (entries{{0, 1, 1.0}, {0, 2, 2.0}, {1, 0, 10.0}, {1, 2, 12.0}}));
}

/// Computes the singular values in descending order: the norms of the columns after rotations have
/// made them orthogonal (one-sided Jacobi).
std::vector<double> singular_values(const data_type& data)
{
    const auto n = data.size[0];
    std::vector<std::vector<double>> columns(n, std::vector<double>(n));
    for (const auto& entry : data.nonzeros) {
        columns[entry.column][entry.row] = entry.value;
    }
    const auto dot = [&](size_t p, size_t q) {
        return std::inner_product(columns[p].begin(), columns[p].end(), columns[q].begin(), 0.0);
    };
    constexpr auto num_sweeps = 20;  // many more than required
    for (auto sweep = 0; sweep < num_sweeps; ++sweep) {
        for (size_t p = 0; p < n; ++p) {
            for (size_t q = p + 1; q < n; ++q) {
                const auto angle = 0.5 * std::atan2(2 * dot(p, q), dot(p, p) - dot(q, q));
                for (size_t i = 0; i < n; ++i) {
                    const auto u = columns[p][i];
                    const auto v = columns[q][i];
                    columns[p][i] = std::cos(angle) * u + std::sin(angle) * v;
                    columns[q][i] = std::cos(angle) * v - std::sin(angle) * u;
                }
            }
        }
    }
    std::vector<double> result(n);
    for (size_t i = 0; i < n; ++i) {
        result[i] = std::sqrt(dot(i, i));
    }
    std::sort(result.rbegin(), result.rend());
    return result;
}

TEST(MatrixData, HasTheConditionNumberAskedFor)
{
    std::mt19937 engine{42};
    std::normal_distribution<double> distribution;
    constexpr size_t n = 5;

    const auto data = data_type::cond(n, 10000.0, distribution, engine);

    EXPECT_EQ(data.size, (dim<2>{n, n}));
    EXPECT_EQ(data.nonzeros.size(), n * n);
    const auto found = singular_values(data);
    const std::array<double, n> expected{100.0, 10.0, 1.0, 0.1, 0.01};
    // There are 8 reflections of vectors of 5 entries and less than 10 rotations of each column.
    constexpr auto tolerance = 100.0 * 8 * n * std::numeric_limits<double>::epsilon();
    for (size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(found[i], expected[i], tolerance);
    }
}

TEST(MatrixData, OfAConditionNumberIsMadeWithTheReflectorsAskedFor)
{
    std::mt19937 engine{42};
    std::uniform_real_distribution<double> distribution{-1.0, 1.0};

    const auto diagonal = data_type::cond(3, 4.0, distribution, engine, 0);
    const auto one = data_type::cond(1, 4.0, distribution, engine, 2);
    const auto no_reflection = data_type::cond(
        2, 4.0, [](auto&) { return 0.0; }, engine, 1);

    EXPECT_EQ(diagonal.nonzeros, (entries{{0, 0, 2.0}, {1, 1, 1.0}, {2, 2, 0.5}}));
    ASSERT_EQ(one.nonzeros.size(), 1u);
    EXPECT_NEAR(std::abs(one.nonzeros[0].value), 1.0, 8 * std::numeric_limits<double>::epsilon());
    EXPECT_EQ(no_reflection.nonzeros, (entries{{0, 0, 2.0}, {1, 1, 0.5}}));
    EXPECT_EQ(data_type::cond(0, 4.0, distribution, engine).size, (dim<2>{}));
    EXPECT_THROW_WITH(data_type::cond(3, 0.5, distribution, engine), spruce::NotSupported, "0.5");
    EXPECT_THROW(data_type::cond(3, spruce::nan<double>(), distribution, engine), spruce::NotSupported);
}

TEST(MatrixData, OfAConditionNumberIsComplexForComplexTypes)
{
    using complex = std::complex<float>;
    std::mt19937 engine{42};
    std::normal_distribution<float> distribution;

    const auto data = matrix_data<complex, int>::cond(2, 16.0f, distribution, engine);

    // The singular values are 4 and 1/4. Their product is |det|, and the sum of their squares is
    // that of all entries.
    ASSERT_EQ(data.nonzeros.size(), 4u);
    const auto& entry = data.nonzeros;
    const auto determinant = entry[0].value * entry[3].value - entry[1].value * entry[2].value;
    auto sum = 0.0f;
    auto has_imaginary_part = false;
    for (const auto& [row, column, value] : entry) {
        sum += std::norm(value);
        has_imaginary_part |= value.imag() != 0.0f;
    }
    constexpr auto tolerance =
        20.0f * 16.0f * std::numeric_limits<float>::epsilon();  // reflections of squares up to 16
    EXPECT_NEAR(std::abs(determinant), 1.0f, tolerance);
    EXPECT_NEAR(sum, 16.0f + 1.0f / 16.0f, tolerance);
    EXPECT_TRUE(has_imaginary_part);
}

TEST(MatrixData, SortsAndKeepsOrderOfEqualPlaces)
{
    data_type data{dim<2>{2, 2}};
    data.nonzeros = {{1, 1, 1.0}, {0, 1, 2.0}, {1, 1, 3.0}, {0, 0, 4.0}, {1, 0, 5.0}};

    data.sort_row_major();

    EXPECT_EQ(data.nonzeros, (entries{{0, 0, 4.0}, {0, 1, 2.0}, {1, 0, 5.0}, {1, 1, 1.0}, {1, 1, 3.0}}));
}

TEST(MatrixData, AddsUpDuplicatesAnywhere)
{
    data_type data{dim<2>{2, 2}};
    data.nonzeros = {{1, 1, 1.0}, {0, 1, 2.0}, {1, 1, 3.0}, {0, 1, 4.0}, {1, 1, 5.0}};
    data_type empty{dim<2>{2, 2}};

    data.sum_duplicates();
    empty.sum_duplicates();

    EXPECT_EQ(data.nonzeros, (entries{{0, 1, 6.0}, {1, 1, 9.0}}));
    EXPECT_TRUE(empty.nonzeros.empty());
}

TEST(MatrixData, RemovesZeros)
{
    data_type data{dim<2>{2, 2}};
    data.nonzeros = {{0, 0, 0.0}, {0, 1, 2.0}, {1, 0, -0.0}, {1, 1, spruce::nan<double>()}};

    data.remove_zeros();

    ASSERT_EQ(data.nonzeros.size(), 2u);
    EXPECT_EQ(data.nonzeros[0], (data_type::nonzero_type{0, 1, 2.0}));
}

TEST(MatrixDataEntry, ComparesPlaceAndValue)
{
    using entry = data_type::nonzero_type;

    EXPECT_TRUE((entry{0, 5, 1.0}) < (entry{1, 0, 1.0}));
    EXPECT_TRUE((entry{1, 0, 9.0}) < (entry{1, 1, 1.0}));
    EXPECT_FALSE((entry{1, 1, 1.0}) < (entry{1, 1, 2.0}));
    EXPECT_TRUE((entry{1, 1, 1.0}) != (entry{1, 1, 2.0}));
}

TEST(MatrixAssemblyData, AddsAndSetsInAnyOrder)
{
    spruce::matrix_assembly_data<double, int> data{dim<2>{3, 3}};

    data.add_value(2, 1, 1.0);
    data.add_value(0, 2, 4.0);
    data.add_value(2, 1, 0.5);
    data.set_value(0, 2, 7.0);
    data.set_value(1, 1, 0.0);

    EXPECT_EQ(data.get_size(), (dim<2>{3, 3}));
    EXPECT_EQ(data.get_num_stored_elements(), 3u);
    EXPECT_EQ(data.get_value(2, 1), 1.5);
    EXPECT_EQ(data.get_value(0, 0), 0.0);
    EXPECT_TRUE(data.contains(1, 1));
    EXPECT_FALSE(data.contains(0, 0));
    EXPECT_EQ(data.get_ordered_data().size, (dim<2>{3, 3}));
    EXPECT_EQ(data.get_ordered_data().nonzeros, (entries{{0, 2, 7.0}, {1, 1, 0.0}, {2, 1, 1.5}}));
}

TEST(MatrixAssemblyData, CanBeReadByMatrices)
{
    const auto ref = spruce::ReferenceExecutor::create();
    spruce::matrix_assembly_data<double, int> data{dim<2>{2, 2}};
    data.add_value(1, 0, 3.0);
    const auto csr = spruce::matrix::Csr<double, int>::create(ref);
    const auto dense = spruce::matrix::Dense<double>::create(ref);

    csr->read(data);
    dense->read(data);

    const auto expected = spruce::initialize<spruce::matrix::Dense<double>>({{0.0, 0.0}, {3.0, 0.0}}, ref);
    EXPECT_MTX_NEAR(csr, expected, 0.0);
    EXPECT_MTX_NEAR(dense, expected, 0.0);
}

class DeviceMatrixData : public ::testing::Test {
protected:
    using device_data = spruce::device_matrix_data<double, int>;

    std::vector<std::shared_ptr<spruce::Executor>> executors{spruce::test::all_executors()};
    data_type data{dim<2>{2, 3}, {{0, 1, 1.5}, {1, 2, -2.0}}};
};

TEST_F(DeviceMatrixData, GoesToEveryExecutorAndBack)
{
    for (const auto& exec : executors) {
        const auto device = device_data::create_from_host(exec, data);
        const device_data copy{executors[0], device};

        EXPECT_EQ(device.get_executor(), exec);
        EXPECT_EQ(device.get_size(), data.size);
        EXPECT_EQ(device.get_num_stored_elements(), 2u);
        EXPECT_EQ(device.copy_to_host().nonzeros, data.nonzeros);
        EXPECT_EQ(copy.get_executor(), executors[0]);
        EXPECT_EQ(copy.copy_to_host().nonzeros, data.nonzeros);
        EXPECT_EQ(copy.copy_to_host().size, data.size);
    }
}

TEST_F(DeviceMatrixData, IsMadeFromArraysOfOneLength)
{
    const auto ref = executors[0];
    const device_data made{ref, dim<2>{2, 3}, spruce::array<int>{ref, {0, 1}}, spruce::array<int>{ref, {1, 2}},
                           spruce::array<double>{ref, {1.5, -2.0}}};

    EXPECT_EQ(made.copy_to_host().nonzeros, data.nonzeros);
    EXPECT_THROW((device_data{ref, dim<2>{2, 3}, spruce::array<int>{ref, {0}}, spruce::array<int>{ref, {1, 2}},
                              spruce::array<double>{ref, {1.5, -2.0}}}),
                 spruce::ValueMismatch);
}

TEST_F(DeviceMatrixData, IsResizedFilledAndEmptied)
{
    for (const auto& exec : executors) {
        device_data device{exec};
        EXPECT_EQ(device.get_num_elems(), 0u);

        device.resize_and_reset(dim<2>{4, 4}, 3);
        device.fill_zero();

        EXPECT_EQ(device.get_size(), (dim<2>{4, 4}));
        EXPECT_EQ(device.copy_to_host().nonzeros, (entries(3, {0, 0, 0.0})));
        const auto values = device.get_values();
        const auto arrays = device.empty_out();
        EXPECT_EQ(arrays.values.get_const_data(), values);
        EXPECT_EQ(arrays.row_idxs.get_size(), 3u);
        EXPECT_EQ(device.get_num_stored_elements(), 0u);
        EXPECT_EQ(device.get_size(), (dim<2>{}));
    }
}

}  // namespace
