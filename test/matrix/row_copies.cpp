// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests RowGatherer and Identity, whose products copy rows.

#include <algorithm>
#include <complex>
#include <limits>

#include "test/utils/fixture.hpp"
#include "test/utils/plain_matrix.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class RowCopies : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;

    /// Expects the product op b in x, which holds NaN, and the sum -1.25 op b + 0.5 y in a copy of
    /// y. Both precisions of x are tested. A result is rounded to the precision of x. Factors and
    /// products with them are exact or rounded once to that of b.
    template <typename B, typename X>
    void expect_product(const spruce::LinOp& op, const plain_matrix& plain, size_type num_cols)
    {
        const auto name_of_b = type_names::GetName<types<B, I>>(0);
        const auto name_of_x = type_names::GetName<types<X, I>>(0);
        SCOPED_TRACE(std::to_string(num_cols) + " columns, b " + name_of_b + ", x " + name_of_x);
        using real_b = spruce::remove_complex<B>;
        using real_x = spruce::remove_complex<X>;
        const double epsilon =
            std::max<double>(std::numeric_limits<real_b>::epsilon(), std::numeric_limits<real_x>::epsilon());
        const auto size = op.get_size();
        const auto host_b = random_full(this->engine, size[1], num_cols);
        const auto host_y = random_full(this->engine, size[0], num_cols);
        const auto b = make_dense<B>(this->exec, host_b, num_cols + 1);
        const auto x = make_dense_of_nan<X>(this->exec, dim<2>{size[0], num_cols}, num_cols + 2);
        const auto sum = make_dense<X>(this->exec, host_y, num_cols + 3);
        const auto product = plain * plain_matrix::rounded<B>(host_b);
        const auto tolerance = std::is_same_v<B, X> ? 0.0 : epsilon;
        const auto expected_sum =
            plain_matrix::value{-1.25} * product + plain_matrix::value{0.5} * plain_matrix::rounded<X>(host_y);

        op.apply(b, x);
        op.apply(this->dense({{-1.25}}), b, this->dense({{0.5}}), sum);

        EXPECT_MTX_NEAR(x, product.template to_dense<std::complex<double>>(this->ref), tolerance);
        EXPECT_MTX_NEAR(sum, expected_sum.template to_dense<std::complex<double>>(this->ref), 2 * epsilon);
        EXPECT_TRUE(padding_is_intact(*x));
        EXPECT_TRUE(padding_is_intact(*sum));
    }
    void expect_products(const spruce::LinOp& op, const plain_matrix& plain)
    {
        using Other = spruce::next_precision<V>;
        SCOPED_TRACE(std::to_string(plain.rows()) + " x " + std::to_string(plain.cols()));
        for (const size_type num_cols : {1, 3}) {
            this->template expect_product<V, V>(op, plain, num_cols);
            this->template expect_product<V, Other>(op, plain, num_cols);
#if !SPRUCE_TYPES_MINIMAL  // copies of only one type
            this->template expect_product<Other, V>(op, plain, num_cols);
            this->template expect_product<Other, Other>(op, plain, num_cols);
#endif
        }
    }

    // Sizes near the widths of warps and blocks.
    const std::vector<size_type> sizes{0, 1, 2, 31, 32, 33, 63, 64, 65, 257};
};
TYPED_TEST_SUITE(RowCopies, value_and_index_types, type_names);

TYPED_TEST(RowCopies, OfAnyRowsServeEverySizeAndPrecision)
{
    using I = typename TypeParam::index_type;
    for (const auto num_rows : this->sizes) {
        const auto num_cols = std::min<size_type>(num_rows, 40);
        plain_matrix plain{num_rows, num_cols};
        std::vector<I> rows(num_rows);
        for (size_type i = 0; i < num_rows; ++i) {
            rows[i] = static_cast<I>(this->engine() % num_cols);
            plain(i, rows[i]) = 1.0;
        }

        this->expect_products(*spruce::matrix::RowGatherer<I>::create(this->exec, dim<2>{num_rows, num_cols},
                                                                      array<I>{this->exec, rows.begin(), rows.end()}),
                              plain);
    }
}

TYPED_TEST(RowCopies, OfAllRowsServeEverySizeAndPrecision)
{
    for (const auto size : this->sizes) {
        const auto plain =
            plain_matrix{size, size}.fill([](size_type row, size_type col) { return row == col ? 1.0 : 0.0; });

        this->expect_products(*spruce::matrix::Identity<typename TypeParam::value_type>::create(this->exec, size),
                              plain);
    }
}

}  // namespace
