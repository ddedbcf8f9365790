// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/coo_kernels.hpp"

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class CooSpmv : public kernel_test<Types> {
protected:
    /// Compares all four forms of the product on this executor with the reference.
    void compare(const sparse_case& one, size_type num_rhs, size_type b_padding = 0, size_type x_padding = 0)
    {
        using V = typename Types::value_type;
        using I = typename Types::index_type;
        SCOPED_TRACE(one.name + ", " + std::to_string(num_rhs) + " right-hand sides");
        const auto size = one.data.size;
        const auto tolerance = this->tolerance_of_sum(one.longest_row + 1);
        const auto host_b = random_full(this->engine, size[1], num_rhs);
        const auto host_x = random_full(this->engine, size[0], num_rhs);
        const auto alpha = this->dense({{V(-1.25)}});
        const auto beta = this->dense({{V(0.75)}});
        const auto a = make_coo<V, I>(this->exec, one.data);
        const auto b = make_dense<V>(this->exec, host_b, num_rhs + b_padding);
        const auto ref_a = make_coo<V, I>(this->ref, one.data);
        const auto ref_b = make_dense<V>(this->ref, host_b);
        const auto check = [&](auto run, bool overwrites) {
            const auto stride = num_rhs + x_padding;
            const auto x =
                overwrites ? this->dense_of_nan(size[0], num_rhs, stride) : make_dense<V>(this->exec, host_x, stride);
            const auto expected = make_dense<V>(this->ref, host_x);

            run(a.get(), b.get(), x.get());

            run(ref_a.get(), ref_b.get(), expected.get());
            EXPECT_MTX_NEAR(x, expected, tolerance);
            EXPECT_TRUE(padding_is_intact(*x));
        };

        check([](auto a, auto b, auto x) { a->apply(b, x); }, true);
        check([&](auto a, auto b, auto x) { a->apply(alpha, b, beta, x); }, false);
        check([](auto a, auto b, auto x) { a->apply2(b, x); }, false);
        check([&](auto a, auto b, auto x) { a->apply2(alpha, b, x); }, false);
    }
};
TYPED_TEST_SUITE(CooSpmv, value_and_index_types, type_names);

TYPED_TEST(CooSpmv, OverwritesResultAndHandlesEmptyRow)
{
    const auto a = this->coo({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}});

    const auto x = this->apply(a, this->dense({{1}, {2}, {3}}));

    EXPECT_MTX_NEAR(x, this->dense({{7}, {0}, {6}}), 0.0);
}

TYPED_TEST(CooSpmv, AddsProductToResult)
{
    const auto a = this->coo({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}});
    const auto b = this->dense({{1}, {2}, {3}});
    const auto x = this->dense({{1}, {2}, {3}});

    a->apply2(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{8}, {2}, {9}}), 0.0);

    a->apply2(this->dense({{-2}}), b, x);
    EXPECT_MTX_NEAR(x, this->dense({{-6}, {2}, {-3}}), 0.0);
}

TYPED_TEST(CooSpmv, AddsUpDuplicates)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    host_matrix data{dim<2>{2, 2}};
    for (int i = 0; i < 1000; ++i) {
        data.nonzeros.emplace_back(1, 0, 2.0);
    }
    const auto a = make_coo<V, I>(this->exec, data);

    EXPECT_MTX_NEAR(this->apply(a, this->dense({{1}, {7}})), this->dense({{0}, {2000}}), 0.0);
}

TYPED_TEST(CooSpmv, MatchesReferenceOnEveryCase)
{
    for (const auto& one : sparse_cases(this->engine)) {
        this->compare(one, 1);
    }
}

TYPED_TEST(CooSpmv, MatchesReferenceOnARowOverManyTilesAndWideGaps) { this->compare(many_tiles_case(this->engine), 1); }

// The mean number of entries per row is so large that blocks of a GPU set all of their rows to zero
// first.
TYPED_TEST(CooSpmv, MatchesReferenceOnEmptyRowsAmongLongOnes)
{
    std::vector<size_type> lengths(9, 0);
    for (int i = 0; i < 100; ++i) {
        lengths.insert(lengths.end(), {45, 0, 30});
    }
    lengths.insert(lengths.end(), 60, 0);
    lengths.insert(lengths.end(), 50, 70);
    lengths.insert(lengths.end(), 20, 0);
    this->compare({"empty rows among long ones", random_sparse(this->engine, lengths, 400), 70}, 1, 0, 1);
}

TYPED_TEST(CooSpmv, MatchesReferenceOnEveryCaseWithSeveralRightHandSides)
{
    for (const auto& one : sparse_cases(this->engine)) {
        this->compare(one, 3, 2, 1);
    }
}

TYPED_TEST(CooSpmv, MatchesReferenceForEveryNumberOfRightHandSides)
{
    const auto data = random_sparse(this->engine, 131, 97, nnz_per_row(0, 70));

    for (const size_type num_rhs : {0, 1, 2, 4, 5, 8, 17, 33}) {
        this->compare({"ragged", data, 70}, num_rhs);
        this->compare({"ragged, strided", data, 70}, num_rhs, 3, 5);
    }
}

// A block has about a thousand entries, and combines the sums of the threads that share a row.
TYPED_TEST(CooSpmv, MatchesReferenceOnLongRowsWithSeveralRightHandSides)
{
    const auto one_row = random_sparse(this->engine, {2300}, 2500);
    const auto long_rows = random_sparse(this->engine, {0, 2500, 1, 0, 700, 3, 5, 300, 40, 0, 1100, 0}, 2500);
    const auto among_short_rows = [&] {
        std::vector<size_type> lengths(400, 3);
        lengths[50] = 1500;
        lengths[51] = 20;
        lengths[300] = 900;
        return random_sparse(this->engine, lengths, 1600);
    }();

    for (const size_type num_rhs : {2, 3, 4, 7, 8, 16, 25, 32, 33, 64, 67}) {
        this->compare({"one row", one_row, 2300}, num_rhs, 1, 2);
        this->compare({"long rows", long_rows, 2500}, num_rhs);
        this->compare({"long rows among short ones", among_short_rows, 1500}, num_rhs, 0, 1);
    }
}

TYPED_TEST(CooSpmv, MatchesReferenceWhereTilesAreFull)
{
    // With 16 right-hand sides a tile has 1024 entries, with 3 it has 1020.
    for (const size_type nnz : {1019, 1020, 1021, 1024, 1025, 2040, 2048}) {
        this->compare({"one row", random_sparse(this->engine, {nnz}, 2048), nnz}, 3);
        this->compare({"two rows", random_sparse(this->engine, {1020, nnz}, 2048), nnz}, 3);
        this->compare({"three rows", random_sparse(this->engine, {4, 1020, nnz}, 2048), nnz}, 16);
    }
}

TYPED_TEST(CooSpmv, IgnoresResultWhereBetaIsZero)
{
    const auto a = this->coo({{1, 2}, {0, 0}});
    const auto x = this->dense_of_nan(2, 2);

    a->apply(this->dense({{2}}), this->dense({{1, 2}, {3, 4}}), this->dense({{0}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{14, 20}, {0, 0}}), 0.0);
}

TYPED_TEST(CooSpmv, IgnoresProductWhereAlphaIsZero)
{
    const auto a = this->coo({{1, 2}, {0, 0}});
    const auto x = this->dense({{1, 2}, {3, 4}});

    a->apply(this->dense({{0}}), this->dense_of_nan(2, 2), this->dense({{3}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{3, 6}, {9, 12}}), 0.0);

    a->apply2(this->dense({{0}}), this->dense_of_nan(2, 2), x);
    EXPECT_MTX_NEAR(x, this->dense({{3, 6}, {9, 12}}), 0.0);
}

TYPED_TEST(CooSpmv, GivesZeroWhereAlphaAndBetaAreZero)
{
    const auto a = this->coo({{1, 2}, {0, 0}});
    const auto x = this->dense_of_nan(2, 1);

    a->apply(this->dense({{0}}), this->dense_of_nan(2, 1), this->dense({{0}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}}), 0.0);
}

}  // namespace
