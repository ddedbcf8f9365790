// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the aggregation of rows: by hand, for validity, and for equal results on all executors.

#include <algorithm>
#include <utility>
#include <vector>

#include "core/graph/aggregation.hpp"
#include "core/graph/aggregation_kernels.hpp"
#include "test/graph/grids.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::int64;
using spruce::size_type;
namespace kernels = spruce::kernels::aggregation;
using key_list = std::initializer_list<int64>;

template <typename Types>
class Aggregation : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using Real = spruce::remove_complex<V>;

    spruce::graph::aggregation<I> aggregate_on(const std::shared_ptr<const spruce::Executor>& where,
                                               const host_matrix& data, bool two_phases) const
    {
        array<Real> scale{where, data.size[0]};
        scale.fill(1);
        return spruce::graph::aggregate_rows(*make_csr<V, I>(where, data), scale, two_phases);
    }

    /// Returns the aggregates after it has checked that rows with neighbours have one, that their
    /// numbers have no gaps, and that the reference computes the same.
    std::vector<I> checked_aggregates(const host_matrix& data, bool two_phases) const
    {
        const auto result = this->aggregate_on(this->exec, data, two_phases);
        const auto aggregates = result.aggregates.copy_to_host();
        const auto reference = this->aggregate_on(this->ref, data, two_phases);
        EXPECT_EQ(aggregates, reference.aggregates.copy_to_host());
        EXPECT_EQ(result.num_aggregates, reference.num_aggregates);
        std::vector<bool> has_neighbor(data.size[0]);
        std::vector<bool> has_neighbor_inside(data.size[0]);
        for (const auto& entry : data.nonzeros) {
            if (entry.row != entry.column) {
                has_neighbor[entry.row] = true;
                if (aggregates[entry.row] == aggregates[entry.column]) {
                    has_neighbor_inside[entry.row] = true;
                    has_neighbor_inside[entry.column] = true;
                }
            }
        }
        std::vector<int> sizes(result.num_aggregates);
        for (size_type row = 0; row < data.size[0]; ++row) {
            EXPECT_EQ(aggregates[row] >= 0, has_neighbor[row]) << row;
            if (aggregates[row] >= 0) {
                ++sizes.at(aggregates[row]);
            }
        }
        EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 0), 0);
        for (size_type row = 0; row < data.size[0]; ++row) {
            if (aggregates[row] >= 0) {
                EXPECT_TRUE(has_neighbor_inside[row] || sizes[aggregates[row]] == 1) << row;
            }
        }
        return aggregates;
    }
};
TYPED_TEST_SUITE(Aggregation, value_and_index_types, type_names);

// The path 0 - 1 - 2 - 3 - 4, where row 1 has an entry on the diagonal; row 5 has no neighbours.
template <typename I>
struct path {
    explicit path(std::shared_ptr<const spruce::Executor> exec)
        : row_ptrs{exec, {0, 1, 4, 6, 8, 9, 9}}, cols{exec, {1, 0, 1, 2, 1, 3, 2, 4, 3}}
    {}
    array<I> row_ptrs;
    array<I> cols;
};

TYPED_TEST(Aggregation, FindsIsolatedVerticesAndCandidates)
{
    using I = typename TestFixture::I;
    const path<I> graph{this->exec};
    array<I> aggregates{this->exec, 6};
    array<int64> keys{this->exec, 6};

    kernels::find_isolated<I>(*this->exec, graph.row_ptrs.get_const_data(), graph.cols.get_const_data(), 6, 9,
                              aggregates.get_data());

    EXPECT_EQ(aggregates.copy_to_host(), (std::vector<I>{-1, -1, -1, -1, -1, -2}));
    aggregates = array<I>{this->exec, {-1, -1, -1, -1, 0, -2}};
    kernels::find_candidates<I>(*this->exec, graph.row_ptrs.get_const_data(), graph.cols.get_const_data(), 6, 9,
                                aggregates.get_const_data(), 2, keys.get_data());
    EXPECT_EQ(keys.copy_to_host(), (std::vector<int64>{0, 1, 1, 0, 0, 0}));
    kernels::find_candidates<I>(*this->exec, graph.row_ptrs.get_const_data(), graph.cols.get_const_data(), 6, 9,
                                aggregates.get_const_data(), 0, keys.get_data());
    EXPECT_EQ(keys.copy_to_host(), (std::vector<int64>{1, 1, 1, 1, 0, 0}));
}

TYPED_TEST(Aggregation, RenewsKeysOfCandidates)
{
    array<int64> keys{this->exec, key_list{1, kernels::excluded, kernels::selected, 1}};
    array<int64> later{this->exec, key_list{1, kernels::excluded, kernels::selected, 1}};

    kernels::renew_keys(*this->exec, 0, 4, keys.get_data());
    kernels::renew_keys(*this->exec, 1, 4, later.get_data());

    const auto first = keys.copy_to_host();
    const auto second = later.copy_to_host();
    EXPECT_EQ(first[0], static_cast<int64>(0xe220a8397b1dcdafu / 4) + 1);  // the first number of SplitMix64 from seed 0
    EXPECT_EQ(first[1], kernels::excluded);
    EXPECT_EQ(first[2], kernels::selected);
    EXPECT_NE(first[3], first[0]);
    EXPECT_NE(second[0], first[0]);
    EXPECT_NE(second[3], first[3]);
    EXPECT_EQ(second[2], kernels::selected);
}

TYPED_TEST(Aggregation, FindsMaximaOfFreeVertices)
{
    using I = typename TestFixture::I;
    const path<I> graph{this->exec};
    const array<I> aggregates{this->exec, {-1, -1, -1, 4, -1, -1}};
    const array<int64> keys{this->exec, {5, 7, 3, 9, 8, 2}};
    array<int64> maxima{this->exec, 6};

    kernels::find_maxima<I>(*this->exec, graph.row_ptrs.get_const_data(), graph.cols.get_const_data(), 6, 9,
                            aggregates.get_const_data(), keys.get_const_data(), maxima.get_data());

    EXPECT_EQ(maxima.copy_to_host(), (std::vector<int64>{7, 7, 9, 0, 9, 2}));
}

TYPED_TEST(Aggregation, SelectsMaxima)
{
    const auto selected = kernels::selected;
    array<int64> keys{this->exec, key_list{5, 7, 0, selected, 6}};
    const array<int64> maxima{this->exec, key_list{5, selected, 9, selected, 7}};
    bool has_candidates{};

    kernels::select_maxima(*this->exec, maxima.get_const_data(), 5, keys.get_data(), has_candidates);

    EXPECT_TRUE(has_candidates);
    EXPECT_EQ(keys.copy_to_host(), (std::vector<int64>{selected, 0, 0, selected, 6}));
    kernels::select_maxima(*this->exec, maxima.get_const_data(), 4, keys.get_data(), has_candidates);
    EXPECT_FALSE(has_candidates);
}

TYPED_TEST(Aggregation, FormsAggregatesOfSelectedVertices)
{
    using I = typename TestFixture::I;
    const auto selected = kernels::selected;
    const path<I> graph{this->exec};
    array<I> aggregates{this->exec, {-1, -1, -1, 3, -1, -2}};
    const array<int64> keys{this->exec, key_list{selected, 0, selected, 0, 0, 0}};
    I next{};

    kernels::form_aggregates<I>(*this->exec, graph.row_ptrs.get_const_data(), graph.cols.get_const_data(), 6, 9,
                                keys.get_const_data(), 4, aggregates.get_data(), next);

    EXPECT_EQ(aggregates.copy_to_host(), (std::vector<I>{4, 4, 5, 3, -1, -2}));
    EXPECT_EQ(next, 6);
}

TYPED_TEST(Aggregation, JoinsTheStrongestNeighbor)
{
    using I = typename TestFixture::I;
    using Real = typename TestFixture::Real;
    // Row 0 has the neighbours 1, ..., 4 with the strengths 2, 4, 4, 4 in the aggregates 0, 1, 2
    // and 3. Aggregate 1 has a second vertex, number 5. Row 6 has no neighbour with an aggregate.
    const auto a = this->csr({{0, 2, 1, -4, 2, 0, 0}, {}, {}, {}, {}, {}, {9, 0, 0, 0, 0, 0, 1}});
    const array<Real> scale{this->exec, {1, 1, 4, 1, 2, 1, 1}};
    array<I> aggregates{this->exec, {-1, 0, 1, 2, 3, 1, -1}};

    kernels::join_strongest<typename TestFixture::V, I>(*this->exec, *a, scale.get_const_data(), 4,
                                                        aggregates.get_data());

    EXPECT_EQ(aggregates.copy_to_host(), (std::vector<I>{2, 0, 1, 2, 3, 1, -1}));
}

TYPED_TEST(Aggregation, IsValidAndEqualOnAllExecutors)
{
    for (const size_type size : {1, 2, 32, 33, 65, 300, 1025}) {
        for (const bool two_phases : {false, true}) {
            SCOPED_TRACE(size);
            this->checked_aggregates(
                random_sparse(this->engine, size, size, nnz_per_row(0, std::min<size_type>(size, 8))), two_phases);
        }
    }
    std::vector<size_type> lengths(400);
    for (size_type row = 0; row < lengths.size(); ++row) {
        lengths[row] = 300 / (row + 1);
    }
    this->checked_aggregates(random_sparse(this->engine, lengths, lengths.size()), true);
}

TYPED_TEST(Aggregation, CoarsensGridsWell)
{
    const auto rows_per_aggregate = [&](const host_matrix& data, bool two_phases) {
        const auto aggregates = this->checked_aggregates(data, two_phases);
        return static_cast<double>(aggregates.size()) / (*std::max_element(aggregates.begin(), aggregates.end()) + 1);
    };
    // Larger grids have a smaller share of vertices at boundaries, and larger aggregates.
    EXPECT_GT(rows_per_aggregate(grid(40, 2, 1), false), 6.0);
    EXPECT_GT(rows_per_aggregate(grid(40, 2, 1), true), 5.0);
    EXPECT_LT(rows_per_aggregate(grid(40, 2, 1), true), 7.0);
    EXPECT_GT(rows_per_aggregate(grid(14, 3, 1), false), 8.0);
    EXPECT_GT(rows_per_aggregate(grid(14, 3, 3), false), 20.0);
}

TYPED_TEST(Aggregation, HandlesDenseRowsAndDenseMatrices)
{
    const auto dense = this->checked_aggregates(random_full(this->engine, 70, 70), true);
    EXPECT_EQ(dense, (std::vector<typename TestFixture::I>(70, 0)));

    host_matrix arrow{dim<2>{300}};
    for (int64 other = 1; other < 300; ++other) {
        arrow.nonzeros.emplace_back(0, other, 1.0);
        arrow.nonzeros.emplace_back(other, 0, 1.0);
    }
    arrow.sort_row_major();
    const auto star = this->checked_aggregates(arrow, true);
    EXPECT_EQ(star, (std::vector<typename TestFixture::I>(300, 0)));
}

TYPED_TEST(Aggregation, GivesNoAggregateWithoutEdges)
{
    using I = typename TestFixture::I;
    host_matrix diagonal{dim<2>{100}};
    for (int64 row = 0; row < 100; row += 2) {
        diagonal.nonzeros.emplace_back(row, row, 1.0);
    }

    EXPECT_EQ(this->checked_aggregates(diagonal, true), std::vector<I>(100, -2));
    EXPECT_TRUE(this->checked_aggregates(host_matrix{dim<2>{}}, true).empty());
}

TYPED_TEST(Aggregation, MatchesVerticesThatPointToEachOther)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Real = typename TestFixture::Real;
    // Vertex 0 points to 1, 1 to 2, 2 to 1, 3 to 2; vertex 4 has an aggregate, and 5 no neighbours.
    const auto a = this->csr({{9, 1, 0, 0, 8, 0},
                              {1, 9, 2, 0, 0, 0},
                              {0, 2, 9, 1, 0, 0},
                              {0, 0, 1, 9, 0, 0},
                              {8, 0, 0, 0, 9, 0},
                              {0, 0, 0, 0, 0, 9}});
    const array<Real> scale{this->exec, {1, 1, 1, 1, 1, 1}};
    array<I> matches{this->exec, {-1, -1, -1, -1, 4, -1}};
    size_type num_free{};
    size_type num_aggregates{};

    kernels::match_strongest<V, I>(*this->exec, *a, scale.get_const_data(), matches.get_data(), num_free);

    EXPECT_EQ(matches.copy_to_host(), (std::vector<I>{-1, 1, 1, -1, 4, -1}));
    EXPECT_EQ(num_free, 3u);
    kernels::number_matches<I>(*this->exec, 6, matches.get_data(), num_aggregates);
    EXPECT_EQ(matches.copy_to_host(), (std::vector<I>{-1, 0, 0, -1, 1, -1}));
    EXPECT_EQ(num_aggregates, 2u);
}

TYPED_TEST(Aggregation, MatchesMostVerticesAlsoOfEqualStrengths)
{
    using Real = typename TestFixture::Real;
    const auto match_on = [&](const auto& where, const host_matrix& data) {
        array<Real> scale{where, data.size[0]};
        scale.fill(1);
        auto result = spruce::graph::match_rows(
            *make_csr<typename TestFixture::V, typename TestFixture::I>(where, data), scale, 15, 0.05);
        return std::make_pair(result.aggregates.copy_to_host(), result.num_aggregates);
    };
    for (const auto& data : {grid(20, 2, 1), grid(8, 3, 1), random_sparse(this->engine, 300, 300, nnz_per_row(0, 8)),
                             host_matrix{dim<2>{3}}, host_matrix{dim<2>{}}}) {
        const auto result = match_on(this->exec, data);

        EXPECT_EQ(result, match_on(this->ref, data));
        std::vector<int> sizes(result.second);
        for (const auto aggregate : result.first) {
            ++sizes.at(aggregate);
        }
        EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 0), 0);
    }
    EXPECT_LE(match_on(this->exec, grid(20, 2, 1)).second, 210u);
    EXPECT_EQ(match_on(this->exec, host_matrix{dim<2>{3}}).second, 3u);
}

}  // namespace
