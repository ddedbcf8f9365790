// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the choice of a storage format by the lengths of the rows, and copies in the formats.

#include <spruce/matrix/format_advice.hpp>

#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/sellp.hpp>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;
using spruce::storage_format;

template <typename Types>
class FormatAdvice : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;

    /// Creates a matrix of ones whose row i has length(i) entries.
    template <typename Function>
    std::unique_ptr<Csr> matrix_of(size_type num_rows, Function length) const
    {
        spruce::matrix_data<V, I> data{dim<2>{num_rows, 20000}};
        for (size_type row = 0; row < num_rows; ++row) {
            for (I column = 0; column < static_cast<I>(length(row)); ++column) {
                data.nonzeros.emplace_back(static_cast<I>(row), column, spruce::one<V>());
            }
        }
        auto result = Csr::create(this->exec);
        result->read(data);
        return result;
    }

    /// Expects the format for GPUs, and Csr on hosts.
    void expect_advice(const Csr& a, storage_format on_gpu) const
    {
        const auto is_host = this->exec->get_master() == this->exec;
        const auto advice = spruce::advise_format(a, this->exec);
        EXPECT_EQ(to_string(advice.format), to_string(is_host ? storage_format::csr : on_gpu)) << advice.reason;
        const auto for_gpu = spruce::advise_format(a, spruce::backend::cuda);
        EXPECT_EQ(to_string(for_gpu.format), to_string(on_gpu)) << for_gpu.reason;
        EXPECT_EQ(to_string(spruce::advise_format(a, spruce::backend::omp).format), "csr");
        EXPECT_NE(advice.reason.find(is_host ? "CPUs" : "on average"), std::string::npos) << advice.reason;
    }
};
TYPED_TEST_SUITE(FormatAdvice, value_and_index_types, type_names);

TYPED_TEST(FormatAdvice, FollowsTheLengthsOfTheRows)
{
    const auto equal = [](size_type length) { return [length](size_type) { return length; }; };
    this->expect_advice(*this->matrix_of(1000, equal(7)), storage_format::sellp);
    this->expect_advice(*this->matrix_of(5000, equal(27)), storage_format::ell);
    this->expect_advice(*this->matrix_of(100, equal(30)), storage_format::csr);
    this->expect_advice(*this->matrix_of(1, equal(20000)), storage_format::csr);
    this->expect_advice(*this->matrix_of(2000, [](size_type row) { return row == 7 ? 10000 : 3; }),
                        storage_format::coo);
    // Slices of equal rows, not all of the same length.
    this->expect_advice(*this->matrix_of(5120, [](size_type row) { return row < 1024 ? 60 : 20; }),
                        storage_format::sellp);
    this->expect_advice(*this->matrix_of(10000, [](size_type row) { return row % 10 == 0 ? 60 : 10; }),
                        storage_format::csr);
}

TYPED_TEST(FormatAdvice, DependsOnTheWidthOfWarps)
{
    // Slices of 32 rows have equal rows, slices of 64 do not.
    const auto a = this->matrix_of(6400, [](size_type row) { return row / 32 % 2 == 0 ? 40 : 10; });

    EXPECT_EQ(to_string(spruce::advise_format(*a, spruce::backend::cuda).format), "sellp");
    EXPECT_EQ(to_string(spruce::advise_format(*a, spruce::backend::hip).format), "csr");
}

class FormatAdviceOfLargeMatrices : public kernel_test<types<double, spruce::int32>> {
protected:
    /// Returns the format for a GPU with row_ptrs of rows with these lengths. Columns are all 0.
    template <typename Function>
    static std::string advice_for(size_type num_rows, Function length)
    {
        const auto host = spruce::ReferenceExecutor::create();
        spruce::array<spruce::int32> row_ptrs{host, num_rows + 1};
        row_ptrs.get_data()[0] = 0;
        for (size_type row = 0; row < num_rows; ++row) {
            row_ptrs.get_data()[row + 1] = row_ptrs.get_data()[row] + static_cast<spruce::int32>(length(row));
        }
        const auto nnz = static_cast<size_type>(row_ptrs.get_data()[num_rows]);
        spruce::array<spruce::int32> cols{host, nnz};
        spruce::array<double> values{host, nnz};
        cols.fill(0);
        values.fill(1.0);
        const auto a =
            Csr::create(host, dim<2>{num_rows, 2000000}, std::move(values), std::move(cols), std::move(row_ptrs));
        return to_string(spruce::advise_format(*a, spruce::backend::cuda).format);
    }
};

TEST_F(FormatAdviceOfLargeMatrices, FollowsTheLengthsOfTheRows)
{
    if (this->exec != this->ref) {
        GTEST_SKIP() << "the advice is computed on the host";
    }
    EXPECT_EQ(advice_for(400000, [](size_type) { return 3; }), "csr");
    EXPECT_EQ(advice_for(250000, [](size_type) { return 5; }), "ell");
    EXPECT_EQ(advice_for(120000, [](size_type) { return 9; }), "csr");
    EXPECT_EQ(advice_for(300000, [](size_type row) { return row == 0 ? 300000 : 3; }), "csr");
}

TYPED_TEST(FormatAdvice, AcceptsEmptyMatrices)
{
    for (const auto size : {dim<2>{0, 0}, dim<2>{0, 5}, dim<2>{5, 0}, dim<2>{5, 5}}) {
        const auto a = TestFixture::Csr::create(this->exec, size);
        a->read(spruce::matrix_data<typename TestFixture::V, typename TestFixture::I>{size});
        EXPECT_NO_THROW(spruce::advise_format(*a, this->exec));
    }
}

TYPED_TEST(FormatAdvice, CopiesMultiplyAsTheMatrix)
{
    const auto a = this->matrix_of(100, [](size_type row) { return row % 5; });
    auto b = this->dense_of_nan(20000, 1);
    b->fill(spruce::one<typename TestFixture::V>());
    const auto expected = this->dense_of_nan(100, 1);
    a->apply(b, expected);
    for (const auto format : {storage_format::csr, storage_format::coo, storage_format::ell, storage_format::sellp}) {
        SCOPED_TRACE(to_string(format));
        const auto copy = spruce::copy_in_format(*a, format, this->exec);
        const auto x = this->dense_of_nan(100, 1);
        copy->apply(b, x);
        EXPECT_MTX_NEAR(x, expected, 0.0);
    }
}

TYPED_TEST(FormatAdvice, RefusesAMissingExecutor)
{
    const auto a = this->matrix_of(3, [](size_type row) { return row; });
    EXPECT_THROW(spruce::advise_format(*a, nullptr), spruce::NotSupported);
    EXPECT_THROW(spruce::copy_in_format(*a, storage_format::ell, nullptr), spruce::NotSupported);
}

}  // namespace
