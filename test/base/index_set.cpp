// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/index_set.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;

template <typename Types>
class IndexSet : public kernel_test<Types> {
protected:
    using I = typename Types::index_type;
    using index_set = spruce::index_set<I>;

    array<I> indices(const std::vector<I>& values) const { return array<I>{this->exec, values.begin(), values.end()}; }
    std::vector<I> copy(const I* data, size_type size) const
    {
        return array<I>{this->ref, array<I>::view(this->exec, size, const_cast<I*>(data))}.copy_to_host();
    }
};
TYPED_TEST_SUITE(IndexSet, index_types, type_names);

TYPED_TEST(IndexSet, KeepsRuns)
{
    using I = typename TypeParam::index_type;
    const typename TestFixture::index_set set{this->exec, 20, this->indices({9, 3, 4, 12, 5, 10, 3, 19})};

    EXPECT_EQ(set.get_size(), 20);
    EXPECT_EQ(set.get_num_elems(), 7);
    ASSERT_EQ(set.get_num_subsets(), 4u);
    EXPECT_FALSE(set.is_contiguous());
    EXPECT_EQ(this->copy(set.get_subsets_begin(), 4), (std::vector<I>{3, 9, 12, 19}));
    EXPECT_EQ(this->copy(set.get_subsets_end(), 4), (std::vector<I>{6, 11, 13, 20}));
    EXPECT_EQ(this->copy(set.get_superset_indices(), 5), (std::vector<I>{0, 3, 5, 6, 7}));
    EXPECT_EQ(set.to_global_indices().copy_to_host(), (std::vector<I>{3, 4, 5, 9, 10, 12, 19}));
}

TYPED_TEST(IndexSet, MapsBetweenLocalAndGlobalIndices)
{
    using I = typename TypeParam::index_type;
    const typename TestFixture::index_set set{this->exec, {3, 4, 9}, true};

    EXPECT_EQ(set.get_size(), 10);
    EXPECT_EQ(set.get_global_index(2), 9);
    EXPECT_EQ(set.get_local_index(4), 1);
    EXPECT_EQ(set.get_local_index(5), -1);
    EXPECT_TRUE(set.contains(3));
    EXPECT_FALSE(set.contains(-1));
    EXPECT_THROW(set.get_global_index(3), spruce::OutOfBoundsError);
    EXPECT_THROW(set.get_global_index(-1), spruce::OutOfBoundsError);
    EXPECT_EQ(set.map_global_to_local(this->indices({9, 2, 3, 10, 4, -5})).copy_to_host(),
              (std::vector<I>{2, -1, 0, -1, 1, -1}));
    EXPECT_EQ(set.map_local_to_global(this->indices({2, 0, 3, -1, 1})).copy_to_host(),
              (std::vector<I>{9, 3, -1, -1, 4}));
    EXPECT_EQ(set.contains(this->indices({9, 2, 3, 10})).copy_to_host(), (std::vector<bool>{true, false, true, false}));
}

TYPED_TEST(IndexSet, RefusesToCountMoreThanItsTypeCan)
{
    using I = typename TypeParam::index_type;
    using index_set = typename TestFixture::index_set;
    constexpr auto largest = std::numeric_limits<I>::max();

    EXPECT_THROW_WITH((index_set{this->exec, {3, largest}}), spruce::OverflowError,
                      "one more index than " + std::to_string(largest));
    const index_set set{this->exec, {3, largest - 1}};

    EXPECT_EQ(set.get_size(), largest);
    EXPECT_EQ(set.get_global_index(1), largest - 1);
}

TYPED_TEST(IndexSet, EmptySetHasNothing)
{
    using index_set = typename TestFixture::index_set;
    for (const auto& set : {index_set{this->exec}, index_set{this->exec, {}},
                            index_set{this->exec, 5, array<typename TypeParam::index_type>{this->exec}}}) {
        EXPECT_EQ(set.get_num_elems(), 0);
        EXPECT_EQ(set.get_num_subsets(), 0u);
        EXPECT_TRUE(set.is_contiguous());
        EXPECT_FALSE(set.contains(0));
        EXPECT_EQ(set.to_global_indices().get_size(), 0u);
        EXPECT_EQ(this->copy(set.get_superset_indices(), 1).front(), 0);
    }
}

TYPED_TEST(IndexSet, MatchesSortedSetOfRandomIndices)
{
    using I = typename TypeParam::index_type;
    for (const size_type num : {1, 31, 64, 257, 3000}) {
        std::vector<I> values(num);
        std::generate(values.begin(), values.end(), [&] { return static_cast<I>(this->engine() % 2000); });
        const std::set<I> expected(values.begin(), values.end());

        const typename TestFixture::index_set set{this->exec, 2000, this->indices(values)};

        const auto elements = set.to_global_indices();
        std::vector<I> numbers(expected.size());
        for (size_type i = 0; i < numbers.size(); ++i) {
            numbers[i] = static_cast<I>(i);
        }
        EXPECT_EQ(elements.copy_to_host(), std::vector<I>(expected.begin(), expected.end()));
        EXPECT_EQ(set.map_global_to_local(elements).copy_to_host(), numbers);
        EXPECT_EQ(set.get_num_elems(), static_cast<I>(expected.size()));
    }
}

TYPED_TEST(IndexSet, RefusesBadIndices)
{
    using index_set = typename TestFixture::index_set;

    EXPECT_THROW((index_set{this->exec, 5, this->indices({1, 5})}), spruce::OutOfBoundsError);
    EXPECT_THROW_WITH((index_set{this->exec, 5, this->indices({1, -1})}), spruce::OutOfBoundsError,
                      "index_set: index -1 at position 1, but indices have to be at least 0 and below 5");
    EXPECT_THROW((index_set{this->exec, -1, this->indices({1})}), spruce::OutOfBoundsError);
    EXPECT_THROW((index_set{this->exec, -1, this->indices({})}), spruce::OutOfBoundsError);
    EXPECT_THROW((index_set{this->exec, 5, this->indices({2, 1}), true}), spruce::ValueMismatch);
}

TYPED_TEST(IndexSet, CopiesMovesAndClears)
{
    using I = typename TypeParam::index_type;
    using index_set = typename TestFixture::index_set;
    const std::vector<I> elements{0, 1, 5};
    const index_set set{this->exec, 8, this->indices(elements)};

    const index_set on_reference{this->ref, set};
    index_set copy{set};
    index_set moved{std::move(copy)};

    EXPECT_EQ(on_reference.get_executor(), this->ref);
    EXPECT_EQ(on_reference.to_global_indices().copy_to_host(), elements);
    EXPECT_EQ(moved.to_global_indices().copy_to_host(), elements);
    EXPECT_EQ(moved.get_size(), 8);
    EXPECT_EQ(copy.get_num_elems(), 0);
    EXPECT_FALSE(copy.contains(0));
    moved.clear();
    EXPECT_EQ(moved.get_size(), 0);
    EXPECT_EQ(moved.get_num_subsets(), 0u);
}

}  // namespace
