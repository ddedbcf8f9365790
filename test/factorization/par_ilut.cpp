// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the factorizations whose pattern is chosen by the size of entries, ParIlut and ParIct.

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "test/factorization/factorization_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::share;
using spruce::size_type;

template <typename Types>
class ParIlut : public factorization_test<Types> {
protected:
    using typename factorization_test<Types>::V;
    using typename factorization_test<Types>::I;
    using typename factorization_test<Types>::Csr;

    template <typename Kind>
    static auto factorize_by_threshold(Kind, std::shared_ptr<const spruce::LinOp> a, double fill_in_limit = 2.0,
                                       size_type iterations = 5)
    {
        return Kind::by_threshold::build()
            .with_fill_in_limit(fill_in_limit)
            .with_iterations(iterations)
            .on(a->get_executor())
            ->generate(a);
    }

    /// Returns the Frobenius norm of A minus the product of the factors, divided by that of A.
    template <typename Kind, typename Product>
    double residual_of(Kind kind, const Product& product, const host_matrix& data) const
    {
        const auto a = make_csr<V, I>(this->ref, data);
        const auto l = clone(this->ref, product.get_l_factor());
        const auto u = clone(this->ref, kind.upper_factor(product));
        const auto one = spruce::initialize<spruce::matrix::Dense<V>>({V{1}}, this->ref);
        const auto minus_one = spruce::initialize<spruce::matrix::Dense<V>>({V{-1}}, this->ref);
        const auto difference = l->multiply_add(minus_one, u, one, a);
        return norm_of(*difference) / norm_of(*a);
    }
    static double norm_of(const Csr& a)
    {
        double sum{};
        for (size_type nz = 0; nz < a.get_num_stored_elements(); ++nz) {
            sum += static_cast<double>(spruce::squared_norm(a.get_const_values()[nz]));
        }
        return std::sqrt(sum);
    }

    using pattern = std::set<std::pair<size_type, size_type>>;

    static pattern pattern_of(const Csr& matrix)
    {
        const auto a = clone(matrix.get_executor()->get_master(), &matrix);
        pattern result;
        for (size_type row = 0; row < a->get_size()[0]; ++row) {
            for (auto nz = a->get_const_row_ptrs()[row]; nz < a->get_const_row_ptrs()[row + 1]; ++nz) {
                result.emplace(row, static_cast<size_type>(a->get_const_col_idxs()[nz]));
            }
        }
        return result;
    }

    /// Returns the patterns of complete factors of a matrix with a full diagonal.
    static std::pair<pattern, pattern> complete_patterns(const host_matrix& data)
    {
        std::vector<std::set<size_type>> rows(data.size[0]);
        for (const auto& entry : data.nonzeros) {
            rows[static_cast<size_type>(entry.row)].insert(static_cast<size_type>(entry.column));
        }
        std::pair<pattern, pattern> result;
        for (size_type row = 0; row < rows.size(); ++row) {
            for (auto col = rows[row].begin(); *col < row; ++col) {
                rows[row].insert(rows[*col].upper_bound(*col), rows[*col].end());
            }
            for (const auto col : rows[row]) {
                if (col <= row) {
                    result.first.emplace(row, col);
                }
                if (col >= row) {
                    result.second.emplace(row, col);
                }
            }
        }
        return result;
    }

    /// Returns an upwind discretization of convection and diffusion on a grid.
    static host_matrix convection(size_type width)
    {
        auto data = poisson_2d(width);
        for (auto& entry : data.nonzeros) {
            if (entry.row > entry.column) {
                entry.value *= 1.8;
            } else if (entry.row == entry.column) {
                entry.value *= 1.4;
            }
        }
        return data;
    }

    /// Returns a discretization of convection on a grid in random directions with a small diagonal.
    host_matrix with_random_flow(size_type width)
    {
        std::uniform_real_distribution<double> distribution{-2.0, 2.0};
        auto data = poisson_2d(width);
        for (auto& entry : data.nonzeros) {
            entry.value = entry.row == entry.column ? 1.0 : distribution(this->engine) - 1.0;
        }
        return data;
    }

    /// Returns the norm of v - A U^-1 L^-1 v divided by that of v, for a random vector v.
    template <typename Product>
    double error_of_inverse(const Csr& a, const std::shared_ptr<Product>& factors)
    {
        using Dense = spruce::matrix::Dense<V>;
        const auto inverse = spruce::preconditioner::Ilu<V, V, false, I>::build().on(this->exec)->generate(factors);
        const auto vector = this->random_dense(a.get_size()[0], 1);
        const auto solution = vector->clone();
        const auto error = vector->clone();
        inverse->apply(vector, solution);
        a.apply(spruce::initialize<Dense>({V(-1)}, this->exec), solution, spruce::initialize<Dense>({V(1)}, this->exec),
                error);
        return norm_of(*error) / norm_of(*vector);
    }
    static double norm_of(const spruce::matrix::Dense<V>& vector)
    {
        const auto host_vector = clone(vector.get_executor()->get_master(), &vector);
        double sum{};
        for (size_type i = 0; i < vector.get_size()[0]; ++i) {
            sum += static_cast<double>(spruce::squared_norm(host_vector->at(i, 0)));
        }
        return std::sqrt(sum);
    }

    /// Returns a matrix of a grid that fits the kind of factorization.
    template <typename Kind>
    static host_matrix grid(Kind, size_type width)
    {
        return Kind::is_hermitian ? poisson_2d(width) : convection(width);
    }

    /// Returns a matrix with a diagonal, its two neighbours, and a dense column and, optionally,
    /// row.
    host_matrix with_long_column(size_type size, size_type column, bool has_long_row)
    {
        std::uniform_real_distribution<double> distribution{0.5, 1.0};
        host_matrix data{dim<2>{size, size}};
        for (size_type i = 0; i < size; ++i) {
            for (const auto j : std::set<size_type>{i == 0 ? 0 : i - 1, std::min(i + 1, size - 1), column}) {
                if (i != j) {
                    data.nonzeros.emplace_back(i, j, distribution(this->engine));
                }
            }
            if (has_long_row && i + 1 < column) {
                data.nonzeros.emplace_back(column, i, distribution(this->engine));
            } else if (has_long_row && i > column + 1) {
                data.nonzeros.emplace_back(column, i, distribution(this->engine));
            }
        }
        return with_dominant_diagonal(std::move(data));
    }
};
TYPED_TEST_SUITE(ParIlut, value_and_index_types, type_names);

TYPED_TEST(ParIlut, ChoosesEntriesByHand)
{
    // Elimination of the first column changes the entries (1, 2), (1, 3) and (2, 3) by -1, -1/4 and
    // -1/8. There are 7 entries in a triangle of A.
    const auto a = share(this->csr({{8, 4, 2, 0.5f}, {4, 8, 0, 0}, {2, 0, 8, 0}, {0.5f, 0, 0, 8}}));
    typename TestFixture::pattern expected{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 2}, {3, 3}};
    this->for_each_kind([&](auto kind) {
        const auto six = this->factorize_by_threshold(kind, a, 6.5 / 7);
        auto lower = expected;
        EXPECT_TRUE(this->pattern_of(*six->get_l_factor()) == lower);
        EXPECT_EQ(kind.upper_factor(*six)->get_num_stored_elements(), 6u);

        const auto eight = this->factorize_by_threshold(kind, a, 8.5 / 7);
        lower.insert({{2, 1}, {3, 0}});
        EXPECT_TRUE(this->pattern_of(*eight->get_l_factor()) == lower);
        EXPECT_EQ(kind.upper_factor(*eight)->get_num_stored_elements(), 8u);
    });
}

TYPED_TEST(ParIlut, HasTheRequestedNumberOfEntries)
{
    const size_type width = is_simulated(*this->exec) ? 12 : 40;
    this->for_each_kind([&](auto kind) {
        const auto data = this->grid(kind, width);
        const auto a = this->make(data);
        const auto initial = this->factorize(kind, a)->get_l_factor()->get_num_stored_elements();
        const std::vector<double> limits =
            is_simulated(*this->exec) ? std::vector{0.7, 2.0} : std::vector{0.1, 0.7, 1.0, 1.3, 2.0};
        for (const auto limit : limits) {
            for (const auto approximate : {false, true}) {
                SCOPED_TRACE(testing::Message() << limit << (approximate ? " approximately" : ""));

                const auto product = decltype(kind)::by_threshold::build()
                                         .with_fill_in_limit(limit)
                                         .with_approximate_select(approximate)
                                         .on(this->exec)
                                         ->generate(a);

                for (const auto& factor : {product->get_l_factor(), kind.upper_factor(*product)}) {
                    const auto expected =
                        std::max(limit * static_cast<double>(initial), static_cast<double>(width * width));
                    EXPECT_LE(factor->get_num_stored_elements(), expected);
                    EXPECT_GE(factor->get_num_stored_elements(), 0.98 * expected);
                    const auto entries = this->pattern_of(*factor);
                    for (size_type row = 0; row < width * width; ++row) {
                        EXPECT_EQ(entries.count({row, row}), 1u);
                    }
                }
            }
        }
    });
}

TYPED_TEST(ParIlut, ApproachesAWithIterationsAndFill)
{
    this->for_each_kind([&](auto kind) {
        const auto data = this->grid(kind, 12);
        const auto a = this->make(data);
        auto last = this->residual_of(kind, *this->factorize(kind, a), data);
        for (const size_type iterations : {1, 2, 4}) {
            SCOPED_TRACE(testing::Message() << iterations << " iterations");
            const auto residual =
                this->residual_of(kind, *this->factorize_by_threshold(kind, a, 100.0, iterations), data);
            EXPECT_LT(residual, last);
            last = residual;
        }
        last = std::numeric_limits<double>::max();
        for (const size_type iterations : {1, 2, 3, 4, 5}) {
            SCOPED_TRACE(testing::Message() << iterations << " iterations, limit 2");
            const auto residual =
                this->residual_of(kind, *this->factorize_by_threshold(kind, a, 2.0, iterations), data);
            EXPECT_LE(residual, 1.001 * last);
            last = residual;
        }
        last = std::numeric_limits<double>::max();
        for (const auto limit : {0.5, 1.0, 1.5, 2.0, 3.0}) {
            SCOPED_TRACE(testing::Message() << "limit " << limit);
            const auto residual = this->residual_of(kind, *this->factorize_by_threshold(kind, a, limit, 8), data);
            EXPECT_LT(residual, last);
            last = residual;
        }
    });
}

TYPED_TEST(ParIlut, IsCompleteIfTheLimitIsLarge)
{
    this->for_each_kind([&](auto kind) {
        for (const auto& data :
             {kind.prepare(with_dominant_diagonal(random_sparse(this->engine, 40, 40, nnz_per_row(0, 3)))),
              this->grid(kind, 6)}) {
            const auto product = this->factorize_by_threshold(kind, this->make(data), 1e300, 12);

            const auto [lower, upper] = this->complete_patterns(data);
            EXPECT_TRUE(this->pattern_of(*product->get_l_factor()) == lower);
            EXPECT_TRUE(this->pattern_of(*kind.upper_factor(*product)) == upper);
            EXPECT_LE(this->residual_of(kind, *product, data), 0.02);
        }
    });
}

TYPED_TEST(ParIlut, SolvesSystemsForWhichFactorsWithoutFillDoNotExist)
{
    // An example of Kershaw 1978: the last pivot of IC(0) is negative.
    const auto data = this->host({{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}});
    const cholesky_kind<TypeParam> kind;
    EXPECT_THROW(this->factorize(kind, this->make(data)), spruce::InvalidStateError);

    const auto product = this->factorize_by_threshold(kind, this->make(data));

    // Sweeps are accepted if the root mean square of the residuals of entries, relative to their
    // terms, is 0.02. The last pivot is the small difference of large terms.
    EXPECT_LE(this->residual_of(kind, *product, data), 0.05);
}

TYPED_TEST(ParIlut, HasThePatternOfAIfTheChosenOneHasNoFactors)
{
    // Positive definite. Without the smallest entries, a pivot is negative.
    const auto data = this->host({{8, -2, -2, -5, 4, -3, 4},
                                  {-2, 10, 6, 2, -2, 3, -2},
                                  {-2, 6, 10, 6, 0, 6, 0},
                                  {-5, 2, 6, 11, 0, 3, 0},
                                  {4, -2, 0, 0, 5, -2, 4},
                                  {-3, 3, 6, 3, -2, 8, -2},
                                  {4, -2, 0, 0, 4, -2, 5}});
    const cholesky_kind<TypeParam> kind;
    const auto a = this->make(data);

    const auto product = this->factorize_by_threshold(kind, a, 0.8);

    const auto expected = this->factorize(kind, a);
    EXPECT_TRUE(this->pattern_of(*product->get_l_factor()) == this->pattern_of(*expected->get_l_factor()));
    product->refresh(a);
    EXPECT_LE(this->residual_of(kind, *product, data), 2 * this->residual_of(kind, *expected, data) + 0.05);
}

TYPED_TEST(ParIlut, HasThePatternOfAIfFillInMakesTheFactorsUnstable)
{
    const lu_kind<TypeParam> kind;
    int num_rejected = 0;
    for (int i = 0; i < 6; ++i) {
        const auto a = this->make(this->with_random_flow(12));
        const auto without_fill_in = share(this->factorize(kind, a));

        const auto failures = std::make_shared<FailureCounter>();
        const auto factory = share(decltype(kind)::by_threshold::build().on(this->exec));
        factory->add_logger(failures);
        const auto product = share(factory->generate(a));

        const auto is_rejected =
            this->pattern_of(*product->get_l_factor()) == this->pattern_of(*without_fill_in->get_l_factor());
        num_rejected += is_rejected ? 1 : 0;
        if (is_rejected) {
            EXPECT_EQ(failures->num, 1);
            EXPECT_EQ(failures->last, product.get());
            product->refresh(a);
            EXPECT_MTX_NEAR(product->get_l_factor(), without_fill_in->get_l_factor(), 1000 * this->epsilon());
        }
        // Other vectors than that of the factorization may give a larger error.
        constexpr auto other_vectors = 100.0;
        EXPECT_LE(this->error_of_inverse(*a, product),
                  other_vectors * std::max(1000.0, this->error_of_inverse(*a, without_fill_in)));
    }
    EXPECT_GT(num_rejected, 0);
    EXPECT_LT(num_rejected, 6);
}

TYPED_TEST(ParIlut, IgnoresEntriesAboveTheDiagonalOfHermitianMatrices)
{
    const cholesky_kind<TypeParam> kind;
    const auto data = poisson_2d(12);
    auto with_nan = data;
    auto without = data;
    without.nonzeros.clear();
    for (auto& entry : with_nan.nonzeros) {
        if (entry.row < entry.column) {
            entry.value = std::numeric_limits<double>::quiet_NaN();
        } else {
            without.nonzeros.push_back(entry);
        }
    }

    const auto expected = this->factorize_by_threshold(kind, this->make(data));
    const auto failures = std::make_shared<FailureCounter>();
    const auto factory = decltype(kind)::by_threshold::build().on(this->exec);
    factory->add_logger(failures);

    for (const auto& other : {with_nan, without}) {
        const auto found = factory->generate(this->make(other));
        EXPECT_MTX_NEAR(found->get_l_factor(), expected->get_l_factor(), 0.0);
        EXPECT_TRUE(this->pattern_of(*found->get_l_factor()) == this->pattern_of(*expected->get_l_factor()));
    }
    EXPECT_EQ(failures->num, 0);
}

TYPED_TEST(ParIlut, HasSymmetricPatternsForSymmetricMatrices)
{
    for (const auto& data :
         {poisson_2d(14), hermitian_from_lower(random_sparse(this->engine, 150, 150, nnz_per_row(0, 4)))}) {
        const lu_kind<TypeParam> kind;

        const auto product = this->factorize_by_threshold(kind, this->make(data), 1.7);

        auto transposed = typename TestFixture::pattern{};
        for (const auto& [row, col] : this->pattern_of(*product->get_u_factor())) {
            transposed.emplace(col, row);
        }
        const auto lower = this->pattern_of(*product->get_l_factor());
        // Entries at opposite positions have the same size, up to rounding errors.
        size_type num_different{};
        for (const auto& entry : lower) {
            num_different += 1 - transposed.count(entry);
        }
        EXPECT_LE(num_different, lower.size() / 100);
    }
}

TYPED_TEST(ParIlut, EqualsReference)
{
    this->for_each_kind([&](auto kind) {
        const auto simulated = is_simulated(*this->exec);  // which is slow
        std::vector<host_matrix> cases{this->grid(kind, simulated ? 8 : 12)};
        for (auto& data : this->matrices()) {
            if (data.nonzeros.size() < (simulated ? 400u : 10000u)) {
                cases.push_back(kind.prepare(data));
            }
        }
        for (const auto& data : cases) {
            for (const auto limit : {0.8, 2.0}) {
                SCOPED_TRACE(testing::Message() << data.size[0] << " rows, " << data.nonzeros.size() << " entries");
                const auto expected = this->factorize_by_threshold(
                    kind, share(make_csr<typename TestFixture::V, typename TestFixture::I>(this->ref, data)), limit);

                const auto product = this->factorize_by_threshold(kind, this->make(data), limit);

                EXPECT_TRUE(this->pattern_of(*product->get_l_factor()) == this->pattern_of(*expected->get_l_factor()));
                this->expect_equal_factors(kind, *product, *expected);
                if (limit < 1) {
                    continue;
                }
                const auto of_unsorted =
                    this->factorize_by_threshold(kind, this->make(with_unsorted_columns(this->engine, data)), limit);
                EXPECT_MTX_STORED_ALIKE(of_unsorted->get_l_factor(), product->get_l_factor());
                EXPECT_MTX_STORED_ALIKE(kind.upper_factor(*of_unsorted), kind.upper_factor(*product));
            }
        }
    });
}

TYPED_TEST(ParIlut, NeedsWorkspaceInProportionToTheEntries)
{
    using Dense = typename TestFixture::Dense;
    // The simulated device is slow, and sweeps of the reference take quadratic time for long rows.
    const auto is_reference = std::dynamic_pointer_cast<spruce::ReferenceExecutor>(this->exec) != nullptr;
    const size_type size = is_simulated(*this->exec) || is_reference ? 400 : 20000;
    this->for_each_kind([&](auto kind) {
        const std::vector<std::pair<size_type, bool>> cases{{0, true}, {size / 3, true}, {0, false}};
        for (const auto& [column, has_long_row] : cases) {
            SCOPED_TRACE(testing::Message() << "column " << column << (has_long_row ? " and row" : ""));
            const auto data = kind.prepare(this->with_long_column(size, column, has_long_row));
            const auto a = this->make(data);
            const auto before = this->exec->get_counters();

            const auto product = this->factorize_by_threshold(kind, a, 2.0, 2);

            // Each of the about 12 entries of L and U in a row is in at most 33 products, for each
            // of which up to 50 bytes are allocated. All products of the long column and the long
            // row would take more than 12 size^2 bytes.
            const auto bytes = (this->exec->get_counters() - before).allocated_bytes;
            EXPECT_LE(bytes, 2 * 12 * 33 * 50 * size);
            const auto b = this->random_dense(size, 1);
            const auto expected = Dense::create(this->exec, b->get_size());
            const auto found = Dense::create(this->exec, b->get_size());
            a->apply(b, expected);
            product->apply(b, found);
            EXPECT_MTX_NEAR(found, expected, 0.05);
        }
    });
}

TYPED_TEST(ParIlut, RepeatsToTheSameBits)
{
    this->for_each_kind([&](auto kind) {
        const auto a =
            this->make(kind.prepare(with_dominant_diagonal(random_sparse(this->engine, 200, 200, nnz_per_row(0, 6)))));
        const auto first = this->factorize_by_threshold(kind, a);

        const auto second = this->factorize_by_threshold(kind, a);
        first->refresh(a);

        EXPECT_MTX_STORED_ALIKE(second->get_l_factor(), first->get_l_factor());
        EXPECT_MTX_STORED_ALIKE(kind.upper_factor(*second), kind.upper_factor(*first));
    });
}

TYPED_TEST(ParIlut, IsRefreshedInPlaceWithoutAllocations)
{
    this->for_each_kind([&](auto kind) {
        auto sorted = kind.prepare(with_dominant_diagonal(random_sparse(this->engine, 150, 150, nnz_per_row(0, 5))));
        for (const auto& data : {sorted, with_unsorted_columns(this->engine, sorted)}) {
            auto other_data = data;
            for (auto& entry : other_data.nonzeros) {
                entry.value *= entry.row == entry.column ? 3.0 : 0.5;
            }
            const auto product = this->factorize_by_threshold(kind, this->make(data));
            const auto other = this->make(other_data);
            const auto l = product->get_l_factor();
            const auto u = kind.upper_factor(*product);
            const auto lower = this->pattern_of(*l);
            const auto before = this->exec->get_counters();

            product->refresh(other);

            EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
            EXPECT_EQ(product->get_l_factor(), l);
            EXPECT_EQ(kind.upper_factor(*product), u);
            EXPECT_TRUE(this->pattern_of(*l) == lower);
            EXPECT_LE(this->residual_of(kind, *product, other_data), 0.02);
        }
    });
}

TYPED_TEST(ParIlut, StopsWhenFillAndResidualHaveSettled)
{
    this->for_each_kind([&](auto kind) {
        const auto a = this->make(this->grid(kind, 6));
        const auto num_allocations = [&](size_type iterations) {
            const auto before = this->exec->get_counters();
            this->factorize_by_threshold(kind, a, 1e300, iterations);
            return (this->exec->get_counters() - before).allocations;
        };

        EXPECT_LT(num_allocations(1), num_allocations(3));
        EXPECT_EQ(num_allocations(100), num_allocations(40));
    });
}

TYPED_TEST(ParIlut, RefusesAnotherPatternInARefresh)
{
    this->for_each_kind([&](auto kind) {
        const auto data = this->grid(kind, 5);
        const auto product = this->factorize_by_threshold(kind, this->make(data), 0.7);
        const auto l = clone(product->get_l_factor());
        auto other = data;
        for (auto& entry : other.nonzeros) {
            entry.column = entry.row == 7 && entry.column == 2 ? 3 : entry.column;
        }

        EXPECT_THROW_WITH(product->refresh(this->make(other)), spruce::UnsupportedMatrixProperty, "row 7");
        EXPECT_THROW(product->refresh(this->make(this->grid(kind, 4))), spruce::UnsupportedMatrixProperty);
        auto zeros = data;
        for (auto& entry : zeros.nonzeros) {
            entry.value = entry.row == 3 ? 0.0 : entry.value;
        }
        EXPECT_THROW_WITH(product->refresh(this->make(zeros)), spruce::InvalidStateError, "row 3");
        EXPECT_MTX_STORED_ALIKE(product->get_l_factor(), l);
    });
}

TYPED_TEST(ParIlut, RefusesBadInput)
{
    this->for_each_kind([&](auto kind) {
        using spruce::InvalidStateError;
        using spruce::OutOfBoundsError;
        using V = typename TestFixture::V;
        const auto a = share(this->csr({{4, 1}, {1, 4}}));
        const auto factorize = [&](auto matrix, double limit = 2.0, size_type iterations = 5) {
            return this->factorize_by_threshold(kind, share(std::move(matrix)), limit, iterations);
        };

        EXPECT_THROW_WITH(factorize(clone(a), 2.0, 0), OutOfBoundsError, "iterations 0");
        for (const auto limit : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
            EXPECT_THROW_WITH(factorize(clone(a), limit), OutOfBoundsError, "fill_in_limit");
        }
        EXPECT_THROW(factorize(this->csr({{1, 2, 3}, {4, 5, 6}})), spruce::DimensionMismatch);
        EXPECT_THROW_WITH(factorize(this->csr({{4, 1, 0}, {1, 4, 0}, {0, 0, 0}})), InvalidStateError, "row 2");
        EXPECT_THROW_WITH(factorize(this->csr({{1, 1, 0}, {1, 1, 0}, {0, 0, 1}})), InvalidStateError, "row 1");
        const V infinity{std::numeric_limits<spruce::remove_complex<V>>::infinity()};
        const V not_a_number{spruce::nan<spruce::remove_complex<V>>()};
        for (const auto value : {infinity, not_a_number}) {
            EXPECT_THROW_WITH(factorize(this->csr({{4, 1, 0}, {1, 4, 1}, {0, value, 4}})), InvalidStateError, "row 2");
        }
        host_matrix twice{dim<2>{2, 2}};
        twice.nonzeros = {{0, 0, 2.0}, {1, 0, 1.0}, {1, 0, 1.0}, {1, 1, 4.0}};
        EXPECT_THROW_WITH(factorize(this->make(twice)), spruce::UnsupportedMatrixProperty, "row 1");
    });
}

TYPED_TEST(ParIlut, FactorizesSmallestMatrices)
{
    this->for_each_kind([&](auto kind) {
        const auto empty = this->factorize_by_threshold(kind, this->make(host_matrix{dim<2>{0, 0}}));
        EXPECT_EQ(empty->get_l_factor()->get_size(), (dim<2>{0, 0}));

        const auto one = this->factorize_by_threshold(kind, share(this->csr({{4}})));
        EXPECT_LE(this->residual_of(kind, *one, this->host({{4}})), 4 * this->epsilon());

        const auto diagonal = this->factorize_by_threshold(kind, share(this->csr({{4, 0}, {0, 9}})), 0.5);
        EXPECT_LE(this->residual_of(kind, *diagonal, this->host({{4, 0}, {0, 9}})), 4 * this->epsilon());
    });
}

TYPED_TEST(ParIlut, InsertsMissingDiagonalEntries)
{
    host_matrix data{dim<2>{3, 3}};
    data.nonzeros = {{0, 0, 2.0}, {0, 1, 4.0}, {1, 0, 3.0}, {1, 2, 5.0}, {2, 1, 6.0}, {2, 2, 1.0}};

    const auto product = this->factorize_by_threshold(lu_kind<TypeParam>{}, this->make(data));

    EXPECT_EQ(product->get_u_factor()->get_num_stored_elements(), 5u);
    EXPECT_LE(this->residual_of(lu_kind<TypeParam>{}, *product, data), 0.02);
}

TYPED_TEST(ParIlut, TakesOptions)
{
    using Csr = typename TestFixture::Csr;
    const auto a = share(this->csr({{4, 1}, {1, 4}}));
    const auto lu = lu_kind<TypeParam>::by_threshold::build()
                        .with_l_strategy(std::make_shared<typename Csr::merge_path>())
                        .with_u_strategy(std::make_shared<typename Csr::classical>())
                        .with_deterministic_sample(true)
                        .with_skip_sorting(true)
                        .on(this->exec)
                        ->generate(a);
    const auto cholesky = cholesky_kind<TypeParam>::by_threshold::build()
                              .with_l_strategy(std::make_shared<typename Csr::merge_path>())
                              .with_lt_strategy(std::make_shared<typename Csr::classical>())
                              .on(this->exec)
                              ->generate(a);

    EXPECT_EQ(lu->get_l_factor()->get_strategy()->get_name(), "merge_path");
    EXPECT_EQ(lu->get_u_factor()->get_strategy()->get_name(), "classical");
    EXPECT_EQ(cholesky->get_l_factor()->get_strategy()->get_name(), "merge_path");
    EXPECT_EQ(cholesky->get_lt_factor()->get_strategy()->get_name(), "classical");
    host_matrix unsorted{dim<2>{2, 2}};
    unsorted.nonzeros = {{0, 0, 2.0}, {1, 1, 4.0}, {1, 0, 1.0}};
    EXPECT_THROW_WITH(lu_kind<TypeParam>::by_threshold::build()
                          .with_skip_sorting(true)
                          .on(this->exec)
                          ->generate(this->make(unsorted)),
                      spruce::UnsupportedMatrixProperty, "row 1");
}

}  // namespace
