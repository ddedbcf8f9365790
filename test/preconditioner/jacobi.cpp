// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/preconditioner/jacobi.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>

#include "test/solver/solver_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::share;
using spruce::size_type;

TEST(PrecisionReduction, CombinesFormats)
{
    using spruce::precision_reduction;
    constexpr precision_reduction none;
    constexpr precision_reduction a{2, 0};
    constexpr precision_reduction b{1, 1};

    EXPECT_EQ(none, precision_reduction(0, 0));
    EXPECT_EQ(a.get_preserving(), 2);
    EXPECT_EQ(b.get_nonpreserving(), 1);
    EXPECT_NE(a, b);
    EXPECT_EQ(precision_reduction::common(a, b), precision_reduction(1, 0));
    EXPECT_EQ(precision_reduction::common(precision_reduction::autodetect(), b), b);
}

template <typename Types>
class Jacobi : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using type = spruce::preconditioner::Jacobi<V, I>;
    using real = spruce::remove_complex<V>;

    std::shared_ptr<Csr> matrix(const host_matrix& data) const { return make_csr<V, I>(this->exec, data); }
    array<I> pointers(std::initializer_list<I> ptrs) const { return {this->exec, ptrs}; }

    /// Generates a preconditioner whose blocks have at most max_block_size rows.
    std::unique_ptr<type> generate(const std::shared_ptr<const spruce::LinOp>& a, unsigned max_block_size) const
    {
        return type::build().with_max_block_size(max_block_size).on(this->exec)->generate(a);
    }

    /// Returns the diagonal blocks of a matrix.
    host_matrix block_diagonal_of(const host_matrix& a, const std::vector<I>& ptrs) const
    {
        host_matrix result{a.size};
        for (const auto& entry : a.nonzeros) {
            const auto block = std::upper_bound(ptrs.begin(), ptrs.end(), entry.row) - 1;
            if (entry.column >= block[0] && entry.column < block[1]) {
                result.nonzeros.push_back(entry);
            }
        }
        return result;
    }

    /// Expects that the preconditioner inverts the block diagonal of a.
    void expect_inverts(const type& jacobi, const host_matrix& a, const std::vector<I>& ptrs, size_type num_rhs)
    {
        const auto expected = this->random_dense(a.size[0], num_rhs);
        const auto b = this->random_dense(a.size[0], num_rhs, num_rhs + 3);
        this->matrix(this->block_diagonal_of(a, ptrs))->apply(expected, b);
        const auto x = this->dense_of_nan(a.size[0], num_rhs, num_rhs + 1);

        jacobi.apply(b, x);

        EXPECT_MTX_NEAR(x, expected, 1000 * this->epsilon());
        EXPECT_TRUE(padding_is_intact(*x));
    }

    static std::vector<I> equal_blocks(size_type num_rows, size_type block_size)
    {
        std::vector<I> ptrs;
        for (size_type row = 0; row < num_rows; row += block_size) {
            ptrs.push_back(static_cast<I>(row));
        }
        ptrs.push_back(static_cast<I>(num_rows));
        return ptrs;
    }

    /// Repeats each entry of a matrix as a full block, with a dominant diagonal.
    host_matrix with_unknowns(const host_matrix& a, size_type num_unknowns)
    {
        host_matrix result{dim<2>{a.size[0] * num_unknowns, a.size[1] * num_unknowns}};
        for (const auto& entry : a.nonzeros) {
            const auto block = random_full(this->engine, num_unknowns, num_unknowns);
            for (const auto& value : block.nonzeros) {
                result.nonzeros.emplace_back(entry.row * num_unknowns + value.row,
                                             entry.column * num_unknowns + value.column,
                                             value.value + (entry.row == entry.column && value.row == value.column
                                                                ? 2.0 * static_cast<double>(num_unknowns)
                                                                : 0.0));
            }
        }
        result.sort_row_major();
        return result;
    }
};
TYPED_TEST_SUITE(Jacobi, value_and_index_types, type_names);

TYPED_TEST(Jacobi, InvertsTheDiagonal)
{
    const auto jacobi = this->generate(share(this->csr({{2, 1, 0}, {7, -4, 0}, {1, 0, 0.5}})), 1);
    const auto x = this->dense_of_nan(3, 2);

    jacobi->apply(this->dense({{2, 4}, {4, 8}, {1, -1}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {-1, -2}, {2, -2}}), 0.0);
    EXPECT_EQ(jacobi->get_num_blocks(), 3u);
    EXPECT_EQ(jacobi->get_num_stored_elements(), 3u);
}

TYPED_TEST(Jacobi, TakesZeroAndMissingDiagonalEntriesForOne)
{
    host_matrix data{dim<2>{3, 3}};
    data.nonzeros = {{0, 0, 0.0}, {0, 1, 3.0}, {1, 0, 1.0}, {2, 2, 4.0}};
    const auto x = this->dense_of_nan(3, 1);

    this->generate(this->matrix(data), 1)->apply(this->dense({{5}, {6}, {8}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{5}, {6}, {2}}), 0.0);
}

/// Counts how often zeros on the diagonal were taken for 1.
struct ZeroCounter : spruce::log::Logger {
    ZeroCounter() : spruce::log::Logger(zero_diagonal_replaced_mask) {}
    void on_zero_diagonal_replaced(const spruce::LinOp* op) const override
    {
        EXPECT_EQ(op->get_size(), dim<2>(3, 3));
        ++count;
    }
    mutable int count{};
};

TYPED_TEST(Jacobi, LogsThatZerosAreTakenForOne)
{
    const auto logger = std::make_shared<ZeroCounter>();
    const auto scalar = TestFixture::type::build().with_max_block_size(1u).on(this->exec);
    scalar->add_logger(logger);
    const auto with_zero = share(this->csr({{4, 1, 1}, {1, 0, 0}, {0, 0, 2}}));
    const auto without_zero = share(this->csr({{4, 1, 1}, {1, 3, 0}, {0, 0, 2}}));

    const auto of_zero = scalar->generate(with_zero);
    EXPECT_EQ(logger->count, 1);
    const auto op = scalar->generate(without_zero);
    EXPECT_EQ(logger->count, 1);
    of_zero->refresh(with_zero);
    EXPECT_EQ(logger->count, 2);
    op->refresh(without_zero);
    EXPECT_EQ(logger->count, 2);
}

TYPED_TEST(Jacobi, InvertsGivenBlocks)
{
    const auto a = share(this->csr({{0, 2, 9}, {4, 0, 9}, {9, 9, 8}}));  // the first block needs pivots
    const auto jacobi = TestFixture::type::build()
                            .with_max_block_size(2u)
                            .with_block_pointers(this->pointers({0, 2, 3}))
                            .on(this->exec)
                            ->generate(a);
    const auto x = this->dense_of_nan(3, 1);

    jacobi->apply(this->dense({{2}, {4}, {4}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {1}, {0.5}}), 0.0);
    EXPECT_EQ(jacobi->get_num_blocks(), 2u);
}

TYPED_TEST(Jacobi, InvertsBlocksOfEachSize)
{
    using I = typename TestFixture::I;
    for (const size_type size : {1, 2, 3, 8, 16, 31, 32}) {
        for (const size_type num_rows : {size_type{1}, size, size_type{32}, size_type{33}, size_type{130}}) {
            SCOPED_TRACE(testing::Message() << num_rows << " rows in blocks of " << size);
            const auto data = random_positive_definite(this->engine, num_rows, std::min<size_type>(num_rows, 9));
            const auto ptrs = this->equal_blocks(num_rows, size);
            const auto jacobi = TestFixture::type::build()
                                    .with_max_block_size(static_cast<int>(size))
                                    .with_block_pointers(array<I>{this->exec, ptrs.begin(), ptrs.end()})
                                    .on(this->exec)
                                    ->generate(this->matrix(data));

            this->expect_inverts(*jacobi, data, ptrs, 1);
            this->expect_inverts(*jacobi, data, ptrs, 7);
        }
    }
}

TYPED_TEST(Jacobi, FindsNaturalBlocks)
{
    using I = typename TestFixture::I;
    const auto data = this->with_unknowns(poisson_2d(7), 3);
    const auto jacobi = this->generate(this->matrix(data), 3);
    const auto merged = this->generate(this->matrix(data), 8);

    EXPECT_EQ(jacobi->get_num_blocks(), 49u);
    EXPECT_EQ(jacobi->get_parameters().block_pointers.copy_to_host(), this->equal_blocks(147, 3));
    this->expect_inverts(*jacobi, data, this->equal_blocks(147, 3), 2);
    EXPECT_EQ(merged->get_num_blocks(), 25u);
    this->expect_inverts(*merged, data, this->equal_blocks(147, 6), 1);
    const auto ptrs = merged->get_parameters().block_pointers.copy_to_host();
    EXPECT_EQ(ptrs[1], I{6});
}

TYPED_TEST(Jacobi, SortsRows)
{
    const auto data = this->with_unknowns(poisson_2d(4), 5);
    const auto jacobi = this->generate(this->matrix(with_unsorted_columns(this->engine, data)), 5);

    EXPECT_EQ(jacobi->get_num_blocks(), 16u);
    this->expect_inverts(*jacobi, data, this->equal_blocks(80, 5), 1);
}

TYPED_TEST(Jacobi, TakesOtherFormatsAndOperandsOfOtherPrecision)
{
    using V = typename TestFixture::V;
    const auto jacobi = this->generate(share(this->dense({{2, 1}, {1, 2}})), 2);
    const auto b = this->dense({{3}, {3}});
    const auto x = spruce::matrix::Dense<spruce::next_precision<V>>::create(this->exec, dim<2>{2, 1});
    const auto result = this->dense_of_nan(2, 1);

    jacobi->apply(b, x);
    result->copy_from(x.get());

    EXPECT_MTX_NEAR(result, this->dense({{1}, {1}}), 1e-6);
}

TYPED_TEST(Jacobi, AddsScaledResults)
{
    const auto a = share(this->csr({{2, 0}, {1, 4}}));
    for (const unsigned max_block_size : {1, 2}) {
        const auto x = this->dense({{10}, {20}});

        this->generate(a, max_block_size)->apply(this->dense({{2}}), this->dense({{2}, {9}}), this->dense({{0.5}}), x);

        EXPECT_MTX_NEAR(x, max_block_size == 1 ? this->dense({{7}, {14.5}}) : this->dense({{7}, {14}}), 0.0);
    }
}

TYPED_TEST(Jacobi, IgnoresResultsThatBetaCancels)
{
    const auto x = this->dense_of_nan(2, 1);

    this->generate(share(this->csr({{2, 1}, {1, 2}})), 2)
        ->apply(this->dense({{2}}), this->dense({{3}, {3}}), this->dense({{0}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{2}, {2}}), 4 * this->epsilon());
}

TYPED_TEST(Jacobi, AppliesInPlace)
{
    const auto a = share(this->csr({{2, 1}, {1, 2}}));
    for (const unsigned max_block_size : {1, 2}) {
        const auto x = this->dense({{3}, {3}});
        this->generate(a, max_block_size)->apply(x, x);
        EXPECT_MTX_NEAR(x, max_block_size == 1 ? this->dense({{1.5}, {1.5}}) : this->dense({{1}, {1}}),
                        4 * this->epsilon());
    }
}

TYPED_TEST(Jacobi, KeepsInfinityAndNanWithinTheirBlocks)
{
    using V = typename TestFixture::V;
    using real = typename TestFixture::real;
    const auto data = random_positive_definite(this->engine, 70, 5);
    for (const size_type size : {1, 3, 8, 31}) {
        const auto ptrs = this->equal_blocks(70, size);
        const auto jacobi =
            TestFixture::type::build()
                .with_max_block_size(size)
                .with_block_pointers(array<typename TestFixture::I>{this->exec, ptrs.begin(), ptrs.end()})
                .on(this->exec)
                ->generate(this->matrix(data));
        for (const auto value : {std::numeric_limits<real>::quiet_NaN(), std::numeric_limits<real>::infinity()}) {
            const auto host_b = clone(this->ref, this->random_dense(70, 2));
            host_b->at(33, 1) = V{value};
            const auto x = this->dense_of_nan(70, 2);

            jacobi->apply(clone(this->exec, host_b), x);

            const auto host_x = clone(this->ref, x);
            for (size_type row = 0; row < 70; ++row) {
                EXPECT_TRUE(spruce::is_finite(host_x->at(row, 0)));
                if (row / size != 33 / size) {
                    EXPECT_TRUE(spruce::is_finite(host_x->at(row, 1)));
                }
            }
            EXPECT_FALSE(spruce::is_finite(host_x->at(33, 1)));
        }
    }
}

TYPED_TEST(Jacobi, IsTransposedAndConjugated)
{
    using V = typename TestFixture::V;
    V value{3};
    if constexpr (spruce::is_complex<V>()) {
        value = V{3, 2};
    }
    const auto a = share(this->csr({{2, 0}, {value, 4}}));
    const auto b = this->dense({{2}, {4}});
    const auto x = this->dense_of_nan(2, 1);
    const auto jacobi = this->generate(a, 2);

    jacobi->transpose()->apply(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{(V(2) - value) / V(2)}, {1}}), 4 * this->epsilon());
    jacobi->conj_transpose()->apply(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{(V(2) - spruce::conj(value)) / V(2)}, {1}}), 4 * this->epsilon());

    const auto diagonal = this->generate(share(this->csr({{value, 0}, {0, 4}})), 1);
    diagonal->transpose()->apply(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{V(2) / value}, {1}}), 4 * this->epsilon());
    diagonal->conj_transpose()->apply(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{V(2) / spruce::conj(value)}, {1}}), 4 * this->epsilon());
}

TYPED_TEST(Jacobi, ConvertsToDenseAndIsWritten)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = share(this->csr({{2, 0, 0}, {1, 4, 0}, {0, 5, 8}}));
    const auto jacobi =
        TestFixture::type::build().with_block_pointers(this->pointers({0, 2, 3})).on(this->exec)->generate(a);
    const auto result = spruce::matrix::Dense<V>::create(this->exec);
    spruce::matrix_data<V, I> data;

    jacobi->convert_to(result);
    jacobi->write(data);

    EXPECT_MTX_NEAR(result, this->dense({{0.5, 0, 0}, {-0.125, 0.25, 0}, {0, 0, 0.125}}), 0.0);
    EXPECT_EQ(data.size, dim<2>(3, 3));
    ASSERT_EQ(data.nonzeros.size(), 5u);
    EXPECT_EQ(data.nonzeros[2].row, 1);
    EXPECT_EQ(data.nonzeros[2].column, 0);
    EXPECT_EQ(data.nonzeros[2].value, V(-0.125));
    EXPECT_EQ(data.nonzeros[4].value, V(0.125));

    this->generate(a, 1)->convert_to(result);
    EXPECT_MTX_NEAR(result, this->dense({{0.5, 0, 0}, {0, 0.25, 0}, {0, 0, 0.125}}), 0.0);
}

TYPED_TEST(Jacobi, DescribesItsStorage)
{
    using V = typename TestFixture::V;
    const auto jacobi = clone(this->ref, TestFixture::type::build()
                                             .with_block_pointers(this->pointers({0, 2, 3}))
                                             .on(this->exec)
                                             ->generate(share(this->csr({{2, 0, 0}, {1, 4, 0}, {0, 5, 8}}))));
    const auto scheme = jacobi->get_storage_scheme();

    EXPECT_EQ(jacobi->get_blocks()[scheme.get_offset(1, 0)], V(-0.125));
    EXPECT_EQ(jacobi->get_blocks()[scheme.get_offset(2, 0)], V(0.125));
    EXPECT_EQ(scheme.get_offset(1, 1) - scheme.get_offset(1, 0), scheme.get_stride());
    EXPECT_EQ(jacobi->get_conditioning(), nullptr);
}

TYPED_TEST(Jacobi, CountsTheBytesThatApplyReads)
{
    using V = typename TestFixture::V;
    const auto a = this->matrix(this->with_unknowns(poisson_2d(4), 3));  // blocks that are not Hermitian
    const auto symmetric = this->matrix(random_positive_definite(this->engine, 40, 9));
    const auto generate = [&](const auto& matrix, spruce::uint32 size, spruce::precision_reduction format) {
        const auto ptrs = this->equal_blocks(matrix->get_size()[0], size);
        return TestFixture::type::build()
            .with_max_block_size(size)
            .with_block_pointers(array<typename TestFixture::I>{this->exec, ptrs.begin(), ptrs.end()})
            .with_storage_optimization(format)
            .on(this->exec)
            ->generate(matrix);
    };
    // Each row has two bytes, and each of two slices an offset.
    constexpr auto of_rows = 48 * 2 + 2 * 8;

    EXPECT_EQ(this->generate(a, 1)->get_num_read_bytes(), 48 * sizeof(V));
    EXPECT_EQ(generate(a, 3, {})->get_num_read_bytes(), 48 * 3 * sizeof(V) + of_rows);
    EXPECT_EQ(generate(a, 3, {0, 1})->get_num_read_bytes(),
              48 * 3 * sizeof(V) / 2 + of_rows + 2 * sizeof(spruce::precision_reduction));
    EXPECT_EQ(generate(symmetric, 20, {})->get_num_read_bytes(), 40 * 11 * sizeof(V) + 40 * 2 + 2 * 8);
}

TYPED_TEST(Jacobi, IsCopiedAndMoved)
{
    const auto data = this->with_unknowns(poisson_2d(4), 3);
    const auto expect_works = [&](const auto& jacobi) {
        const auto b = clone(jacobi->get_executor(), this->dense({{1}}));
        EXPECT_EQ(jacobi->get_num_blocks(), 16u);
        EXPECT_EQ(jacobi->get_size(), dim<2>(48, 48));
        EXPECT_EQ(jacobi->get_parameters().block_pointers.get_executor(), jacobi->get_executor());
        this->expect_inverts(*jacobi, data, this->equal_blocks(48, 3), 1);
    };
    for (const auto& exec : {this->exec, std::shared_ptr<spruce::Executor>{this->ref}}) {
        const auto jacobi = this->generate(this->matrix(data), 3);
        const auto copy = clone(exec, jacobi);
        const auto target = jacobi->create_default(exec);

        target->move_from(jacobi);

        expect_works(copy);
        expect_works(target);
        EXPECT_EQ(jacobi->get_size(), dim<2>{});
        EXPECT_EQ(jacobi->get_num_blocks(), 0u);
        EXPECT_EQ(jacobi->get_num_stored_elements(), 0u);
        copy->clear();
        EXPECT_EQ(copy->get_num_blocks(), 0u);
    }
}

TYPED_TEST(Jacobi, WorksOnEmptyMatrices)
{
    const auto a = share(make_csr<typename TestFixture::V, typename TestFixture::I>(this->exec, host_matrix{}));
    for (const unsigned max_block_size : {1, 32}) {
        const auto jacobi = this->generate(a, max_block_size);
        const auto x = this->dense_of_nan(0, 2);

        jacobi->apply(this->dense_of_nan(0, 2), x);
        jacobi->refresh(a);

        EXPECT_EQ(jacobi->get_num_blocks(), 0u);
    }
}

TYPED_TEST(Jacobi, AddsAbsoluteValuesOutsideOfBlocks)
{
    const auto a = share(this->csr({{2, -1, -3}, {-1, 4, 2}, {1, -1, 6}}));
    const auto factory = TestFixture::type::build().with_aggregate_l1(true);
    const auto x = this->dense_of_nan(3, 1);

    auto scalar = factory;
    scalar.with_max_block_size(1u).on(this->exec)->generate(a)->apply(this->dense({{6}, {7}, {8}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{1}, {1}, {1}}), 4 * this->epsilon());

    // The first block is [5 -1; -1 6].
    auto blocks = factory;
    blocks.with_block_pointers(this->pointers({0, 2, 3}))
        .on(this->exec)
        ->generate(a)
        ->apply(this->dense({{4}, {5}, {8}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{1}, {1}, {1}}), 4 * this->epsilon());
}

TYPED_TEST(Jacobi, IsRefreshedWithoutAllocations)
{
    const auto data = this->with_unknowns(poisson_2d(6), 3);
    auto other = data;
    for (auto& entry : other.nonzeros) {
        entry.value *= entry.row % 2 == 0 ? 2.0 : -0.5;
    }
    const auto a = this->matrix(data);
    const auto other_a = this->matrix(other);
    for (const unsigned max_block_size : {1, 3, 20}) {
        const auto jacobi = this->generate(a, max_block_size);
        const auto expected = this->generate(other_a, max_block_size);
        const auto b = this->random_dense(108, 2);
        const auto blocks = jacobi->get_blocks();
        const auto copy = clone(jacobi);

        const auto before = this->exec->get_counters();
        jacobi->refresh(other_a);
        copy->refresh(other_a);

        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
        EXPECT_EQ(jacobi->get_blocks(), blocks);
        EXPECT_MTX_NEAR(this->apply(jacobi, b), this->apply(expected, b), 0.0);
        EXPECT_MTX_NEAR(this->apply(copy, b), this->apply(expected, b), 0.0);
        jacobi->refresh(a);
        EXPECT_MTX_NEAR(this->apply(jacobi, b), this->apply(this->generate(a, max_block_size), b), 0.0);
    }
}

TYPED_TEST(Jacobi, IsRefreshedByUnsortedMatricesWithL1)
{
    const auto data = with_unsorted_columns(this->engine, this->with_unknowns(poisson_2d(4), 3));
    const auto a = this->matrix(data);
    const auto factory = TestFixture::type::build().with_max_block_size(3u).with_aggregate_l1(true).on(this->exec);
    const auto jacobi = factory->generate(a);
    const auto b = this->random_dense(48, 1);
    const auto doubled = share(clone(a));
    doubled->scale(this->dense({{2}}));

    jacobi->refresh(doubled);

    EXPECT_MTX_NEAR(this->apply(jacobi, b), this->apply(factory->generate(share(clone(doubled))), b), 0.0);
}

TYPED_TEST(Jacobi, NamesTheRowWhosePatternDiffers)
{
    const auto jacobi = this->generate(share(this->csr({{2, 1, 0}, {1, 2, 0}, {0, 0, 1}})), 2);
    const auto b = this->dense({{3}, {3}, {1}});

    EXPECT_THROW_WITH(jacobi->refresh(this->csr({{4, 1, 0}, {1, 4, 1}, {0, 0, 1}})), spruce::UnsupportedMatrixProperty,
                      "row 1");
    EXPECT_THROW_WITH(jacobi->refresh(this->csr({{4, 1, 0}, {0, 4, 1}, {0, 0, 1}})), spruce::UnsupportedMatrixProperty,
                      "row 1");
    EXPECT_THROW(jacobi->refresh(this->csr({{4, 1}, {1, 4}})), spruce::DimensionMismatch);
    EXPECT_THROW(spruce::as<typename TestFixture::type>(jacobi->transpose())
                     ->refresh(this->csr({{4, 1, 0}, {1, 4, 0}, {0, 0, 1}})),
                 spruce::NotSupported);

    EXPECT_MTX_NEAR(this->apply(jacobi, b), this->dense({{1}, {1}, {1}}), 4 * this->epsilon());
    jacobi->refresh(this->csr({{4, 1, 0}, {1, 4, 0}, {0, 0, 1}}));
    EXPECT_MTX_NEAR(this->apply(jacobi, b), this->dense({{0.6}, {0.6}, {1}}), 4 * this->epsilon());
}

TYPED_TEST(Jacobi, NamesSingularBlocks)
{
    using V = typename TestFixture::V;
    const auto nan = spruce::nan<V>();
    const auto factory = TestFixture::type::build().with_block_pointers(this->pointers({0, 1, 3, 4})).on(this->exec);
    const auto valid = share(this->csr({{1, 0, 0, 0}, {0, 1, 2, 0}, {0, 3, 4, 0}, {0, 0, 0, 1}}));
    const auto singular = share(this->csr({{1, 0, 0, 0}, {0, 1, 2, 0}, {0, 2, 4, 0}, {0, 0, 0, 1}}));
    const auto not_finite = share(this->csr({{1, 0, 0, 0}, {0, 1, 2, 0}, {0, nan, 4, 0}, {0, 0, 0, 1}}));
    const auto text = "block 1, which begins at row 1 ";

    EXPECT_THROW_WITH(factory->generate(singular), spruce::UnsupportedMatrixProperty, text);
    EXPECT_THROW_WITH(factory->generate(not_finite), spruce::UnsupportedMatrixProperty, text);
    EXPECT_THROW_WITH(this->generate(share(this->csr({{1, 0}, {0, nan}})), 1), spruce::UnsupportedMatrixProperty,
                      "row 1");

    const auto jacobi = factory->generate(valid);
    const auto b = this->random_dense(4, 1);
    const auto expected = this->apply(jacobi, b);
    EXPECT_THROW_WITH(jacobi->refresh(singular), spruce::UnsupportedMatrixProperty, text);
    const auto host_x = clone(this->ref, this->apply(jacobi, b));
    for (size_type row = 0; row < 4; ++row) {
        EXPECT_TRUE(spruce::is_nan(host_x->at(row, 0)));
    }
    jacobi->refresh(valid);
    EXPECT_MTX_NEAR(this->apply(jacobi, b), expected, 0.0);
}

TYPED_TEST(Jacobi, RefusesWrongParameters)
{
    using type = typename TestFixture::type;
    using I = typename TestFixture::I;
    const auto a = share(this->csr({{2, 1, 0}, {1, 2, 0}, {0, 0, 1}}));
    const auto generate = [&](auto parameters) { parameters.on(this->exec)->generate(a); };
    const auto generate_blocks = [&](std::initializer_list<I> ptrs) {
        generate(type::build().with_max_block_size(2u).with_block_pointers(this->pointers(ptrs)));
    };

    EXPECT_THROW_WITH(generate(type::build().with_max_block_size(33u)), spruce::NotSupported, "max_block_size 33");
    EXPECT_THROW_WITH(generate(type::build().with_max_block_size(0)), spruce::NotSupported, "max_block_size 0");
    EXPECT_THROW_WITH(generate(type::build().with_max_block_size(8u).with_max_block_stride(7u)), spruce::NotSupported,
                      "max_block_stride 7");
    for (const auto accuracy : {0.0, -0.1, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THROW_WITH(generate(type::build().with_accuracy(accuracy)), spruce::OutOfBoundsError, "accuracy");
    }
    EXPECT_THROW_WITH(generate_blocks({1, 3}), spruce::OutOfBoundsError, "is 1 (it has to be 0)");
    EXPECT_THROW_WITH(generate_blocks({0, 2}), spruce::ValueMismatch, "number of rows");
    EXPECT_THROW_WITH(generate_blocks({0, 2, 4}), spruce::ValueMismatch, "number of rows");
    EXPECT_THROW_WITH(generate_blocks({0, 3}), spruce::OutOfBoundsError, "block 0");
    EXPECT_THROW_WITH(generate_blocks({0, 2, 1, 3}), spruce::OutOfBoundsError, "block 1");
    EXPECT_THROW_WITH(generate_blocks({0, 2, 2, 3}), spruce::OutOfBoundsError, "block 1");
    EXPECT_NO_THROW(generate_blocks({0, 2, 3}));
    EXPECT_THROW(this->generate(share(this->csr({{1, 2, 3}, {4, 5, 6}})), 1), spruce::DimensionMismatch);
    EXPECT_THROW(this->generate(nullptr, 1), spruce::NotSupported);
    EXPECT_THROW(this->generate(a, 2)->apply(this->dense({{1}, {2}}), this->dense({{1}, {2}})),
                 spruce::DimensionMismatch);
}

TYPED_TEST(Jacobi, ChoosesFormats)
{
    using spruce::precision_reduction;
    const auto is_double = sizeof(typename TestFixture::real) == 8;
    const precision_reduction half{0, is_double ? std::uint8_t{2} : std::uint8_t{1}};
    const auto format_of = [&](const auto& a, precision_reduction request) {
        const auto jacobi = TestFixture::type::build()
                                .with_storage_optimization(request)
                                .with_block_pointers(this->pointers({0, 2}))
                                .on(this->exec)
                                ->generate(share(a->clone()));
        EXPECT_TRUE(jacobi->get_parameters().storage_optimization.is_block_wise);
        return jacobi->get_parameters().storage_optimization.block_wise.copy_to_host().at(0);
    };
    const auto automatic = precision_reduction::autodetect();

    // Inverses with small condition numbers, whose entries are about 0.5, 1e6 and 1e-6.
    EXPECT_EQ(format_of(this->csr({{2, 1}, {1, 2}}), automatic), half);
    EXPECT_EQ(format_of(this->csr({{2e-6, 1e-6}, {1e-6, 2e-6}}), automatic),
              is_double ? precision_reduction(1, 1) : precision_reduction(1, 0));
    EXPECT_EQ(format_of(this->csr({{2e6, 1e6}, {1e6, 2e6}}), automatic),
              is_double ? precision_reduction(1, 1) : precision_reduction(1, 0));
    // A condition number of 4e4.
    EXPECT_EQ(format_of(this->csr({{1, 1}, {1, 1.0001}}), automatic),
              is_double ? precision_reduction(0, 1) : precision_reduction());
    // Requests: half precision does not contain 1e6.
    EXPECT_EQ(format_of(this->csr({{2, 1}, {1, 2}}), half), half);
    EXPECT_EQ(format_of(this->csr({{2e-6, 1e-6}, {1e-6, 2e-6}}), half),
              is_double ? precision_reduction(0, 1) : precision_reduction());
    EXPECT_EQ(format_of(this->csr({{1, 1}, {1, 1.0001}}), precision_reduction(1, 0)), precision_reduction(1, 0));
}

TEST(PrecisionReduction, IsPrinted)
{
    std::ostringstream stream;
    stream << spruce::precision_reduction(1, 2) << " " << spruce::precision_reduction::autodetect();
    EXPECT_EQ(stream.str(), "(1, 2) autodetect");
}

TYPED_TEST(Jacobi, ComputesConditionNumbers)
{
    const auto jacobi = clone(this->ref, TestFixture::type::build()
                                             .with_storage_optimization(spruce::precision_reduction::autodetect())
                                             .with_block_pointers(this->pointers({0, 2, 3}))
                                             .on(this->exec)
                                             ->generate(share(this->csr({{4, 1, 0}, {0, 2, 0}, {0, 0, 9}}))));

    // The inverse of the first block is [0.25 -0.125; 0 0.5], with norm 0.625.
    EXPECT_NEAR(jacobi->get_conditioning()[0], 4 * 0.625, 8 * this->epsilon());
    EXPECT_NEAR(jacobi->get_conditioning()[1], 1.0, 8 * this->epsilon());
}

TYPED_TEST(Jacobi, StoresBlocksInRequestedFormats)
{
    using V = typename TestFixture::V;
    using spruce::precision_reduction;
    const auto data = this->with_unknowns(poisson_2d(6), 3);
    const auto a = this->matrix(data);
    const auto exact = this->generate(a, 3);
    const auto b = this->random_dense(108, 2);
    struct expected_error {
        precision_reduction format;
        double error;
    };
    const auto is_double = sizeof(typename TestFixture::real) == 8;
    const std::vector<expected_error> cases =
        is_double
            ? std::vector<expected_error>{{{0, 1}, 1e-6}, {{1, 0}, 1e-5}, {{0, 2}, 4e-3}, {{1, 1}, 4e-2}, {{2, 0}, 0.3}}
            : std::vector<expected_error>{{{0, 1}, 4e-3}, {{1, 0}, 4e-2}};
    for (const auto& [format, error] : cases) {
        SCOPED_TRACE(testing::Message() << int{format.get_preserving()} << ", " << int{format.get_nonpreserving()});
        const std::vector<precision_reduction> formats(36, format);
        const auto jacobi =
            TestFixture::type::build()
                .with_max_block_size(3u)
                .with_storage_optimization(array<precision_reduction>{this->ref, formats.begin(), formats.end()})
                .on(this->exec)
                ->generate(a);
        const auto result = this->apply(jacobi, b);

        EXPECT_MTX_NEAR(result, this->apply(exact, b), error);
        EXPECT_TRUE(jacobi->get_parameters().storage_optimization.block_wise.copy_to_host() == formats);
        EXPECT_MTX_NEAR(this->apply(clone(jacobi), b), result, 0.0);
        EXPECT_MTX_NEAR(this->apply(spruce::as<spruce::Transposable>(jacobi->transpose())->transpose(), b), result,
                        0.0);
        const auto inverse = spruce::matrix::Dense<V>::create(this->exec);
        jacobi->convert_to(inverse);
        EXPECT_MTX_NEAR(this->apply(inverse, b), result, 100 * this->epsilon());
        spruce::matrix_data<V, typename TestFixture::I> written;
        jacobi->write(written);
        inverse->read(written);
        EXPECT_MTX_NEAR(this->apply(inverse, b), result, 100 * this->epsilon());

        const auto before = this->exec->get_counters();
        jacobi->refresh(a);
        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
        EXPECT_MTX_NEAR(this->apply(jacobi, b), result, 0.0);
    }
    EXPECT_THROW_WITH(TestFixture::type::build()
                          .with_max_block_size(3u)
                          .with_storage_optimization(array<precision_reduction>{this->ref, {precision_reduction{}}})
                          .on(this->exec)
                          ->generate(a),
                      spruce::ValueMismatch, "formats of storage_optimization and blocks");
}

TYPED_TEST(Jacobi, IsNanInEachFormatAfterAFailedRefresh)
{
    const auto jacobi = TestFixture::type::build()
                            .with_max_block_size(2u)
                            .with_storage_optimization(spruce::precision_reduction::autodetect())
                            .on(this->exec)
                            ->generate(share(this->csr({{2, 1}, {1, 2}})));

    EXPECT_THROW(jacobi->refresh(this->csr({{1, 1}, {1, 1}})), spruce::UnsupportedMatrixProperty);
    EXPECT_TRUE(spruce::is_nan(clone(this->ref, this->apply(jacobi, this->dense({{3}, {3}})))->at(0, 0)));
    jacobi->refresh(this->csr({{2, 1}, {1, 2}}));
    EXPECT_MTX_NEAR(this->apply(jacobi, this->dense({{3}, {3}})), this->dense({{1}, {1}}), 4e-3);
}

TYPED_TEST(Jacobi, LaunchesTheSameKernelsInEachApply)
{
    const auto jacobi = this->generate(share(this->csr({{2, 1}, {1, 2}})), 2);

    EXPECT_TRUE(jacobi->launches_are_static());
    EXPECT_TRUE(jacobi->transpose()->launches_are_static());
}

TYPED_TEST(Jacobi, AllocatesNothingInLaterApplies)
{
    const auto jacobi = this->generate(this->matrix(random_positive_definite(this->engine, 70, 6)), 8);
    const auto b = this->random_dense(70, 3);
    const auto first = this->random_dense(70, 3);
    const auto second = clone(first);
    const auto alpha = this->dense({{2}});
    const auto beta = this->dense({{-1}});
    const auto apply_both = [&](const auto& x) {
        jacobi->apply(b, x);
        jacobi->apply(alpha, b, beta, x);
    };
    apply_both(first);

    const auto before = this->exec->get_counters();
    apply_both(second);

    EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
    EXPECT_MTX_NEAR(second, first, 0.0);
}

/// Solves preconditioned systems on the executor under test and on the reference.
class JacobiInSolvers : public kernel_test<types<double, spruce::int32>> {
protected:
    using jacobi = spruce::preconditioner::Jacobi<double, spruce::int32>;

    template <typename Solver>
    size_type iterations(const std::shared_ptr<spruce::Executor>& on, const host_matrix& data, unsigned max_block_size,
                         const Dense& b)
    {
        const auto a = share(make_csr<double, spruce::int32>(on, data));
        const auto log = share(spruce::log::Convergence<double>::create());
        const auto parameters =
            Solver::build().with_criteria(spruce::stop::Iteration::build().with_max_iters(2000),
                                          spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-10));
        auto preconditioned = parameters;
        const auto solver =
            max_block_size == 0
                ? preconditioned.on(on)->generate(a)
                : preconditioned.with_preconditioner(jacobi::build().with_max_block_size(max_block_size))
                      .on(on)
                      ->generate(a);
        solver->add_logger(log);
        const auto local_b = clone(on, &b);
        const auto x = clone(on, &b);
        x->fill(0.0);
        solver->apply(local_b, x);
        EXPECT_TRUE(log->has_converged() || max_block_size == 0);
        return log->get_num_iterations();
    }

    template <typename Solver>
    void expect_iterations_of_reference(const host_matrix& data, std::initializer_list<unsigned> block_sizes)
    {
        const auto b = this->random_dense(data.size[0], 1);
        const auto without = this->iterations<Solver>(this->ref, data, 0, *b);
        for (const auto max_block_size : block_sizes) {
            SCOPED_TRACE(max_block_size);
            const auto num = this->iterations<Solver>(this->exec, data, max_block_size, *b);
            const auto expected = static_cast<double>(this->iterations<Solver>(this->ref, data, max_block_size, *b));

            EXPECT_NEAR(static_cast<double>(num), expected, 0.1 * expected);
            EXPECT_LT(num, without);
        }
    }
};

TEST_F(JacobiInSolvers, ReduceIterationsLikeReference)
{
    // A Laplacian whose rows and columns are scaled by factors from 1 to 100.
    auto data = poisson_2d(20);
    const auto factor = [](auto i) { return std::pow(10.0, static_cast<double>(i % 5) / 2); };
    for (auto& entry : data.nonzeros) {
        entry.value *= factor(entry.row) * factor(entry.column);
    }
    this->expect_iterations_of_reference<spruce::solver::Cg<double>>(data, {1, 8, 32});
    for (auto& entry : data.nonzeros) {  // not symmetric
        entry.value *= entry.column > entry.row ? 1.2 : 0.8;
        entry.value *= entry.column == entry.row ? 1.25 : 1.0;
    }
    this->expect_iterations_of_reference<spruce::solver::Bicgstab<double>>(data, {1, 8});
}

TEST_F(JacobiInSolvers, AdaptivePrecisionHardlyChangesIterationsOfCg)
{
    for (const auto& data : {poisson_2d(20), generated_data("poisson3d-7pt:8"), generated_data("poisson3d-27pt:8")}) {
        SCOPED_TRACE(testing::Message() << data.size[0] << " rows, " << data.nonzeros.size() << " entries");
        const auto a = share(make_csr<double, spruce::int32>(this->exec, data));
        const auto b = this->random_dense(data.size[0], 1);
        const auto iterations_with = [&](spruce::precision_reduction format) {
            const auto log = share(spruce::log::Convergence<double>::create());
            const auto solver =
                spruce::solver::Cg<double>::build()
                    .with_criteria(spruce::stop::Iteration::build().with_max_iters(2000),
                                   spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-10))
                    .with_preconditioner(jacobi::build().with_max_block_size(16u).with_storage_optimization(format))
                    .on(this->exec)
                    ->generate(a);
            solver->add_logger(log);
            const auto x = clone(b);
            x->fill(0.0);
            const auto before = this->exec->get_counters();
            solver->apply(b, x);
            EXPECT_TRUE(log->has_converged());
            EXPECT_EQ((this->exec->get_counters() - before).replays > 0, is_device(*this->exec));
            return static_cast<double>(log->get_num_iterations());
        };
        const auto in_double = iterations_with({});

        EXPECT_NEAR(iterations_with(spruce::precision_reduction::autodetect()), in_double, 0.05 * in_double);
    }
}

TEST_F(JacobiInSolvers, AdaptivePrecisionReadsFewerBytesOfStencils)
{
    for (const auto family : {"poisson3d-7pt:8", "poisson3d-27pt:8"}) {
        const auto a = share(make_csr<double, spruce::int32>(this->exec, generated_data(family)));
        for (const auto size : {8u, 16u, 32u}) {
            SCOPED_TRACE(testing::Message() << family << ", blocks of " << size);
            const auto bytes_with = [&](spruce::precision_reduction format) {
                const auto factory =
                    jacobi::build().with_max_block_size(size).with_storage_optimization(format).on(this->exec);
                return static_cast<double>(factory->generate(a)->get_num_read_bytes());
            };
            EXPECT_LE(bytes_with(spruce::precision_reduction::autodetect()), 0.6 * bytes_with({}));
        }
    }
}

TEST_F(JacobiInSolvers, RefreshIsSeenByRecordedSteps)
{
    const auto data = poisson_2d(12);
    const auto a = share(make_csr<double, spruce::int32>(this->exec, data));
    const auto preconditioner = share(jacobi::build().with_max_block_size(8u).on(this->exec)->generate(a));
    const auto factory = spruce::solver::Cg<double>::build()
                             .with_criteria(spruce::stop::Iteration::build().with_max_iters(500),
                                            spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-10))
                             .with_generated_preconditioner(preconditioner)
                             .on(this->exec);
    const auto solver = factory->generate(a);
    const auto b = this->random_dense(data.size[0], 1);
    const auto solve = [&](const auto& solver) {
        const auto x = clone(b);
        x->fill(0.0);
        solver->apply(b, x);
        return clone(this->ref, x);
    };
    const auto first = solve(solver);
    auto changed = data;
    for (auto& entry : changed.nonzeros) {
        entry.value *= entry.row == entry.column ? 1.0 + static_cast<double>(entry.row % 9) : 1.0;
    }
    const auto changed_a = make_csr<double, spruce::int32>(this->exec, changed);
    a->copy_from(changed_a);

    preconditioner->refresh(a);
    const auto second = solve(solver);

    EXPECT_MTX_NEAR(second, solve(factory->generate(a)), 0.0);
    EXPECT_MTX_NEAR(this->apply(a, clone(this->exec, second)), b, 1e-8);
}

TEST_F(JacobiInSolvers, ReduceIterationsOfABusNetwork)
{
    std::ifstream file{matrix_file("1138_bus")};
    const auto data = spruce::read_generic_raw<std::complex<double>, spruce::int64>(file);
    this->expect_iterations_of_reference<spruce::solver::Cg<double>>(data, {32});
}

TYPED_TEST(Jacobi, IgnoresColumnsBeforeABlockInRowsThatAreNotSorted)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    // Row 3 breaks the promise of skip_sorting: a search for column 2 finds the second entry.
    const spruce::array<I> row_ptrs{this->exec, {0, 1, 2, 3, 6}};
    const spruce::array<I> cols{this->exec, {0, 1, 2, 2, 3, 0}};
    spruce::array<V> values{this->exec, 6};
    values.fill(V{2});
    const auto a = share(TestFixture::Csr::create(this->exec, dim<2>{4, 4}, values, cols, row_ptrs));
    const auto jacobi = TestFixture::type::build()
                            .with_max_block_size(2u)
                            .with_skip_sorting(true)
                            .with_block_pointers(spruce::array<I>{this->exec, {0, 2, 4}})
                            .on(this->exec)
                            ->generate(a);

    const auto x = this->dense_of_nan(4, 1);

    jacobi->apply(this->dense({{2}, {4}, {2}, {4}}), x);

    EXPECT_MTX_NEAR(x, this->dense({{1}, {2}, {1}, {1}}), 0.0);
}

}  // namespace
