// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/dim.hpp>

#include <sstream>

#include <gtest/gtest.h>

namespace {

using spruce::dim;
using spruce::span;

TEST(Dim, IsZeroByDefault)
{
    EXPECT_EQ(dim<2>{}, (dim<2>{0, 0}));
    EXPECT_FALSE(dim<2>{});
}

TEST(Dim, OneNumberStandsForAllDirections)
{
    EXPECT_EQ(dim<2>(3), (dim<2>{3, 3}));
    EXPECT_EQ(dim<3>(2), (dim<3>{2, 2, 2}));
}

TEST(Dim, TakesSignedNumbersAsTheyAre)
{
    const int rows = 4;
    const long cols = 5;

    const dim<2> size(rows, cols);

    EXPECT_EQ(size[0], 4u);
    EXPECT_EQ(size[1], 5u);
}

TEST(Dim, IsTrueIfNoSizeIsZero)
{
    EXPECT_TRUE((dim<2>{1, 2}));
    EXPECT_FALSE((dim<2>{1, 0}));
    EXPECT_FALSE((dim<2>{0, 1}));
}

TEST(Dim, ComparesEverySize)
{
    EXPECT_TRUE((dim<2>{1, 2}) != (dim<2>{1, 3}));
    EXPECT_TRUE((dim<2>{1, 2}) != (dim<2>{2, 2}));
    EXPECT_FALSE((dim<2>{1, 2}) != (dim<2>{1, 2}));
}

TEST(Dim, MultipliesAndTransposes)
{
    EXPECT_EQ((dim<2>{2, 3} * dim<2>{4, 5}), (dim<2>{8, 15}));
    EXPECT_EQ(transpose(dim<2>{2, 3}), (dim<2>{3, 2}));
}

TEST(Dim, CanBeWritten)
{
    dim<2> size{2, 3};
    size[1] = 7;
    std::ostringstream text;

    text << size;

    EXPECT_EQ(text.str(), "(2, 7)");
}

TEST(Dim, WorksAtCompileTime)
{
    static_assert(dim<2>{2, 3}[1] == 3);
    static_assert(dim<2>(4) == dim<2>(4, 4));
    static_assert(span{2, 5}.length() == 3);
}

TEST(Span, CoversOnePointOrARange)
{
    EXPECT_EQ(span{3}, (span{3, 4}));
    EXPECT_EQ((span{3, 7}).length(), 4u);
    EXPECT_TRUE((span{3, 3}).is_valid());
    EXPECT_FALSE((span{4, 3}).is_valid());
}

TEST(Span, ComparesEntirelyBefore)
{
    EXPECT_TRUE((span{0, 2}) < (span{3, 4}));
    EXPECT_FALSE((span{0, 2}) < (span{2, 4}));
    EXPECT_TRUE((span{0, 2}) <= (span{2, 4}));
    EXPECT_FALSE((span{0, 3}) <= (span{2, 4}));
    EXPECT_TRUE((span{3, 4}) > (span{0, 2}));
    EXPECT_TRUE((span{2, 4}) >= (span{0, 2}));
    EXPECT_TRUE((span{2, 4}) != (span{2, 5}));
}

}  // namespace
