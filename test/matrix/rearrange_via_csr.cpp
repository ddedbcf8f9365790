// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests operations of formats without their own kernels, which convert to Csr.

#include <spruce/matrix/via_csr.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;
using spruce::matrix::permute_mode;

constexpr permute_mode modes[] = {permute_mode::none, permute_mode::rows, permute_mode::symmetric,
                                  permute_mode::inverse_columns, permute_mode::inverse_symmetric};

template <typename Types>
class ViaCsr : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Coo;
    using Ell = spruce::matrix::Ell<V, I>;
    using Sellp = spruce::matrix::Sellp<V, I>;
    using Hybrid = spruce::matrix::Hybrid<V, I>;
    using Fbcsr = spruce::matrix::Fbcsr<V, I>;
    using SparsityCsr = spruce::matrix::SparsityCsr<V, I>;
    using Permutation = spruce::matrix::Permutation<I>;

    /// Expects that change(matrix) has the format of matrix and the entries of change(csr).
    template <typename Matrix, typename Change>
    void expect_as_csr(const std::unique_ptr<Matrix>& matrix, const std::unique_ptr<Csr>& csr, Change change) const
    {
        expect_changed(matrix, change(*csr), change);
    }
    template <typename Matrix, typename Expected, typename Change>
    static void expect_changed(const std::unique_ptr<Matrix>& matrix, const Expected& expected, Change change)
    {
        const auto result = change(*matrix);

        EXPECT_NE(dynamic_cast<const Matrix*>(result.get()), nullptr);
        EXPECT_MTX_STORED_ALIKE(result, expected);
    }
    /// Expects that change() has equal results for Csr and for each format that keeps all values.
    template <typename Change>
    void expect_as_csr(const std::unique_ptr<Csr>& csr, Change change) const
    {
        const auto expected = change(*csr);
        const auto check = [&](auto matrix) {
            matrix->copy_from(csr);
            this->expect_changed(matrix, expected, change);
        };
        check(Coo::create(this->exec));
        check(Ell::create(this->exec));
        check(Sellp::create(this->exec));
        check(Hybrid::create(this->exec, std::make_shared<typename Hybrid::column_limit>(1)));
        check(Fbcsr::create(this->exec, 1));
    }

    array<I> random_order(size_type n)
    {
        std::vector<I> order(n);
        std::iota(order.begin(), order.end(), I{});
        std::shuffle(order.begin(), order.end(), this->engine);
        return {this->exec, order.begin(), order.end()};
    }

    /// Calls check(change) for each kind of permutation of matrices with n rows and columns.
    /// change(matrix) permutes the matrix.
    template <typename Check>
    void for_each_permutation(size_type n, Check check)
    {
        const auto order = this->random_order(n);
        const auto permutation = Permutation::create(this->exec, this->random_order(n));
        const auto other = Permutation::create(this->exec, this->random_order(n));

        check([&](const auto& a) { return a.permute(&order); });
        check([&](const auto& a) { return a.inverse_permute(&order); });
        check([&](const auto& a) { return a.row_permute(&order); });
        check([&](const auto& a) { return a.column_permute(&order); });
        check([&](const auto& a) { return a.inverse_row_permute(&order); });
        check([&](const auto& a) { return a.inverse_column_permute(&order); });
        for (const auto mode : modes) {
            check([&](const auto& a) { return a.permute(permutation, mode); });
        }
        for (const auto invert : {false, true}) {
            check([&](const auto& a) { return a.permute(permutation, other, invert); });
        }
    }
};
TYPED_TEST_SUITE(ViaCsr, value_and_index_types, type_names);

TYPED_TEST(ViaCsr, TransposesAsCsr)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        one.data.sort_row_major();  // required by Fbcsr
        const auto csr = make_csr<V, I>(this->exec, one.data);
        this->expect_as_csr(csr, [](const auto& a) { return a.transpose(); });
        this->expect_as_csr(csr, [](const auto& a) { return a.conj_transpose(); });
    }
}

TYPED_TEST(ViaCsr, PermutesAsCsr)
{
    const auto csr = this->random_csr(40, 40, nnz_per_row(0, 20));

    this->for_each_permutation(40, [&](auto change) { this->expect_as_csr(csr, change); });
}

TYPED_TEST(ViaCsr, ScalesAndPermutesAsCsr)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto scaled = spruce::matrix::ScaledPermutation<V, I>::create(
        this->exec, array<V>{this->exec, {2.0, 4.0, 8.0, 16.0, 0.5}}, array<I>{this->exec, {3, 0, 4, 1, 2}});
    const auto csr = this->csr({{1, 0, 2, 0, 3}, {0, 0, 0, 0, 0}, {4, 5, 6, 7, 8}, {0, 0, 0, 9, 0}, {1, 0, 0, 0, 2}});

    for (const auto mode : modes) {
        this->expect_as_csr(csr, [&](const auto& a) { return a.scale_permute(scaled, mode); });
    }
    for (const auto invert : {false, true}) {
        this->expect_as_csr(csr, [&](const auto& a) { return a.scale_permute(scaled, scaled, invert); });
    }
}

TYPED_TEST(ViaCsr, GivesSubmatricesAsCsr)
{
    using I = typename TypeParam::index_type;
    const auto csr = this->random_csr(90, 70, nnz_per_row(0, 30));
    const spruce::index_set<I> rows{this->exec, 90, array<I>{this->exec, {0, 5, 6, 7, 64, 65, 89}}};
    const spruce::index_set<I> columns{this->exec, 70, array<I>{this->exec, {1, 2, 33, 34, 35, 69}}};

    this->expect_as_csr(csr, [&](const auto& a) { return a.create_submatrix({3, 70}, {20, 41}); });
    this->expect_as_csr(csr, [&](const auto& a) { return a.create_submatrix(rows, columns); });
}

TYPED_TEST(ViaCsr, PermutesMatricesOfBlocks)
{
    using Fbcsr = typename TestFixture::Fbcsr;
    const auto csr = this->random_csr(24, 24, nnz_per_row(0, 8));
    const auto a = Fbcsr::create(this->exec, 3);
    a->copy_from(csr);

    this->for_each_permutation(24, [&](auto change) {
        const auto result = change(*a);

        EXPECT_EQ(spruce::as<const Fbcsr>(result.get())->get_block_size(), 3);
        EXPECT_MTX_NEAR(result, change(*csr), 0.0);
    });
    EXPECT_MTX_NEAR(a->create_submatrix({3, 18}, {6, 12}), csr->create_submatrix({3, 18}, {6, 12}), 0.0);
    EXPECT_THROW(a->create_submatrix({3, 17}, {6, 12}), spruce::BlockSizeError<typename TestFixture::I>);
}

TYPED_TEST(ViaCsr, PermutesPatternsAndKeepsTheirValue)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    auto data = random_sparse(this->engine, 30, 30, nnz_per_row(0, 20));
    for (auto& entry : data.nonzeros) {
        entry.value = -0.5;
    }
    const auto csr = make_csr<V, I>(this->exec, data);
    const auto a = TestFixture::SparsityCsr::create(this->exec);
    a->copy_from(csr);
    array<V>::view(this->exec, 1, a->get_value()).fill(V(-0.5));
    const spruce::index_set<I> set{this->exec, 30, array<I>{this->exec, {0, 5, 6, 29}}};

    this->for_each_permutation(30, [&](auto change) { this->expect_as_csr(a, csr, change); });
    this->expect_as_csr(a, csr, [&](const auto& m) { return m.create_submatrix({3, 17}, {6, 12}); });
    this->expect_as_csr(a, csr, [&](const auto& m) { return m.create_submatrix(set, set); });
}

TYPED_TEST(ViaCsr, ThrowsOnPermutationsOfOtherSizes)
{
    using I = typename TypeParam::index_type;
    const auto csr = this->csr({{1, 2}, {0, 3}});
    const auto a = TestFixture::Sellp::create(this->exec);
    const auto pattern = TestFixture::SparsityCsr::create(this->exec);
    a->copy_from(csr);
    pattern->copy_from(csr);
    const array<I> order{this->exec, {1, 2, 0}};
    const auto permutation = TestFixture::Permutation::create(this->exec, order);

    EXPECT_THROW(a->permute(&order), spruce::DimensionMismatch);
    EXPECT_THROW(a->permute(permutation), spruce::DimensionMismatch);
    EXPECT_THROW(pattern->row_permute(&order), spruce::DimensionMismatch);
    EXPECT_THROW(pattern->permute(permutation, permutation), spruce::DimensionMismatch);
}

TYPED_TEST(ViaCsr, SortsAsCsr)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using column_limit = typename TestFixture::Hybrid::column_limit;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto csr = make_csr<V, I>(this->exec, with_unsorted_columns(this->engine, one.data));
        const auto sorted = csr->clone();
        sorted->sort_by_column_index();
        const auto expect_sorted = [&](auto a) {
            a->copy_from(csr);
            EXPECT_EQ(a->is_sorted_by_column_index(), csr->is_sorted_by_column_index());

            a->sort_by_column_index();

            EXPECT_TRUE(a->is_sorted_by_column_index());
            EXPECT_MTX_STORED_ALIKE(a, sorted);
        };

        expect_sorted(TestFixture::Coo::create(this->exec));
        expect_sorted(TestFixture::Ell::create(this->exec));
        expect_sorted(TestFixture::Sellp::create(this->exec, dim<2>{}, 3, 2, 0));
        expect_sorted(TestFixture::Hybrid::create(this->exec, std::make_shared<column_limit>(2)));
    }
}

TYPED_TEST(ViaCsr, SortsInTheMemoryThatMatricesView)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // There are two rows and an unused one. Padding lies before and between the entries of the
    // first row.
    array<V> ell_values{this->exec, {0, 3, 9, 2, 4, 9, 0, 5, 9, 1, 6, 9}};
    array<I> ell_col_idxs{this->exec, {-1, 4, -1, 2, 3, -1, -1, 1, -1, 0, 0, -1}};
    array<V> coo_values{this->exec, {2, 1, 3, 4, 5, 6}};
    array<I> coo_col_idxs{this->exec, {2, 0, 4, 3, 1, 0}};
    array<I> coo_row_idxs{this->exec, {0, 0, 1, 1, 1, 1}};
    const dim<2> size{2, 5};
    const auto ell = TestFixture::Ell::create(this->exec, size, ell_values.as_view(), ell_col_idxs.as_view(), 4, 3);
    const auto coo = TestFixture::Coo::create(this->exec, size, coo_values.as_view(), coo_col_idxs.as_view(),
                                              coo_row_idxs.as_view());
    const auto expected = this->csr({{1, 0, 2, 0, 0}, {6, 5, 0, 4, 3}});

    ell->sort_by_column_index();
    coo->sort_by_column_index();

    EXPECT_MTX_STORED_ALIKE(ell, expected);
    EXPECT_EQ(ell->get_const_values(), ell_values.get_const_data());
    EXPECT_EQ(ell->get_stride(), 3u);
    EXPECT_EQ(ell->get_num_stored_elements_per_row(), 4u);
    EXPECT_MTX_STORED_ALIKE(coo, expected);
    EXPECT_EQ(coo->get_const_values(), coo_values.get_const_data());
}

TYPED_TEST(ViaCsr, KeepsParameters)
{
    using Sellp = typename TestFixture::Sellp;
    using Hybrid = typename TestFixture::Hybrid;
    const auto strategy = std::make_shared<typename Hybrid::column_limit>(2);
    const auto sellp = Sellp::create(this->exec, dim<2>{}, 3, 2, 0);
    const auto hybrid = Hybrid::create(this->exec, strategy);
    const auto csr = make_csr<typename TestFixture::V, typename TestFixture::I>(
        this->exec, with_unsorted_columns(this->engine, random_sparse(this->engine, 20, 20, nnz_per_row(3, 6))));
    sellp->copy_from(csr);
    hybrid->copy_from(csr);

    sellp->sort_by_column_index();
    hybrid->sort_by_column_index();

    EXPECT_EQ(sellp->get_slice_size(), 3u);
    EXPECT_EQ(sellp->get_stride_factor(), 2u);
    EXPECT_EQ(hybrid->get_strategy(), strategy);
    EXPECT_EQ(spruce::as<Sellp>(sellp->transpose().get())->get_slice_size(), 3u);
    EXPECT_EQ(sellp->create_submatrix({0, 5}, {0, 5})->get_stride_factor(), 2u);
    EXPECT_EQ(spruce::as<Hybrid>(hybrid->transpose().get())->get_strategy(), strategy);
}

}  // namespace
