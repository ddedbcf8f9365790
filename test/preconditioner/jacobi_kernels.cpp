// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/preconditioner/jacobi_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;
using spruce::preconditioner::detail::inversion_flags;

namespace jacobi = spruce::kernels::jacobi;

template <typename Types>
class JacobiKernels : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using blocks_type = spruce::preconditioner::detail::block_diagonal<V, I>;
    using sizes = std::vector<size_type>;

    static std::vector<I> find_blocks(const Csr& a, size_type max_block_size)
    {
        array<I> block_ptrs{a.get_executor()};
        jacobi::find_blocks<V, I>(*a.get_executor(), a, max_block_size, block_ptrs);
        return block_ptrs.copy_to_host();
    }

    /// Creates blocks of these sizes without values.
    static std::unique_ptr<blocks_type> make_blocks(const std::shared_ptr<spruce::Executor>& exec, const sizes& sizes)
    {
        std::vector<I> ptrs{0};
        for (const auto size : sizes) {
            ptrs.push_back(ptrs.back() + static_cast<I>(size));
        }
        auto blocks = std::make_unique<blocks_type>(exec);
        blocks->num_rows = static_cast<size_type>(ptrs.back());
        blocks->max_block_size = sizes.empty() ? 1 : *std::max_element(sizes.begin(), sizes.end());
        blocks->block_ptrs = array<I>{exec, ptrs.begin(), ptrs.end()};
        jacobi::divide_into_slices<V, I>(*exec, *blocks);
        return blocks;
    }

    /// Creates a matrix with random entries in blocks and outside of them. Rows of a block are
    /// multiples of unit vectors in another order, which needs pivots, plus small entries.
    host_matrix random_matrix(const sizes& sizes)
    {
        const auto num_rows = std::accumulate(sizes.begin(), sizes.end(), size_type{});
        auto data = random_sparse(this->engine, num_rows, num_rows,
                                  nnz_per_row(std::min<size_type>(num_rows, 2), std::min<size_type>(num_rows, 5)));
        size_type begin = 0;
        for (const auto size : sizes) {
            const auto block = random_full(this->engine, size, size);
            for (const auto& entry : block.nonzeros) {
                const auto is_large = static_cast<size_type>(entry.row + entry.column) % size == size / 2;
                data.nonzeros.emplace_back(begin + entry.row, begin + entry.column,
                                           entry.value / static_cast<double>(size) + (is_large ? 2.0 : 0.0));
            }
            begin += size;
        }
        data.nonzeros.erase(std::remove_if(data.nonzeros.begin(), data.nonzeros.end(),
                                           [](const auto& entry) { return entry.value == 0.0; }),
                            data.nonzeros.end());
        data.sort_row_major();
        return data;
    }

    std::vector<sizes> cases()
    {
        std::vector<sizes> result{{}, {1}, {32}, {31, 1}, {31, 2}, {32, 32, 1}, {16, 16, 31, 1, 5}, {3, 32, 1, 2}};
        for (const size_type size : {1, 2, 3, 8, 16, 31, 32}) {
            result.emplace_back(70 / size + 3, size);
        }
        sizes random;
        for (int i = 0; i < 40; ++i) {
            random.push_back(1 + this->engine() % 32);
        }
        result.push_back(random);
        return result;
    }

    static std::vector<V> values_of(const blocks_type& blocks) { return blocks.values.copy_to_host(); }

    void expect_near(const blocks_type& blocks, const blocks_type& expected, double tolerance)
    {
        const auto values = values_of(blocks);
        const auto expected_values = values_of(expected);
        ASSERT_EQ(values.size(), expected_values.size());
        for (size_type i = 0; i < values.size(); ++i) {
            ASSERT_LE(std::abs(values[i] - expected_values[i]),
                      tolerance * std::max<double>(1.0, std::abs(expected_values[i])))
                << "value " << i << ": " << values[i] << ", expected " << expected_values[i];
        }
    }
};
TYPED_TEST_SUITE(JacobiKernels, value_and_index_types, type_names);

TYPED_TEST(JacobiKernels, FindBlocksByHand)
{
    using I = typename TestFixture::I;
    const auto a = this->csr({{1, 1, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 0, 1, 0, 0}, {0, 0, 0, 1, 1}, {0, 0, 0, 1, 1}});

    EXPECT_EQ(this->find_blocks(*a, 1), (std::vector<I>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(this->find_blocks(*a, 2), (std::vector<I>{0, 2, 3, 5}));
    EXPECT_EQ(this->find_blocks(*a, 3), (std::vector<I>{0, 3, 5}));
    EXPECT_EQ(this->find_blocks(*a, 4), (std::vector<I>{0, 3, 5}));
    EXPECT_EQ(this->find_blocks(*a, 5), (std::vector<I>{0, 5}));
}

TYPED_TEST(JacobiKernels, FindBlocksLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (const size_type num_rows : {0, 1, 31, 32, 33, 300, 5000}) {
        // Supervariables of 0 to 5 rows, and some that are longer than a block.
        host_matrix data{spruce::dim<2>{num_rows, num_rows}};
        for (size_type row = 0; row < num_rows;) {
            const auto length = this->engine() % 50 == 0 ? 70 : this->engine() % 6;
            const auto col = row / 2;
            for (const auto end = std::min<size_type>(row + length, num_rows); row < end; ++row) {
                data.nonzeros.emplace_back(row, col, 1.0);
                data.nonzeros.emplace_back(row, num_rows - 1, 1.0);
            }
            row += this->engine() % 20 == 0 ? 3 : 0;  // empty rows
        }
        const auto a = make_csr<V, I>(this->exec, data);
        const auto host_a = make_csr<V, I>(this->ref, data);
        for (const size_type max_block_size : {1, 2, 3, 8, 31, 32}) {
            SCOPED_TRACE(testing::Message() << num_rows << " rows, blocks of " << max_block_size);
            const auto ptrs = this->find_blocks(*a, max_block_size);

            EXPECT_EQ(ptrs, this->find_blocks(*host_a, max_block_size));
            EXPECT_EQ(ptrs.front(), 0);
            EXPECT_EQ(static_cast<size_type>(ptrs.back()), num_rows);
        }
    }
}

TYPED_TEST(JacobiKernels, DivideIntoSlicesLikeReference)
{
    for (const auto& sizes : this->cases()) {
        const auto blocks = this->make_blocks(this->exec, sizes);
        const auto expected = this->make_blocks(this->ref, sizes);

        EXPECT_EQ(blocks->slice_ptrs.copy_to_host(), expected->slice_ptrs.copy_to_host());
        EXPECT_EQ(blocks->values.get_size(), expected->values.get_size());
        const auto rows = blocks->rows.copy_to_host();
        const auto expected_rows = expected->rows.copy_to_host();
        for (size_type row = 0; row < expected->num_rows; ++row) {
            EXPECT_EQ(rows[row].position, expected_rows[row].position);
            EXPECT_EQ(rows[row].block_size, expected_rows[row].block_size);
        }
    }
}

TYPED_TEST(JacobiKernels, ComputeInversesLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (const auto& sizes : this->cases()) {
        SCOPED_TRACE(testing::Message() << sizes.size() << " blocks, first " << (sizes.empty() ? 0 : sizes[0]));
        const auto data = this->random_matrix(sizes);
        const auto a = make_csr<V, I>(this->exec, data);
        const auto blocks = this->make_blocks(this->exec, sizes);
        const auto expected = this->make_blocks(this->ref, sizes);
        inversion_flags flags{};
        inversion_flags expected_flags{};
        blocks->values.fill(spruce::nan<V>());

        jacobi::extract<V, I>(*this->exec, *a, *blocks);
        jacobi::extract<V, I>(*this->ref, *clone(this->ref, a), *expected);
        this->expect_near(*blocks, *expected, 0.0);

        jacobi::invert<V, I>(*this->exec, *blocks, false, flags);
        jacobi::invert<V, I>(*this->ref, *expected, false, expected_flags);
        this->expect_near(*blocks, *expected, 1000 * this->epsilon());
        EXPECT_TRUE(flags.all_finite);
        EXPECT_TRUE(expected_flags.all_finite);

        auto transposed = typename TestFixture::blocks_type{this->exec, *blocks};
        auto expected_transposed = typename TestFixture::blocks_type{this->ref, *blocks};
        for (const auto conjugate : {false, true}) {
            jacobi::transpose<V, I>(*this->exec, *blocks, conjugate, transposed);
            jacobi::transpose<V, I>(*this->ref, typename TestFixture::blocks_type{this->ref, *blocks}, conjugate,
                                    expected_transposed);
            this->expect_near(transposed, expected_transposed, 0.0);
        }
    }
}

TYPED_TEST(JacobiKernels, InvertHermitianBlocksLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (const auto& sizes : this->cases()) {
        for (const auto first_entry : {0.0, 40.0, -40.0}) {  // blocks are indefinite unless it is positive
            SCOPED_TRACE(testing::Message() << sizes.size() << " blocks, first " << (sizes.empty() ? 0 : sizes[0])
                                            << ", first entry " << first_entry);
            const auto num_rows = std::accumulate(sizes.begin(), sizes.end(), size_type{});
            auto data = random_full(this->engine, num_rows, num_rows);
            for (auto& entry : data.nonzeros) {  // Hermitian, except in rows 40 to 50
                const auto& other = data.nonzeros[entry.column * num_rows + entry.row].value;
                if (entry.row > entry.column && (entry.row < 40 || entry.row > 50)) {
                    entry.value = std::conj(other);
                } else if (entry.row == entry.column) {
                    entry.value = 40.0;
                }
            }
            const auto expected = this->make_blocks(this->ref, sizes);
            jacobi::extract<V, I>(*this->ref, *make_csr<V, I>(this->ref, data), *expected);
            for (size_type block = 0; block < sizes.size(); block += 2) {
                const auto row = static_cast<size_type>(expected->block_ptrs.get_const_data()[block]);
                if (sizes[block] > 1) {
                    expected->values.get_data()[expected->get_scheme().get_offset(row, 0)] = V(first_entry);
                }
            }
            typename TestFixture::blocks_type blocks{this->exec, *expected};
            typename TestFixture::blocks_type full{this->exec, *expected};
            typename TestFixture::blocks_type expected_full{this->ref, *expected};
            inversion_flags flags{};
            inversion_flags expected_flags{};

            jacobi::invert<V, I>(*this->exec, blocks, true, flags);
            jacobi::invert<V, I>(*this->ref, *expected, true, expected_flags);
            EXPECT_TRUE(flags.all_finite);
            EXPECT_TRUE(expected_flags.all_finite);
            const auto rows = blocks.rows.copy_to_host();
            for (size_type row = 0; row < num_rows; ++row) {
                const int is_halved = expected->rows.get_const_data()[row].is_halved;
                EXPECT_EQ(int{rows[row].is_halved}, is_halved) << "row " << row;
            }
            typename TestFixture::blocks_type expanded{this->exec, blocks};
            typename TestFixture::blocks_type expected_expanded{this->ref, *expected};
            jacobi::expand<V, I>(*this->exec, blocks, expanded);
            jacobi::expand<V, I>(*this->ref, *expected, expected_expanded);
            // Values that halved blocks do not store are not defined, but expand() replaces them.
            this->expect_near(expanded, expected_expanded, 1000 * this->epsilon());

            jacobi::invert<V, I>(*this->exec, full, false, flags);
            jacobi::invert<V, I>(*this->ref, expected_full, false, expected_flags);
            this->expect_near(full, expected_full, 1000 * this->epsilon());
        }
    }
}

TYPED_TEST(JacobiKernels, ApplyLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    size_type num_rhs = 0;
    for (const auto& sizes : this->cases()) {
        num_rhs = num_rhs % 9 + 1;
        const auto data = this->random_matrix(sizes);
        const auto num_rows = data.size[0];
        SCOPED_TRACE(testing::Message() << sizes.size() << " blocks, " << num_rhs << " right-hand sides");
        const auto expected_blocks = this->make_blocks(this->ref, sizes);
        jacobi::extract<V, I>(*this->ref, *make_csr<V, I>(this->ref, data), *expected_blocks);
        const typename TestFixture::blocks_type blocks{this->exec, *expected_blocks};
        for (const auto k : {size_type{1}, num_rhs}) {
            const auto b = this->random_dense(num_rows, k, k + 2);
            const auto x = this->dense_of_nan(num_rows, k, k + 1);
            const auto expected = make_dense_of_nan<V>(this->ref, {num_rows, k}, k);

            jacobi::apply<V, I>(*this->exec, blocks, *b, *x);
            jacobi::apply<V, I>(*this->ref, *expected_blocks, *clone(this->ref, b), *expected);
            EXPECT_MTX_NEAR(x, expected, 4 * this->tolerance_of_sum(32));
            EXPECT_TRUE(padding_is_intact(*x));

            const auto alpha = this->dense({{-2}});
            const auto beta = this->dense({{3}});
            jacobi::advanced_apply<V, I>(*this->exec, *alpha, blocks, *b, *beta, *x);
            jacobi::advanced_apply<V, I>(*this->ref, *clone(this->ref, alpha), *expected_blocks, *clone(this->ref, b),
                                         *clone(this->ref, beta), *expected);
            EXPECT_MTX_NEAR(x, expected, 32 * this->tolerance_of_sum(32));
            EXPECT_TRUE(padding_is_intact(*x));
        }
    }
}

TYPED_TEST(JacobiKernels, ApplyManySlicesLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using spruce::precision_reduction;
    // More slices than a device multiplies at once, with blocks inside of slices and across them.
    typename TestFixture::sizes sizes(1200, 8);
    sizes.insert(sizes.end(), 200, 32);
    sizes.insert(sizes.end(), 100, 31);
    sizes.insert(sizes.end(), 20, 5);
    const auto full = this->make_blocks(this->ref, sizes);
    const auto scheme = full->get_scheme();
    size_type begin = 0;
    for (const auto size : sizes) {  // every second block of the first ones is not symmetric
        for (size_type i = 0; i < size; ++i) {
            for (size_type j = 0; j < size; ++j) {
                const auto is_lower = i > j && begin % 16 == 0;
                full->values.get_data()[scheme.get_offset(begin + i, j)] =
                    V(is_lower ? 0.5 : 1.0 / static_cast<double>(1 + i + j + begin % 7));
            }
        }
        begin += size;
    }
    typename TestFixture::blocks_type halved{this->ref, *full};
    jacobi::find_hermitian<V, I>(*this->ref, halved);
    jacobi::halve<V, I>(*this->ref, halved);
    typename TestFixture::blocks_type reduced{this->ref, *full};
    std::vector<precision_reduction> formats;
    for (size_type slice = 0; slice < full->get_num_slices(); ++slice) {
        formats.push_back(precision_reduction(0, static_cast<spruce::uint8>(slice / 3 % 2)));
    }
    reduced.formats = array<precision_reduction>{this->ref, formats.begin(), formats.end()};
    jacobi::reduce_storage<V, I>(*this->ref, reduced);
    const typename TestFixture::blocks_type* all[]{full.get(), &halved, &reduced};
    for (const auto blocks : all) {
        for (const size_type num_rhs : {1, 6}) {
            SCOPED_TRACE(testing::Message() << num_rhs << " right-hand sides");
            const auto b = this->random_dense(begin, num_rhs, num_rhs + 1);
            const auto x = this->dense_of_nan(begin, num_rhs, num_rhs + 2);
            const auto expected = make_dense_of_nan<V>(this->ref, {begin, num_rhs});

            jacobi::apply<V, I>(*this->exec, typename TestFixture::blocks_type{this->exec, *blocks}, *b, *x);
            jacobi::apply<V, I>(*this->ref, *blocks, *clone(this->ref, b), *expected);

            EXPECT_MTX_NEAR(x, expected, 4 * this->tolerance_of_sum(32));
            EXPECT_TRUE(padding_is_intact(*x));
        }
    }
}

TYPED_TEST(JacobiKernels, StoreReducedBlocksLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using spruce::precision_reduction;
    for (const auto& sizes : this->cases()) {
        const auto data = this->random_matrix(sizes);
        const auto num_rows = data.size[0];
        const auto expected_blocks = this->make_blocks(this->ref, sizes);
        jacobi::extract<V, I>(*this->ref, *make_csr<V, I>(this->ref, data), *expected_blocks);
        std::vector<precision_reduction> formats;
        const precision_reduction all[]{{0, 0}, {0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 1}};
        for (size_type slice = 0; slice < expected_blocks->get_num_slices(); ++slice) {
            formats.push_back(all[(slice + sizes.size()) % (sizeof(spruce::remove_complex<V>) == 8 ? 6 : 3)]);
        }
        expected_blocks->formats = array<precision_reduction>{this->ref, formats.begin(), formats.end()};
        typename TestFixture::blocks_type blocks{this->exec, *expected_blocks};

        jacobi::reduce_storage<V, I>(*this->exec, blocks);
        jacobi::reduce_storage<V, I>(*this->ref, *expected_blocks);

        for (const size_type num_rhs : {1, 6}) {
            const auto b = this->random_dense(num_rows, num_rhs, num_rhs + 1);
            const auto x = this->dense_of_nan(num_rows, num_rhs, num_rhs + 2);
            const auto expected = make_dense_of_nan<V>(this->ref, {num_rows, num_rhs});
            jacobi::apply<V, I>(*this->exec, blocks, *b, *x);
            jacobi::apply<V, I>(*this->ref, *expected_blocks, *clone(this->ref, b), *expected);
            EXPECT_MTX_NEAR(x, expected, 4 * this->tolerance_of_sum(32));
            EXPECT_TRUE(padding_is_intact(*x));
        }

        jacobi::restore_storage<V, I>(*this->exec, blocks);
        jacobi::restore_storage<V, I>(*this->ref, *expected_blocks);
        this->expect_near(blocks, *expected_blocks, 0.0);
    }
}

TYPED_TEST(JacobiKernels, HalveHermitianBlocksLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (const auto& sizes : this->cases()) {
        SCOPED_TRACE(testing::Message() << sizes.size() << " blocks, first " << (sizes.empty() ? 0 : sizes[0]));
        const auto num_rows = std::accumulate(sizes.begin(), sizes.end(), size_type{});
        auto data = random_full(this->engine, num_rows, num_rows);
        for (auto& entry : data.nonzeros) {  // Hermitian, except in rows 40 to 50
            const auto& other = data.nonzeros[entry.column * num_rows + entry.row].value;
            if (entry.row > entry.column && (entry.row < 40 || entry.row > 50)) {
                entry.value = std::conj(other);
            } else if (entry.row == entry.column) {
                entry.value = entry.value.real();
            }
        }
        const auto expected_blocks = this->make_blocks(this->ref, sizes);
        jacobi::extract<V, I>(*this->ref, *make_csr<V, I>(this->ref, data), *expected_blocks);
        typename TestFixture::blocks_type blocks{this->exec, *expected_blocks};
        const typename TestFixture::blocks_type full{this->ref, *expected_blocks};

        jacobi::find_hermitian<V, I>(*this->exec, blocks);
        jacobi::find_hermitian<V, I>(*this->ref, *expected_blocks);
        const auto rows = blocks.rows.copy_to_host();
        for (size_type row = 0; row < num_rows; ++row) {
            const int is_halved = expected_blocks->rows.get_const_data()[row].is_halved;
            EXPECT_EQ(int{rows[row].is_halved}, is_halved) << "row " << row;
        }
        jacobi::halve<V, I>(*this->exec, blocks);
        jacobi::halve<V, I>(*this->ref, *expected_blocks);
        this->expect_near(blocks, *expected_blocks, 0.0);

        for (const size_type num_rhs : {1, 6}) {
            const auto b = this->random_dense(num_rows, num_rhs, num_rhs + 1);
            const auto x = this->dense_of_nan(num_rows, num_rhs, num_rhs + 2);
            const auto expected = make_dense_of_nan<V>(this->ref, {num_rows, num_rhs});
            jacobi::apply<V, I>(*this->exec, blocks, *b, *x);
            jacobi::apply<V, I>(*this->ref, full, *clone(this->ref, b), *expected);
            EXPECT_MTX_NEAR(x, expected, 4 * this->tolerance_of_sum(32));
            EXPECT_TRUE(padding_is_intact(*x));
            jacobi::apply<V, I>(*this->ref, *expected_blocks, *clone(this->ref, b), *expected);
            EXPECT_MTX_NEAR(x, expected, 4 * this->tolerance_of_sum(32));
        }

        typename TestFixture::blocks_type expanded{this->exec, blocks};
        typename TestFixture::blocks_type expected_expanded{this->ref, *expected_blocks};
        jacobi::expand<V, I>(*this->exec, blocks, expanded);
        jacobi::expand<V, I>(*this->ref, *expected_blocks, expected_expanded);
        this->expect_near(expanded, full, 0.0);
        this->expect_near(expected_expanded, full, 0.0);
    }
}

TYPED_TEST(JacobiKernels, ChooseFormatsLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using real = spruce::remove_complex<V>;
    using spruce::precision_reduction;
    for (const auto& sizes : this->cases()) {
        const auto num_rows = std::accumulate(sizes.begin(), sizes.end(), size_type{});
        const auto expected_blocks = this->make_blocks(this->ref, sizes);
        jacobi::extract<V, I>(*this->ref, *make_csr<V, I>(this->ref, this->random_matrix(sizes)), *expected_blocks);
        expected_blocks->formats.resize_and_reset(expected_blocks->get_num_slices());
        expected_blocks->block_formats.resize_and_reset(sizes.size());
        expected_blocks->row_formats.resize_and_reset(num_rows);
        expected_blocks->conditioning.resize_and_reset(sizes.size());
        expected_blocks->norms.resize_and_reset(3 * num_rows);
        std::vector<precision_reduction> requests{precision_reduction::autodetect()};
        if (sizes.size() % 2 == 0) {
            const precision_reduction all[]{precision_reduction::autodetect(), {0, 1}, {1, 0}, {0, 2}, {5, 1}, {0, 9}};
            requests.clear();
            for (size_type block = 0; block < sizes.size(); ++block) {
                requests.push_back(all[(block / 7) % 6]);
            }
        }
        expected_blocks->requested = array<precision_reduction>{this->ref, requests.begin(), requests.end()};
        typename TestFixture::blocks_type blocks{this->exec, *expected_blocks};

        jacobi::compute_norms<V, I>(*this->exec, blocks, 0, false);
        jacobi::compute_norms<V, I>(*this->exec, blocks, num_rows, true);
        jacobi::compute_norms<V, I>(*this->ref, *expected_blocks, 0, false);
        jacobi::compute_norms<V, I>(*this->ref, *expected_blocks, num_rows, true);
        const auto norms = blocks.norms.copy_to_host();
        for (size_type i = 0; i < 3 * num_rows; ++i) {
            ASSERT_NEAR(norms[i], expected_blocks->norms.get_const_data()[i], 40 * 32 * this->epsilon());
        }

        // Magnitudes for which formats are out of range, and conditions of all sizes.
        for (size_type row = 0; row < num_rows; ++row) {
            const auto exponent = static_cast<int>(row / 32 * 7) % 90;
            expected_blocks->norms.get_data()[row] *= static_cast<real>(std::ldexp(1.0, exponent / 3));
            expected_blocks->norms.get_data()[2 * num_rows + row] *= static_cast<real>(std::ldexp(1.0, exponent - 45));
        }
        blocks.norms = expected_blocks->norms;
        jacobi::choose_formats<V, I>(*this->exec, blocks, real(0.1));
        jacobi::choose_formats<V, I>(*this->ref, *expected_blocks, real(0.1));
        EXPECT_TRUE(blocks.formats.copy_to_host() == expected_blocks->formats.copy_to_host());
        EXPECT_TRUE(blocks.block_formats.copy_to_host() == expected_blocks->block_formats.copy_to_host());
        EXPECT_EQ(blocks.conditioning.copy_to_host(), expected_blocks->conditioning.copy_to_host());
    }
}

TYPED_TEST(JacobiKernels, FillDenseAndOffBlockLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (const auto& sizes : this->cases()) {
        const auto data = this->random_matrix(sizes);
        const auto num_rows = data.size[0];
        const auto host_a = make_csr<V, I>(this->ref, data);
        const auto a = clone(this->exec, host_a);
        const auto nnz = a->get_num_stored_elements();
        const auto expected_blocks = this->make_blocks(this->ref, sizes);
        jacobi::extract<V, I>(*this->ref, *host_a, *expected_blocks);
        typename TestFixture::blocks_type blocks{this->exec, *expected_blocks};
        array<V> off_block{this->exec, nnz};
        array<V> expected_off_block{this->ref, nnz};
        const auto d = this->random_dense(num_rows, 1);
        const auto result = this->dense_of_nan(num_rows, num_rows);
        const auto expected = make_dense_of_nan<V>(this->ref, {num_rows, num_rows});

        jacobi::absolute_off_block<V, I>(*this->exec, *a, blocks, off_block.get_data());
        jacobi::absolute_off_block<V, I>(*this->ref, *host_a, *expected_blocks, expected_off_block.get_data());
        const auto values = off_block.copy_to_host();
        for (size_type nz = 0; nz < nnz; ++nz) {
            ASSERT_LE(std::abs(values[nz] - expected_off_block.get_const_data()[nz]), 8 * this->epsilon());
        }

        jacobi::add_to_diagonal<V, I>(*this->exec, *d, blocks);
        jacobi::add_to_diagonal<V, I>(*this->ref, *clone(this->ref, d), *expected_blocks);
        this->expect_near(blocks, *expected_blocks, 4 * this->epsilon());

        jacobi::fill_dense<V, I>(*this->exec, blocks, *result);
        jacobi::fill_dense<V, I>(*this->ref, *expected_blocks, *expected);
        EXPECT_MTX_NEAR(result, expected, 4 * this->epsilon());
    }
}

TYPED_TEST(JacobiKernels, HashRowsLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (const size_type max_length : {0, 3, 40, 300}) {
        auto data = random_sparse(this->engine, 300, 300, nnz_per_row(0, max_length));
        for (I col = 0; col < 300; ++col) {  // two long rows
            data.nonzeros.emplace_back(I{7}, col, 1.0);
            data.nonzeros.emplace_back(I{299}, col, 1.0);
        }
        data.sort_row_major();
        const auto a = make_csr<V, I>(this->exec, data);
        typename TestFixture::blocks_type blocks{this->exec};
        blocks.num_rows = 300;
        blocks.row_hashes.resize_and_reset(300);
        blocks.row_hashes.fill(-1);
        array<spruce::int64> expected{this->ref, 300};
        auto is_equal = true;

        jacobi::has_row_hashes<V, I>(*this->exec, *a, blocks, is_equal);
        EXPECT_FALSE(is_equal);

        jacobi::hash_rows<V, I>(*this->exec, *a, blocks.row_hashes.get_data());
        jacobi::hash_rows<V, I>(*this->ref, *clone(this->ref, a), expected.get_data());
        EXPECT_EQ(blocks.row_hashes.copy_to_host(), expected.copy_to_host());
        jacobi::has_row_hashes<V, I>(*this->exec, *a, blocks, is_equal);
        EXPECT_TRUE(is_equal);

        for (const auto row : {0, 7, 299}) {
            auto other = expected;
            ++other.get_data()[row];
            blocks.row_hashes = other;
            jacobi::has_row_hashes<V, I>(*this->exec, *a, blocks, is_equal);
            EXPECT_FALSE(is_equal) << "row " << row;
        }
    }
}

TYPED_TEST(JacobiKernels, ReportInversesThatAreNotFinite)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using real = spruce::remove_complex<V>;
    for (const size_type size : {1, 2, 5, 8, 31, 32}) {
        for (const auto value :
             {real{0}, std::numeric_limits<real>::quiet_NaN(), std::numeric_limits<real>::infinity()}) {
            SCOPED_TRACE(testing::Message() << size << " rows, " << value);
            const typename TestFixture::sizes sizes(5, size);
            const auto expected = this->make_blocks(this->ref, sizes);
            jacobi::extract<V, I>(*this->ref, *make_csr<V, I>(this->ref, this->random_matrix(sizes)), *expected);
            const auto scheme = expected->get_scheme();
            const auto first_row = 3 * size;
            for (size_type j = 0; j < size; ++j) {
                auto& entry = expected->values.get_data()[scheme.get_offset(first_row + size / 2, j)];
                entry = value == 0 || j == size / 3 ? V{value} : entry;  // a row of zeros, or a single entry
            }
            typename TestFixture::blocks_type blocks{this->exec, *expected};
            inversion_flags flags{true, true};
            inversion_flags expected_flags{true, true};

            jacobi::invert<V, I>(*this->exec, blocks, false, flags);
            jacobi::invert<V, I>(*this->ref, *expected, false, expected_flags);

            EXPECT_FALSE(flags.all_finite);
            EXPECT_FALSE(expected_flags.all_finite);
            EXPECT_FALSE(flags.has_replaced_zeros);
            EXPECT_FALSE(expected_flags.has_replaced_zeros);
            const auto values = this->values_of(blocks);
            for (size_type block = 0; block < 5; ++block) {
                auto is_finite = true;
                for (size_type i = 0; i < size * size; ++i) {
                    is_finite =
                        is_finite && spruce::is_finite(values[scheme.get_offset(block * size + i / size, i % size)]);
                }
                EXPECT_EQ(is_finite, block != 3);
            }
        }
    }
}

TYPED_TEST(JacobiKernels, InvertScalarsLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto a = this->csr({{2, 1, 0}, {1, 0, 1}, {0, 1, -4}});
    typename TestFixture::blocks_type blocks{this->exec};
    blocks.num_rows = 3;
    blocks.max_block_size = 1;
    blocks.is_scalar = true;
    blocks.values.resize_and_reset(3);
    inversion_flags flags{};

    jacobi::extract<V, I>(*this->exec, *a, blocks);
    jacobi::invert<V, I>(*this->exec, blocks, false, flags);

    EXPECT_TRUE(flags.all_finite);
    EXPECT_TRUE(flags.has_replaced_zeros);
    EXPECT_EQ(this->values_of(blocks), (std::vector<V>{V(0.5), V(1), V(-0.25)}));
    jacobi::invert<V, I>(*this->exec, blocks, false, flags);
    EXPECT_TRUE(flags.all_finite);
    EXPECT_FALSE(flags.has_replaced_zeros);
    EXPECT_EQ(this->values_of(blocks), (std::vector<V>{V(2), V(1), V(-4)}));
}

}  // namespace
