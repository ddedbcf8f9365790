// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/array_kernels.hpp"

#include <numeric>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;

namespace components = spruce::kernels::components;

/// Lengths near the widths of warps and blocks, and long enough for several rounds of blocks.
const std::vector<size_type> lengths{0,   1,   2,   3,   31,  32,   33,   63,   64,   65,   255,
                                     256, 257, 511, 512, 513, 1023, 1024, 1025, 5000, 70001};

template <typename Types>
class ArrayKernels : public kernel_test<Types> {};
TYPED_TEST_SUITE(ArrayKernels, value_types, type_names);

TYPED_TEST(ArrayKernels, Fill)
{
    using V = typename TypeParam::value_type;
    for (const auto length : lengths) {
        array<V> values{this->exec, length};

        values.fill(V(2.5));

        EXPECT_EQ(values.copy_to_host(), std::vector<V>(length, V(2.5)));
    }
}

TYPED_TEST(ArrayKernels, FillTypesWithoutArithmetic)
{
    array<char> chars{this->exec, 1000};
    array<unsigned char> bytes{this->exec, 1000};
    array<size_type> sizes{this->exec, 1000};

    chars.fill('x');
    bytes.fill(200);
    sizes.fill(size_type{1} << 40);

    EXPECT_EQ(chars.copy_to_host(), std::vector<char>(1000, 'x'));
    EXPECT_EQ(bytes.copy_to_host(), std::vector<unsigned char>(1000, 200));
    EXPECT_EQ(sizes.copy_to_host(), std::vector<size_type>(1000, size_type{1} << 40));
}

TYPED_TEST(ArrayKernels, Conjugates)
{
    using V = typename TypeParam::value_type;
    for (const auto length : lengths) {
        std::vector<V> numbers(length);
        std::vector<V> expected(length);
        for (size_type i = 0; i < length; ++i) {
            const auto size = static_cast<spruce::remove_complex<V>>(i);
            numbers[i] = expected[i] = size;
            if constexpr (spruce::is_complex<V>()) {
                numbers[i] = V(size, 1 - size);
                expected[i] = V(size, size - 1);
            }
        }
        array<V> values{this->exec, numbers.begin(), numbers.end()};
        array<V> conjugates{this->exec, length};

        components::conjugate_array<V>(*this->exec, values.get_const_data(), conjugates.get_data(), length);
        components::conjugate_array<V>(*this->exec, values.get_const_data(), values.get_data(), length);

        EXPECT_EQ(conjugates.copy_to_host(), expected);
        EXPECT_EQ(values.copy_to_host(), expected);
    }
}

TYPED_TEST(ArrayKernels, RepeatsAnElement)
{
    using V = typename TypeParam::value_type;
    const array<V> value{this->exec, {V(3)}};
    for (const auto length : lengths) {
        array<V> values{this->exec, length};

        components::repeat_element<V>(*this->exec, value.get_const_data(), values.get_data(), length);

        EXPECT_EQ(values.copy_to_host(), std::vector<V>(length, V(3)));
    }
}

TYPED_TEST(ArrayKernels, ConvertPrecision)
{
    using V = typename TypeParam::value_type;
    using other = spruce::next_precision<V>;
    for (const auto length : lengths) {
        std::vector<V> expected(length);
        for (size_type i = 0; i < length; ++i) {
            expected[i] = V(static_cast<double>(i));  // exact in both precisions
        }
        const array<V> values{this->exec, expected.begin(), expected.end()};
        array<other> converted{this->exec};
        array<V> back{this->exec};

        converted = values;
        back = converted;

        EXPECT_EQ(back.copy_to_host(), expected);
        EXPECT_EQ(converted.get_size(), length);
    }
}

TYPED_TEST(ArrayKernels, AbsoluteValues)
{
    using V = typename TypeParam::value_type;
    using real = spruce::remove_complex<V>;
    for (const auto length : lengths) {
        std::vector<V> input(length);
        std::vector<V> expected(length);
        std::vector<real> expected_real(length);
        for (size_type i = 0; i < length; ++i) {
            const auto factor = static_cast<real>(i % 9);
            if constexpr (spruce::is_complex<V>()) {
                input[i] = V(3 * factor, -4 * factor);
                expected_real[i] = 5 * factor;
            } else {
                input[i] = i % 2 == 0 ? -factor : factor;
                expected_real[i] = factor;
            }
            expected[i] = expected_real[i];
        }
        array<V> values{this->exec, input.begin(), input.end()};
        array<real> reals{this->exec, length};

        components::absolute_array<V, real>(*this->exec, values.get_const_data(), reals.get_data(), length);
        components::absolute_array<V, V>(*this->exec, values.get_const_data(), values.get_data(), length);

        EXPECT_EQ(reals.copy_to_host(), expected_real);
        EXPECT_EQ(values.copy_to_host(), expected);
    }
}

TYPED_TEST(ArrayKernels, AddUp)
{
    using V = typename TypeParam::value_type;
    for (const auto length : lengths) {
        std::vector<V> values(length);
        for (size_type i = 0; i < length; ++i) {
            values[i] = V(static_cast<double>(i % 7) - 2.0);  // sums are exact in both precisions
        }
        const auto expected = std::accumulate(values.begin(), values.end(), V(10));

        EXPECT_EQ(reduce_add(array<V>{this->exec, values.begin(), values.end()}, V(10)), expected) << length;
    }
}

TYPED_TEST(ArrayKernels, AddUpToTheSameBits)
{
    using V = typename TypeParam::value_type;
    const auto values = this->random_dense(40001, 1);
    const auto view = spruce::make_array_view(values->get_executor(), 40001, values->get_values());

    const auto sum = reduce_add(view);

    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(reduce_add(view), sum);
    }
    EXPECT_NEAR(spruce::abs(sum - reduce_add(array<V>{this->ref, view})), 0.0, this->tolerance_of_sum(40001));
}

TYPED_TEST(ArrayKernels, AddUpIntoAnArray)
{
    using V = typename TypeParam::value_type;
    const array<V> values{this->exec, {V(1), V(2), V(4)}};
    array<V> result{this->exec, {V(10)}};
    array<V> host_result{this->ref, {V(20)}};

    reduce_add(values, result);
    reduce_add(values, host_result);

    EXPECT_EQ(result.copy_to_host(), std::vector<V>{V(17)});
    EXPECT_EQ(host_result.copy_to_host(), std::vector<V>{V(27)});
}

template <typename Types>
class IndexKernels : public kernel_test<Types> {
protected:
    using I = typename Types::index_type;

    std::vector<I> prefix_sum_of(const std::vector<I>& counts) const
    {
        array<I> values{this->exec, counts.begin(), counts.end()};
        size_type total{99};
        components::prefix_sum<I>(*this->exec, values.get_data(), values.get_size(), total);
        const auto sums = values.copy_to_host();
        EXPECT_EQ(total, sums.empty() ? size_type{} : static_cast<size_type>(sums.back()));
        return sums;
    }
};
TYPED_TEST_SUITE(IndexKernels, index_types, type_names);

TYPED_TEST(IndexKernels, FindTheMaximum)
{
    using I = typename TypeParam::index_type;
    for (const auto length : lengths) {
        for (const auto place : {size_type{}, length / 2, length == 0 ? length : length - 1}) {
            std::vector<I> values(length);
            for (size_type i = 0; i < length; ++i) {
                values[i] = static_cast<I>(i == place ? 1000000 : i % 7);
            }
            I maximum{-1};

            components::compute_max<I>(*this->exec, array<I>{this->exec, values.begin(), values.end()}.get_const_data(),
                                       length, maximum);

            EXPECT_EQ(maximum, length == 0 ? 0 : 1000000) << length;
        }
    }
}

TYPED_TEST(IndexKernels, SequenceCountsUp)
{
    using I = typename TypeParam::index_type;
    for (const auto length : lengths) {
        std::vector<I> expected(length);
        std::iota(expected.begin(), expected.end(), I{});
        array<I> numbers{this->exec, length};

        components::fill_sequence<I>(*this->exec, numbers.get_data(), length);

        EXPECT_EQ(numbers.copy_to_host(), expected);
    }
}

TYPED_TEST(IndexKernels, PrefixSumByHand)
{
    using I = typename TypeParam::index_type;

    // The last count is not added: its position receives the total.
    EXPECT_EQ(this->prefix_sum_of({3, 0, 2, 99}), (std::vector<I>{0, 3, 3, 5}));
}

TYPED_TEST(IndexKernels, PrefixSumOfEveryLength)
{
    using I = typename TypeParam::index_type;
    std::uniform_int_distribution<int> count{0, 9};
    for (const auto length : lengths) {
        std::vector<I> counts(length);
        for (auto& value : counts) {
            value = static_cast<I>(count(this->engine));
        }
        std::vector<I> expected(length);
        for (size_type i = 1; i < length; ++i) {
            expected[i] = expected[i - 1] + counts[i - 1];
        }

        EXPECT_EQ(this->prefix_sum_of(counts), expected) << length;
    }
}

TYPED_TEST(IndexKernels, PrefixSumReachesLargestIndex)
{
    using I = typename TypeParam::index_type;
    constexpr auto max = std::numeric_limits<I>::max();

    EXPECT_EQ(this->prefix_sum_of({max - 5, 5, 0, 0}), (std::vector<I>{0, max - 5, max, max}));
    EXPECT_EQ(this->prefix_sum_of({1, max - 1, 77}), (std::vector<I>{0, 1, max}));
}

TYPED_TEST(IndexKernels, PrefixSumThrowsWhereTotalDoesNotFit)
{
    using I = typename TypeParam::index_type;
    constexpr auto max = std::numeric_limits<I>::max();

    EXPECT_THROW(this->prefix_sum_of({max, 1, 0}), spruce::OverflowError);
    EXPECT_THROW(this->prefix_sum_of({max, max, 0}), spruce::OverflowError);
    EXPECT_THROW(this->prefix_sum_of(std::vector<I>(5000, max / 4000)), spruce::OverflowError);
    if constexpr (sizeof(I) == 4) {  // totals that are small positive numbers again modulo 2^32
        EXPECT_THROW(this->prefix_sum_of({max, max, 3, 0}), spruce::OverflowError);
        EXPECT_THROW(this->prefix_sum_of(std::vector<I>(4002, max / 1000)), spruce::OverflowError);
    }
}

TYPED_TEST(IndexKernels, IndicesToOffsetsByHand)
{
    using I = typename TypeParam::index_type;
    const array<I> idxs{this->exec, {1, 1, 3}};
    array<I> ptrs{this->exec, 6};
    ptrs.fill(-1);

    components::convert_idxs_to_ptrs<I>(*this->exec, idxs.get_const_data(), 3, ptrs.get_data(), 5);

    EXPECT_EQ(ptrs.copy_to_host(), (std::vector<I>{0, 0, 2, 2, 3, 3}));
}

TYPED_TEST(IndexKernels, OffsetsToIndicesAndBackOnEveryCase)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto num_rows = one.data.size[0];
        const auto csr = make_csr<V, I>(this->exec, one.data);
        const auto nnz = csr->get_num_stored_elements();
        std::vector<I> expected_idxs;
        for (const auto& entry : one.data.nonzeros) {
            expected_idxs.push_back(static_cast<I>(entry.row));
        }
        array<I> idxs{this->exec, nnz};
        array<I> ptrs{this->exec, num_rows + 1};
        idxs.fill(-1);
        ptrs.fill(-1);

        components::convert_ptrs_to_idxs<I>(*this->exec, csr->get_const_row_ptrs(), num_rows, idxs.get_data());
        components::convert_idxs_to_ptrs<I>(*this->exec, idxs.get_const_data(), nnz, ptrs.get_data(), num_rows);

        EXPECT_EQ(idxs.copy_to_host(), expected_idxs);
        const auto expected_ptrs = spruce::make_array_view(csr->get_executor(), num_rows + 1, csr->get_row_ptrs());
        EXPECT_EQ(ptrs.copy_to_host(), expected_ptrs.copy_to_host());
    }
}

TYPED_TEST(IndexKernels, OffsetsToIndicesWithManyEmptyAndOneLongRow)
{
    using I = typename TypeParam::index_type;
    for (const size_type long_row : {0, 40000, 79999}) {
        std::vector<I> ptrs{0};
        std::vector<I> expected;
        for (size_type row = 0; row < 80000; ++row) {
            const size_type length = row == long_row ? 300000 : row % 9000 < 5000 ? 0 : row % 5;
            expected.insert(expected.end(), length, static_cast<I>(row));
            ptrs.push_back(static_cast<I>(expected.size()));
        }
        const array<I> device_ptrs{this->exec, ptrs.begin(), ptrs.end()};
        array<I> idxs{this->exec, expected.size()};
        idxs.fill(-1);

        components::convert_ptrs_to_idxs<I>(*this->exec, device_ptrs.get_const_data(), 80000, idxs.get_data());

        EXPECT_EQ(idxs.copy_to_host(), expected) << long_row;
    }
}

TYPED_TEST(IndexKernels, ConvertIndexType)
{
    using I = typename TypeParam::index_type;
    using other = std::conditional_t<std::is_same_v<I, spruce::int32>, spruce::int64, spruce::int32>;
    const array<I> values{this->exec, {0, 1, -7, 2147483647}};
    array<other> converted{this->exec};

    converted = values;

    EXPECT_EQ(converted.copy_to_host(), (std::vector<other>{0, 1, -7, 2147483647}));
}

TYPED_TEST(IndexKernels, AddUp)
{
    using I = typename TypeParam::index_type;
    const array<I> values{this->exec, {5, -7, 100}};

    EXPECT_EQ(reduce_add(values, I{1}), 99);
}

}  // namespace
