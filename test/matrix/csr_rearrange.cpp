// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests permutations, submatrices, absolute values and changes of the diagonal of Csr.

#include <algorithm>
#include <numeric>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::clone;
using spruce::dim;
using spruce::int64;
using spruce::size_type;
using spruce::span;

template <typename Types>
class CsrRearrange : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;

    std::vector<I> random_permutation(size_type size)
    {
        std::vector<I> result(size);
        std::iota(result.begin(), result.end(), I{});
        std::shuffle(result.begin(), result.end(), this->engine);
        return result;
    }

    array<I> on_device(const std::vector<I>& values) const { return {this->exec, values.begin(), values.end()}; }

    static std::vector<I> inverse(const std::vector<I>& permutation)
    {
        std::vector<I> result(permutation.size());
        for (size_type i = 0; i < permutation.size(); ++i) {
            result[permutation[i]] = static_cast<I>(i);
        }
        return result;
    }

    /// Moves entry (i, j) to (rows[i], cols[j]), and sorts by rows. Sorts also by columns if they
    /// are permuted.
    static host_matrix moved(host_matrix data, const std::vector<I>& rows, const std::vector<I>& cols)
    {
        for (auto& entry : data.nonzeros) {
            entry.row = rows.empty() ? entry.row : static_cast<int64>(rows[entry.row]);
            entry.column = cols.empty() ? entry.column : static_cast<int64>(cols[entry.column]);
        }
        std::stable_sort(data.nonzeros.begin(), data.nonzeros.end(), [&](const auto& a, const auto& b) {
            return a.row < b.row || (a.row == b.row && !cols.empty() && a.column < b.column);
        });
        return data;
    }

    std::unique_ptr<Csr> csr_of(const host_matrix& data) const { return make_csr<V, I>(this->exec, data); }
};
TYPED_TEST_SUITE(CsrRearrange, value_and_index_types, type_names);

TYPED_TEST(CsrRearrange, PermutesByHand)
{
    using I = typename TestFixture::I;
    const auto a = this->csr({{1, 2, 0}, {0, 3, 4}, {5, 0, 6}});
    const array<I> p{this->exec, {1, 2, 0}};

    EXPECT_MTX_STORED_ALIKE(a->row_permute(&p), this->csr({{0, 3, 4}, {5, 0, 6}, {1, 2, 0}}));
    EXPECT_MTX_STORED_ALIKE(a->column_permute(&p), this->csr({{2, 0, 1}, {3, 4, 0}, {0, 6, 5}}));
    EXPECT_MTX_STORED_ALIKE(a->permute(&p), this->csr({{3, 4, 0}, {0, 6, 5}, {2, 0, 1}}));
    EXPECT_MTX_STORED_ALIKE(a->inverse_row_permute(&p), this->csr({{5, 0, 6}, {1, 2, 0}, {0, 3, 4}}));
    EXPECT_MTX_STORED_ALIKE(a->inverse_column_permute(&p), this->csr({{0, 1, 2}, {4, 0, 3}, {6, 5, 0}}));
    EXPECT_MTX_STORED_ALIKE(a->inverse_permute(&p), this->csr({{6, 5, 0}, {0, 1, 2}, {4, 0, 3}}));
}

TYPED_TEST(CsrRearrange, PermutesEveryCase)
{
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto p = this->random_permutation(one.data.size[0]);
        const auto q = this->random_permutation(one.data.size[1]);
        const auto rows = this->on_device(p);
        const auto cols = this->on_device(q);
        const auto a = this->csr_of(one.data);

        EXPECT_MTX_STORED_ALIKE(a->row_permute(&rows), this->csr_of(this->moved(one.data, this->inverse(p), {})));
        EXPECT_MTX_STORED_ALIKE(a->inverse_row_permute(&rows), this->csr_of(this->moved(one.data, p, {})));
        if (one.data.size[1] > 0) {
            EXPECT_MTX_STORED_ALIKE(a->column_permute(&cols),
                                    this->csr_of(this->moved(one.data, {}, this->inverse(q))));
            EXPECT_MTX_STORED_ALIKE(a->inverse_column_permute(&cols), this->csr_of(this->moved(one.data, {}, q)));
        }
    }
}

TYPED_TEST(CsrRearrange, PermutesRowsAndColumnsAlike)
{
    const auto data = random_sparse(this->engine, 211, 211, nnz_per_row(0, 40));
    const auto p = this->random_permutation(211);
    const auto on_device = this->on_device(p);
    const auto a = this->csr_of(data);

    EXPECT_MTX_STORED_ALIKE(a->permute(&on_device),
                            this->csr_of(this->moved(data, this->inverse(p), this->inverse(p))));
    EXPECT_MTX_STORED_ALIKE(a->inverse_permute(&on_device), this->csr_of(this->moved(data, p, p)));
    EXPECT_MTX_STORED_ALIKE(spruce::as<typename TestFixture::Csr>(a->permute(&on_device))->inverse_permute(&on_device),
                            a);
}

TYPED_TEST(CsrRearrange, PermutedMatrixCanBeApplied)  // requires correct row pointers and strategy data
{
    const auto a = this->random_csr(83, 83, nnz_per_row(0, 40));
    const auto p = this->on_device(this->random_permutation(83));
    const auto b = this->random_dense(83, 2);
    const auto permuted = spruce::as<typename TestFixture::Csr>(a->permute(&p));

    EXPECT_MTX_NEAR(this->apply(permuted, b), this->apply_on_reference(permuted, b), this->tolerance_of_sum(83));
}

TYPED_TEST(CsrRearrange, PermutesByMatricesAsByArrays)
{
    using I = typename TestFixture::I;
    using spruce::matrix::permute_mode;
    const auto a = this->random_csr(97, 97, nnz_per_row(0, 40));
    const auto p = this->on_device(this->random_permutation(97));
    const auto matrix = spruce::matrix::Permutation<I>::create(this->ref, p);

    EXPECT_MTX_STORED_ALIKE(a->permute(matrix), a->permute(&p));
    EXPECT_MTX_STORED_ALIKE(a->permute(matrix, permute_mode::inverse_symmetric), a->inverse_permute(&p));
    EXPECT_MTX_STORED_ALIKE(a->permute(matrix, permute_mode::rows), a->row_permute(&p));
    EXPECT_MTX_STORED_ALIKE(a->permute(matrix, permute_mode::inverse_rows), a->inverse_row_permute(&p));
    EXPECT_MTX_STORED_ALIKE(a->permute(matrix, permute_mode::columns), a->column_permute(&p));
    EXPECT_MTX_STORED_ALIKE(a->permute(matrix, permute_mode::inverse_columns), a->inverse_column_permute(&p));
    EXPECT_MTX_STORED_ALIKE(a->permute(matrix, permute_mode::none), a);
    EXPECT_MTX_STORED_ALIKE(a->permute(matrix, matrix), a->permute(&p));
    EXPECT_MTX_STORED_ALIKE(a->permute(matrix, matrix, true), a->inverse_permute(&p));
    EXPECT_THROW(a->permute(spruce::matrix::Permutation<I>::create(this->exec, 3)), spruce::DimensionMismatch);
}

TYPED_TEST(CsrRearrange, PermutesRowsAndColumnsOfRectangles)
{
    using I = typename TestFixture::I;
    const auto a = this->random_csr(61, 83, nnz_per_row(0, 40));
    const auto rows = this->on_device(this->random_permutation(61));
    const auto columns = this->on_device(this->random_permutation(83));
    const auto row_matrix = spruce::matrix::Permutation<I>::create(this->exec, rows);
    const auto column_matrix = spruce::matrix::Permutation<I>::create(this->exec, columns);

    const auto permuted = a->permute(row_matrix, column_matrix);

    EXPECT_MTX_STORED_ALIKE(permuted,
                            spruce::as<typename TestFixture::Csr>(a->row_permute(&rows))->column_permute(&columns));
    EXPECT_MTX_STORED_ALIKE(permuted->permute(row_matrix, column_matrix, true), a);
    EXPECT_THROW(a->permute(column_matrix, row_matrix), spruce::DimensionMismatch);
    EXPECT_THROW(a->permute(row_matrix), spruce::DimensionMismatch);
}

TYPED_TEST(CsrRearrange, ScalesAndPermutesByHand)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using spruce::matrix::permute_mode;
    const auto a = this->csr({{1, 2, 0}, {0, 3, 4}, {5, 0, 6}});
    const auto p = spruce::matrix::ScaledPermutation<V, I>::create(this->exec, array<V>{this->exec, {2, 4, 8}},
                                                                   array<I>{this->exec, {1, 2, 0}});

    EXPECT_MTX_STORED_ALIKE(a->scale_permute(p, permute_mode::rows), this->csr({{0, 12, 16}, {40, 0, 48}, {2, 4, 0}}));
    EXPECT_MTX_STORED_ALIKE(a->scale_permute(p, permute_mode::columns),
                            this->csr({{8, 0, 2}, {12, 32, 0}, {0, 48, 10}}));
    EXPECT_MTX_STORED_ALIKE(a->scale_permute(p), this->csr({{48, 128, 0}, {0, 384, 80}, {16, 0, 4}}));
    EXPECT_MTX_STORED_ALIKE(a->scale_permute(p, p), a->scale_permute(p));
    EXPECT_MTX_STORED_ALIKE(a->scale_permute(p)->scale_permute(p, permute_mode::inverse_symmetric), a);
    EXPECT_MTX_STORED_ALIKE(a->scale_permute(p, p)->scale_permute(p, p, true), a);
    EXPECT_MTX_STORED_ALIKE(a->scale_permute(p, permute_mode::inverse_rows),
                            this->csr({{2.5, 0, 3}, {0.25, 0.5, 0}, {0, 0.375, 0.5}}));
    EXPECT_MTX_STORED_ALIKE(a->scale_permute(p, permute_mode::none), a);
    EXPECT_THROW(this->csr({{1}})->scale_permute(p), spruce::DimensionMismatch);
}

TYPED_TEST(CsrRearrange, RearrangesAgainForOtherValues)
{
    using I = typename TestFixture::I;
    const auto a = this->random_csr(97, 97, nnz_per_row(0, 40));
    const auto p = spruce::matrix::Permutation<I>::create(this->exec, this->on_device(this->random_permutation(97)));
    auto [transposed, transpose_info] = a->transpose_reuse();
    auto [permuted, permute_info] = a->permute_reuse(p);
    EXPECT_MTX_STORED_ALIKE(transposed, a->transpose());
    EXPECT_MTX_STORED_ALIKE(permuted, a->permute(p));
    EXPECT_MTX_STORED_ALIKE(a->permute_reuse(p, p, true).first, a->permute(p, p, true));

    a->scale(this->dense({{3}}));
    transpose_info.update_values(a, transposed);
    permute_info.update_values(a, permuted);

    EXPECT_MTX_STORED_ALIKE(transposed, a->transpose());
    EXPECT_MTX_STORED_ALIKE(permuted, a->permute(p));
    EXPECT_THROW(permute_info.update_values(this->csr({{1}}), permuted), spruce::DimensionMismatch);
}

TYPED_TEST(CsrRearrange, RearrangesMatricesInLongerArrays)
{
    using Csr = typename TestFixture::Csr;
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    // The elements after the entries have no column of the matrix.
    const auto a =
        Csr::create(this->exec, spruce::dim<2>{2, 3}, spruce::array<V>(this->exec, {1, 2, 3, 9, 9}),
                    spruce::array<I>(this->exec, {0, 2, 1, 77, -5}), spruce::array<I>(this->exec, {0, 2, 3}));
    const auto p = spruce::matrix::Permutation<I>::create(this->exec, this->on_device(std::vector<I>{1, 0}));

    const auto [transposed, transpose_info] = a->transpose_reuse();
    const auto permuted = a->permute_reuse(p, spruce::matrix::permute_mode::rows).first;
    EXPECT_MTX_STORED_ALIKE(transposed, this->csr({{1, 0}, {0, 3}, {2, 0}}));
    EXPECT_MTX_STORED_ALIKE(permuted, this->csr({{0, 3, 0}, {1, 0, 2}}));
    a->scale(this->dense({{3}}));
    transpose_info.update_values(a, transposed);

    EXPECT_MTX_STORED_ALIKE(transposed, this->csr({{3, 0}, {0, 9}, {6, 0}}));
}

TYPED_TEST(CsrRearrange, RefusesMatricesOfAnotherSizeThanTheFirstTime)
{
    const auto a = this->csr({{1, 2, 0}, {0, 3, 4}});
    auto [transposed, info] = a->transpose_reuse();
    const auto expected = a->transpose();
    const auto larger = this->csr({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});  // has enough entries
    const auto of_equal_size = this->csr({{1, 2}, {0, 3}, {4, 0}});
    const auto with_more = this->csr({{1, 2}, {3, 4}, {5, 6}});

    EXPECT_THROW(info.update_values(larger, transposed), spruce::DimensionMismatch);
    EXPECT_THROW(info.update_values(a, larger), spruce::DimensionMismatch);
    EXPECT_THROW(info.update_values(a, with_more), spruce::DimensionMismatch);
    EXPECT_THROW(info.update_values(this->csr({{1, 0, 0}, {0, 0, 2}}), transposed), spruce::DimensionMismatch);

    EXPECT_MTX_STORED_ALIKE(transposed, expected);
    EXPECT_NO_THROW(info.update_values(a, of_equal_size));
}

TYPED_TEST(CsrRearrange, RearrangesMatricesWithRoomForMoreEntries)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = TestFixture::Csr::create(this->exec, dim<2>{2, 2}, array<V>{this->exec, {1, 2, 9}},
                                            array<I>{this->exec, {1, 0, 0}}, array<I>{this->exec, {0, 1, 2}});
    const auto p = spruce::matrix::Permutation<I>::create(this->exec, array<I>{this->exec, {1, 0}});
    auto [permuted, info] = a->permute_reuse(p, spruce::matrix::permute_mode::rows);
    EXPECT_MTX_STORED_ALIKE(permuted, this->csr({{2, 0}, {0, 1}}));

    a->scale(this->dense({{3}}));
    info.update_values(a, permuted);

    EXPECT_MTX_STORED_ALIKE(permuted, this->csr({{6, 0}, {0, 3}}));
}

TYPED_TEST(CsrRearrange, RefusesPermutationsOfAnotherSize)
{
    using I = typename TestFixture::I;
    const auto a = this->csr({{1, 2, 0}, {0, 3, 4}});
    const array<I> two{this->exec, {1, 0}};
    const array<I> three{this->exec, {1, 2, 0}};

    EXPECT_THROW(a->row_permute(&three), spruce::DimensionMismatch);
    EXPECT_THROW(a->inverse_row_permute(&three), spruce::DimensionMismatch);
    EXPECT_THROW(a->column_permute(&two), spruce::DimensionMismatch);
    EXPECT_THROW(a->inverse_column_permute(&two), spruce::DimensionMismatch);
    EXPECT_THROW(a->permute(&two), spruce::DimensionMismatch);
    EXPECT_THROW(a->inverse_permute(&two), spruce::DimensionMismatch);
}

TYPED_TEST(CsrRearrange, TakesSubmatricesByHand)
{
    const auto a = this->csr({{1, 2, 0}, {0, 3, 4}, {5, 0, 6}});

    EXPECT_MTX_STORED_ALIKE(a->create_submatrix({0, 2}, {1, 3}), this->csr({{2, 0}, {3, 4}}));
    EXPECT_MTX_STORED_ALIKE(a->create_submatrix({1, 3}, {0, 1}), this->csr({{0}, {5}}));
    EXPECT_MTX_STORED_ALIKE(a->create_submatrix({0, 3}, {0, 3}), a);
    EXPECT_EQ(a->create_submatrix({1, 1}, {0, 3})->get_size(), (dim<2>{0, 3}));
    EXPECT_EQ(a->create_submatrix({1, 3}, {2, 2})->get_size(), (dim<2>{2, 0}));
    EXPECT_THROW(a->create_submatrix({0, 4}, {0, 3}), spruce::OutOfBoundsError);
    EXPECT_THROW(a->create_submatrix({0, 3}, {2, 4}), spruce::OutOfBoundsError);
    EXPECT_THROW(a->create_submatrix({2, 1}, {0, 3}), spruce::OutOfBoundsError);
}

TYPED_TEST(CsrRearrange, GivesTheEntriesOfSetsOfRowsAndColumns)
{
    using I = typename TypeParam::index_type;
    using set = spruce::index_set<I>;
    const auto a = this->csr({{1, 2, 0}, {0, 3, 4}, {5, 0, 6}});
    const auto set_of = [&](I size, std::initializer_list<I> indices) {
        return set{this->exec, size, array<I>{this->exec, indices}};
    };
    const auto all = set_of(3, {0, 1, 2});
    const auto none = set_of(3, {});

    EXPECT_MTX_STORED_ALIKE(a->create_submatrix(set_of(3, {0, 2}), set_of(3, {0, 2})), this->csr({{1, 0}, {5, 6}}));
    EXPECT_MTX_STORED_ALIKE(a->create_submatrix(set_of(2, {1}), set_of(2, {0})), this->csr({{0}}));
    EXPECT_MTX_STORED_ALIKE(a->create_submatrix(all, all), a);
    EXPECT_EQ(a->create_submatrix(none, all)->get_size(), (dim<2>{0, 3}));
    EXPECT_EQ(a->create_submatrix(all, none)->get_size(), (dim<2>{3, 0}));
    EXPECT_MTX_STORED_ALIKE(a->create_submatrix(set{this->ref, {1, 2}}, set{this->ref, {1, 2}}),
                            this->csr({{3, 4}, {0, 6}}));
    EXPECT_THROW(a->create_submatrix(set_of(4, {0}), all), spruce::OutOfBoundsError);
    EXPECT_THROW(a->create_submatrix(all, set_of(4, {0})), spruce::OutOfBoundsError);
}

TYPED_TEST(CsrRearrange, GivesTheEntriesOfSetsForAllKindsOfMatrices)
{
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto choose = [&](size_type size) {
            std::vector<I> chosen;
            for (size_type i = 0; i < size; ++i) {
                if (i % 7 < 3 || i % 11 == 5) {
                    chosen.push_back(static_cast<I>(i));
                }
            }
            return chosen;
        };
        const auto rows = choose(one.data.size[0]);
        const auto cols = choose(one.data.size[1]);
        host_matrix expected{dim<2>{rows.size(), cols.size()}};
        for (const auto& entry : one.data.nonzeros) {
            const auto row = std::lower_bound(rows.begin(), rows.end(), entry.row);
            const auto col = std::lower_bound(cols.begin(), cols.end(), entry.column);
            if (row != rows.end() && *row == entry.row && col != cols.end() && *col == entry.column) {
                expected.nonzeros.emplace_back(row - rows.begin(), col - cols.begin(), entry.value);
            }
        }
        const auto set_of = [&](size_type size, const std::vector<I>& indices) {
            return spruce::index_set<I>{this->exec, static_cast<I>(size),
                                        array<I>{this->exec, indices.begin(), indices.end()}};
        };

        EXPECT_MTX_STORED_ALIKE(
            this->csr_of(one.data)->create_submatrix(set_of(one.data.size[0], rows), set_of(one.data.size[1], cols)),
            this->csr_of(expected));
    }
}

TYPED_TEST(CsrRearrange, TakesSubmatricesOfEveryCase)
{
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto size = one.data.size;
        const span rows{size[0] / 5, size[0] - size[0] / 7};
        const span cols{size[1] / 3, size[1] - size[1] / 9};
        host_matrix expected{dim<2>{rows.length(), cols.length()}};
        for (const auto& entry : one.data.nonzeros) {
            const auto row = static_cast<size_type>(entry.row);
            const auto col = static_cast<size_type>(entry.column);
            if (rows.begin <= row && row < rows.end && cols.begin <= col && col < cols.end) {
                expected.nonzeros.emplace_back(row - rows.begin, col - cols.begin, entry.value);
            }
        }

        EXPECT_MTX_STORED_ALIKE(this->csr_of(one.data)->create_submatrix(rows, cols), this->csr_of(expected));
    }
}

TYPED_TEST(CsrRearrange, ComputesAbsoluteValues)
{
    using V = typename TestFixture::V;
    const auto a = this->csr({{-1, 0, 2}, {0, -3, 0}});
    if constexpr (spruce::is_complex<V>()) {
        a->scale(this->dense({{V(3, 4)}}));
    } else {
        a->scale(this->dense({{5}}));
    }
    const auto expected = this->csr({{5, 0, 10}, {0, 15, 0}});

    const auto absolute = a->compute_absolute();
    a->compute_absolute_inplace();

    EXPECT_MTX_NEAR(absolute, expected, 4 * this->epsilon());
    EXPECT_MTX_NEAR(a, expected, 4 * this->epsilon());
    EXPECT_EQ(absolute->get_num_stored_elements(), 3u);
}

TYPED_TEST(CsrRearrange, ScalesByAScalar)
{
    const auto a = this->csr({{1, 0, 2}, {0, 3, 0}});

    a->scale(this->dense({{4}}));
    a->inv_scale(this->dense({{2}}));

    EXPECT_MTX_STORED_ALIKE(a, this->csr({{2, 0, 4}, {0, 6, 0}}));
    EXPECT_THROW(a->scale(this->dense({{1, 2}})), spruce::DimensionMismatch);
    EXPECT_THROW(a->inv_scale(this->dense({{1}, {2}})), spruce::DimensionMismatch);
}

TYPED_TEST(CsrRearrange, AddsScaledIdentity)
{
    using V = typename TestFixture::V;
    const auto a = this->csr({{1, 0, 2}, {3, 4, 0}});
    const auto broken = this->csr({{spruce::nan<V>(), 0}, {1, 1}});

    a->add_scaled_identity(this->dense({{10}}), clone(this->ref, this->dense({{2}})));
    broken->add_scaled_identity(this->dense({{10}}), this->dense({{0}}));

    EXPECT_MTX_STORED_ALIKE(a, this->csr({{12, 0, 4}, {6, 18, 0}}));
    EXPECT_MTX_NEAR(broken, this->dense({{10, 0}, {0, 10}}), 0.0);
}

TYPED_TEST(CsrRearrange, NamesTheRowThatLacksItsDiagonal)
{
    const auto a = this->csr({{1, 0, 2}, {3, 0, 0}, {0, 1, 0}});
    const auto one = this->dense({{1}});

    EXPECT_THROW_WITH(a->add_scaled_identity(one, one), spruce::UnsupportedMatrixProperty, "row 1");
    EXPECT_MTX_STORED_ALIKE(a, this->csr({{1, 0, 2}, {3, 0, 0}, {0, 1, 0}}));
}

TYPED_TEST(CsrRearrange, AddsScaledIdentityLikeReference)
{
    const auto data = random_positive_definite(this->engine, 517, 40);
    const auto a = this->csr_of(with_unsorted_columns(this->engine, data));
    const auto expected = clone(this->ref, a);
    const auto alpha = this->dense({{2}});
    const auto beta = this->dense({{-3}});

    a->add_scaled_identity(alpha, beta);
    expected->add_scaled_identity(alpha, beta);

    EXPECT_MTX_NEAR(a, expected, this->tolerance_of_sum(2));
}

TYPED_TEST(CsrRearrange, ViewsItsValues)
{
    const auto a = this->csr({{1, 0, 2}, {0, 3, 0}});

    a->create_value_view()->fill(7);

    EXPECT_MTX_STORED_ALIKE(a, this->csr({{7, 0, 7}, {0, 7, 0}}));
    EXPECT_EQ(a->create_const_value_view()->get_const_values(), a->get_const_values());
    EXPECT_EQ(a->create_const_value_view()->get_size(), (dim<2>{3, 1}));
}

}  // namespace
