// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/sparsity_csr.hpp>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class SparsityCsrTest : public kernel_test<Types> {
protected:
    using V = typename Types::value_type;
    using I = typename Types::index_type;
    using Sparsity = spruce::matrix::SparsityCsr<V, I>;

    /// Creates the pattern of data on this executor with a value other than one.
    std::unique_ptr<Sparsity> pattern(const host_matrix& data) const
    {
        auto result = Sparsity::create(this->exec);
        result->copy_from(make_csr<V, I>(this->exec, data));
        array<V>::view(this->exec, 1, result->get_value()).fill(value);
        return result;
    }
    /// Creates the Csr with these entries on the reference.
    std::unique_ptr<typename kernel_test<Types>::Csr> expected(host_matrix data) const
    {
        for (auto& entry : data.nonzeros) {
            entry.value = std::complex<double>(value);
        }
        return make_csr<V, I>(this->ref, data);
    }

    const V value = V(-0.5);
};
TYPED_TEST_SUITE(SparsityCsrTest, value_and_index_types, type_names);

TYPED_TEST(SparsityCsrTest, MultipliesLikeCsr)
{
    using V = typename TypeParam::value_type;
    const auto alpha = this->dense({{V(-1.25)}});
    const auto beta = this->dense({{V(0.75)}});
    for (const auto& one : sparse_cases(this->engine)) {
        const auto a = this->pattern(one.data);
        const auto ref_a = this->expected(one.data);
        const auto tolerance = this->tolerance_of_sum(one.longest_row + 1);
        for (const size_type num_rhs : {1, 2, 5}) {
            SCOPED_TRACE(one.name + ", " + std::to_string(num_rhs) + " right-hand sides");
            const auto b = this->random_dense(one.data.size[1], num_rhs, num_rhs + 1);
            const auto x = this->dense_of_nan(one.data.size[0], num_rhs, num_rhs + 2);
            const auto y = this->random_dense(one.data.size[0], num_rhs, num_rhs + 3);
            const auto ref_b = clone(this->ref, b);
            const auto ref_x = clone(this->ref, x);
            const auto ref_y = clone(this->ref, y);

            a->apply(b, x);
            a->apply(alpha, b, beta, y);

            ref_a->apply(ref_b, ref_x);
            ref_a->apply(alpha, ref_b, beta, ref_y);
            EXPECT_MTX_NEAR(x, ref_x, tolerance);
            EXPECT_MTX_NEAR(y, ref_y, tolerance);
            EXPECT_TRUE(padding_is_intact(*x));
            EXPECT_TRUE(padding_is_intact(*y));
        }
    }
}

TYPED_TEST(SparsityCsrTest, IgnoresOperandsOfZeroFactors)
{
    const auto a = this->pattern(this->host({{0, 1}, {1, 1}}));
    const auto zero = this->dense({{0}});
    const auto one = this->dense({{1}});
    const auto unchanged = this->dense({{1}, {2}});
    const auto overwritten = this->dense_of_nan(2, 1);

    a->apply(zero, this->dense_of_nan(2, 1), one, unchanged);
    a->apply(one, unchanged, zero, overwritten);

    EXPECT_MTX_NEAR(unchanged, this->dense({{1}, {2}}), 0.0);
    EXPECT_MTX_NEAR(overwritten, this->dense({{-1}, {-1.5}}), 0.0);
}

TYPED_TEST(SparsityCsrTest, TakesOtherPrecisionsAndComplexVectors)
{
    using V = typename TypeParam::value_type;
    using other = spruce::next_precision<V>;
    const auto a = this->pattern(this->host({{0, 1}, {1, 1}}));
    const auto b = make_dense<other>(this->exec, host_matrix{dim<2>{2, 1}, {{0, 0, 1.0}, {1, 0, 3.0}}});
    const auto x = make_dense_of_nan<other>(this->exec, dim<2>{2, 1});
    const auto complex_b =
        make_dense<spruce::to_complex<V>>(this->exec, host_matrix{dim<2>{2, 1}, {{0, 0, {1.0, 2.0}}}});
    const auto complex_x = make_dense_of_nan<spruce::to_complex<V>>(this->exec, dim<2>{2, 1});

    a->apply(b, x);
    a->apply(complex_b, complex_x);

    EXPECT_MTX_NEAR(x, this->dense({{-1.5}, {-2}}), 0.0);
    EXPECT_MTX_NEAR(complex_x,
                    (make_dense<spruce::to_complex<V>>(this->exec, host_matrix{dim<2>{2, 1}, {{1, 0, {-0.5, -1.0}}}})),
                    0.0);
}

TYPED_TEST(SparsityCsrTest, TransposesSortsAndConverts)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto a = this->pattern(one.data);
        const auto ref_a = this->expected(one.data);
        const auto csr = spruce::matrix::Csr<V, I>::create(this->exec);
        const auto dense = spruce::matrix::Dense<V>::create(this->exec);

        a->convert_to(csr);
        a->convert_to(dense);

        EXPECT_MTX_STORED_ALIKE(csr, ref_a);
        EXPECT_MTX_NEAR(dense, ref_a, 0.0);
        EXPECT_MTX_STORED_ALIKE(a->transpose(), ref_a->transpose());
        EXPECT_MTX_STORED_ALIKE(a->conj_transpose(), ref_a->transpose());
        EXPECT_EQ(a->is_sorted_by_column_index(), ref_a->is_sorted_by_column_index());
        a->sort_by_column_index();
        ref_a->sort_by_column_index();
        EXPECT_TRUE(a->is_sorted_by_column_index());
        EXPECT_MTX_STORED_ALIKE(a, ref_a);
    }
}

TYPED_TEST(SparsityCsrTest, AdjacencyMatrixHasNoDiagonal)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto a = this->pattern(one.data);
        if (one.data.size[0] != one.data.size[1]) {
            EXPECT_THROW(a->to_adjacency_matrix(), spruce::DimensionMismatch);
            continue;
        }
        auto expected = one.data;
        expected.nonzeros.clear();
        for (const auto& entry : one.data.nonzeros) {
            if (entry.row != entry.column) {
                expected.nonzeros.emplace_back(entry.row, entry.column, 1.0);
            }
        }

        EXPECT_MTX_STORED_ALIKE(a->to_adjacency_matrix(), (make_csr<V, I>(this->ref, expected)));
    }
}

TYPED_TEST(SparsityCsrTest, HasADiagonalAndAbsoluteValues)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto a = this->pattern(one.data);
        auto absolute_data = one.data;
        for (auto& entry : absolute_data.nonzeros) {
            entry.value = 0.5;
        }
        const auto absolute = make_csr<V, I>(this->ref, absolute_data);

        EXPECT_MTX_STORED_ALIKE(a->extract_diagonal(), this->expected(one.data)->extract_diagonal());
        EXPECT_MTX_STORED_ALIKE(a->compute_absolute(), absolute);
        a->compute_absolute_inplace();
        EXPECT_MTX_STORED_ALIKE(a, absolute);
    }
}

TYPED_TEST(SparsityCsrTest, MayHaveRoomForMoreEntriesThanThereAre)
{
    using I = typename TypeParam::index_type;
    const auto create = [&] {
        return TestFixture::Sparsity::create(this->exec, dim<2>{2, 2}, array<I>{this->exec, {1, 0, 1, 7, 7}},
                                             array<I>{this->exec, {0, 2, 3}});
    };
    const auto sorted = create();

    sorted->sort_by_column_index();

    EXPECT_MTX_STORED_ALIKE(sorted, this->csr({{1, 1}, {0, 1}}));
    EXPECT_EQ(sorted->get_num_nonzeros(), 5u);
    EXPECT_FALSE(create()->is_sorted_by_column_index());
    EXPECT_MTX_STORED_ALIKE(create()->transpose(), this->csr({{1, 0}, {1, 1}}));
    EXPECT_MTX_STORED_ALIKE(create()->to_adjacency_matrix(), this->csr({{0, 1}, {0, 0}}));
    EXPECT_MTX_NEAR(this->apply(create(), this->dense({{1}, {2}})), this->dense({{3}, {2}}), 0.0);
}

TYPED_TEST(SparsityCsrTest, ConjugatesItsValue)
{
    using V = typename TypeParam::value_type;
    if constexpr (spruce::is_complex<V>()) {
        const auto a = this->pattern(this->host({{0, 1}, {0, 0}}));
        array<V>::view(this->exec, 1, a->get_value()).fill(V(1, 2));

        EXPECT_MTX_NEAR(a->conj_transpose(), this->dense({{0, 0}, {V(1, -2), 0}}), 0.0);
        EXPECT_MTX_NEAR(a->transpose(), this->dense({{0, 0}, {V(1, 2), 0}}), 0.0);
    }
}

TYPED_TEST(SparsityCsrTest, IsMadeFromMatricesArraysAndData)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Sparsity = typename TestFixture::Sparsity;
    const auto ones = this->csr({{0, 1, 1}, {0, 0, 0}, {1, 0, 0}});
    const auto dense = this->dense({{0, 5, 7}, {0, 0, 0}, {3, 0, 0}});
    const auto read = Sparsity::create(this->exec);
    const auto from_dense = Sparsity::create(this->exec);

    read->read(spruce::matrix_data<V, I>{dim<2>{3, 3}, {{0, 1, V(4)}, {0, 2, V(1)}, {2, 0, V(9)}}});
    dense->convert_to(from_dense);

    EXPECT_MTX_STORED_ALIKE(read, ones);
    EXPECT_MTX_STORED_ALIKE(from_dense, ones);
    EXPECT_MTX_STORED_ALIKE(Sparsity::create(this->exec, spruce::give(this->csr({{0, 5, 7}, {0, 0, 0}, {3, 0, 0}}))),
                            ones);
    EXPECT_MTX_STORED_ALIKE(
        Sparsity::create(this->exec, dim<2>{3, 3}, array<I>{this->exec, {1, 2, 0}}, array<I>{this->exec, {0, 2, 2, 3}}),
        ones);
    EXPECT_EQ(read->get_num_nonzeros(), 3u);
    EXPECT_THROW(
        Sparsity::create(this->exec, dim<2>{2, 3}, array<I>{this->exec, {1, 2, 0}}, array<I>{this->exec, {0, 2, 2, 3}}),
        spruce::ValueMismatch);
}

TYPED_TEST(SparsityCsrTest, ReadsTheTriplesOfDevices)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Sparsity = typename TestFixture::Sparsity;
    using device_data = spruce::device_matrix_data<V, I>;
    const spruce::matrix_data<V, I> triples{dim<2>{2, 3}, {{0, 1, V(4)}, {0, 2, V(1)}, {1, 0, V(9)}}};
    const auto data = device_data::create_from_host(this->exec, triples);
    const auto copied = Sparsity::create(this->exec);
    const auto moved = Sparsity::create(this->exec);

    copied->read(data);
    moved->read(device_data::create_from_host(this->exec, triples));

    EXPECT_MTX_STORED_ALIKE(copied, this->csr({{0, 1, 1}, {1, 0, 0}}));
    EXPECT_MTX_STORED_ALIKE(moved, copied);
    EXPECT_EQ(data.get_num_stored_elements(), 3u);
}

TYPED_TEST(SparsityCsrTest, CopiesMovesAndChangesPrecision)
{
    using Sparsity = typename TestFixture::Sparsity;
    using other = spruce::matrix::SparsityCsr<spruce::next_precision<typename TypeParam::value_type>,
                                              typename TypeParam::index_type>;
    const auto a = this->pattern(poisson_2d(5));
    const auto converted = other::create(this->exec);
    const auto back = Sparsity::create(this->exec);
    const auto moved = Sparsity::create(this->exec);

    a->convert_to(converted);
    back->copy_from(converted);
    const auto source = a->clone();
    moved->move_from(source);

    EXPECT_MTX_STORED_ALIKE(back, a);
    EXPECT_MTX_STORED_ALIKE(moved, a);
    EXPECT_MTX_STORED_ALIKE(clone(this->ref, a), a);
    EXPECT_EQ(source->get_size(), dim<2>{});
    EXPECT_EQ(source->get_num_nonzeros(), 0u);
}

// GPUs choose how to multiply by the longest row that the pattern had.
TYPED_TEST(SparsityCsrTest, MultipliesAfterItsPatternWasChangedInPlace)
{
    using I = typename TypeParam::index_type;
    const auto a = TestFixture::Sparsity::create(this->exec, dim<2>{3, 4}, array<I>{this->exec, {1, 2, 0, 1, 2, 3}},
                                                 array<I>{this->exec, {0, 2, 4, 6}});
    const array<I> row_ptrs{this->exec, {0, 0, 1, 6}};
    this->exec->copy(4, row_ptrs.get_const_data(), a->get_row_ptrs());

    EXPECT_MTX_NEAR(this->apply(a, this->dense({{1}, {2}, {4}, {8}})), this->dense({{0}, {2}, {19}}), 0.0);
}

// It decides how GPUs multiply.
TYPED_TEST(SparsityCsrTest, KnowsTheLengthOfItsLongestRow)
{
    using I = typename TypeParam::index_type;
    using Sparsity = typename TestFixture::Sparsity;
    constexpr auto unknown = ~size_type{};
    const auto from_arrays =
        Sparsity::create(this->exec, dim<2>{3, 3}, array<I>{this->exec, {1, 2, 0}}, array<I>{this->exec, {0, 2, 2, 3}});
    const auto a = this->pattern(poisson_2d(5));
    const auto other =
        spruce::matrix::SparsityCsr<spruce::next_precision<typename TypeParam::value_type>, I>::create(this->exec);
    const auto moved = Sparsity::create(this->exec);

    a->convert_to(other);
    const auto source = a->clone();
    moved->move_from(source);

    EXPECT_EQ(from_arrays->get_max_row_length(), 2u);
    EXPECT_EQ(a->get_max_row_length(), 5u);
    EXPECT_EQ(other->get_max_row_length(), 5u);
    EXPECT_EQ(clone(this->ref, a)->get_max_row_length(), 5u);
    EXPECT_EQ(moved->get_max_row_length(), 5u);
    EXPECT_EQ(source->get_max_row_length(), unknown);
    EXPECT_EQ(spruce::as<Sparsity>(from_arrays->transpose().get())->get_max_row_length(), 1u);
    EXPECT_EQ(a->to_adjacency_matrix()->get_max_row_length(), 5u);  // a bound
    EXPECT_EQ(Sparsity::create(this->exec, dim<2>{3, 3}, 7)->get_max_row_length(), unknown);
}

}  // namespace
