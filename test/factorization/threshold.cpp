// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the selection of the largest entries, and the candidates for the pattern of incomplete
// factors.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "core/factorization/threshold_selection.hpp"
#include "core/factorization/triangles.hpp"
#include "test/factorization/factorization_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;
using spruce::uint64;
using spruce::factorization::detail::bits_of_bucket;
using spruce::factorization::detail::entry_threshold;
using spruce::factorization::detail::entry_view;
using spruce::factorization::detail::find_diagonal;
using spruce::factorization::detail::select_largest;
using spruce::factorization::detail::tie_rank;
namespace threshold = spruce::kernels::threshold;

template <typename Types>
class Threshold : public factorization_test<Types> {
protected:
    using typename factorization_test<Types>::V;
    using typename factorization_test<Types>::I;
    using real = spruce::remove_complex<V>;

    /// Holds entries of a matrix.
    struct entry_list {
        void add(size_type row, size_type col, real value)
        {
            rows.push_back(static_cast<I>(row));
            cols.push_back(static_cast<I>(col));
            values.push_back(value);
        }
        /// Returns the order of an entry by |value|, and by its tie rank among equal ones.
        auto order_of(size_type nz, int num_bits) const
        {
            const auto size = std::abs(values[nz]);
            int exponent{};
            const auto fraction = std::frexp(size, &exponent);
            const auto rounded = std::isfinite(size)
                                     ? std::ldexp(std::floor(std::ldexp(fraction, num_bits)), exponent - num_bits)
                                     : size;
            return std::tuple{std::isnan(size), std::isnan(size) ? real{} : rounded, tie_rank(rows[nz], cols[nz])};
        }

        std::vector<I> rows;
        std::vector<I> cols;
        std::vector<real> values;
    };

    /// Puts the values into the first row or the first column.
    static entry_list entries_of(const std::vector<real>& values, bool upper)
    {
        entry_list result;
        for (size_type i = 0; i < values.size(); ++i) {
            upper ? result.add(0, i + 1, values[i]) : result.add(i + 1, 0, values[i]);
        }
        return result;
    }

    /// Returns the flags of the entries of a triangle that are selected.
    std::vector<I> select(const entry_list& entries, bool upper, size_type count, bool is_approximate) const
    {
        const auto num = entries.values.size();
        const array<I> rows{this->exec, entries.rows.begin(), entries.rows.end()};
        const array<I> cols{this->exec, entries.cols.begin(), entries.cols.end()};
        const array<real> sizes{this->exec, entries.values.begin(), entries.values.end()};
        const entry_view<V, I> view{num, rows.get_const_data(), cols.get_const_data(), sizes.get_const_data()};
        array<size_type> counts{this->exec};
        const auto found = select_largest(view, upper, count, is_approximate, counts);
        const entry_threshold none{found.mask, ~uint64{}, ~uint64{}};
        array<I> flags{this->exec, num};
        flags.fill(I{-1});
        threshold::mark_largest<V, I>(*this->exec, view, upper ? none : found, upper ? found : none, flags.get_data());
        const array<I> host{this->ref, flags};
        return {host.get_const_data(), host.get_const_data() + num};
    }

    /// Compares a selection with the first entries of a sorted list.
    void expect_largest(const entry_list& entries, bool upper, size_type count, bool is_approximate = false) const
    {
        SCOPED_TRACE(testing::Message() << count << " of " << entries.values.size() << (upper ? " above" : " below")
                                        << " the diagonal" << (is_approximate ? ", approximately" : ""));
        constexpr auto all_bits = std::numeric_limits<real>::digits;
        constexpr auto bits_of_exponent = 8 * static_cast<int>(sizeof(real)) - all_bits;
        const auto num_bits = is_approximate ? 2 * bits_of_bucket - bits_of_exponent : all_bits;
        std::vector<size_type> order;
        std::vector<I> expected(entries.values.size());
        for (size_type nz = 0; nz < entries.values.size(); ++nz) {
            expected[nz] = entries.rows[nz] == entries.cols[nz];
            if (upper ? entries.rows[nz] < entries.cols[nz] : entries.rows[nz] > entries.cols[nz]) {
                order.push_back(nz);
            }
        }
        const auto num_selected = std::min(count, order.size());
        std::nth_element(
            order.begin(), order.begin() + static_cast<std::ptrdiff_t>(num_selected), order.end(),
            [&](size_type a, size_type b) { return entries.order_of(a, num_bits) > entries.order_of(b, num_bits); });
        for (size_type i = 0; i < num_selected; ++i) {
            expected[order[i]] = 1;
        }

        EXPECT_TRUE(this->select(entries, upper, count, is_approximate) == expected);
    }

    void expect_largest_of(const std::vector<real>& values, bool try_approximate = true) const
    {
        const auto num = values.size();
        for (const auto upper : {false, true}) {
            const auto entries = entries_of(values, upper);
            for (const auto count : {size_type{}, size_type{1}, num / 3, num - 1, num, num + 5}) {
                this->expect_largest(entries, upper, count);
                if (try_approximate) {
                    this->expect_largest(entries, upper, count, true);
                }
            }
        }
    }

    std::vector<real> random_values(size_type num)
    {
        std::normal_distribution<real> distribution;
        std::vector<real> result(num);
        std::generate(result.begin(), result.end(), [&] { return distribution(this->engine); });
        return result;
    }
};
TYPED_TEST_SUITE(Threshold, value_and_index_types, type_names);

TYPED_TEST(Threshold, SelectsTheLargestOfRandomValues)
{
    for (const size_type num : {1, 2, 31, 32, 33, 64, 65, 1000, 5000}) {
        this->expect_largest_of(this->random_values(num));
    }
}

TYPED_TEST(Threshold, SelectsByTheLastBits)
{
    using real = typename TestFixture::real;
    std::vector<real> values;
    for (int i = 0; i < 300; ++i) {
        values.push_back(1 + static_cast<real>((i * 77) % 300) * std::numeric_limits<real>::epsilon());
    }
    this->expect_largest_of(values);
}

TYPED_TEST(Threshold, SelectsAmongEqualValues)
{
    using real = typename TestFixture::real;
    this->expect_largest_of(std::vector<real>(2000, real{0.3f}));
    this->expect_largest_of(std::vector<real>(100, real{}));
    std::vector<real> values;
    for (int i = 0; i < 3000; ++i) {
        values.push_back(static_cast<real>(i % 5 - 2));
    }
    this->expect_largest_of(values);
}

TYPED_TEST(Threshold, SelectsPowersOfTwo)
{
    using real = typename TestFixture::real;
    std::vector<real> values;
    for (auto e = std::numeric_limits<real>::min_exponent; e < std::numeric_limits<real>::max_exponent; ++e) {
        values.push_back(std::ldexp(e % 2 == 0 ? real{1} : real{-1}, e));
    }
    this->expect_largest_of(values);
}

TYPED_TEST(Threshold, SelectsSmallestValuesNanAndInfinity)
{
    using real = typename TestFixture::real;
    auto values = this->random_values(200);
    for (size_type i = 0; i < values.size(); i += 10) {
        values[i] = std::numeric_limits<real>::quiet_NaN();
        values[i + 1] = std::numeric_limits<real>::infinity();
        values[i + 2] = -std::numeric_limits<real>::infinity();
        values[i + 3] = real{};
        values[i + 4] = -std::numeric_limits<real>::min();
        values[i + 5] = std::numeric_limits<real>::denorm_min() * static_cast<real>(1 + i);
    }
    const auto entries = this->entries_of(values, true);
    for (const size_type count : {1, 10, 20, 21, 40, 59, 60, 61, 100, 139, 145, 160, 175, 185, 199}) {
        this->expect_largest(entries, true, count);
    }
}

TYPED_TEST(Threshold, SelectsInOneTriangleAndKeepsTheDiagonal)
{
    typename TestFixture::entry_list entries;
    const auto values = this->random_values(40 * 40);
    for (size_type row = 0; row < 40; ++row) {
        for (size_type col = 0; col < 40; ++col) {
            entries.add(row, col, values[40 * row + col]);
        }
    }
    for (const auto upper : {false, true}) {
        for (const size_type count : {0, 1, 200, 779, 780, 2000}) {
            this->expect_largest(entries, upper, count);
            this->expect_largest(entries, upper, count, true);
        }
    }
}

TYPED_TEST(Threshold, SelectsNoMoreIfTieRanksAreEqual)
{
    typename TestFixture::entry_list entries;
    for (int i = 0; i < 7; ++i) {
        entries.add(3, 2, 0.5f);
    }
    entries.add(3, 1, 2.0f);

    const auto flags = this->select(entries, false, 3, false);

    EXPECT_EQ(std::accumulate(flags.begin(), flags.end(), 0), 1);
    EXPECT_EQ(flags.back(), 1);
}

TYPED_TEST(Threshold, SelectsOfManyEntries)
{
    const size_type num = is_simulated(*this->exec) ? 20003 : 1000003;
    auto values = this->random_values(num);
    const auto entries = this->entries_of(values, true);
    this->expect_largest(entries, true, num / 2);
    this->expect_largest(entries, true, num - 3, true);
    std::fill(values.begin() + 10, values.end(), values[0]);
    this->expect_largest(this->entries_of(values, false), false, num / 2);
}

TYPED_TEST(Threshold, HasDifferentTieRanksAtDifferentPositions)
{
    std::vector<uint64> ranks;
    for (typename TestFixture::I row = 0; row < 200; ++row) {
        for (typename TestFixture::I col = 0; col <= row; ++col) {
            ranks.push_back(tie_rank(row, col));
            EXPECT_EQ(tie_rank(col, row), ranks.back());
        }
    }
    std::sort(ranks.begin(), ranks.end());

    EXPECT_EQ(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

TYPED_TEST(Threshold, OrdersKeysBySize)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using real = typename TestFixture::real;
    const auto infinity = std::numeric_limits<real>::infinity();
    typename TestFixture::entry_list entries;
    for (const auto size : {infinity, real{3}, real{-2}, real{0.5f}, real{0.25f}, real{}}) {
        entries.add(0, entries.rows.size() + 1, size);
    }
    entries.add(5, 5, real{1});
    const array<I> rows{this->exec, entries.rows.begin(), entries.rows.end()};
    const array<I> cols{this->exec, entries.cols.begin(), entries.cols.end()};
    const array<real> sizes{this->exec, entries.values.begin(), entries.values.end()};
    array<I> keys{this->exec, entries.rows.size()};
    keys.fill(I{-1});

    threshold::compute_sort_keys<V, I>(
        *this->exec, {keys.get_size(), rows.get_const_data(), cols.get_const_data(), sizes.get_const_data()},
        keys.get_data());

    const auto host_keys = keys.copy_to_host();
    EXPECT_EQ(host_keys.back(), 0);
    EXPECT_GT(host_keys.front(), 0);
    EXPECT_TRUE(std::is_sorted(host_keys.begin(), host_keys.end() - 1, std::less_equal<>{}));
    EXPECT_EQ(static_cast<size_type>(host_keys[5]), spruce::factorization::detail::bound_of_sort_keys - 1);
}

TYPED_TEST(Threshold, MarksTheFirstElementsOfGroups)
{
    using I = typename TestFixture::I;
    const std::vector<I> group_ptrs{0, 0, 3, 4, 4, 8};
    const std::vector<I> groups{1, 1, 1, 2, 4, 4, 4, 4};
    const std::vector<I> positions{7, 2, 0, 5, 1, 6, 4, 3};
    const array<I> device_ptrs{this->exec, group_ptrs.begin(), group_ptrs.end()};
    const array<I> device_groups{this->exec, groups.begin(), groups.end()};
    const array<I> device_positions{this->exec, positions.begin(), positions.end()};
    for (const auto are_first : {true, false}) {
        array<I> flags{this->exec, positions.size()};
        flags.fill(I{-1});

        threshold::mark_in_groups<I>(*this->exec, device_ptrs.get_const_data(), device_groups.get_const_data(),
                                     device_positions.get_const_data(), positions.size(), 2, are_first,
                                     flags.get_data());

        std::vector<I> expected{0, 1, 1, 0, 0, 1, 1, 1};
        for (auto& flag : expected) {
            flag = are_first ? flag : 1 - flag;
        }
        EXPECT_EQ(flags.copy_to_host(), expected);
    }
}

TYPED_TEST(Threshold, AddsCandidatesByHand)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto factors = this->csr({{2, 3, 0, 0}, {4, 5, 6, 0}, {0, 7, 8, 0}, {0, 0, 0, 1}});
    const auto residual = this->csr({{-9, -9, 10, 0}, {-9, -9, -9, 12}, {14, -9, -9, 0}, {0, 15, 24, -9}});
    array<I> diagonal{this->exec};
    find_diagonal(*factors, diagonal);

    threshold::add_candidates<V, I>(*this->exec, *factors, diagonal.get_const_data(), *residual);

    EXPECT_MTX_NEAR(residual, this->dense({{2, 3, 10, 0}, {4, 5, 6, 12}, {7, 7, 8, 0}, {0, 3, 3, 1}}),
                    4 * this->epsilon());
}

TYPED_TEST(Threshold, ComputesSizesByHand)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using RealDense = typename TestFixture::RealDense;
    const auto factors = this->csr({{4, -6, 3}, {5, -9, 6}, {7, 0, 16}});
    array<I> diagonal{this->exec};
    find_diagonal(*factors, diagonal);
    const auto sizes_of = [&](bool is_hermitian) {
        auto sizes = make_dense_of_nan<typename TestFixture::real>(this->exec, spruce::dim<2>{8, 1});
        threshold::compute_sizes<V, I>(*this->exec, *factors, diagonal.get_const_data(), is_hermitian,
                                       sizes->get_values());
        return sizes;
    };

    const auto tolerance = 8 * this->epsilon();
    EXPECT_MTX_NEAR(sizes_of(false),
                    spruce::initialize<RealDense>({1, 1, 0.375f, 10.0 / 3, 1, 0.5f, 3.5f, 1}, this->exec), tolerance);
    EXPECT_MTX_NEAR(sizes_of(true),
                    spruce::initialize<RealDense>({1, 1.5f, 0.75f, 5.0 / 9, 1, 2.0 / 3, 0.4375f, 1}, this->exec),
                    tolerance);
}

TYPED_TEST(Threshold, AddsCandidatesLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (auto data : this->matrices()) {
        const auto factors = this->make(data);
        const auto residual = factors->multiply(factors);  // contains the pattern: the diagonal is complete
        const auto expected = clone(this->ref, residual);
        const auto ref_factors = clone(this->ref, factors);
        array<I> diagonal{this->exec};
        find_diagonal(*factors, diagonal);
        const array<I> ref_diagonal{this->ref, diagonal};

        threshold::add_candidates<V, I>(*this->ref, *ref_factors, ref_diagonal.get_const_data(), *expected);
        threshold::add_candidates<V, I>(*this->exec, *factors, diagonal.get_const_data(), *residual);

        EXPECT_MTX_NEAR(residual, expected, this->tolerance_of_sum(1));
    }
}

}  // namespace
