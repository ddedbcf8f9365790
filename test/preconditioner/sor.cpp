// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests Sor and GaussSeidel against the definition of M, on all executors.

#include <complex>
#include <limits>
#include <numeric>
#include <vector>

#include <spruce/preconditioner/gauss_seidel.hpp>
#include <spruce/preconditioner/sor.hpp>

#include "core/graph/coloring.hpp"
#include "test/factorization/factorization_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::as;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class Sor : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using typename kernel_test<Types>::real;
    using sor = spruce::preconditioner::Sor<V, I>;
    using gauss_seidel = spruce::preconditioner::GaussSeidel<V, I>;
    using lower_trs = spruce::solver::LowerTrs<V, I>;
    using upper_trs = spruce::solver::UpperTrs<V, I>;
    using vector = std::vector<std::complex<double>>;

    struct variant {
        double omega;
        bool symmetric;
        bool multicolor;
    };

    template <typename Function>
    static void for_each_variant(Function check)
    {
        for (const double omega : {0.5, 1.0, 1.5}) {
            for (const bool symmetric : {false, true}) {
                for (const bool multicolor : {false, true}) {
                    SCOPED_TRACE(testing::Message() << "omega " << omega << (symmetric ? ", symmetric" : "")
                                                    << (multicolor ? ", multicolor" : ""));
                    check(variant{omega, symmetric, multicolor});
                }
            }
        }
    }

    static auto parameters_of(const variant& v)
    {
        return sor::build()
            .with_relaxation_factor(static_cast<real>(v.omega))
            .with_symmetric(v.symmetric)
            .with_multicolor(v.multicolor);
    }
    static auto generate(const variant& v, std::shared_ptr<const spruce::LinOp> a)
    {
        return parameters_of(v).on(a->get_executor())->generate(a);
    }

    std::shared_ptr<Csr> make(const host_matrix& data) const { return share(make_csr<V, I>(this->exec, data)); }

    /// Returns the place of each row in the order of the sweep.
    std::vector<size_type> places(const host_matrix& data, bool multicolor) const
    {
        std::vector<size_type> order(data.size[0]);
        std::iota(order.begin(), order.end(), size_type{});
        if (multicolor) {
            const auto a = make_csr<V, I>(this->ref, data);
            a->sort_by_column_index();
            const auto colors = spruce::graph::color_rows(*a).copy_to_host();
            std::stable_sort(order.begin(), order.end(),
                             [&](size_type i, size_type j) { return colors[i] < colors[j]; });
        }
        std::vector<size_type> result(order.size());
        for (size_type place = 0; place < order.size(); ++place) {
            result[order[place]] = place;
        }
        return result;
    }

    /// Returns M z by the definition of M.
    vector multiply(const host_matrix& data, const variant& v, const vector& z) const
    {
        const auto place = this->places(data, v.multicolor);
        vector diagonal(z.size());
        for (const auto& entry : data.nonzeros) {
            if (entry.row == entry.column) {
                diagonal[entry.row] = entry.value;
            }
        }
        const auto by_triangle = [&](bool upper, const vector& from) {
            vector to(from.size());
            for (const auto& entry : data.nonzeros) {
                if (entry.row == entry.column) {
                    to[entry.row] += entry.value / v.omega * from[entry.row];
                } else if ((place[entry.column] > place[entry.row]) == upper) {
                    to[entry.row] += entry.value * from[entry.column];
                }
            }
            return to;
        };
        if (!v.symmetric) {
            return by_triangle(false, z);
        }
        auto scaled = by_triangle(true, z);
        for (size_type i = 0; i < z.size(); ++i) {
            scaled[i] *= v.omega / (2 - v.omega) / diagonal[i];
        }
        return by_triangle(false, scaled);
    }

    /// Expects that M^-1 (M z) is z for two columns z.
    void expect_inverse_of_m(const host_matrix& data, const variant& v, const spruce::LinOp& m)
    {
        const auto z = random_full(this->engine, data.size[0], 2);
        host_matrix b{z.size};
        for (const int col : {0, 1}) {
            vector column(data.size[0]);
            for (const auto& entry : z.nonzeros) {
                if (entry.column == col) {
                    column[entry.row] = spruce::is_complex<V>() ? entry.value : entry.value.real();
                }
            }
            const auto product = this->multiply(data, v, column);
            for (size_type row = 0; row < product.size(); ++row) {
                b.nonzeros.emplace_back(row, col, product[row]);
            }
        }
        b.sort_row_major();
        const auto x = this->dense_of_nan(data.size[0], 2);

        m.apply(make_dense<V>(this->exec, b), x);

        EXPECT_MTX_NEAR(x, make_dense<V>(this->exec, z), 200 * this->epsilon());
    }

    host_matrix real_if_needed(host_matrix data) const
    {
        for (auto& entry : data.nonzeros) {
            entry.value = spruce::is_complex<V>() ? entry.value : entry.value.real();
        }
        return data;
    }
    host_matrix dominant(size_type size)
    {
        return real_if_needed(with_dominant_diagonal(
            random_sparse(this->engine, size, size, nnz_per_row(0, std::min<size_type>(size, 8)))));
    }

    std::unique_ptr<Dense> identity(size_type size) const
    {
        host_matrix data{dim<2>{size}};
        for (size_type i = 0; i < size; ++i) {
            data.nonzeros.emplace_back(i, i, 1.0);
        }
        return make_dense<V>(this->exec, data);
    }
};
TYPED_TEST_SUITE(Sor, value_and_index_types, type_names);

TYPED_TEST(Sor, ByHand)
{
    const auto a = share(this->csr({{2, 1, 0}, {4, 4, 2}, {2, 0, 8}}));
    const auto b = this->dense({{2}, {12}, {18}});
    const auto apply = [&](const auto& parameters) { return this->apply(parameters.on(this->exec)->generate(a), b); };
    const auto tolerance = 4 * this->epsilon();

    EXPECT_MTX_NEAR(apply(TestFixture::gauss_seidel::build()), this->dense({{1}, {2}, {2}}), tolerance);
    EXPECT_MTX_NEAR(apply(TestFixture::gauss_seidel::build().with_symmetric(true)), this->dense({{0.5}, {1}, {2}}),
                    tolerance);
    EXPECT_MTX_NEAR(apply(TestFixture::sor::build().with_relaxation_factor(0.5f)),
                    this->dense({{0.5}, {1.25}, {1.0625}}), tolerance);
    // (2 - omega) / omega D y = 3 D y = {3, 15, 25.5}; then (2 D + U) x = 3 D y.
    EXPECT_MTX_NEAR(apply(TestFixture::sor::build().with_relaxation_factor(0.5f).with_symmetric(true)),
                    this->dense({{(3 - 1.4765625) / 4}, {(15 - 2 * 1.59375) / 8}, {1.59375}}), tolerance);
}

TYPED_TEST(Sor, AppliesTheInverseOfM)
{
    for (const size_type size : {0, 1, 2, 32, 33, 300}) {
        SCOPED_TRACE(size);
        const auto data = this->dominant(size);
        const auto a = this->make(data);
        const auto unsorted = this->make(with_unsorted_columns(this->engine, data));
        this->for_each_variant([&](const auto& variant) {
            const auto m = this->generate(variant, a);
            const auto m_of_unsorted = this->generate(variant, unsorted);

            this->expect_inverse_of_m(data, variant, *m);
            this->expect_inverse_of_m(data, variant, *m_of_unsorted);
            m->refresh(a);
            this->expect_inverse_of_m(data, variant, *m);
        });
    }
}

TYPED_TEST(Sor, HandlesDenseRows)
{
    for (const size_type dense : {0, 77, 199}) {
        const auto data = this->real_if_needed(matrix_of_pattern(
            200, [=](size_type i, size_type j) { return i == dense || i == j || (i + 1 == j && i % 3 == 0); }));
        const auto a = this->make(data);
        this->for_each_variant(
            [&](const auto& variant) { this->expect_inverse_of_m(data, variant, *this->generate(variant, a)); });
    }
}

TYPED_TEST(Sor, AddsToScaledResult)
{
    const auto a = this->make(this->dominant(40));
    const auto b = this->random_dense(40, 3);
    const auto x = this->random_dense(40, 3);
    this->for_each_variant([&](const auto& variant) {
        const auto m = this->generate(variant, a);
        const auto expected = this->apply(m, b);
        expected->scale(this->dense({{2}}));
        expected->add_scaled(this->dense({{-3}}), x);
        const auto result = clone(x);

        m->apply(this->dense({{2}}), b, this->dense({{-3}}), result);

        EXPECT_MTX_NEAR(result, expected, 20 * this->epsilon());
    });
}

TYPED_TEST(Sor, IsHermitianIfSymmetric)
{
    const auto data = this->real_if_needed(hermitian_from_lower(this->dominant(60)));
    const auto a = this->make(data);
    this->for_each_variant([&](const auto& variant) {
        const auto m = this->generate(variant, a);
        const auto inverse = this->apply(m, this->identity(60));
        const auto transposed = m->conj_transpose();
        const auto inverse_of_transposed = this->apply(transposed, this->identity(60));

        EXPECT_MTX_NEAR(inverse_of_transposed, inverse->conj_transpose(), 20 * this->epsilon());
        if (variant.symmetric) {
            EXPECT_MTX_NEAR(inverse, inverse->conj_transpose(), 20 * this->epsilon());
        }
    });
}

TYPED_TEST(Sor, OfFactorOneIsGaussSeidel)
{
    const auto a = this->make(this->dominant(100));
    const auto b = this->random_dense(100, 1);
    for (const bool symmetric : {false, true}) {
        const auto by_sor = this->generate({1.0, symmetric, false}, a);
        const auto m = TestFixture::gauss_seidel::build().with_symmetric(symmetric).on(this->exec)->generate(a);

        EXPECT_MTX_STORED_ALIKE(this->apply(m, b), this->apply(by_sor, b));
    }
}

TYPED_TEST(Sor, HasTheFactorOfItsDefault)
{
    const std::shared_ptr<typename TestFixture::sor> factory = TestFixture::sor::build().on(this->exec);

    EXPECT_NEAR(factory->get_parameters().relaxation_factor, 1.2, this->epsilon());
    EXPECT_FALSE(factory->get_parameters().symmetric);
    EXPECT_FALSE(factory->get_parameters().multicolor);
    EXPECT_EQ(factory->clone()->get_executor(), this->exec);
    const std::unique_ptr<spruce::Composition<typename TestFixture::V>> m =
        factory->generate(this->make(this->dominant(3)));
    EXPECT_EQ(m->get_operators().size(), 1u);
}

TYPED_TEST(Sor, HasOneLevelForEachColor)
{
    constexpr size_type width = 30;
    const auto a = this->make(poisson_2d(width));
    const auto natural = this->generate({1.0, true, false}, a);
    const auto colored = this->generate({1.0, true, true}, a);

    const auto levels = [](const auto& m, size_type index) {
        const auto op = m->get_operators().at(index);
        const auto lower = dynamic_cast<const typename TestFixture::lower_trs*>(op.get());
        return lower ? lower->get_num_levels() : as<typename TestFixture::upper_trs>(op.get())->get_num_levels();
    };
    EXPECT_EQ(natural->get_operators().size(), 2u);
    EXPECT_EQ(levels(natural, 0), 2 * width - 1);
    EXPECT_EQ(levels(natural, 1), 2 * width - 1);
    EXPECT_EQ(colored->get_operators().size(), 4u);
    EXPECT_LE(levels(colored, 1), 4u);
    EXPECT_LE(levels(colored, 2), 4u);
}

TYPED_TEST(Sor, ReducesTheIterationsOfCg)
{
    const auto a = this->make(poisson_2d(24));
    const auto b = this->dense_of_nan(24 * 24, 1);
    b->fill(spruce::one<typename TestFixture::V>());
    const auto iterations_with = [&](std::shared_ptr<const spruce::LinOp> m) {
        auto parameters = spruce::solver::Cg<typename TestFixture::V>::build().with_criteria(
            spruce::stop::Iteration::build().with_max_iters(500u),
            spruce::stop::ResidualNorm<typename TestFixture::V>::build().with_reduction_factor(
                static_cast<typename TestFixture::real>(1e-4)));
        if (m) {
            parameters.with_generated_preconditioner(m);
        }
        const auto solver = parameters.on(this->exec)->generate(a);
        const std::shared_ptr<spruce::log::Convergence<typename TestFixture::V>> log =
            spruce::log::Convergence<typename TestFixture::V>::create();
        solver->add_logger(log);
        const auto x = clone(b);
        x->fill(spruce::zero<typename TestFixture::V>());
        solver->apply(b, x);
        EXPECT_TRUE(log->has_converged());
        return log->get_num_iterations();
    };
    const auto without = iterations_with(nullptr);

    EXPECT_LT(iterations_with(share(this->generate({1.0, true, false}, a))), without * 3 / 4);
    EXPECT_LT(iterations_with(share(this->generate({1.0, true, true}, a))), without);
    EXPECT_LT(iterations_with(share(this->generate({1.6, true, false}, a))), without * 3 / 4);
}

TYPED_TEST(Sor, TakesOtherSolvers)
{
    const auto a = this->make(this->dominant(80));
    const auto b = this->random_dense(80, 1);
    using solver = spruce::solver::Bicgstab<typename TestFixture::V>;
    const auto iterative = solver::build().with_criteria(
        spruce::stop::Iteration::build().with_max_iters(200u),
        spruce::stop::ResidualNorm<typename TestFixture::V>::build().with_reduction_factor(
            static_cast<typename TestFixture::real>(4 * this->epsilon())));
    const auto expected = this->apply(this->generate({1.5, true, true}, a), b);

    const auto m = TestFixture::parameters_of({1.5, true, true})
                       .with_l_solver(iterative)
                       .with_u_solver(iterative)
                       .on(this->exec)
                       ->generate(a);

    EXPECT_TRUE(dynamic_cast<const solver*>(m->get_operators().at(1).get()));
    EXPECT_TRUE(dynamic_cast<const solver*>(m->get_operators().at(2).get()));
    EXPECT_MTX_NEAR(this->apply(m, b), expected, 1000 * this->epsilon());
    const auto with_direct = TestFixture::parameters_of({1.5, true, true})
                                 .with_l_solver(TestFixture::lower_trs::build())
                                 .on(this->exec)
                                 ->generate(a);
    EXPECT_MTX_STORED_ALIKE(this->apply(with_direct, b), expected);
}

TYPED_TEST(Sor, IsRefreshedWithoutAllocations)
{
    const auto sorted = this->dominant(150);
    for (const auto& data : {sorted, with_unsorted_columns(this->engine, sorted)}) {
        auto other_data = data;
        for (auto& entry : other_data.nonzeros) {
            entry.value *= entry.row == entry.column ? 3.0 : 0.5;
        }
        const auto other = this->make(other_data);
        const auto b = this->random_dense(150, 1);
        this->for_each_variant([&](const auto& variant) {
            const auto m = this->generate(variant, this->make(data));
            const auto expected = this->apply(this->generate(variant, other), b);
            ASSERT_TRUE(m->can_be_refreshed());
            const auto before = this->exec->get_counters();

            m->refresh(other);

            EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
            EXPECT_MTX_STORED_ALIKE(this->apply(m, b), expected);
        });
    }
}

TYPED_TEST(Sor, AllocatesNothingInLaterCallsAndHasStaticLaunches)
{
    const auto a = this->make(this->dominant(100));
    const auto b = this->random_dense(100, 2);
    const auto x = this->dense_of_nan(100, 2);
    this->for_each_variant([&](const auto& variant) {
        const auto m = this->generate(variant, a);
        m->apply(b, x);
        const auto before = this->exec->get_counters();

        m->apply(b, x);

        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
        EXPECT_TRUE(m->launches_are_static());
    });
}

TYPED_TEST(Sor, RefusesOtherPatternsAndZeroDiagonals)
{
    const auto data = this->dominant(50);
    const auto b = this->random_dense(50, 1);
    auto with_zero = data;
    auto with_more = data;
    auto with_less = data;
    for (auto& entry : with_zero.nonzeros) {
        entry.value = entry.row == 17 && entry.column == 17 ? 0.0 : entry.value;
    }
    const auto has_entry = [&](int row, int col) {
        return std::any_of(data.nonzeros.begin(), data.nonzeros.end(),
                           [&](const auto& entry) { return entry.row == row && entry.column == col; });
    };
    int new_col = 0;
    while (has_entry(21, new_col)) {
        ++new_col;
    }
    with_more.nonzeros.emplace_back(21, new_col, 1.0);
    with_more.sort_row_major();
    with_less.nonzeros.erase(std::find_if(with_less.nonzeros.begin(), with_less.nonzeros.end(), [](const auto& entry) {
        return entry.row >= 30 && entry.row != entry.column;
    }));
    this->for_each_variant([&](const auto& variant) {
        const auto m = this->generate(variant, this->make(data));
        const auto before = this->apply(m, b);

        EXPECT_THROW_WITH(m->refresh(this->make(with_zero)), spruce::InvalidStateError, "row 17 ");
        EXPECT_THROW_WITH(m->refresh(this->make(with_more)), spruce::UnsupportedMatrixProperty, "row 21 ");
        EXPECT_THROW_WITH(m->refresh(this->make(with_less)), spruce::UnsupportedMatrixProperty, "row 3");
        EXPECT_THROW_WITH(m->refresh(this->make(this->dominant(49))), spruce::UnsupportedMatrixProperty, "49 x 49");

        EXPECT_MTX_STORED_ALIKE(this->apply(m, b), before);
    });
}

TYPED_TEST(Sor, SharesSolversWithCopies)
{
    const auto a = this->make(this->dominant(50));
    const auto doubled = share(clone(a));
    doubled->scale(this->dense({{2}}));
    const auto b = this->random_dense(50, 1);
    const auto m = this->generate({1.5, true, true}, a);
    const auto expected = this->apply(m, b);
    const auto copy = m->clone();
    const auto elsewhere = clone(this->ref, m);

    EXPECT_MTX_STORED_ALIKE(this->apply(copy, b), expected);
    EXPECT_MTX_NEAR(this->apply_on_reference(m, clone(this->ref, b)), expected, 20 * this->epsilon());
    if (this->exec != this->ref) {
        EXPECT_FALSE(elsewhere->can_be_refreshed());
        EXPECT_THROW(elsewhere->refresh(a), spruce::NotSupported);
    }
    m->refresh(doubled);
    expected->scale(this->dense({{0.5}}));
    EXPECT_MTX_NEAR(this->apply(copy, b), expected, 20 * this->epsilon());
    const auto moved = TestFixture::sor::build().on(this->exec)->generate(a);
    moved->move_from(m);
    EXPECT_MTX_NEAR(this->apply(moved, b), expected, 20 * this->epsilon());
    EXPECT_FALSE(m->can_be_refreshed());
}

TYPED_TEST(Sor, RefusesBadInput)
{
    const auto generate = [&](const auto& parameters, const auto& a) { parameters.on(this->exec)->generate(a); };
    const auto a = share(this->csr({{2, 1, 0}, {0, 2, 1}, {1, 0, 2}}));
    const auto wide = share(this->csr({{2, 1, 0}, {0, 2, 1}}));
    const auto missing = share(this->csr({{2, 1, 0}, {0, 2, 1}, {1, 1, 0}}));
    auto zero_data = host_matrix{dim<2>{2}};
    zero_data.nonzeros = {{0, 0, 1.0}, {1, 0, 1.0}, {1, 1, 0.0}};
    const auto zero = this->make(zero_data);
    auto twice_data = host_matrix{dim<2>{2}};
    twice_data.nonzeros = {{0, 0, 1.0}, {1, 0, 1.0}, {1, 0, 1.0}, {1, 1, 2.0}};
    const auto twice = this->make(twice_data);
    using sor = typename TestFixture::sor;
    using real = typename TestFixture::real;

    for (const bool multicolor : {false, true}) {
        const auto parameters = sor::build().with_multicolor(multicolor);
        EXPECT_THROW(generate(parameters, wide), spruce::DimensionMismatch);
        EXPECT_THROW_WITH(generate(parameters, missing), spruce::InvalidStateError, "row 2 ");
        EXPECT_THROW_WITH(generate(parameters, zero), spruce::InvalidStateError, "row 1 ");
        EXPECT_THROW_WITH(generate(parameters, twice), spruce::UnsupportedMatrixProperty, "row 1 ");
    }
    EXPECT_THROW_WITH(generate(TestFixture::gauss_seidel::build(), zero), spruce::InvalidStateError, "GaussSeidel");
    for (const auto factor : {0.0, 2.0, -1.0}) {
        EXPECT_THROW_WITH(generate(sor::build().with_relaxation_factor(static_cast<real>(factor)), a),
                          spruce::OutOfBoundsError, std::to_string(static_cast<int>(factor)));
    }
    EXPECT_THROW_WITH(generate(sor::build().with_relaxation_factor(std::numeric_limits<real>::quiet_NaN()), a),
                      spruce::OutOfBoundsError, "nan");
    const auto unsorted = share(make_csr<typename TestFixture::V, typename TestFixture::I>(
        this->exec, with_unsorted_columns(this->engine, this->real_if_needed(random_full(this->engine, 40, 40)))));
    EXPECT_THROW_WITH(generate(sor::build().with_skip_sorting(true), unsorted), spruce::UnsupportedMatrixProperty,
                      "skip_sorting");
}

TYPED_TEST(Sor, RefusesValuesThatAreNotFinite)
{
    const auto b = this->random_dense(100, 1);
    for (const auto value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        for (const bool on_diagonal : {false, true}) {
            auto data = this->dominant(100);
            for (auto& entry : data.nonzeros) {
                if ((entry.row == entry.column) == on_diagonal && entry.row % 2 == 0) {
                    entry.value = value;
                }
            }
            for (auto& entry : data.nonzeros) {
                if (entry.row < 40) {
                    entry.value = entry.row == entry.column ? 50.0 : 1.0;
                }
            }
            const auto bad = this->make(data);
            for (auto& entry : data.nonzeros) {
                entry.value = entry.row == entry.column ? 50.0 : 1.0;
            }
            const auto good = this->make(data);
            this->for_each_variant([&](const auto& variant) {
                EXPECT_THROW_WITH(this->generate(variant, bad), spruce::InvalidStateError, "row 40");
                const auto m = this->generate(variant, good);
                const auto expected = this->apply(m, b);
                EXPECT_THROW_WITH(m->refresh(bad), spruce::InvalidStateError, "row 40");
                EXPECT_MTX_STORED_ALIKE(this->apply(m, b), expected);
            });
        }
    }
}

TYPED_TEST(Sor, ConvertsMatrices)
{
    const auto data = this->dominant(30);
    const auto b = this->random_dense(30, 1);
    const auto expected = this->apply(this->generate({1.5, true, true}, this->make(data)), b);

    const auto of_coo = this->generate(
        {1.5, true, true}, share(make_coo<typename TestFixture::V, typename TestFixture::I>(this->exec, data)));
    const auto of_other_executor = TestFixture::parameters_of({1.5, true, true})
                                       .on(this->exec)
                                       ->generate(share(clone(this->ref, this->make(data))));

    EXPECT_MTX_STORED_ALIKE(this->apply(of_coo, b), expected);
    EXPECT_MTX_STORED_ALIKE(this->apply(of_other_executor, b), expected);
}

}  // namespace
