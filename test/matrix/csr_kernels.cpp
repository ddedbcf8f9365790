// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <numeric>

#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/csr_tiles.hpp"

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class CsrSpmv : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::Csr;
    using strategy = std::shared_ptr<typename Csr::strategy_type>;

    /// Returns the strategies that every executor supports.
    std::vector<strategy> own_strategies() const
    {
        return {std::make_shared<typename Csr::classical>(), std::make_shared<typename Csr::merge_path>(),
                this->load_balance(), this->automatical()};
    }
    /// Returns the strategies of this executor, which include the vendor's library if it is
    /// available.
    std::vector<strategy> strategies() const
    {
        auto result = this->own_strategies();
        if (!is_simulated(*this->exec)) {
            result.push_back(std::make_shared<typename Csr::sparselib>());
        }
        return result;
    }

    strategy load_balance() const
    {
        if (const auto cuda = std::dynamic_pointer_cast<const spruce::CudaExecutor>(this->exec)) {
            return std::make_shared<typename Csr::load_balance>(cuda);
        }
        if (const auto hip = std::dynamic_pointer_cast<const spruce::HipExecutor>(this->exec)) {
            return std::make_shared<typename Csr::load_balance>(hip);
        }
        return std::make_shared<typename Csr::load_balance>();
    }

    strategy automatical() const
    {
        if (const auto cuda = std::dynamic_pointer_cast<const spruce::CudaExecutor>(this->exec)) {
            return std::make_shared<typename Csr::automatical>(cuda);
        }
        if (const auto hip = std::dynamic_pointer_cast<const spruce::HipExecutor>(this->exec)) {
            return std::make_shared<typename Csr::automatical>(hip);
        }
        return std::make_shared<typename Csr::automatical>();
    }

    /// Compares x = a b and x = alpha a b + beta x on this executor with the reference, for every
    /// strategy.
    void compare(const sparse_case& one, size_type num_rhs, size_type b_padding = 0, size_type x_padding = 0)
    {
        using V = typename Types::value_type;
        using I = typename Types::index_type;
        const auto size = one.data.size;
        const auto host_b = random_full(this->engine, size[1], num_rhs);
        const auto host_x = random_full(this->engine, size[0], num_rhs);
        const auto alpha = this->dense({{V(-1.25)}});
        const auto beta = this->dense({{V(0.75)}});
        const auto b = make_dense<V>(this->exec, host_b, num_rhs + b_padding);
        const auto ref_a = make_csr<V, I>(this->ref, one.data);
        const auto ref_b = make_dense<V>(this->ref, host_b);
        const auto expected = make_dense_of_nan<V>(this->ref, dim<2>{size[0], num_rhs});
        const auto expected_advanced = make_dense<V>(this->ref, host_x);
        ref_a->apply(ref_b, expected);
        ref_a->apply(alpha, ref_b, beta, expected_advanced);
        for (const auto& strategy : this->strategies()) {
            SCOPED_TRACE(one.name + ", " + strategy->get_name() + ", " + std::to_string(num_rhs) + " right-hand sides");
            const auto a = make_csr<V, I>(this->exec, one.data, strategy);
            const auto x = this->dense_of_nan(size[0], num_rhs, num_rhs + x_padding);
            const auto x_advanced = make_dense<V>(this->exec, host_x, num_rhs + x_padding);

            a->apply(b, x);
            a->apply(alpha, b, beta, x_advanced);

            EXPECT_MTX_NEAR(x, expected, this->tolerance_of_sum(one.longest_row));
            EXPECT_MTX_NEAR(x_advanced, expected_advanced, this->tolerance_of_sum(one.longest_row));
            EXPECT_TRUE(padding_is_intact(*x));
            EXPECT_TRUE(padding_is_intact(*x_advanced));
        }
    }
};
TYPED_TEST_SUITE(CsrSpmv, value_and_index_types, type_names);

TYPED_TEST(CsrSpmv, OverwritesResultAndHandlesEmptyRow)
{
    const auto a = this->csr({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}});
    const auto b = this->dense({{1}, {2}, {3}});
    const auto x = this->dense_of_nan(3, 1);

    a->apply(b, x);

    EXPECT_MTX_NEAR(x, this->dense({{7}, {0}, {6}}), 0.0);
}

TYPED_TEST(CsrSpmv, AddsScaledProductToScaledResult)
{
    const auto a = this->csr({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}});
    const auto b = this->dense({{1, -1}, {2, 0}, {3, 1}});
    const auto x = this->dense({{1, 2}, {3, 4}, {5, 6}});

    a->apply(this->dense({{-1}}), b, this->dense({{2}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{-5, 3}, {6, 8}, {4, 12}}), 0.0);
}

TYPED_TEST(CsrSpmv, MatchesReferenceOnEveryCase)
{
    for (const auto& one : sparse_cases(this->engine)) {
        this->compare(one, 1);
    }
}

TYPED_TEST(CsrSpmv, MatchesReferenceOnARowOverManyTilesAndWideGaps) { this->compare(many_tiles_case(this->engine), 1); }

/// Returns the lengths of rows from pairs of a number of rows and their length.
std::vector<size_type> lengths_of_rows(const std::vector<std::pair<size_type, size_type>>& numbers_and_lengths)
{
    std::vector<size_type> result;
    for (const auto& [num_rows, length] : numbers_and_lengths) {
        result.insert(result.end(), num_rows, length);
    }
    return result;
}

// Blocks of a GPU process as many whole rows as fit into a tile of 1024 (512) entries. Blocks with
// a long row may have more entries, which they process in pieces. A row longer than a tile has its
// own block.
TYPED_TEST(CsrSpmv, MatchesReferenceWhereRowsHaveManyLengths)
{
    const auto some = lengths_of_rows({{40, 30}, {20, 60}, {20, 0}, {20, 0}, {20, 60}, {40, 55}, {120, 10}});
    const auto empty = lengths_of_rows({{3000, 0}, {1, 2}, {20, 1}, {3000, 0}});
    const auto long_ones =
        lengths_of_rows({{40, 10}, {3, 400}, {5, 0}, {1, 1100}, {1, 2100}, {90, 11}, {1, 900}, {300, 3}, {1, 1024}});

    this->compare({"rows of up to 60 entries", random_sparse(this->engine, some, 500), 60}, 1);
    this->compare({"few rows with entries", random_sparse(this->engine, empty, 500), 2}, 1);
    this->compare({"long rows among short ones", random_sparse(this->engine, long_ones, 2200), 2100}, 1);
}

// With equal numbers of rows, half of the blocks would have more entries than a tile. None of
// `even` would.
TYPED_TEST(CsrSpmv, ChoosesRowsOfBlocksOnGpusWhereRowsHaveManyLengths)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto two_lengths = random_sparse(this->engine, lengths_of_rows({{1000, 30}, {1000, 5}}), 500);
    const auto even = random_sparse(this->engine, lengths_of_rows({{1000, 20}, {1000, 21}}), 500);
    const auto is_gpu =
        this->exec->get_backend() == spruce::backend::cuda || this->exec->get_backend() == spruce::backend::hip;
    for (const auto& strategy : this->own_strategies()) {
        if (strategy->get_algorithm() != spruce::matrix::csr::spmv_algorithm::classical) {
            continue;
        }
        const auto chosen = make_csr<V, I>(this->exec, two_lengths, strategy);
        const auto same = make_csr<V, I>(this->exec, even, strategy);

        const auto num_chosen = chosen->get_strategy()->get_num_row_blocks();

        EXPECT_EQ(num_chosen > 0, is_gpu);
        EXPECT_EQ(chosen->get_num_srow_elements(), is_gpu ? 2 * (num_chosen + 1) : 0);
        EXPECT_EQ(same->get_strategy()->get_num_row_blocks(), 0);
        EXPECT_EQ(same->get_num_srow_elements(), 0);
        if (is_gpu) {
            const auto srow =
                spruce::array<I>::const_view(this->exec, chosen->get_num_srow_elements(), chosen->get_const_srow())
                    .copy_to_array()
                    .copy_to_host();
            const auto first_entries = srow.begin() + num_chosen + 1;
            EXPECT_EQ(srow[0], 0);
            EXPECT_EQ(srow[num_chosen], 2000);
            EXPECT_EQ(first_entries[0], 0);
            EXPECT_EQ(first_entries[num_chosen], 35000);
            for (int64_t i = 0; i < num_chosen; ++i) {
                EXPECT_LE(srow[i], srow[i + 1]);
                EXPECT_LE(first_entries[i + 1] - first_entries[i],
                          static_cast<I>(spruce::matrix::csr::spmv_tile_entries<V>));
            }
        }
    }
}

// The strategy was set up for other rows: those of the original matrix, or none.
TYPED_TEST(CsrSpmv, ServesRowsThatWereChangedInPlace)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto before = random_sparse(this->engine, lengths_of_rows({{10, 60}, {500, 10}, {100, 1}}), 500);
    const auto after = random_sparse(this->engine, lengths_of_rows({{100, 1}, {500, 10}, {9, 60}, {1, 50}}), 500);
    const auto even = random_sparse(this->engine, lengths_of_rows({{610, 9}}), 500);
    const auto copy_rows = [&](const auto& from, const auto& to) {
        this->exec->copy(611, from->get_const_row_ptrs(), to->get_row_ptrs());
        this->exec->copy(from->get_num_stored_elements(), from->get_const_col_idxs(), to->get_col_idxs());
        this->exec->copy(from->get_num_stored_elements(), from->get_const_values(), to->get_values());
    };
    const auto changed = make_csr<V, I>(this->exec, before, std::make_shared<typename TestFixture::Csr::classical>());
    const auto no_longer_even =
        make_csr<V, I>(this->exec, even, std::make_shared<typename TestFixture::Csr::classical>());
    const auto from_even = random_sparse(this->engine, lengths_of_rows({{20, 200}, {500, 2}, {90, 5}}), 500);
    const auto by_hand = TestFixture::Csr::create(this->exec, dim<2>{610, 500}, after.nonzeros.size());
    copy_rows(make_csr<V, I>(this->exec, after), changed);
    copy_rows(make_csr<V, I>(this->exec, from_even), no_longer_even);
    copy_rows(make_csr<V, I>(this->exec, after), by_hand);
    const auto b = random_full(this->engine, 500, 1);
    const auto expect_product = [&](const auto& a, const auto& data) {
        const auto expected = make_dense_of_nan<V>(this->ref, dim<2>{610, 1});
        make_csr<V, I>(this->ref, data)->apply(make_dense<V>(this->ref, b), expected);

        const auto x = this->apply(a, make_dense<V>(this->exec, b));

        EXPECT_MTX_NEAR(x, expected, this->tolerance_of_sum(200));
    };

    expect_product(changed, after);
    expect_product(no_longer_even, from_even);
    expect_product(by_hand, after);
}

TYPED_TEST(CsrSpmv, MatchesReferenceOnEveryCaseWithSeveralRightHandSides)
{
    for (const auto& one : sparse_cases(this->engine)) {
        this->compare(one, 3, 2, 1);
    }
}

TYPED_TEST(CsrSpmv, MatchesReferenceForEveryNumberOfRightHandSides)
{
    const auto data = random_sparse(this->engine, 131, 97, nnz_per_row(0, 70));
    const auto short_rows = random_sparse(this->engine, 67, 97, nnz_per_row(3, 8));

    for (const size_type num_rhs : {0, 1, 2, 4, 5, 8, 17, 32, 33}) {
        this->compare({"ragged", data, 70}, num_rhs);
        this->compare({"ragged, strided", data, 70}, num_rhs, 3, 5);
        this->compare({"short rows", short_rows, 8}, num_rhs);
        this->compare({"short rows, strided", short_rows, 8}, num_rhs, 4, 8);
    }
}

TYPED_TEST(CsrSpmv, ServesSubmatrixViews)
{
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto big_b = this->dense({{9, 9, 9, 9}, {9, 1, 2, 9}, {9, 3, 4, 9}});
    const auto big_x = this->dense({{9, 9, 9}, {9, 9, 9}, {9, 9, 9}});

    a->apply(big_b->create_submatrix({1, 3}, {1, 3}), big_x->create_submatrix({0, 2}, {1, 3}));

    EXPECT_MTX_NEAR(big_x, this->dense({{9, 7, 10}, {9, 15, 22}, {9, 9, 9}}), 0.0);
}

TYPED_TEST(CsrSpmv, IgnoresResultWhereBetaIsZero)
{
    for (const auto& strategy : this->strategies()) {
        SCOPED_TRACE(strategy->get_name());
        const auto a = this->csr({{1, 2}, {0, 0}});
        a->set_strategy(strategy);
        const auto x = this->dense_of_nan(2, 2);

        a->apply(this->dense({{2}}), this->dense({{1, 2}, {3, 4}}), this->dense({{0}}), x);

        EXPECT_MTX_NEAR(x, this->dense({{14, 20}, {0, 0}}), 0.0);
    }
}

TYPED_TEST(CsrSpmv, IgnoresProductWhereAlphaIsZero)
{
    using V = typename TypeParam::value_type;
    for (const auto& strategy : this->own_strategies()) {  // vendors multiply by zero
        SCOPED_TRACE(strategy->get_name());
        const auto a = this->csr({{1, spruce::nan<V>()}, {0, 0}});
        a->set_strategy(strategy);
        const auto x = this->dense({{1, 2}, {3, 4}});

        a->apply(this->dense({{0}}), this->dense_of_nan(2, 2), this->dense({{3}}), x);

        EXPECT_MTX_NEAR(x, this->dense({{3, 6}, {9, 12}}), 0.0);
    }
}

TYPED_TEST(CsrSpmv, GivesZeroWhereAlphaAndBetaAreZero)
{
    const auto a = this->csr({{1, 2}, {0, 0}});
    const auto x = this->dense_of_nan(2, 1);

    a->apply(this->dense({{0}}), this->dense_of_nan(2, 1), this->dense({{0}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
}

TYPED_TEST(CsrSpmv, PassesNanInAMatrixOnToItsRowOnly)
{
    using V = typename TypeParam::value_type;
    const auto nan = spruce::nan<V>();
    const auto a = this->csr({{1, 1}, {nan, 1}, {0, 1}});

    const auto x = this->apply(a, this->dense({{1}, {1}}));

    EXPECT_MTX_NEAR(x, this->dense({{2}, {nan}, {1}}), 0.0);
}

TYPED_TEST(CsrSpmv, SaysThatThereIsNoVendorsLibrary)
{
    if (!is_simulated(*this->exec)) {
        GTEST_SKIP() << "there is one, or own kernels serve in its place";
    }
    const auto a = this->csr({{1, 2}, {0, 3}});
    a->set_strategy(std::make_shared<typename TestFixture::Csr::sparselib>());
    const auto x = this->dense({{7}, {8}});

    EXPECT_THROW_WITH(a->apply(this->dense({{1}, {1}}), x), spruce::NotSupported, "sparselib");
    EXPECT_MTX_NEAR(x, this->dense({{7}, {8}}), 0.0);
}

TYPED_TEST(CsrSpmv, AllocatesNothingAfterTheFirstProduct)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = random_sparse(this->engine, 3000, 2000, nnz_per_row(0, 9));
    const auto b = this->random_dense(2000, 1);
    const auto x = this->dense_of_nan(3000, 1);
    for (const auto& strategy : this->strategies()) {
        SCOPED_TRACE(strategy->get_name());
        const auto a = make_csr<V, I>(this->exec, data, strategy);
        a->apply(b, x);
        const auto before = this->exec->get_counters();

        a->apply(b, x);

        const auto after = this->exec->get_counters();
        EXPECT_EQ(after.allocations, before.allocations);
        EXPECT_EQ(after.copied_bytes, before.copied_bytes);
    }
}

TYPED_TEST(CsrSpmv, TellsTheVendorsLibraryHowManyEntriesThereAre)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Csr = typename TestFixture::Csr;
    if (is_simulated(*this->exec)) {
        GTEST_SKIP() << "there is no vendor's library";
    }
    const auto sparselib = std::make_shared<typename Csr::sparselib>();
    const auto a = make_csr<V, I>(this->exec, random_sparse(this->engine, 131, 97, nnz_per_row(0, 70)), sparselib);
    const auto nnz = a->get_num_stored_elements();
    // The arrays have more elements than entries, and the additional elements are invalid. One
    // matrix is assembled by hand.
    spruce::array<V> values{this->exec, nnz + 1000};
    spruce::array<I> col_idxs{this->exec, nnz + 1000};
    values.fill(spruce::nan<V>());
    col_idxs.fill(-1);
    this->exec->copy(nnz, a->get_const_values(), values.get_data());
    this->exec->copy(nnz, a->get_const_col_idxs(), col_idxs.get_data());
    const auto with_room =
        Csr::create(this->exec, a->get_size(), values, col_idxs,
                    spruce::array<I>::const_view(this->exec, 132, a->get_const_row_ptrs()).copy_to_array(), sparselib);
    const auto by_hand = Csr::create(this->exec, a->get_size(), nnz + 1000, sparselib);
    this->exec->copy(nnz + 1000, values.get_const_data(), by_hand->get_values());
    this->exec->copy(nnz + 1000, col_idxs.get_const_data(), by_hand->get_col_idxs());
    this->exec->copy(132, a->get_const_row_ptrs(), by_hand->get_row_ptrs());

    for (const size_type num_rhs : {1, 2}) {
        const auto b = this->random_dense(97, num_rhs);
        const auto expected = this->apply_on_reference(a, b);
        for (const auto* matrix : {a.get(), with_room.get(), by_hand.get()}) {
            EXPECT_MTX_NEAR(this->apply(matrix, b), expected, this->tolerance_of_sum(70));
        }
    }
}

template <typename Types>
class CsrKernels : public kernel_test<Types> {};
TYPED_TEST_SUITE(CsrKernels, value_and_index_types, type_names);

TYPED_TEST(CsrKernels, TransposesByHand)
{
    const auto a = this->csr({{1, 0, 2}, {0, 3, 4}});

    const auto transposed = spruce::as<typename TestFixture::Csr>(a->transpose());

    EXPECT_MTX_STORED_ALIKE(transposed, this->csr({{1, 0}, {0, 3}, {2, 4}}));
    EXPECT_TRUE(transposed->is_sorted_by_column_index());
}

TYPED_TEST(CsrKernels, TransposesEveryCaseLikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto a = make_csr<V, I>(this->exec, one.data);
        const auto ref_a = make_csr<V, I>(this->ref, one.data);

        EXPECT_MTX_STORED_ALIKE(a->transpose(), ref_a->transpose());
        EXPECT_MTX_STORED_ALIKE(a->conj_transpose(), ref_a->conj_transpose());
    }
}

TYPED_TEST(CsrKernels, TransposesManyColumnsOfVeryUnequalLength)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    std::vector<size_type> lengths(9000, 1);
    lengths[0] = 3000;
    lengths[17] = 0;
    lengths[8999] = 700;
    for (const size_type num_cols : {3000, 140000}) {
        SCOPED_TRACE(num_cols);
        auto data = random_sparse(this->engine, lengths, num_cols);
        for (size_type row = 0; row < lengths.size(); ++row) {
            data.nonzeros.emplace_back(row, num_cols / 2, 0.5);  // most entries are in one column
        }
        std::stable_sort(data.nonzeros.begin(), data.nonzeros.end(),
                         [](const auto& a, const auto& b) { return a.row < b.row; });
        const auto a = make_csr<V, I>(this->exec, data);
        const auto ref_a = make_csr<V, I>(this->ref, data);

        EXPECT_MTX_STORED_ALIKE(a->transpose(), ref_a->transpose());
        EXPECT_MTX_STORED_ALIKE(a->conj_transpose(), ref_a->conj_transpose());
    }
}

TYPED_TEST(CsrKernels, TransposesColumnsOfEveryLengthWithDuplicates)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // All columns are short, or one is long. The mean column has few or many entries.
    const std::vector<std::vector<size_type>> all_lengths{{3, 0, 4, 5, 128, 1, 0, 2, 3, 1, 0, 0, 2},
                                                          {0, 1, 31, 32, 33, 15, 16, 17, 8, 7, 9, 0},
                                                          {63, 64, 65, 127, 128, 0, 33, 31, 95, 96, 97, 1},
                                                          {127, 128, 126, 65, 127, 0, 128},
                                                          {63, 64, 65, 127, 128, 129, 1, 0, 1},
                                                          {1025, 0, 3, 31}};
    for (const auto& lengths : all_lengths) {
        auto columns = random_sparse(this->engine, lengths, 1100);
        columns.nonzeros.emplace_back(columns.nonzeros.front());  // duplicate of a row and column with another value
        columns.nonzeros.back().value += 1.0;
        host_matrix data{spruce::transpose(columns.size)};
        for (const auto& entry : columns.nonzeros) {
            data.nonzeros.emplace_back(entry.column, entry.row, entry.value);
        }
        std::stable_sort(data.nonzeros.begin(), data.nonzeros.end(),
                         [](const auto& a, const auto& b) { return a.row < b.row; });
        const auto a = make_csr<V, I>(this->exec, data);

        const auto transposed = a->transpose();

        std::stable_sort(data.nonzeros.begin(), data.nonzeros.end(),
                         [](const auto& a, const auto& b) { return a.column < b.column; });
        host_matrix expected{columns.size};
        for (const auto& entry : data.nonzeros) {
            expected.nonzeros.emplace_back(entry.column, entry.row, entry.value);
        }
        EXPECT_MTX_STORED_ALIKE(transposed, (make_csr<V, I>(this->ref, expected)));
    }
}

TYPED_TEST(CsrKernels, TransposesSymmetricPatternsAndThoseThatAreNearlyOnes)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto check = [&](const host_matrix& data) {
        const auto a = make_csr<V, I>(this->exec, data);
        const auto ref_a = make_csr<V, I>(this->ref, data);
        EXPECT_MTX_STORED_ALIKE(a->transpose(), ref_a->transpose());
        EXPECT_MTX_STORED_ALIKE(a->conj_transpose(), ref_a->conj_transpose());
    };
    auto stencil = poisson_2d(23);
    for (auto& entry : stencil.nonzeros) {  // only the pattern is symmetric
        entry.value = static_cast<double>(entry.row) + 1000.0 * static_cast<double>(entry.column);
    }
    check(stencil);
    check(with_unsorted_columns(this->engine, stencil));
    check(random_positive_definite(this->engine, 150, 20));  // rows of different lengths

    auto with_one_more = stencil;
    with_one_more.nonzeros.emplace_back(3, 500, 7.0);
    with_one_more.sort_row_major();
    check(with_one_more);
    auto with_one_less = stencil;
    with_one_less.nonzeros.erase(with_one_less.nonzeros.begin() + 700);
    check(with_one_less);
    auto with_duplicates = stencil;
    with_duplicates.nonzeros.insert(with_duplicates.nonzeros.begin() + 700, with_duplicates.nonzeros[700]);
    check(with_duplicates);
}

TYPED_TEST(CsrKernels, TransposedMatrixCanBeApplied)  // requires correct row pointers and strategy data
{
    const auto a = this->random_csr(83, 61, nnz_per_row(0, 40));
    const auto b = this->random_dense(83, 2);
    const auto transposed = spruce::as<typename TestFixture::Csr>(a->transpose());

    EXPECT_MTX_NEAR(this->apply(transposed, b), this->apply_on_reference(transposed, b), this->tolerance_of_sum(83));
}

TYPED_TEST(CsrKernels, SortsEveryCaseLikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto shuffled = with_unsorted_columns(this->engine, one.data);
        const auto a = make_csr<V, I>(this->exec, shuffled);
        const auto ref_a = make_csr<V, I>(this->ref, shuffled);
        one.data.sort_row_major();
        EXPECT_EQ(a->is_sorted_by_column_index(), ref_a->is_sorted_by_column_index());

        a->sort_by_column_index();

        EXPECT_MTX_STORED_ALIKE(a, (make_csr<V, I>(this->ref, one.data)));
        EXPECT_TRUE(a->is_sorted_by_column_index());
    }
}

TYPED_TEST(CsrKernels, SortsRowsUpToEveryLength)  // each range of lengths has its own sorting algorithm
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const size_type max_length : {1, 2, 8, 9, 16, 17, 32, 33, 64, 65, 256, 257, 512, 513}) {
        SCOPED_TRACE(max_length);
        auto data = random_sparse(this->engine, 50, 2 * max_length, nnz_per_row(0, max_length));
        const auto a = make_csr<V, I>(this->exec, with_unsorted_columns(this->engine, data));

        a->sort_by_column_index();

        EXPECT_MTX_STORED_ALIKE(a, (make_csr<V, I>(this->ref, data)));
    }
}

TYPED_TEST(CsrKernels, SortsFewLongRowsAmongShortOnes)  // which have sorting algorithms of their own
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const size_type short_row : {1, 5, 12, 25}) {
        std::vector<size_type> lengths(2000, short_row);
        size_type row = 3;
        for (const size_type length : {9, 10, 17, 18, 33, 34, 65, 66, 128, 256, 257, 300, 64, 32, 16, 8}) {
            lengths[row] = length;
            lengths[row + 1] = 0;
            row += row < 20 ? 1 : 100;
        }
        SCOPED_TRACE(short_row);
        const auto data = random_sparse(this->engine, lengths, 400);
        const auto a = make_csr<V, I>(this->exec, with_unsorted_columns(this->engine, data));

        a->sort_by_column_index();

        EXPECT_MTX_STORED_ALIKE(a, (make_csr<V, I>(this->ref, data)));
    }
}

TYPED_TEST(CsrKernels, SortsRowsOfThousandsOfEntries)  // which several threads may share
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const size_type num_cols : {30000, 100000}) {  // even and odd numbers of digits of a radix sort
        SCOPED_TRACE(num_cols);
        const auto data = random_sparse(this->engine, {0, 9000, 5, 8192, 100, 8193, 20000, 40}, num_cols);
        const auto a = make_csr<V, I>(this->exec, with_unsorted_columns(this->engine, data));
        const auto sorted = make_csr<V, I>(this->exec, data);

        a->sort_by_column_index();
        sorted->sort_by_column_index();

        EXPECT_MTX_STORED_ALIKE(a, (make_csr<V, I>(this->ref, data)));
        EXPECT_MTX_STORED_ALIKE(sorted, (make_csr<V, I>(this->ref, data)));
    }
}

TYPED_TEST(CsrKernels, KeepsOrderOfEqualColumnsWhenSorting)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const int length : {5, 15, 30, 50, 100, 700, 9000}) {
        SCOPED_TRACE(length);
        host_matrix data{dim<2>{3, 3}};
        for (int i = 0; i < length; ++i) {
            data.nonzeros.emplace_back(1, 2 - i % 3, i);
        }
        auto sorted = data;
        sorted.sort_row_major();
        const auto a = make_csr<V, I>(this->exec, data);

        a->sort_by_column_index();

        EXPECT_MTX_STORED_ALIKE(a, (make_csr<V, I>(this->ref, sorted)));
    }
}

TYPED_TEST(CsrKernels, SeesOneUnsortedPairAnywhere)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = random_sparse(this->engine, 200, 300, nnz_per_row(2, 40));
    EXPECT_TRUE((make_csr<V, I>(this->exec, data)->is_sorted_by_column_index()));
    const auto last = data.nonzeros.size() - 1;
    for (const size_type nz : {size_type{1}, last / 2, last}) {
        auto unsorted = data;
        auto& entry = unsorted.nonzeros[unsorted.nonzeros[nz].row == unsorted.nonzeros[nz - 1].row ? nz : nz + 1];
        std::swap(entry.column, (&entry - 1)->column);

        EXPECT_FALSE((make_csr<V, I>(this->exec, unsorted)->is_sorted_by_column_index())) << nz;
    }
}

template <typename Types>
class CsrRowKernels : public kernel_test<Types> {};
TYPED_TEST_SUITE(CsrRowKernels, index_types, type_names);

TYPED_TEST(CsrRowKernels, FindsLongestRow)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto a = make_csr<V, I>(this->exec, one.data);
        size_type max_length = 12345;

        spruce::kernels::csr::compute_max_row_length<I>(*this->exec, a->get_const_row_ptrs(), one.data.size[0],
                                                        max_length);

        if (one.name != "ragged") {
            EXPECT_EQ(max_length, one.longest_row);
        } else {
            EXPECT_LE(max_length, one.longest_row);
        }
    }
}

TYPED_TEST(CsrRowKernels, CountsGroupsWithMoreThanSoManyEntries)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    namespace csr = spruce::kernels::csr;
    for (const auto& one : sparse_cases(this->engine)) {
        const auto a = make_csr<V, I>(this->exec, one.data);
        const auto ref_a = make_csr<V, I>(this->ref, one.data);
        for (const size_type rows_per_group : {1, 3, 40, 100000}) {
            for (const size_type max_entries : {0, 1, 32, 1024}) {
                SCOPED_TRACE(one.name + ", " + std::to_string(rows_per_group) + " rows, " +
                             std::to_string(max_entries));
                size_type expected{};
                size_type count{12345};

                csr::count_oversized_groups<I>(*this->ref, ref_a->get_const_row_ptrs(), one.data.size[0],
                                               rows_per_group, max_entries, expected);
                csr::count_oversized_groups<I>(*this->exec, a->get_const_row_ptrs(), one.data.size[0], rows_per_group,
                                               max_entries, count);

                EXPECT_EQ(count, expected);
            }
        }
    }
}

/// Counts the rows that end before each tile by the definition.
template <typename I>
std::vector<I> start_rows(const std::vector<I>& row_ptrs, size_type items_per_tile, size_type row_weight,
                          size_type num_starts)
{
    std::vector<I> result(num_starts);
    for (size_type i = 0; i < num_starts; ++i) {
        const auto item = static_cast<I>(i * items_per_tile);
        for (size_type row = 0; row + 1 < row_ptrs.size(); ++row) {
            const auto row_end = row_ptrs[row + 1] + static_cast<I>(row_weight * row);
            result[i] += row_weight == 1 ? row_end < item : row_end <= item;
        }
    }
    return result;
}

template <typename I>
std::vector<I> elements_at(const std::vector<I>& elements, const std::vector<I>& places)
{
    std::vector<I> result;
    for (const auto place : places) {
        result.push_back(elements[place]);
    }
    return result;
}

TYPED_TEST(CsrRowKernels, FindsStartRows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        const auto a = make_csr<V, I>(this->exec, one.data);
        const auto num_rows = one.data.size[0];
        const auto row_ptrs =
            spruce::make_array_view(a->get_executor(), num_rows + 1, a->get_row_ptrs()).copy_to_host();
        for (const size_type row_weight : {0, 1}) {
            for (const size_type items_per_tile : {1, 7, 64, 2048}) {
                SCOPED_TRACE(one.name + ", " + std::to_string(items_per_tile) + " items, weight " +
                             std::to_string(row_weight));
                const auto num_items = a->get_num_stored_elements() + row_weight * num_rows;
                const auto num_starts = (num_items + items_per_tile - 1) / items_per_tile + 1;
                spruce::array<I> starts{this->exec, num_starts};
                spruce::array<I> entries{this->exec, num_starts};
                starts.fill(-1);

                spruce::kernels::csr::find_start_rows<I>(*this->exec, a->get_const_row_ptrs(), num_rows, items_per_tile,
                                                         row_weight, starts.get_data(), entries.get_data(), num_starts);

                const auto expected = start_rows(row_ptrs, items_per_tile, row_weight, num_starts);
                EXPECT_EQ(starts.copy_to_host(), expected);
                EXPECT_EQ(entries.copy_to_host(), elements_at(row_ptrs, expected));
            }
        }
    }
}

}  // namespace
