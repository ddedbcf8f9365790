// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// What all sparse formats have in common, whichever their storage: conversions between each two, products and scaling.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::LinOp;
using spruce::size_type;

template <typename Types>
class AllFormats : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Coo;
    using typename kernel_test<Types>::Dense;
    using Ell = spruce::matrix::Ell<V, I>;
    using Sellp = spruce::matrix::Sellp<V, I>;
    using Hybrid = spruce::matrix::Hybrid<V, I>;
    using Fbcsr = spruce::matrix::Fbcsr<V, I>;
    using SparsityCsr = spruce::matrix::SparsityCsr<V, I>;

    struct format {
        std::string name;
        std::function<std::unique_ptr<LinOp>(std::shared_ptr<const spruce::Executor>)> create;

        /// A matrix of this format with a's entries.
        std::unique_ptr<LinOp> convert(const LinOp* a) const
        {
            auto result = this->create(a->get_executor());
            result->copy_from(a);
            return result;
        }
    };

    /// Those that keep all values.
    static std::vector<format> formats()
    {
        using column_limit = typename Hybrid::column_limit;
        return {{"Csr", [](auto exec) { return Csr::create(exec); }},
                {"Coo", [](auto exec) { return Coo::create(exec); }},
                {"Ell", [](auto exec) { return Ell::create(exec); }},
                {"Sellp", [](auto exec) { return Sellp::create(exec); }},
                {"Sellp, slices of 3 rows", [](auto exec) { return Sellp::create(exec, dim<2>{}, 3, 2, 0); }},
                {"Hybrid", [](auto exec) { return Hybrid::create(exec, std::make_shared<column_limit>(2)); }},
                {"Fbcsr", [](auto exec) { return Fbcsr::create(exec, 1); }}};
    }
    static std::vector<format> formats_and_dense()
    {
        auto result = formats();
        result.push_back({"Dense", [](auto exec) { return Dense::create(exec); }});
        return result;
    }
    static format sparsity_csr()
    {
        return {"SparsityCsr", [](auto exec) { return SparsityCsr::create(exec); }};
    }

    /// With columns in order, which some formats want.
    std::vector<sparse_case> sorted_cases()
    {
        auto result = sparse_cases(this->engine);
        for (auto& one : result) {
            one.data.sort_row_major();
        }
        return result;
    }

    static host_matrix with_ones(host_matrix data)
    {
        for (auto& entry : data.nonzeros) {
            entry.value = 1.0;
        }
        return data;
    }

    /// csr -> first -> second -> csr gives what there was, whatever was there before. On devices, whose simulation is slow, a
    /// quarter of the pairs, and another one for each matrix.
    void expect_round_trips(const Csr* csr, const std::vector<format>& formats)
    {
        const auto old = this->csr({{1, 2}, {3, 4}});
        ++num_matrices_;
        for (size_type i = 0; i < formats.size(); ++i) {
            const auto& first = formats[i];
            const auto a = first.convert(csr);
            for (size_type j = 0; j < formats.size(); ++j) {
                const auto& second = formats[j];
                if (is_device(*this->exec) && (i + j + num_matrices_) % 4 != 0) {
                    continue;
                }
                SCOPED_TRACE("Csr -> " + first.name + " -> " + second.name + " -> Csr");
                const auto b = second.convert(old.get());
                const auto back = this->csr({{1, 2}, {3, 4}});

                b->copy_from(a);
                back->copy_from(b);

                EXPECT_EQ(b->get_size(), csr->get_size());
                EXPECT_MTX_STORED_ALIKE(back, csr);
            }
        }
    }

    size_type num_matrices_{};
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
    auto formats = this->formats_and_dense();
    formats.push_back(this->sparsity_csr());
    const auto data = this->with_ones(random_sparse(this->engine, 70, 45, nnz_per_row(0, 40)));

    this->expect_round_trips(make_csr<V, I>(this->exec, data).get(), formats);
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

/// So many that blocks have rows in turns on GPUs. Sums of small whole numbers are exact in any order.
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

TYPED_TEST(AllFormats, HandleMatricesFromPractice)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    std::vector<std::string> names{"1138_bus", "add20", "Chem97Zt", "adder_dcop_32", "illc1850", "plskz362"};
    if (spruce::is_complex<V>()) {
        names.insert(names.end(), {"mhd1280b", "dwg961b"});
    }
    if (!is_device(*this->exec)) {  // whose simulation is slow
        names.insert(names.end(), {"hangGlider_2", "p2p-Gnutella31", "cavity10", "memplus"});
    }
    for (const auto& name : names) {
        SCOPED_TRACE(name);
        std::ifstream file{matrix_file(name)};
        const auto csr = spruce::read_generic<typename TestFixture::Csr>(file, this->exec);
        spruce::matrix_data<V, I> data;
        csr->write(data);
        double largest{};
        for (const auto& entry : data.nonzeros) {
            largest = std::max(largest, static_cast<double>(std::abs(entry.value)));
        }
        const auto b = this->random_dense(csr->get_size()[1], 2);
        const auto expected = this->apply_on_reference(csr, clone(this->ref, b));
        const auto tolerance = largest * this->tolerance_of_sum(csr->compute_max_row_length());

        this->expect_round_trips(csr.get(), this->formats());
        for (const auto& format : this->formats()) {
            SCOPED_TRACE(format.name);
            EXPECT_MTX_NEAR(this->apply(format.convert(csr.get()), b), expected, tolerance);
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
