// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests levels of smoothed aggregation against their definition, on all executors.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <spruce/multigrid/sa.hpp>

#include "core/multigrid/spectral_radius.hpp"
#include "test/graph/grids.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::as;
using spruce::dim;
using spruce::int64;
using spruce::size_type;

template <typename Types>
class Sa : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using typename kernel_test<Types>::real;
    using sa = spruce::multigrid::Sa<V, I>;

    std::shared_ptr<Csr> make(const host_matrix& data) const { return make_csr<V, I>(this->exec, data); }
    std::shared_ptr<sa> generate(const std::shared_ptr<const spruce::LinOp>& a, double threshold = 0.02) const
    {
        return sa::build().with_strength_threshold(threshold).on(this->exec)->generate(a);
    }
    static std::shared_ptr<const Csr> csr_of(const std::shared_ptr<const spruce::LinOp>& op) { return as<Csr>(op); }

    std::vector<I> aggregates_of(const sa& level) const
    {
        return spruce::array<I>::const_view(this->exec, level.get_size()[0], level.get_const_agg())
            .copy_to_array()
            .copy_to_host();
    }

    /// Expects R = P^H and A_c = R A P.
    void expect_galerkin(const sa& level) const
    {
        const auto p = csr_of(level.get_prolong_op());
        const auto a = spruce::copy_and_convert_to<Csr>(this->exec, level.get_fine_op());
        const auto r = as<Csr>(p->conj_transpose());
        const auto coarse = r->multiply(a->multiply(p));

        EXPECT_MTX_NEAR(csr_of(level.get_restrict_op()), r, 0.0);
        EXPECT_MTX_NEAR(csr_of(level.get_coarse_op()), coarse, 100 * this->epsilon());
    }
};
TYPED_TEST_SUITE(Sa, value_and_index_types, type_names);

TYPED_TEST(Sa, HasTheGalerkinProduct)
{
    for (const auto& data : {grid(15, 2, 1), grid(6, 3, 1), grid(6, 3, 3)}) {
        const auto level = this->generate(this->make(data));

        this->expect_galerkin(*level);
        EXPECT_EQ(level->get_size(), data.size);
        EXPECT_LT(level->get_coarse_op()->get_size()[0] * 4, data.size[0]);
    }
}

TYPED_TEST(Sa, InterpolatesConstantsInside)
{
    using real = typename TestFixture::real;
    // P 1 = (I - omega D^-1 A) T 1 with T 1 = 1, and A 1 = 0 for points inside the grid.
    constexpr int width = 15;
    const auto level = this->generate(this->make(grid(width, 2, 1)));
    const auto constants = this->dense_of_nan(level->get_coarse_op()->get_size()[0], 1);
    constants->fill(spruce::one<typename TestFixture::V>());

    const auto values = clone(this->ref, this->apply(level->get_prolong_op(), constants));

    for (int y = 1; y + 1 < width; ++y) {
        for (int x = 1; x + 1 < width; ++x) {
            EXPECT_NEAR(std::abs(values->at(y * width + x, 0) - real{1}), 0, 20 * this->epsilon());
        }
    }
}

TYPED_TEST(Sa, DropsWeakEntries)
{
    // Points of a grid are coupled in rows; the entries between rows are 1e-3 of those inside.
    constexpr int width = 12;
    auto data = grid(width, 2, 1);
    for (auto& entry : data.nonzeros) {
        if (std::abs(entry.row - entry.column) == width) {
            entry.value *= 1e-3;
        } else if (entry.row == entry.column) {
            entry.value = 2 + 2e-3;
        }
    }
    const auto level = this->generate(this->make(data));
    const auto aggregates = this->aggregates_of(*level);

    for (int row = 0; row < width * width; ++row) {
        for (int other = 0; other < width * width; ++other) {
            if (row / width != other / width) {
                EXPECT_NE(aggregates[row], aggregates[other]);
            }
        }
    }
    this->expect_galerkin(*level);
    const auto of_all = this->aggregates_of(*this->generate(this->make(data), 0.0));
    EXPECT_LT(std::set<int64>(of_all.begin(), of_all.end()).size(),
              std::set<int64>(aggregates.begin(), aggregates.end()).size());
}

TYPED_TEST(Sa, HasTheSameAggregatesOnAllExecutors)
{
    const auto data = grid(8, 3, 1);
    const auto level = this->generate(this->make(data));
    const auto reference = TestFixture::sa::build().on(this->ref)->generate(
        make_csr<typename TestFixture::V, typename TestFixture::I>(this->ref, data));

    const auto expected = reference->get_const_agg();
    EXPECT_EQ(this->aggregates_of(*level), std::vector<typename TestFixture::I>(expected, expected + data.size[0]));
    EXPECT_MTX_NEAR(this->csr_of(level->get_coarse_op()), this->csr_of(reference->get_coarse_op()),
                    1000 * this->epsilon());
}

TYPED_TEST(Sa, LeavesOutRowsWithoutNeighbors)
{
    auto data = grid(10, 2, 1);
    for (auto& entry : data.nonzeros) {
        if ((entry.row == 37 || entry.column == 37) && entry.row != entry.column) {
            entry.value = 0;
        }
    }
    const auto level = this->generate(this->make(data));

    EXPECT_LT(this->aggregates_of(*level)[37], 0);
    this->expect_galerkin(*level);
    const auto p = clone(this->ref, this->csr_of(level->get_prolong_op()));
    EXPECT_EQ(p->get_const_row_ptrs()[37], p->get_const_row_ptrs()[38]);
}

TYPED_TEST(Sa, CoarsensPartsThatFloat)
{
    // Rows 64 to 66 are a path without connection to the grid, and A maps constants on it to zero.
    auto data = grid(8, 2, 1);
    data.size = dim<2>{67, 67};
    for (const int64 row : {64, 65, 66}) {
        for (const int64 column : {64, 65, 66}) {
            if (std::abs(row - column) <= 1) {
                data.nonzeros.emplace_back(row, column, row != column ? -1.0 : row == 65 ? 2.0 : 1.0);
            }
        }
    }
    const auto a = this->make(data);

    const auto level = this->generate(a);

    const auto aggregate = this->aggregates_of(*level)[65];
    ASSERT_GE(aggregate, 0);
    const auto check = [&](double factor) {
        const auto diagonal = clone(this->ref, this->csr_of(level->get_coarse_op()))->extract_diagonal();
        const auto found = std::abs(diagonal->get_const_values()[aggregate]);
        EXPECT_NEAR(found / factor, 4, 1.5);  // the sum of the diagonal entries, with smoothed weights
    };
    check(1);
    EXPECT_NO_THROW(this->generate(level->get_coarse_op()));
    for (auto& entry : data.nonzeros) {
        entry.value *= 8.0;
    }
    level->refresh(this->make(data));
    check(8);
}

TYPED_TEST(Sa, InterpolatesTheNearNullSpace)
{
    using V = typename TestFixture::V;
    using sa = typename TestFixture::sa;
    // Two unknowns at each point of a grid, which do not depend on each other. Rows sum to zero.
    constexpr int width = 8;
    const auto scalar = grid(width, 2, 1);
    host_matrix data{dim<2>{2 * scalar.size[0], 2 * scalar.size[1]}};
    std::vector<std::complex<double>> sums(scalar.size[0]);
    for (const auto& entry : scalar.nonzeros) {
        sums[entry.row] += entry.value;
    }
    for (const auto& entry : scalar.nonzeros) {
        const auto value = entry.row == entry.column ? entry.value - sums[entry.row] : entry.value;
        data.nonzeros.emplace_back(2 * entry.row, 2 * entry.column, value);
        data.nonzeros.emplace_back(2 * entry.row + 1, 2 * entry.column + 1, value);
    }
    data.sort_row_major();
    // The third vector is the sum of the others.
    const auto vectors = TestFixture::Dense::create(this->ref, dim<2>{data.size[0], 3});
    for (size_type row = 0; row < data.size[0]; ++row) {
        vectors->at(row, 0) = V(row % 2 == 0 ? 1.0 : 0.0);
        vectors->at(row, 1) = V(row % 2 == 1 ? 1.0 : 0.0);
        vectors->at(row, 2) = V(1.0);
    }

    const auto a = this->make(data);
    const auto level =
        sa::build().with_near_null_space(share(clone(vectors))).with_block_size(2u).on(this->exec)->generate(a);

    const auto next = std::dynamic_pointer_cast<const typename sa::Factory>(level->get_next_factory());
    ASSERT_TRUE(next);
    EXPECT_EQ(next->get_parameters().block_size, 3);
    const auto coarse_vectors = next->get_parameters().near_null_space;
    EXPECT_MTX_NEAR(this->apply(level->get_prolong_op(), clone(coarse_vectors)), vectors, 50 * this->epsilon());
    const auto aggregates = this->aggregates_of(*level);
    for (size_type row = 0; row < data.size[0]; row += 2) {
        EXPECT_EQ(aggregates[row], aggregates[row + 1]);
    }
    // The column of the third vector is zero.
    const auto coarse = clone(this->ref, this->csr_of(level->get_coarse_op()));
    const auto diagonal = coarse->extract_diagonal();
    for (size_type row = 2; row < coarse->get_size()[0]; row += 3) {
        const auto values = diagonal->get_const_values() + row;
        EXPECT_TRUE(values[0] == values[-1] || values[0] == values[-2]);
        EXPECT_GE(std::abs(values[0]), std::max(std::abs(values[-1]), std::abs(values[-2])));
    }
    const auto coarsest = next->generate(level->get_coarse_op());
    EXPECT_LT(coarsest->get_size()[0], level->get_size()[0]);

    for (auto& entry : data.nonzeros) {
        entry.value *= 2.0;
    }
    level->refresh(this->make(data));

    const auto doubled = clone(this->ref, this->csr_of(level->get_coarse_op()));
    for (size_type nz = 0; nz < doubled->get_num_stored_elements(); ++nz) {
        const auto value = coarse->get_const_values()[nz];
        EXPECT_NEAR(std::abs(doubled->get_const_values()[nz] - (value + value)), 0, 100 * this->epsilon());
    }
}

TYPED_TEST(Sa, RefusesAnUnsuitableNearNullSpace)
{
    using V = typename TestFixture::V;
    using sa = typename TestFixture::sa;
    const auto a = this->make(grid(6, 2, 1));
    const auto generate = [&](size_type rows, size_type cols, size_type block_size, double value) {
        auto vectors = TestFixture::Dense::create(this->ref, dim<2>{rows, cols});
        vectors->fill(V(value));
        return sa::build()
            .with_near_null_space(share(std::move(vectors)))
            .with_block_size(block_size)
            .on(this->exec)
            ->generate(a);
    };

    EXPECT_NO_THROW(generate(36, 1, 1, 1.0));
    EXPECT_THROW(generate(35, 1, 1, 1.0), spruce::DimensionMismatch);
    EXPECT_THROW(generate(36, 0, 1, 1.0), spruce::DimensionMismatch);
    EXPECT_THROW(generate(36, 1, 5, 1.0), spruce::BadDimension);
    EXPECT_THROW(generate(36, 1, 0, 1.0), spruce::OutOfBoundsError);
    EXPECT_THROW(generate(36, 1, 1, std::numeric_limits<double>::quiet_NaN()), spruce::InvalidStateError);
    EXPECT_THROW(sa::build().with_block_size(2u).on(this->exec)->generate(a), spruce::NotSupported);
}

TYPED_TEST(Sa, ComputesRigidBodyModes)
{
    using V = typename TestFixture::V;
    using RealDense = typename TestFixture::RealDense;
    const auto points = spruce::initialize<RealDense>({{1, 2, 3}, {4, 5, 6}}, this->exec);

    const auto modes = spruce::multigrid::create_rigid_body_modes<V>(*points);

    // The nodes are at -+(1.5, 1.5, 1.5) from their mean.
    EXPECT_MTX_NEAR(modes,
                    this->dense({{1, 0, 0, 1.5, 1.5, 0},
                                 {0, 1, 0, -1.5, 0, 1.5},
                                 {0, 0, 1, 0, -1.5, -1.5},
                                 {1, 0, 0, -1.5, -1.5, 0},
                                 {0, 1, 0, 1.5, 0, -1.5},
                                 {0, 0, 1, 0, 1.5, 1.5}}),
                    0.0);
    const auto plane = spruce::initialize<RealDense>({{1, 2}, {3, 2}}, this->exec);
    EXPECT_MTX_NEAR(spruce::multigrid::create_rigid_body_modes<V>(*plane),
                    this->dense({{1, 0, 0}, {0, 1, -1}, {1, 0, 0}, {0, 1, 1}}), 0.0);
    EXPECT_THROW(spruce::multigrid::create_rigid_body_modes<V>(*RealDense::create(this->exec, dim<2>{2, 4})),
                 spruce::DimensionMismatch);
}

TYPED_TEST(Sa, HasNoCoarseRowsForADiagonalMatrix)
{
    const auto level = this->generate(this->csr({{1, 0}, {0, 2}}));

    EXPECT_EQ(level->get_coarse_op()->get_size(), dim<2>{});
    EXPECT_EQ(level->get_prolong_op()->get_size(), (dim<2>{2, 0}));
    EXPECT_EQ(this->generate(this->make(host_matrix{dim<2>{}}))->get_coarse_op()->get_size(), dim<2>{});
}

TYPED_TEST(Sa, SortsRows)
{
    const auto data = grid(12, 2, 1);
    const auto unsorted = this->make(with_unsorted_columns(this->engine, data));
    const auto level = this->generate(this->make(data));
    const auto of_unsorted = this->generate(unsorted);

    EXPECT_MTX_NEAR(this->csr_of(of_unsorted->get_coarse_op()), this->csr_of(level->get_coarse_op()), 0.0);
    of_unsorted->refresh(unsorted);
    EXPECT_MTX_NEAR(this->csr_of(of_unsorted->get_coarse_op()), this->csr_of(level->get_coarse_op()), 0.0);
}

TYPED_TEST(Sa, RefreshComputesWhatGenerateDoes)
{
    auto data = grid(12, 2, 1);
    const auto level = this->generate(this->make(data));
    const auto coarse = level->get_coarse_op();
    for (auto& entry : data.nonzeros) {  // D A D has the same aggregates as A
        entry.value *= std::ldexp(1.0, static_cast<int>(entry.row % 3 + entry.column % 3));
    }
    const auto changed = this->make(data);
    const auto expected = this->generate(changed);

    level->refresh(changed);

    EXPECT_EQ(level->get_coarse_op(), coarse);
    EXPECT_EQ(level->get_fine_op(), changed);
    this->expect_galerkin(*level);
    EXPECT_MTX_NEAR(this->csr_of(level->get_prolong_op()), this->csr_of(expected->get_prolong_op()), 0.0);
}

TYPED_TEST(Sa, InterpolatesFromLargeCoefficientsToSmallOnes)
{
    // Rows 0 to 2 have coefficients of 1000, rows 3 to 5 of 1. Entries (3, 2) and (2, 3) are weak,
    // but row 3 depends on row 2.
    host_matrix data{dim<2>{6}};
    const double couplings[] = {1000, 1000, 1, 1, 1};
    std::vector<double> diagonal(6);
    for (int64 row = 0; row < 5; ++row) {
        data.nonzeros.emplace_back(row, row + 1, -couplings[row]);
        data.nonzeros.emplace_back(row + 1, row, -couplings[row]);
        diagonal[row] += couplings[row];
        diagonal[row + 1] += couplings[row];
    }
    diagonal[5] += 1;
    for (int64 row = 0; row < 6; ++row) {
        data.nonzeros.emplace_back(row, row, diagonal[row]);
    }
    data.sort_row_major();
    const auto a = this->make(data);

    const auto level = this->generate(a, 0.1);

    const auto aggregates = this->aggregates_of(*level);
    const auto p = this->csr_of(level->get_prolong_op());
    const auto dense = TestFixture::Dense::create(this->exec->get_master());
    clone(this->exec->get_master(), p)->convert_to(dense.get());
    EXPECT_NE(aggregates[2], aggregates[3]);
    EXPECT_NE(dense->at(3, static_cast<size_type>(aggregates[2])), spruce::zero<typename TestFixture::V>());
    EXPECT_EQ(dense->at(2, static_cast<size_type>(aggregates[3])), spruce::zero<typename TestFixture::V>());
    this->expect_galerkin(*level);

    const auto first_p = clone(p);
    level->refresh(a);
    const auto before = this->exec->get_counters();
    level->refresh(a);

    EXPECT_MTX_NEAR(this->csr_of(level->get_prolong_op()), first_p, 0.0);
    if (this->exec->get_master() == this->exec) {  // GPUs allocate workspace of sparse products
        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
    }
}

TYPED_TEST(Sa, KnowsTheSpectrum)
{
    auto data = grid(12, 2, 1);
    const auto level = this->generate(this->make(data));
    ASSERT_NE(level->get_spectrum(), nullptr);
    const auto before = *level->get_spectrum();
    for (auto& entry : data.nonzeros) {
        if (std::abs(entry.row - entry.column) == 12) {
            entry.value *= 0.5;
        }
    }

    level->refresh(this->make(data));

    EXPECT_TRUE(before.is_hermitian);
    EXPECT_NEAR(before.radius, 1 + std::cos(3.1416 / 13), 0.15);
    EXPECT_NEAR(level->get_spectrum()->radius, 1 + 0.75 * std::cos(3.1416 / 13), 0.15);
    EXPECT_EQ(this->generate(this->make(data), 0.2)->get_spectrum()->radius, level->get_spectrum()->radius)
        << "entries that the prolongation drops belong to A";
}

TYPED_TEST(Sa, RefreshAllocatesNothingOnCpus)
{
    const auto a = this->make(grid(12, 2, 1));
    const auto level = this->generate(a);
    level->refresh(a);
    const auto before = this->exec->get_counters();

    level->refresh(a);

    if (this->exec->get_master() == this->exec) {  // GPUs allocate workspace of sparse products
        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
    }
}

TYPED_TEST(Sa, RefusesUnsuitableMatrices)
{
    using spruce::InvalidStateError;
    const auto nan = std::numeric_limits<typename TestFixture::real>::quiet_NaN();
    const auto expect_message = [&](auto generate, const std::string& part) {
        try {
            generate();
            FAIL() << "no exception for " << part;
        } catch (const spruce::Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    const auto refused = [&](typename TestFixture::rows_list rows, const std::string& part) {
        expect_message([&] { this->generate(this->csr(rows)); }, part);
    };

    refused({{1, 0}}, "1 x 2");
    refused({{1, 1}, {1, 0}}, "row 1");
    refused({{1, 1, 0}, {1, 2, 0}, {0, nan, 1}}, "row 2");
    if (!spruce::is_complex<typename TestFixture::V>()) {
        refused({{1, 1}, {1, -2}}, "row 1");
    }
    expect_message([&] { this->generate(this->csr({{1, 0}, {0, 1}}), -1); }, "strength_threshold -1");
    const auto level = this->generate(this->csr({{2, 1}, {1, 2}}));
    expect_message([&] { level->refresh(share(this->csr({{2, 1}, {0, 2}}))); }, "row 1");
    expect_message([&] { level->refresh(share(this->csr({{2, 1}, {nan, 2}}))); }, "row 1");
    expect_message([&] { level->refresh(share(this->csr({{2}}))); }, "1 x 1");
}

TYPED_TEST(Sa, CopiesAndMoves)
{
    const auto level = this->generate(this->make(grid(12, 2, 1)));
    const auto b = this->random_dense(144, 2);
    const auto expected = this->apply(level, b);
    const auto copy = clone(level);
    const auto on_reference = clone(this->ref, level);

    EXPECT_MTX_NEAR(this->apply(copy, b), expected, 0.0);
    EXPECT_TRUE(copy->can_be_refreshed());
    EXPECT_TRUE(on_reference->get_coarse_op()->get_executor()->is_equivalent_to(this->ref.get()));
    const auto moved = TestFixture::sa::build().on(this->exec)->generate(this->csr({{1}}));
    moved->move_from(copy);
    EXPECT_MTX_NEAR(this->apply(moved, b), expected, 0.0);
    EXPECT_EQ(copy->get_coarse_op(), nullptr);
    EXPECT_FALSE(copy->can_be_refreshed());
}

TEST(LargestEigenvalue, OfATridiagonalMatrix)
{
    using spruce::multigrid::detail::largest_eigenvalue;
    const auto inf = std::numeric_limits<double>::infinity();

    // 2 - 2 cos(k pi / 4) for k = 1, 2, 3
    EXPECT_NEAR(largest_eigenvalue({2, 2, 2}, {1, 1, 0}), 2 + std::sqrt(2), 1e-5);
    EXPECT_NEAR(largest_eigenvalue({3}, {0}), 3, 1e-5);
    EXPECT_NEAR(largest_eigenvalue({1, 5}, {0, 1}), 1, 1e-5);  // the second row is not connected
    EXPECT_NEAR(largest_eigenvalue({1, inf}, {inf, inf}), 1, 1e-5);
    EXPECT_EQ(largest_eigenvalue({}, {}), 0);
}

}  // namespace
