// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "common/numeric/partition_point.hpp"

#include <limits>

#include <gtest/gtest.h>

#include <spruce/base/types.hpp>

namespace {

using spruce::int32;
using spruce::kernels::partition_point;

TEST(PartitionPoint, IsTheFirstForWhichTheConditionDoesNotHold)
{
    for (int size = 0; size < 20; ++size) {
        for (int point = 0; point <= size; ++point) {
            EXPECT_EQ(partition_point(3, 3 + size, [&](int i) { return i < 3 + point; }), 3 + point) << size;
        }
    }
}

TEST(PartitionPoint, AsksOnlyForNumbersInTheRange)
{
    for (int size = 0; size < 20; ++size) {
        for (const bool holds : {false, true}) {
            partition_point(-5, -5 + size, [&](int i) {
                EXPECT_GE(i, -5);
                EXPECT_LT(i, -5 + size);
                return holds;
            });
        }
    }
}

TEST(PartitionPoint, WorksUpToTheLargestNumber)
{
    constexpr auto largest = std::numeric_limits<int32>::max();
    EXPECT_EQ(partition_point(int32{0}, largest, [](int32) { return true; }), largest);
    EXPECT_EQ(partition_point(int32{0}, largest, [=](int32 i) { return i < largest - 2; }), largest - 2);
}

TEST(PartitionPoint, OfAnEmptyRangeIsItsBegin)
{
    EXPECT_EQ(partition_point(4, 4, [](int) { return true; }), 4);
    EXPECT_EQ(partition_point(4, 2, [](int) { return true; }), 4);
}

}  // namespace
