// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_kernels.hpp"

#include <vector>

#include "test/reference/reference_test.hpp"

namespace {

using namespace spruce;
using test::number;

template <typename V>
class ReferenceDense : public test::ReferenceTest<V> {
protected:
    using R = remove_complex<V>;

    std::unique_ptr<matrix::Dense<R>> real_result(size_type num_cols) const
    {
        return matrix::Dense<R>::create(this->exec, dim<2>{1, num_cols});
    }

    array<char> tmp{this->exec};
};

TYPED_TEST_SUITE(ReferenceDense, test::value_types, );

TYPED_TEST(ReferenceDense, FillLeavesPaddingAlone)
{
    using V = TypeParam;
    const auto x = this->dense_of_nan(2, 2);

    kernels::dense::fill<V>(*this->exec, *x, number<V>(3, 1));

    const auto value = number<V>(3, 1);
    this->template expect_equal<V>(*x, {{value, value}, {value, value}});
    EXPECT_TRUE(is_nan(x->get_const_values()[2]));
}

TYPED_TEST(ReferenceDense, CopyConvertsBetweenStrides)
{
    using V = TypeParam;
    using Other = next_precision<V>;
    const auto x = this->dense({{1, 2}, {number<V>(3, 1), 4}});
    const auto other = matrix::Dense<Other>::create(this->exec, dim<2>{2, 2});
    const auto back = this->dense_of_nan(2, 2);
    const auto same = this->dense_of_nan(2, 2);

    kernels::dense::copy<V, Other>(*this->exec, *x, *other);
    kernels::dense::copy<Other, V>(*this->exec, *other, *back);
    kernels::dense::copy<V, V>(*this->exec, *x, *same);

    this->template expect_equal<Other>(*other, {{1, 2}, {number<Other>(3, 1), 4}});
    this->template expect_equal<V>(*back, {{1, 2}, {number<V>(3, 1), 4}});
    this->template expect_equal<V>(*same, {{1, 2}, {number<V>(3, 1), 4}});
}

TYPED_TEST(ReferenceDense, ScaleTakesOneFactorOrOnePerColumn)
{
    using V = TypeParam;
    const auto x = this->dense({{1, 2}, {3, 4}});

    kernels::dense::scale<V>(*this->exec, *this->dense({{2}}), *x);
    this->template expect_equal<V>(*x, {{2, 4}, {6, 8}});
    kernels::dense::scale<V>(*this->exec, *this->dense({{3, -1}}), *x);
    this->template expect_equal<V>(*x, {{6, -4}, {18, -8}});
    kernels::dense::inv_scale<V>(*this->exec, *this->dense({{2, 4}}), *x);
    this->template expect_equal<V>(*x, {{3, -1}, {9, -2}});
}

TYPED_TEST(ReferenceDense, ScaleByZeroRemovesNan)
{
    using V = TypeParam;
    const auto x = this->dense_of_nan(2, 1);

    kernels::dense::scale<V>(*this->exec, *this->dense({{0}}), *x);

    this->template expect_equal<V>(*x, {{0}, {0}});
}

TYPED_TEST(ReferenceDense, AddsAndSubtractsScaled)
{
    using V = TypeParam;
    const auto x = this->dense({{1, 2}, {3, 4}});
    const auto y = this->dense({{10, 20}, {30, 40}});

    kernels::dense::add_scaled<V>(*this->exec, *this->dense({{2}}), *x, *y);
    this->template expect_equal<V>(*y, {{12, 24}, {36, 48}});
    kernels::dense::sub_scaled<V>(*this->exec, *this->dense({{1, 3}}), *x, *y);
    this->template expect_equal<V>(*y, {{11, 18}, {33, 36}});
}

TYPED_TEST(ReferenceDense, DotProductsDifferInConjugation)
{
    using V = TypeParam;
    const auto x = this->dense({{number<V>(1, 2), 1}, {3, 2}});
    const auto y = this->dense({{number<V>(3, 4), 5}, {1, 6}});
    const auto dot = this->dense_of_nan(1, 2);
    const auto conj_dot = this->dense_of_nan(1, 2);

    kernels::dense::dot<V>(*this->exec, *x, *y, *dot, this->tmp);
    kernels::dense::conj_dot<V>(*this->exec, *x, *y, *conj_dot, this->tmp);

    // (1 + 2i)(3 + 4i) = -5 + 10i, (1 - 2i)(3 + 4i) = 11 - 2i
    this->template expect_equal<V>(*dot, {{is_complex<V>() ? number<V>(-2, 10) : V(6), 17}});
    this->template expect_equal<V>(*conj_dot, {{is_complex<V>() ? number<V>(14, -2) : V(6), 17}});
}

TYPED_TEST(ReferenceDense, NormsAreRealAndByColumn)
{
    using V = TypeParam;
    using R = typename TestFixture::R;
    const auto x = this->dense({{-3, is_complex<V>() ? number<V>(3, 4) : V(5)}, {4, 12}});
    const auto norm2 = this->real_result(2);
    const auto norm1 = this->real_result(2);
    const auto squared = this->real_result(2);

    kernels::dense::norm2<V>(*this->exec, *x, *norm2, this->tmp);
    kernels::dense::norm1<V>(*this->exec, *x, *norm1, this->tmp);
    kernels::dense::squared_norm2<V>(*this->exec, *x, *squared, this->tmp);

    this->template expect_equal<R>(*norm2, {{5, 13}});
    this->template expect_equal<R>(*norm1, {{7, 17}});
    this->template expect_equal<R>(*squared, {{25, 169}});
}

TYPED_TEST(ReferenceDense, ReductionsOfNoRowsAreZero)
{
    using V = TypeParam;
    const auto x = matrix::Dense<V>::create(this->exec, dim<2>{0, 1});
    const auto dot = this->dense_of_nan(1, 1);

    kernels::dense::dot<V>(*this->exec, *x, *x, *dot, this->tmp);

    this->template expect_equal<V>(*dot, {{0}});
}

TYPED_TEST(ReferenceDense, SimpleApplyOverwritesResult)
{
    using V = TypeParam;
    const auto c = this->dense_of_nan(2, 2);

    kernels::dense::simple_apply<V>(*this->exec, *this->dense({{1, 2, 3}, {4, 5, 6}}),
                                    *this->dense({{1, 0}, {0, 1}, {1, 1}}), *c);

    this->template expect_equal<V>(*c, {{4, 5}, {10, 11}});
}

TYPED_TEST(ReferenceDense, ApplyCombines)
{
    using V = TypeParam;
    const auto c = this->dense({{1}, {2}});

    kernels::dense::apply<V>(*this->exec, *this->dense({{2}}), *this->dense({{1, 2}, {3, 4}}),
                             *this->dense({{1}, {-1}}), *this->dense({{10}}), *c);

    this->template expect_equal<V>(*c, {{8}, {18}});
}

TYPED_TEST(ReferenceDense, ApplyDoesNotReadOperandsOfZeroFactors)
{
    using V = TypeParam;
    const auto a = this->dense({{1, 2}, {3, 4}});
    const auto scaled = this->dense({{1}, {2}});
    const auto product = this->dense_of_nan(2, 1);

    kernels::dense::apply<V>(*this->exec, *this->dense({{0}}), *a, *this->dense_of_nan(2, 1), *this->dense({{3}}),
                             *scaled);
    kernels::dense::apply<V>(*this->exec, *this->dense({{1}}), *a, *this->dense({{1}, {1}}), *this->dense({{0}}),
                             *product);

    this->template expect_equal<V>(*scaled, {{3}, {6}});
    this->template expect_equal<V>(*product, {{3}, {7}});
}

TYPED_TEST(ReferenceDense, TransposesDifferInConjugation)
{
    using V = TypeParam;
    const auto x = this->dense({{1, number<V>(2, 5), 3}});
    const auto transposed = this->dense_of_nan(3, 1);
    const auto conj_transposed = this->dense_of_nan(3, 1);

    kernels::dense::transpose<V>(*this->exec, *x, *transposed);
    kernels::dense::conj_transpose<V>(*this->exec, *x, *conj_transposed);

    this->template expect_equal<V>(*transposed, {{1}, {number<V>(2, 5)}, {3}});
    this->template expect_equal<V>(*conj_transposed, {{1}, {number<V>(2, -5)}, {3}});
}

TYPED_TEST(ReferenceDense, CountsAndCollectsNonzeros)
{
    using V = TypeParam;
    for_each_index_type([&](auto type) {
        using I = typename decltype(type)::type;
        const auto x = this->dense({{0, 2, 3}, {0, 0, 0}, {4, 0, 0}});
        std::vector<I> counts(3, -1);
        const std::vector<I> row_ptrs{0, 2, 2, 3};
        std::vector<I> col_idxs(3, -1);
        std::vector<V> values(3, nan<V>());

        kernels::dense::count_nonzeros_per_row<V, I>(*this->exec, *x, counts.data());
        kernels::dense::collect_nonzeros<V, I>(*this->exec, *x, row_ptrs.data(), col_idxs.data(), values.data());

        EXPECT_EQ(counts, (std::vector<I>{2, 0, 1}));
        EXPECT_EQ(col_idxs, (std::vector<I>{1, 2, 0}));
        EXPECT_EQ(values, (std::vector<V>{2, 3, 4}));
    });
}

}  // namespace
