// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/dense_blas.hpp>

#include <spruce/hip_platform.hpp>

#include "core/matrix/dense_blas_kernels.hpp"
#include "test/utils/fixture.hpp"
#include "test/utils/plain_matrix.hpp"

namespace {

using namespace spruce::test;
namespace blas = spruce::blas;
using blas::diagonal;
using blas::side;
using blas::transposition;
using blas::triangle;
using spruce::dim;
using spruce::size_type;

constexpr transposition all_transpositions[]{transposition::none, transposition::transpose,
                                             transposition::conj_transpose};
constexpr triangle all_triangles[]{triangle::lower, triangle::upper};
constexpr side all_sides[]{side::left, side::right};

template <typename Types>
class DenseBlas : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::Dense;
    using typename kernel_test<Types>::real;

    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

    plain_matrix random(size_type rows, size_type cols)
    {
        return plain_matrix{*make_dense<V>(this->ref, random_full(this->engine, rows, cols))};
    }
    std::unique_ptr<Dense> on_exec(const plain_matrix& x, size_type padding = 0) const
    {
        return x.to_dense<V>(this->exec, x.cols() + padding);
    }
    /// Copies one triangle and fills the other one, which must not be read, with NaN.
    std::unique_ptr<Dense> on_exec_with_nan(triangle stored, const plain_matrix& x, size_type padding) const
    {
        return this->on_exec(joined(stored, x, plain_matrix{x.rows(), x.cols()}.fill([](auto, auto) { return nan; })),
                             padding);
    }
    static V factor()
    {
        if constexpr (spruce::is_complex<V>()) {
            return V{real{0.75}, real{-0.5}};
        } else {
            return V{0.75};
        }
    }
    void expect_near(const std::unique_ptr<Dense>& x, const plain_matrix& expected, size_type num_terms) const
    {
        EXPECT_MTX_NEAR(x, expected.to_dense<V>(this->ref), this->tolerance_of_sum(num_terms + 2));
        EXPECT_TRUE(padding_is_intact(*x));
    }

    std::unique_ptr<Dense> alpha{this->dense({{factor()}})};
    std::unique_ptr<Dense> beta{this->dense({{V{-0.5}}})};
    std::unique_ptr<Dense> zero{this->dense({{V{0}}})};
    const plain_matrix::value alpha_value{factor()};
    const plain_matrix::value beta_value{-0.5};
    // An even and an odd padding: vectorized loads at the begin of a row are possible or not.
    const std::vector<size_type> paddings{0, 3};
    const std::vector<size_type> sizes{0, 1, 2, 5, 15, 16, 17, 63, 64, 65, 129};
};
TYPED_TEST_SUITE(DenseBlas, value_types, type_names);

TYPED_TEST(DenseBlas, GemmMultipliesWithEveryTransposition)
{
    const std::vector<std::array<size_type, 3>> shapes{{0, 3, 2},   {3, 0, 2},    {2, 3, 0},    {1, 1, 1},   {5, 7, 3},
                                                       {64, 8, 64}, {65, 33, 63}, {3, 129, 17}, {130, 5, 66}};
    for (const auto& [m, n, k] : shapes) {
        for (const auto op_a : all_transpositions) {
            for (const auto op_b : all_transpositions) {
                SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", " << int(op_a) << int(op_b));
                const auto a = op_a == transposition::none ? this->random(m, n) : this->random(n, m);
                const auto b = op_b == transposition::none ? this->random(n, k) : this->random(k, n);
                const auto old = this->random(m, k);
                const auto product = this->alpha_value * (op_of(op_a, a) * op_of(op_b, b));
                const auto c = this->on_exec(old, 3);
                const auto of_nan = this->dense_of_nan(m, k, k + 2);

                blas::gemm(op_a, op_b, this->alpha, this->on_exec(a, 2), this->on_exec(b, 1), this->beta, c);
                blas::gemm(op_a, op_b, this->alpha, this->on_exec(a), this->on_exec(b), this->zero, of_nan,
                           blas::implementation::own);

                this->expect_near(c, product + this->beta_value * old, n);
                this->expect_near(of_nan, product, n);
            }
        }
    }
}

TYPED_TEST(DenseBlas, GemmDoesNotLookAtOperandsOfZero)
{
    for (const auto op : all_transpositions) {
        const auto old = this->random(17, 17);
        const auto c = this->on_exec(old);

        blas::gemm(op, transposition::none, this->zero, this->dense_of_nan(17, 17), this->dense_of_nan(17, 17),
                   this->beta, c);

        this->expect_near(c, this->beta_value * old, 1);
    }
}

TYPED_TEST(DenseBlas, SymvAndHemvReadOneTriangle)
{
    for (const auto n : this->sizes) {
        for (const auto stored : all_triangles) {
            for (const auto padding : this->paddings) {
                SCOPED_TRACE(testing::Message() << n << ", triangle " << int(stored) << ", padding " << padding);
                const auto data = this->random(n, n);
                const auto x = this->random(n, 1);
                const auto old = this->random(n, 1);
                const auto a = this->on_exec_with_nan(stored, data, padding);
                const auto y = this->on_exec(old, padding);
                const auto z = this->dense_of_nan(n, 1);

                blas::symv(stored, this->alpha, a, this->on_exec(x), this->beta, y);
                blas::hemv(stored, this->alpha, a, this->on_exec(x, 2), this->zero, z);

                this->expect_near(
                    y,
                    this->alpha_value * (mirrored(stored, transposition::transpose, data) * x) + this->beta_value * old,
                    n);
                this->expect_near(z, this->alpha_value * (mirrored(stored, transposition::conj_transpose, data) * x),
                                  n);
            }
        }
    }
}

TYPED_TEST(DenseBlas, SymvMultipliesManyTilesAndParts)
{
    for (const auto stored : all_triangles) {
        for (const size_type n : {511, 1090}) {
            const auto data = this->random(n, n);
            const auto x = this->random(n, 1);
            const auto y = this->dense_of_nan(n, 1);
            const auto again = this->dense_of_nan(n, 1);
            const auto a = this->on_exec_with_nan(stored, data, n % 2);
            const auto local_x = this->on_exec(x);

            blas::symv(stored, this->alpha, a, local_x, this->zero, y);
            blas::symv(stored, this->alpha, a, local_x, this->zero, again);

            this->expect_near(y, this->alpha_value * (mirrored(stored, transposition::transpose, data) * x), n);
            EXPECT_MTX_NEAR(again, y, 0.0);
        }
    }
}

TYPED_TEST(DenseBlas, SymvDoesNotLookAtOperandsOfZero)
{
    const auto old = this->random(70, 1);
    const auto y = this->on_exec(old);

    blas::symv(triangle::lower, this->zero, this->dense_of_nan(70, 70), this->dense_of_nan(70, 1), this->beta, y);

    this->expect_near(y, this->beta_value * old, 1);
}

TYPED_TEST(DenseBlas, SymmAndHemmMultiplyFromBothSides)
{
    // Several panels differ from one in the core only.
    const size_type largest = is_simulated(*this->exec) ? 130 : 1030;
    for (const size_type n : {size_type{0}, size_type{1}, size_type{17}, size_type{64}, largest}) {
        for (const auto stored : all_triangles) {
            for (const auto where : all_sides) {
                if (n > 1000 && (stored == triangle::lower) == (where == side::left)) {
                    continue;  // two of the four suffice if there are several panels
                }
                SCOPED_TRACE(testing::Message() << n << ", triangle " << int(stored) << ", side " << int(where));
                const auto is_left = where == side::left;
                const auto data = this->random(n, n);
                const auto b = is_left ? this->random(n, 9) : this->random(3, n);
                const auto old = this->random(b.rows(), b.cols());
                const auto a = this->on_exec_with_nan(stored, data, 2);
                const auto product_with = [&](transposition op) {
                    const auto full = mirrored(stored, op, data);
                    return this->alpha_value * (is_left ? full * b : b * full);
                };
                const auto c = this->on_exec(old, 1);
                const auto d = this->dense_of_nan(b.rows(), b.cols());

                blas::symm(where, stored, this->alpha, a, this->on_exec(b, 1), this->beta, c);
                blas::hemm(where, stored, this->alpha, a, this->on_exec(b), this->zero, d);

                this->expect_near(c, product_with(transposition::transpose) + this->beta_value * old, n);
                this->expect_near(d, product_with(transposition::conj_transpose), n);
            }
        }
    }
}

TYPED_TEST(DenseBlas, SyrkAndSyr2kWriteOneTriangle)
{
    for (const auto n : this->sizes) {
        for (const auto written : all_triangles) {
            for (const auto op : {transposition::none, transposition::transpose}) {
                SCOPED_TRACE(testing::Message() << n << ", triangle " << int(written) << ", op " << int(op));
                const auto a = op == transposition::none ? this->random(n, 19) : this->random(19, n);
                const auto b = this->random(a.rows(), a.cols());
                const auto old = this->random(n, n);
                const auto left_a = op_of(op, a);
                const auto left_b = op_of(op, b);
                const auto right_a = op_of(transposition::transpose, left_a);
                const auto right_b = op_of(transposition::transpose, left_b);
                const auto c = this->on_exec(old, 3);
                const auto d = this->on_exec(old);

                blas::syrk(written, op, this->alpha, this->on_exec(a, 1), this->beta, c);
                blas::syr2k(written, op, this->alpha, this->on_exec(a), this->on_exec(b, 2), this->beta, d);

                this->expect_near(
                    c, joined(written, this->alpha_value * (left_a * right_a) + this->beta_value * old, old), 19);
                this->expect_near(
                    d,
                    joined(written, this->alpha_value * (left_a * right_b + left_b * right_a) + this->beta_value * old,
                           old),
                    38);
            }
        }
    }
}

/// Tests triangles that are large enough for the vendor's products, if there are any.
TYPED_TEST(DenseBlas, LargeTrianglesAreThoseOfTheWholeProduct)
{
    // The simulated device has no vendor's products.
    const size_type n = is_simulated(*this->exec) ? 300 : 1100;
    const auto a = this->on_exec(this->random(n, 120), 1);
    const auto whole = TestFixture::Dense::create(this->exec, dim<2>{n});
    blas::gemm(transposition::none, transposition::transpose, this->alpha, a, a, this->zero, whole,
               blas::implementation::own);
    const auto old = plain_matrix{n, n}.fill([](auto, auto) { return 7.0; });
    for (const auto written : all_triangles) {
        SCOPED_TRACE(int(written));
        const auto c = this->on_exec(old, 3);

        blas::syrk(written, transposition::none, this->alpha, a, this->beta, c);

        this->expect_near(c, joined(written, plain_matrix{*clone(this->ref, whole)} + this->beta_value * old, old),
                          120);
    }
}

TYPED_TEST(DenseBlas, HerkAndHer2kMakeTheDiagonalReal)
{
    using V = typename TestFixture::V;
    const auto real_alpha = this->real_dense({{0.75}});
    const auto real_beta = this->real_dense({{-0.5}});
    for (const auto n : this->sizes) {
        for (const auto written : all_triangles) {
            for (const auto op : {transposition::none, transposition::conj_transpose}) {
                SCOPED_TRACE(testing::Message() << n << ", triangle " << int(written) << ", op " << int(op));
                const auto a = op == transposition::none ? this->random(n, 19) : this->random(19, n);
                const auto b = this->random(a.rows(), a.cols());
                const auto old = this->random(n, n);
                auto hermitian = old;
                for (size_type i = 0; i < n; ++i) {
                    hermitian(i, i) = old(i, i).real();
                }
                const auto left_a = op_of(op, a);
                const auto left_b = op_of(op, b);
                const auto right_a = op_of(transposition::conj_transpose, left_a);
                const auto right_b = op_of(transposition::conj_transpose, left_b);
                const auto c = this->on_exec(old, 3);
                const auto d = this->on_exec(old);

                blas::herk(written, op, real_alpha, this->on_exec(a, 1), real_beta, c);
                blas::her2k(written, op, this->alpha, this->on_exec(a), this->on_exec(b, 2), real_beta, d);

                this->expect_near(c, joined(written, 0.75 * (left_a * right_a) + -0.5 * hermitian, old), 19);
                this->expect_near(d,
                                  joined(written,
                                         this->alpha_value * (left_a * right_b) +
                                             std::conj(this->alpha_value) * (left_b * right_a) + -0.5 * hermitian,
                                         old),
                                  38);
                const auto host = spruce::clone(this->ref, c);
                for (size_type i = 0; i < n; ++i) {
                    EXPECT_EQ(spruce::imag(host->at(i, i)), spruce::imag(V{}));
                }
            }
        }
    }
}

TYPED_TEST(DenseBlas, TrmmMultipliesInPlace)
{
    for (const size_type n : {0, 1, 17, 65, 256, 300}) {
        for (const auto stored : all_triangles) {
            for (const auto op : all_transpositions) {
                for (const auto where : all_sides) {
                    for (const auto ones : {diagonal::stored, diagonal::unit}) {
                        if (n > 200 && (stored == triangle::lower) == (ones == diagonal::unit)) {
                            continue;  // one kind of diagonal suffices where there are several blocks
                        }
                        SCOPED_TRACE(testing::Message() << n << ", triangle " << int(stored) << ", op " << int(op)
                                                        << ", side " << int(where) << ", diagonal " << int(ones));
                        const auto is_left = where == side::left;
                        const auto data = this->random(n, n);
                        auto full = joined(stored, data, plain_matrix{n, n});
                        auto hidden = data;
                        for (size_type i = 0; i < n && ones == diagonal::unit; ++i) {
                            full(i, i) = 1.0;
                            hidden(i, i) = this->nan;
                        }
                        const auto old = is_left ? this->random(n, 5) : this->random(5, n);
                        const auto b = this->on_exec(old, 1);

                        blas::trmm(where, stored, op, ones, this->alpha, this->on_exec_with_nan(stored, hidden, 2), b);

                        full = op_of(op, full);
                        this->expect_near(b, this->alpha_value * (is_left ? full * old : old * full), n);
                    }
                }
            }
        }
    }
}

TYPED_TEST(DenseBlas, MultipliesFewLongRowsAndManyShortOnes)
{
    const std::vector<dim<2>> shapes{{1, 20000}, {3, 20001}, {5, 33333}, {7, 20002},
                                     {30000, 1}, {30001, 4}, {20000, 5}};
    for (const auto& size : shapes) {
        for (const auto& [k, padding] :
             {std::pair<size_type, size_type>{1, 0}, {1, 3}, {2, 0}, {3, 3}, {4, 0}, {7, 0}}) {
            SCOPED_TRACE(testing::Message() << size[0] << " x " << size[1] << " x " << k << ", padding " << padding);
            const auto a = this->random(size[0], size[1]);
            const auto b = this->random(size[1], k);
            const auto old = this->random(size[0], k);
            const auto local_a = this->on_exec(a, padding);
            const auto local_b = this->on_exec(b, padding);
            const auto c = this->on_exec(old, padding);
            const auto d = this->dense_of_nan(size[0], k);

            local_a->apply(this->alpha, local_b, this->beta, c);
            local_a->apply(local_b, d);

            const auto product = a * b;
            this->expect_near(c, this->alpha_value * product + this->beta_value * old, size[1]);
            this->expect_near(d, product, size[1]);
        }
    }
}

TYPED_TEST(DenseBlas, MultipliesALargeMatrixByFewColumns)
{
    if (is_simulated(*this->exec)) {
        GTEST_SKIP() << "only real devices have another product for large matrices";
    }
    using V = typename TestFixture::V;
    for (const size_type num_a_cols : {127, 1024}) {
        for (const size_type k : {3, 5, 8}) {
            SCOPED_TRACE(testing::Message() << num_a_cols << " columns, " << k << " vectors");
            const size_type num_rows = (size_type{1} << 21) / num_a_cols + 1;
            const auto a = this->random(num_rows, num_a_cols);
            const auto b = this->random(num_a_cols, k);
            const auto old = this->random(num_rows, k);
            const auto local_a = this->on_exec(a, 0);
            const auto local_b = this->on_exec(b, 1);
            const auto c = this->on_exec(old, 2);
            const auto d = this->dense_of_nan(num_rows, k);
            const auto not_read = this->dense_of_nan(num_a_cols, k);
            const auto scaled = this->on_exec(old, 0);

            local_a->apply(this->alpha, local_b, this->beta, c);
            local_a->apply(local_b, d);
            local_a->apply(this->dense({{V(0)}}), not_read, this->beta, scaled);

            const auto product = a * b;
            this->expect_near(c, this->alpha_value * product + this->beta_value * old, num_a_cols);
            this->expect_near(d, product, num_a_cols);
            this->expect_near(scaled, this->beta_value * old, 1);
        }
    }
}

TYPED_TEST(DenseBlas, OperandsMayLiveElsewhere)
{
    using V = typename TestFixture::V;
    const auto a = this->random(9, 9);
    const auto x = this->random(9, 1);
    const auto y = this->dense_of_nan(9, 1);
    const auto other_alpha = spruce::initialize<spruce::matrix::Dense<spruce::next_precision<V>>>({2.0}, this->ref);

    blas::symv(triangle::lower, other_alpha, a.template to_dense<V>(this->ref), x.template to_dense<V>(this->ref),
               this->zero, y);

    this->expect_near(y, 2.0 * (mirrored(triangle::lower, transposition::transpose, a) * x), 9);
}

TYPED_TEST(DenseBlas, RefusesWhatDoesNotFitBeforeAnythingChanges)
{
    using V = typename TestFixture::V;
    const auto n = transposition::none;
    const auto low = triangle::lower;
    const auto square = this->dense({{1, 2}, {3, 4}});
    const auto wide = this->dense({{1, 2, 3}, {4, 5, 6}});
    const auto vector = this->dense({{1}, {2}});
    const auto result = this->dense({{5, 6}, {7, 8}});
    const auto copy = spruce::clone(result);
    const auto y = this->dense({{1}, {2}, {3}});

    EXPECT_THROW_WITH(blas::gemm(n, n, this->alpha, wide, wide, this->beta, result), spruce::DimensionMismatch, "gemm");
    EXPECT_THROW(blas::gemm(n, n, this->alpha, square, wide, this->beta, result), spruce::DimensionMismatch);
    EXPECT_THROW(blas::gemm(n, n, square, square, square, this->beta, result), spruce::DimensionMismatch);
    EXPECT_THROW_WITH(blas::symv(low, this->alpha, wide, vector, this->beta, vector), spruce::BadDimension, "symv");
    EXPECT_THROW(blas::symv(low, this->alpha, square, square, this->beta, result), spruce::DimensionMismatch);
    EXPECT_THROW(blas::symv(low, this->alpha, square, vector, this->beta, y), spruce::DimensionMismatch);
    EXPECT_THROW(blas::symm(side::left, low, this->alpha, wide, square, this->beta, result), spruce::BadDimension);
    EXPECT_THROW(blas::symm(side::right, low, this->alpha, square, y, this->beta, result), spruce::DimensionMismatch);
    EXPECT_THROW_WITH(blas::syrk(low, transposition::transpose, this->alpha, wide, this->beta, result),
                      spruce::DimensionMismatch, "syrk");
    EXPECT_THROW(blas::syr2k(low, n, this->alpha, wide, square, this->beta, result), spruce::DimensionMismatch);
    EXPECT_THROW(blas::trmm(side::left, low, n, diagonal::stored, this->alpha, square, y), spruce::DimensionMismatch);
    EXPECT_THROW(blas::trmm(side::left, low, n, diagonal::stored, this->alpha, wide, result), spruce::BadDimension);
    EXPECT_THROW(blas::symv(low, this->alpha, this->csr({{1, 0}, {0, 1}}), vector, this->beta, vector),
                 spruce::NotSupported);
    if (spruce::is_complex<V>()) {
        EXPECT_THROW(blas::syrk(low, transposition::conj_transpose, this->alpha, square, this->beta, result),
                     spruce::NotSupported);
        EXPECT_THROW(blas::herk(low, transposition::transpose, this->alpha, square, this->beta, result),
                     spruce::NotSupported);
        EXPECT_THROW(blas::herk(low, n, this->alpha, square, this->beta, result), spruce::NotSupported);
    }
    EXPECT_MTX_NEAR(result, copy, 0.0);
}

TYPED_TEST(DenseBlas, TheVendorsProductIsRightOrRefused)
{
    const auto a = this->random(70, 33);
    const auto b = this->random(50, 33);
    const auto old = this->random(70, 50);
    const auto c = this->on_exec(old, 3);
    const auto multiply = [&] {
        blas::gemm(transposition::none, transposition::conj_transpose, this->alpha, this->on_exec(a, 2),
                   this->on_exec(b, 1), this->beta, c, blas::implementation::vendor);
    };
    // CPUs and the simulated device have no vendor's product, and on AMD's GPUs it is not used.
    const auto is_on_nvidia = this->exec->get_backend() == spruce::backend::cuda ||
                              (this->exec->get_backend() == spruce::backend::hip && SPRUCE_HIP_PLATFORM_NVCC);
    if (!is_on_nvidia) {
        EXPECT_THROW(multiply(), spruce::NotSupported);
        this->expect_near(c, old, 1);
        return;
    }

    multiply();

    this->expect_near(c, this->alpha_value * (a * op_of(transposition::conj_transpose, b)) + this->beta_value * old,
                      33);
}

}  // namespace
