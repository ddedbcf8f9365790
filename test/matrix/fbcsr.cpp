// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/fbcsr.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class FbcsrTest : public kernel_test<Types> {
protected:
    using V = typename Types::value_type;
    using I = typename Types::index_type;
    using Fbcsr = spruce::matrix::Fbcsr<V, I>;
    using Csr = typename kernel_test<Types>::Csr;

    /// Replaces every entry of a pattern by a full block.
    host_matrix with_blocks(const host_matrix& pattern, int block_size)
    {
        host_matrix result{dim<2>{pattern.size[0] * block_size, pattern.size[1] * block_size}};
        auto row_begin = pattern.nonzeros.begin();
        while (row_begin != pattern.nonzeros.end()) {
            auto row_end = row_begin;
            while (row_end != pattern.nonzeros.end() && row_end->row == row_begin->row) {
                ++row_end;
            }
            for (int i = 0; i < block_size; ++i) {
                for (auto block = row_begin; block != row_end; ++block) {
                    const auto values = random_full(this->engine, 1, block_size).nonzeros;
                    for (int j = 0; j < block_size; ++j) {
                        result.nonzeros.emplace_back(block->row * block_size + i, block->column * block_size + j,
                                                     values[j].value);
                    }
                }
            }
            row_begin = row_end;
        }
        return result;
    }
    std::unique_ptr<Fbcsr> fbcsr(const host_matrix& data, int block_size) const
    {
        auto result = Fbcsr::create(this->exec, block_size);
        result->copy_from(make_csr<V, I>(this->exec, data));
        return result;
    }
    /// Returns the matrix with the blocks of each block row in random order.
    std::unique_ptr<Fbcsr> with_unsorted_blocks(const Fbcsr& sorted)
    {
        const auto a = clone(this->ref, &sorted);
        const auto entries_of_block = static_cast<size_type>(a->get_block_size()) * a->get_block_size();
        auto result = a->clone();
        for (I row = 0; row < a->get_num_block_rows(); ++row) {
            const auto begin = a->get_const_row_ptrs()[row];
            std::vector<I> order(a->get_const_row_ptrs()[row + 1] - begin);
            std::iota(order.begin(), order.end(), begin);
            std::shuffle(order.begin(), order.end(), this->engine);
            auto place = static_cast<size_type>(begin);
            for (const auto from : order) {
                result->get_col_idxs()[place] = a->get_const_col_idxs()[from];
                std::copy_n(a->get_const_values() + from * entries_of_block, entries_of_block,
                            result->get_values() + place * entries_of_block);
                ++place;
            }
        }
        return clone(this->exec, result);
    }
    /// Calls check(fbcsr, csr) for square matrices in both formats, on which functions must have
    /// equal results.
    template <typename Check>
    void for_each_square_case(Check check)
    {
        for (const int block_size : {2, 3}) {
            SCOPED_TRACE("block size " + std::to_string(block_size));
            const auto data = this->with_blocks(random_sparse(this->engine, 45, 45, nnz_per_row(0, 40)), block_size);
            check(this->fbcsr(data, block_size).get(), make_csr<V, I>(this->exec, data).get());
        }
    }
    /// Returns powers of two, by which scaling is exact.
    array<V> factors(size_type size)
    {
        std::vector<V> result(size);
        std::generate(result.begin(), result.end(),
                      [&] { return V(std::ldexp(1.0, static_cast<int>(this->engine() % 5) - 2)); });
        return {this->exec, result.begin(), result.end()};
    }

    // Numbers of blocks of a row, near the widths of warps and thread blocks, with empty rows in
    // between.
    const std::vector<size_type> lengths{0, 1, 31, 32, 0, 33, 63, 64, 65, 128, 129, 1025};

    /// Calls check(matrix with full blocks, block size, entries of the longest row).
    template <typename Check>
    void for_each_case(Check check)
    {
        // Sizes near the widths of warps. Lanes may process whole blocks, and rows of blocks may be
        // wider than a warp.
        for (const int block_size : {1, 2, 3, 4, 5, 7, 16, 31, 32, 33, 65}) {
            const auto max_blocks = static_cast<size_type>(block_size < 16 ? 40 : 3);
            std::vector<host_matrix> patterns{
                host_matrix{dim<2>{0, 0}}, host_matrix{dim<2>{3, 2}},
                random_sparse(this->engine, {0, max_blocks, 1, 0, 2, 0}, 45),
                random_sparse(this->engine, 13, 9, nnz_per_row(0, block_size < 16 ? 9 : 3))};
            if (block_size == 2 || block_size == 3) {
                patterns.push_back(random_sparse(this->engine, this->lengths, 1030));
            }
            for (const auto& pattern : patterns) {
                SCOPED_TRACE("block size " + std::to_string(block_size) + ", " + std::to_string(pattern.size[0]) +
                             " block rows");
                const auto longest = std::max(max_blocks, pattern.size[1] == 1030 ? this->lengths.back() : 0);
                check(this->with_blocks(pattern, block_size), block_size, longest * block_size);
            }
        }
    }
};
TYPED_TEST_SUITE(FbcsrTest, value_and_index_types, type_names);

TYPED_TEST(FbcsrTest, StoresBlocksColumnByColumn)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a =
        TestFixture::Fbcsr::create(this->exec, dim<2>{4, 6}, 2, array<V>{this->exec, {1, 2, 3, 4, 5, 6, 7, 8}},
                                   array<I>{this->exec, {2, 0}}, array<I>{this->exec, {0, 1, 2}});

    EXPECT_MTX_NEAR(a, this->dense({{0, 0, 0, 0, 1, 3}, {0, 0, 0, 0, 2, 4}, {5, 7, 0, 0, 0, 0}, {6, 8, 0, 0, 0, 0}}),
                    0.0);
    EXPECT_EQ(a->get_num_block_rows(), 2);
    EXPECT_EQ(a->get_num_block_cols(), 3);
    EXPECT_EQ(a->get_num_stored_blocks(), 2u);
    EXPECT_EQ(a->get_num_stored_elements(), 8u);
}

TYPED_TEST(FbcsrTest, ConvertsFromCsrAndBack)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    this->for_each_case([&](const host_matrix& data, int block_size, size_type) {
        const auto csr = make_csr<V, I>(this->exec, data);
        const auto a = this->fbcsr(data, block_size);
        const auto shuffled = this->fbcsr(with_unsorted_columns(this->engine, data), block_size);
        const auto back = TestFixture::Csr::create(this->exec);
        const auto dense = TestFixture::Dense::create(this->exec);

        a->convert_to(back);
        a->convert_to(dense);

        EXPECT_EQ(a->get_block_size(), block_size);
        EXPECT_TRUE(a->is_sorted_by_column_index());
        EXPECT_MTX_STORED_ALIKE(back, csr);
        EXPECT_MTX_STORED_ALIKE(shuffled, a);
        EXPECT_MTX_NEAR(dense, csr, 0.0);
    });
}

TYPED_TEST(FbcsrTest, FillsBlocksUpWithZeros)
{
    const auto data = this->host({{0, 0, 1, 0}, {2, 0, 0, 3}, {0, 0, 0, 0}, {0, 4, 0, 0}});

    const auto a = this->fbcsr(data, 2);

    EXPECT_EQ(a->get_num_stored_blocks(), 3u);
    EXPECT_MTX_NEAR(a, this->dense({{0, 0, 1, 0}, {2, 0, 0, 3}, {0, 0, 0, 0}, {0, 4, 0, 0}}), 0.0);
}

TYPED_TEST(FbcsrTest, FillsUpWhatHasSomeFullRows)
{
    const auto data = this->host({{1, 2, 0, 0, 3, 4}, {5, 0, 0, 0, 0, 6}, {0, 0, 0, 7, 0, 0}, {0, 0, 8, 9, 0, 0}});

    const auto a = this->fbcsr(data, 2);

    EXPECT_EQ(a->get_num_stored_blocks(), 3u);
    EXPECT_MTX_NEAR(a, this->dense({{1, 2, 0, 0, 3, 4}, {5, 0, 0, 0, 0, 6}, {0, 0, 0, 7, 0, 0}, {0, 0, 8, 9, 0, 0}}),
                    0.0);
}

TYPED_TEST(FbcsrTest, FillsUpPairsOfColumnsThatAreNoBlocks)
{
    const auto data = this->host(
        {{0, 1, 2, 0, 0, 3, 4, 0}, {0, 5, 6, 0, 0, 7, 8, 0}, {1, 2, 0, 0, 0, 0, 0, 0}, {3, 4, 0, 0, 0, 0, 0, 0}});

    const auto a = this->fbcsr(data, 2);

    EXPECT_EQ(a->get_num_stored_blocks(), 5u);
    EXPECT_MTX_NEAR(
        a,
        this->csr(
            {{0, 1, 2, 0, 0, 3, 4, 0}, {0, 5, 6, 0, 0, 7, 8, 0}, {1, 2, 0, 0, 0, 0, 0, 0}, {3, 4, 0, 0, 0, 0, 0, 0}}),
        0.0);
}

TYPED_TEST(FbcsrTest, ConvertsRaggedRows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = random_sparse(this->engine, 120, 90, nnz_per_row(0, 40));

    for (const int block_size : {1, 2, 3, 5, 10, 30}) {
        EXPECT_MTX_NEAR(this->fbcsr(data, block_size), (make_csr<V, I>(this->ref, data)), 0.0);
    }
}

TYPED_TEST(FbcsrTest, ConvertsManyRowsAndOneDenseRowAndAddsUpDuplicates)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    auto data = random_sparse(this->engine, 330, 4950, nnz_per_row(0, 30));
    auto& entries = data.nonzeros;
    entries.erase(std::remove_if(entries.begin(), entries.end(), [](auto entry) { return entry.row == 301; }),
                  entries.end());
    for (int column = 0; column < 4950; ++column) {
        entries.emplace_back(301, column, column + 1);
    }
    for (const auto& [row, column] : {std::pair{7, 4949}, {300, 0}, {301, 0}, {301, 2500}, {301, 2501}, {301, 4949}}) {
        for (const int value : {-1, -2, -3}) {
            entries.emplace_back(row, column, value);
        }
    }
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return a.row < b.row || (a.row == b.row && a.column < b.column);
    });
    auto sums = data;
    sums.sum_duplicates();
    for (const int block_size : {1, 2, 3, 11, 66, 165}) {
        SCOPED_TRACE(block_size);
        const auto expected = TestFixture::Fbcsr::create(this->ref, block_size);
        expected->copy_from(make_csr<V, I>(this->ref, sums));

        EXPECT_MTX_STORED_ALIKE(this->fbcsr(data, block_size), expected);
    }
}

TYPED_TEST(FbcsrTest, ConvertsBlockRowsOfAsManyEntriesAsATileHas)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // GPUs process up to 1024 entries and ends of block rows per tile.
    std::vector<size_type> lengths{1023, 1024, 1025, 1,   0,   0,   2047, 2048, 2049,
                                   5,    1024, 1024, 511, 512, 513, 341,  342,  0};
    lengths.resize(3600);
    lengths.back() = 1;
    const auto data = random_sparse(this->engine, lengths, 2400);
    for (const int block_size : {1, 2, 3, 4, 6}) {
        SCOPED_TRACE(block_size);
        const auto expected = TestFixture::Fbcsr::create(this->ref, block_size);
        expected->copy_from(make_csr<V, I>(this->ref, data));

        EXPECT_MTX_STORED_ALIKE(this->fbcsr(data, block_size), expected);
        EXPECT_MTX_STORED_ALIKE(this->fbcsr(with_unsorted_columns(this->engine, data), block_size), expected);
    }
}

TYPED_TEST(FbcsrTest, AddsUpDuplicatesThatAreNotNextToEachOther)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto sorted = random_sparse(this->engine, {3, 7, 0, 2, 1500, 9, 0, 0, 4, 80, 81, 2}, 1680);
    for (const int block_size : {1, 2, 3, 4, 6, 12}) {
        for (const auto row : {0, 3, 4, 9, 11}) {
            SCOPED_TRACE("block size " + std::to_string(block_size) + ", row " + std::to_string(row));
            auto data = sorted;
            auto& entries = data.nonzeros;
            const auto begin =
                std::find_if(entries.begin(), entries.end(), [&](auto entry) { return entry.row == row; });
            const auto end = std::find_if(begin, entries.end(), [&](auto entry) { return entry.row != row; });
            entries.insert(end, {row, begin->column, 5.0});
            auto sums = data;
            sums.sum_duplicates();
            const auto expected = TestFixture::Fbcsr::create(this->ref, block_size);
            expected->copy_from(make_csr<V, I>(this->ref, sums));

            EXPECT_MTX_STORED_ALIKE(this->fbcsr(data, block_size), expected);
        }
    }
}

TYPED_TEST(FbcsrTest, ConvertsLongRowsOfWideMatrices)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = random_sparse(this->engine, {1500, 0, 3, 0, 900, 9000, 1, 0, 0, 0, 0, 700}, 600000);
    for (const int block_size : {1, 2, 3, 4, 6}) {
        SCOPED_TRACE(block_size);
        const auto expected = TestFixture::Fbcsr::create(this->ref, block_size);
        expected->copy_from(make_csr<V, I>(this->ref, data));

        EXPECT_MTX_STORED_ALIKE(this->fbcsr(data, block_size), expected);
    }
}

// GPUs divide long block rows into parts of about 4096 entries.
TYPED_TEST(FbcsrTest, ConvertsBlockRowsOfSeveralParts)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    std::vector<size_type> lengths(120, 2);
    lengths[0] = 8700;
    lengths[1] = 4500;
    lengths[5] = 4096;
    lengths[7] = 4097;
    lengths[60] = 8193;
    lengths[119] = 5000;
    const auto data = random_sparse(this->engine, lengths, 9000);
    for (const int block_size : {1, 3, 40, 120}) {
        SCOPED_TRACE(block_size);
        const auto expected = TestFixture::Fbcsr::create(this->ref, block_size);
        expected->copy_from(make_csr<V, I>(this->ref, data));

        EXPECT_MTX_STORED_ALIKE(this->fbcsr(data, block_size), expected);
        EXPECT_MTX_STORED_ALIKE(this->fbcsr(with_unsorted_columns(this->engine, data), block_size), expected);
    }
}

TYPED_TEST(FbcsrTest, MultipliesLikeCsr)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto alpha = this->dense({{V(-1.25)}});
    const auto beta = this->dense({{V(0.75)}});
    this->for_each_case([&](const host_matrix& data, int block_size, size_type longest) {
        const auto a = this->fbcsr(data, block_size);
        const auto ref_a = make_csr<V, I>(this->ref, data);
        for (const size_type num_rhs : {1, 2, 3, 5}) {
            const auto b = this->random_dense(data.size[1], num_rhs, num_rhs + 1);
            const auto x = this->dense_of_nan(data.size[0], num_rhs, num_rhs + 2);
            const auto y = this->random_dense(data.size[0], num_rhs, num_rhs + 3);
            const auto ref_b = clone(this->ref, b);
            const auto ref_x = clone(this->ref, x);
            const auto ref_y = clone(this->ref, y);

            a->apply(b, x);
            a->apply(alpha, b, beta, y);

            ref_a->apply(ref_b, ref_x);
            ref_a->apply(alpha, ref_b, beta, ref_y);
            EXPECT_MTX_NEAR(x, ref_x, this->tolerance_of_sum(longest + 1));
            EXPECT_MTX_NEAR(y, ref_y, this->tolerance_of_sum(longest + 1));
            EXPECT_TRUE(padding_is_intact(*x));
            EXPECT_TRUE(padding_is_intact(*y));
        }
    });
}

// Parts of long block rows are summed on GPUs by several thread blocks. Chunks have few blocks if
// the blocks are large.
TYPED_TEST(FbcsrTest, MultipliesLongBlockRows)
{
    using V = typename TypeParam::value_type;
    const auto alpha = this->dense({{V(-1.25)}});
    const auto beta = this->dense({{V(0.75)}});
    for (const int block_size : {3, 17, 257}) {
        // Long block rows begin and end in chunks of other rows, with other long ones, and alone.
        std::vector<size_type> lengths(60);
        const auto chunk = std::max<size_type>(4096 / (block_size * block_size), 1);
        lengths[3] = 8 * chunk;
        lengths[5] = 1;
        lengths[6] = 5 * chunk + 1;
        lengths[7] = 2 * chunk + 1;
        lengths[8] = 2 * chunk;
        lengths[9] = 1;
        lengths[59] = 7 * chunk + 1;
        auto data = random_sparse(this->engine, lengths, 9 * chunk);
        for (auto& entry : data.nonzeros) {  // one entry of each block
            entry.row = entry.row * block_size + static_cast<int>(this->engine() % block_size);
            entry.column = entry.column * block_size + static_cast<int>(this->engine() % block_size);
        }
        std::sort(data.nonzeros.begin(), data.nonzeros.end(), [](const auto& a, const auto& b) {
            return std::make_pair(a.row, a.column) < std::make_pair(b.row, b.column);
        });
        data.size = dim<2>{data.size[0] * block_size, data.size[1] * block_size};
        const auto a = this->fbcsr(data, block_size);
        const auto ref_a = make_csr<V, typename TypeParam::index_type>(this->ref, data);
        EXPECT_EQ(a->get_max_block_row_length(), 8 * chunk);
        for (const size_type num_rhs : {1, 19}) {
            SCOPED_TRACE("block size " + std::to_string(block_size) + ", " + std::to_string(num_rhs) + " columns");
            const auto b = this->random_dense(data.size[1], num_rhs, num_rhs + 1);
            const auto x = this->dense_of_nan(data.size[0], num_rhs, num_rhs + 2);
            const auto y = this->random_dense(data.size[0], num_rhs, num_rhs);
            const auto repeated = this->dense_of_nan(data.size[0], num_rhs);
            const auto ref_b = clone(this->ref, b);
            const auto ref_x = clone(this->ref, x);
            const auto ref_y = clone(this->ref, y);

            a->apply(b, x);
            a->apply(b, repeated);
            a->apply(alpha, b, beta, y);

            ref_a->apply(ref_b, ref_x);
            ref_a->apply(alpha, ref_b, beta, ref_y);
            EXPECT_MTX_NEAR(x, ref_x, this->tolerance_of_sum(8 * chunk));
            EXPECT_MTX_NEAR(y, ref_y, this->tolerance_of_sum(8 * chunk));
            EXPECT_MTX_NEAR(repeated, x, 0.0);
            EXPECT_TRUE(padding_is_intact(*x));
        }
    }
}

TYPED_TEST(FbcsrTest, OverwritesLongRunsOfEmptyBlockRows)
{
    using V = typename TypeParam::value_type;
    const auto alpha = this->dense({{V(-1.25)}});
    const auto beta = this->dense({{V(0.75)}});
    std::vector<size_type> lengths(5000, 0);
    lengths[100] = 3;
    lengths[101] = 1;
    lengths[4321] = 2;
    for (const int block_size : {1, 2}) {
        const auto data = this->with_blocks(random_sparse(this->engine, lengths, 10), block_size);
        const auto a = this->fbcsr(data, block_size);
        const auto ref_a = make_csr<V, typename TypeParam::index_type>(this->ref, data);
        for (const size_type num_rhs : {1, 2, 3, 8}) {
            for (const size_type padding : {0, 2}) {
                SCOPED_TRACE("block size " + std::to_string(block_size) + ", " + std::to_string(num_rhs) +
                             " columns, padding " + std::to_string(padding));
                const auto b = this->random_dense(data.size[1], num_rhs);
                const auto x = this->dense_of_nan(data.size[0], num_rhs, num_rhs + padding);
                const auto y = this->random_dense(data.size[0], num_rhs, num_rhs + padding);
                const auto ref_b = clone(this->ref, b);
                const auto ref_x = clone(this->ref, x);
                const auto ref_y = clone(this->ref, y);

                a->apply(b, x);
                a->apply(alpha, b, beta, y);

                ref_a->apply(ref_b, ref_x);
                ref_a->apply(alpha, ref_b, beta, ref_y);
                EXPECT_MTX_NEAR(x, ref_x, this->tolerance_of_sum(6));
                EXPECT_MTX_NEAR(y, ref_y, this->tolerance_of_sum(7));
                EXPECT_TRUE(padding_is_intact(*x));
            }
        }
    }
}

TYPED_TEST(FbcsrTest, MultipliesBlocksOfOneEntry)
{
    using V = typename TypeParam::value_type;
    const auto alpha = this->dense({{V(-1.25)}});
    const auto beta = this->dense({{V(0.75)}});
    std::vector<size_type> lengths(300, 2);
    lengths[17] = 5000;
    lengths[299] = 700;
    const auto uneven = random_sparse(this->engine, lengths, 6000);
    const auto even = random_sparse(this->engine, 500, 400, nnz_per_row(7, 7));
    for (const auto& data : {even, uneven}) {
        const auto a = this->fbcsr(data, 1);
        const auto ref_a = make_csr<V, typename TypeParam::index_type>(this->ref, data);
        for (const size_type num_rhs : {1, 2, 4, 17}) {
            SCOPED_TRACE(std::to_string(data.size[1]) + ", " + std::to_string(num_rhs) + " columns");
            const auto b = this->random_dense(data.size[1], num_rhs, num_rhs + 1);
            const auto x = this->random_dense(data.size[0], num_rhs, num_rhs + 3);
            const auto ref_x = clone(this->ref, x);

            a->apply(alpha, b, beta, x);

            ref_a->apply(alpha, clone(this->ref, b), beta, ref_x);
            EXPECT_MTX_NEAR(x, ref_x, this->tolerance_of_sum(5001));
        }
    }
}

TYPED_TEST(FbcsrTest, IgnoresOperandsOfZeroFactors)
{
    const auto a = this->fbcsr(this->host({{1, 2}, {3, 4}}), 2);
    const auto zero = this->dense({{0}});
    const auto one = this->dense({{1}});
    const auto unchanged = this->dense({{1}, {2}});
    const auto overwritten = this->dense_of_nan(2, 1);

    a->apply(zero, this->dense_of_nan(2, 1), one, unchanged);
    a->apply(one, unchanged, zero, overwritten);

    EXPECT_MTX_NEAR(unchanged, this->dense({{1}, {2}}), 0.0);
    EXPECT_MTX_NEAR(overwritten, this->dense({{5}, {11}}), 0.0);
}

TYPED_TEST(FbcsrTest, TakesOtherPrecisionsAndComplexVectors)
{
    using V = typename TypeParam::value_type;
    using other = spruce::next_precision<V>;
    const auto a = this->fbcsr(this->host({{1, 2}, {3, 4}}), 2);
    const auto x = make_dense_of_nan<other>(this->exec, dim<2>{2, 1});
    const auto complex_b =
        make_dense<spruce::to_complex<V>>(this->exec, host_matrix{dim<2>{2, 1}, {{0, 0, {1.0, 2.0}}}});
    const auto complex_x = make_dense_of_nan<spruce::to_complex<V>>(this->exec, dim<2>{2, 1});

    a->apply(this->dense({{1}, {2}}), x);
    a->apply(complex_b, complex_x);

    EXPECT_MTX_NEAR(x, this->dense({{5}, {11}}), 0.0);
    EXPECT_MTX_NEAR(complex_x,
                    (make_dense<spruce::to_complex<V>>(
                        this->exec, host_matrix{dim<2>{2, 1}, {{0, 0, {1.0, 2.0}}, {1, 0, {3.0, 6.0}}}})),
                    0.0);
}

TYPED_TEST(FbcsrTest, TransposesLikeCsr)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    this->for_each_case([&](const host_matrix& data, int block_size, size_type) {
        const auto a = this->fbcsr(data, block_size);
        const auto ref_a = make_csr<V, I>(this->ref, data);

        EXPECT_MTX_STORED_ALIKE(a->transpose(), ref_a->transpose());
        EXPECT_MTX_STORED_ALIKE(a->conj_transpose(), ref_a->conj_transpose());
    });
}

TYPED_TEST(FbcsrTest, HasTheDiagonalAndAbsoluteValuesOfItsEntries)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    this->for_each_case([&](const host_matrix& data, int block_size, size_type) {
        const auto a = this->fbcsr(data, block_size);
        const auto csr = make_csr<V, I>(this->ref, data);
        auto absolute_data = data;
        for (auto& entry : absolute_data.nonzeros) {
            entry.value = spruce::is_complex<V>() ? std::abs(entry.value) : std::abs(entry.value.real());
        }
        const auto absolute = make_csr<V, I>(this->ref, absolute_data);

        EXPECT_MTX_STORED_ALIKE(a->extract_diagonal(), csr->extract_diagonal());
        EXPECT_MTX_NEAR(a->compute_absolute(), absolute, 4 * this->epsilon());
        a->compute_absolute_inplace();
        EXPECT_MTX_NEAR(a, absolute, 4 * this->epsilon());
    });
}

TYPED_TEST(FbcsrTest, SortsItsBlocks)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a =
        TestFixture::Fbcsr::create(this->exec, dim<2>{2, 6}, 2, array<V>{this->exec, {1, 2, 3, 4, 5, 6, 7, 8}},
                                   array<I>{this->exec, {2, 0}}, array<I>{this->exec, {0, 2}});

    EXPECT_FALSE(a->is_sorted_by_column_index());
    a->sort_by_column_index();

    EXPECT_TRUE(a->is_sorted_by_column_index());
    EXPECT_MTX_STORED_ALIKE(a, this->fbcsr(this->host({{5, 7, 0, 0, 1, 3}, {6, 8, 0, 0, 2, 4}}), 2));
}

TYPED_TEST(FbcsrTest, SortsRowsOfEveryLength)
{
    for (const int block_size : {1, 2, 3, 5}) {
        SCOPED_TRACE("block size " + std::to_string(block_size));
        const auto pattern = random_sparse(this->engine, this->lengths, 1030);
        const auto sorted = this->fbcsr(this->with_blocks(pattern, block_size), block_size);
        const auto a = this->with_unsorted_blocks(*sorted);
        ASSERT_FALSE(a->is_sorted_by_column_index());

        a->sort_by_column_index();

        EXPECT_TRUE(a->is_sorted_by_column_index());
        EXPECT_MTX_STORED_ALIKE(a, sorted);
    }
}

TYPED_TEST(FbcsrTest, IsScaledByDiagonalsLikeCsr)
{
    using V = typename TypeParam::value_type;
    this->for_each_square_case([&](const auto* a, const auto* csr) {
        const auto n = a->get_size()[0];
        const auto diagonal = spruce::matrix::Diagonal<V>::create(this->exec, n, this->factors(n));
        const auto check = [&](auto scale) {
            const auto result = a->clone();
            const auto expected = csr->clone();
            const auto in_place = a->clone();
            array<V>::view(this->exec, result->get_num_stored_elements(), result->get_values()).fill(V(7));

            scale(a, result.get());
            scale(in_place.get(), in_place.get());
            scale(csr, expected.get());

            EXPECT_EQ(result->get_num_stored_blocks(), a->get_num_stored_blocks());
            EXPECT_MTX_STORED_ALIKE(result, expected);
            EXPECT_MTX_STORED_ALIKE(in_place, expected);
        };
        check([&](auto from, auto to) { diagonal->apply(from, to); });
        check([&](auto from, auto to) { diagonal->rapply(from, to); });
        check([&](auto from, auto to) { diagonal->inverse_apply(from, to); });
    });
}

TYPED_TEST(FbcsrTest, IsScaledAndPermutedLikeCsr)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using spruce::matrix::permute_mode;
    this->for_each_square_case([&](const auto* a, const auto* csr) {
        const auto n = a->get_size()[0];
        std::vector<I> order(n);
        std::iota(order.begin(), order.end(), I{});
        std::shuffle(order.begin(), order.end(), this->engine);
        const auto scaled = spruce::matrix::ScaledPermutation<V, I>::create(
            this->exec, this->factors(n), array<I>{this->exec, order.begin(), order.end()});
        for (const auto mode :
             {permute_mode::rows, permute_mode::columns, permute_mode::symmetric, permute_mode::inverse_symmetric}) {
            const auto result = a->scale_permute(scaled, mode);

            EXPECT_EQ(result->get_block_size(), a->get_block_size());
            EXPECT_MTX_NEAR(result, csr->scale_permute(scaled, mode), 0.0);
        }
        EXPECT_MTX_NEAR(a->scale_permute(scaled, scaled), csr->scale_permute(scaled, scaled), 0.0);
    });
}

TYPED_TEST(FbcsrTest, ReadsTriplesOfDevices)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using device_data = spruce::device_matrix_data<V, I>;
    const auto csr = this->random_csr(60, 42, nnz_per_row(0, 9));
    spruce::matrix_data<V, I> triples;
    csr->write(triples);
    const auto copied = TestFixture::Fbcsr::create(this->exec, 3);
    const auto moved = TestFixture::Fbcsr::create(this->exec, 3);
    const auto data = device_data::create_from_host(this->exec, triples);

    copied->read(data);
    moved->read(device_data::create_from_host(this->exec, triples));

    EXPECT_EQ(copied->get_block_size(), 3);
    EXPECT_MTX_NEAR(copied, csr, 0.0);
    EXPECT_MTX_STORED_ALIKE(moved, copied);
    EXPECT_EQ(data.get_num_stored_elements(), triples.nonzeros.size());
}

TYPED_TEST(FbcsrTest, ReadsWritesAndComesFromDense)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto dense = this->dense({{1, 0, 0, 0}, {0, 2, 0, 3}});
    const auto read = TestFixture::Fbcsr::create(this->exec, 2);
    const auto converted = TestFixture::Fbcsr::create(this->exec, 2);

    read->read(spruce::matrix_data<V, I>{dim<2>{2, 4}, {{0, 0, V(1)}, {1, 1, V(2)}, {1, 3, V(3)}}});
    dense->convert_to(converted);

    EXPECT_MTX_NEAR(read, dense, 0.0);
    EXPECT_MTX_STORED_ALIKE(converted, read);
    EXPECT_EQ(read->get_num_stored_blocks(), 2u);
}

TYPED_TEST(FbcsrTest, ConvertsToTheirPattern)
{
    const auto pattern =
        spruce::matrix::SparsityCsr<typename TypeParam::value_type, typename TypeParam::index_type>::create(this->exec);

    this->fbcsr(this->host({{0, 0, 5, 0}, {0, 0, 0, 0}}), 2)->convert_to(pattern);

    EXPECT_MTX_STORED_ALIKE(pattern, this->csr({{0, 0, 1, 1}, {0, 0, 1, 1}}));
}

TYPED_TEST(FbcsrTest, CopiesMovesAndChangesPrecision)
{
    using Fbcsr = typename TestFixture::Fbcsr;
    using other =
        spruce::matrix::Fbcsr<spruce::next_precision<typename TypeParam::value_type>, typename TypeParam::index_type>;
    const auto a = this->fbcsr(poisson_2d(6), 3);
    const auto converted = other::create(this->exec);
    const auto back = Fbcsr::create(this->exec);
    const auto moved = Fbcsr::create(this->exec);

    a->convert_to(converted);
    back->copy_from(converted);
    const auto source = a->clone();
    moved->move_from(source);

    EXPECT_EQ(converted->get_block_size(), 3);
    EXPECT_MTX_STORED_ALIKE(back, a);
    EXPECT_MTX_STORED_ALIKE(moved, a);
    EXPECT_MTX_STORED_ALIKE(clone(this->ref, a), a);
    EXPECT_EQ(source->get_size(), dim<2>{});
    EXPECT_EQ(moved->get_max_block_row_length(), a->get_max_block_row_length());
    EXPECT_EQ(source->get_num_stored_blocks(), 0u);
}

TYPED_TEST(FbcsrTest, RefusesSizesThatAreNoMultiples)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Fbcsr = typename TestFixture::Fbcsr;
    using error = spruce::BlockSizeError<I>;
    const auto a = this->fbcsr(poisson_2d(3), 3);

    EXPECT_THROW_WITH(Fbcsr::create(this->exec, dim<2>{4, 6}, 0, 3), error, "block size 3 does not divide the size 4");
    EXPECT_THROW(Fbcsr::create(this->exec, dim<2>{6, 4}, 0, 3), error);
    EXPECT_THROW(Fbcsr::create(this->exec, dim<2>{6, 6}, 8, 3), error);
    EXPECT_THROW(Fbcsr::create(this->exec, 0), error);
    EXPECT_THROW(a->copy_from(this->csr({{1, 2}, {3, 4}})), error);
    EXPECT_THROW(Fbcsr::create(this->exec, dim<2>{2, 2}, 2, array<V>{this->exec, 3}, array<I>{this->exec, {0}},
                               array<I>{this->exec, {0, 1}}),
                 spruce::ValueMismatch);
    EXPECT_THROW(Fbcsr::create(this->exec, dim<2>{2, 2}, 2, array<V>{this->exec, 4}, array<I>{this->exec, {0}},
                               array<I>{this->exec, {0, 1, 1}}),
                 spruce::ValueMismatch);
    EXPECT_MTX_STORED_ALIKE(a, this->fbcsr(poisson_2d(3), 3));
}

TYPED_TEST(FbcsrTest, MayHaveRoomForMoreBlocksThanThereAre)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto create = [&] {
        return TestFixture::Fbcsr::create(this->exec, dim<2>{2, 4}, 2,
                                          array<V>{this->exec, {5, 6, 7, 8, 1, 2, 3, 4, 9, 9, 9, 9}},
                                          array<I>{this->exec, {1, 0, 7}}, array<I>{this->exec, {0, 2}});
    };
    const auto expected = this->dense({{1, 3, 5, 7}, {2, 4, 6, 8}});
    const auto csr = TestFixture::Csr::create(this->exec);
    const auto sorted = create();

    create()->convert_to(csr);
    sorted->sort_by_column_index();

    EXPECT_FALSE(create()->is_sorted_by_column_index());
    EXPECT_TRUE(sorted->is_sorted_by_column_index());
    EXPECT_EQ(sorted->get_num_stored_blocks(), 3u);
    EXPECT_EQ(csr->get_num_stored_elements(), 8u);
    EXPECT_MTX_NEAR(sorted, expected, 0.0);
    EXPECT_MTX_NEAR(csr, expected, 0.0);
    EXPECT_MTX_NEAR(create()->transpose(), expected->transpose(), 0.0);
    EXPECT_MTX_NEAR(create()->extract_diagonal(), this->dense({{1, 0}, {0, 4}}), 0.0);
    EXPECT_MTX_NEAR(create()->compute_absolute(), expected, 0.0);
    EXPECT_MTX_NEAR(this->apply(create(), this->dense({{1}, {1}, {1}, {1}})), this->dense({{16}, {20}}), 0.0);
}

TYPED_TEST(FbcsrTest, ThrowsWhereIndicesCannotCountItsEntries)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    if constexpr (sizeof(I) == 4) {
        // A view claims to be longer than its memory, which is not accessed.
        constexpr int block_size = 46341;
        constexpr auto extent = static_cast<size_type>(block_size);
        V value{};
        const auto a = TestFixture::Fbcsr::create(this->exec, dim<2>{extent, extent}, block_size,
                                                  array<V>::view(this->exec, extent * extent, &value),
                                                  array<I>{this->exec, {0}}, array<I>{this->exec, {0, 1}});
        const auto csr = this->csr({{1, 2}});

        EXPECT_THROW(a->convert_to(csr), spruce::OverflowError);
        EXPECT_THROW(a->convert_to(spruce::matrix::SparsityCsr<V, I>::create(this->exec)), spruce::OverflowError);
        EXPECT_MTX_STORED_ALIKE(csr, this->csr({{1, 2}}));
    }
}

}  // namespace
