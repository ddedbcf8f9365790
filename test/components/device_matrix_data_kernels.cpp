// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests assembly on the executor: device_matrix_data has the results of matrix_data on the host.

#include <spruce/base/device_matrix_data.hpp>

#include <limits>
#include <random>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class Assembly : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using host_data = spruce::matrix_data<V, I>;
    using device_data = spruce::device_matrix_data<V, I>;

    /// Creates triples in random order. Every third value is zero, and sums of the others are
    /// rounded.
    host_data random_triples(dim<2> size, size_type num)
    {
        host_data data{size};
        std::uniform_int_distribution<I> row{0, static_cast<I>(size[0] - 1)};
        std::uniform_int_distribution<I> col{0, static_cast<I>(size[1] - 1)};
        std::normal_distribution<typename kernel_test<Types>::real> value;
        for (size_type i = 0; i < num; ++i) {
            data.nonzeros.emplace_back(row(this->engine), col(this->engine), i % 3 == 0 ? V{} : V(value(this->engine)));
        }
        return data;
    }

    device_data to_device(const host_data& data) const { return device_data::create_from_host(this->exec, data); }

    static void expect_equal(const device_data& actual, const host_data& expected)
    {
        EXPECT_EQ(actual.get_size(), expected.size);
        EXPECT_EQ(actual.get_num_stored_elements(), expected.nonzeros.size());
        EXPECT_TRUE(actual.copy_to_host().nonzeros == expected.nonzeros);
    }

    /// Returns matrices without entries, with sizes near the widths of warps and blocks, and with
    /// several tiles. Few, many or all entries share a position.
    std::vector<host_data> cases()
    {
        std::vector<host_data> result{host_data{dim<2>{}}, host_data{dim<2>{5, 0}}};
        for (const size_type num : {0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 5000, 20000}) {
            result.push_back(this->random_triples(dim<2>{70, 90}, num));
        }
        result.push_back(this->random_triples(dim<2>{1, 1}, 3000));
        result.push_back(this->random_triples(dim<2>{100000, 3}, 3000));
        result.push_back(this->random_triples(dim<2>{1, 100000}, 3000));
        result.push_back(this->random_triples(dim<2>{1 << 20, 700}, 5000));
        if constexpr (sizeof(I) == sizeof(spruce::int64)) {
            result.push_back(this->random_triples(dim<2>{size_type{1} << 40, size_type{1} << 35}, 5000));
        }
        return result;
    }
};
TYPED_TEST_SUITE(Assembly, value_and_index_types, type_names);

TYPED_TEST(Assembly, ByHand)
{
    auto data = this->to_device({dim<2>{2, 3}, {{1, 2, 1.0}, {0, 1, 5.0}, {1, 0, 0.0}, {1, 2, 2.0}, {0, 1, -5.0}}});

    data.sort_row_major();
    this->expect_equal(data, {dim<2>{2, 3}, {{0, 1, 5.0}, {0, 1, -5.0}, {1, 0, 0.0}, {1, 2, 1.0}, {1, 2, 2.0}}});
    data.sum_duplicates();
    this->expect_equal(data, {dim<2>{2, 3}, {{0, 1, 0.0}, {1, 0, 0.0}, {1, 2, 3.0}}});
    data.remove_zeros();
    this->expect_equal(data, {dim<2>{2, 3}, {{1, 2, 3.0}}});
}

TYPED_TEST(Assembly, SortsLikeTheHost)  // stable: values at one position show the order
{
    for (auto& one : this->cases()) {
        SCOPED_TRACE(one.nonzeros.size());
        auto data = this->to_device(one);
        one.sort_row_major();

        data.sort_row_major();
        this->expect_equal(data, one);
        data.sort_row_major();  // sorting again must not change the order
        this->expect_equal(data, one);
    }
}

TYPED_TEST(Assembly, LeavesViewedMemoryUnchanged)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto num_cols : {2, 200, 20000}) {  // an even and an odd number of passes
        auto host = this->random_triples(dim<2>{70, static_cast<size_type>(num_cols)}, 1000);
        const auto original = this->to_device(host);
        auto arrays = typename TestFixture::device_data{this->exec, original}.empty_out();
        auto data = typename TestFixture::device_data{this->exec, host.size, arrays.row_idxs.as_view(),
                                                      arrays.col_idxs.as_view(), arrays.values.as_view()};

        data.sort_row_major();

        host.sort_row_major();
        this->expect_equal(data, host);
        const typename TestFixture::device_data after{this->exec, host.size, array<I>{arrays.row_idxs},
                                                      array<I>{arrays.col_idxs}, array<V>{arrays.values}};
        this->expect_equal(after, original.copy_to_host());
    }
}

TYPED_TEST(Assembly, SumsDuplicatesToTheSameBitsAsTheHost)
{
    for (auto& one : this->cases()) {
        SCOPED_TRACE(one.nonzeros.size());
        auto data = this->to_device(one);
        one.sum_duplicates();

        data.sum_duplicates();
        this->expect_equal(data, one);
        data.sum_duplicates();
        this->expect_equal(data, one);
    }
}

TYPED_TEST(Assembly, RemovesZerosLikeTheHost)
{
    for (auto& one : this->cases()) {
        SCOPED_TRACE(one.nonzeros.size());
        auto data = this->to_device(one);
        one.remove_zeros();

        data.remove_zeros();
        this->expect_equal(data, one);
        data.remove_zeros();
        this->expect_equal(data, one);
    }
}

TYPED_TEST(Assembly, KeepsNanAndRemovesNegativeZero)
{
    using V = typename TypeParam::value_type;
    auto data = this->to_device({dim<2>{1, 2}, {{0, 0, spruce::nan<V>()}, {0, 1, V(-0.0)}}});

    data.remove_zeros();

    ASSERT_EQ(data.get_num_stored_elements(), 1u);
    EXPECT_EQ(data.copy_to_host().nonzeros[0].column, 0);
}

TYPED_TEST(Assembly, FeedsAMatrix)
{
    auto data = this->to_device({dim<2>{2, 2}, {{1, 1, 1.0}, {0, 1, 5.0}, {1, 1, 2.0}}});
    const auto csr = TestFixture::Csr::create(this->exec);

    data.sum_duplicates();
    csr->read(std::move(data));

    EXPECT_MTX_STORED_ALIKE(csr, this->csr({{0, 5}, {0, 3}}));
}

TYPED_TEST(Assembly, ThrowsOnIndicesOutsideAndChangesNothing)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using host_data = typename TestFixture::host_data;
    const std::pair<I, I> outside[] = {{2, 0}, {0, 3}, {-1, 0}, {0, -1}};
    for (const auto& [row, col] : outside) {
        typename TestFixture::device_data data{this->exec, dim<2>{2, 3}, array<I>{this->exec, {I{1}, row}},
                                               array<I>{this->exec, {I{1}, col}}, array<V>{this->exec, {V(1), V(2)}}};

        EXPECT_THROW(data.sort_row_major(), spruce::OutOfBoundsError);
        EXPECT_THROW(data.sum_duplicates(), spruce::OutOfBoundsError);
        this->expect_equal(data, host_data{dim<2>{2, 3}, {{1, 1, V(1)}, {row, col, V(2)}}});
    }
}

TYPED_TEST(Assembly, ThrowsWhereIndicesCannotCountTheEntries)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // Views claim to be longer than their memory, which is not accessed.
    const auto size = static_cast<size_type>(std::numeric_limits<I>::max()) + 1;
    V value{};
    I index{};
    typename TestFixture::device_data data{this->exec, dim<2>{70000, 70000}, array<I>::view(this->exec, size, &index),
                                           array<I>::view(this->exec, size, &index),
                                           array<V>::view(this->exec, size, &value)};

    EXPECT_THROW(data.sort_row_major(), spruce::OverflowError);
    EXPECT_THROW(data.sum_duplicates(), spruce::OverflowError);
    EXPECT_THROW(data.remove_zeros(), spruce::OverflowError);
    EXPECT_THROW(TestFixture::Csr::create(this->exec)->read(std::move(data)), spruce::OverflowError);
}

}  // namespace
