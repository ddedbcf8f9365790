// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/diagonal.hpp>

#include <functional>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::int64;
using spruce::size_type;
using spruce::matrix::Diagonal;

using number = std::complex<double>;

template <typename Types>
class DiagonalTest : public kernel_test<Types> {
protected:
    using V = typename Types::value_type;
    using I = typename Types::index_type;
    using D = Diagonal<V>;

    std::unique_ptr<D> diagonal(const std::vector<V>& values) const
    {
        return D::create(this->exec, values.size(), array<V>{this->exec, values.begin(), values.end()});
    }
    /// Returns random factors that scale without rounding: powers of two with either sign, times i
    /// for some complex factors.
    static std::vector<number> random_factors(random_engine& engine, size_type size)
    {
        std::vector<number> result(size);
        for (auto& factor : result) {
            const auto bits = engine();
            factor = std::ldexp(bits % 2 ? 1.0 : -1.0, static_cast<int>(bits / 2 % 5) - 2);
            if (spruce::is_complex<V>() && bits / 1024 % 2) {
                factor *= number{0.0, 1.0};
            }
        }
        return result;
    }
    std::unique_ptr<D> diagonal_of(const std::vector<number>& values) const
    {
        std::vector<V> converted;
        for (const auto& value : values) {
            converted.push_back(convert(value));
        }
        return this->diagonal(converted);
    }
    static V convert(number value)
    {
        if constexpr (spruce::is_complex<V>()) {
            return static_cast<V>(value);
        } else {
            return static_cast<V>(value.real());
        }
    }
    /// Replaces every entry by change(row, column, value).
    static host_matrix changed(host_matrix data, const std::function<number(int64, int64, number)>& change)
    {
        for (auto& entry : data.nonzeros) {
            if (!spruce::is_complex<V>()) {
                entry.value = entry.value.real();
            }
            entry.value = change(entry.row, entry.column, entry.value);
        }
        return data;
    }
};
TYPED_TEST_SUITE(DiagonalTest, value_and_index_types, type_names);

TYPED_TEST(DiagonalTest, ScalesDenseByHand)
{
    const auto d = this->diagonal({2, 0, -4});
    const auto b = this->dense({{1, 10}, {2, 20}, {3, 30}}, 3);
    const auto c = this->dense({{1, 2, 3}, {4, 5, 6}});
    const auto x = this->dense_of_nan(3, 2, 4);
    const auto y = this->dense_of_nan(2, 3, 5);

    d->apply(b, x);
    d->rapply(c, y);

    EXPECT_MTX_NEAR(x, this->dense({{2, 20}, {0, 0}, {-12, -120}}), 0.0);
    EXPECT_MTX_NEAR(y, this->dense({{2, 0, -12}, {8, 0, -24}}), 0.0);
    EXPECT_TRUE(padding_is_intact(*x));
    EXPECT_TRUE(padding_is_intact(*y));
}

TYPED_TEST(DiagonalTest, DividesDenseByHand)
{
    const auto d = this->diagonal({2, 1, -4});
    const auto x = this->dense_of_nan(3, 1);

    d->inverse_apply(this->dense({{1}, {2}, {3}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{0.5}, {2}, {-0.75}}), 0.0);
}

TYPED_TEST(DiagonalTest, ScalesInPlace)
{
    const auto x = this->random_dense(1025, 3, 5);
    const auto original = x->clone();
    const auto d = this->diagonal_of(this->random_factors(this->engine, 1025));

    d->apply(x, x);
    EXPECT_MTX_NEAR(x, this->apply(d, original), 0.0);
    d->inverse_apply(x, x);

    EXPECT_MTX_NEAR(x, original, 0.0);
}

TYPED_TEST(DiagonalTest, AdvancedApplyCombines)
{
    using V = typename TypeParam::value_type;
    const auto d = this->diagonal({2, 3});
    const auto b = this->dense({{1, 2}, {3, 4}});
    const auto x = this->dense({{1, 1}, {1, 1}}, 3);

    d->apply(this->dense({{V(2)}}), b, this->dense({{V(-1)}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{3, 7}, {17, 23}}), 0.0);
}

TYPED_TEST(DiagonalTest, AdvancedApplyIgnoresOperandsOfZeroFactors)
{
    const auto d = this->diagonal({2, 3});
    const auto zero = this->dense({{0}});
    const auto one = this->dense({{1}});
    const auto unchanged = this->dense({{1}, {2}});
    const auto overwritten = this->dense_of_nan(2, 1);

    d->apply(zero, this->dense_of_nan(2, 1), one, unchanged);
    d->apply(one, unchanged, zero, overwritten);

    EXPECT_MTX_NEAR(unchanged, this->dense({{1}, {2}}), 0.0);
    EXPECT_MTX_NEAR(overwritten, this->dense({{2}, {6}}), 0.0);
}

TYPED_TEST(DiagonalTest, MatchesReferenceOnDense)
{
    for (const auto size : {dim<2>{0, 3}, dim<2>{3, 0}, dim<2>{1, 1}, dim<2>{513, 1}, dim<2>{300, 7}}) {
        const auto d = this->diagonal_of(this->random_factors(this->engine, size[0]));
        const auto b = this->random_dense(size[0], size[1]);

        EXPECT_MTX_NEAR(this->apply(d, b), this->apply_on_reference(d, b), 0.0);
    }
}

TYPED_TEST(DiagonalTest, TakesOtherPrecisionsAndComplexVectors)
{
    using V = typename TypeParam::value_type;
    using other = spruce::next_precision<V>;
    const auto d = this->diagonal({2, -3});
    const auto check = [&](auto value, auto i) {
        using T = decltype(value);
        auto b = make_dense<T>(this->exec, host_matrix{dim<2>{2, 2}, {{0, 0, 1.0 + i}, {0, 1, 2.0}, {1, 0, 3.0}}});
        auto expected =
            make_dense<T>(this->exec, host_matrix{dim<2>{2, 2}, {{0, 0, 2.0 + 2.0 * i}, {0, 1, 4.0}, {1, 0, -9.0}}});
        auto x = make_dense_of_nan<T>(this->exec, dim<2>{2, 2});

        d->apply(b, x);

        EXPECT_MTX_NEAR(x, expected, 0.0);
    };

    check(other{}, number{});
    check(spruce::to_complex<V>{}, number{0.0, 1.0});
}

TYPED_TEST(DiagonalTest, ScalesRowsAndColumnsOfCsr)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Csr = spruce::matrix::Csr<V, I>;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto row_factors = this->random_factors(this->engine, one.data.size[0]);
        const auto col_factors = this->random_factors(this->engine, one.data.size[1]);
        const auto rows = this->diagonal_of(row_factors);
        const auto columns = this->diagonal_of(col_factors);
        const auto a = make_csr<V, I>(this->exec, one.data);
        const auto x = Csr::create(this->exec, one.data.size);
        const auto in_place = a->clone();

        rows->apply(a, x);
        EXPECT_MTX_STORED_ALIKE(x, (make_csr<V, I>(this->exec, this->changed(one.data, [&](auto i, auto, auto value) {
                                    return row_factors[i] * value;
                                }))));
        rows->inverse_apply(x, x);
        EXPECT_MTX_STORED_ALIKE(x, a);
        columns->rapply(in_place, in_place);
        EXPECT_MTX_STORED_ALIKE(in_place,
                                (make_csr<V, I>(this->exec, this->changed(one.data, [&](auto, auto j, auto value) {
                                    return value * col_factors[j];
                                }))));
    }
}

TYPED_TEST(DiagonalTest, IsExtractedFromCsrCooAndDense)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        std::vector<V> expected(std::min(one.data.size[0], one.data.size[1]));
        for (const auto& entry : one.data.nonzeros) {
            if (entry.row == entry.column) {
                expected[entry.row] = this->convert(entry.value);
            }
        }

        EXPECT_MTX_STORED_ALIKE((make_csr<V, I>(this->exec, one.data)->extract_diagonal()), this->diagonal(expected));
        EXPECT_MTX_STORED_ALIKE((make_coo<V, I>(this->exec, one.data)->extract_diagonal()), this->diagonal(expected));
        EXPECT_MTX_STORED_ALIKE((make_dense<V>(this->exec, one.data, one.data.size[1] + 2)->extract_diagonal()),
                                this->diagonal(expected));
    }
}

TYPED_TEST(DiagonalTest, IsExtractedAsLinOp)
{
    const auto a = this->csr({{1, 2}, {3, 4}});

    const auto d = dynamic_cast<spruce::DiagonalLinOpExtractable*>(a.get())->extract_diagonal_linop();

    EXPECT_MTX_STORED_ALIKE(d, this->diagonal({1, 4}));
}

TYPED_TEST(DiagonalTest, ConvertsToCsrWithItsZeros)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Csr = spruce::matrix::Csr<V, I>;
    for (const size_type size : {0, 1, 300}) {
        std::vector<V> values(size, V(3));
        if (size > 1) {
            values[1] = V{};
        }
        const auto d = this->diagonal(values);
        const auto b = this->random_dense(size, 2);
        const auto csr = Csr::create(this->exec);
        const auto elsewhere = Csr::create(this->ref);

        d->convert_to(csr);
        elsewhere->copy_from(d);

        EXPECT_EQ(csr->get_num_stored_elements(), size);
        EXPECT_MTX_STORED_ALIKE(csr, d);
        EXPECT_MTX_STORED_ALIKE(elsewhere, d);
        EXPECT_MTX_NEAR(this->apply(csr, b), this->apply(d, b), 0.0);
    }
}

TYPED_TEST(DiagonalTest, ConvertsToAllFormats)
{
    using V = typename TypeParam::value_type;
    const auto d = this->diagonal({3, 0, -2, 5});
    const auto expect_equal = [&](const auto& a) {
        const auto expected = this->dense({{3, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, -2, 0}, {0, 0, 0, 5}});
        const auto identity = this->dense({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}});

        a->copy_from(d);

        EXPECT_MTX_NEAR(this->apply(a, identity), expected, 0.0);
    };
    const auto expect_equal_for_index = [&](auto index) {
        using I = decltype(index);
        expect_equal(spruce::matrix::Coo<V, I>::create(this->exec));
        expect_equal(spruce::matrix::Ell<V, I>::create(this->exec));
        expect_equal(spruce::matrix::Sellp<V, I>::create(this->exec));
        expect_equal(spruce::matrix::Hybrid<V, I>::create(this->exec));
        expect_equal(spruce::matrix::Fbcsr<V, I>::create(this->exec, 2));
    };

    expect_equal_for_index(typename TypeParam::index_type{});
    const auto dense = spruce::matrix::Dense<V>::create(this->exec);
    expect_equal(dense);
    dense->copy_from(this->diagonal({}));
    EXPECT_EQ(dense->get_size(), dim<2>{});
    const auto pattern = spruce::matrix::SparsityCsr<V, typename TypeParam::index_type>::create(this->exec);
    pattern->copy_from(d);
    EXPECT_EQ(pattern->get_num_nonzeros(), 4u);
}

TYPED_TEST(DiagonalTest, ConvertsPrecisionThereAndBack)
{
    using other = Diagonal<spruce::next_precision<typename TypeParam::value_type>>;
    const auto d = this->diagonal_of(this->random_factors(this->engine, 100));
    const auto converted = other::create(this->exec);
    const auto back = TestFixture::D::create(this->exec);

    d->convert_to(converted);
    back->copy_from(converted);

    EXPECT_MTX_STORED_ALIKE(converted, d);
    EXPECT_MTX_STORED_ALIKE(back, d);
}

TYPED_TEST(DiagonalTest, ReadsAndWrites)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const spruce::matrix_data<V, I> data{dim<2>{4, 4}, {{1, 1, V(2)}, {3, 3, V(-1)}}};
    const auto d = TestFixture::D::create(this->exec);
    const auto from_device = TestFixture::D::create(this->exec);

    d->read(data);
    from_device->read(spruce::device_matrix_data<V, I>::create_from_host(this->ref, data));
    spruce::matrix_data<V, I> written;
    d->write(written);

    EXPECT_MTX_STORED_ALIKE(d, this->diagonal({0, 2, 0, -1}));
    EXPECT_MTX_STORED_ALIKE(from_device, d);
    EXPECT_EQ(written.size, (dim<2>{4, 4}));
    EXPECT_EQ(written.nonzeros.size(), 4u);
}

TYPED_TEST(DiagonalTest, RefusesToReadWhatIsNotDiagonal)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using data = spruce::matrix_data<V, I>;
    const auto d = this->diagonal({7});

    EXPECT_THROW_WITH(d->read(data(dim<2>{2, 2}, {{0, 1, V(1)}})), spruce::UnsupportedMatrixProperty,
                      "off the diagonal");
    EXPECT_THROW(d->read(data(dim<2>{2, 3}, {{0, 0, V(1)}})), spruce::DimensionMismatch);

    EXPECT_MTX_STORED_ALIKE(d, this->diagonal({7}));
}

TYPED_TEST(DiagonalTest, TakesAbsoluteValuesAndTransposes)
{
    using V = typename TypeParam::value_type;
    auto value = V(-3);
    if constexpr (spruce::is_complex<V>()) {
        value = V(-3, 4);
    }
    const auto d = this->diagonal({value, V(2)});

    const auto absolute = d->compute_absolute();
    const auto conjugated = d->conj_transpose();
    const auto transposed = d->transpose();

    EXPECT_MTX_NEAR(absolute, this->diagonal({std::abs(value), V(2)}), 2 * this->epsilon());
    EXPECT_MTX_STORED_ALIKE(conjugated, this->diagonal({spruce::conj(value), V(2)}));
    EXPECT_MTX_STORED_ALIKE(transposed, d);
    d->compute_absolute_inplace();
    EXPECT_MTX_NEAR(d, absolute, 0.0);
}

TYPED_TEST(DiagonalTest, RefusesOperandsThatDoNotFit)
{
    const auto d = this->diagonal({1, 2});
    const auto two = this->dense({{1}, {2}});
    const auto three = this->dense({{1}, {2}, {3}});

    EXPECT_THROW(d->apply(three, two), spruce::DimensionMismatch);
    EXPECT_THROW(d->rapply(two, two), spruce::DimensionMismatch);
    EXPECT_THROW(d->inverse_apply(three, three), spruce::DimensionMismatch);
    EXPECT_THROW(d->inverse_apply(two, three), spruce::DimensionMismatch);
    EXPECT_THROW(d->apply(d, two), spruce::DimensionMismatch);
    EXPECT_THROW(d->apply(this->csr({{1}, {2}}), two), spruce::NotSupported);
    EXPECT_THROW(TestFixture::D::create(this->exec, 3, array<typename TypeParam::value_type>{this->exec, 2}),
                 spruce::ValueMismatch);
}

TYPED_TEST(DiagonalTest, CopiesAcrossExecutorsAndMoves)
{
    const auto d = this->diagonal({1, 2, 3});

    const auto copy = spruce::clone(this->ref, d);
    const auto moved = TestFixture::D::create(this->exec);
    moved->move_from(d->clone());

    EXPECT_MTX_STORED_ALIKE(copy, d);
    EXPECT_MTX_STORED_ALIKE(moved, d);
    d->clear();
    EXPECT_EQ(d->get_size(), dim<2>{});
}

}  // namespace
