// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/dense_kernels.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

/// Shapes without rows or columns, with one row, with one column, near the widths of warps, tall
/// and wide.
const std::vector<dim<2>> shapes{{0, 0},   {0, 3},  {3, 0},   {1, 1},   {1, 70},  {70, 1},   {2, 2},   {31, 33},
                                 {32, 32}, {33, 9}, {64, 65}, {129, 4}, {257, 1}, {1025, 3}, {3, 130}, {4099, 1}};

std::string to_text(const dim<2>& size) { return std::to_string(size[0]) + " x " + std::to_string(size[1]); }

template <typename Types>
class DenseUpdate : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;

    /// Runs the update of x by alpha and b on both executors. Uses every shape, with and without
    /// padding, and one factor or one for each column.
    template <typename Update>
    void compare(Update update)
    {
        for (const auto& size : shapes) {
            for (const size_type padding : {0, 3}) {
                for (const size_type num_factors : {size_type{1}, size[1]}) {
                    SCOPED_TRACE(to_text(size) + ", padding " + std::to_string(padding) + ", " +
                                 std::to_string(num_factors) + " factors");
                    const auto host_x = random_full(this->engine, size[0], size[1]);
                    const auto host_b = random_full(this->engine, size[0], size[1]);
                    auto host_alpha = random_full(this->engine, 1, num_factors);
                    for (auto& entry : host_alpha.nonzeros) {
                        entry.value += 1.5;  // away from zero, for division
                    }
                    const auto x = make_dense<V>(this->exec, host_x, size[1] + padding);
                    const auto b = make_dense<V>(this->exec, host_b, size[1] + 2 * padding);
                    const auto alpha = make_dense<V>(this->exec, host_alpha);
                    const auto ref_x = make_dense<V>(this->ref, host_x);

                    update(*x, *alpha, *b);

                    update(*ref_x, *make_dense<V>(this->ref, host_alpha), *make_dense<V>(this->ref, host_b));
                    EXPECT_MTX_NEAR(x, ref_x, this->tolerance_of_sum(2));
                    EXPECT_TRUE(padding_is_intact(*x));
                }
            }
        }
    }
};
TYPED_TEST_SUITE(DenseUpdate, value_types, type_names);

TYPED_TEST(DenseUpdate, Fills)
{
    using V = typename TypeParam::value_type;
    this->compare([](auto& x, auto&, auto&) { x.fill(V(2.5)); });
}
TYPED_TEST(DenseUpdate, Copies)
{
    this->compare([](auto& x, auto&, auto& b) { x.copy_from(&b); });
}
TYPED_TEST(DenseUpdate, Scales)
{
    this->compare([](auto& x, auto& alpha, auto&) { x.scale(&alpha); });
}
TYPED_TEST(DenseUpdate, ScalesByInverse)
{
    this->compare([](auto& x, auto& alpha, auto&) { x.inv_scale(&alpha); });
}
TYPED_TEST(DenseUpdate, AddsScaled)
{
    this->compare([](auto& x, auto& alpha, auto& b) { x.add_scaled(&alpha, &b); });
}
TYPED_TEST(DenseUpdate, SubtractsScaled)
{
    this->compare([](auto& x, auto& alpha, auto& b) { x.sub_scaled(&alpha, &b); });
}

TYPED_TEST(DenseUpdate, ComputesByHand)
{
    const auto x = this->dense({{1, 2}, {3, 4}});
    const auto b = this->dense({{1, -1}, {2, 0}});

    x->scale(this->dense({{2}}));
    EXPECT_MTX_NEAR(x, this->dense({{2, 4}, {6, 8}}), 0.0);
    x->scale(this->dense({{1, -1}}));
    EXPECT_MTX_NEAR(x, this->dense({{2, -4}, {6, -8}}), 0.0);
    x->inv_scale(this->dense({{2, 4}}));
    EXPECT_MTX_NEAR(x, this->dense({{1, -1}, {3, -2}}), 0.0);
    x->add_scaled(this->dense({{3}}), b);
    EXPECT_MTX_NEAR(x, this->dense({{4, -4}, {9, -2}}), 0.0);
    x->sub_scaled(this->dense({{1, 2}}), b);
    EXPECT_MTX_NEAR(x, this->dense({{3, -2}, {7, -2}}), 0.0);
}

TYPED_TEST(DenseUpdate, ScalingByZeroGivesZeroWhateverWasThere)
{
    using V = typename TypeParam::value_type;
    const auto x = this->dense({{1, spruce::nan<V>()}, {2, 3}});

    x->scale(this->dense({{1, 0}}));

    EXPECT_MTX_NEAR(x, this->dense({{1, 0}, {2, 0}}), 0.0);
}

TYPED_TEST(DenseUpdate, ChangesNothingOutsideAView)
{
    const auto x = this->dense({{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}});
    const auto view = x->create_submatrix({1, 3}, {1, 3});

    view->fill(5);
    view->scale(this->dense({{2}}));
    view->add_scaled(this->dense({{1, 2}}), this->dense({{1, 2}, {3, 4}}));

    EXPECT_MTX_NEAR(x, this->dense({{1, 1, 1, 1}, {1, 11, 14, 1}, {1, 13, 18, 1}}), 0.0);
}

TYPED_TEST(DenseUpdate, TakesRealFactors)
{
    const auto x = this->dense({{1, 2}, {3, 4}});

    x->scale(this->real_dense({{2}}));
    x->add_scaled(this->real_dense({{1, 2}}), this->dense({{1, 1}, {1, 1}}));

    EXPECT_MTX_NEAR(x, this->dense({{3, 6}, {7, 10}}), 0.0);
}

template <typename Types>
class DenseReduction : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;

    /// Reduces on both executors, for every shape, with and without padding, twice. The second
    /// reduction uses the workspace of the first one and must have bitwise equal results.
    template <typename Result, typename Reduce>
    void compare(Reduce reduce)
    {
        for (const auto& size : shapes) {
            for (const size_type padding : {0, 3}) {
                SCOPED_TRACE(to_text(size) + ", padding " + std::to_string(padding));
                const auto host_x = random_full(this->engine, size[0], size[1]);
                const auto host_y = random_full(this->engine, size[0], size[1]);
                const auto x = make_dense<V>(this->exec, host_x, size[1] + padding);
                const auto y = make_dense<V>(this->exec, host_y, size[1] + 2 * padding);
                const dim<2> result_size{1, size[1]};
                const auto result = make_dense_of_nan<typename Result::value_type>(this->exec, result_size);
                const auto again = make_dense_of_nan<typename Result::value_type>(this->exec, result_size);
                const auto expected = make_dense_of_nan<typename Result::value_type>(this->ref, result_size);
                spruce::array<char> tmp{this->exec};
                spruce::array<char> ref_tmp{this->ref};

                reduce(*x, *y, *result, tmp);
                reduce(*x, *y, *again, tmp);

                reduce(*make_dense<V>(this->ref, host_x), *make_dense<V>(this->ref, host_y), *expected, ref_tmp);
                EXPECT_MTX_NEAR(result, expected, this->tolerance_of_sum(size[0]));
                EXPECT_MTX_NEAR(again, result, 0.0);
            }
        }
    }
};
TYPED_TEST_SUITE(DenseReduction, value_types, type_names);

TYPED_TEST(DenseReduction, MultipliesColumns)
{
    using Dense = typename TestFixture::Dense;
    this->template compare<Dense>([](auto& x, auto& y, auto& result, auto& tmp) { x.compute_dot(&y, &result, tmp); });
}
TYPED_TEST(DenseReduction, MultipliesConjugatedColumns)
{
    using Dense = typename TestFixture::Dense;
    this->template compare<Dense>(
        [](auto& x, auto& y, auto& result, auto& tmp) { x.compute_conj_dot(&y, &result, tmp); });
}
TYPED_TEST(DenseReduction, ComputesEuclideanNorm)
{
    using RealDense = typename TestFixture::RealDense;
    this->template compare<RealDense>([](auto& x, auto&, auto& result, auto& tmp) { x.compute_norm2(&result, tmp); });
}
TYPED_TEST(DenseReduction, ComputesSquaredNorm)
{
    using RealDense = typename TestFixture::RealDense;
    this->template compare<RealDense>(
        [](auto& x, auto&, auto& result, auto& tmp) { x.compute_squared_norm2(&result, tmp); });
}
TYPED_TEST(DenseReduction, ComputesSumNorm)
{
    using RealDense = typename TestFixture::RealDense;
    this->template compare<RealDense>([](auto& x, auto&, auto& result, auto& tmp) { x.compute_norm1(&result, tmp); });
}

TYPED_TEST(DenseReduction, ComputesByHand)
{
    const auto x = this->dense({{3, 1}, {-4, 2}});
    const auto y = this->dense({{1, 5}, {2, 7}});
    const auto dot = this->dense_of_nan(1, 2);
    const auto norm = this->real_dense({{-1, -1}});

    x->compute_dot(y, dot);
    EXPECT_MTX_NEAR(dot, this->dense({{-5, 19}}), 0.0);
    x->compute_conj_dot(y, dot);
    EXPECT_MTX_NEAR(dot, this->dense({{-5, 19}}), 0.0);
    x->compute_squared_norm2(norm);
    EXPECT_MTX_NEAR(norm, this->real_dense({{25, 5}}), 0.0);
    x->compute_norm1(norm);
    EXPECT_MTX_NEAR(norm, this->real_dense({{7, 3}}), 0.0);
    x->compute_norm2(norm);
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, std::sqrt(typename TestFixture::real(5))}}), this->epsilon());
}

TYPED_TEST(DenseReduction, ComputesNormsWhoseSquaresLeaveTheRange)
{
    using real = typename TestFixture::real;
    using limits = std::numeric_limits<real>;
    const auto tiny = std::ldexp(real(1), limits::min_exponent * 8 / 10);
    const auto huge = std::ldexp(real(1), limits::max_exponent * 8 / 10);
    const auto subnormal = limits::denorm_min();
    const auto half_range = std::ldexp(real(1), limits::max_exponent / 2 - 1);  // the sum of four squares overflows
    const auto infinity = limits::infinity();
    const auto nan = limits::quiet_NaN();
    const std::vector<std::array<real, 5>> columns{{3 * tiny, 4 * tiny, 0, 0, 0},
                                                   {0, 3 * huge, 0, 4 * huge, 0},
                                                   {3 * subnormal, 0, 4 * subnormal, 0, 0},
                                                   {half_range, half_range, half_range, half_range, 0},
                                                   {1, tiny, subnormal, 3 * huge, 4 * huge},
                                                   {3, tiny, subnormal, 4, 0},
                                                   {subnormal, tiny, 0, 0, 0},
                                                   {0, 0, 0, 0, 0},
                                                   {tiny, 1, infinity, huge, 0},
                                                   {1, -infinity, infinity, 0, 0},
                                                   {tiny, nan, 1, huge, 0},
                                                   {infinity, nan, 1, 0, 0},
                                                   {limits::max(), limits::max(), 0, 0, 0}};
    const std::vector<real> expected{5 * tiny, 5 * huge, 5 * subnormal, 2 * half_range, 5 * huge, 5, tiny, 0, infinity,
                                     infinity, nan,      nan,           infinity};
    for (const auto is_wide : {false, true}) {
        for (size_type i = 0; i < columns.size(); ++i) {
            SCOPED_TRACE("column " + std::to_string(i));
            const size_type num_cols = is_wide ? 3 : 1;
            const auto x = TestFixture::Dense::create(this->ref, dim<2>{5, num_cols});
            x->fill(1);
            for (size_type row = 0; row < 5; ++row) {
                x->at(row, num_cols - 1) = columns[i][row];
            }
            const auto norm = TestFixture::RealDense::create(this->ref, dim<2>{1, num_cols});

            x->clone(this->exec)->compute_norm2(norm);

            const auto found = norm->at(0, num_cols - 1);
            EXPECT_TRUE(found == expected[i] || (std::isnan(found) && std::isnan(expected[i]))) << found;
        }
    }
}

TYPED_TEST(DenseReduction, ReducesManyColumnsOfFewRows)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto huge = std::ldexp(real(1), std::numeric_limits<real>::max_exponent * 8 / 10);
    constexpr size_type num_cols = 5000;
    for (const size_type num_rows : {1, 3}) {
        for (const auto overflows : {false, true}) {
            SCOPED_TRACE(std::to_string(num_rows) + " rows, overflow " + std::to_string(overflows));
            const auto host_x = random_full(this->engine, num_rows, num_cols);
            const auto x = make_dense<V>(this->ref, host_x, num_cols + 1);
            x->at(0, num_cols - 1) = overflows ? V(huge) : V(1);
            const auto y = make_dense<V>(this->ref, random_full(this->engine, num_rows, num_cols), num_cols);
            const auto dot = this->dense_of_nan(1, num_cols);
            const auto expected_dot = clone(this->ref, dot);
            const auto norm = make_dense_of_nan<real>(this->exec, dim<2>{1, num_cols});
            const auto expected_norm = clone(this->ref, norm);

            clone(this->exec, x)->compute_dot(clone(this->exec, y), dot);
            clone(this->exec, x)->compute_norm2(norm);

            x->compute_dot(y, expected_dot);
            x->compute_norm2(expected_norm);
            EXPECT_MTX_NEAR(dot, expected_dot, this->tolerance_of_sum(num_rows));
            EXPECT_MTX_NEAR(norm, expected_norm, this->tolerance_of_sum(num_rows + 1));
        }
    }
}

TYPED_TEST(DenseReduction, ScalesInnerProducts)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto huge = std::ldexp(real(1), std::numeric_limits<real>::max_exponent * 6 / 10);
    const spruce::array<real> scales{this->exec, {1 / huge, huge}};
    spruce::array<char> tmp{this->exec};
    spruce::Reduction reduction{tmp};
    reduction.set_scale(scales.get_const_data());
    const auto x = this->dense({{3 * huge, 1 / huge}, {-4 * huge, 2 / huge}});
    const auto y = this->dense({{1 * huge, 5 / huge}, {2 * huge, 7 / huge}});
    const auto dot = this->dense_of_nan(1, 2);
    const auto conj_dot = this->dense_of_nan(1, 2);

    spruce::kernels::dense::dot<V>(*this->exec, *x, *y, *dot, reduction);
    spruce::kernels::dense::conj_dot<V>(*this->exec, *x, *y, *conj_dot, reduction);

    EXPECT_MTX_NEAR(dot, this->dense({{-5, 19}}), 0.0);
    EXPECT_MTX_NEAR(conj_dot, this->dense({{-5, 19}}), 0.0);
}

TYPED_TEST(DenseReduction, ScalesNormsByPowersOfTwo)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto x = make_dense<V>(this->exec, random_full(this->engine, 3000, 2));
    const auto norm = this->real_dense({{-1, -1}});
    x->compute_norm2(norm);
    const auto expected = norm->clone(this->ref);

    for (const auto tenths : {-8, -7, -5, -4, 4, 5, 8}) {
        const auto factor = std::ldexp(real(1), std::numeric_limits<real>::max_exponent * tenths / 10);
        const auto scaled = x->clone();
        scaled->scale(this->dense({{factor}}));
        scaled->compute_norm2(norm);
        const auto found = norm->clone(this->ref);
        for (size_type col = 0; col < 2; ++col) {
            EXPECT_EQ(found->at(0, col), factor * expected->at(0, col)) << factor;
        }
    }
}

TYPED_TEST(DenseReduction, ConjugatesTheFirstOperand)
{
    using V = typename TypeParam::value_type;
    if constexpr (spruce::is_complex<V>()) {
        const auto x = this->dense({{V(1, 2)}, {V(0, 1)}});
        const auto y = this->dense({{V(3, -1)}, {V(0, 1)}});
        const auto result = this->dense_of_nan(1, 1);
        const auto norm = this->real_dense({{-1}});

        x->compute_dot(y, result);
        EXPECT_MTX_NEAR(result, this->dense({{V(4, 5)}}), 0.0);
        x->compute_conj_dot(y, result);
        EXPECT_MTX_NEAR(result, this->dense({{V(2, -7)}}), 0.0);
        this->dense({{V(3, 4)}, {V(0, -12)}})->compute_norm1(norm);
        EXPECT_MTX_NEAR(norm, this->real_dense({{17}}), this->epsilon());
        this->dense({{V(3, 4)}, {V(0, -12)}})->compute_norm2(norm);
        EXPECT_MTX_NEAR(norm, this->real_dense({{13}}), this->epsilon());
    }
}

TYPED_TEST(DenseReduction, WritesResultToAnotherExecutor)
{
    using RealDense = typename TestFixture::RealDense;
    const auto x = this->dense({{3}, {-4}});
    const auto on_host = RealDense::create(this->ref, dim<2>{1, 1});

    x->compute_norm2(on_host);

    EXPECT_EQ(on_host->at(0, 0), 5);
}

TYPED_TEST(DenseReduction, PassesNanOn)
{
    using V = typename TypeParam::value_type;
    const auto x = this->dense({{1, 1}, {spruce::nan<V>(), 1}});
    const auto norm = this->real_dense({{-1, -1}});

    x->compute_norm1(norm);

    EXPECT_MTX_NEAR(norm, this->real_dense({{spruce::nan<typename TestFixture::real>(), 2}}), 0.0);
}

template <typename Types>
class DenseProduct : public kernel_test<Types> {};
TYPED_TEST_SUITE(DenseProduct, value_types, type_names);

TYPED_TEST(DenseProduct, ComputesByHand)
{
    const auto a = this->dense({{1, 2, 3}, {4, 5, 6}});
    const auto b = this->dense({{1, 0}, {0, 1}, {1, 1}});
    const auto c = this->dense({{1, 2}, {3, 4}});

    EXPECT_MTX_NEAR(this->apply(a, b), this->dense({{4, 5}, {10, 11}}), 0.0);
    a->apply(this->dense({{2}}), b, this->dense({{-1}}), c);
    EXPECT_MTX_NEAR(c, this->dense({{7, 8}, {17, 18}}), 0.0);
}

TYPED_TEST(DenseProduct, MatchesReferenceOnEveryShape)
{
    using V = typename TypeParam::value_type;
    struct product {
        size_type m, n, k;
    };
    for (const auto [m, n, k] : std::vector<product>{{0, 0, 0},
                                                     {0, 5, 3},
                                                     {5, 0, 3},
                                                     {5, 3, 0},
                                                     {1, 1, 1},
                                                     {1, 300, 1},
                                                     {300, 1, 1},
                                                     {1, 1, 300},
                                                     {33, 65, 1},
                                                     {65, 33, 2},
                                                     {64, 64, 64},
                                                     {17, 130, 31},
                                                     {300, 7, 5},
                                                     {66, 130, 8},
                                                     {131, 17, 9},
                                                     {257, 24, 260},
                                                     {129, 40, 33}}) {
        for (const size_type padding : {0, 3}) {
            SCOPED_TRACE(to_text({m, n}) + " times " + to_text({n, k}) + ", padding " + std::to_string(padding));
            const auto host_a = random_full(this->engine, m, n);
            const auto host_b = random_full(this->engine, n, k);
            const auto host_c = random_full(this->engine, m, k);
            const auto a = make_dense<V>(this->exec, host_a, n + padding);
            const auto b = make_dense<V>(this->exec, host_b, k + padding);
            const auto c = this->dense_of_nan(m, k, k + 2 * padding);
            const auto c_advanced = make_dense<V>(this->exec, host_c, k + padding);
            const auto ref_c = make_dense_of_nan<V>(this->ref, dim<2>{m, k});
            const auto ref_c_advanced = make_dense<V>(this->ref, host_c);
            const auto alpha = this->dense({{V(-1.25)}});
            const auto beta = this->dense({{V(0.75)}});

            a->apply(b, c);
            a->apply(alpha, b, beta, c_advanced);

            const auto ref_a = make_dense<V>(this->ref, host_a);
            const auto ref_b = make_dense<V>(this->ref, host_b);
            ref_a->apply(ref_b, ref_c);
            ref_a->apply(alpha, ref_b, beta, ref_c_advanced);
            EXPECT_MTX_NEAR(c, ref_c, this->tolerance_of_sum(n));
            EXPECT_MTX_NEAR(c_advanced, ref_c_advanced, this->tolerance_of_sum(n));
            EXPECT_TRUE(padding_is_intact(*c));
            EXPECT_TRUE(padding_is_intact(*c_advanced));
        }
    }
}

TYPED_TEST(DenseProduct, DoesNotReadOperandsWithFactorZero)
{
    const auto a = this->dense({{1, 2}, {3, 4}});
    const auto c = this->dense_of_nan(2, 1);

    a->apply(this->dense({{1}}), this->dense({{1}, {1}}), this->dense({{0}}), c);
    EXPECT_MTX_NEAR(c, this->dense({{3}, {7}}), 0.0);
    a->apply(this->dense({{0}}), this->dense_of_nan(2, 1), this->dense({{2}}), c);
    EXPECT_MTX_NEAR(c, this->dense({{6}, {14}}), 0.0);
    a->apply(this->dense({{0}}), this->dense_of_nan(2, 1), this->dense({{0}}), c);
    EXPECT_MTX_NEAR(c, this->dense({{0}, {0}}), 0.0);
}

TYPED_TEST(DenseProduct, TransposesEveryShape)
{
    using V = typename TypeParam::value_type;
    for (const auto& size : shapes) {
        for (const size_type padding : {0, 3}) {
            SCOPED_TRACE(to_text(size) + ", padding " + std::to_string(padding));
            const auto data = random_full(this->engine, size[0], size[1]);
            const auto a = make_dense<V>(this->exec, data, size[1] + padding);
            auto transposed = data;
            auto conjugated = data;
            transposed.size = conjugated.size = spruce::transpose(size);
            for (size_type i = 0; i < data.nonzeros.size(); ++i) {
                const auto& entry = data.nonzeros[i];
                transposed.nonzeros[i] = {entry.column, entry.row, entry.value};
                conjugated.nonzeros[i] = {entry.column, entry.row, std::conj(entry.value)};
            }
            const auto output = this->dense_of_nan(size[1], size[0], size[0] + padding);
            const auto conj_output = this->dense_of_nan(size[1], size[0], size[0] + padding);

            a->transpose(output);
            a->conj_transpose(conj_output);

            EXPECT_MTX_NEAR(output, make_dense<V>(this->ref, transposed), 0.0);
            EXPECT_MTX_NEAR(conj_output, make_dense<V>(this->ref, conjugated), 0.0);
            EXPECT_TRUE(padding_is_intact(*output));
            EXPECT_TRUE(padding_is_intact(*conj_output));
            EXPECT_MTX_NEAR(a->transpose(), output, 0.0);
            EXPECT_MTX_NEAR(a->conj_transpose(), conj_output, 0.0);
        }
    }
}

TYPED_TEST(DenseProduct, CountsNonzerosLikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto num_rows = one.data.size[0];
        const auto x = make_dense<V>(this->exec, one.data, one.data.size[1] + 1);
        const auto ref_x = make_dense<V>(this->ref, one.data);
        spruce::array<I> counts{this->exec, num_rows};
        spruce::array<I> ref_counts{this->ref, num_rows};

        spruce::kernels::dense::count_nonzeros_per_row<V, I>(*this->exec, *x, counts.get_data());

        spruce::kernels::dense::count_nonzeros_per_row<V, I>(*this->ref, *ref_x, ref_counts.get_data());
        EXPECT_EQ(counts.copy_to_host(), ref_counts.copy_to_host());
    }
}

}  // namespace
