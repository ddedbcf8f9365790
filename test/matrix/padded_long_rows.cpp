// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests Ell, Sellp and Hybrid with few long rows, whose entries are distributed over several blocks
// or threads, and with few entries in many rows.

#include <array>

#include "test/utils/formats.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class PaddedLongRows : public formats_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using typename formats_test<Types>::Ell;
    using typename formats_test<Types>::Sellp;
    using typename formats_test<Types>::Hybrid;

    /// A thread of the kernels for whole rows would have more than 128 entries of such a row, even
    /// for a single column.
    static constexpr size_type long_row = 5000;

    std::vector<sparse_case> structures()
    {
        std::vector<sparse_case> result;
        const auto add = [&](const char* name, const std::vector<size_type>& lengths, size_type num_cols) {
            result.push_back(this->random_case(name, lengths, num_cols));
        };
        add("one row", {3 * long_row}, 3 * long_row);
        add("three rows", {long_row, 17, long_row - 1}, 2 * long_row);
        std::vector<size_type> lengths(37);
        for (size_type row = 0; row < lengths.size(); ++row) {
            lengths[row] = long_row - row * row * 3;
        }
        add("rows of two blocks", lengths, 2 * long_row);
        std::vector<size_type> two_lengths(300);
        for (size_type row = 0; row < two_lengths.size(); ++row) {
            two_lengths[row] = row % 3 == 0 ? 200 : 6;
        }
        add("rows of two lengths", two_lengths, 300);
        return result;
    }

    /// Returns formats that store some rows in padded slices.
    static std::vector<format> padded_formats()
    {
        return {make_format<Ell>("Ell"),
                make_format<Ell>("Ell with a stride", dim<2>{}, 0, 311),
                make_format<Sellp>("Sellp"),
                make_format<Sellp>("Sellp, slices of 2 rows", dim<2>{}, 2, 3, 0),
                make_format<Hybrid>("Hybrid", std::make_shared<typename Hybrid::column_limit>(long_row - 50)),
                make_format<Hybrid>("Hybrid without Ell", std::make_shared<typename Hybrid::column_limit>(0))};
    }

    /// Returns an Ell whose rows have padding between their entries, and many entries in each
    /// column. Values of padding are NaN.
    std::unique_ptr<Ell> ell_with_gaps(size_type num_rows, size_type num_cols, size_type length, size_type stride)
    {
        array<V> values{this->ref, length * stride};
        array<I> cols{this->ref, length * stride};
        values.fill(V(std::numeric_limits<spruce::remove_complex<V>>::quiet_NaN()));
        cols.fill(-1);
        for (size_type i = 0; i < length; ++i) {
            for (size_type row = 0; row < num_rows; ++row) {
                if ((i + row) % 5 < 2 && i / 100 % 7 != 3) {
                    values.get_data()[i * stride + row] = V(1.0 + (i * 3 + row) % 4);
                    cols.get_data()[i * stride + row] = static_cast<I>((i * 7 + row) % num_cols);
                }
            }
        }
        return Ell::create(this->exec, dim<2>{num_rows, num_cols}, array<V>{this->exec, values},
                           array<I>{this->exec, cols}, length, stride);
    }
};
TYPED_TEST_SUITE(PaddedLongRows, value_and_index_types, type_names);

TYPED_TEST(PaddedLongRows, MultiplyLikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : this->structures()) {
        const auto csr = make_csr<V, I>(this->exec, one.data);
        const auto ref_csr = clone(this->ref, csr);
        for (const auto& format : this->padded_formats()) {
            const auto a = format.convert(csr.get());
            for (const size_type num_cols : {1, 2, 3, 16, 67}) {
                if (num_cols > 16 && one.data.size[0] > 3) {
                    continue;  // saves time
                }
                SCOPED_TRACE(one.name + ", " + format.name + ", " + std::to_string(num_cols) + " columns");
                const auto adds_atomically = format.name.find("Hybrid") != std::string::npos;
                this->compare_products({a.get()}, *ref_csr, num_cols, this->tolerance_of_sum(one.longest_row + 1),
                                       !adds_atomically);
            }
        }
    }
}

TYPED_TEST(PaddedLongRows, AreConvertedLikeOnReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Csr = typename kernel_test<TypeParam>::Csr;
    for (const auto& one : this->structures()) {
        const auto csr = make_csr<V, I>(this->exec, one.data);
        for (const auto& format : this->padded_formats()) {
            SCOPED_TRACE(one.name + ", " + format.name);
            const auto a = format.convert(csr.get());
            const auto back = Csr::create(this->exec);

            back->copy_from(a.get());

            EXPECT_MTX_STORED_ALIKE(back, csr);
        }
    }
}

TYPED_TEST(PaddedLongRows, WithGapsAreMultipliedAndConverted)
{
    using Csr = typename kernel_test<TypeParam>::Csr;
    for (const auto& [num_rows, num_cols, length, stride] :
         {std::array<size_type, 4>{1, 7, 20001, 1}, {2, 2, 20001, 3}, {20, 40, 6000, 20}, {40, 30, 5000, 40}}) {
        SCOPED_TRACE(std::to_string(num_rows) + " rows");
        const auto a = this->ell_with_gaps(num_rows, num_cols, length, stride);
        const auto ref_a = clone(this->ref, a);
        const auto ref_csr = Csr::create(this->ref);
        ref_a->convert_to(ref_csr);
        for (const size_type k : {1, 4}) {
            this->compare_products({a.get()}, *ref_csr, k, this->tolerance_of_sum(length), true);
        }
        const auto csr = Csr::create(this->exec);

        a->convert_to(csr);
        const auto diagonal = a->extract_diagonal();

        EXPECT_MTX_STORED_ALIKE(csr, ref_csr);
        EXPECT_MTX_NEAR(diagonal, ref_a->extract_diagonal(), 0.0);  // sums of integers
    }
}

TYPED_TEST(PaddedLongRows, ComputeInnerProducts)
{
    using V = typename TypeParam::value_type;
    const auto a = this->ell_with_gaps(2, 2, 20001, 2);
    const auto ref_a = clone(this->ref, a);
    for (const size_type num_cols : {1, 3}) {
        const auto b = this->random_dense(2, num_cols);
        const auto x = this->dense_of_nan(2, num_cols);
        const auto dot = this->dense_of_nan(1, num_cols);
        const auto expected_x = make_dense_of_nan<V>(this->ref, dim<2>{2, num_cols});
        const auto expected_dot = make_dense_of_nan<V>(this->ref, dim<2>{1, num_cols});
        array<char> tmp{this->exec};
        array<char> ref_tmp{this->ref};
        const auto ref_b = clone(this->ref, b);
        ref_a->apply_with_dot(ref_b.get(), expected_x.get(), expected_dot.get(), ref_tmp);

        a->apply_with_dot(b.get(), x.get(), dot.get(), tmp);

        EXPECT_MTX_NEAR(x, expected_x, this->tolerance_of_sum(20001));
        EXPECT_MTX_NEAR(dot, expected_dot, this->tolerance_of_sum(20001));
    }
}

TYPED_TEST(PaddedLongRows, HaveDiagonals)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : this->structures()) {
        const auto csr = make_csr<V, I>(this->exec, one.data);
        const auto expected = clone(this->ref, csr)->extract_diagonal();
        for (const auto& format : this->padded_formats()) {
            SCOPED_TRACE(one.name + ", " + format.name);
            const auto a = format.convert(csr.get());

            const auto diagonal = spruce::as<spruce::DiagonalExtractable<V>>(a.get())->extract_diagonal();

            EXPECT_MTX_NEAR(diagonal, expected, 0.0);
        }
    }
}

TYPED_TEST(PaddedLongRows, FewEntriesInManyRowsAreConverted)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Csr = typename kernel_test<TypeParam>::Csr;
    for (const auto& rows :
         {std::vector<size_type>{}, {0}, {2345}, {4999}, {3, 17, 18, 2000, 2001, 2002, 4800, 4999}}) {
        std::vector<size_type> lengths(5000);
        for (const auto row : rows) {
            lengths[row] = 1 + row % 4;
        }
        const auto csr = make_csr<V, I>(this->exec, random_sparse(this->engine, lengths, 5));
        auto formats = this->padded_formats();
        formats.push_back(make_format<typename TestFixture::Sellp>("Sellp, slices of 3 rows", dim<2>{}, 3, 1, 0));
        formats.push_back(make_format<typename TestFixture::Hybrid>("Hybrid, automatic"));
        for (const auto& format : formats) {
            SCOPED_TRACE(std::to_string(rows.size()) + " rows, " + format.name);
            const auto a = format.convert(csr.get());
            const auto back = Csr::create(this->exec);

            back->copy_from(a.get());

            EXPECT_MTX_STORED_ALIKE(a, csr);
            EXPECT_MTX_STORED_ALIKE(back, csr);
            this->compare_products({a.get()}, *clone(this->ref, csr), 2, this->tolerance_of_sum(5));
        }
    }
}

}  // namespace
