// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/validate.hpp>

#include <sstream>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::validate;

template <typename Types>
class Validation : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using data = spruce::matrix_data<V, I>;

    static std::string in_words(const spruce::matrix_report& report)
    {
        std::ostringstream text;
        text << report;
        return text.str();
    }
};
TYPED_TEST_SUITE(Validation, value_and_index_types, type_names);

TYPED_TEST(Validation, FindsNothingInAGoodMatrix)
{
    const typename TestFixture::data good{dim<2>{2, 3}, {{0, 0, 1}, {0, 2, 0}, {1, 1, 3}}};

    const auto report = validate(good);

    EXPECT_TRUE(report.is_valid());
    EXPECT_TRUE(report.is_sorted());
    EXPECT_TRUE(report.is_finite());
    EXPECT_FALSE(report.missing_diagonal);
    EXPECT_FALSE(report.zero_diagonal);
    EXPECT_EQ(this->in_words(report), "no faults");
    EXPECT_EQ(this->in_words(validate(typename TestFixture::data{dim<2>{0, 4}})), "no faults");
}

TYPED_TEST(Validation, FindsWhatIsOutOfOrderAndTwiceThere)
{
    const typename TestFixture::data sorted{dim<2>{2, 2}, {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {1, 1, 1}}};
    const typename TestFixture::data unsorted{dim<2>{2, 2}, {{1, 1, 1}, {0, 0, 2}, {1, 1, 3}, {1, 0, 4}, {0, 0, 5}}};

    EXPECT_EQ(this->in_words(validate(sorted)), "2 at the place of an earlier one (first: entry 1)");
    EXPECT_EQ(this->in_words(validate(unsorted)),
              "3 out of order (first: entry 1); 2 at the place of an earlier one (first: entry 2)");
    EXPECT_FALSE(validate(sorted).is_valid());
    EXPECT_TRUE(validate(sorted).is_sorted());
}

TYPED_TEST(Validation, FindsEntriesOutside)
{
    const typename TestFixture::data outside{dim<2>{2, 3}, {{-1, 0, 1}, {0, 0, 1}, {1, 1, 1}, {1, 3, 1}, {2, 2, 1}}};

    const auto report = validate(outside);

    EXPECT_EQ(this->in_words(report), "3 outside of the matrix (first: entry 0)");
    EXPECT_FALSE(report.is_valid());
}

TYPED_TEST(Validation, FindsValuesThatAreNotFinite)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto infinity = V(std::numeric_limits<real>::infinity());
    const typename TestFixture::data data{dim<2>{2, 2}, {{0, 0, 1}, {0, 1, infinity}, {1, 1, spruce::nan<V>()}}};

    const auto report = validate(data);

    EXPECT_EQ(this->in_words(report), "2 infinite or not a number (first: entry 1)");
    EXPECT_FALSE(report.is_finite());
}

TYPED_TEST(Validation, FindsWhatTheDiagonalLacks)
{
    const typename TestFixture::data data{dim<2>{4, 3}, {{0, 0, 1}, {1, 0, 5}, {2, 2, 0}, {3, 0, 1}}};

    const auto report = validate(data);

    EXPECT_EQ(this->in_words(report),
              "1 missing on the diagonal (first: row 1); 1 zero on the diagonal (first: row 2)");
    EXPECT_TRUE(report.is_valid());
}

TYPED_TEST(Validation, CountsTheFirstEntryOfEachRowOnTheDiagonal)
{
    const typename TestFixture::data data{dim<2>{4, 4},
                                          {{3, 3, 0}, {1, 1, 0}, {1, 1, 1}, {3, 3, 1}, {0, 0, 1}, {0, 0, 0}}};

    const auto report = validate(data);

    EXPECT_EQ(report.missing_diagonal.num, 1u);
    EXPECT_EQ(report.missing_diagonal.first, 2u);
    EXPECT_EQ(report.zero_diagonal.num, 2u);
    EXPECT_EQ(report.zero_diagonal.first, 1u);
}

TYPED_TEST(Validation, TakesNoMemoryForEmptyRows)
{
    using I = typename TypeParam::index_type;
    constexpr auto huge = std::numeric_limits<I>::max();
    const typename TestFixture::data data{dim<2>{huge, huge}, {{0, 0, 1}, {1, 1, 0}, {huge - 1, huge - 1, 1}}};

    const auto report = validate(data);

    EXPECT_EQ(report.missing_diagonal.num, spruce::size_type{huge} - 3);
    EXPECT_EQ(report.missing_diagonal.first, 2u);
    EXPECT_EQ(report.zero_diagonal.first, 1u);
    EXPECT_EQ(validate(typename TestFixture::data{dim<2>{huge, huge}}).missing_diagonal.first, 0u);
}

TYPED_TEST(Validation, LooksIntoMatrices)
{
    using I = typename TypeParam::index_type;
    using V = typename TypeParam::value_type;
    const auto unsorted =
        TestFixture::Csr::create(this->exec, dim<2>{2, 2}, spruce::array<V>{this->exec, {V(1), V(2), V(3)}},
                                 spruce::array<I>{this->exec, {1, 0, 1}}, spruce::array<I>{this->exec, {0, 2, 3}});

    EXPECT_EQ(this->in_words(validate(*unsorted)), "1 out of order (first: entry 1)");
    EXPECT_EQ(this->in_words(validate(*this->coo({{0, 1}, {1, 0}}))), "2 missing on the diagonal (first: row 0)");
    EXPECT_EQ(this->in_words(validate(*spruce::matrix::Ell<V, I>::create(this->exec))), "no faults");
}

TYPED_TEST(Validation, FindsFaultyPointersWithoutReadingEntries)
{
    using I = typename TypeParam::index_type;
    using V = typename TypeParam::value_type;
    const auto create = [&](std::initializer_list<I> row_ptrs) {
        return TestFixture::Csr::create(this->exec, dim<2>{3, 3}, spruce::array<V>{this->exec, {V(1), V(2)}},
                                        spruce::array<I>{this->exec, {0, 1}}, spruce::array<I>{this->exec, row_ptrs});
    };
    const auto what =
        " with pointers outside of the arrays or out of order, so that entries were not read (first: row ";

    EXPECT_EQ(this->in_words(validate(*create({0, 1, 5, 2}))), std::string("2") + what + "1)");
    EXPECT_EQ(this->in_words(validate(*create({0, 1, 0, 2}))), std::string("1") + what + "1)");
    EXPECT_EQ(this->in_words(validate(*create({0, 1, -1, 2}))), std::string("2") + what + "1)");
    EXPECT_EQ(this->in_words(validate(*create({1, 1, 2, 2}))), std::string("1") + what + "0)");
    EXPECT_EQ(this->in_words(validate(*create({0, 1, 1, 3}))), std::string("1") + what + "2)");
    EXPECT_FALSE(validate(*create({0, 1, 1, 3})).is_valid());
    EXPECT_FALSE(validate(*create({0, 1, 1, 1})).pointers);  // arrays may be longer
    EXPECT_FALSE(validate(*create({0, 1, 2, 2})).pointers);
}

TYPED_TEST(Validation, TakesArraysWithUnusedElementsAndMatricesWithoutRows)
{
    using I = typename TypeParam::index_type;
    using V = typename TypeParam::value_type;

    EXPECT_FALSE(validate(*TestFixture::Csr::create(this->exec, dim<2>{3, 3}, 10)).pointers);
    EXPECT_FALSE(validate(*TestFixture::Csr::create(this->exec)).pointers);
    EXPECT_FALSE(validate(*TestFixture::Csr::create(this->exec, dim<2>{0, 5}, 2)).pointers);
    EXPECT_FALSE((validate(*spruce::matrix::SparsityCsr<V, I>::create(this->exec, dim<2>{3, 3}, 10)).pointers));
    EXPECT_FALSE((validate(*spruce::matrix::Fbcsr<V, I>::create(this->exec, dim<2>{4, 4}, 8, 2)).pointers));
    EXPECT_FALSE((validate(*spruce::matrix::Sellp<V, I>::create(this->exec)).pointers));
}

TYPED_TEST(Validation, FindsFaultyPointersOfAllFormats)
{
    using I = typename TypeParam::index_type;
    using V = typename TypeParam::value_type;
    const auto good = this->csr({{1, 0}, {0, 2}, {3, 0}, {0, 4}});
    const auto sparsity = spruce::matrix::SparsityCsr<V, I>::create(this->exec);
    const auto blocks = spruce::matrix::Fbcsr<V, I>::create(this->exec, 2);
    const auto sellp = spruce::matrix::Sellp<V, I>::create(this->exec, dim<2>{}, 2, 1, 0);
    good->convert_to(sparsity);
    good->convert_to(blocks);
    good->convert_to(sellp);
    ASSERT_FALSE(validate(*sparsity).pointers);
    ASSERT_FALSE(validate(*blocks).pointers);
    ASSERT_FALSE(validate(*sellp).pointers);
    const auto set = [&](auto* element, auto value) {
        this->exec->copy_from(this->exec->get_master().get(), 1, &value, element);
    };

    set(sparsity->get_row_ptrs() + 3, I{9});
    set(blocks->get_row_ptrs() + 1, I{-1});
    set(sellp->get_slice_lengths() + 1, spruce::size_type{7});

    EXPECT_EQ(validate(*sparsity).pointers.first, 2u);
    EXPECT_EQ(validate(*blocks).pointers.first, 0u);
    EXPECT_EQ(validate(*sellp).pointers.first, 2u);
    set(sellp->get_slice_lengths() + 1, spruce::size_type{1});
    set(sellp->get_slice_sets() + 2, spruce::size_type{9});
    EXPECT_EQ(validate(*sellp).pointers.first, 2u);
}

}  // namespace
