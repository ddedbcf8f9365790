// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the factorizations by sweeps, ParIlu and ParIc, against those by elimination.

#include <limits>

#include "test/factorization/factorization_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class Sweeps : public factorization_test<Types> {
protected:
    using typename factorization_test<Types>::V;
    using typename factorization_test<Types>::I;
    using typename factorization_test<Types>::Csr;

    template <typename Kind>
    auto sweep(Kind, std::shared_ptr<const spruce::LinOp> a, size_type iterations = 0) const
    {
        return Kind::by_sweeps::build()
            .with_iterations(iterations)
            .with_loggers(failures)
            .on(a->get_executor())
            ->generate(a);
    }

    /// Returns the matrix of the second difference on a grid in two dimensions, with nine points.
    static host_matrix nine_points(size_type width)
    {
        host_matrix data{dim<2>{width * width, width * width}};
        const auto n = static_cast<int>(width);
        for (int row = 0; row < n * n; ++row) {
            for (const int dy : {-1, 0, 1}) {
                for (const int dx : {-1, 0, 1}) {
                    const auto x = row % n + dx;
                    const auto y = row / n + dy;
                    if (x >= 0 && x < n && y >= 0 && y < n) {
                        data.nonzeros.emplace_back(row, y * n + x, dx == 0 && dy == 0 ? 8.0 : -1.0);
                    }
                }
            }
        }
        data.sort_row_major();
        return data;
    }

    std::shared_ptr<FailureCounter> failures{std::make_shared<FailureCounter>()};
};
TYPED_TEST_SUITE(Sweeps, value_and_index_types, type_names);

TYPED_TEST(Sweeps, ByHand)
{
    // l_20 and u_02 have no terms; l_21 takes the term l_20 u_01 of the first guess, and is divided
    // by the new pivot u_11.
    const auto a = share(this->csr({{2, 4, 2}, {1, 5, 6}, {4, 2, 8}}));

    const auto product = this->sweep(lu_kind<TypeParam>{}, a, 1);

    EXPECT_MTX_NEAR(product->get_l_factor(), this->dense({{1, 0, 0}, {0.5, 1, 0}, {2, -6.0 / 3, 1}}),
                    this->epsilon() * 8);
    EXPECT_MTX_NEAR(product->get_u_factor(), this->dense({{2, 4, 2}, {0, 3, 5}, {0, 0, 8 - 4 - 2.4}}),
                    this->epsilon() * 8);
}

TYPED_TEST(Sweeps, KeepProductsHermitian)
{
    const cholesky_kind<TypeParam> hermitian{};
    for (const auto& data : {this->nine_points(15), this->matrices().at(6)}) {
        const auto a = hermitian.prepare(data);  // Hermitian
        for (const size_type iterations : {1, 2, 3}) {
            SCOPED_TRACE(iterations);
            const auto product = this->sweep(lu_kind<TypeParam>{}, this->make(a), iterations);
            ASSERT_EQ(this->failures->num, 0);

            // L U is Hermitian if and only if U = D L^H.
            auto scaled = clone(this->ref, product->get_l_factor());
            const auto upper = clone(this->ref, product->get_u_factor());
            const auto pivots = upper->extract_diagonal();
            const auto lower = spruce::as<typename TestFixture::Csr>(upper->conj_transpose());
            pivots->rapply(scaled, scaled);
            EXPECT_MTX_NEAR(scaled, lower, this->epsilon() * 8);
        }
    }
}

TYPED_TEST(Sweeps, ReachTheExactFactors)
{
    this->for_each_kind([&](auto kind) {
        for (const auto& data : this->matrices()) {
            SCOPED_TRACE(testing::Message() << data.size[0] << " rows, " << data.nonzeros.size() << " entries");
            const auto a = kind.prepare(data);
            const auto expected = this->expected(kind, a);

            const auto product = this->sweep(kind, this->make(a), 60);
            const auto of_unsorted = this->sweep(kind, this->make(with_unsorted_columns(this->engine, a)), 60);

            this->expect_equal_factors(kind, *product, *expected);
            EXPECT_LT(this->residual_on_pattern(*product->get_l_factor(), *kind.upper_factor(*product), a),
                      4500 * this->epsilon());  // 1e-12 in double precision
            EXPECT_MTX_STORED_ALIKE(of_unsorted->get_l_factor(), product->get_l_factor());
            EXPECT_MTX_STORED_ALIKE(kind.upper_factor(*of_unsorted), kind.upper_factor(*product));
        }
        EXPECT_EQ(this->failures->num, 0);
    });
}

TYPED_TEST(Sweeps, EqualThoseOfReference)
{
    this->for_each_kind([&](auto kind) {
        for (const auto& data : {this->nine_points(15), this->matrices().at(6), this->matrices().at(8)}) {
            const auto a = kind.prepare(data);
            for (const size_type iterations : {0, 1, 2, 5}) {
                SCOPED_TRACE(iterations);
                const auto expected = this->sweep(
                    kind, share(make_csr<typename TestFixture::V, typename TestFixture::I>(this->ref, a)), iterations);

                const auto product = this->sweep(kind, this->make(a), iterations);

                this->expect_equal_factors(kind, *product, *expected);
            }
        }
    });
}

TYPED_TEST(Sweeps, OfDefaultNumberAreCloseToTheExactFactors)
{
    // Rows and columns are scaled alike, so that the scaled factors are the same.
    for (const auto exponent : {0, 3}) {
        this->for_each_kind([&](auto kind) {
            auto data = this->nine_points(20);
            for (auto& entry : data.nonzeros) {
                entry.value *= std::ldexp(
                    1.0, exponent * static_cast<int>(entry.row % 5) + exponent * static_cast<int>(entry.column % 5));
            }
            const auto a = this->make(data);
            const auto exact = this->factorize(kind, a);

            const auto product = this->sweep(kind, a);

            // In the norm of the scaled factors, whose diagonal is about 1.
            const auto difference = spruce::matrix::Dense<typename TestFixture::V>::create(this->ref);
            clone(this->ref, product->get_l_factor())->convert_to(difference);
            const auto expected = spruce::matrix::Dense<typename TestFixture::V>::create(this->ref);
            clone(this->ref, exact->get_l_factor())->convert_to(expected);
            for (const auto& entry : data.nonzeros) {
                if (entry.row >= entry.column) {
                    const auto scale =
                        std::max(1e-30, std::abs(std::complex<double>(expected->at(entry.row, entry.row))));
                    EXPECT_NEAR(
                        std::abs(difference->at(entry.row, entry.column) - expected->at(entry.row, entry.column)) /
                            scale /
                            (kind.is_hermitian ? 1.0
                                               : std::ldexp(1.0, exponent * (static_cast<int>(entry.row % 5) -
                                                                             static_cast<int>(entry.column % 5)))),
                        0.0, 0.02);
                }
            }
            EXPECT_EQ(this->failures->num, 0);
        });
    }
}

TYPED_TEST(Sweeps, RepeatToTheSameBits)
{
    this->for_each_kind([&](auto kind) {
        const auto a =
            this->make(kind.prepare(with_dominant_diagonal(random_sparse(this->engine, 300, 300, nnz_per_row(0, 20)))));
        const auto first = this->sweep(kind, a);

        const auto second = this->sweep(kind, a);

        EXPECT_MTX_STORED_ALIKE(second->get_l_factor(), first->get_l_factor());
        EXPECT_MTX_STORED_ALIKE(kind.upper_factor(*second), kind.upper_factor(*first));
    });
}

TYPED_TEST(Sweeps, AreReplacedByEliminationIfTheyDiverge)
{
    // Far from diagonally dominant: each term is larger than the pivots.
    this->for_each_kind([&](auto kind) {
        auto data = matrix_of_pattern(60, [](size_type, size_type) { return true; });
        for (auto& entry : data.nonzeros) {
            // The factors are triangles of ones.
            entry.value = 1.0 + static_cast<double>(std::min(entry.row, entry.column));
        }
        const auto a = this->make(data);
        const auto exact = this->factorize(kind, a);
        const auto before = this->failures->num;

        const auto product = this->sweep(kind, a);

        EXPECT_EQ(this->failures->num, before + 1);
        EXPECT_EQ(this->failures->last, product.get());
        EXPECT_MTX_STORED_ALIKE(product->get_l_factor(), exact->get_l_factor());
        EXPECT_MTX_STORED_ALIKE(kind.upper_factor(*product), kind.upper_factor(*exact));

        product->refresh(a);
        EXPECT_EQ(this->failures->num, before + 2);
        auto diagonal = data;
        for (auto& entry : diagonal.nonzeros) {
            entry.value = entry.row == entry.column ? 2.0 : 0.0;
        }
        product->refresh(this->make(diagonal));
        EXPECT_EQ(this->failures->num, before + 2);
    });
}

TYPED_TEST(Sweeps, AreDampedIfTheyDivergeOtherwise)
{
    host_matrix data{dim<2>{12, 12}};
    for (int row = 0; row < 12; ++row) {
        for (const auto& [offset, value] : {std::pair{-2, 2.0}, {-1, -1.0}, {0, 2.0}, {1, 1.0}, {2, 2.0}}) {
            if (row + offset >= 0 && row + offset < 12) {
                data.nonzeros.emplace_back(row, row + offset, value);
            }
        }
    }
    const lu_kind<TypeParam> kind;
    const auto a = this->make(data);
    const auto exact = this->factorize(kind, a);

    const auto product = this->sweep(kind, a);

    EXPECT_EQ(this->failures->num, 0);
    const auto residual = this->residual_on_pattern(*product->get_l_factor(), *product->get_u_factor(), data);
    EXPECT_LT(residual, 0.05);
    EXPECT_GT(residual, 1e-6);  // so that these are not the factors by elimination
}

TYPED_TEST(Sweeps, NameTheRowWithoutPivotOrWithValuesThatAreNotFinite)
{
    using spruce::InvalidStateError;
    const auto expect_row = [&](auto kind, const std::string& row, const auto& a) {
        EXPECT_THROW_WITH(this->sweep(kind, share(clone(a))), InvalidStateError, row);
        EXPECT_THROW_WITH(this->sweep(kind, share(clone(a)), 4), InvalidStateError, row);
    };
    const lu_kind<TypeParam> lu;
    const cholesky_kind<TypeParam> cholesky;
    expect_row(lu, "row 0", this->csr({{0, 1, 0}, {1, 1, 0}, {0, 0, 1}}));
    expect_row(lu, "row 1", this->csr({{1, 1, 0}, {1, 1, 0}, {0, 0, 1}}));
    expect_row(lu, "row 2", this->csr({{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}));
    expect_row(cholesky, "row 1", this->csr({{1, 1, 0}, {1, 1, 0}, {0, 0, 1}}));
    expect_row(cholesky, "row 2", this->csr({{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}));
    using V = typename TestFixture::V;
    const V infinity{std::numeric_limits<spruce::remove_complex<V>>::infinity()};
    const V not_a_number{spruce::nan<spruce::remove_complex<V>>()};
    for (const auto value : {infinity, not_a_number}) {
        expect_row(lu, "row 2", this->csr({{4, 1, 0}, {1, 4, 1}, {0, value, 4}}));
        expect_row(cholesky, "row 2", this->csr({{4, 1, 0}, {1, 4, 1}, {0, value, 4}}));
    }
}

TYPED_TEST(Sweeps, InsertMissingDiagonalEntries)
{
    host_matrix data{dim<2>{3, 3}};
    data.nonzeros = {{0, 0, 2.0}, {0, 1, 4.0}, {1, 0, 3.0}, {1, 2, 5.0}, {2, 1, 6.0}, {2, 2, 1.0}};

    const auto product = this->sweep(lu_kind<TypeParam>{}, this->make(data), 6);

    EXPECT_MTX_NEAR(product->get_l_factor(), this->dense({{1, 0, 0}, {1.5, 1, 0}, {0, -1, 1}}), this->epsilon() * 10);
    EXPECT_MTX_NEAR(product->get_u_factor(), this->dense({{2, 4, 0}, {0, -6, 5}, {0, 0, 6}}), this->epsilon() * 10);
    EXPECT_EQ(this->failures->num, 0);
}

TYPED_TEST(Sweeps, DoNotDependOnScaling)
{
    using real = spruce::remove_complex<typename TestFixture::V>;
    constexpr auto exponent = std::numeric_limits<real>::max_exponent / 6 * 2;
    const auto data = this->nine_points(12);
    const auto sweep_scaled = [&](auto kind, auto exponent_of) {
        auto scaled = data;
        for (auto& entry : scaled.nonzeros) {
            entry.value *= std::ldexp(1.0, exponent_of(entry));
        }
        return this->sweep(kind, this->make(scaled));
    };
    const lu_kind<TypeParam> lu;
    const auto expected = this->sweep(lu, this->make(data))->get_l_factor();

    // L has the same bits for a power of two in all entries, or in each column.
    for (const auto e : {-exponent, exponent}) {
        EXPECT_MTX_NEAR(sweep_scaled(lu, [&](const auto&) { return e; })->get_l_factor(), expected, 0.0);
        sweep_scaled(cholesky_kind<TypeParam>{}, [&](const auto&) { return e; });
    }
    const auto of_columns = sweep_scaled(lu, [](const auto& entry) { return 7 * static_cast<int>(entry.column % 5); });
    EXPECT_MTX_NEAR(of_columns->get_l_factor(), expected, 0.0);
    // U is multiplied like the rows of A.
    const auto of_rows = sweep_scaled(lu, [](const auto& entry) { return entry.row % 2 == 0 ? 20 : 0; });
    const auto u = clone(this->ref, of_rows->get_u_factor());
    const auto expected_u = clone(this->ref, this->sweep(lu, this->make(data))->get_u_factor());
    for (size_type row = 0; row < u->get_size()[0]; ++row) {
        for (auto nz = u->get_const_row_ptrs()[row]; nz < u->get_const_row_ptrs()[row + 1]; ++nz) {
            expected_u->get_values()[nz] *= static_cast<real>(row % 2 == 0 ? 1 << 20 : 1);
        }
    }
    EXPECT_MTX_NEAR(u, expected_u, 0.0);
    EXPECT_EQ(this->failures->num, 0);
}

TYPED_TEST(Sweeps, OfTriangularMatricesAreExact)
{
    auto data = with_dominant_diagonal(random_sparse(this->engine, 200, 200, nnz_per_row(1, 6)));
    for (auto& entry : data.nonzeros) {
        entry.value = entry.row < entry.column ? 0.0 : entry.row == entry.column ? 3.0 : 1e4;
    }
    for (const size_type iterations : {0, 1, 5}) {
        const auto product = this->sweep(lu_kind<TypeParam>{}, this->make(data), iterations);

        this->expect_equal_factors(lu_kind<TypeParam>{}, *product, *this->expected(lu_kind<TypeParam>{}, data));
    }
    EXPECT_EQ(this->failures->num, 0);
}

TYPED_TEST(Sweeps, AreExactOrReplacedIfTheFirstResidualIsInfinite)
{
    // The first guess has squares of diagonal entries that are not positive.
    const auto a = share(this->csr(
        {{24, 16, 9, -3, 11}, {16, 23, 15, -2, 6}, {9, 15, 15, 8, -3}, {-3, -2, 8, 30, -21}, {11, 6, -3, -21, 20}}));
    const cholesky_kind<TypeParam> kind;
    const auto exact = this->factorize(kind, a);
    // The last pivot is the small difference of large numbers. Sweeps without a test accept 4.5
    // instead of 1.3.
    EXPECT_MTX_NEAR(this->sweep(kind, a)->get_l_factor(), exact->get_l_factor(), 0.6);
    EXPECT_MTX_NEAR(this->sweep(kind, a, 40)->get_l_factor(), exact->get_l_factor(), 1e-4);
}

TYPED_TEST(Sweeps, AreRefreshedInPlaceWithoutAllocations)
{
    this->for_each_kind(
        [&](auto kind) { this->expect_refreshed_in_place(kind, [&](const auto& a) { return this->sweep(kind, a); }); });
}

TYPED_TEST(Sweeps, TakeOptions)
{
    using Csr = typename TestFixture::Csr;
    const auto a = share(this->csr({{4, 1}, {1, 4}}));
    const auto lu = lu_kind<TypeParam>::by_sweeps::build()
                        .with_l_strategy(std::make_shared<typename Csr::merge_path>())
                        .with_u_strategy(std::make_shared<typename Csr::classical>())
                        .with_skip_sorting(true)
                        .on(this->exec)
                        ->generate(a);
    const auto lower =
        cholesky_kind<TypeParam>::by_sweeps::build().with_both_factors(false).on(this->exec)->generate(a);

    EXPECT_EQ(lu->get_l_factor()->get_strategy()->get_name(), "merge_path");
    EXPECT_EQ(lu->get_u_factor()->get_strategy()->get_name(), "classical");
    EXPECT_EQ(lower->get_operators().size(), 1u);
    EXPECT_MTX_NEAR(lower->get_lt_factor(), lower->get_l_factor()->conj_transpose(), 0.0);
    host_matrix unsorted{dim<2>{2, 2}};
    unsorted.nonzeros = {{0, 0, 2.0}, {1, 1, 4.0}, {1, 0, 1.0}};
    EXPECT_THROW_WITH(
        lu_kind<TypeParam>::by_sweeps::build().with_skip_sorting(true).on(this->exec)->generate(this->make(unsorted)),
        spruce::UnsupportedMatrixProperty, "row 1");
    EXPECT_THROW_WITH(this->sweep(lu_kind<TypeParam>{}, a, static_cast<size_type>(-1)), spruce::OutOfBoundsError,
                      "at most 2147483647");
    EXPECT_THROW(this->sweep(lu_kind<TypeParam>{}, share(this->csr({{1, 2, 3}, {4, 5, 6}}))),
                 spruce::DimensionMismatch);
}

}  // namespace
