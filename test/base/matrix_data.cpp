// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// matrix_data, matrix_assembly_data and device_matrix_data.

#include <spruce/base/matrix_data.hpp>

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
