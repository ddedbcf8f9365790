// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests creation and storage of Ell, Sellp and Hybrid, and how Hybrid partitions rows.

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::clone;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class PaddedLayouts : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using Ell = spruce::matrix::Ell<V, I>;
    using Sellp = spruce::matrix::Sellp<V, I>;
    using Hybrid = spruce::matrix::Hybrid<V, I>;
    using rows_by_length = std::vector<size_type>;

    array<V> values(std::initializer_list<V> list) const { return {this->exec, list}; }
    array<I> indices(std::initializer_list<I> list) const { return {this->exec, list}; }

    template <typename T>
    std::vector<T> host_copy(size_type size, const T* data) const
    {
        return spruce::make_const_array_view(this->exec, size, data).copy_to_array().copy_to_host();
    }
};
TYPED_TEST_SUITE(PaddedLayouts, value_and_index_types, type_names);

// ---- Ell ----------------------------------------------------------------------------------------

TYPED_TEST(PaddedLayouts, OfEllIsColumnMajor)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto ell = TestFixture::Ell::create(this->exec);

    this->csr({{1, 0, 2}, {0, 3, 0}})->convert_to(ell);

    EXPECT_EQ(ell->get_num_stored_elements_per_row(), 2u);
    EXPECT_EQ(ell->get_stride(), 2u);
    EXPECT_EQ(this->host_copy(4, ell->get_const_values()), (std::vector<V>{1, 3, 2, 0}));
    EXPECT_EQ(this->host_copy(4, ell->get_const_col_idxs()), (std::vector<I>{0, 1, 2, -1}));
    const auto host = clone(this->ref, ell);
    EXPECT_EQ(host->val_at(1, 0), V(3));
    EXPECT_EQ(host->col_at(0, 1), I(2));
    EXPECT_EQ(host->val_at(1), V(2));
    EXPECT_EQ(host->col_at(3), I(-1));
}

TYPED_TEST(PaddedLayouts, OfEllFromArrays)
{
    using Ell = typename TestFixture::Ell;
    const auto cols = this->indices({0, -1, 9, 2, 1, 9});  // padding is allowed anywhere; the stride is 3

    const auto a = Ell::create(this->exec, dim<2>{2, 3}, this->values({1, 7, 7, 2, 3, 7}), cols, 2, 3);

    EXPECT_MTX_STORED_ALIKE(a, this->csr({{1, 0, 2}, {0, 3, 0}}));
    EXPECT_MTX_NEAR(this->apply(a, this->dense({{1}, {1}, {1}})), this->dense({{3}, {3}}), 0.0);
    EXPECT_MTX_NEAR(this->apply(a, this->dense({{1, 2}, {1, 2}, {1, 2}})), this->dense({{3, 6}, {3, 6}}), 0.0);
    const auto values = this->values({1, 7, 7, 2, 3, 7});
    const auto view = Ell::create_const(this->exec, dim<2>{2, 3}, values.as_const_view(), cols.as_const_view(), 2, 3);
    EXPECT_EQ(view->get_const_values(), values.get_const_data());
    EXPECT_EQ(view->get_const_col_idxs(), cols.get_const_data());
}

TYPED_TEST(PaddedLayouts, OfEllNeedsArraysThatFit)
{
    using Ell = typename TestFixture::Ell;
    const dim<2> size{2, 3};

    EXPECT_THROW_WITH(Ell::create(this->exec, size, this->values({1, 2}), this->indices({0, 1, 2, 0}), 2, 2),
                      spruce::ValueMismatch, "2 and 4 differ");
    EXPECT_THROW_WITH(Ell::create(this->exec, size, this->values({1, 2, 3, 4}), this->indices({0, 1, 2}), 2, 2),
                      spruce::ValueMismatch, "3 and 4 differ");
    EXPECT_THROW_WITH(Ell::create(this->exec, size, 2, 1), spruce::BadDimension, "the stride is 1");
    EXPECT_THROW(Ell::create(this->exec, size, size_type{1} << 40, size_type{1} << 40), spruce::OverflowError);
}

TYPED_TEST(PaddedLayouts, OfSellpNeedNumbersOfElementsThatCanBeCounted)
{
    EXPECT_THROW(TestFixture::Sellp::create(this->exec, dim<2>{2, 3}, size_type{1} << 20, 1, size_type{1} << 44),
                 spruce::OverflowError);
}

TYPED_TEST(PaddedLayouts, OfSellpHaveSlicesOfASensibleSize)
{
    using Sellp = typename TestFixture::Sellp;
    constexpr auto largest = std::numeric_limits<size_type>::max();
    constexpr size_type max_extent = spruce::matrix::max_slice_extent;
    const auto a = this->csr({{1, 0, 2}, {0, 3, 0}});

    for (const auto extent : {size_type{}, max_extent + 1, largest / 2, largest - 1, largest}) {
        const auto named = std::to_string(extent) + ", but has to be at least 1 and at most 1048576";
        EXPECT_THROW_WITH(Sellp::create(this->exec, dim<2>{2, 3}, extent, 1, 0), spruce::BadDimension,
                          "the slice size is " + named);
        EXPECT_THROW_WITH(Sellp::create(this->exec, dim<2>{2, 3}, 1, extent, 0), spruce::BadDimension,
                          "the stride factor is " + named);
    }
    for (const auto& [slice_size, stride_factor] :
         {std::pair{max_extent, size_type{1}}, std::pair{size_type{1}, max_extent}}) {
        const auto sellp = Sellp::create(this->exec, dim<2>{}, slice_size, stride_factor, 0);

        a->convert_to(sellp.get());

        EXPECT_EQ(sellp->get_num_stored_elements(), 2 * max_extent);
        EXPECT_MTX_NEAR(sellp, a, 0.0);
    }
}

TYPED_TEST(PaddedLayouts, OfRowsThatIndicesCannotCountAreRefused)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    if constexpr (sizeof(I) == 4) {
        // Views claim to be longer than their memory, which is not accessed.
        constexpr auto length = size_type{1} << 31;
        V value{};
        I index{};
        const auto a = TestFixture::Ell::create(this->exec, dim<2>{1, 2}, array<V>::view(this->exec, length, &value),
                                                array<I>::view(this->exec, length, &index), length, 1);
        const auto expect_overflow = [&](auto result) {
            result->copy_from(this->csr({{1, 2}}));

            EXPECT_THROW(a->convert_to(result.get()), spruce::OverflowError);

            EXPECT_MTX_STORED_ALIKE(result, this->csr({{1, 2}}));
        };

        expect_overflow(TestFixture::Csr::create(this->exec));
        expect_overflow(TestFixture::Coo::create(this->exec));
        expect_overflow(TestFixture::Sellp::create(this->exec));
        expect_overflow(spruce::matrix::Hybrid<V, I>::create(this->exec));
        expect_overflow(spruce::matrix::Fbcsr<V, I>::create(this->exec));
        EXPECT_THROW(a->transpose(), spruce::OverflowError);
        EXPECT_THROW(a->sort_by_column_index(), spruce::OverflowError);
        EXPECT_THROW(a->create_submatrix({0, 1}, {0, 1}), spruce::OverflowError);
    }
}

TYPED_TEST(PaddedLayouts, OfNewMatricesHoldNothing)
{
    const dim<2> size{3, 2};
    const auto zeros = this->dense({{0}, {0}, {0}});
    const auto empty = TestFixture::Csr::create(this->exec, size);
    const auto check = [&](auto a) {
        EXPECT_MTX_STORED_ALIKE(a, empty);
        EXPECT_MTX_NEAR(this->apply(a, this->dense({{1}, {2}})), zeros, 0.0);
    };

    check(TestFixture::Ell::create(this->exec, size));
    check(TestFixture::Ell::create(this->exec, size, 2));
    check(TestFixture::Ell::create(this->exec, size, 2, 5));
    check(TestFixture::Sellp::create(this->exec, size));
    check(TestFixture::Sellp::create(this->exec, size, 4));
    check(TestFixture::Sellp::create(this->exec, size, 2, 1, 4));
    check(TestFixture::Hybrid::create(this->exec, size));
    check(TestFixture::Hybrid::create(this->exec, size, 2));
    check(TestFixture::Hybrid::create(this->exec, size, 2, 5));
}

TYPED_TEST(PaddedLayouts, WithPaddingOnlyDoNotReadVectorsWithoutRows)
{
    const auto a = TestFixture::Ell::create(this->exec, dim<2>{3, 0}, 2);

    EXPECT_MTX_NEAR(this->apply(a, this->dense_of_nan(0, 1)), this->dense({{0}, {0}, {0}}), 0.0);
}

// ---- Sellp --------------------------------------------------------------------------------------

TYPED_TEST(PaddedLayouts, OfSellpIsSliceBySlice)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto csr = this->csr({{1, 0, 2}, {0, 3, 0}, {0, 0, 4}});
    const auto sellp = TestFixture::Sellp::create(this->exec, dim<2>{}, 2, 1, 0);

    csr->convert_to(sellp);

    EXPECT_EQ(sellp->get_slice_size(), 2u);
    EXPECT_EQ(sellp->get_total_cols(), 3u);
    EXPECT_EQ(this->host_copy(2, sellp->get_const_slice_lengths()), (std::vector<size_type>{2, 1}));
    EXPECT_EQ(this->host_copy(3, sellp->get_const_slice_sets()), (std::vector<size_type>{0, 2, 3}));
    EXPECT_EQ(this->host_copy(6, sellp->get_const_values()), (std::vector<V>{1, 3, 2, 0, 4, 0}));
    EXPECT_EQ(this->host_copy(6, sellp->get_const_col_idxs()), (std::vector<I>{0, 1, 2, -1, 2, -1}));
    const auto host = clone(this->ref, sellp);
    EXPECT_EQ(host->val_at(1, 0, 0), V(3));
    EXPECT_EQ(host->col_at(0, 2, 0), I(2));
}

TYPED_TEST(PaddedLayouts, OfSellpRoundsSlicesToStrideFactor)
{
    const auto sellp = TestFixture::Sellp::create(this->exec, dim<2>{}, 2, 4, 0);

    this->csr({{1, 0, 2}, {0, 3, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}})->convert_to(sellp);

    EXPECT_EQ(sellp->get_stride_factor(), 4u);
    EXPECT_EQ(this->host_copy(3, sellp->get_const_slice_lengths()), (std::vector<size_type>{4, 0, 4}));
    EXPECT_EQ(sellp->get_total_cols(), 8u);
}

TYPED_TEST(PaddedLayouts, OfSellpHasItsDefaults)
{
    const auto sellp = TestFixture::Sellp::create(this->exec);

    EXPECT_EQ(sellp->get_slice_size(), 64u);
    EXPECT_EQ(sellp->get_stride_factor(), 1u);
    EXPECT_THROW_WITH(TestFixture::Sellp::create(this->exec, dim<2>{2, 2}, 0, 1, 0), spruce::BadDimension,
                      "the slice size is 0");
    EXPECT_THROW_WITH(TestFixture::Sellp::create(this->exec, dim<2>{2, 2}, 2, 0, 0), spruce::BadDimension,
                      "the stride factor is 0");
}

// ---- Hybrid -------------------------------------------------------------------------------------

TYPED_TEST(PaddedLayouts, OfHybridPutsTheRestOfLongRowsIntoCoo)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Hybrid = typename TestFixture::Hybrid;
    const auto hybrid = Hybrid::create(this->exec, std::make_shared<typename Hybrid::column_limit>(1));

    this->csr({{1, 0, 2}, {0, 3, 0}, {4, 5, 6}})->convert_to(hybrid);

    EXPECT_EQ(hybrid->get_ell_num_stored_elements_per_row(), 1u);
    EXPECT_EQ(hybrid->get_ell_num_stored_elements(), 3u);
    EXPECT_EQ(hybrid->get_coo_num_stored_elements(), 3u);
    EXPECT_EQ(hybrid->get_num_stored_elements(), 6u);
    EXPECT_EQ(this->host_copy(3, hybrid->get_const_ell_values()), (std::vector<V>{1, 3, 4}));
    EXPECT_EQ(this->host_copy(3, hybrid->get_const_ell_col_idxs()), (std::vector<I>{0, 1, 0}));
    EXPECT_EQ(this->host_copy(3, hybrid->get_const_coo_values()), (std::vector<V>{2, 5, 6}));
    EXPECT_EQ(this->host_copy(3, hybrid->get_const_coo_row_idxs()), (std::vector<I>{0, 2, 2}));
    EXPECT_EQ(this->host_copy(3, hybrid->get_const_coo_col_idxs()), (std::vector<I>{2, 1, 2}));
    const auto host = clone(this->ref, hybrid);
    EXPECT_EQ(host->ell_val_at(2, 0), V(4));
    EXPECT_EQ(host->ell_col_at(1), I(1));
    EXPECT_EQ(hybrid->get_ell()->get_size(), (dim<2>{3, 3}));
    EXPECT_EQ(hybrid->get_coo()->get_size(), (dim<2>{3, 3}));
}

TYPED_TEST(PaddedLayouts, OfHybridFollowStrategies)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Hybrid = typename TestFixture::Hybrid;
    // 1000 rows: 100 are empty, 500 have one entry, 300 two, 99 five, 1 eight.
    const typename TestFixture::rows_by_length rows{100, 500, 300, 0, 0, 99, 0, 0, 1};
    const auto length_of = [&](const typename Hybrid::strategy_type& strategy) {
        return strategy.compute_ell_num_stored_elements_per_row(rows);
    };
    using imbalance_limit = typename Hybrid::imbalance_limit;
    using bounded = typename Hybrid::imbalance_bounded_limit;

    EXPECT_EQ(length_of(typename Hybrid::column_limit{}), 0u);
    EXPECT_EQ(length_of(typename Hybrid::column_limit{7}), 7u);
    EXPECT_EQ(length_of(imbalance_limit{0.0}), 0u);
    EXPECT_EQ(length_of(imbalance_limit{0.0999}), 0u);
    EXPECT_EQ(length_of(imbalance_limit{0.5}), 1u);
    EXPECT_EQ(length_of(imbalance_limit{}), 2u);
    EXPECT_EQ(length_of(imbalance_limit{0.95}), 5u);
    EXPECT_EQ(length_of(imbalance_limit{1.0}), 8u);
    EXPECT_EQ(length_of(imbalance_limit{7.0}), 8u);
    EXPECT_EQ(length_of(bounded{}), 0u);
    EXPECT_EQ(length_of(bounded{0.95, 0.003}), 3u);
    EXPECT_EQ(length_of(bounded{0.8, 0.003}), 2u);
    EXPECT_EQ(length_of(typename Hybrid::automatic{}), 1u);
    const typename Hybrid::minimal_storage_limit least;
    EXPECT_DOUBLE_EQ(least.get_percentage(), double(sizeof(I)) / (sizeof(V) + 2 * sizeof(I)));
    EXPECT_EQ(length_of(least), length_of(imbalance_limit{least.get_percentage()}));
    EXPECT_EQ(imbalance_limit{}.compute_ell_num_stored_elements_per_row({0}), 0u);
}

/// Records the size of the largest allocation.
struct largest_allocation : spruce::log::Logger {
    void on_allocation_started(const spruce::Executor*, const size_type& num_bytes) const override
    {
        largest = std::max(largest, num_bytes);
    }
    mutable size_type largest{};
};

TYPED_TEST(PaddedLayouts, OfHybridDivideVeryLongRows)  // memory must not be proportional to the longest row
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Hybrid = typename TestFixture::Hybrid;
    // 8 rows have 2 entries, 1 has 20000, 1 has 300000. The longest may cost no more than the Coo
    // part.
    const std::vector<size_type> lengths{2, 2, 2, 20000, 2, 2, 300000, 2, 2, 2};
    const auto a = make_csr<V, I>(this->exec, random_sparse(this->engine, lengths, 300000));
    const auto check = [&](auto strategy, size_type ell_length, size_type num_rest) {
        const auto hybrid = Hybrid::create(this->exec, strategy);
        a->convert_to(hybrid);
        EXPECT_EQ(hybrid->get_ell_num_stored_elements_per_row(), ell_length);
        EXPECT_EQ(hybrid->get_coo_num_stored_elements(), num_rest);
        const auto back = TestFixture::Csr::create(this->exec);
        hybrid->convert_to(back);
        EXPECT_MTX_STORED_ALIKE(back, a);
    };
    using imbalance_limit = typename Hybrid::imbalance_limit;
    using column_limit = typename Hybrid::column_limit;

    check(std::make_shared<imbalance_limit>(0.5), 2, 319996);
    check(std::make_shared<imbalance_limit>(0.8), 20000, 280000);
    check(std::make_shared<imbalance_limit>(1.0), 300000, 0);
    check(std::make_shared<column_limit>(16383), 16383, 3617 + 283617);
    check(std::make_shared<column_limit>(16384), 16384, 3616 + 283616);
    check(std::make_shared<column_limit>(20000), 20000, 280000);
    check(std::make_shared<column_limit>(400000), 300000, 0);

    const auto logger = std::make_shared<largest_allocation>();
    this->exec->add_logger(logger);
    a->convert_to(Hybrid::create(this->exec, std::make_shared<imbalance_limit>(0.5)));
    this->exec->remove_logger(logger);
    EXPECT_LE(logger->largest, 319996 * std::max(sizeof(V), sizeof(I)));
}

TYPED_TEST(PaddedLayouts, OfHybridGivesStrategiesForOtherTypes)
{
    using Hybrid = typename TestFixture::Hybrid;
    using Other = spruce::matrix::Hybrid<spruce::next_precision<typename TestFixture::V>, typename TestFixture::I>;
    const auto other_of = [&](auto strategy) {
        return Hybrid::create(this->exec, strategy)->template get_strategy<Other>();
    };
    const auto limit = std::dynamic_pointer_cast<typename Other::column_limit>(
        other_of(std::make_shared<typename Hybrid::column_limit>(3)));
    const auto imbalance = std::dynamic_pointer_cast<typename Other::imbalance_limit>(
        other_of(std::make_shared<typename Hybrid::imbalance_limit>(0.25)));
    const auto bounded = std::dynamic_pointer_cast<typename Other::imbalance_bounded_limit>(
        other_of(std::make_shared<typename Hybrid::imbalance_bounded_limit>(0.25, 0.5)));

    ASSERT_TRUE(limit && imbalance && bounded);
    EXPECT_EQ(limit->get_num_columns(), 3u);
    EXPECT_EQ(imbalance->get_percentage(), 0.25);
    EXPECT_EQ(bounded->get_percentage(), 0.25);
    EXPECT_EQ(bounded->get_ratio(), 0.5);
    EXPECT_TRUE(std::dynamic_pointer_cast<typename Other::minimal_storage_limit>(
        other_of(std::make_shared<typename Hybrid::minimal_storage_limit>())));
    EXPECT_TRUE(std::dynamic_pointer_cast<typename Other::automatic>(
        Hybrid::create(this->exec)->template get_strategy<Other>()));
}

TYPED_TEST(PaddedLayouts, OfHybridCountsRowsOfEveryLength)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Hybrid = typename TestFixture::Hybrid;
    struct asks : Hybrid::strategy_type {
        size_type compute_ell_num_stored_elements_per_row(const std::vector<size_type>& rows) const override
        {
            seen = rows;
            return 0;
        }
        mutable std::vector<size_type> seen;
    };
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        std::vector<size_type> lengths(one.data.size[0]);
        for (const auto& entry : one.data.nonzeros) {
            ++lengths[entry.row];
        }
        std::vector<size_type> expected(one.longest_row + 1);
        for (const auto length : lengths) {
            ++expected[length];
        }
        const auto strategy = std::make_shared<asks>();

        make_csr<V, I>(this->exec, one.data)->convert_to(Hybrid::create(this->exec, strategy));

        EXPECT_EQ(strategy->seen, expected);
    }
}

}  // namespace
