// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests Ell, Sellp and Hybrid with few entries in many rows.

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

    static constexpr size_type long_row = 5000;

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

    void compare_products(const spruce::LinOp& a, const spruce::LinOp& ref_a, size_type num_cols, double tolerance)
    {
        const auto size = ref_a.get_size();
        const auto alpha = this->dense({{V(-1.25)}});
        const auto beta = this->dense({{V(0.75)}});
        const auto b = this->random_dense(size[1], num_cols, num_cols + 1);
        const auto start = this->random_dense(size[0], num_cols, num_cols + 3);
        const auto ref_b = clone(this->ref, b);
        const auto expected = make_dense_of_nan<V>(this->ref, dim<2>{size[0], num_cols});
        const auto expected_advanced = clone(this->ref, start);
        const auto x = this->dense_of_nan(size[0], num_cols, num_cols + 2);
        const auto again = this->dense_of_nan(size[0], num_cols, num_cols + 2);
        const auto y = clone(this->exec, start);
        ref_a.apply(ref_b, expected);
        ref_a.apply(alpha, ref_b, beta, expected_advanced);

        a.apply(b, x);
        a.apply(b, again);
        a.apply(alpha, b, beta, y);

        EXPECT_MTX_NEAR(x, expected, tolerance);
        EXPECT_MTX_NEAR(y, expected_advanced, tolerance);
        EXPECT_MTX_NEAR(again, x, 0.0);
        EXPECT_TRUE(padding_is_intact(*x));
    }
};
TYPED_TEST_SUITE(PaddedLongRows, value_and_index_types, type_names);

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
            this->compare_products(*a, *clone(this->ref, csr), 2, this->tolerance_of_sum(5));
        }
    }
}

}  // namespace
