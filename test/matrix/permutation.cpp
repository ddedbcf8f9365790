// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests Permutation, ScaledPermutation and RowGatherer: matrices with one entry in each row.

#include <numeric>
#include <sstream>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;
using spruce::matrix::permute_mode;

TEST(PermuteMode, CombinesAsFlags)
{
    EXPECT_EQ(permute_mode::rows | permute_mode::columns, permute_mode::symmetric);
    EXPECT_EQ(permute_mode::symmetric | permute_mode::inverse, permute_mode::inverse_symmetric);
    EXPECT_EQ(permute_mode::inverse_rows & permute_mode::symmetric, permute_mode::rows);
    EXPECT_EQ(permute_mode::inverse_columns ^ permute_mode::inverse, permute_mode::columns);
    EXPECT_EQ(permute_mode::rows & permute_mode::columns, permute_mode::none);
}

TEST(PermuteMode, WritesItsName)
{
    std::ostringstream text;

    text << permute_mode::none << ' ' << permute_mode::inverse_columns << ' ' << permute_mode::symmetric;

    EXPECT_EQ(text.str(), "none inverse_columns symmetric");
}

template <typename Types>
class PermutationTest : public kernel_test<Types> {
protected:
    using V = typename Types::value_type;
    using I = typename Types::index_type;
    using Permutation = spruce::matrix::Permutation<I>;
    using Scaled = spruce::matrix::ScaledPermutation<V, I>;
    using Gatherer = spruce::matrix::RowGatherer<I>;

    std::unique_ptr<Permutation> permutation(const std::vector<I>& p) const
    {
        return Permutation::create(this->exec, array<I>{this->exec, p.begin(), p.end()});
    }
    std::unique_ptr<Scaled> scaled(const std::vector<V>& factors, const std::vector<I>& p) const
    {
        return Scaled::create(this->exec, array<V>{this->exec, factors.begin(), factors.end()},
                              array<I>{this->exec, p.begin(), p.end()});
    }
    std::vector<I> random_permutation(size_type size)
    {
        std::vector<I> p(size);
        std::iota(p.begin(), p.end(), I{});
        std::shuffle(p.begin(), p.end(), this->engine);
        return p;
    }
    /// Returns powers of two, with which products are exact.
    std::vector<V> random_factors(size_type size)
    {
        std::vector<V> factors(size);
        std::generate(factors.begin(), factors.end(),
                      [&] { return V(std::ldexp(1.0, static_cast<int>(this->engine() % 5) - 2)); });
        return factors;
    }
    const std::vector<size_type> sizes{0, 1, 2, 31, 32, 33, 64, 65, 257, 1000};
};
TYPED_TEST_SUITE(PermutationTest, value_and_index_types, type_names);

TYPED_TEST(PermutationTest, AppliesByHand)
{
    const auto p = this->permutation({2, 0, 1});
    const auto x = this->dense_of_nan(3, 2, 3);

    p->apply(this->dense({{1, 10}, {2, 20}, {3, 30}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{3, 30}, {1, 10}, {2, 20}}), 0.0);
    EXPECT_TRUE(padding_is_intact(*x));
}

TYPED_TEST(PermutationTest, AdvancedApplyCombinesAndIgnoresOperandsOfZeroFactors)
{
    const auto p = this->permutation({1, 0});
    const auto s = this->scaled({4, 5}, {1, 0});
    const auto zero = this->dense({{0}});
    const auto one = this->dense({{1}});
    const auto b = this->dense({{1}, {2}});
    for (const spruce::LinOp* op : {static_cast<spruce::LinOp*>(p.get()), static_cast<spruce::LinOp*>(s.get())}) {
        const auto is_scaled = op == s.get();
        const auto combined = this->dense({{1}, {1}});
        const auto unchanged = this->dense({{1}, {2}});
        const auto overwritten = this->dense_of_nan(2, 1);

        op->apply(this->dense({{2}}), b, this->dense({{-1}}), combined);
        op->apply(zero, this->dense_of_nan(2, 1), one, unchanged);
        op->apply(one, b, zero, overwritten);

        EXPECT_MTX_NEAR(combined, is_scaled ? this->dense({{19}, {7}}) : this->dense({{3}, {1}}), 0.0);
        EXPECT_MTX_NEAR(unchanged, b, 0.0);
        EXPECT_MTX_NEAR(overwritten, is_scaled ? this->dense({{10}, {4}}) : this->dense({{2}, {1}}), 0.0);
    }
}

TYPED_TEST(PermutationTest, ProductWithItsInverseIsTheIdentity)
{
    for (const auto size : this->sizes) {
        const auto p = this->permutation(this->random_permutation(size));
        const auto b = this->random_dense(size, 3);

        const auto inverse = p->compute_inverse();

        EXPECT_MTX_NEAR(this->apply(inverse, this->apply(p, b)), b, 0.0);
        EXPECT_MTX_NEAR(this->apply(p->compose(inverse), b), b, 0.0);
        EXPECT_MTX_STORED_ALIKE(inverse, clone(this->ref, p)->compute_inverse());
    }
}

TYPED_TEST(PermutationTest, ComposesInOrder)
{
    const auto first = this->permutation({1, 2, 0});
    const auto second = this->permutation({1, 0, 2});
    const auto b = this->dense({{1}, {2}, {3}});

    const auto both = first->compose(second);

    EXPECT_MTX_STORED_ALIKE(both, this->permutation({2, 1, 0}));
    EXPECT_MTX_NEAR(this->apply(both, b), this->apply(second, this->apply(first, b)), 0.0);
}

TYPED_TEST(PermutationTest, WritesOnes)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;

    EXPECT_MTX_STORED_ALIKE(this->permutation({2, 0, 1}), this->csr({{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}));
    EXPECT_MTX_STORED_ALIKE(this->scaled({5, 6, 7}, {2, 0, 1}), this->csr({{0, 0, 7}, {5, 0, 0}, {0, 6, 0}}));
    EXPECT_MTX_STORED_ALIKE((spruce::matrix::ScaledPermutation<V, I>::create(this->permutation({1, 0}))),
                            this->csr({{0, 1}, {1, 0}}));
}

TYPED_TEST(PermutationTest, TakesEveryTypeOfVectors)
{
    using V = typename TypeParam::value_type;
    using other = spruce::next_precision<V>;
    const auto p = this->permutation({1, 0});
    const auto b = this->dense({{1}, {2}});
    const auto x = make_dense_of_nan<other>(this->exec, dim<2>{2, 1});
    const auto s = this->scaled({2, 3}, {1, 0});
    const auto y = make_dense_of_nan<other>(this->exec, dim<2>{2, 1});

    p->apply(b, x);
    s->apply(x, y);

    EXPECT_MTX_NEAR(x, this->dense({{2}, {1}}), 0.0);
    EXPECT_MTX_NEAR(y, this->dense({{3}, {4}}), 0.0);
    EXPECT_THROW(p->apply(this->csr({{1}, {2}}), b), spruce::NotSupported);
}

TYPED_TEST(PermutationTest, ScaledAppliesByHand)
{
    const auto s = this->scaled({2, 3, 5}, {2, 0, 1});
    const auto x = this->dense_of_nan(3, 2, 3);

    s->apply(this->dense({{1, 10}, {2, 20}, {3, 30}}, 4), x);

    EXPECT_MTX_NEAR(x, this->dense({{15, 150}, {2, 20}, {6, 60}}), 0.0);
    EXPECT_TRUE(padding_is_intact(*x));
}

TYPED_TEST(PermutationTest, ScaledInvertsAndComposes)
{
    for (const auto size : this->sizes) {
        const auto first = this->scaled(this->random_factors(size), this->random_permutation(size));
        const auto second = this->scaled(this->random_factors(size), this->random_permutation(size));
        const auto b = this->random_dense(size, 2);

        const auto both = first->compose(second);
        const auto inverse = first->compute_inverse();

        EXPECT_MTX_NEAR(this->apply(both, b), this->apply(second, this->apply(first, b)), 0.0);
        EXPECT_MTX_NEAR(this->apply(inverse, this->apply(first, b)), b, 0.0);
        EXPECT_MTX_STORED_ALIKE(both, clone(this->ref, first)->compose(second));
        EXPECT_MTX_STORED_ALIKE(inverse, clone(this->ref, first)->compute_inverse());
    }
}

TYPED_TEST(PermutationTest, KeepsVectorsOfHigherPrecisionThanTheOther)
{
    using V = typename TypeParam::value_type;
    using higher = spruce::next_precision<V>;
    if constexpr (sizeof(higher) > sizeof(V)) {
        const auto p = this->permutation({1, 0});
        const auto s = this->scaled({2, 3}, {1, 0});
        const auto tenth = make_dense<higher>(this->exec, {dim<2>{1, 1}, {{0, 0, 0.1}}});
        const auto x = make_dense<higher>(this->exec, {dim<2>{2, 1}, {{0, 0, 1}, {1, 0, 2}}});
        const auto y = clone(x);

        p->apply(this->dense({{0}}), this->dense({{1}, {2}}), tenth, x);
        s->apply(this->dense({{0}}), this->dense({{1}, {2}}), tenth, y);

        const auto expected = make_dense<higher>(this->exec, {dim<2>{2, 1}, {{0, 0, 0.1}, {1, 0, 0.2}}});
        EXPECT_MTX_NEAR(x, expected, 0.0);
        EXPECT_MTX_NEAR(y, expected, 0.0);
    }
}

TYPED_TEST(PermutationTest, Transposes)
{
    using V = typename TypeParam::value_type;
    auto factor = V(3);
    if constexpr (spruce::is_complex<V>()) {
        factor = V(0, 3);
    }
    const auto b = this->dense({{1, 10}, {2, 20}, {3, 30}});
    const auto p = this->permutation({2, 0, 1});
    const auto s = this->scaled({2, factor, 5}, {2, 0, 1});

    EXPECT_MTX_NEAR(this->apply(p->transpose(), b), this->apply(p->compute_inverse(), b), 0.0);
    EXPECT_MTX_NEAR(this->apply(p->conj_transpose(), b), this->apply(p->compute_inverse(), b), 0.0);
    // S P^-1 b: row p_i is s_(p_i) times row i of b.
    EXPECT_MTX_NEAR(this->apply(s->transpose(), b), this->dense({{4, 40}, {V(3) * factor, V(30) * factor}, {5, 50}}),
                    0.0);
    EXPECT_MTX_NEAR(this->apply(s->conj_transpose(), b),
                    this->dense({{4, 40}, {V(3) * spruce::conj(factor), V(30) * spruce::conj(factor)}, {5, 50}}), 0.0);
}

TYPED_TEST(PermutationTest, ScaledConvertsPrecisionThereAndBack)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto s = this->scaled({2, 3, 5}, {2, 0, 1});
    const auto converted = spruce::matrix::ScaledPermutation<spruce::next_precision<V>, I>::create(this->exec);
    const auto back = TestFixture::Scaled::create(this->ref);

    s->convert_to(converted);
    back->copy_from(converted);

    EXPECT_MTX_STORED_ALIKE(converted, s);
    EXPECT_MTX_STORED_ALIKE(back, s);
}

TYPED_TEST(PermutationTest, RefusesWhatDoesNotFit)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto two = this->permutation({1, 0});
    const auto three = this->permutation({1, 0, 2});

    EXPECT_THROW(two->compose(three), spruce::DimensionMismatch);
    EXPECT_THROW(two->apply(this->dense({{1}}), this->dense({{1}})), spruce::DimensionMismatch);
    EXPECT_THROW(this->scaled({1, 2, 3}, {1, 0}), spruce::ValueMismatch);
    EXPECT_THROW((this->scaled({1, 2}, {1, 0})->compose(this->scaled({V(1)}, {I{}}))), spruce::DimensionMismatch);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TYPED_TEST(PermutationTest, OlderFormsOfCreateStillWork)
{
    using I = typename TypeParam::index_type;
    using P = typename TestFixture::Permutation;
    const array<I> p{this->exec, {2, 0, 1}};

    EXPECT_EQ(P::create(this->exec, dim<2>{4, 4})->get_size(), (dim<2>{4, 4}));
    EXPECT_MTX_STORED_ALIKE(P::create(this->exec, dim<2>{3, 3}, p), this->permutation({2, 0, 1}));
    EXPECT_MTX_STORED_ALIKE(P::create(this->exec, dim<2>{3, 3}, p, P::row_permute | P::inverse_permute),
                            this->permutation({1, 2, 0}));
    EXPECT_THROW(P::create(this->exec, dim<2>{3, 3}, p, P::column_permute), spruce::NotSupported);
    EXPECT_THROW(P::create(this->exec, dim<2>{2, 2}, p), spruce::DimensionMismatch);
    EXPECT_THROW(P::create(this->exec, dim<2>{3, 2}, p), spruce::DimensionMismatch);
}
#pragma GCC diagnostic pop

TYPED_TEST(PermutationTest, CopiesAcrossExecutorsAndMoves)
{
    const auto p = this->permutation({2, 0, 1});
    const auto s = this->scaled({5, 6, 7}, {2, 0, 1});

    EXPECT_MTX_STORED_ALIKE(clone(this->ref, p), p);
    EXPECT_MTX_STORED_ALIKE(clone(this->ref, s), s);
    const auto moved = TestFixture::Scaled::create(this->exec);
    moved->move_from(s->clone());
    EXPECT_MTX_STORED_ALIKE(moved, s);
}

TYPED_TEST(PermutationTest, GathererPicksRows)
{
    using I = typename TypeParam::index_type;
    const auto gatherer = TestFixture::Gatherer::create(this->exec, dim<2>{4, 3}, array<I>{this->exec, {2, 0, 2, 1}});
    const auto b = this->dense({{1, 10}, {2, 20}, {3, 30}});
    const auto x = this->dense_of_nan(4, 2, 3);
    const auto y = this->dense({{1, 1}, {1, 1}, {1, 1}, {1, 1}});

    gatherer->apply(b, x);
    clone(this->exec, gatherer)->apply(this->dense({{2}}), b, this->dense({{-1}}), y);

    EXPECT_MTX_NEAR(x, this->dense({{3, 30}, {1, 10}, {3, 30}, {2, 20}}), 0.0);
    EXPECT_MTX_NEAR(y, this->dense({{5, 59}, {1, 19}, {5, 59}, {3, 39}}), 0.0);
    EXPECT_TRUE(padding_is_intact(*x));
}

TYPED_TEST(PermutationTest, GathererRefusesWhatDoesNotFit)
{
    using I = typename TypeParam::index_type;
    using Gatherer = typename TestFixture::Gatherer;
    const auto gatherer = Gatherer::create(this->exec, dim<2>{1, 3}, array<I>{this->exec, {2}});

    EXPECT_THROW(Gatherer::create(this->exec, dim<2>{4, 3}, array<I>{this->exec, {2}}), spruce::DimensionMismatch);
    EXPECT_THROW(gatherer->apply(this->dense({{1}, {2}}), this->dense({{1}})), spruce::DimensionMismatch);
}

}  // namespace
