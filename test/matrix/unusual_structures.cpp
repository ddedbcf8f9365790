// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests operations on matrices with few long rows, many empty rows or one long column. The long
// rows have just more entries than the tiles of kernels, and more tiles than a warp has threads.

#include "core/matrix/csr_tiles.hpp"
#include "test/utils/formats.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class UnusualStructures : public formats_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using typename formats_test<Types>::SparsityCsr;

    /// Number of items of a large tile of the merge path.
    static constexpr size_type tile = spruce::matrix::csr::spmv_tile_entries<V>;
    /// More entries than tiles of all kernels have.
    static constexpr size_type long_row = 1500;
    /// Entries of a few more tiles than threads in a warp.
    static constexpr size_type longest_row = 70 * tile;
    /// Entries of so many tiles that the whole block adds their carries.
    static constexpr size_type huge_row = 330 * tile;

    std::vector<sparse_case> structures(size_type length_of_only_row = long_row)
    {
        std::vector<sparse_case> result;
        const auto add = [&](const char* name, const std::vector<size_type>& lengths, size_type num_cols) {
            result.push_back(this->random_case(name, lengths, num_cols));
        };
        const auto with_row = [](std::vector<size_type> lengths, size_type row, size_type length) {
            lengths[row] = length;
            return lengths;
        };
        add("one row", {length_of_only_row}, length_of_only_row);
        add("three long rows", {long_row, long_row + 7, long_row}, 2 * long_row);
        add("small tiles", std::vector<size_type>(70, tile + 100), long_row);
        add("long first row", with_row(std::vector<size_type>(300, 2), 0, longest_row), longest_row);
        add("long last row", with_row(std::vector<size_type>(300, 2), 299, long_row), long_row);
        add("two long rows side by side",
            with_row(with_row(std::vector<size_type>(90, 1), 40, longest_row), 41, long_row), longest_row);
        add("one entry in the middle of many rows", with_row(std::vector<size_type>(5000, 0), 2345, 1), 3);
        add("one column", std::vector<size_type>(3000, 1), 1);
        auto gaps = std::vector<size_type>(4000, 0);
        for (size_type row = 0; row < gaps.size(); row += 700) {
            gaps[row] = row % 1400 == 0 ? 3 : long_row;
        }
        add("few rows of many", gaps, 2 * long_row);
        return result;
    }
};
TYPED_TEST_SUITE(UnusualStructures, one_of_each_type, type_names);

TYPED_TEST(UnusualStructures, MultiplyLikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Csr = typename kernel_test<TypeParam>::Csr;
    using SparsityCsr = typename formats_test<TypeParam>::SparsityCsr;
    for (const auto& one : this->structures(this->huge_row)) {
        const std::shared_ptr<typename Csr::strategy_type> strategies[]{
            Csr::create(this->exec)->get_strategy(), std::make_shared<typename Csr::classical>(),
            std::make_shared<typename Csr::merge_path>(), std::make_shared<typename Csr::load_balance>()};
        std::vector<std::unique_ptr<Csr>> owners;
        std::vector<const spruce::LinOp*> matrices;
        for (const auto& strategy : strategies) {
            owners.push_back(make_csr<V, I>(this->exec, one.data, strategy));
            matrices.push_back(owners.back().get());
        }
        const auto coo = spruce::matrix::Coo<V, I>::create(this->exec);
        owners.front()->convert_to(coo);
        matrices.push_back(coo.get());
        const auto ref_csr = clone(this->ref, owners.front());
        const auto pattern = SparsityCsr::create(this->exec);
        owners.front()->convert_to(pattern);
        const auto ref_pattern = clone(this->ref, pattern);
        const auto tolerance = this->tolerance_of_sum(one.longest_row + 1);
        for (const size_type num_cols : {1, 2, 3, 9, 35}) {
            if (num_cols > 3 && one.longest_row >= this->longest_row) {
                continue;  // saves time: the carries of all numbers of columns are added by one function
            }
            SCOPED_TRACE(one.name + ", " + std::to_string(num_cols) + " columns");
            this->compare_products(matrices, *ref_csr, num_cols, tolerance);
            this->compare_products({pattern.get()}, *ref_pattern, num_cols, tolerance);
        }
    }
}

TYPED_TEST(UnusualStructures, LoadBalanceMultipliesLongRunsOfEmptyRowsByTheMergePath)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Csr = typename kernel_test<TypeParam>::Csr;
    constexpr auto run = spruce::matrix::csr::max_rows_of_balanced_tile<V> + 1;
    const auto compare = [&](std::vector<size_type> lengths, size_type position, size_type num_empty, bool uses_tiles) {
        SCOPED_TRACE(std::to_string(num_empty) + " empty rows at " + std::to_string(position));
        lengths.insert(lengths.begin() + position, num_empty, 0);
        const auto data = random_sparse(this->engine, lengths, 2 * this->long_row);
        const auto a = make_csr<V, I>(this->exec, data, std::make_shared<typename Csr::load_balance>());
        if (is_device(*this->exec)) {
            EXPECT_EQ(a->get_num_srow_elements() > 0, uses_tiles);
        }
        for (const size_type num_cols : {1, 2, 4}) {
            this->compare_products({a.get()}, *clone(this->ref, a), num_cols,
                                   this->tolerance_of_sum(this->long_row + 1));
        }
    };

    for (const size_type position : {0, 1, 2}) {
        compare({this->long_row, this->long_row}, position, run, false);
        compare({2, 3}, position, run, false);
        compare({this->long_row, this->long_row}, position, run - 2, true);  // the largest tile that is allowed
        compare({2, 3}, position, run - 3, true);
    }
}

TYPED_TEST(UnusualStructures, AreAddedLikeOnReference)
{
    const auto alpha = this->dense({{2.5}});
    const auto beta = this->dense({{-0.5}});
    const auto others = this->structures();
    for (const auto& one : this->structures()) {
        for (const auto& other : others) {
            if (one.data.size != other.data.size) {
                continue;
            }
            SCOPED_TRACE(one.name + " and " + other.name);
            using V = typename TypeParam::value_type;
            using I = typename TypeParam::index_type;
            const auto a = make_csr<V, I>(this->exec, one.data);
            const auto b = make_csr<V, I>(this->exec, other.data);
            const auto sum = a->scale_add(alpha, beta, b);
            const auto expected = clone(this->ref, a)->scale_add(alpha, beta, clone(this->ref, b));
            EXPECT_MTX_STORED_ALIKE(sum, expected);
        }
    }
}

TYPED_TEST(UnusualStructures, FindTheDiagonalAnywhereInARow)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto size = this->longest_row;
    spruce::test::host_matrix data{dim<2>{size, size}};
    for (size_type i = 0; i < size; ++i) {
        data.nonzeros.emplace_back(i, i, 1.0);
        if (i != size / 2) {
            data.nonzeros.emplace_back(size / 2, i, 1.0);
        }
    }
    data.sort_row_major();
    const auto a = make_csr<V, I>(this->exec, data);
    const auto expected = make_csr<V, I>(this->ref, data);
    const auto alpha = this->dense({{3.0}});
    const auto beta = this->dense({{2.0}});

    a->add_scaled_identity(alpha, beta);

    expected->add_scaled_identity(alpha, beta);
    EXPECT_MTX_NEAR(a, expected, 0.0);
}

TYPED_TEST(UnusualStructures, AddToTheFirstOfTwoDiagonalEntries)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Csr = typename kernel_test<TypeParam>::Csr;
    const auto a = Csr::create(this->exec, dim<2>{2, 2}, array<V>{this->exec, {1.0, 2.0, 3.0}},
                               array<I>{this->exec, {0, 0, 1}}, array<I>{this->exec, {0, 2, 3}});

    a->add_scaled_identity(this->dense({{10.0}}), this->dense({{1.0}}));

    const auto host = clone(this->ref, a);
    EXPECT_EQ(host->get_const_values()[0], V(11.0));
    EXPECT_EQ(host->get_const_values()[1], V(2.0));
    EXPECT_EQ(host->get_const_values()[2], V(13.0));
}

TYPED_TEST(UnusualStructures, AreCheckedAndSorted)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : this->structures()) {
        SCOPED_TRACE(one.name);
        const auto sorted = make_csr<V, I>(this->exec, one.data);
        EXPECT_TRUE(sorted->is_sorted_by_column_index());
        const auto copy = sorted->clone();
        copy->sort_by_column_index();
        EXPECT_MTX_STORED_ALIKE(copy, sorted);
        if (one.longest_row == 1) {
            continue;
        }
        // Swaps the last two entries of the longest row.
        const auto host = clone(this->ref, sorted);
        const auto row_ptrs = host->get_const_row_ptrs();
        size_type row = 0;
        while (static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]) < one.longest_row) {
            ++row;
        }
        const auto last = row_ptrs[row + 1] - 1;
        std::swap(host->get_col_idxs()[last - 1], host->get_col_idxs()[last]);
        std::swap(host->get_values()[last - 1], host->get_values()[last]);
        const auto unsorted = clone(this->exec, host);
        EXPECT_FALSE(unsorted->is_sorted_by_column_index());
        unsorted->sort_by_column_index();
        EXPECT_MTX_STORED_ALIKE(unsorted, sorted);
    }
}

TYPED_TEST(UnusualStructures, CarryWithoutEntriesDoesNotBecomeNan)
{
    // Each row fills one tile of the merge path, so that each tile carries an empty sum to the next
    // row.
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Csr = typename kernel_test<TypeParam>::Csr;
    constexpr auto tile = spruce::matrix::csr::spmv_tile_entries<V>;
    using real = spruce::remove_complex<V>;
    const auto data = this->with_ones(random_sparse(this->engine, {tile - 1, tile - 1, tile - 1}, 2 * tile));
    const auto a = make_csr<V, I>(this->exec, data, std::make_shared<typename Csr::merge_path>());
    const auto alpha = this->dense({{V(std::numeric_limits<real>::infinity())}});
    const auto zero = this->dense({{0.0}});
    for (const size_type num_cols : {1, 3, 8}) {
        const auto b = this->random_dense(2 * tile, num_cols);
        b->fill(V(1));
        const auto x = this->dense_of_nan(3, num_cols);
        a->apply(alpha, b, zero, x);
        const auto host = clone(this->ref, x);
        for (size_type i = 0; i < 3 * num_cols; ++i) {
            EXPECT_TRUE(std::isinf(std::real(host->at(i / num_cols, i % num_cols))))
                << "entry " << i << " of " << num_cols << " columns";
        }
    }
}

TYPED_TEST(UnusualStructures, UnusedCapacityIsIgnored)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Csr = typename kernel_test<TypeParam>::Csr;
    using SparsityCsr = typename formats_test<TypeParam>::SparsityCsr;
    constexpr size_type num_unused = 5000;  // several tiles
    const auto used = make_csr<V, I>(this->ref, random_sparse(this->engine, {3, 0, 700, 5}, 1000));
    const auto nnz = used->get_num_stored_elements();
    array<I> cols{this->ref, nnz + num_unused};
    array<V> values{this->ref, nnz + num_unused};
    cols.fill(0);
    values.fill(V(std::numeric_limits<spruce::remove_complex<V>>::quiet_NaN()));
    std::copy_n(used->get_const_col_idxs(), nnz, cols.get_data());
    std::copy_n(used->get_const_values(), nnz, values.get_data());
    const array<I> row_ptrs{this->ref, used->get_const_row_ptrs(), used->get_const_row_ptrs() + 5};
    const dim<2> size{4, 1000};
    const auto pattern =
        SparsityCsr::create(this->exec, size, array<I>{this->exec, cols}, array<I>{this->exec, row_ptrs});
    const auto ref_pattern = SparsityCsr::create(this->ref);
    used->convert_to(ref_pattern);
    for (const size_type num_cols : {1, 2, 4, 9}) {
        SCOPED_TRACE(std::to_string(num_cols) + " columns");
        const auto tolerance = this->tolerance_of_sum(701);
        const std::shared_ptr<typename Csr::strategy_type> strategies[]{std::make_shared<typename Csr::classical>(),
                                                                        std::make_shared<typename Csr::merge_path>(),
                                                                        std::make_shared<typename Csr::load_balance>()};
        for (const auto& strategy : strategies) {
            SCOPED_TRACE(strategy->get_name());
            const auto a = Csr::create(this->exec, size, array<V>{this->exec, values}, array<I>{this->exec, cols},
                                       array<I>{this->exec, row_ptrs}, strategy);
            this->compare_products({a.get()}, *used, num_cols, tolerance);
        }
        this->compare_products({pattern.get()}, *ref_pattern, num_cols, tolerance);
    }
}

}  // namespace
