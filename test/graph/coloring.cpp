// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the colouring of rows: by hand, for validity, and for equal colours on all executors.

#include <algorithm>
#include <set>
#include <vector>

#include "core/graph/coloring.hpp"
#include "core/graph/coloring_kernels.hpp"
#include "test/graph/grids.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::int64;
using spruce::size_type;
namespace kernels = spruce::kernels::coloring;

template <typename Types>
class Coloring : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;

    std::vector<I> colors_of(const std::shared_ptr<const spruce::Executor>& where, const host_matrix& data) const
    {
        return spruce::graph::color_rows(*make_csr<V, I>(where, data)).copy_to_host();
    }

    /// Returns the colours after it has checked them.
    std::vector<I> checked_colors(const host_matrix& data) const
    {
        const auto colors = this->colors_of(this->exec, data);
        EXPECT_EQ(colors, this->colors_of(this->ref, data));
        EXPECT_EQ(colors.size(), data.size[0]);
        for (const auto& entry : data.nonzeros) {
            if (entry.row != entry.column) {
                EXPECT_NE(colors[entry.row], colors[entry.column]) << entry.row << ", " << entry.column;
            }
        }
        EXPECT_EQ(std::set<I>(colors.begin(), colors.end()).size(), num_colors(colors));  // no gaps
        return colors;
    }

    static size_type num_colors(const std::vector<I>& colors)
    {
        return colors.empty() ? 0 : *std::max_element(colors.begin(), colors.end()) + 1;
    }
};
TYPED_TEST_SUITE(Coloring, value_and_index_types, type_names);

TYPED_TEST(Coloring, AssignsTheSmallestColorInOrderOfPriorities)
{
    using I = typename TestFixture::I;
    // The path 0 - 1 - 2 - 3, where row 1 has an entry on the diagonal; row 4 has no neighbours.
    const array<I> row_ptrs{this->exec, {0, 1, 4, 6, 7, 7}};
    const array<I> cols{this->exec, {1, 0, 1, 2, 1, 3, 2}};
    const array<int64> priorities{this->exec, {-1, 3, 2, 4, 0}};
    array<I> colors{this->exec, {-7, -7, -7, -7, -7}};

    kernels::assign<I>(*this->exec, row_ptrs.get_const_data(), cols.get_const_data(), 5, 7, priorities.get_const_data(),
                       colors.get_data());

    EXPECT_EQ(colors.copy_to_host(), (std::vector<I>{1, 0, 1, 0, 0}));
}

TYPED_TEST(Coloring, HasDifferentPriorities)
{
    using I = typename TestFixture::I;
    constexpr size_type size = 1000;
    array<int64> priorities{this->exec, size};
    const array<I> colors{this->exec, {4, 0, 2}};

    kernels::set_priorities<I>(*this->exec, nullptr, size, priorities.get_data());
    const auto random = priorities.copy_to_host();
    kernels::set_priorities<I>(*this->exec, colors.get_const_data(), 3, priorities.get_data());

    EXPECT_EQ(random[0], static_cast<int64>(0xe220a8397b1dcdafu));  // the first number of SplitMix64 from seed 0
    EXPECT_EQ(std::set<int64>(random.begin(), random.end()).size(), size);
    const auto given = priorities.copy_to_host();
    EXPECT_EQ(std::vector<int64>(given.begin(), given.begin() + 3), (std::vector<int64>{4, 0, 2}));
}

TYPED_TEST(Coloring, IsValidAndEqualOnAllExecutors)
{
    for (const size_type size : {1, 2, 32, 33, 65, 300, 1025}) {
        SCOPED_TRACE(size);
        this->checked_colors(
            random_sparse(this->engine, size, size, nnz_per_row(0, std::min<size_type>(size, 8))));  // not symmetric
    }
    std::vector<size_type> lengths(400);
    for (size_type row = 0; row < lengths.size(); ++row) {
        lengths[row] = 300 / (row + 1);
    }
    this->checked_colors(random_sparse(this->engine, lengths, lengths.size()));
}

TYPED_TEST(Coloring, NeedsFewColorsForGrids)
{
    EXPECT_LE(this->num_colors(this->checked_colors(grid(40, 2, 1))), 4u);
    EXPECT_LE(this->num_colors(this->checked_colors(grid(30, 2, 2))), 7u);
    EXPECT_LE(this->num_colors(this->checked_colors(grid(12, 3, 1))), 5u);
    EXPECT_LE(this->num_colors(this->checked_colors(grid(12, 3, 3))), 16u);
}

TYPED_TEST(Coloring, OfADenseRowNeedsOneColorMore)
{
    const auto data = grid(20, 2, 1);
    const auto num_colors = this->num_colors(this->checked_colors(data));
    for (const int64 dense : {0, 133, 399}) {
        for (const bool is_row : {false, true}) {
            host_matrix with_dense{data.size};
            for (const auto& entry : data.nonzeros) {
                if ((is_row ? entry.row : entry.column) != dense) {
                    with_dense.nonzeros.push_back(entry);
                }
            }
            for (int64 other = 0; other < 400; ++other) {
                with_dense.nonzeros.emplace_back(is_row ? dense : other, is_row ? other : dense, 1.0);
            }
            with_dense.sort_row_major();

            EXPECT_LE(this->num_colors(this->checked_colors(with_dense)), num_colors + 1);
        }
    }
}

TYPED_TEST(Coloring, NeedsAColorPerRowOfADenseMatrix)
{
    EXPECT_EQ(this->num_colors(this->checked_colors(random_full(this->engine, 70, 70))), 70u);
}

TYPED_TEST(Coloring, NeedsOneColorWithoutEdges)
{
    host_matrix diagonal{dim<2>{100}};
    for (int64 row = 0; row < 100; row += 2) {
        diagonal.nonzeros.emplace_back(row, row, 1.0);
    }

    EXPECT_EQ(this->num_colors(this->checked_colors(diagonal)), 1u);
    EXPECT_EQ(this->num_colors(this->checked_colors(host_matrix{dim<2>{3}})), 1u);
    EXPECT_EQ(this->num_colors(this->checked_colors(host_matrix{dim<2>{}})), 0u);
}

}  // namespace
