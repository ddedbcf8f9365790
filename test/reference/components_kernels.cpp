// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/array_kernels.hpp"

#include <limits>
#include <vector>

#include <spruce/base/exception.hpp>

#include "test/reference/reference_test.hpp"

namespace {

using namespace spruce;

template <typename T>
class ReferenceArray : public ::testing::Test {
protected:
    std::shared_ptr<ReferenceExecutor> exec{ReferenceExecutor::create()};
    array<char> tmp{exec};
};

template <typename V>
class ReferenceValueArray : public ReferenceArray<V> {};
template <typename I>
class ReferenceIndexArray : public ReferenceArray<I> {
protected:
    size_type total{99};
};

TYPED_TEST_SUITE(ReferenceValueArray, test::value_types, );
TYPED_TEST_SUITE(ReferenceIndexArray, test::index_types, );

TYPED_TEST(ReferenceValueArray, FillStopsAtTheEnd)
{
    std::vector<TypeParam> data(4, TypeParam(1));

    kernels::components::fill_array<TypeParam>(*this->exec, data.data(), 3, test::number<TypeParam>(2, 5));

    const auto value = test::number<TypeParam>(2, 5);
    EXPECT_EQ(data, (std::vector<TypeParam>{value, value, value, 1}));
}

TYPED_TEST(ReferenceValueArray, ConvertsToOtherPrecisionAndBack)
{
    using Other = next_precision<TypeParam>;
    const std::vector<TypeParam> data{1, test::number<TypeParam>(2, -3)};
    std::vector<Other> other(2);
    std::vector<TypeParam> back(2);

    kernels::components::convert_array<TypeParam, Other>(*this->exec, data.data(), other.data(), 2);
    kernels::components::convert_array<Other, TypeParam>(*this->exec, other.data(), back.data(), 2);

    EXPECT_EQ(other[1], test::number<Other>(2, -3));
    EXPECT_EQ(back, data);
}

TYPED_TEST(ReferenceValueArray, ReduceAddsToResult)
{
    const std::vector<TypeParam> data{1, 2, test::number<TypeParam>(3, 1)};
    TypeParam result{10};

    kernels::components::reduce_add<TypeParam>(*this->exec, data.data(), 3, &result, this->tmp);

    EXPECT_EQ(result, test::number<TypeParam>(16, 1));
}

TYPED_TEST(ReferenceIndexArray, PrefixSumIsExclusiveAndEndsWithTotal)
{
    std::vector<TypeParam> counts{3, 0, 2, 99};

    kernels::components::prefix_sum<TypeParam>(*this->exec, counts.data(), 4, this->total);

    EXPECT_EQ(counts, (std::vector<TypeParam>{0, 3, 3, 5}));
    EXPECT_EQ(this->total, size_type{5});
}

TYPED_TEST(ReferenceIndexArray, PrefixSumOfOneElementIsZero)
{
    std::vector<TypeParam> counts{99};

    kernels::components::prefix_sum<TypeParam>(*this->exec, counts.data(), 0, this->total);
    EXPECT_EQ(counts[0], 99);
    EXPECT_EQ(this->total, size_type{0});
    kernels::components::prefix_sum<TypeParam>(*this->exec, counts.data(), 1, this->total);
    EXPECT_EQ(counts[0], 0);
}

TYPED_TEST(ReferenceIndexArray, PrefixSumThrowsWhereTotalDoesNotFit)
{
    constexpr auto largest = std::numeric_limits<TypeParam>::max();
    std::vector<TypeParam> fitting{largest - 1, 1, 0};
    std::vector<TypeParam> too_large{largest, 1, 0};

    EXPECT_NO_THROW(kernels::components::prefix_sum<TypeParam>(*this->exec, fitting.data(), 3, this->total));
    EXPECT_THROW(kernels::components::prefix_sum<TypeParam>(*this->exec, too_large.data(), 3, this->total),
                 OverflowError);
    EXPECT_EQ(fitting[2], largest);
}

TYPED_TEST(ReferenceIndexArray, ConvertsIndicesAndOffsetsWithEmptyRows)
{
    const std::vector<TypeParam> idxs{1, 1, 3};
    const std::vector<TypeParam> ptrs{0, 0, 2, 2, 3, 3};
    std::vector<TypeParam> new_ptrs(6, -1);
    std::vector<TypeParam> new_idxs(3, -1);

    kernels::components::convert_idxs_to_ptrs<TypeParam>(*this->exec, idxs.data(), 3, new_ptrs.data(), 5);
    kernels::components::convert_ptrs_to_idxs<TypeParam>(*this->exec, ptrs.data(), 5, new_idxs.data());

    EXPECT_EQ(new_ptrs, ptrs);
    EXPECT_EQ(new_idxs, idxs);
}

TYPED_TEST(ReferenceIndexArray, OffsetsWithoutIndicesAreZero)
{
    std::vector<TypeParam> ptrs(3, -1);

    kernels::components::convert_idxs_to_ptrs<TypeParam>(*this->exec, nullptr, 0, ptrs.data(), 2);

    EXPECT_EQ(ptrs, (std::vector<TypeParam>{0, 0, 0}));
}

}  // namespace
