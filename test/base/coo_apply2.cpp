// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that Coo::apply2() treats its operands as LinOp::apply() does, although it is not a
// function of LinOp.

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::clone;

template <typename Types>
class CooApply2 : public kernel_test<Types> {};
TYPED_TEST_SUITE(CooApply2, one_of_each_type, type_names);

TYPED_TEST(CooApply2, TakesOperandsFromOtherExecutors)
{
    for (const auto& other : all_executors()) {
        SCOPED_TRACE(other->get_description());
        const auto a = this->coo({{1, 2}, {3, 4}});
        const auto b = clone(other, this->dense({{1}, {1}}));
        const auto x = clone(other, this->dense({{10}, {20}}));
        const auto alpha = clone(other, this->dense({{-2}}));

        a->apply2(b, x);
        EXPECT_MTX_NEAR(x, this->dense({{13}, {27}}), 0.0);
        a->apply2(alpha, b, x);
        EXPECT_MTX_NEAR(x, this->dense({{7}, {13}}), 0.0);

        EXPECT_EQ(x->get_executor(), other);
    }
}

TYPED_TEST(CooApply2, RefusesWrongSizesAndLeavesTheResult)
{
    const auto a = this->coo({{1, 2, 3}, {4, 5, 6}});
    const auto b = this->dense({{1}, {1}, {1}});
    const auto x = this->dense({{5}, {6}});
    const auto scalar = this->dense({{1}});

    EXPECT_THROW_WITH(a->apply2(x, x), spruce::DimensionMismatch, "A is 2 x 3, but b is 2 x 1: b needs 3 rows");
    EXPECT_THROW_WITH(a->apply2(b, b), spruce::DimensionMismatch, "A is 2 x 3, but x is 3 x 1: x needs 2 rows");
    EXPECT_THROW_WITH(a->apply2(b, this->dense({{1, 1}, {1, 1}})), spruce::DimensionMismatch,
                      "b and x need as many columns");
    EXPECT_THROW_WITH(a->apply2(this->dense({{1, 2}}), b, x), spruce::DimensionMismatch, "alpha has to be 1 x 1");
    EXPECT_THROW(a->apply2(scalar, x, x), spruce::DimensionMismatch);
    EXPECT_THROW(a->apply2(scalar, b, b), spruce::DimensionMismatch);
    EXPECT_MTX_NEAR(x, this->dense({{5}, {6}}), 0.0);
}

TYPED_TEST(CooApply2, RefusesNullPointersAndOperandsThatAreNotDense)
{
    const auto a = this->coo({{1}});
    const auto b = this->dense({{1}});
    const auto x = this->dense({{7}});
    const std::unique_ptr<typename TestFixture::Dense> none;

    EXPECT_THROW_WITH(a->apply2(none, x), spruce::NotSupported, "a null pointer");
    EXPECT_THROW(a->apply2(b, none), spruce::NotSupported);
    EXPECT_THROW(a->apply2(none, b, x), spruce::NotSupported);
    EXPECT_THROW(a->apply2(b, none, x), spruce::NotSupported);
    EXPECT_THROW(a->apply2(b, b, none), spruce::NotSupported);
    EXPECT_THROW_WITH(a->apply2(a, x), spruce::NotSupported, "of type spruce::matrix::Coo<");
    EXPECT_THROW(a->apply2(b, a), spruce::NotSupported);
    EXPECT_THROW(a->apply2(a, b, x), spruce::NotSupported);
    EXPECT_MTX_NEAR(x, this->dense({{7}}), 0.0);
}

}  // namespace
