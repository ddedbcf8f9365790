// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_permute_kernels.hpp"

#include <algorithm>
#include <numeric>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class DensePermute : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Dense;

    array<I> indices(std::initializer_list<I> list) const { return {this->exec, list}; }

    std::vector<I> random_permutation(size_type size)
    {
        std::vector<I> result(size);
        std::iota(result.begin(), result.end(), I{});
        std::shuffle(result.begin(), result.end(), this->engine);
        return result;
    }

    /// Returns source with entry (i, j) moved to move(i, j).
    template <typename Move>
    static host_matrix moved(host_matrix data, Move move)
    {
        for (auto& entry : data.nonzeros) {
            std::tie(entry.row, entry.column) = move(entry.row, entry.column);
        }
        return data;
    }

    /// Compares a permutation of this executor with the reference.
    /// @param run  run(x, p) and run(x, p, output)
    template <typename Move, typename Run>
    void compare(dim<2> size, const std::vector<I>& permutation, Move move, Run run)
    {
        SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1]);
        const auto data = random_full(this->engine, size[0], size[1]);
        const auto x = make_dense<V>(this->exec, data, size[1] + 3);
        const array<I> p{this->exec, permutation.begin(), permutation.end()};
        const array<I> host_p{this->ref, p};
        const auto output = this->dense_of_nan(size[0], size[1], size[1] + 2);
        const auto host_output = make_dense_of_nan<V>(this->ref, size);

        run(*x, p, output);
        run(*x, host_p, host_output);

        EXPECT_MTX_NEAR(output, make_dense<V>(this->ref, moved(data, move)), 0.0);
        EXPECT_MTX_NEAR(host_output, output, 0.0);
        EXPECT_MTX_NEAR(run(*x, p), output, 0.0);
        EXPECT_TRUE(padding_is_intact(*output));
    }

    static std::vector<dim<2>> shapes()
    {
        return {{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 70}, {70, 1}, {33, 9}, {64, 65}, {129, 4}, {3, 130}};
    }
};
TYPED_TEST_SUITE(DensePermute, value_and_index_types, type_names);

TYPED_TEST(DensePermute, PermutesByHand)
{
    const auto x = this->dense({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
    const auto p = this->indices({1, 2, 0});

    EXPECT_MTX_NEAR(x->permute(&p), this->dense({{5, 6, 4}, {8, 9, 7}, {2, 3, 1}}), 0.0);
    EXPECT_MTX_NEAR(x->inverse_permute(&p), this->dense({{9, 7, 8}, {3, 1, 2}, {6, 4, 5}}), 0.0);
    EXPECT_MTX_NEAR(x->row_permute(&p), this->dense({{4, 5, 6}, {7, 8, 9}, {1, 2, 3}}), 0.0);
    EXPECT_MTX_NEAR(x->inverse_row_permute(&p), this->dense({{7, 8, 9}, {1, 2, 3}, {4, 5, 6}}), 0.0);
    EXPECT_MTX_NEAR(x->column_permute(&p), this->dense({{2, 3, 1}, {5, 6, 4}, {8, 9, 7}}), 0.0);
    EXPECT_MTX_NEAR(x->inverse_column_permute(&p), this->dense({{3, 1, 2}, {6, 4, 5}, {9, 7, 8}}), 0.0);
}

TYPED_TEST(DensePermute, PermutesRowsOfEveryShape)
{
    for (const auto& size : this->shapes()) {
        const auto p = this->random_permutation(size[0]);
        std::vector<spruce::int64> inverse(p.size());
        for (size_type i = 0; i < p.size(); ++i) {
            inverse[p[i]] = i;
        }
        this->compare(
            size, p, [&](auto row, auto col) { return std::make_pair(inverse[row], col); },
            [](auto& x, auto& perm, auto&&... output) { return x.row_permute(&perm, output...); });
        this->compare(
            size, p, [&](auto row, auto col) { return std::make_pair(spruce::int64(p[row]), col); },
            [](auto& x, auto& perm, auto&&... output) { return x.inverse_row_permute(&perm, output...); });
    }
}

TYPED_TEST(DensePermute, PermutesColumnsOfEveryShape)
{
    for (const auto& size : this->shapes()) {
        const auto p = this->random_permutation(size[1]);
        std::vector<spruce::int64> inverse(p.size());
        for (size_type i = 0; i < p.size(); ++i) {
            inverse[p[i]] = i;
        }
        this->compare(
            size, p, [&](auto row, auto col) { return std::make_pair(row, inverse[col]); },
            [](auto& x, auto& perm, auto&&... output) { return x.column_permute(&perm, output...); });
        this->compare(
            size, p, [&](auto row, auto col) { return std::make_pair(row, spruce::int64(p[col])); },
            [](auto& x, auto& perm, auto&&... output) { return x.inverse_column_permute(&perm, output...); });
    }
}

TYPED_TEST(DensePermute, PermutesRowsAndColumnsAlike)
{
    for (const size_type n : {0, 1, 31, 33, 65, 130}) {
        const auto p = this->random_permutation(n);
        std::vector<spruce::int64> inverse(p.size());
        for (size_type i = 0; i < p.size(); ++i) {
            inverse[p[i]] = i;
        }
        this->compare(
            dim<2>{n, n}, p, [&](auto row, auto col) { return std::make_pair(inverse[row], inverse[col]); },
            [](auto& x, auto& perm, auto&&... output) { return x.permute(&perm, output...); });
        this->compare(
            dim<2>{n, n}, p,
            [&](auto row, auto col) { return std::make_pair(spruce::int64(p[row]), spruce::int64(p[col])); },
            [](auto& x, auto& perm, auto&&... output) { return x.inverse_permute(&perm, output...); });
    }
}

TYPED_TEST(DensePermute, RefusesWhatDoesNotFit)
{
    const auto x = this->dense({{1, 2, 3}, {4, 5, 6}});
    const auto two = this->indices({1, 0});
    const auto three = this->indices({1, 0, 2});
    const spruce::array<typename TestFixture::I>* none = nullptr;

    EXPECT_THROW(x->permute(&two), spruce::DimensionMismatch);
    EXPECT_THROW_WITH(x->row_permute(&three), spruce::DimensionMismatch, "Dense::row_permute");
    EXPECT_THROW(x->column_permute(&two), spruce::DimensionMismatch);
    EXPECT_THROW(x->row_permute(none), spruce::NotSupported);
    EXPECT_THROW(x->row_gather(none), spruce::NotSupported);
    EXPECT_THROW(x->row_permute(&two, this->dense({{1}})), spruce::DimensionMismatch);
    EXPECT_THROW(x->row_gather(&two, this->dense({{1}})), spruce::DimensionMismatch);
    EXPECT_THROW(x->row_scatter(&three, this->dense_of_nan(5, 3)), spruce::DimensionMismatch);
    EXPECT_THROW(x->row_scatter(&two, this->dense_of_nan(5, 2)), spruce::DimensionMismatch);
    EXPECT_THROW(x->row_gather(this->dense({{1, 2}}), &two, this->dense({{1}}), x), spruce::Error);
}

TYPED_TEST(DensePermute, GathersAndScattersRowsByHand)
{
    const auto x = this->dense({{1, 2}, {3, 4}, {5, 6}}, 4);
    const auto rows = this->indices({2, 0, 2, 1});
    const auto some = this->indices({3, 1});
    const auto sum = this->dense({{1, 1}, {2, 2}, {3, 3}, {4, 4}});
    const auto target = this->dense({{0, 0}, {0, 0}, {0, 0}, {0, 0}});

    EXPECT_MTX_NEAR(x->row_gather(&rows), this->dense({{5, 6}, {1, 2}, {5, 6}, {3, 4}}), 0.0);
    x->row_gather(this->dense({{2}}), &rows, this->dense({{-1}}), sum);
    EXPECT_MTX_NEAR(sum, this->dense({{9, 11}, {0, 2}, {7, 9}, {2, 4}}), 0.0);
    x->create_submatrix({0, 2}, {0, 2})->row_scatter(&some, target);
    EXPECT_MTX_NEAR(target, this->dense({{0, 0}, {3, 4}, {0, 0}, {1, 2}}), 0.0);
}

TYPED_TEST(DensePermute, GathersIntoEitherPrecisionLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Other = spruce::next_precision<V>;
    const auto coarse =
        std::max<double>(std::numeric_limits<spruce::remove_complex<Other>>::epsilon(), this->epsilon());
    for (const auto& size : this->shapes()) {
        if (size[0] == 0) {
            continue;
        }
        const auto x = this->random_dense(size[0], size[1], size[1] + 1);
        const auto num_rows = 2 * size[0] + 1;
        std::vector<I> picks(num_rows);
        for (auto& pick : picks) {
            pick = static_cast<I>(this->engine() % size[0]);
        }
        const array<I> rows{this->exec, picks.begin(), picks.end()};
        const auto ref_x = spruce::clone(this->ref, x);
        const auto alpha = this->dense({{V(1.5)}});
        const auto beta = this->dense({{V(-0.5)}});
        const auto same = this->dense_of_nan(num_rows, size[1], size[1] + 2);
        const auto other = make_dense_of_nan<Other>(this->exec, dim<2>{num_rows, size[1]}, size[1] + 2);
        const auto expected = make_dense_of_nan<V>(this->ref, dim<2>{num_rows, size[1]});
        const auto zero = this->dense({{0}});

        x->row_gather(&rows, same);
        x->row_gather(&rows, other);

        ref_x->row_gather(&rows, expected);
        EXPECT_MTX_NEAR(same, expected, 0.0);
        EXPECT_MTX_NEAR(other, expected, coarse);
        x->row_gather(alpha, &rows, beta, same);
        x->row_gather(alpha, &rows, beta, other);
        ref_x->row_gather(alpha, &rows, beta, expected);
        EXPECT_MTX_NEAR(same, expected, 4 * this->epsilon());
        EXPECT_MTX_NEAR(other, expected, 4 * coarse);
        EXPECT_TRUE(padding_is_intact(*same));
        EXPECT_TRUE(padding_is_intact(*other));
        same->fill(spruce::nan<V>());
        x->row_gather(alpha, &rows, zero, same);
        ref_x->row_gather(alpha, &rows, zero, expected);
        EXPECT_MTX_NEAR(same, expected, 4 * this->epsilon());
    }
}

TYPED_TEST(DensePermute, ScatteringUndoesGathering)
{
    const auto x = this->random_dense(67, 5, 6);
    const auto p = this->random_permutation(67);
    const array<typename TestFixture::I> rows{this->exec, p.begin(), p.end()};
    const auto back = this->dense_of_nan(67, 5);

    x->row_gather(&rows)->row_scatter(&rows, back);

    EXPECT_MTX_NEAR(back, x, 0.0);
}

TYPED_TEST(DensePermute, ScalesWhilePermuting)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    namespace dense = spruce::kernels::dense;
    const auto x = this->dense({{1, 2}, {3, 4}, {5, 6}}, 3);
    const auto y = this->dense_of_nan(3, 2, 4);
    const auto back = this->dense_of_nan(3, 2);
    const auto rows = this->indices({2, 0, 1});
    const auto cols = this->indices({1, 0});
    const array<V> row_scale{this->exec, {V{2}, V{4}, V{8}}};
    const array<V> col_scale{this->exec, {V{1}, V{-1}}};
    const V* no_scale = nullptr;
    const I* no_indices = nullptr;

    dense::scale_permute<V, I>(*this->exec, *x, row_scale.get_const_data(), rows.get_const_data(),
                               col_scale.get_const_data(), cols.get_const_data(), *y);
    EXPECT_MTX_NEAR(y, this->dense({{-48, 40}, {-4, 2}, {-16, 12}}), 0.0);
    dense::inverse_scale_permute<V, I>(*this->exec, *y, row_scale.get_const_data(), rows.get_const_data(),
                                       col_scale.get_const_data(), cols.get_const_data(), *back);
    EXPECT_MTX_NEAR(back, x, 0.0);
    dense::scale_permute<V, I>(*this->exec, *x, row_scale.get_const_data(), rows.get_const_data(), no_scale, no_indices,
                               *y);
    EXPECT_MTX_NEAR(y, this->dense({{40, 48}, {2, 4}, {12, 16}}), 0.0);
    dense::inverse_scale_permute<V, I>(*this->exec, *x, no_scale, no_indices, col_scale.get_const_data(),
                                       cols.get_const_data(), *y);
    EXPECT_MTX_NEAR(y, this->dense({{2, -1}, {4, -3}, {6, -5}}), 0.0);
    EXPECT_TRUE(padding_is_intact(*y));
}

TYPED_TEST(DensePermute, PermutesByMatricesLikeByIndices)
{
    using I = typename TestFixture::I;
    using spruce::matrix::permute_mode;
    using Permutation = spruce::matrix::Permutation<I>;
    const auto p = this->random_permutation(37);
    const array<I> indices{this->exec, p.begin(), p.end()};
    const auto matrix = Permutation::create(this->ref, indices);  // on any executor
    const auto a = this->random_dense(37, 37, 40);
    const auto output = this->dense_of_nan(37, 37, 39);

    EXPECT_MTX_NEAR(a->permute(matrix), a->permute(&indices), 0.0);
    EXPECT_MTX_NEAR(a->permute(matrix, permute_mode::inverse_symmetric), a->inverse_permute(&indices), 0.0);
    EXPECT_MTX_NEAR(a->permute(matrix, permute_mode::rows), a->row_permute(&indices), 0.0);
    EXPECT_MTX_NEAR(a->permute(matrix, permute_mode::inverse_rows), a->inverse_row_permute(&indices), 0.0);
    EXPECT_MTX_NEAR(a->permute(matrix, permute_mode::columns), a->column_permute(&indices), 0.0);
    EXPECT_MTX_NEAR(a->permute(matrix, permute_mode::inverse_columns), a->inverse_column_permute(&indices), 0.0);
    EXPECT_MTX_NEAR(a->permute(matrix, permute_mode::none), a, 0.0);
    a->permute(matrix, output, permute_mode::rows);
    EXPECT_MTX_NEAR(output, a->row_permute(&indices), 0.0);
    EXPECT_TRUE(padding_is_intact(*output));
}

TYPED_TEST(DensePermute, PermutesRowsAndColumnsByMatricesOfTheirOwn)
{
    using I = typename TestFixture::I;
    using Permutation = spruce::matrix::Permutation<I>;
    for (const auto& size : this->shapes()) {
        const auto p = this->random_permutation(size[0]);
        const auto q = this->random_permutation(size[1]);
        const array<I> rows{this->exec, p.begin(), p.end()};
        const array<I> cols{this->exec, q.begin(), q.end()};
        const auto a = this->random_dense(size[0], size[1], size[1] + 1);
        const auto row_matrix = Permutation::create(this->exec, rows);
        const auto col_matrix = Permutation::create(this->exec, cols);
        const auto back = this->dense_of_nan(size[0], size[1]);

        const auto permuted = a->permute(row_matrix, col_matrix);
        permuted->permute(row_matrix, col_matrix, back.get(), true);  // a pointer must not be taken for the flag

        EXPECT_MTX_NEAR(permuted, spruce::as<typename TestFixture::Dense>(a->row_permute(&rows))->column_permute(&cols),
                        0.0);
        EXPECT_MTX_NEAR(back, a, 0.0);
    }
}

TYPED_TEST(DensePermute, ScalesByMatricesByHand)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using spruce::matrix::permute_mode;
    using ScaledPermutation = spruce::matrix::ScaledPermutation<V, I>;
    const auto a = this->dense({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
    const auto wide = this->dense({{1, 2, 3}, {4, 5, 6}});
    const auto p = ScaledPermutation::create(this->exec, array<V>{this->exec, {V{2}, V{4}, V{8}}},
                                             array<I>{this->exec, {I{2}, I{0}, I{1}}});
    const auto q =
        ScaledPermutation::create(this->ref, array<V>{this->ref, {V{1}, V{-1}}}, array<I>{this->ref, {I{1}, I{0}}});
    const auto output = this->dense_of_nan(2, 3);

    EXPECT_MTX_NEAR(a->scale_permute(p, permute_mode::rows), this->dense({{56, 64, 72}, {2, 4, 6}, {16, 20, 24}}), 0.0);
    EXPECT_MTX_NEAR(a->scale_permute(p, permute_mode::columns), this->dense({{24, 2, 8}, {48, 8, 20}, {72, 14, 32}}),
                    0.0);
    EXPECT_MTX_NEAR(a->scale_permute(p), this->dense({{576, 112, 256}, {48, 4, 16}, {192, 32, 80}}), 0.0);
    EXPECT_MTX_NEAR(a->scale_permute(p)->scale_permute(p, permute_mode::inverse_symmetric), a, 0.0);
    EXPECT_MTX_NEAR(wide->scale_permute(q, p), this->dense({{-48, -8, -20}, {24, 2, 8}}), 0.0);
    wide->scale_permute(q, p)->scale_permute(q, p, output, true);
    EXPECT_MTX_NEAR(output, wide, 0.0);
    wide->scale_permute(q, p, output.get());
    EXPECT_MTX_NEAR(output, wide->scale_permute(q, p), 0.0);
}

TYPED_TEST(DensePermute, RefusesMatricesThatDoNotFit)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using spruce::matrix::permute_mode;
    const auto x = this->dense({{1, 2, 3}, {4, 5, 6}});
    const auto two = spruce::matrix::Permutation<I>::create(this->exec, this->indices({1, 0}));
    const auto scaled = spruce::matrix::ScaledPermutation<V, I>::create(two);

    EXPECT_THROW_WITH(x->permute(two), spruce::DimensionMismatch, "Dense::permute");
    EXPECT_THROW(x->permute(two, permute_mode::columns), spruce::DimensionMismatch);
    EXPECT_THROW(x->permute(two, two), spruce::DimensionMismatch);
    EXPECT_THROW(x->permute(two, this->dense({{1}}), permute_mode::rows), spruce::DimensionMismatch);
    EXPECT_THROW_WITH(x->scale_permute(scaled), spruce::DimensionMismatch, "Dense::scale_permute");
}

}  // namespace
