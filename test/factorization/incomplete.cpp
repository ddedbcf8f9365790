// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "test/factorization/factorization_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::as;
using spruce::dim;
using spruce::share;
using spruce::size_type;

template <typename Types>
class Incomplete : public factorization_test<Types> {
protected:
    using typename factorization_test<Types>::V;
    using typename factorization_test<Types>::I;
    using typename factorization_test<Types>::Csr;
    using Ilu = spruce::factorization::Ilu<V, I>;
    using Ic = spruce::factorization::Ic<V, I>;

    /// Expects (L U)_ij = a_ij on the pattern of A.
    void expect_product_on_pattern(const Csr& l, const Csr& u, const host_matrix& a) const
    {
        const auto product = spruce::matrix::Dense<V>::create(this->ref);
        clone(this->ref, &l)->multiply(clone(this->ref, &u))->convert_to(product);
        const auto expected = make_dense<V>(this->ref, a);
        for (const auto& entry : a.nonzeros) {
            const auto value = expected->at(entry.row, entry.column);
            ASSERT_NEAR(std::abs(product->at(entry.row, entry.column) - value), 0.0,
                        100 * this->tolerance_of_sum(a.size[0]) * std::max<double>(1, std::abs(value)))
                << "entry (" << entry.row << ", " << entry.column << ')';
        }
    }
};
TYPED_TEST_SUITE(Incomplete, value_and_index_types, type_names);

TYPED_TEST(Incomplete, LuByHand)
{
    const auto a = share(this->csr({{2, 4, 0}, {1, 5, 6}, {4, 0, 7}}));

    const auto product = TestFixture::Ilu::build().on(this->exec)->generate(a);

    // The entries (2, 1) of L and U are outside the pattern and dropped.
    EXPECT_MTX_NEAR(product->get_l_factor(), this->dense({{1, 0, 0}, {0.5, 1, 0}, {2, 0, 1}}), 0.0);
    EXPECT_MTX_NEAR(product->get_u_factor(), this->dense({{2, 4, 0}, {0, 3, 6}, {0, 0, 7}}), 0.0);
    EXPECT_EQ(product->get_l_factor()->get_num_stored_elements(), 5u);
    EXPECT_EQ(product->get_u_factor()->get_num_stored_elements(), 5u);
    const auto x = this->apply(product, this->dense({{1}, {1}, {1}}));
    EXPECT_MTX_NEAR(x, this->dense({{6}, {12}, {19}}), 0.0);
}

TYPED_TEST(Incomplete, CholeskyByHand)
{
    using V = typename TestFixture::V;
    V value{2};
    if constexpr (spruce::is_complex<V>()) {
        value = V{0, 2};
    }
    const auto a = share(this->csr({{4, V{2} * spruce::conj(value), 2}, {V{2} * value, 5, 9}, {2, 0, 10}}));

    const auto product = TestFixture::Ic::build().on(this->exec)->generate(a);

    EXPECT_MTX_NEAR(product->get_l_factor(), this->dense({{2, 0, 0}, {value, 1, 0}, {1, 0, 3}}), this->epsilon());
    EXPECT_MTX_NEAR(product->get_lt_factor(), this->dense({{2, spruce::conj(value), 1}, {0, 1, 0}, {0, 0, 3}}),
                    this->epsilon());
    EXPECT_EQ(product->get_operators().size(), 2u);
    const auto lower = TestFixture::Ic::build().with_both_factors(false).on(this->exec)->generate(a);
    EXPECT_EQ(lower->get_operators().size(), 1u);
    EXPECT_MTX_NEAR(lower->get_lt_factor(), product->get_lt_factor(), 0.0);
}

TYPED_TEST(Incomplete, ProductsEqualTheMatrixOnItsPattern)
{
    this->for_each_kind([&](auto kind) {
        for (const auto& data : this->matrices()) {
            SCOPED_TRACE(testing::Message() << data.size[0] << " rows, " << data.nonzeros.size() << " entries");
            const auto a = kind.prepare(data);

            const auto product = this->factorize(kind, this->make(a));

            this->expect_product_on_pattern(*product->get_l_factor(), *kind.upper_factor(*product), a);
        }
    });
}

TYPED_TEST(Incomplete, EqualsReference)
{
    this->for_each_kind([&](auto kind) {
        for (const auto& data : this->matrices()) {
            SCOPED_TRACE(testing::Message() << data.size[0] << " rows, " << data.nonzeros.size() << " entries");
            const auto a = kind.prepare(data);
            const auto expected = this->expected(kind, a);

            const auto product = this->factorize(kind, this->make(a));
            const auto of_unsorted = this->factorize(kind, this->make(with_unsorted_columns(this->engine, a)));

            this->expect_equal_factors(kind, *product, *expected);
            EXPECT_MTX_STORED_ALIKE(of_unsorted->get_l_factor(), product->get_l_factor());
            EXPECT_MTX_STORED_ALIKE(kind.upper_factor(*of_unsorted), kind.upper_factor(*product));
        }
    });
}

TYPED_TEST(Incomplete, EqualsReferenceWithManyRowsInALevel)
{
    this->for_each_kind([&](auto kind) {
        const auto a = kind.prepare(with_dominant_diagonal(random_sparse(this->engine, 5000, 5000, nnz_per_row(0, 2))));

        this->expect_equal_factors(kind, *this->factorize(kind, this->make(a)), *this->expected(kind, a));
    });
}

TYPED_TEST(Incomplete, EqualsReferenceForRowsOfAllLengths)
{
    // GPUs choose the number of lanes for a row by the width of the band. Rows of more than four
    // entries for each lane are long.
    struct band {
        size_type half_width;
        size_type lanes;
    };
    for (const auto [half_width, lanes] : {band{1, 4}, band{4, 8}, band{8, 16}, band{20, 32}, band{35, 64}}) {
        const auto limit = 4 * lanes;
        for (const auto length : {limit, limit + 1}) {
            this->for_each_kind([&, half_width = half_width](auto kind) {
                for (const auto is_right : {false, true}) {
                    if (is_right && kind.is_hermitian) {
                        continue;  // only the lower triangle is used
                    }
                    SCOPED_TRACE(testing::Message() << half_width << ' ' << length << ' ' << is_right);
                    const auto upper = kind.is_hermitian ? 0 : half_width;
                    const auto a = kind.prepare(matrix_of_pattern(limit + 100, [&](size_type i, size_type j) {
                        const auto is_in = [&](size_type num, size_type last) { return j <= last && j + num > last; };
                        if (i % 50 == 49) {  // has this length unless the matrix ends
                            return is_in(length, is_right ? i + length - half_width : i + upper);
                        }
                        if (i % 50 == 0) {  // follows and depends on it
                            return is_in(limit, kind.is_hermitian ? i : i + limit / 2) || i == j;
                        }
                        return is_in(2 * half_width + 1, i + half_width);
                    }));

                    const auto product = this->factorize(kind, this->make(a));

                    this->expect_equal_factors(kind, *product, *this->expected(kind, a));
                }
            });
        }
    }
}

TYPED_TEST(Incomplete, EqualsReferenceForChainsOfRows)
{
    this->for_each_kind([&](auto kind) {
        const auto a = kind.prepare(chains_of_rows(20, 200));

        this->expect_equal_factors(kind, *this->factorize(kind, this->make(a)), *this->expected(kind, a));
    });
}

TYPED_TEST(Incomplete, EqualsReferenceForRowsOfDifferentLengths)
{
    // The elimination searches a short row in a long one.
    this->for_each_kind([&](auto kind) {
        const auto a = kind.prepare(matrix_of_pattern(
            150, [](auto row, auto col) { return row < 2 || col < 2 || row == col || (row + 7 * col) % 60 == 0; }));

        const auto product = this->factorize(kind, this->make(a));

        this->expect_equal_factors(kind, *product, *this->expected(kind, a));
        this->expect_product_on_pattern(*product->get_l_factor(), *kind.upper_factor(*product), a);
    });
}

TYPED_TEST(Incomplete, InsertsMissingDiagonalEntries)
{
    host_matrix data{dim<2>{3, 3}};
    data.nonzeros = {{0, 0, 2.0}, {0, 1, 4.0}, {1, 0, 3.0}, {1, 2, 5.0}, {2, 1, 6.0}, {2, 2, 1.0}};

    const auto product = this->factorize(lu_kind<TypeParam>{}, this->make(data));

    EXPECT_MTX_NEAR(product->get_l_factor(), this->dense({{1, 0, 0}, {1.5, 1, 0}, {0, -1, 1}}), 0.0);
    EXPECT_MTX_NEAR(product->get_u_factor(), this->dense({{2, 4, 0}, {0, -6, 5}, {0, 0, 6}}), 0.0);
}

TYPED_TEST(Incomplete, IgnoresTheUpperTriangleOfHermitianMatrices)
{
    const auto a = hermitian_from_lower(random_sparse(this->engine, 70, 70, nnz_per_row(0, 8)));
    host_matrix lower{a.size};
    for (const auto& entry : a.nonzeros) {
        if (entry.row >= entry.column) {
            lower.nonzeros.push_back(entry);
        }
    }

    const auto product = this->factorize(cholesky_kind<TypeParam>{}, this->make(lower));

    const auto expected = this->factorize(cholesky_kind<TypeParam>{}, this->make(a));
    EXPECT_MTX_NEAR(product->get_l_factor(), expected->get_l_factor(), 0.0);
}

TYPED_TEST(Incomplete, RepeatsToTheSameBits)
{
    this->for_each_kind([&](auto kind) {
        const auto a =
            this->make(kind.prepare(with_dominant_diagonal(random_sparse(this->engine, 300, 300, nnz_per_row(0, 20)))));
        const auto first = this->factorize(kind, a);

        const auto second = this->factorize(kind, a);

        EXPECT_MTX_STORED_ALIKE(second->get_l_factor(), first->get_l_factor());
        EXPECT_MTX_STORED_ALIKE(kind.upper_factor(*second), kind.upper_factor(*first));
    });
}

TYPED_TEST(Incomplete, NamesTheRowWithoutPivot)
{
    using spruce::InvalidStateError;
    const auto expect_row = [&](auto kind, const std::string& row, const auto& a) {
        EXPECT_THROW_WITH(this->factorize(kind, share(clone(a))), InvalidStateError, row);
    };
    const lu_kind<TypeParam> lu;
    const cholesky_kind<TypeParam> cholesky;
    expect_row(lu, "row 0", this->csr({{0, 1, 0}, {1, 1, 0}, {0, 0, 1}}));
    expect_row(lu, "row 1", this->csr({{1, 1, 0}, {1, 1, 0}, {0, 0, 1}}));
    expect_row(lu, "row 2", this->csr({{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}));
    expect_row(cholesky, "row 1", this->csr({{1, 1, 0}, {1, 1, 0}, {0, 0, 1}}));
    expect_row(cholesky, "row 1", this->csr({{1, 2, 0}, {2, 1, 0}, {0, 0, 1}}));
    expect_row(cholesky, "row 2", this->csr({{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}));
}

TYPED_TEST(Incomplete, RefusesPivotsOnGpusWhoseInverseIsInfinite)
{
    const auto tiny = static_cast<double>(std::numeric_limits<typename TestFixture::real>::min() / 8);
    const auto a = this->make(this->host({{1, 0, 0}, {0, tiny, 0}, {0, tiny, 1}}));
    const lu_kind<TypeParam> kind;

    if (this->exec->get_master() == this->exec) {
        EXPECT_MTX_NEAR(this->factorize(kind, a)->get_l_factor(), this->dense({{1, 0, 0}, {0, 1, 0}, {0, 1, 1}}), 0.0);
    } else {
        EXPECT_THROW_WITH(this->factorize(kind, a), spruce::InvalidStateError, "row 1 ");
    }
}

TYPED_TEST(Incomplete, NamesTheRowWithValuesThatAreNotFinite)
{
    using V = typename TestFixture::V;
    using real = spruce::remove_complex<V>;
    // The last value has the bits that GPUs store where a value is missing.
    const auto missing_bits = sizeof(real) == 4 ? std::uint64_t{0x7fa5a5a5} : std::uint64_t{0x7ff4a5a5a5a5a5a5};
    real missing;
    std::memcpy(&missing, &missing_bits, sizeof(real));
    const auto infinity = std::numeric_limits<real>::infinity();
    this->for_each_kind([&](auto kind) {
        const auto data =
            kind.prepare(matrix_of_pattern(100, [](size_type i, size_type j) { return i <= j + 1 && j <= i + 1; }));
        for (const auto& value : {spruce::nan<real>(), infinity, -infinity, missing}) {
            for (const size_type nz : {0, 150, 151}) {  // diagonal, left and right of it in the chain
                const auto a = make_csr<V, typename TestFixture::I>(this->ref, data);
                auto row = size_type{};
                while (static_cast<size_type>(a->get_const_row_ptrs()[row + 1]) <= nz) {
                    ++row;
                }
                const auto is_ignored = kind.is_hermitian && static_cast<size_type>(a->get_const_col_idxs()[nz]) > row;
                std::memcpy(static_cast<void*>(a->get_values() + nz), &value, sizeof(real));
                const auto local_a = share(clone(this->exec, a));

                if (is_ignored) {
                    EXPECT_NO_THROW(this->factorize(kind, local_a));
                } else {
                    EXPECT_THROW_WITH(this->factorize(kind, local_a), spruce::InvalidStateError,
                                      "row " + std::to_string(row) + " has");
                }
            }
        }
    });
}

TYPED_TEST(Incomplete, RefusesWrongMatrices)
{
    this->for_each_kind([&](auto kind) {
        const auto factory = decltype(kind)::type::build().on(this->exec);
        EXPECT_THROW(factory->generate(share(this->csr({{1, 2, 3}, {4, 5, 6}}))), spruce::DimensionMismatch);
        EXPECT_THROW(factory->generate(nullptr), spruce::NotSupported);
        host_matrix data{dim<2>{3, 3}};
        data.nonzeros = {{0, 0, 2.0}, {1, 1, 4.0}, {1, 1, 4.0}, {2, 2, 6.0}};
        EXPECT_THROW_WITH(factory->generate(this->make(data)), spruce::UnsupportedMatrixProperty, "row 1");
        data.nonzeros = {{0, 0, 2.0}, {1, 1, 4.0}, {2, 2, 6.0}, {2, 0, 1.0}};
        EXPECT_THROW_WITH(
            decltype(kind)::type::build().with_skip_sorting(true).on(this->exec)->generate(this->make(data)),
            spruce::UnsupportedMatrixProperty, "row 2");
    });
}

TYPED_TEST(Incomplete, TakesMatricesOfOtherFormatsAndUnusedStorage)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    this->for_each_kind([&](auto kind) {
        const auto data = kind.prepare(this->matrices()[5]);
        const auto expected = this->factorize(kind, this->make(data));
        const auto ell = share(spruce::matrix::Ell<V, I>::create(this->exec));
        this->make(data)->convert_to(ell);
        const auto a = make_csr<V, I>(this->ref, data);
        const auto nnz = a->get_num_stored_elements();
        spruce::array<V> values{this->ref, nnz + 40};
        spruce::array<I> cols{this->ref, nnz + 40};
        values.fill(V{7});
        cols.fill(I{3});
        std::copy_n(a->get_const_values(), nnz, values.get_data());
        std::copy_n(a->get_const_col_idxs(), nnz, cols.get_data());
        spruce::array<I> row_ptrs{this->ref, a->get_const_row_ptrs(), a->get_const_row_ptrs() + a->get_size()[0] + 1};
        const auto longer =
            share(clone(this->exec, TestFixture::Csr::create(this->ref, a->get_size(), values, cols, row_ptrs)));

        EXPECT_MTX_STORED_ALIKE(this->factorize(kind, ell)->get_l_factor(), expected->get_l_factor());
        EXPECT_MTX_STORED_ALIKE(this->factorize(kind, longer)->get_l_factor(), expected->get_l_factor());
    });
}

TYPED_TEST(Incomplete, GivesFactorsTheirStrategies)
{
    using Csr = typename TestFixture::Csr;
    const auto a = share(this->csr({{4, 1}, {1, 4}}));
    const auto lu = TestFixture::Ilu::build()
                        .with_l_strategy(std::make_shared<typename Csr::merge_path>())
                        .with_u_strategy(std::make_shared<typename Csr::classical>())
                        .on(this->exec)
                        ->generate(a);
    const auto cholesky = TestFixture::Ic::build()
                              .with_l_strategy(std::make_shared<typename Csr::merge_path>())
                              .on(this->exec)
                              ->generate(a);

    EXPECT_EQ(lu->get_l_factor()->get_strategy()->get_name(), "merge_path");
    EXPECT_EQ(lu->get_u_factor()->get_strategy()->get_name(), "classical");
    EXPECT_EQ(cholesky->get_l_factor()->get_strategy()->get_name(), "merge_path");
    EXPECT_EQ(cholesky->get_lt_factor()->get_strategy()->get_name(), "merge_path");
}

TYPED_TEST(Incomplete, IsRefreshedInPlaceWithoutAllocations)
{
    this->for_each_kind([&](auto kind) {
        this->expect_refreshed_in_place(kind, [&](const auto& a) { return this->factorize(kind, a); });
    });
}

TYPED_TEST(Incomplete, RefreshRefusesOtherPatternsAndBadValuesAndChangesNothing)
{
    const auto not_a_number = spruce::nan<typename TestFixture::V>();
    const auto a = share(this->csr({{4, 1, 0}, {1, 4, 0}, {0, 2, 4}}));
    const auto check = [&](auto kind, const auto& product) {
        const auto l = clone(product->get_l_factor());
        const auto u = clone(kind.upper_factor(*product));

        EXPECT_THROW(product->refresh(share(this->csr({{4, 1}, {1, 4}}))), spruce::UnsupportedMatrixProperty);
        EXPECT_THROW(product->refresh(share(this->csr({{4, 1, 1}, {1, 4, 0}, {0, 2, 4}}))),
                     spruce::UnsupportedMatrixProperty);
        EXPECT_THROW_WITH(product->refresh(share(this->csr({{4, 1, 0}, {1, 4, 0}, {2, 0, 4}}))),
                          spruce::UnsupportedMatrixProperty, "row 2");
        EXPECT_THROW_WITH(product->refresh(share(this->csr({{1, 1, 0}, {1, 1, 0}, {0, 2, 4}}))),
                          spruce::InvalidStateError, "row 1");
        EXPECT_THROW_WITH(product->refresh(share(this->csr({{4, 1, 0}, {1, not_a_number, 0}, {0, 2, 4}}))),
                          spruce::InvalidStateError, "row 1");
        EXPECT_THROW(product->refresh(nullptr), spruce::NotSupported);

        EXPECT_MTX_STORED_ALIKE(product->get_l_factor(), l);
        EXPECT_MTX_STORED_ALIKE(kind.upper_factor(*product), u);
        product->refresh(a);
        EXPECT_MTX_STORED_ALIKE(product->get_l_factor(), l);
    };
    this->for_each_kind([&](auto kind) {
        check(kind, this->factorize(kind, a));
        SCOPED_TRACE("by sweeps");
        check(kind, decltype(kind)::by_sweeps::build().on(this->exec)->generate(a));
    });
}

TYPED_TEST(Incomplete, RefreshNamesRowsWithOtherEntriesInTheLowerTriangle)
{
    // Both have five entries. Entries above the diagonal do not count for Hermitian matrices.
    const auto upper = share(this->csr({{4, 1, 0}, {0, 4, 1}, {0, 0, 4}}));
    const auto lower = share(this->csr({{4, 0, 0}, {1, 4, 0}, {0, 1, 4}}));
    this->for_each_kind([&](auto kind) {
        const auto product = this->factorize(kind, upper);
        EXPECT_THROW_WITH(product->refresh(lower), spruce::UnsupportedMatrixProperty,
                          kind.is_hermitian ? "row 1" : "row 0");
        const auto of_lower = this->factorize(kind, lower);
        EXPECT_THROW_WITH(of_lower->refresh(upper), spruce::UnsupportedMatrixProperty,
                          kind.is_hermitian ? "row 1" : "row 0");
    });
}

TYPED_TEST(Incomplete, RefreshComparesUnsortedRowsAndRowsWithoutDiagonalEntry)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto make = [&](std::vector<I> row_ptrs, std::vector<I> cols) {
        std::vector<V> values(cols.size(), V{1});
        for (I row = 0; row < 3; ++row) {
            for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
                values[nz] = cols[nz] == row ? V{8} : V{1};
            }
        }
        return share(TestFixture::Csr::create(this->exec, dim<2>{3, 3},
                                              spruce::array<V>(this->ref, values.begin(), values.end()),
                                              spruce::array<I>(this->ref, cols.begin(), cols.end()),
                                              spruce::array<I>(this->ref, row_ptrs.begin(), row_ptrs.end())));
    };
    this->for_each_kind([&](auto kind) {
        const auto product = this->factorize(kind, make({0, 1, 2, 5}, {0, 1, 2, 0, 1}));
        EXPECT_THROW_WITH(product->refresh(make({0, 1, 2, 5}, {0, 1, 2, 0, 0})), spruce::UnsupportedMatrixProperty,
                          "row 2");
        EXPECT_THROW_WITH(product->refresh(make({0, 1, 2, 4}, {0, 1, 2, 0})), spruce::UnsupportedMatrixProperty,
                          "row 2");
        EXPECT_THROW_WITH(product->refresh(make({0, 1, 3, 5}, {0, 1, 0, 2, 0})), spruce::UnsupportedMatrixProperty,
                          "row 1");
        EXPECT_NO_THROW(product->refresh(make({0, 1, 2, 5}, {0, 1, 2, 0, 1, 7})));  // with unused storage
    });
}

TYPED_TEST(Incomplete, IsCopiedAndMoved)
{
    this->for_each_kind([&](auto kind) {
        using Product = typename decltype(kind)::type;
        const auto a = share(this->csr({{4, 1}, {1, 4}}));
        const auto product = this->factorize(kind, a);
        const auto l = product->get_l_factor();

        const auto copy = clone(product);
        const auto host_copy = clone(this->ref, product);
        const auto moved = product->create_default();
        moved->move_from(product);

        EXPECT_EQ(as<Product>(copy.get())->get_l_factor(), l);
        EXPECT_EQ(as<Product>(moved.get())->get_l_factor(), l);
        EXPECT_MTX_NEAR(as<Product>(host_copy.get())->get_l_factor(), l, 0.0);
        EXPECT_EQ(product->get_l_factor(), nullptr);
        EXPECT_THROW(product->refresh(a), spruce::NotSupported);
        as<Product>(moved.get())->refresh(share(this->csr({{16, 4}, {4, 17}})));
        EXPECT_MTX_NEAR(as<Product>(copy.get())->get_l_factor(),
                        kind.is_hermitian ? this->dense({{4, 0}, {1, 4}}) : this->dense({{1, 0}, {0.25, 1}}), 0.0);
    });
}

TYPED_TEST(Incomplete, FactorizesOnTwoExecutorsAtOnce)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    this->for_each_kind([&](auto kind) {
        const auto data =
            kind.prepare(with_dominant_diagonal(random_sparse(this->engine, 400, 400, nnz_per_row(0, 8))));
        const auto expected = this->expected(kind, data);
        std::vector<std::shared_ptr<spruce::Executor>> executors{this->exec, test_executor()};
        std::vector<std::unique_ptr<typename decltype(kind)::type>> results(2);
        std::vector<std::thread> threads;
        for (int i = 0; i < 2; ++i) {
            threads.emplace_back([&, i] {
                const auto a = share(make_csr<V, I>(executors[i], data));
                results[i] = this->factorize(kind, a);
                results[i]->refresh(a);
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        for (const auto& result : results) {
            this->expect_equal_factors(kind, *result, *expected);
        }
    });
}

}  // namespace
