// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the common properties of all sparse formats: conversions between all pairs, products and
// scaling.

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "test/utils/formats.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::LinOp;
using spruce::size_type;

template <typename Types>
class AllFormats : public formats_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;

    /// Returns cases with sorted columns, which some formats require.
    std::vector<sparse_case> sorted_cases()
    {
        auto result = sparse_cases(this->engine);
        for (auto& one : result) {
            one.data.sort_row_major();
        }
        return result;
    }

    /// Returns the number of bytes copied between executors during the call.
    template <typename Function>
    size_type copied_between_executors(Function function) const
    {
        const auto meter = std::make_shared<copy_meter>();
        this->exec->add_logger(meter);
        function();
        this->exec->remove_logger(meter);
        return meter->get_num_bytes();
    }
    /// Bound for copies of numbers of elements. All of them together are smaller than any part of a
    /// matrix.
    static constexpr size_type few_bytes = 32 * sizeof(size_type);
};
TYPED_TEST_SUITE(AllFormats, value_and_index_types, type_names);

TYPED_TEST(AllFormats, ConvertToEachOtherAndBackExactly)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    for (const auto& one : this->sorted_cases()) {
        SCOPED_TRACE(one.name);
        this->expect_round_trips(make_csr<V, I>(this->exec, one.data).get(), this->formats_and_dense());
    }
}

TYPED_TEST(AllFormats, ConvertToPatternsAndBackExactlyWhereAllValuesAreOne)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto data = this->with_ones(random_sparse(this->engine, 70, 45, nnz_per_row(0, 40)));

    this->expect_round_trips(make_csr<V, I>(this->exec, data).get(), this->all_formats());
}

TYPED_TEST(AllFormats, ConvertAcrossExecutors)
{
    const auto csr = this->random_csr(60, 50, nnz_per_row(0, 20));
    const auto ref_csr = clone(this->ref, csr);
    for (const auto& first : this->formats_and_dense()) {
        for (const auto& second : this->formats_and_dense()) {
            SCOPED_TRACE(first.name + " -> " + second.name);
            const auto there = second.create(this->exec);
            const auto back = first.create(this->ref);

            there->copy_from(first.convert(ref_csr.get()));
            back->copy_from(there);

            EXPECT_EQ(there->get_executor(), this->exec);
            EXPECT_MTX_NEAR(back, csr, 0.0);
        }
    }
}

TYPED_TEST(AllFormats, ConvertWithoutADetourThroughTheHost)
{
    const auto csr = this->random_csr(300, 200, nnz_per_row(0, 12));
    ASSERT_GT(this->copied_between_executors([&] { clone(this->ref, csr); }), this->few_bytes);

    for (const auto& first : this->all_formats()) {
        const auto a = first.convert(csr.get());
        for (const auto& second : this->all_formats()) {
            SCOPED_TRACE(first.name + " -> " + second.name);
            const auto b = second.create(this->exec);

            EXPECT_LE(this->copied_between_executors([&] { b->copy_from(a); }), this->few_bytes);
        }
    }
}

TYPED_TEST(AllFormats, ChangeWithoutADetourThroughTheHost)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Permutable = spruce::Permutable<I>;
    const auto csr = make_csr<V, I>(
        this->exec, with_unsorted_columns(this->engine, random_sparse(this->engine, 300, 300, nnz_per_row(0, 12))));
    const auto order = this->random_order(300);
    for (const auto& format : this->all_formats()) {
        const auto a = format.convert(csr.get());
        const auto check = [&](const char* what, auto change) {
            SCOPED_TRACE(format.name + ", " + what);
            EXPECT_LE(this->copied_between_executors([&] { change(a.get()); }), this->few_bytes);
        };
        const auto check_permutation = [&](const char* what, auto permute) {
            check(what, [&](auto a) { (spruce::as<const Permutable>(a)->*permute)(&order); });
        };
        using permute = std::unique_ptr<LinOp> (Permutable::*)(const array<I>*) const;
        check("transposed", [](auto a) { spruce::as<spruce::Transposable>(a)->transpose(); });
        check("conjugated", [](auto a) { spruce::as<spruce::Transposable>(a)->conj_transpose(); });
        check_permutation("permuted", permute{&Permutable::permute});
        check_permutation("permuted by the inverse", permute{&Permutable::inverse_permute});
        check_permutation("rows permuted", permute{&Permutable::row_permute});
        check_permutation("columns permuted", permute{&Permutable::column_permute});
        check_permutation("rows permuted by the inverse", permute{&Permutable::inverse_row_permute});
        check_permutation("columns permuted by the inverse", permute{&Permutable::inverse_column_permute});
        check("diagonal", [](auto a) { spruce::as<spruce::DiagonalExtractable<V>>(a)->extract_diagonal(); });
        check("absolute", [](auto a) { spruce::as<spruce::AbsoluteComputable>(a)->compute_absolute_linop(); });
        if (format.sort) {
            check("sorted", format.sort);
        }
    }
}

TYPED_TEST(AllFormats, MultiplyAlike)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto alpha = this->dense({{V(-1.25)}});
    const auto beta = this->dense({{V(0.75)}});
    for (const auto& one : this->sorted_cases()) {
        const auto csr = make_csr<V, I>(this->exec, one.data);
        const auto ref_csr = clone(this->ref, csr);
        for (const size_type num_rhs : {1, 3}) {
            const auto b = this->random_dense(one.data.size[1], num_rhs, num_rhs + 1);
            const auto y = this->random_dense(one.data.size[0], num_rhs, num_rhs + 2);
            const auto ref_x = this->apply_on_reference(csr, clone(this->ref, b));
            const auto ref_y = clone(this->ref, y);
            ref_csr->apply(alpha, b, beta, ref_y);
            for (const auto& format : this->formats()) {
                SCOPED_TRACE(one.name + ", " + format.name + ", " + std::to_string(num_rhs) + " columns");
                const auto a = format.convert(csr.get());
                const auto x = this->dense_of_nan(one.data.size[0], num_rhs, num_rhs + 3);
                const auto advanced_x = y->clone();

                a->apply(b, x);
                a->apply(alpha, b, beta, advanced_x);

                EXPECT_MTX_NEAR(x, ref_x, this->tolerance_of_sum(one.longest_row + 1));
                EXPECT_MTX_NEAR(advanced_x, ref_y, this->tolerance_of_sum(one.longest_row + 1));
                EXPECT_TRUE(padding_is_intact(*x));
            }
        }
    }
}

/// Tests large strides of vectors with one row, for which the stride is irrelevant. The kernels of
/// GPUs for one column cannot represent the stride of b, so other kernels run.
TYPED_TEST(AllFormats, MultiplyVectorsOfAnyStride)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Dense = typename TestFixture::Dense;
    constexpr auto stride = size_type{1} << 33;
    constexpr size_type length = 300;
    host_matrix column{dim<2>{length, 1}};
    host_matrix row{dim<2>{1, length}};
    for (size_type i = 0; i < length; i += 3) {
        column.nonzeros.emplace_back(i, 0, static_cast<double>(i % 5) - 2);
        row.nonzeros.emplace_back(0, i, static_cast<double>(i % 5) - 2);
    }
    const auto vector = [&](size_type size, double value) {
        auto result = size == 1 ? Dense::create(this->exec, dim<2>{1, 1}, array<V>{this->exec, 1}, stride)
                                : Dense::create(this->exec, dim<2>{size, 1});
        result->fill(V(value));
        return result;
    };
    const auto alpha = this->dense({{-1.25}});
    const auto beta = this->dense({{0.5}});

    for (const auto& data : {column, row}) {
        const auto csr = make_csr<V, I>(this->exec, data);
        const auto b = vector(data.size[1], 3);
        const auto expected = this->apply_on_reference(csr, clone(this->ref, b));
        const auto expected_sum = vector(data.size[0], 2);
        clone(this->ref, csr)->apply(alpha, b, beta, expected_sum);
        this->for_each_format(csr.get(), [&](const LinOp& a) {
            const auto x = vector(data.size[0], std::nan(""));
            const auto sum = vector(data.size[0], 2);

            a.apply(b, x);
            a.apply(alpha, b, beta, sum);

            EXPECT_MTX_NEAR(x, expected, 0.0);  // small integers and their quarters
            EXPECT_MTX_NEAR(sum, expected_sum, 0.0);
        });
    }
}

TYPED_TEST(AllFormats, GiveProductsWithDotsOfVectorsOfAnyStride)
{
    using V = typename TestFixture::V;
    const auto csr = this->csr({{5}});
    const auto b =
        spruce::matrix::Dense<V>::create(this->exec, dim<2>{1, 1}, array<V>{this->exec, {V(3)}}, size_type{1} << 33);
    for (const auto& format : this->formats()) {
        SCOPED_TRACE(format.name);
        const auto a = format.convert(csr.get());
        if (const auto offers = dynamic_cast<const spruce::DotApplicable<V>*>(a.get())) {
            const auto x = this->dense_of_nan(1, 1);
            const auto dot = this->dense_of_nan(1, 1);
            array<char> tmp{this->exec};

            offers->apply_with_dot(b.get(), x.get(), dot.get(), tmp);

            EXPECT_MTX_NEAR(x, this->dense({{15}}), 0.0);
            EXPECT_MTX_NEAR(dot, this->dense({{45}}), 0.0);
        }
    }
}

TYPED_TEST(AllFormats, ScaleTheDotsOfProducts)
{
    using V = typename TestFixture::V;
    using real = spruce::remove_complex<V>;
    const auto huge = std::ldexp(real(1), std::numeric_limits<real>::max_exponent * 6 / 10);
    const auto csr = this->csr({{2, 1}, {0, 3}});
    for (const size_type num_rhs : {1, 2}) {
        const array<real> scales{this->exec, {1 / huge, huge}};
        array<char> tmp{this->exec};
        spruce::Reduction reduction{tmp};
        reduction.set_scale(scales.get_const_data());
        const auto b =
            num_rhs == 1 ? this->dense({{huge}, {3 * huge}}) : this->dense({{huge, -1 / huge}, {3 * huge, 2 / huge}});
        for (const auto& format : this->formats()) {
            SCOPED_TRACE(format.name);
            const auto a = format.convert(csr.get());
            if (const auto offers = dynamic_cast<const spruce::DotApplicable<V>*>(a.get())) {
                const auto x = this->dense_of_nan(2, num_rhs);
                const auto dot = this->dense_of_nan(1, num_rhs);

                offers->apply_with_dot(b.get(), x.get(), dot.get(), reduction);

                EXPECT_MTX_NEAR(dot, num_rhs == 1 ? this->dense({{32}}) : this->dense({{32, 12}}), 0.0);
            }
        }
    }
}

TYPED_TEST(AllFormats, GiveProductsWithDotsLikeOneAfterTheOther)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Offers = spruce::DotApplicable<V>;
    const auto formats = this->formats();
    array<char> tmp{this->exec};
    size_type num_offers{};
    for (auto one : this->sorted_cases()) {
        if (one.data.size[0] < one.data.size[1]) {
            continue;  // as a square matrix, its few long rows would make Ell very large
        }
        one.data.size[1] = one.data.size[0];
        const auto csr = make_csr<V, I>(this->exec, one.data);
        for (const size_type num_rhs : {1, 3}) {
            const auto b = this->random_dense(one.data.size[1], num_rhs, num_rhs + 1);
            const auto ref_b = clone(this->ref, b);
            const auto ref_x = this->apply_on_reference(csr, ref_b);
            const auto ref_dot = spruce::matrix::Dense<V>::create(this->ref, dim<2>{1, num_rhs});
            ref_b->compute_conj_dot(ref_x, ref_dot);
            for (const auto& format : formats) {
                SCOPED_TRACE(one.name + ", " + format.name + ", " + std::to_string(num_rhs) + " columns");
                const auto a = format.convert(csr.get());
                const auto x = this->dense_of_nan(one.data.size[0], num_rhs, num_rhs + 3);
                const auto dot = this->dense_of_nan(1, num_rhs);
                if (const auto offers = dynamic_cast<const Offers*>(a.get())) {
                    ++num_offers;
                    offers->apply_with_dot(b.get(), x.get(), dot.get(), tmp);

                    EXPECT_MTX_NEAR(x, ref_x, this->tolerance_of_sum(one.longest_row + 1));
                    EXPECT_MTX_NEAR(dot, ref_dot, this->tolerance_of_sum(one.data.nonzeros.size() + 1));
                    EXPECT_TRUE(padding_is_intact(*x));
                }
            }
        }
    }
    EXPECT_GT(num_offers, 0u);
}

/// Tests so many rows that blocks of GPUs process several sets of rows. Sums of small integers are
/// exact in any order.
TYPED_TEST(AllFormats, GiveProductsWithDotsOfManyRows)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const size_type num_rows = 203001;
    host_matrix data{dim<2>{num_rows}};
    host_matrix host_b{dim<2>{num_rows, 1}};
    for (size_type row = 0; row < num_rows; ++row) {
        const auto other = (row + 7) % num_rows;
        data.nonzeros.emplace_back(row, std::min(row, other), row < other ? 2 : -1);
        data.nonzeros.emplace_back(row, std::max(row, other), row < other ? -1 : 2);
        host_b.nonzeros.emplace_back(row, 0, static_cast<int>(row % 3) - 1);
    }
    const auto csr = make_csr<V, I>(this->exec, data);
    const auto b = make_dense<V>(this->exec, host_b);
    const auto ref_b = clone(this->ref, b);
    const auto ref_x = this->apply_on_reference(csr, ref_b);
    const auto ref_dot = spruce::matrix::Dense<V>::create(this->ref, dim<2>{1, 1});
    ref_b->compute_conj_dot(ref_x, ref_dot);
    array<char> tmp{this->exec};
    const auto check = [&](auto a) {
        csr->convert_to(a);
        const auto x = this->dense_of_nan(num_rows, 1);
        const auto dot = this->dense_of_nan(1, 1);

        a->apply_with_dot(b.get(), x.get(), dot.get(), tmp);

        EXPECT_MTX_NEAR(x, ref_x, 0.0);
        EXPECT_MTX_NEAR(dot, ref_dot, 0.0);
    };
    check(spruce::matrix::Ell<V, I>::create(this->exec));
    check(spruce::matrix::Sellp<V, I>::create(this->exec));
}

TYPED_TEST(AllFormats, RefuseDotsOfOtherSizes)
{
    using V = typename TestFixture::V;
    array<char> tmp{this->exec};
    const auto square = this->csr({{1, 2}, {3, 4}});
    const auto wide = this->csr({{1, 2, 3}, {4, 5, 6}});
    const auto b = this->dense({{1, 2}, {3, 4}});
    const auto dot = this->dense({{5, 6}});
    for (const auto& format : this->formats()) {
        SCOPED_TRACE(format.name);
        const auto a = format.convert(square.get());
        const auto c = format.convert(wide.get());
        if (const auto offers = dynamic_cast<const spruce::DotApplicable<V>*>(a.get())) {
            const auto x = this->dense({{7, 8}, {9, 10}});
            EXPECT_THROW(offers->apply_with_dot(b.get(), x.get(), this->dense({{1}}).get(), tmp),
                         spruce::DimensionMismatch);
            EXPECT_THROW(offers->apply_with_dot(b.get(), this->dense({{1}, {2}}).get(), dot.get(), tmp),
                         spruce::DimensionMismatch);
            EXPECT_THROW(dynamic_cast<const spruce::DotApplicable<V>&>(*c).apply_with_dot(
                             this->dense({{1, 2}, {3, 4}, {5, 6}}).get(), x.get(), dot.get(), tmp),
                         spruce::DimensionMismatch);
            EXPECT_MTX_NEAR(x, this->dense({{7, 8}, {9, 10}}), 0.0);
            EXPECT_MTX_NEAR(dot, this->dense({{5, 6}}), 0.0);
        }
    }
}

TYPED_TEST(AllFormats, AreScaledByDiagonals)
{
    using V = typename TestFixture::V;
    const auto csr = this->csr({{1, 0, 2}, {0, 0, 0}, {4, 5, 6}});
    const auto diagonal = spruce::matrix::Diagonal<V>::create(this->exec, 3, array<V>{this->exec, {2, 4, -8}});
    for (const auto& format : this->formats()) {
        SCOPED_TRACE(format.name);
        const auto a = format.convert(csr.get());
        const auto rows = format.create(this->exec);
        const auto columns = format.create(this->exec);
        const auto inverse = format.create(this->exec);
        rows->copy_from(a);
        columns->copy_from(a);
        inverse->copy_from(a);

        diagonal->apply(a, rows);
        diagonal->rapply(a, columns);
        diagonal->inverse_apply(a, inverse);

        EXPECT_MTX_STORED_ALIKE(rows, this->csr({{2, 0, 4}, {0, 0, 0}, {-32, -40, -48}}));
        EXPECT_MTX_STORED_ALIKE(columns, this->csr({{2, 0, -16}, {0, 0, 0}, {8, 20, -48}}));
        EXPECT_MTX_STORED_ALIKE(inverse, this->csr({{0.5, 0, 1}, {0, 0, 0}, {-0.5, -0.625, -0.75}}));
        EXPECT_THROW(diagonal->apply(a, this->dense({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}})), spruce::NotSupported);
    }
}

TYPED_TEST(AllFormats, AreWrittenAlsoWhereOnlyLinOpIsKnown)
{
    using spruce::layout_type;
    const auto csr = this->csr({{1, 0, 2}, {0, 3, 0}});
    const auto dense = this->dense({{1, 0, 2}, {0, 3, 0}});
    std::ostringstream as_coordinate;
    std::ostringstream as_array;
    write(as_coordinate, csr);
    write(as_array, dense);

    for (const auto& format : this->formats_and_dense()) {
        const std::shared_ptr<const LinOp> matrix = format.convert(csr.get());
        std::ostringstream plain;
        std::ostringstream coordinate;
        write(plain, matrix);
        spruce::write(coordinate, matrix.get(), layout_type::coordinate);
        EXPECT_EQ(plain.str(), format.name == "Dense" ? as_array.str() : as_coordinate.str()) << format.name;
        EXPECT_EQ(coordinate.str(), as_coordinate.str()) << format.name;
    }
}

TYPED_TEST(AllFormats, OthersThanMatricesAreNotWritten)
{
    const std::shared_ptr<LinOp> csr = this->csr({{1, 0}, {0, 3}});
    const std::unique_ptr<LinOp> product = spruce::Composition<typename TestFixture::V>::create(csr, csr);
    std::ostringstream os;

    EXPECT_THROW_WITH(write(os, product), spruce::NotSupported, "Composition<");
    EXPECT_THROW_WITH(spruce::write(os, static_cast<const LinOp*>(nullptr)), spruce::NotSupported, "null pointer");
    EXPECT_EQ(os.str(), "");
}

}  // namespace
