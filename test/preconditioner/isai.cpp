// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <limits>
#include <map>

#include <spruce/preconditioner/isai.hpp>

#include "core/preconditioner/sparse_inverse.hpp"
#include "test/factorization/factorization_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::as;
using spruce::dim;
using spruce::LinOp;
using spruce::share;
using spruce::size_type;
using spruce::preconditioner::isai_type;

/// Records the sizes of the systems for which a factory generates solvers.
struct SystemSizes : spruce::log::Logger {
    SystemSizes() : spruce::log::Logger(linop_factory_generate_started_mask) {}
    void on_linop_factory_generate_started(const spruce::LinOpFactory*, const LinOp* matrix) const override
    {
        sizes.push_back(matrix->get_size()[0]);
    }
    mutable std::vector<size_type> sizes;
};

template <typename Types>
class Isai : public factorization_test<Types> {
protected:
    using typename factorization_test<Types>::V;
    using typename factorization_test<Types>::I;
    using typename factorization_test<Types>::Csr;
    using real = spruce::remove_complex<V>;
    using gmres = spruce::solver::Gmres<V>;
    template <isai_type type>
    using isai = spruce::preconditioner::Isai<type, V, I>;
    template <isai_type type>
    using constant = std::integral_constant<isai_type, type>;

    static constexpr auto lower = constant<isai_type::lower>{};
    static constexpr auto upper = constant<isai_type::upper>{};
    static constexpr auto general = constant<isai_type::general>{};
    static constexpr auto spd = constant<isai_type::spd>{};

    template <typename Function>
    static void for_each_type(Function check)
    {
        const auto traced = [&](const char* name, auto type) {
            SCOPED_TRACE(name);
            check(type);
        };
        traced("lower", lower);
        traced("upper", upper);
        traced("general", general);
        traced("spd", spd);
    }

    template <isai_type type>
    static auto build(constant<type>)
    {
        return isai<type>::build();
    }
    template <isai_type type>
    auto generate(constant<type> t, std::shared_ptr<const LinOp> a, int power = 1) const
    {
        return build(t).with_sparsity_power(power).on(a->get_executor())->generate(a);
    }

    /// Returns M, or G for type spd.
    template <isai_type type>
    static std::shared_ptr<const Csr> matrix_of(const isai<type>& m)
    {
        const auto inverse = m.get_approximate_inverse();
        if constexpr (type == isai_type::spd) {
            return as<Csr>(inverse->get_operators()[1]);
        } else {
            return inverse;
        }
    }

    /// Returns the part of the matrix that the type uses, made definite for type spd.
    template <isai_type type>
    static host_matrix prepare(constant<type>, const host_matrix& data)
    {
        return type == isai_type::spd ? hermitian_from_lower(data) : with_dominant_diagonal(data);
    }
    template <isai_type type>
    static bool uses(constant<type>, int64_t row, int64_t col)
    {
        return type == isai_type::upper ? row <= col : type == isai_type::general || row >= col;
    }

    std::vector<std::map<int64_t, std::complex<double>>> rows_of(const Csr& matrix) const
    {
        spruce::matrix_data<V, I> data;
        matrix.write(data);
        std::vector<std::map<int64_t, std::complex<double>>> result(data.size[0]);
        for (const auto& entry : data.nonzeros) {
            result[entry.row][entry.column] = std::complex<double>(entry.value);
        }
        return result;
    }

    /// Expects the pattern of the power of the triangle and, in it, the equations that define M.
    template <isai_type type>
    void expect_definition(constant<type> t, const host_matrix& data, const isai<type>& m, int power,
                           double tolerance) const
    {
        const auto a = this->rows_of(*make_csr<V, I>(this->ref, data));
        const auto inverse = this->rows_of(*matrix_of(m));
        ASSERT_EQ(inverse.size(), a.size());
        for (size_type row = 0; row < a.size(); ++row) {
            std::map<int64_t, int> pattern{{static_cast<int64_t>(row), 0}};
            for (int i = 0; i < power; ++i) {
                std::map<int64_t, int> next;
                for (const auto& [k, unused] : pattern) {
                    for (const auto& [col, value] : a[k]) {
                        if (uses(t, k, col)) {
                            next[col] = 0;
                        }
                    }
                }
                pattern = std::move(next);
            }
            std::map<int64_t, std::complex<double>> product;
            std::complex<double> norm{};
            for (const auto& [k, value] : inverse[row]) {
                for (const auto& [col, a_value] : a[k]) {
                    if (type == isai_type::spd || uses(t, k, col)) {
                        product[col] += value * a_value;
                    }
                }
            }
            for (const auto& [k, value] : inverse[row]) {
                norm += product[k] * std::conj(value);
            }
            ASSERT_EQ(inverse[row].size(), pattern.size()) << "row " << row;
            for (const auto& [col, unused] : pattern) {
                ASSERT_EQ(inverse[row].count(col), 1u) << "row " << row << ", column " << col;
                const auto is_diagonal = col == static_cast<int64_t>(row);
                if (type == isai_type::spd && is_diagonal) {
                    EXPECT_NEAR(std::abs(norm - 1.0), 0.0, tolerance) << "row " << row;
                    EXPECT_GT(inverse[row].at(col).real(), 0.0);
                    EXPECT_EQ(inverse[row].at(col).imag(), 0.0);
                } else {
                    EXPECT_NEAR(std::abs(product[col] - (is_diagonal ? 1.0 : 0.0)), 0.0, tolerance)
                        << "row " << row << ", column " << col;
                }
            }
        }
    }

    /// Returns a matrix whose inner rows have this number of entries in the part of the type.
    template <isai_type type>
    static host_matrix band(constant<type> t, size_type size, int width)
    {
        const auto left = type == isai_type::general ? width / 2 : width - 1;
        const auto right = type == isai_type::general ? width - 1 - left : width - 1;
        return prepare(t, matrix_of_pattern(size, [=](size_type i, size_type j) {
                           const auto distance = static_cast<int>(j) - static_cast<int>(i);
                           return -left <= distance && distance <= right;
                       }));
    }

    /// Returns a matrix with some long rows, the last or (for type upper) the first ones.
    template <isai_type type>
    static host_matrix with_long_rows(constant<type> t, size_type size, size_type num_long)
    {
        return prepare(t, matrix_of_pattern(size, [=](size_type i, size_type j) {
                           return i == j || (type == isai_type::upper ? i < num_long : i >= size - num_long);
                       }));
    }
    template <isai_type type>
    static host_matrix full(constant<type> t, size_type size)
    {
        return with_long_rows(t, size, size);
    }

    /// Returns D A D, where D has powers of two from 2^-range to 2^range.
    static double scale(int64_t row, int range)
    {
        return std::ldexp(1.0, static_cast<int>(37 * row % (2 * range + 1)) - range);
    }
    static host_matrix with_bad_scaling(host_matrix data, int range)
    {
        for (auto& entry : data.nonzeros) {
            entry.value *= scale(entry.row, range) * scale(entry.column, range);
        }
        return data;
    }

    static double tolerance(size_type size) { return 100 * kernel_test<Types>::tolerance_of_sum(size); }

    template <isai_type type>
    void expect_like_reference(constant<type> t, const host_matrix& data, int power) const
    {
        const auto m = this->generate(t, this->make(data), power);
        const auto expected = this->generate(t, share(make_csr<V, I>(this->ref, data)), power);
        this->expect_definition(t, data, *m, power, this->tolerance(64));
        EXPECT_MTX_NEAR(matrix_of(*m), matrix_of(*expected), this->tolerance(64));
    }
};
TYPED_TEST_SUITE(Isai, value_and_index_types, type_names);

TYPED_TEST(Isai, ByHand)
{
    const auto epsilon = 4 * this->epsilon();
    const auto l = this->generate(this->lower, share(this->csr({{2, 0, 0}, {1, 4, 0}, {0, 2, 1}})));
    const auto u = this->generate(this->upper, share(this->csr({{2, 1, 0}, {0, 4, 2}, {0, 0, 1}})));
    const auto general = this->generate(this->general, share(this->csr({{1, 2, 0}, {3, 4, 0}, {0, 0, 8}})));
    const auto spd = this->generate(this->spd, share(this->csr({{4, 2, 0}, {2, 5, 0}, {0, 0, 16}})));

    EXPECT_MTX_NEAR(this->matrix_of(*l), this->dense({{0.5, 0, 0}, {-0.125, 0.25, 0}, {0, -0.5, 1}}), epsilon);
    EXPECT_MTX_NEAR(this->matrix_of(*u), this->dense({{0.5, -0.125, 0}, {0, 0.25, -0.5}, {0, 0, 1}}), epsilon);
    EXPECT_MTX_NEAR(this->matrix_of(*general), this->dense({{-2, 1, 0}, {1.5, -0.5, 0}, {0, 0, 0.125}}), epsilon);
    EXPECT_MTX_NEAR(this->matrix_of(*spd), this->dense({{0.5, 0, 0}, {-0.25, 0.5, 0}, {0, 0, 0.25}}), epsilon);
    const auto b = this->dense({{16}, {32}, {64}});
    EXPECT_MTX_NEAR(this->apply(l, b), this->dense({{8}, {6}, {48}}), 100 * epsilon);
    EXPECT_MTX_NEAR(this->apply(u, b), this->dense({{4}, {-24}, {64}}), 100 * epsilon);
    EXPECT_MTX_NEAR(this->apply(general, b), this->dense({{0}, {8}, {8}}), 100 * epsilon);
    EXPECT_MTX_NEAR(this->apply(spd, b), this->dense({{1}, {6}, {4}}), 100 * epsilon);
    const auto x = this->dense({{1}, {1}, {1}});
    spd->apply(this->dense({{2}}), b, this->dense({{-1}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{1}, {11}, {7}}), 100 * epsilon);
}

TYPED_TEST(Isai, ChoosesPivots)
{
    // The first pivot is zero.
    host_matrix data{dim<2>{2, 2}};
    data.nonzeros = {{0, 0, 0.0}, {0, 1, 2.0}, {1, 0, 4.0}, {1, 1, 8.0}};

    const auto m = this->generate(this->general, this->make(data));

    EXPECT_MTX_NEAR(this->matrix_of(*m), this->dense({{-1, 0.25}, {0.5, 0}}), 4 * this->epsilon());
}

TYPED_TEST(Isai, SatisfiesItsEquationsInThePatternsOfPowers)
{
    this->for_each_type([&](auto type) {
        for (const size_type size : {0, 1, 2, 32, 33, 65, 300}) {
            const auto data = this->prepare(
                type, random_sparse(this->engine, size, size, nnz_per_row(0, std::min<size_type>(size, 3))));
            for (const int power : {1, 2, 3}) {
                // The systems of long rows are solved less accurately.
                const auto a = this->make(data);
                const auto m = this->build(type)
                                   .with_sparsity_power(power)
                                   .with_excess_solver_reduction(100 * this->epsilon())
                                   .on(this->exec)
                                   ->generate(a);
                SCOPED_TRACE(testing::Message() << size << " rows, power " << power);
                this->expect_definition(type, data, *m, power, 1e4 * this->epsilon());
            }
        }
    });
}

TYPED_TEST(Isai, HasRowsOfAllLengths)
{
    this->for_each_type([&](auto type) {
        for (const int width : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32}) {
            SCOPED_TRACE(width);
            this->expect_like_reference(type, this->band(type, 50, width), 1);
        }
        this->expect_like_reference(type, this->band(type, 36, 33), 1);
        for (const size_type size : {64, 65, 128}) {
            SCOPED_TRACE(size);
            this->expect_like_reference(type, this->with_long_rows(type, size, 3), 1);
        }
    });
    this->expect_like_reference(this->general, this->full(this->general, 66), 1);
    this->expect_like_reference(this->spd, this->full(this->spd, 66), 1);
    this->expect_like_reference(this->lower, this->band(this->lower, 170, 150), 1);
    this->expect_like_reference(this->upper, this->band(this->upper, 170, 150), 1);
}

TYPED_TEST(Isai, HasLongRowsOfTriangles)
{
    // The longest row that is substituted, one more, and two rows of an excess system.
    for (const size_type size : {1024, 1025, 1100}) {
        SCOPED_TRACE(size);
        const auto last = [=](size_type i, size_type j) { return i >= size - 2 || j == i || j + 1 == i; };
        const auto first = [=](size_type i, size_type j) { return i <= 1 || j == i || j == i + 1; };
        auto l = with_dominant_diagonal(matrix_of_pattern(size, last));
        auto u = with_dominant_diagonal(matrix_of_pattern(size, first));
        this->expect_definition(this->lower, l, *this->generate(this->lower, this->make(l)), 1, this->tolerance(size));
        this->expect_definition(this->upper, u, *this->generate(this->upper, this->make(u)), 1, this->tolerance(size));
    }
}

TYPED_TEST(Isai, HasShortRowsThatMeetLongRowsOfTheMatrix)
{
    // Row 0 of the matrix has many more entries than the rows of M, which depend on it.
    const auto data = matrix_of_pattern(
        400, [](size_type i, size_type j) { return i == j || j == 0 || (i == 0 && j % 2 == 0) || j + 1 == i; });
    const auto a = with_dominant_diagonal(data);
    this->expect_definition(this->lower, a, *this->generate(this->lower, this->make(a)), 1, this->tolerance(400));
    const auto m = this->build(this->general)
                       .with_excess_solver_reduction(10 * this->epsilon())
                       .on(this->exec)
                       ->generate(this->make(a));
    this->expect_definition(this->general, a, *m, 1, this->tolerance(400));
}

TYPED_TEST(Isai, SolvesExcessSystemsWithinTheLimit)
{
    // Rows of more than 128 entries are blocks of the excess system.
    const auto check = [&](auto type) {
        const auto data = this->with_long_rows(type, 131, 3);
        const auto a = this->make(data);
        const auto expected = this->matrix_of(*this->generate(type, a));
        this->expect_definition(type, data, *this->generate(type, a), 1, 1e-3);
        for (const size_type limit : {0, 1, 270, 1000000}) {
            SCOPED_TRACE(limit);
            const auto log = std::make_shared<SystemSizes>();
            const auto m = this->build(type)
                               .with_excess_limit(limit)
                               .with_excess_solver_factory(TestFixture::gmres::build().with_loggers(log).with_criteria(
                                   spruce::stop::Iteration::build().with_max_iters(200),
                                   spruce::stop::ResidualNorm<typename TestFixture::V>::build().with_reduction_factor(
                                       10 * this->epsilon())))
                               .on(this->exec)
                               ->generate(a);
            this->expect_definition(type, data, *m, 1, this->tolerance(200));
            EXPECT_MTX_NEAR(this->matrix_of(*m), expected, 1e-3);
            size_type expected_num{};
            for (const auto& row : this->rows_of(*expected)) {
                expected_num += row.size() > 128 ? row.size() : 0;
            }
            size_type num_unknowns{};
            for (const auto size : log->sizes) {
                num_unknowns += size;
                EXPECT_TRUE(limit == 0 || size <= std::max<size_type>(limit, 131));
            }
            EXPECT_EQ(num_unknowns, expected_num);
            EXPECT_EQ(log->sizes.size(), limit == 1 ? 3u : limit == 270 ? 2u : 1u);
        }
    };
    check(this->general);
    check(this->spd);
}

TYPED_TEST(Isai, HasRowsOnEachSideOfItsLimits)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using spruce::preconditioner::detail::row_limits;
    this->for_each_type([&](auto type) {
        const auto a = this->make(this->band(type, 44, 40));
        const auto expected = this->matrix_of(*this->generate(type, a));
        for (const int limit : {1, 39, 40}) {
            SCOPED_TRACE(limit);
            const auto reduction = static_cast<typename TestFixture::real>(10 * this->epsilon());
            spruce::preconditioner::detail::SparseInverse<V, I> inverse{
                *a, {decltype(type)::value, false, 1, 0, nullptr, reduction, row_limits{limit, limit}}};
            EXPECT_MTX_NEAR(inverse.get_inverse(), expected, this->tolerance(100));
            inverse.refresh(*a);
            EXPECT_MTX_NEAR(inverse.get_inverse(), expected, this->tolerance(100));
        }
    });
}

TYPED_TEST(Isai, RefusesSingularSystemsOfLongRows)
{
    // All entries are one, or a column is a combination of others, apart from rounding errors.
    for (const size_type size : {33, 64, 65, 128, 129}) {
        SCOPED_TRACE(size);
        host_matrix ones{dim<2>{size, size}};
        for (size_type i = 0; i < size; ++i) {
            for (size_type j = 0; j < size; ++j) {
                if (j == i || i + 2 >= size) {
                    ones.nonzeros.emplace_back(i, j, i + 2 >= size || j + 2 >= size ? 1.0 : size);
                }
            }
        }
        auto dependent = this->with_long_rows(this->general, size, 2);
        for (auto& entry : dependent.nonzeros) {
            if (entry.row + 1 == static_cast<int64_t>(size)) {
                entry.value = dependent.nonzeros[dependent.nonzeros.size() - 2 * size + entry.column].value / 3.0;
            }
        }
        const auto row = "row " + std::to_string(size - 2);
        EXPECT_THROW_WITH(this->generate(this->general, this->make(ones)), spruce::InvalidStateError, row);
        EXPECT_THROW_WITH(this->generate(this->general, this->make(dependent)), spruce::InvalidStateError, row);
        host_matrix indefinite = this->with_long_rows(this->spd, size, 1);
        for (auto& entry : indefinite.nonzeros) {
            if (entry.row == entry.column && entry.row + 1 == static_cast<int64_t>(size)) {
                entry.value = 1.0;
            }
        }
        EXPECT_THROW_WITH(this->generate(this->spd, this->make(indefinite)), spruce::InvalidStateError,
                          "row " + std::to_string(size - 1));
    }
    auto ones = this->full(this->general, 33);
    for (auto& entry : ones.nonzeros) {
        entry.value = 1.0;
    }
    EXPECT_THROW_WITH(this->generate(this->general, this->make(ones)), spruce::InvalidStateError, "row 0");
}

TYPED_TEST(Isai, InvertsBadlyScaledMatrices)
{
    using V = typename TestFixture::V;
    const auto range = std::numeric_limits<typename TestFixture::real>::digits / 2;
    const auto check = [&](auto type, const host_matrix& data) {
        constexpr auto is_spd = decltype(type)::value == isai_type::spd;
        const auto m = this->generate(type, this->make(this->with_bad_scaling(data, range)));
        spruce::matrix_data<V, typename TestFixture::I> rescaled;
        this->matrix_of(*m)->write(rescaled);
        for (auto& entry : rescaled.nonzeros) {
            const auto scale = this->scale(entry.column, range) * (is_spd ? 1.0 : this->scale(entry.row, range));
            entry.value *= static_cast<typename TestFixture::real>(scale);
        }
        const auto result = share(TestFixture::Csr::create(this->ref));
        result->read(rescaled);
        EXPECT_MTX_NEAR(result, this->matrix_of(*this->generate(type, this->make(data))), 1e-5);
    };
    check(this->general, this->full(this->general, 40));
    check(this->spd, this->full(this->spd, 40));
    for (const size_type size : {70, 128, 140}) {
        SCOPED_TRACE(size);
        this->for_each_type([&](auto type) { check(type, this->with_long_rows(type, size, 2)); });
    }
}

TYPED_TEST(Isai, RefusesExcessSystemsWithoutConvergence)
{
    using V = typename TestFixture::V;
    const auto iterate = [](size_type num) {
        return TestFixture::gmres::build().with_criteria(spruce::stop::Iteration::build().with_max_iters(num));
    };
    const auto check = [&](auto type, const char* row) {
        const auto data = this->with_long_rows(type, 140, 2);
        const auto a = this->make(data);
        const auto generate = [&](size_type num, double reduction) {
            return this->build(type)
                .with_excess_solver_factory(iterate(num))
                .with_excess_solver_reduction(static_cast<spruce::remove_complex<V>>(reduction))
                .on(this->exec)
                ->generate(a);
        };
        EXPECT_THROW_WITH(generate(1, 1e-6), spruce::InvalidStateError, row);
        EXPECT_THROW_WITH(generate(1, 1e-6), spruce::InvalidStateError, "excess_solver_reduction");
        const auto inexact = generate(1, 0.999);
        EXPECT_EQ(inexact->get_size(), a->get_size());
        const auto m = generate(150, 1e-3);
        this->expect_definition(type, data, *m, 1, 1e-2);
        auto singular = data;
        for (auto& entry : singular.nonzeros) {
            entry.value = entry.row == 139 ? 0.0 : entry.value;
        }
        const auto b = this->random_dense(140, 1);
        const auto before = this->apply(m, b);
        EXPECT_THROW_WITH(m->refresh(this->make(singular)), spruce::InvalidStateError, "row ");
        EXPECT_MTX_NEAR(this->apply(m, b), before, 0.0);
    };
    check(this->general, "row 138");
    check(this->spd, "row 138");
}

TYPED_TEST(Isai, SortsRows)
{
    this->for_each_type([&](auto type) {
        const auto data = this->prepare(type, random_sparse(this->engine, 100, 100, nnz_per_row(0, 8)));
        const auto expected = this->matrix_of(*this->generate(type, this->make(data), 2));
        const auto unsorted = this->make(with_unsorted_columns(this->engine, data));

        EXPECT_MTX_STORED_ALIKE(this->matrix_of(*this->generate(type, unsorted, 2)), expected);
        EXPECT_MTX_STORED_ALIKE(this->matrix_of(*this->build(type)
                                                     .with_sparsity_power(2)
                                                     .with_skip_sorting(true)
                                                     .on(this->exec)
                                                     ->generate(this->make(data))),
                                expected);
        EXPECT_THROW_WITH(this->build(type).with_skip_sorting(true).on(this->exec)->generate(unsorted),
                          spruce::UnsupportedMatrixProperty, "skip_sorting");
    });
}

TYPED_TEST(Isai, NamesTheRowThatCannotBeSolved)
{
    using spruce::InvalidStateError;
    const auto with_value = [&](std::initializer_list<std::initializer_list<typename TestFixture::V>> rows, size_type i,
                                std::complex<double> value) {
        auto data = this->host(rows);
        for (auto& entry : data.nonzeros) {
            if (entry.row == static_cast<int64_t>(i) && entry.column == static_cast<int64_t>(i)) {
                entry.value = value;
            }
        }
        return this->make(data);
    };
    const auto expect_row = [&](auto type, const std::string& row, const auto& a) {
        EXPECT_THROW_WITH(this->generate(type, a), InvalidStateError, row);
    };
    // stored zeros
    expect_row(this->lower, "row 1", with_value({{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}, 1, 0.0));
    expect_row(this->upper, "row 1", with_value({{1, 1, 0}, {0, 1, 1}, {0, 0, 1}}, 1, 0.0));
    expect_row(this->general, "row 2", with_value({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 2, 0.0));
    expect_row(this->spd, "row 1", with_value({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 1, 0.0));
    expect_row(this->spd, "row 1", with_value({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 1, -1.0));
    expect_row(this->spd, "row 1", share(this->csr({{1, 2, 0}, {2, 1, 0}, {0, 0, 1}})));
    expect_row(this->general, "row 0", share(this->csr({{1, 1, 0}, {1, 1, 0}, {0, 0, 1}})));
    // missing entries
    this->for_each_type([&](auto type) {
        expect_row(type, "row 1", share(this->csr({{1, 0, 0}, {0, 0, 0}, {0, 0, 1}})));
    });
    // NaN and infinity
    const auto infinity = std::numeric_limits<double>::infinity();
    for (const std::complex<double> value : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
        this->for_each_type([&](auto type) {
            expect_row(type, "row 1", with_value({{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}, 1, value));
        });
        expect_row(this->lower, "row 1", with_value({{4, 1, 0}, {1, 4, 1}, {0, 1, 4}}, 1, value));
        expect_row(this->spd, "row 1", with_value({{4, 1, 0}, {1, 4, 1}, {0, 1, 4}}, 1, value));
    }
}

TYPED_TEST(Isai, DoesNotHangOnLongRowsThatAreNotFinite)
{
    const auto check = [&](auto type, host_matrix data, int64_t row) {
        for (auto& entry : data.nonzeros) {
            if (entry.row == entry.column && entry.row == row) {
                entry.value = std::numeric_limits<double>::quiet_NaN();
            }
        }
        EXPECT_THROW_WITH(this->generate(type, this->make(data)), spruce::InvalidStateError, "row ");
    };
    this->for_each_type([&](auto type) {
        check(type, this->band(type, 60, 40), 30);
        for (const size_type size : {40, 100, 140}) {
            // a long row for types upper and the others
            check(type, this->with_long_rows(type, size, 2), 0);
            check(type, this->with_long_rows(type, size, 2), static_cast<int64_t>(size) - 1);
        }
    });
}

TYPED_TEST(Isai, RefusesWrongInput)
{
    const auto a = share(this->csr({{4, 1}, {1, 4}}));
    this->for_each_type([&](auto type) {
        EXPECT_THROW(this->generate(type, share(this->csr({{1, 2, 3}, {4, 5, 6}}))), spruce::DimensionMismatch);
        EXPECT_THROW_WITH(this->generate(type, a, 0), spruce::OutOfBoundsError, "sparsity_power 0");
        EXPECT_THROW_WITH(this->generate(type, a, -1), spruce::OutOfBoundsError, "sparsity_power -1");
        for (const double reduction : {0.0, -1.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
            const auto factory = this->build(type)
                                     .with_excess_solver_reduction(
                                         static_cast<spruce::remove_complex<typename TestFixture::V>>(reduction))
                                     .on(this->exec);
            EXPECT_THROW_WITH(factory->generate(a), spruce::OutOfBoundsError, "excess_solver_reduction");
        }
        host_matrix twice{dim<2>{2, 2}};
        twice.nonzeros = {{0, 0, 2.0}, {1, 1, 4.0}, {1, 1, 1.0}};
        EXPECT_THROW_WITH(this->generate(type, this->make(twice)), spruce::UnsupportedMatrixProperty, "row 1");
        const auto empty = this->build(type).on(this->exec)->generate(share(TestFixture::Csr::create(this->exec)));
        EXPECT_EQ(empty->get_size(), dim<2>{});
        EXPECT_THROW(this->generate(type, a)->apply(this->dense({{1}, {2}, {3}}), this->dense({{1}, {2}})),
                     spruce::DimensionMismatch);
    });
}

TYPED_TEST(Isai, IsRefreshedInPlaceWithoutAllocations)
{
    this->for_each_type([&](auto type) {
        for (const int power : {1, 2}) {
            auto data = this->prepare(type, random_sparse(this->engine, 150, 150, nnz_per_row(0, 2)));
            for (const auto& first : {data, with_unsorted_columns(this->engine, data)}) {
                auto second = first;
                for (auto& entry : second.nonzeros) {
                    entry.value *= entry.row == entry.column ? 3.0 : 0.5;
                }
                auto singular = second;
                for (auto& entry : singular.nonzeros) {
                    entry.value = entry.row == 70 || entry.column == 70 ? 0.0 : entry.value;
                }
                const auto m = this->build(type).with_sparsity_power(power).on(this->exec)->generate(this->make(first));
                const auto matrix = this->matrix_of(*m);
                const auto other = this->make(second);
                const auto bad = this->make(singular);
                const auto b = this->random_dense(150, 2);
                const auto x = this->apply(m, b);
                const auto has_long_rows = [&] {
                    const auto host = clone(this->ref, matrix);
                    for (size_type row = 0; row < 150; ++row) {
                        if (host->get_const_row_ptrs()[row + 1] - host->get_const_row_ptrs()[row] > 128) {
                            return true;
                        }
                    }
                    return false;
                }();
                const auto before = this->exec->get_counters();

                m->refresh(other);
                m->apply(b, x);

                if (!has_long_rows) {
                    EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
                }
                const auto expected = this->generate(type, other, power);
                EXPECT_EQ(this->matrix_of(*m), matrix);
                EXPECT_MTX_STORED_ALIKE(matrix, this->matrix_of(*expected));
                EXPECT_MTX_NEAR(x, this->apply(expected, b), 0.0);
                // Type general has a singular system for each row with column 70.
                EXPECT_THROW_WITH(m->refresh(bad), spruce::InvalidStateError,
                                  decltype(type)::value == isai_type::general ? "row " : "row 70");
                EXPECT_THROW_WITH(m->refresh(this->make(with_dominant_diagonal(host_matrix{dim<2>{150, 150}}))),
                                  spruce::UnsupportedMatrixProperty, "pattern");
                EXPECT_THROW_WITH(m->refresh(share(this->csr({{1}}))), spruce::UnsupportedMatrixProperty, "1 x 1");
                EXPECT_MTX_NEAR(this->apply(m, b), x, 0.0);
            }
        }
    });
}

TYPED_TEST(Isai, RefreshesLongRowsWithoutAllocations)
{
    this->for_each_type([&](auto type) {
        const auto a = this->make(this->band(type, 70, 66));
        const auto m = this->generate(type, a);
        const auto expected = clone(this->matrix_of(*m));
        const auto before = this->exec->get_counters();

        m->refresh(a);

        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
        EXPECT_MTX_STORED_ALIKE(this->matrix_of(*m), expected);
    });
}

TYPED_TEST(Isai, IgnoresTheOtherTriangleInARefresh)
{
    const auto check = [&](auto type, const auto& a, const auto& other) {
        const auto m = this->generate(type, share(clone(a)));

        m->refresh(share(clone(other)));

        EXPECT_MTX_STORED_ALIKE(this->matrix_of(*m), this->matrix_of(*this->generate(type, share(clone(other)))));
    };
    const auto a = this->csr({{4, 1, 1}, {1, 4, 1}, {1, 1, 4}});
    check(this->lower, a, this->csr({{2, 1, 3}, {1, 2, 1}, {1, 1, 2}}));
    check(this->upper, a, this->csr({{2, 1, 3}, {1, 2, 1}, {1, 1, 2}}));
    check(this->spd, a, this->csr({{3, 1, 3}, {1, 3, 1}, {1, 1, 3}}));
    EXPECT_THROW_WITH(this->generate(this->upper, share(clone(a)))
                          ->refresh(share(clone(this->csr({{1, 1, 0}, {1, 1, 0}, {0, 0, 1}})))),
                      spruce::UnsupportedMatrixProperty, "row 0");
    EXPECT_THROW_WITH(this->generate(this->lower, share(clone(a)))
                          ->refresh(share(clone(this->csr({{1, 1, 0}, {1, 1, 0}, {0, 0, 1}})))),
                      spruce::UnsupportedMatrixProperty, "row 1");
}

TYPED_TEST(Isai, IsTransposedCopiedAndMoved)
{
    this->for_each_type([&](auto type) {
        const auto data = this->prepare(type, random_sparse(this->engine, 60, 60, nnz_per_row(0, 8)));
        const auto m = this->generate(type, this->make(data));
        const auto b = this->random_dense(60, 2);
        const auto expected = this->apply(m, b);
        const auto dense = spruce::matrix::Dense<typename TestFixture::V>::create(this->exec, dim<2>{60, 60});
        const auto identity =
            spruce::matrix::Dense<typename TestFixture::V>::create(this->exec->get_master(), dim<2>{60, 60});
        identity->fill(spruce::zero<typename TestFixture::V>());
        for (size_type i = 0; i < 60; ++i) {
            identity->at(i, i) = spruce::one<typename TestFixture::V>();
        }
        m->apply(identity, dense);

        EXPECT_MTX_NEAR(this->apply(m->transpose(), b), this->apply(dense->transpose(), b), this->tolerance(60));
        EXPECT_MTX_NEAR(this->apply(m->conj_transpose(), b), this->apply(dense->conj_transpose(), b),
                        this->tolerance(60));
        EXPECT_TRUE(m->launches_are_static());
        const auto copy = clone(m);
        EXPECT_MTX_NEAR(this->apply(copy, b), expected, 0.0);
        EXPECT_TRUE(copy->can_be_refreshed());
        const auto on_reference = clone(this->ref, m);
        EXPECT_MTX_NEAR(this->apply_on_reference(m, b), expected, this->tolerance(60));
        EXPECT_EQ(on_reference->can_be_refreshed(), this->exec == this->ref);
        const auto inverse = m->get_approximate_inverse();
        const auto moved = this->build(type).on(this->exec)->generate(share(this->csr({{1}})));
        *moved = std::move(*copy);
        EXPECT_EQ(moved->get_approximate_inverse(), inverse);
        EXPECT_MTX_NEAR(this->apply(moved, b), expected, 0.0);
        EXPECT_EQ(copy->get_approximate_inverse(), nullptr);
        EXPECT_EQ(copy->get_size(), dim<2>{});
        const auto a = this->make(data);
        EXPECT_THROW_WITH(copy->refresh(a), spruce::NotSupported, "an empty preconditioner");
        if (this->exec != this->ref) {
            EXPECT_THROW_WITH(on_reference->refresh(a), spruce::NotSupported, "a copy from another executor");
            EXPECT_THROW_WITH(clone(on_reference)->refresh(a), spruce::NotSupported, "a copy from another executor");
        }
        const auto again = m->transpose();
        EXPECT_THROW_WITH(as<spruce::Refreshable>(again.get())->refresh(a), spruce::Error,
                          decltype(type)::value == isai_type::spd ? "a transpose of type spd" : "pattern");
        if (decltype(type)::value != isai_type::spd) {
            const auto twice = as<spruce::Transposable>(again.get())->conj_transpose();
            EXPECT_THROW_WITH(as<spruce::Refreshable>(twice.get())->refresh(a), spruce::NotSupported,
                              "the transpose of a transpose");
        }
        EXPECT_NO_THROW(copy->apply(this->dense_of_nan(0, 1), this->dense_of_nan(0, 1)));
        const auto transposed_empty = copy->transpose();
        EXPECT_EQ(transposed_empty->get_size(), dim<2>{});
    });
}

/// Returns the number of iterations of a solver.
template <typename Solver, typename Types>
size_type num_iterations(
    const std::shared_ptr<spruce::matrix::Csr<typename Types::value_type, typename Types::index_type>>& a,
    std::shared_ptr<const LinOp> m)
{
    using V = typename Types::value_type;
    constexpr auto epsilon = static_cast<double>(std::numeric_limits<spruce::remove_complex<V>>::epsilon());
    auto parameters = Solver::build().with_criteria(
        spruce::stop::Iteration::build().with_max_iters(1000),
        spruce::stop::ResidualNorm<V>::build().with_reduction_factor(std::max(1e-5, 1e4 * epsilon)));
    if (m) {
        parameters.with_generated_preconditioner(m);
    }
    const auto exec = a->get_executor();
    const auto solver = parameters.on(exec)->generate(a);
    const auto b = spruce::matrix::Dense<V>::create(exec, dim<2>{a->get_size()[0], 1});
    b->fill(spruce::one<V>());
    const auto x = clone(b);
    x->fill(spruce::zero<V>());
    const std::shared_ptr<spruce::log::Convergence<V>> log = spruce::log::Convergence<V>::create();
    solver->add_logger(log);
    solver->apply(b, x);
    EXPECT_TRUE(log->has_converged());
    return log->get_num_iterations();
}

TYPED_TEST(Isai, AcceleratesSolvers)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using cg = spruce::solver::Cg<V>;
    using bicgstab = spruce::solver::Bicgstab<V>;
    using LowerIsai = spruce::preconditioner::LowerIsai<V, I>;
    using UpperIsai = spruce::preconditioner::UpperIsai<V, I>;
    const auto a = this->make(poisson_2d(30));
    const auto with_cg = [&](std::shared_ptr<const LinOp> m) { return num_iterations<cg, TypeParam>(a, m); };
    const auto with_bicgstab = [&](std::shared_ptr<const LinOp> m) {
        return num_iterations<bicgstab, TypeParam>(a, m);
    };
    const auto plain = with_cg(nullptr);
    const auto plain_bicgstab = with_bicgstab(nullptr);
    auto last = plain;
    for (const int power : {1, 2, 3}) {
        const auto iterations = with_cg(share(this->generate(this->spd, a, power)));
        EXPECT_LT(iterations, last) << "power " << power;
        last = iterations;
    }
    EXPECT_LT(with_bicgstab(share(this->generate(this->general, a))), plain_bicgstab);
    const auto ic = share(spruce::preconditioner::Ic<LowerIsai, I>::build().on(this->exec)->generate(a));
    EXPECT_LT(with_cg(ic), plain * 3 / 4);
    const auto ilu =
        share(spruce::preconditioner::Ilu<LowerIsai, UpperIsai, false, I>::build().on(this->exec)->generate(a));
    EXPECT_LT(with_bicgstab(ilu), plain_bicgstab * 3 / 4);
}

TYPED_TEST(Isai, IsRefreshedAsTranspose)
{
    const auto check = [&](auto type) {
        for (const int power : {1, 2}) {
            const auto data = with_dominant_diagonal(random_sparse(this->engine, 120, 120, nnz_per_row(0, 2)));
            host_matrix other_data{data.size};
            for (const auto& entry : data.nonzeros) {
                if (this->uses(type, entry.row, entry.column)) {
                    other_data.nonzeros.emplace_back(entry.row, entry.column,
                                                     entry.value * (entry.row == entry.column ? 3.0 : 0.5));
                }
            }
            const auto m = this->generate(type, this->make(data), power);
            const auto other = this->make(other_data);
            const auto b = this->random_dense(120, 1);
            const auto old = this->apply(m, b);
            const auto expected = this->generate(type, other, power);
            for (const auto conjugate : {false, true}) {
                const auto transpose_of = [&](const auto& op) {
                    return std::shared_ptr<LinOp>(conjugate ? as<spruce::Transposable>(op)->conj_transpose()
                                                            : as<spruce::Transposable>(op)->transpose());
                };
                const auto transposed = transpose_of(m.get());
                const auto transposed_again = transpose_of(transposed.get());
                EXPECT_MTX_NEAR(this->apply(transposed_again, b), old, this->tolerance(120));

                as<spruce::Refreshable>(transposed)->refresh(transpose_of(other.get()));

                EXPECT_MTX_NEAR(this->apply(transposed, b), this->apply(transpose_of(expected.get()), b),
                                this->tolerance(120));
                EXPECT_MTX_NEAR(this->apply(m, b), old, 0.0);
                EXPECT_FALSE(as<spruce::Refreshable>(transposed_again)->can_be_refreshed());
                EXPECT_THROW_WITH(as<spruce::Refreshable>(transposed)
                                      ->refresh(this->make(with_dominant_diagonal(host_matrix{dim<2>{120, 120}}))),
                                  spruce::UnsupportedMatrixProperty, "pattern");
            }
        }
    };
    check(this->lower);
    check(this->upper);
    check(this->general);
    const auto spd = this->generate(this->spd, share(this->csr({{1}})));
    EXPECT_FALSE(as<spruce::Refreshable>(share(spd->transpose()))->can_be_refreshed());
}

TYPED_TEST(Isai, IsRefreshedAsSolverOfIluAndIc)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using LowerIsai = spruce::preconditioner::LowerIsai<V, I>;
    using UpperIsai = spruce::preconditioner::UpperIsai<V, I>;
    const auto data = hermitian_from_lower(random_sparse(this->engine, 120, 120, nnz_per_row(0, 8)));
    auto other_data = data;
    for (auto& entry : other_data.nonzeros) {
        entry.value *= entry.row == entry.column ? 3.0 : 0.5;
    }
    const auto a = this->make(data);
    const auto other = this->make(other_data);
    const auto b = this->random_dense(120, 1);
    const auto check = [&](const auto& factory) {
        const auto preconditioner = factory->generate(a);
        const auto x = this->apply(preconditioner, b);
        const auto expected = this->apply(factory->generate(other), b);
        const auto before = this->exec->get_counters();

        preconditioner->refresh(other);
        preconditioner->apply(b, x);

        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
        EXPECT_MTX_NEAR(x, expected, 0.0);
        EXPECT_TRUE(preconditioner->launches_are_static());
    };

    check(spruce::preconditioner::Ilu<LowerIsai, UpperIsai, false, I>::build().on(this->exec));
    check(spruce::preconditioner::Ic<LowerIsai, I>::build().on(this->exec));
}

}  // namespace
