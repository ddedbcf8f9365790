// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests products and sums of sparse matrices.

#include <spruce/matrix/identity.hpp>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::clone;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class CsrProduct : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using csr_ptr = std::unique_ptr<Csr>;

    /// Returns the pattern with values 1, so that patterns can be compared exactly.
    csr_ptr pattern_of(const csr_ptr& a) const
    {
        auto result = clone(this->ref, a);
        std::fill_n(result->get_values(), result->get_num_stored_elements(), V{1});
        return result;
    }

    void expect_like(const csr_ptr& actual, const csr_ptr& expected, size_type num_terms) const
    {
        EXPECT_MTX_STORED_ALIKE(pattern_of(actual), pattern_of(expected));
        EXPECT_MTX_NEAR(actual, expected, this->tolerance_of_sum(num_terms));
        EXPECT_TRUE(actual->is_sorted_by_column_index());
    }

    std::unique_ptr<Dense> to_dense(const csr_ptr& a) const
    {
        auto result = Dense::create(this->ref);
        clone(this->ref, a)->convert_to(result.get());
        return result;
    }

    /// Compares every operation on this executor with the reference.
    void compare(const host_matrix& a_data, const host_matrix& b_data, size_type num_terms)
    {
        const auto size = dim<2>{a_data.size[0], b_data.size[1]};
        const auto d_data = random_sparse(this->engine, size[0], size[1], nnz_per_row(0, 9));
        const auto a = make_csr<V, I>(this->exec, a_data);
        const auto b = make_csr<V, I>(this->exec, b_data);
        const auto d = make_csr<V, I>(this->exec, d_data);
        const auto ref_a = make_csr<V, I>(this->ref, a_data);
        const auto ref_b = make_csr<V, I>(this->ref, b_data);
        const auto ref_d = make_csr<V, I>(this->ref, d_data);
        const auto alpha = this->dense({{V(-1.25)}});
        const auto beta = this->dense({{V(0.75)}});

        expect_like(a->multiply(b), ref_a->multiply(ref_b), num_terms);
        expect_like(a->multiply_add(alpha, b, beta, d), ref_a->multiply_add(alpha, ref_b, beta, ref_d), num_terms + 1);

        auto [product, info] = a->multiply_reuse(b);
        const auto expected = clone(product);
        product->create_value_view()->fill(spruce::nan<V>());
        info.update_values(a, b, product);
        EXPECT_MTX_STORED_ALIKE(product, expected);
    }
};
TYPED_TEST_SUITE(CsrProduct, value_and_index_types, type_names);

TYPED_TEST(CsrProduct, MultipliesByHand)
{
    const auto a = this->csr({{1, 0, 2}, {0, 0, 0}, {0, 3, -1}});
    const auto b = this->csr({{0, 4}, {1, 0}, {2, 3}});
    auto c = TestFixture::Csr::create(this->exec, dim<2>{3, 2});

    a->apply(b, c);

    EXPECT_MTX_STORED_ALIKE(c, this->csr({{4, 10}, {0, 0}, {1, -3}}));
}

TYPED_TEST(CsrProduct, KeepsEntriesThatCancel)
{
    const auto a = this->csr({{1, 1}});
    const auto b = this->csr({{1, 2}, {-1, 1}});

    const auto c = a->multiply(b);

    EXPECT_EQ(c->get_num_stored_elements(), 2u);
    EXPECT_MTX_NEAR(c, this->dense({{0, 3}}), 0.0);
}

TYPED_TEST(CsrProduct, AddsToScaledResult)
{
    const auto a = this->csr({{1, 0, 2}, {0, 0, 0}, {0, 3, -1}});
    const auto b = this->csr({{0, 4}, {1, 0}, {2, 3}});
    auto c = this->csr({{1, 0}, {2, 0}, {0, 1}});

    a->apply(this->dense({{2}}), b, this->dense({{-1}}), c);

    EXPECT_MTX_STORED_ALIKE(c, this->csr({{7, 20}, {-2, 0}, {2, -7}}));
}

TYPED_TEST(CsrProduct, IgnoresOperandsWhoseFactorIsZeroButKeepsTheirPatterns)
{
    using V = typename TestFixture::V;
    const auto nan = spruce::nan<V>();
    const auto zero = this->dense({{0}});
    const auto one = this->dense({{1}});
    const auto broken = this->csr({{nan, 0}, {0, nan}});
    const auto sound = this->csr({{0, 2}, {3, 0}});

    const auto only_added = broken->multiply_add(zero, broken, one, sound);
    const auto only_product = sound->multiply_add(one, sound, zero, broken);
    const auto sum = sound->scale_add(one, zero, broken);

    EXPECT_MTX_NEAR(only_added, this->dense({{0, 2}, {3, 0}}), 0.0);
    EXPECT_EQ(only_added->get_num_stored_elements(), 4u);
    EXPECT_MTX_NEAR(only_product, this->dense({{6, 0}, {0, 6}}), 0.0);
    EXPECT_MTX_NEAR(sum, this->dense({{0, 2}, {3, 0}}), 0.0);
    EXPECT_EQ(sum->get_num_stored_elements(), 4u);
}

TYPED_TEST(CsrProduct, OfReferenceIsThatOfDenseMatrices)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Dense = typename TestFixture::Dense;
    const auto a = make_csr<V, I>(this->ref, random_sparse(this->engine, 23, 31, nnz_per_row(0, 12)));
    const auto b = make_csr<V, I>(this->ref, random_sparse(this->engine, 31, 17, nnz_per_row(0, 9)));
    auto expected = Dense::create(this->ref, dim<2>{23, 17});
    this->to_dense(a)->apply(this->to_dense(b), expected);

    EXPECT_MTX_NEAR(a->multiply(b), expected, this->tolerance_of_sum(12));
}

TYPED_TEST(CsrProduct, MatchesReferenceOnEveryCase)
{
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto b = random_sparse(this->engine, one.data.size[1], 97, nnz_per_row(0, 7));
        this->compare(one.data, with_unsorted_columns(this->engine, b), one.longest_row);
    }
}

// Lengths at which the GPU selects another kernel or another memory for its hash table.
TYPED_TEST(CsrProduct, MatchesReferenceOnResultsWithRowsOfAnyLength)
{
    const auto b = random_sparse(this->engine, 9300, 9300, nnz_per_row(1, 1));
    const std::vector<size_type> lengths{9001, 0,   1,   31,  32,  33,  48,   49,   63,   64,   65,   128,  129, 192,
                                         193,  256, 257, 767, 769, 900, 1025, 1536, 1537, 2049, 8192, 8193, 2};

    this->compare(random_sparse(this->engine, lengths, 9300), b, 9001);
}

// On GPUs a thread computes rows with few entries, few products and few columns.
TYPED_TEST(CsrProduct, MatchesReferenceOnTinyRows)
{
    std::vector<size_type> lengths;
    for (size_type row = 0; row < 150; ++row) {
        lengths.push_back(row % 19);
    }
    const auto a = with_unsorted_columns(this->engine, random_sparse(this->engine, lengths, 40));
    for (const size_type num_cols : {1, 3, 12, 13, 16, 17, 500}) {
        SCOPED_TRACE(std::to_string(num_cols) + " columns");
        const auto b = random_sparse(this->engine, 40, num_cols, nnz_per_row(0, std::min<size_type>(num_cols, 4)));
        this->compare(a, with_unsorted_columns(this->engine, b), 19);
    }
}

// On GPUs a lane marks the columns of a short row, and a warp those of a longer one.
TYPED_TEST(CsrProduct, MatchesReferenceOnLongRowsThatReferToRowsOfAnyLength)
{
    std::vector<size_type> b_lengths(900, 5);
    for (size_type row = 0; row < b_lengths.size(); ++row) {
        b_lengths[row] = row % 90 == 0 ? 300 : row % 13;
    }
    std::vector<size_type> a_lengths(200, 2);
    a_lengths[0] = 880;
    a_lengths[50] = 513;
    a_lengths[51] = 512;
    const auto a = random_sparse(this->engine, a_lengths, b_lengths.size());
    this->compare(a, random_sparse(this->engine, b_lengths, 20000), 10);
    this->compare(a, with_unsorted_columns(this->engine, random_sparse(this->engine, b_lengths, 300000)), 10);
}

TYPED_TEST(CsrProduct, MatchesReferenceWhereMatricesWithLongRowsMeet)
{
    std::vector<size_type> lengths(60, 3);
    lengths[7] = 60;
    lengths[9] = 33;
    const auto a = random_sparse(this->engine, lengths, 60);
    lengths.assign(60, 0);
    lengths[3] = 2500;
    lengths[5] = 2900;
    lengths[50] = 65;
    const auto b = random_sparse(this->engine, lengths, 3000);

    this->compare(a, b, 60);
}

TYPED_TEST(CsrProduct, MatchesReferenceOnLongRowsOfVeryManyColumns)  // exceeds the GPUs' bit map
{
    constexpr size_type num_cols = 550000;
    auto b = random_sparse(this->engine, {9000, 0, 3, 8200, 1}, num_cols);
    const auto a = this->host({{1, 0, 2, 3, 0}, {0, 0, 0, 0, 4}, {0, 5, 0, 6, 7}, {0, 0, 0, 0, 0}});

    this->compare(a, b, 3);
    this->compare(a, with_unsorted_columns(this->engine, b), 3);
}

// GPUs sort the products of a row that has more of them than all others.
TYPED_TEST(CsrProduct, MatchesReferenceWhereOneRowHasMostProducts)
{
    constexpr size_type size = 22000;
    std::vector<size_type> lengths(500, 1);  // so that the mean is small
    lengths[1] = size;
    lengths[2] = 0;
    lengths[400] = 2500;
    const auto a = random_sparse(this->engine, lengths, size);
    const auto narrow = random_sparse(this->engine, size, 50, nnz_per_row(2, 5));
    const auto wide = random_sparse(this->engine, size, 2000, nnz_per_row(2, 5));

    this->compare(a, narrow, 5 * size);
    this->compare(with_unsorted_columns(this->engine, a), with_unsorted_columns(this->engine, wide), 5 * size);
}

TYPED_TEST(CsrProduct, DropsTermsOutsideThePattern)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    constexpr size_type size = 22000;
    std::vector<size_type> lengths(500, 1);
    lengths[100] = size;
    const auto a = random_sparse(this->engine, lengths, size);
    const auto narrow = random_sparse(this->engine, size, 1000, nnz_per_row(3, 3));
    const auto moved = [&](int offset) {
        auto result = narrow;
        result.size = dim<2>{size, 1500};
        for (auto& entry : result.nonzeros) {
            entry.column += offset;
        }
        return result;
    };
    const auto update = [&](const auto& exec) {
        const auto local_a = make_csr<V, I>(exec, a);
        auto [product, info] = local_a->multiply_reuse(make_csr<V, I>(exec, moved(0)));
        info.update_values(local_a, make_csr<V, I>(exec, moved(500)), product);
        return std::move(product);
    };

    EXPECT_MTX_NEAR(update(this->exec), update(this->ref), this->tolerance_of_sum(3 * size));
}

TYPED_TEST(CsrProduct, OfAMatrixWithItself)
{
    const auto a = this->csr({{1, 2}, {0, 3}});

    const auto squared = a->multiply(a);
    a->apply(a, a);

    EXPECT_MTX_STORED_ALIKE(squared, this->csr({{1, 8}, {0, 9}}));
    EXPECT_MTX_STORED_ALIKE(a, squared);
}

TYPED_TEST(CsrProduct, CanBeAppliedAtOnce)  // requires correct row pointers and strategy data
{
    const auto a = this->random_csr(83, 61, nnz_per_row(0, 20));
    const auto b = this->random_csr(61, 83, nnz_per_row(0, 20));
    const auto x = this->random_dense(83, 2);
    auto c = TestFixture::Csr::create(this->exec, dim<2>{83, 83});

    a->apply(b, c);

    EXPECT_MTX_NEAR(this->apply(c, x), this->apply_on_reference(a->multiply(b), x), this->tolerance_of_sum(83 * 20));
}

TYPED_TEST(CsrProduct, ServesOperandsOnAnotherExecutor)
{
    const auto a = this->csr({{1, 0, 2}, {0, 3, 0}});
    const auto b = clone(this->ref, this->csr({{1}, {2}, {0}}));
    auto c = TestFixture::Csr::create(this->ref, dim<2>{2, 1});
    const auto one = clone(this->ref, this->dense({{1}}));

    a->apply(b, c);

    EXPECT_MTX_STORED_ALIKE(c, this->csr({{1}, {6}}));
    EXPECT_MTX_STORED_ALIKE(a->multiply(b), c);
    EXPECT_MTX_STORED_ALIKE(a->multiply_add(one, b, one, c), this->csr({{2}, {12}}));
}

TYPED_TEST(CsrProduct, RefusesSizesThatDoNotFit)
{
    const auto a = this->csr({{1, 0, 2}, {0, 3, 0}});
    const auto one = this->dense({{1}});

    EXPECT_THROW(a->multiply(a), spruce::DimensionMismatch);
    EXPECT_THROW(a->multiply_add(one, this->csr({{1}, {2}, {3}}), one, a), spruce::DimensionMismatch);
    EXPECT_THROW(a->scale_add(one, one, this->csr({{1}})), spruce::DimensionMismatch);
    EXPECT_THROW(a->scale_add(this->dense({{1, 2}}), one, a), spruce::DimensionMismatch);
    EXPECT_THROW(a->apply(this->csr({{1}, {2}, {3}}), this->dense({{1}, {2}})), spruce::NotSupported);
}

TYPED_TEST(CsrProduct, IsUpdatedForOtherValues)
{
    const auto a = this->random_csr(50, 60, nnz_per_row(0, 20));
    const auto b = this->random_csr(60, 70, nnz_per_row(0, 20));
    const auto d = this->random_csr(50, 70, nnz_per_row(0, 5));
    const auto alpha = this->dense({{2}});
    const auto beta = this->dense({{-1}});
    auto [product, info] = a->multiply_reuse(b);
    auto [sum, sum_info] = a->multiply_add_reuse(alpha, b, beta, d);

    a->create_value_view()->scale(alpha);
    d->create_value_view()->scale(beta);
    info.update_values(a, b, product);
    sum_info.update_values(a, beta, b, alpha, d, sum);

    EXPECT_MTX_STORED_ALIKE(product, a->multiply(b));
    EXPECT_MTX_STORED_ALIKE(sum, a->multiply_add(beta, b, alpha, d));
}

TYPED_TEST(CsrProduct, RefusesToUpdateMatricesOfAnotherPattern)
{
    const auto a = this->csr({{1, 0}, {0, 3}});
    const auto other = this->csr({{1, 2}, {0, 3}});
    auto [product, info] = a->multiply_reuse(a);

    EXPECT_THROW_WITH(info.update_values(other, a, product), spruce::DimensionMismatch, "entries");
    EXPECT_THROW_WITH(info.update_values(a, other, product), spruce::DimensionMismatch, "b needs");
    EXPECT_THROW_WITH(info.update_values(a, a, this->csr({{1, 2}})), spruce::DimensionMismatch, "result needs");
}

TYPED_TEST(CsrProduct, RefusesToUpdateSumsOfAnotherPattern)
{
    const auto a = this->csr({{1, 0}, {0, 3}});
    const auto other = this->csr({{1, 2}, {0, 3}});
    const auto larger = this->csr({{1, 0, 0}, {0, 3, 0}});
    const auto alpha = this->dense({{2}});
    auto [sum, info] = a->multiply_add_reuse(alpha, a, alpha, a);
    const auto expected = clone(sum);

    EXPECT_THROW_WITH(info.update_values(other, alpha, a, alpha, a, sum), spruce::DimensionMismatch, "a needs");
    EXPECT_THROW_WITH(info.update_values(larger, alpha, a, alpha, a, sum), spruce::DimensionMismatch, "a needs");
    EXPECT_THROW_WITH(info.update_values(a, alpha, other, alpha, a, sum), spruce::DimensionMismatch, "b needs");
    EXPECT_THROW_WITH(info.update_values(a, alpha, a, alpha, other, sum), spruce::DimensionMismatch, "d needs");
    EXPECT_THROW_WITH(info.update_values(a, alpha, a, alpha, a, larger), spruce::DimensionMismatch, "result needs");

    EXPECT_MTX_STORED_ALIKE(sum, expected);
}

template <typename Types>
using CsrSum = CsrProduct<Types>;
TYPED_TEST_SUITE(CsrSum, value_and_index_types, type_names);

TYPED_TEST(CsrSum, AddsByHand)
{
    const auto a = this->csr({{1, 0, 2}, {0, 0, 0}, {0, 3, -1}});
    const auto b = this->csr({{0, 4, -1}, {1, 0, 0}, {0, 0, 5}});

    const auto c = a->scale_add(this->dense({{2}}), this->dense({{10}}), b);

    EXPECT_MTX_STORED_ALIKE(c, this->csr({{2, 40, -6}, {10, 0, 0}, {0, 6, 48}}));
}

TYPED_TEST(CsrSum, KeepsEntriesThatCancel)
{
    const auto a = this->csr({{1, 2}});
    const auto one = this->dense({{1}});

    const auto c = a->scale_add(one, this->dense({{-1}}), a);

    EXPECT_EQ(c->get_num_stored_elements(), 2u);
    EXPECT_MTX_NEAR(c, this->dense({{0, 0}}), 0.0);
}

TYPED_TEST(CsrSum, ByProductWithIdentity)
{
    using V = typename TestFixture::V;
    const auto a = this->csr({{1, 0, 2}, {0, 3, -1}});
    auto c = this->csr({{0, 4, -1}, {1, 0, 0}});

    a->apply(this->dense({{2}}), spruce::matrix::Identity<V>::create(this->exec, 3), this->dense({{10}}), c);

    EXPECT_MTX_STORED_ALIKE(c, this->csr({{2, 40, -6}, {10, 6, -2}}));
}

TYPED_TEST(CsrSum, MatchesReferenceOnEveryCase)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto alpha = this->dense({{V(-1.25)}});
    const auto beta = this->dense({{V(0.75)}});
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto size = one.data.size;
        const auto data = random_sparse(this->engine, size[0], size[1], nnz_per_row(0, 70));
        const auto a = make_csr<V, I>(this->exec, one.data);
        const auto b = make_csr<V, I>(this->exec, with_unsorted_columns(this->engine, data));
        const auto ref_a = make_csr<V, I>(this->ref, one.data);
        const auto ref_b = make_csr<V, I>(this->ref, data);

        this->expect_like(a->scale_add(alpha, beta, b), ref_a->scale_add(alpha, beta, ref_b), 2);
        this->expect_like(b->scale_add(beta, alpha, a), ref_b->scale_add(beta, alpha, ref_a), 2);
    }
}

TYPED_TEST(CsrSum, OfEqualPatternsMatchesReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto alpha = this->dense({{V(-1.25)}});
    const auto beta = this->dense({{V(0.75)}});
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto unsorted = with_unsorted_columns(this->engine, one.data);
        for (const auto& data : {one.data, unsorted}) {
            const auto a = make_csr<V, I>(this->exec, data);
            const auto b = clone(a);
            b->create_value_view()->scale(this->dense({{3}}));
            const auto ref_a = clone(this->ref, a);
            const auto ref_b = clone(this->ref, b);
            const auto expected = ref_a->scale_add(alpha, beta, ref_b);

            this->expect_like(a->scale_add(alpha, beta, b), expected, 2);
            this->expect_like(a->scale_add(alpha, beta, a), ref_a->scale_add(alpha, beta, ref_a), 2);
            auto [sum, info] = b->add_scale_reuse(beta, alpha, a);
            sum->create_value_view()->fill(spruce::nan<V>());
            info.update_values(beta, b, alpha, a, sum);
            this->expect_like(sum, expected, 2);
        }
    }
}

TYPED_TEST(CsrSum, OfAPatternWithinAnotherMatchesReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    constexpr size_type size = 83;
    host_matrix diagonal{dim<2>{size, size}};
    for (size_type i = 0; i < size; ++i) {
        diagonal.nonzeros.emplace_back(i, i, 1.0 + static_cast<double>(i));
    }
    const auto alpha = this->dense({{2}});
    const auto beta = this->dense({{-1}});
    const auto inner = make_csr<V, I>(this->exec, diagonal);
    const auto outer = this->random_csr(size, size, nnz_per_row(0, 20))->scale_add(alpha, beta, inner);
    const auto ref_inner = clone(this->ref, inner);
    const auto ref_outer = clone(this->ref, outer);

    const auto sum = outer->scale_add(alpha, beta, inner);
    const auto other_sum = inner->scale_add(alpha, beta, outer);

    EXPECT_EQ(sum->get_num_stored_elements(), outer->get_num_stored_elements());
    this->expect_like(sum, ref_outer->scale_add(alpha, beta, ref_inner), 2);
    this->expect_like(other_sum, ref_inner->scale_add(alpha, beta, ref_outer), 2);
}

TYPED_TEST(CsrSum, OfPatternsThatDifferInOneNumber)
{
    const auto a = this->csr({{1, 0, 2}, {0, 3, 0}});
    const auto other_row = this->csr({{1, 0, 0}, {4, 3, 0}});
    const auto other_col = this->csr({{1, 0, 2}, {0, 0, 3}});
    const auto one = this->dense({{1}});

    EXPECT_MTX_STORED_ALIKE(a->scale_add(one, one, other_row), this->csr({{2, 0, 2}, {4, 6, 0}}));
    EXPECT_MTX_STORED_ALIKE(a->scale_add(one, one, other_col), this->csr({{2, 0, 4}, {0, 3, 3}}));
}

TYPED_TEST(CsrSum, IgnoresUnusedCapacity)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Csr = typename TestFixture::Csr;
    const auto with_capacity = [&](std::initializer_list<V> values, std::initializer_list<I> cols) {
        return Csr::create(this->exec, dim<2>{2, 3}, spruce::array<V>{this->exec, values},
                           spruce::array<I>{this->exec, cols}, spruce::array<I>{this->exec, {0, 2, 3}});
    };
    const auto a = with_capacity({1, 2, 3, 7, 7}, {0, 2, 1, 2, 0});
    const auto b = with_capacity({5, 5, 5, 7}, {1, 2, 1, 0});
    const auto one = this->dense({{1}});

    const auto twice = a->scale_add(one, one, a);

    EXPECT_MTX_STORED_ALIKE(twice, this->csr({{2, 0, 4}, {0, 6, 0}}));
    EXPECT_EQ(twice->get_num_stored_elements(), 3u);
    EXPECT_MTX_STORED_ALIKE(a->scale_add(one, one, b), this->csr({{1, 5, 7}, {0, 8, 0}}));
    EXPECT_MTX_STORED_ALIKE(b->scale_add(one, one, a), this->csr({{1, 5, 7}, {0, 8, 0}}));
}

TYPED_TEST(CsrSum, IsUpdatedForOtherValues)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = this->random_csr(50, 60, nnz_per_row(0, 20));
    const auto b = make_csr<V, I>(
        this->exec, with_unsorted_columns(this->engine, random_sparse(this->engine, 50, 60, nnz_per_row(0, 20))));
    const auto alpha = this->dense({{2}});
    const auto beta = this->dense({{-1}});
    auto [sum, info] = a->add_scale_reuse(alpha, beta, b);

    a->create_value_view()->scale(alpha);
    b->create_value_view()->scale(beta);
    info.update_values(beta, a, alpha, b, sum);

    EXPECT_MTX_STORED_ALIKE(sum, a->scale_add(beta, alpha, b));
    EXPECT_THROW_WITH(info.update_values(beta, b, alpha, a, sum), spruce::DimensionMismatch, "entries");
}

}  // namespace
