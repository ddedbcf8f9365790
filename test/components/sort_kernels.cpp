// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/sort_kernels.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "common/numeric/radix_digits.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;

namespace components = spruce::kernels::components;

/// Lengths near the widths of warps, blocks and tiles of the radix sort, and several tiles.
const std::vector<size_type> lengths{0, 1, 2, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 4095, 4096, 4097, 13001, 70001};

template <typename Types>
class SortKeys : public kernel_test<Types> {
protected:
    using I = typename Types::index_type;

    std::vector<I> random_keys(size_type size, size_type bound)
    {
        std::uniform_int_distribution<size_type> distribution(0, bound - 1);
        std::vector<I> keys(size);
        std::generate(keys.begin(), keys.end(), [&] { return static_cast<I>(distribution(this->engine)); });
        return keys;
    }

    /// Tests sorting with positions that count from first_position, or with nullptr for 0.
    void expect_sorted(const std::vector<I>& keys, size_type bound, I first_position = 0)
    {
        const auto size = keys.size();
        std::vector<I> order(size);
        std::iota(order.begin(), order.end(), first_position);
        const array<I> device_keys{this->exec, keys.begin(), keys.end()};
        const array<I> positions{this->exec, order.begin(), order.end()};
        array<I> new_keys{this->exec, size};
        array<I> new_positions{this->exec, size};
        new_keys.fill(-1);
        new_positions.fill(-1);

        components::sort_keys<I>(*this->exec, device_keys.get_const_data(),
                                 first_position == 0 ? nullptr : positions.get_const_data(), size, bound,
                                 new_keys.get_data(), new_positions.get_data());

        auto expected_keys = keys;
        std::stable_sort(expected_keys.begin(), expected_keys.end());
        std::stable_sort(order.begin(), order.end(),
                         [&](I a, I b) { return keys[a - first_position] < keys[b - first_position]; });
        EXPECT_EQ(new_keys.copy_to_host(), expected_keys);
        EXPECT_EQ(new_positions.copy_to_host(), order);
        EXPECT_EQ(device_keys.copy_to_host(), keys);
    }
};
TYPED_TEST_SUITE(SortKeys, index_types, type_names);

TYPED_TEST(SortKeys, OfEveryLength)
{
    for (const auto length : lengths) {
        SCOPED_TRACE(length);
        this->expect_sorted(this->random_keys(length, 1000), 1000);
    }
}

TYPED_TEST(SortKeys, OfEveryNumberOfBits)  // one digit, several, an even and an odd number
{
    for (const size_type bound : std::vector<size_type>{1, 2, 3, 255, 256, 257, 65536, 65537, 1 << 20, 1 << 30}) {
        SCOPED_TRACE(bound);
        this->expect_sorted(this->random_keys(5000, bound), bound);
    }
}

TYPED_TEST(SortKeys, UpToTheLargestKey)
{
    using I = typename TypeParam::index_type;
    const auto largest = std::numeric_limits<I>::max();
    auto keys = this->random_keys(300, 10);
    keys[17] = largest;
    keys[205] = largest - 1;

    this->expect_sorted(keys, static_cast<size_type>(largest) + 1);
}

TYPED_TEST(SortKeys, CarriesGivenPositions)
{
    this->expect_sorted(this->random_keys(6000, 1), 1, 5);
    this->expect_sorted(this->random_keys(6000, 100), 100, 5);
    this->expect_sorted(this->random_keys(6000, 100000), 100000, 7);
}

TYPED_TEST(SortKeys, ThatAreSortedReversedOrEqual)
{
    using I = typename TypeParam::index_type;
    std::vector<I> keys(9001);
    std::iota(keys.begin(), keys.end(), I{});

    this->expect_sorted(keys, keys.size());
    std::reverse(keys.begin(), keys.end());
    this->expect_sorted(keys, keys.size());
    std::fill(keys.begin(), keys.end(), I{511});
    this->expect_sorted(keys, 512);
}

TEST(RadixDigits, CoverTheBitsOfTheBoundEvenly)
{
    const auto widths = [](size_type bound) {
        std::vector<int> result;
        int shift = 0;
        for (const auto digit : spruce::split_into_digits(spruce::num_bits_below(bound), 8)) {
            EXPECT_EQ(digit.shift, shift);
            shift += digit.num_bits;
            result.push_back(digit.num_bits);
        }
        return result;
    };

    EXPECT_EQ(widths(0), (std::vector<int>{}));
    EXPECT_EQ(widths(1), (std::vector<int>{}));
    EXPECT_EQ(widths(2), (std::vector<int>{1}));
    EXPECT_EQ(widths(256), (std::vector<int>{8}));
    EXPECT_EQ(widths(257), (std::vector<int>{5, 4}));
    EXPECT_EQ(widths(size_type{1} << 21), (std::vector<int>{7, 7, 7}));
    EXPECT_EQ(widths(~size_type{0}), (std::vector<int>(8, 8)));
}

}  // namespace
