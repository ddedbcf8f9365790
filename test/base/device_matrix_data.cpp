// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/device_matrix_data.hpp>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::int32;
using host_data = spruce::matrix_data<double, int32>;
using device_data = spruce::device_matrix_data<double, int32>;

class DeviceMatrixData : public ::testing::Test {
protected:
    const host_data triples{dim<2>{2, 3}, {{0, 0, 1.0}, {0, 2, 2.0}, {1, 1, 3.0}}};
};

TEST_F(DeviceMatrixData, GoesToAnyExecutorAndBack)
{
    for (const auto& exec : all_executors()) {
        for (const auto& other : all_executors()) {
            SCOPED_TRACE(exec->get_description() + " to " + other->get_description());
            const auto data = device_data::create_from_host(exec, triples);
            const device_data copy{other, data};

            EXPECT_EQ(data.get_executor(), exec);
            EXPECT_EQ(copy.get_executor(), other);
            EXPECT_EQ(copy.get_size(), triples.size);
            EXPECT_EQ(copy.get_num_stored_elements(), 3u);
            EXPECT_EQ(copy.get_num_elems(), 3u);
            EXPECT_EQ(copy.copy_to_host().nonzeros, triples.nonzeros);
        }
    }
}

TEST_F(DeviceMatrixData, TakesAndGivesItsArrays)
{
    for (const auto& exec : all_executors()) {
        device_data data{exec, dim<2>{2, 2}, array<int32>{exec, {0, 1}}, array<int32>{exec, {1, 0}},
                         array<double>{exec, {5.0, 6.0}}};
        const auto values = data.get_const_values();
        EXPECT_EQ(data.get_values(), values);
        EXPECT_EQ(data.get_row_idxs(), data.get_const_row_idxs());
        EXPECT_EQ(data.get_col_idxs(), data.get_const_col_idxs());

        const auto arrays = data.empty_out();

        EXPECT_EQ(arrays.values.get_const_data(), values);
        EXPECT_EQ(arrays.row_idxs.copy_to_host(), (std::vector<int32>{0, 1}));
        EXPECT_EQ(arrays.col_idxs.copy_to_host(), (std::vector<int32>{1, 0}));
        EXPECT_EQ(data.get_size(), (dim<2>{}));
        EXPECT_EQ(data.get_num_stored_elements(), 0u);
    }
}

TEST_F(DeviceMatrixData, ThrowsOnEntriesOutsideTheMatrixAndNamesThem)
{
    using Csr = spruce::matrix::Csr<double, int32>;
    const auto exec = spruce::ReferenceExecutor::create();
    const auto matrix = Csr::create(exec);
    matrix->read(triples);
    for (const auto& [row, column] : {std::pair{2, 0}, std::pair{0, 3}, std::pair{-1, 0}, std::pair{0, -1}}) {
        auto wrong = triples;
        wrong.nonzeros[1] = {row, column, 1.0};
        const auto place = "entry 1 is at (" + std::to_string(row) + ", " + std::to_string(column) + ")";

        try {
            matrix->read(wrong);
            ADD_FAILURE() << place << " was accepted";
        } catch (const spruce::OutOfBoundsError& error) {
            EXPECT_NE(std::string(error.what()).find(place + ", but the matrix is 2 x 3"), std::string::npos)
                << error.what();
        }
    }
    host_data after;
    matrix->write(after);
    EXPECT_EQ(after.nonzeros, triples.nonzeros);
}

TEST_F(DeviceMatrixData, ThrowsOnArraysOfDifferentLength)
{
    const auto exec = all_executors().back();
    const array<int32> two{exec, {0, 1}};
    const array<int32> three{exec, {0, 1, 1}};
    const array<double> values{exec, {1.0, 2.0}};

    EXPECT_THROW((device_data{exec, dim<2>{2, 2}, three, two, values}), spruce::ValueMismatch);
    EXPECT_THROW((device_data{exec, dim<2>{2, 2}, two, three, values}), spruce::ValueMismatch);
}

TEST_F(DeviceMatrixData, IsFilledAndResized)
{
    for (const auto& exec : all_executors()) {
        auto data = device_data::create_from_host(exec, triples);

        data.fill_zero();
        EXPECT_EQ(data.copy_to_host().nonzeros,
                  (std::vector<host_data::nonzero_type>{{0, 0, 0.0}, {0, 0, 0.0}, {0, 0, 0.0}}));
        data.resize_and_reset(dim<2>{5, 6}, 7);
        EXPECT_EQ(data.get_size(), (dim<2>{5, 6}));
        EXPECT_EQ(data.get_num_stored_elements(), 7u);
        data.resize_and_reset(0);
        EXPECT_EQ(data.get_size(), (dim<2>{5, 6}));
        EXPECT_TRUE(data.copy_to_host().nonzeros.empty());
    }
}

TEST_F(DeviceMatrixData, FeedsMatricesOnOtherExecutors)
{
    for (const auto& exec : all_executors()) {
        for (const auto& other : all_executors()) {
            const auto data = device_data::create_from_host(other, triples);
            const auto csr = spruce::matrix::Csr<double, int32>::create(exec);
            const auto coo = spruce::matrix::Coo<double, int32>::create(exec);
            const auto dense = spruce::matrix::Dense<double>::create(exec);

            csr->read(data);
            coo->read(data);
            dense->read(data);

            const auto expected = spruce::initialize<spruce::matrix::Dense<double>>({{1, 0, 2}, {0, 3, 0}}, exec);
            EXPECT_MTX_NEAR(csr, expected, 0.0);
            EXPECT_MTX_NEAR(coo, expected, 0.0);
            EXPECT_MTX_NEAR(dense, expected, 0.0);
            csr->read(device_data{data});  // takes over the data and moves it to the executor of the matrix
            EXPECT_MTX_NEAR(csr, expected, 0.0);
            EXPECT_EQ(data.get_num_stored_elements(), 3u);
        }
    }
}

TEST_F(DeviceMatrixData, AreReadWithoutACopyOfWhatAMatrixDoesNotKeep)
{
    for (const auto& exec : all_executors()) {
        const auto data = device_data::create_from_host(exec, triples);
        const auto num_allocations = [&](auto run) {
            const auto before = exec->get_counters();
            run();
            return (exec->get_counters() - before).allocations;
        };
        const auto expect_few_allocations = [&](auto matrix, spruce::size_type num_arrays) {
            auto taken = data;
            const auto when_taken = num_allocations([&] { matrix->read(std::move(taken)); });
            const auto when_copied_in_place = num_allocations([&] { matrix->read(data); });
            matrix->clear();
            const auto when_copied = num_allocations([&] { matrix->read(data); });

            EXPECT_EQ(when_copied_in_place, when_taken);
            EXPECT_EQ(when_copied, when_taken + num_arrays);
        };

        expect_few_allocations(spruce::matrix::Csr<double, int32>::create(exec), 2);
        expect_few_allocations(spruce::matrix::Coo<double, int32>::create(exec), 3);
    }
}

TEST_F(DeviceMatrixData, SumsOfArraysGoToAnyExecutor)
{
    for (const auto& exec : all_executors()) {
        for (const auto& other : all_executors()) {
            const array<int32> values{exec, {1, 2, 3}};
            array<int32> result{other, {10}};

            reduce_add(values, result);

            EXPECT_EQ(result.copy_to_host(), (std::vector<int32>{16}));
            EXPECT_EQ(result.get_executor(), other);
        }
    }
}

}  // namespace
